import { describe, expect, test } from 'vitest';
import {
  changeInWords,
  changesOf,
  movedTogether,
  type Series,
  usualOf,
} from '../../../src/reports/daily-statistics/changes.ts';
import type { DayFigures } from '../../../src/reports/daily-statistics/figures.ts';
import { UTC } from '../asking.ts';

const ORDINARY: DayFigures = {
  requests: 10_000,
  bandwidth: 5e6,
  hitRate: 90,
  originTraffic: 1e6,
  originResponse: 120,
  pulled: 1000,
  errors3xx: 500,
  errors4xx: 200,
  errors5xx: 20,
};

/** 29 days, the last of them at the end; `given` by how many days before the last. */
function series(given: Record<number, Partial<DayFigures> & { hours?: number }> = {}): Series {
  const days = Array.from({ length: 29 }, (_, index) => ({ ...ORDINARY, hours: 24, ...given[28 - index] }));
  return { name: 'shop', days };
}

const words = (given: Parameters<typeof series>[0]) =>
  changesOf(series(given), 0).map((change) => changeInWords(change, UTC));

describe('what changed', () => {
  test('is nothing on a day like others, and nothing where too little is known', () => {
    expect(words({})).toEqual([]);
    expect(changesOf({ name: 'new', days: series().days.slice(-3) }, 0)).toEqual([]);
    expect(words({ 0: { requests: 12_000, errors5xx: 40, hitRate: 88, originResponse: 135 } })).toEqual([]);
  });

  test('is said with what is usual', () => {
    expect(words({ 0: { errors5xx: 100 } })).toEqual(['5xx +0.8 points to 1% of the requests (usually 0.2%)']);
    expect(words({ 0: { errors5xx: 120 } })).toEqual(['5xx +1 point to 1.2% of the requests (usually 0.2%)']);
    expect(words({ 0: { hitRate: 60 } })).toEqual(['cache hit rate −30 points to 60% (usually 90%)']);
    expect(words({ 0: { originResponse: 900 } })).toEqual(['origin response time +650% to 900 ms (usually 120 ms)']);
    expect(words({ 0: { requests: 0, bandwidth: 0 } })).toEqual(['no requests (usually 10,000)']);
    expect(words({ 0: { bandwidth: 9e6 } })).toEqual(['bandwidth +80% to 9 MB (usually 5 MB)']);
  });

  test('is measured against the same weekday: a weekend is not a fall', () => {
    const weekends = Object.fromEntries([0, 1, 7, 8, 14, 15, 21, 22, 28].map((day) => [day, { requests: 4000 }]));
    expect(words(weekends)).toEqual([]);
    expect(words({ ...weekends, 0: { requests: 10_000 } })).toEqual(['requests +150% to 10,000 (usually 4,000)']);
  });

  test('is not hidden, and not invented, by one odd week', () => {
    expect(words({ 7: { errors5xx: 900 } })).toEqual([]);
    expect(words({ 7: { errors5xx: 900 }, 0: { errors5xx: 100 } })).toHaveLength(1);
  });

  test('is less where a figure always jumps about', () => {
    const jumping = Object.fromEntries(
      Array.from({ length: 29 }, (_, day) => [day, { errors5xx: 20 + 150 * (day % 4) }]),
    );
    expect(words({ ...jumping, 0: { errors5xx: 600 } })).toEqual([]);
  });

  test('is told once: a new level is adopted, one that goes on rising is not', () => {
    expect(words({ 1: { errors5xx: 200 }, 0: { errors5xx: 210 } })).toEqual([]);
    expect(words({ 1: { errors5xx: 200 }, 0: { errors5xx: 900 } })).toHaveLength(1);
    expect(words({ 1: { requests: 20_000 }, 0: { requests: 20_000 } })).toEqual([]);
  });

  test('is small and told where many more requests fail', () => {
    const busy = Object.fromEntries(
      Array.from({ length: 29 }, (_, day) => [day, { requests: 4_400_000, errors5xx: 900 }]),
    );
    expect(words(busy)).toEqual([]);
    expect(words({ ...busy, 0: { requests: 4_400_000, errors5xx: 5300 } })).toHaveLength(1);
  });

  test('is unknown in a zone that is new', () => {
    const young = Object.fromEntries(Array.from({ length: 25 }, (_, day) => [day + 4, { requests: 0, bandwidth: 0 }]));
    expect(words({ ...young, 0: { requests: 90_000, hitRate: 40 } })).toEqual([]);
  });

  test('is said of all zones where all move together, as on a holiday', () => {
    const zones = [0.6, 0.65, 0.7, 0.62, 0.66].map((factor) =>
      series({
        0: { requests: 10_000 * factor, bandwidth: 5e6 * factor, errors4xx: 200 * factor, errors5xx: 20 * factor },
      }),
    );
    const together = movedTogether(zones);
    expect(together).toBeCloseTo(0.65, 2);
    expect(zones.flatMap((zone, index) => changesOf(zone, index, together))).toEqual([]);
    expect(movedTogether([...zones.slice(0, 2), series(), series(), series()])).toBe(1);
  });

  test('is none on a day of 23 or 25 hours with traffic as ever', () => {
    const { median } = usualOf(series({ 0: { hours: 25 } }), (day) => day.requests, true)!;
    expect(median).toBeCloseTo((10_000 * 25) / 24, 6);
    expect(words({ 0: { hours: 12, requests: 5000, bandwidth: 2.5e6, errors4xx: 100 } })).toEqual([]);
    expect(words({ 0: { hours: 12 } })).toContain('requests +100% to 10,000 (usually 5,000)');
  });
});
