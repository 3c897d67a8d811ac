import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Counts, hoursOf, lagOf, sumOf, windowOf } from '../../../src/reports/statistics-watch/counts.ts';
import { MINUTE } from '../../../src/time.ts';

const one: Counts = { requests: 60, bandwidth: 0, pulls: 6, waited: 600, errors4xx: 3, errors5xx: 0 };
const times = (counts: Counts, many: number): Counts => sumOf(Array.from({ length: many }, () => counts));

/** Hours of a zone with the same traffic each minute, as they are shown so many minutes late. */
function readAt(minute: number, lag: number) {
  const hours: Record<number, Counts> = {};
  for (let hour = 0; hour < minute; hour += 60)
    hours[hour * MINUTE] = times(one, Math.max(0, Math.min(60, minute - lag - hour)));
  return { at: minute * MINUTE, hours };
}

describe('counts of statistics', () => {
  test('a window has what was counted in it, however late statistics are', () => {
    const late = fc.property(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 8, max: 100 }), (lag, quarter) => {
      const before = readAt(quarter * 15, lag);
      const now = readAt(quarter * 15 + 15, lag);
      expect(windowOf(before, now, lag * MINUTE)).toEqual({
        from: (quarter * 15 - lag) * MINUTE,
        to: (quarter * 15 + 15 - lag) * MINUTE,
        counts: times(one, 15),
      });
      const seen = lagOf(before, now);
      if (seen !== undefined) expect(Math.abs(seen - lag * MINUTE)).toBeLessThan(MINUTE);
    });
    fc.assert(late);
  });

  test('the lag is seen once an hour', () => {
    const seen = [8, 9, 10, 11].map((quarter) => lagOf(readAt(quarter * 15, 10), readAt(quarter * 15 + 15, 10)));
    expect(seen).toEqual([10 * MINUTE, undefined, undefined, undefined]);
    expect(lagOf(readAt(150, 30), readAt(165, 30))).toBe(30 * MINUTE);
  });

  test('hours come of the charts, and misses of the hit rate where they are not counted', () => {
    const key = '2026-03-04T06:00:00Z';
    expect(
      hoursOf({
        RequestsServedChart: { [key]: 200 },
        CacheHitRateChart: { [key]: 90 },
        OriginResponseTimeChart: { [key]: 50 },
      }),
    ).toEqual({
      [Date.parse(key)]: { requests: 200, bandwidth: 0, pulls: 20, waited: 1000, errors4xx: 0, errors5xx: 0 },
    });
    expect(hoursOf({})).toEqual({});
  });
});
