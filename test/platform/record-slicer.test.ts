import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRecordSlicer, sliceRecords } from '../../src/platform/record-slicer.ts';

function slice(json: string, cuts: number[]): { records: unknown[]; rest: unknown } {
  const bytes = Buffer.from(json);
  const slicer = createRecordSlicer('logs');
  const records: unknown[] = [];
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (const [index, start] of edges.slice(0, -1).entries()) {
    // A copy that is overwritten afterwards: nothing may be kept of a chunk but what was copied.
    const chunk = Buffer.from(bytes.subarray(start, edges[index + 1]));
    records.push(...slicer.push(chunk));
    chunk.fill(0);
  }
  return { records, rest: slicer.rest() };
}

describe('records cut out of an answer', () => {
  it('are the same however the bytes come in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), { maxLength: 6 }),
        fc.dictionary(
          fc.string().filter((key) => key !== 'logs' && key !== '__proto__'),
          fc.jsonValue(),
        ),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom(0, 2),
        (logs, other, cuts, indent) => {
          const records = JSON.parse(JSON.stringify(logs));
          const json = JSON.stringify({ ...other, logs: records, after: [1, { logs: [2] }] }, null, indent);
          const sliced = slice(json, cuts);
          expect(sliced.records).toEqual(records);
          expect(sliced.rest).toEqual(JSON.parse(JSON.stringify({ ...other, logs: [], after: [1, { logs: [2] }] })));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are the same where it can only be guessed where one ends, and the guess is often wrong', () => {
    const tricky = fc.constantFrom<unknown>(
      { list: [{ a: 1 }, { b: [{}, {}] }] },
      { text: '},{"a":1},{' },
      { text: '"},{"' },
      { 'key},{': '\\\\' },
      { text: '],"after":[{}, {' },
      { labels: { a: '{' }, log: '{\\"x\\":1}' },
      {},
    );
    fc.assert(
      fc.property(
        fc.array(tricky, { maxLength: 40 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.constantFrom(0, 1),
        (records, cuts, indent) => {
          const sliced = slice(JSON.stringify({ logs: records, after: [{}, {}] }, null, indent), cuts);
          expect(sliced.records).toEqual(records);
          expect(sliced.rest).toEqual({ logs: [], after: [{}, {}] });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are the same in a stream of any pieces, small and large, with those left out that nobody wants', async () => {
    const all = Array.from({ length: 3000 }, (_, n) => ({ n, text: 'x'.repeat(n % 131), list: [{}, '},{'] }));
    const body = Buffer.from(JSON.stringify({ logs: all, hasMoreData: false }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 8 }),
        async (sizes) => {
          async function* stream() {
            for (let at = 0, n = 0; at < body.length; n += 1) {
              const end = at + (sizes[n % sizes.length] ?? 1) * (n < 40 ? 1 : 50);
              yield Buffer.from(body.subarray(at, end));
              at = end;
            }
          }
          const isWanted = (record: unknown) => (record as { n: number }).n % 3 > 0;
          const found = await sliceRecords(stream(), {
            list: 'logs',
            schema: z.object({ n: z.number() }),
            most: 9999,
            isWanted,
          });
          expect(found.records).toEqual(all.filter(isWanted).map(({ n }) => ({ n })));
          expect(found.rest).toEqual({ logs: [], hasMoreData: false });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('are refused where something else stands among them, wherever that is', () => {
    for (const other of ['1', '[{}]', '"{}"', '{}}', '{"a":}', 'x']) {
      for (const json of [`{"logs":[${other},{},{}]}`, `{"logs":[{},${other},{},{}]}`, `{"logs":[{},{},${other}]}`]) {
        expect(() => slice(json, [])).toThrow();
      }
    }
  });

  it('are read without what is null among them, which is counted', () => {
    const json = '{"logs":[null,{"a":1},null , {"a":2},{"a":3},null],"after":1}';
    for (let size = 1; size < json.length; size += 1) {
      const slicer = createRecordSlicer('logs');
      const records: unknown[] = [];
      for (let at = 0; at < json.length; at += size)
        records.push(...slicer.push(Buffer.from(json.slice(at, at + size))));
      expect([records, slicer.nulls(), slicer.rest()]).toEqual([
        [{ a: 1 }, { a: 2 }, { a: 3 }],
        3,
        { logs: [], after: 1 },
      ]);
    }
  });

  it('are none where a text only looks like the list', () => {
    expect(slice('{"a":"\\"logs\\":[","b":{"logs":[{"x":1}]},"logs":[]}', [5, 9]).records).toEqual([]);
  });

  it('are refused where the list holds something else, or a record never ends', () => {
    const slicer = createRecordSlicer('logs');
    expect(() => slicer.push(Buffer.from('{"logs":["a"]}'))).toThrow('other than objects');
    const endless = createRecordSlicer('logs');
    endless.push(Buffer.from('{"logs":[{"a":"'));
    expect(() => endless.push(Buffer.alloc(5 * 1024 * 1024, 'x'))).toThrow('no end');
  });
});
