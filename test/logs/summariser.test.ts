import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSummariser } from '../../src/logs/summariser.ts';
import { hitRate, type LogFormat, type LogSummary, statusClasses } from '../../src/logs/summary.ts';
import { line } from './lines.ts';

function summarise(text: string, format: LogFormat = 'v1', cuts: number[] = []): LogSummary {
  const bytes = Buffer.from(text);
  const summariser = createSummariser(format);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let index = 1; index < places.length; index += 1) {
    summariser.push(bytes.subarray(places[index - 1]!, places[index]!));
  }
  return summariser.end();
}

const hour = (h: number) => Date.UTC(2026, 4, 20, h);

describe('a log', () => {
  test('comes to its requests, bytes, statuses, cache shares, lists and hours', () => {
    const summary = summarise(
      [
        line({ url: 'https://cdn.example.com/a?token=secret', bytes: 10, time: hour(1) }),
        line({ url: 'https://other.example.com/a#x', bytes: 20, time: hour(1) + 5, cache: 'MISS', country: 'DE' }),
        line({ url: 'https://cdn.example.com', cache: '-', status: 404, time: hour(2), agent: '-' }),
        line({
          url: '/b',
          cache: 'WEIRD',
          status: 503,
          time: hour(3) - 1,
          ip: '2001:db8::',
          referer: 'https://example.com/?s=secret',
        }),
        'nonsense',
        '',
      ].join('\n'),
    );
    expect(summary).toEqual({
      requests: 4,
      bytes: 230,
      from: hour(1),
      to: hour(3) - 1,
      unreadable: 1,
      statuses: { 200: 2, 404: 1, 503: 1 },
      cache: { HIT: 1, MISS: 1, '-': 1, WEIRD: 1 },
      topPaths: [
        { value: '/a', requests: 2, bytes: 30 },
        { value: '/', requests: 1, bytes: 100 },
        { value: '/b', requests: 1, bytes: 100 },
      ],
      topMissing: [{ value: '/', requests: 1, bytes: 100 }],
      topErrors: [{ value: '/b', requests: 1, bytes: 100 }],
      failures: [{ value: '503 494234 /b', requests: 1, bytes: 100 }],
      topAgents: [{ value: 'Mozilla/5.0', requests: 3, bytes: 130 }],
      topCountries: [
        { value: 'FR', requests: 3, bytes: 210 },
        { value: 'DE', requests: 1, bytes: 20 },
      ],
      topClients: [
        { value: '203.0.113.0', requests: 3, bytes: 130 },
        { value: '2001:db8::', requests: 1, bytes: 100 },
      ],
      hours: [
        { start: hour(1), requests: 2, errors: 0, bytes: 30 },
        { start: hour(2), requests: 2, errors: 1, bytes: 200 },
      ],
      floors: {
        topPaths: 0,
        topMissing: 0,
        topErrors: 0,
        failures: 0,
        topAgents: 0,
        topCountries: 0,
        topClients: 0,
      },
    });
    expect(statusClasses(summary)).toEqual({ '2xx': 2, '4xx': 1, '5xx': 1 });
    expect(hitRate(summary)).toBeCloseTo(100 / 3);
  });

  test('of nothing is nothing, and has no hit rate', () => {
    const summary = summarise('');
    expect(summary).toMatchObject({ requests: 0, bytes: 0, unreadable: 0, hours: [] });
    expect(summary.from).toBeUndefined();
    expect(hitRate(summary)).toBeUndefined();
    expect(hitRate(summarise(line({ cache: '-' })))).toBeUndefined();
  });

  test('skips a line that never ends and goes on behind it', () => {
    const summary = summarise(`${'x'.repeat(300_000)}\n${line()}`, 'v1', [100_000, 200_000]);
    expect(summary).toMatchObject({ requests: 1, unreadable: 1 });
  });

  test('keeps characters of several bytes whole', () => {
    const summary = summarise(
      line({ url: 'https://cdn.example.com/käse/🧀' }),
      'v1',
      [70, 71, 72, 73, 74, 75, 76, 77, 78],
    );
    expect(summary.topPaths[0]?.value).toBe('/käse/🧀');
  });
});

const someLine = fc
  .record({
    cache: fc.constantFrom('HIT', 'MISS', '-', 'EXPIRED'),
    status: fc.constantFrom(200, 304, 404, 500, 503),
    time: fc.integer({ min: hour(0), max: hour(23) }),
    bytes: fc.nat(1_000_000),
    url: fc.constantFrom('https://a.example/x', 'https://a.example/y|z?q=1', '/ö', 'https://a.example', 'http://b/%7C'),
    agent: fc.constantFrom('a', 'b|c', '-', 'é'),
    referer: fc.constantFrom('-', 'https://r.example/|?x'),
    country: fc.constantFrom('DE', 'FR', '-'),
  })
  .map(line);
const someLog = fc
  .array(
    fc.oneof({ weight: 9, arbitrary: someLine }, { weight: 1, arbitrary: fc.constantFrom('', 'bad', '|||', '\r') }),
    {
      maxLength: 40,
    },
  )
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end)));

test('however a log is cut into chunks, the summary is the same', () => {
  fc.assert(
    fc.property(someLog, fc.array(fc.nat(20_000), { maxLength: 60 }), (log, cuts) => {
      expect(summarise(log, 'v1', cuts)).toEqual(summarise(log));
    }),
    { numRuns: 30 },
  );
});

test('v2 records come to the same as the v1 lines of the same requests', () => {
  const records = [
    {
      timestamp: '2026-05-20T01:00:00Z',
      statusCode: 404,
      bytesSent: 7,
      cacheStatus: 'MISS',
      url: 'https://a.example/x?y',
      countryCode: 'DE',
    },
    {
      timestamp: '2026-05-20T02:00:00.500Z',
      statusCode: 200,
      bytesSent: 9,
      cacheStatus: '-',
      path: '/ü',
      userAgent: 'é|x',
      remoteIp: '10.0.0.0',
      edgeLocation: 'WA',
    },
  ];
  const v2 = summarise(
    `${records.map((record) => JSON.stringify(record)).join('\n')}\n{"x":\n7\n`,
    'v2',
    [5, 120, 121],
  );
  const v1 = summarise(
    [
      line({
        time: hour(1),
        status: 404,
        bytes: 7,
        cache: 'MISS',
        url: 'https://a.example/x',
        country: 'DE',
        edge: '-',
        agent: '-',
        ip: '-',
      }),
      line({
        time: hour(2) + 500,
        bytes: 9,
        cache: '-',
        url: '/ü',
        agent: 'é|x',
        edge: 'WA',
        country: '-',
        ip: '10.0.0.0',
      }),
    ].join('\n'),
  );
  expect(v2).toEqual({ ...v1, unreadable: 2 });
});
