import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSummariser } from '../../src/logs/summariser.ts';
import { LISTS, type ListName, type LogSummary } from '../../src/logs/summary.ts';
import { line } from './lines.ts';
import { referenceOf } from './reference.ts';

/** Summarises the log cut at these places; each piece is overwritten as soon as it was taken. */
function summarise(log: Buffer, cuts: readonly number[] = []): LogSummary {
  const summariser = createSummariser('v1');
  const places = [0, ...cuts.map((cut) => cut % (log.length + 1)).sort((a, b) => a - b), log.length];
  for (let index = 1; index < places.length; index += 1) {
    const piece = Buffer.from(log.subarray(places[index - 1]!, places[index]!));
    summariser.push(piece);
    piece.fill(0x7c);
  }
  return summariser.end();
}

const bytes = (text: string) => Buffer.from(text, 'latin1');
const id = '322b688bd63fb63f2babe9de30a5d262';

/** Pieces of which lines are made, right ones and wrong ones; Latin-1, so that any bytes can be among them. */
const piece = fc.oneof(
  fc.constantFrom(
    ...[
      '|',
      '||',
      '\n',
      '\r\n',
      '\r',
      '-',
      '',
      '?',
      '#',
      '/',
      ':',
      '//',
      'http://',
      'https://a.example/',
      'HTTP',
      'htt',
      '%7C',
      '\0',
    ],
    ...[
      '200',
      '404',
      '503',
      '999',
      '1',
      '0',
      '1e3',
      '123456789012345',
      '1234567890123456',
      id,
      id.toUpperCase(),
      'DE',
      'WA',
      'XYZ1',
    ],
  ),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 90 }),
);

const field = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
const address = fc.oneof(
  field,
  fc
    .tuple(fc.constantFrom('https://a.example', 'http://b', 'ftp://c', ''), fc.constantFrom('/', '', '?', '#'), field)
    .map((all) => all.join('')),
);
const time = fc.integer({ min: 1_779_000_000_000, max: 1_779_200_000_000 });

/** A line whose fields may be anything at all, extended or not. */
const someLine = fc
  .record({
    cache: fc.constantFrom('HIT', 'MISS', '-', '', 'UPDATING', 'REVALIDATED'),
    status: fc.constantFrom('200', '304', '404', '500', '503', '099', '20', 'x00'),
    time: fc.oneof({ weight: 9, arbitrary: time.map(String) }, { weight: 1, arbitrary: field }),
    bytes: fc.oneof({ weight: 9, arbitrary: fc.nat(10_000_000).map(String) }, { weight: 1, arbitrary: field }),
    zone: fc.constantFrom('1337', '-', ''),
    ip: fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('-', '')),
    referer: address,
    url: address,
    edge: fc.constantFrom('DE', 'WA1', '-', ''),
    agent: field,
    request: fc.constantFrom(id, id, '-', 'x'),
    country: fc.constantFrom('FR', '-', '', 'de'),
    rest: fc.constantFrom('', '', '|100|bytes=0-99|Bearer x|y', `|1||${id}|XX`, '||', '|'),
  })
  .map(({ rest, ...fields }) => line(fields) + rest);

const someLog = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 6, arbitrary: someLine }, { weight: 1, arbitrary: field }),
      fc.constantFrom('\n', '\n', '\r\n'),
    ),
    {
      maxLength: 90,
    },
  )
  .chain((lines) =>
    fc.boolean().map((isWhole) =>
      lines
        .flat()
        .slice(0, isWhole ? undefined : -1)
        .join(''),
    ),
  )
  .map(bytes);

/** Texts of one length that differ in one byte, at the beginning, within or at the end, and a longer and a shorter one. */
const alike = (text: string) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(text) },
    {
      weight: 1,
      arbitrary: fc.nat(text.length - 1).map((at) => `${text.slice(0, at)}x${text.slice(at + 1)}`),
    },
    { weight: 1, arbitrary: fc.constantFrom(`${text}x`, text.slice(1)) },
  );

/** A visitor's request: mostly the same visitor's as the one before. Some answers are as large as can be told. */
const visit = fc.record({
  ip: alike('203.0.113.0'),
  agent: alike('Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'),
  country: alike('FR'),
  edge: alike('DE'),
  referer: alike('https://shop.example.com/sale?page=1'),
  bytes: fc.oneof(
    { weight: 30, arbitrary: fc.nat(10_000_000) },
    { weight: 1, arbitrary: fc.constant(999_999_999_999_999) },
  ),
});

const someCuts = fc.array(fc.nat(30_000), { maxLength: 40 });

describe('any log', () => {
  test('comes to what a slow reading comes to, for any bytes and however they are cut', () => {
    fc.assert(
      fc.property(someLog, someCuts, (log, cuts) => {
        expect(summarise(log, cuts)).toEqual(referenceOf(log));
      }),
      { numRuns: 150 },
    );
  });

  test('tells visitors apart that follow each other and differ in one field or one byte', () => {
    fc.assert(
      fc.property(fc.array(visit, { maxLength: 200 }), someCuts, (visits, cuts) => {
        const log = bytes(visits.map((fields) => `${line(fields)}\n`).join(''));
        expect(summarise(log, cuts)).toEqual(referenceOf(log));
      }),
      { numRuns: 60 },
    );
  });

  test('reads bytes without any structure without an end or a fault', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), someCuts, (log, cuts) => {
        expect(summarise(Buffer.from(log), cuts)).toEqual(referenceOf(Buffer.from(log)));
      }),
      { numRuns: 60 },
    );
  });

  test('reads a line as long as it may be, and leaves out a longer one, however they are cut', () => {
    const longest = 256 * 1024;
    const ofLength = (length: number) => {
      const short = line({ url: '/' });
      return short.replace('|/|', `|/${'a'.repeat(length - short.length)}|`);
    };
    const pipes = `${line()}${'|'.repeat(longest)}`;
    const lines = [
      ofLength(longest),
      ofLength(longest + 1),
      line(),
      'x'.repeat(600_000),
      pipes,
      `${ofLength(longest)}\r`,
      line(),
    ];
    const log = bytes(lines.join('\n'));
    const summary = referenceOf(log);
    expect(summary).toMatchObject({ requests: 3, unreadable: 4 });
    const ends = [...log.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at);
    for (const cuts of [
      [],
      ends,
      ends.map((at) => at + 1),
      Array.from({ length: 40 }, (_, n) => n * 65_536),
      [longest - 1, longest, longest + 1],
    ]) {
      expect(summarise(log, cuts)).toEqual(summary);
    }
  });

  test('counts values by their first 1,024 bytes', () => {
    const log = bytes(
      ['a'.repeat(1023), 'a'.repeat(1024), 'a'.repeat(1025)].map((agent) => line({ agent })).join('\n'),
    );
    expect(summarise(log).topAgents.map(({ value, requests }) => [value.length, requests])).toEqual([
      [1024, 2],
      [1023, 1],
    ]);
  });

  test('tells values apart that differ in one byte only, wherever it is', () => {
    const agents = Array.from({ length: 70 }, (_, length) =>
      Array.from({ length: Math.min(4 * length, 7) }, (_, n) => {
        const at = Math.floor((n * 4 * length) / 7);
        return `${'a'.repeat(at)}b${'a'.repeat(4 * length - at - 1)}`;
      }),
    ).flat();
    const log = bytes(agents.map((agent) => line({ agent })).join('\n'));
    expect(new Set(summarise(log).topAgents.map(({ value }) => value))).toEqual(new Set(agents));
  });

  test('keeps a year of hours, and further ones in the sums', () => {
    const log = bytes(Array.from({ length: 9000 }, (_, hour) => line({ time: hour * 3_600_000 })).join('\n'));
    const summary = summarise(log);
    expect(summary.requests).toBe(9000);
    expect(summary.hours.length).toBe(8784);
    expect(summary.hours.every(({ requests }) => requests === 1)).toBe(true);
  });
});

describe('beyond its room a list', () => {
  /** A few frequent paths among many rare ones. */
  const paths = fc.tuple(fc.nat(), fc.integer({ min: 3000, max: 9000 })).map(([seed, count]) => {
    let state = seed + 1;
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state / 2 ** 32;
    };
    return Array.from({ length: count }, () => `/p${Math.floor(6000 * random() ** 3)}`);
  });
  const logOf = (all: readonly string[]) =>
    bytes(all.map((url) => line({ url, status: 404, agent: url.slice(2) })).join('\n'));

  /** What a list says that its own bounds deny. */
  function untrue(summary: LogSummary, list: ListName, values: readonly string[]): string[] {
    const exact = new Map<string, number>();
    for (const value of values) exact.set(value, (exact.get(value) ?? 0) + 1);
    const wrong: string[] = [];
    for (const { value, requests, bytes: sum, error = 0 } of summary[list]) {
      const right = exact.get(value) ?? 0;
      const isTrue =
        requests >= right && requests - error <= right && sum <= 100 * right && sum >= 100 * (requests - error);
      if (!isTrue) wrong.push(`${value}: ${requests} (error ${error}, ${sum} bytes), not ${right}`);
      exact.delete(value);
    }
    for (const [value, requests] of exact)
      if (requests > summary.floors[list]) wrong.push(`${value} is missing: ${requests}`);
    return wrong;
  }

  function expectBounds(summary: LogSummary, all: readonly string[]): void {
    expect(untrue(summary, 'topMissing', all)).toEqual([]);
    expect(
      untrue(
        summary,
        'topAgents',
        all.map((path) => path.slice(2)),
      ),
    ).toEqual([]);
    for (const list of ['topMissing', 'topAgents'] as const) {
      expect(summary.floors[list]).toBeLessThanOrEqual(all.length / LISTS[list]);
    }
  }

  test('never counts too few, and says by how many it may count too many', () => {
    fc.assert(
      fc.property(paths, (all) => expectBounds(summarise(logOf(all)), all)),
      { numRuns: 12 },
    );
  });

  test('is the same however the log is cut', () => {
    fc.assert(
      fc.property(paths, fc.array(fc.nat(1_000_000), { maxLength: 30 }), (all, cuts) => {
        expect(summarise(logOf(all), cuts)).toEqual(summarise(logOf(all)));
      }),
      { numRuns: 6 },
    );
  });
});
