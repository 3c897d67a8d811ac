import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptySummary, mergeSummaries } from '../../src/logs/summary.ts';
import { Tally } from '../../src/logs/tally.ts';

function tallyOf(values: readonly string[], capacity: number): Tally {
  const tally = new Tally(capacity);
  for (const value of values) {
    const source = Buffer.from(`<${value}>`);
    tally.add(source, 1, source.length - 1, 10);
  }
  return tally;
}

function exact(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** A few frequent values among many rare ones. */
const stream = fc.array(fc.oneof(fc.nat(5), fc.nat(400)), { maxLength: 2000 }).map((all) => all.map((n) => `/p${n}`));

test('counting is exact while there is room', () => {
  expect(tallyOf(['b', 'a', 'b', 'é'], 8).list()).toEqual([
    { value: 'b', requests: 2, bytes: 20 },
    { value: 'a', requests: 1, bytes: 10 },
    { value: 'é', requests: 1, bytes: 10 },
  ]);
});

test('beyond its room a tally never counts too few, and says by how many it may count too many', () => {
  fc.assert(
    fc.property(stream, (values) => {
      const tally = tallyOf(values, 64);
      const counts = exact(values);
      const listed = tally.list();
      for (const { value, requests, error = 0 } of listed) {
        expect(requests).toBeGreaterThanOrEqual(counts.get(value)!);
        expect(requests - error).toBeLessThanOrEqual(counts.get(value)!);
      }
      const names = new Set(listed.map(({ value }) => value));
      for (const [value, requests] of counts) {
        if (!names.has(value)) expect(requests).toBeLessThanOrEqual(tally.floor);
      }
      expect(tally.floor).toBeLessThanOrEqual((2 * values.length) / 64);
    }),
    { numRuns: 60 },
  );
});

test('merged lists keep the same bounds', () => {
  fc.assert(
    fc.property(stream, stream, (one, other) => {
      const [a, b] = [one, other].map((values) => {
        const tally = tallyOf(values, 64);
        const summary = { ...emptySummary(), topPaths: tally.list() };
        summary.floors.topPaths = tally.floor;
        return summary;
      });
      const merged = mergeSummaries(a!, b!);
      const counts = exact([...one, ...other]);
      for (const { value, requests, error = 0 } of merged.topPaths) {
        expect(requests).toBeGreaterThanOrEqual(counts.get(value)!);
        expect(requests - error).toBeLessThanOrEqual(counts.get(value)!);
      }
      const names = new Set(merged.topPaths.map(({ value }) => value));
      for (const [value, requests] of counts) {
        if (!names.has(value)) expect(requests).toBeLessThanOrEqual(merged.floors.topPaths);
      }
    }),
    { numRuns: 60 },
  );
});
