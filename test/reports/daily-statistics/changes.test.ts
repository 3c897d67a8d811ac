import { describe, expect, test } from 'vitest';
import { changesOf, movedTogether, usualFigure } from '../../../src/reports/daily-statistics/changes.ts';
import type { Series } from '../../../src/reports/daily-statistics/figures.ts';
import { changeInWords } from '../../../src/reports/daily-statistics/words.ts';
import type { Counts } from '../../../src/reports/statistics-watch/counts.ts';
import { UTC } from '../asking.ts';

/** Of each hour of an ordinary day. */
const ORDINARY: Counts = {
  requests: 1000,
  bandwidth: 500_000,
  pulls: 100,
  waited: 12_000,
  errors4xx: 20,
  errors5xx: 2,
};

type Hours = Partial<Counts> & { length?: number; from?: number; to?: number };

/** 29 days, the last of them at the end; `given` by how many days before the last, of all hours `from` one `to` another. */
function series(given: Record<number, Hours> = {}): Series {
  const days = Array.from({ length: 29 }, (_, index) => {
    const { length = 24, from = 0, to = length, ...other } = given[28 - index] ?? {};
    return Array.from({ length }, (_, hour) => ({ ...ORDINARY, ...(hour >= from && hour < to ? other : {}) }));
  });
  return { name: 'shop', days, hasErrors: true };
}

const always = (hours: (daysAgo: number) => Hours) =>
  Object.fromEntries(Array.from({ length: 29 }, (_, day) => [day, hours(day)]));
const none: Hours = { requests: 0, bandwidth: 0, pulls: 0, waited: 0, errors4xx: 0, errors5xx: 0 };
const times = (factor: number): Hours =>
  Object.fromEntries(Object.entries(ORDINARY).map(([name, value]) => [name, value * factor]));
const words = (given: Parameters<typeof series>[0]) =>
  changesOf(series(given), 0).map((change) => changeInWords(change, UTC));

describe('what changed', () => {
  test('is nothing on a day like others, and nothing where too little is known', () => {
    expect(words({})).toEqual([]);
    expect(changesOf({ ...series(), days: series().days.slice(-3) }, 0)).toEqual([]);
    expect(words({ 0: { requests: 1100, errors5xx: 4, pulls: 115 } })).toEqual([]);
  });

  test('is said with what is usual', () => {
    expect(words({ 0: { errors5xx: 10 } })).toEqual(['5xx +0.8 points to 1% of the requests (usually 0.2%)']);
    expect(words({ 0: { errors5xx: 12 } })).toEqual(['5xx +1 point to 1.2% of the requests (usually 0.2%)']);
    expect(words({ 0: { pulls: 400, waited: 48_000 } })).toEqual(['cache hit rate −30 points to 60% (usually 90%)']);
    expect(words({ 0: { waited: 90_000 } })).toEqual(['origin response time +650% to 900 ms (usually 120 ms)']);
    expect(words({ 0: none })).toEqual(['no requests (usually 24,000)']);
    expect(words({ 0: { bandwidth: 900_000 } })).toEqual(['bandwidth +80% to 21.6 MB (usually 12 MB)']);
  });

  test('is what happened in some hours too, and those are named with their own figures', () => {
    const change = (given: Hours) => changesOf(series({ 0: given }), 0);
    const [found, ...more] = change({ from: 2, to: 8, pulls: 250, waited: 30_000 });
    expect(more).toEqual([]);
    expect(found).toMatchObject({ measure: 'hit rate', span: { from: 2, to: 8 } });
    expect(changeInWords(found!, UTC)).toBe('cache hit rate −15 points to 75% (usually 90%)');
    expect(change({ ...times(2), from: 9, to: 15 })[0]).toMatchObject({
      measure: 'requests',
      span: { from: 9, to: 15 },
    });
    expect(change({ errors5xx: 12 })[0]!.span).toBeUndefined();
  });

  test('is not what a burst of an hour, or a deploy, does to a day', () => {
    expect(words({ 0: { from: 14, to: 15, requests: 4000, pulls: 900, waited: 108_000, errors4xx: 60 } })).toEqual([]);
  });

  test('is measured against the same weekday: a weekend is not a fall', () => {
    const weekends = Object.fromEntries([0, 1, 7, 8, 14, 15, 21, 22, 28].map((day) => [day, times(0.4)]));
    expect(words(weekends)).toEqual([]);
    expect(words({ ...weekends, 0: {} })).toEqual(['requests +150% to 24,000 (usually 9,600)']);
  });

  test('is measured against the same hours: a night is not a fall', () => {
    const nights = (last: Hours) => ({ ...always(() => ({ ...times(0.1), from: 0, to: 8 })), 0: last });
    expect(words(nights({ ...times(0.1), from: 0, to: 8 }))).toEqual([]);
    expect(words(nights({ ...times(0.1), from: 0, to: 16 }))).toEqual(['requests −90% to 800 (usually 8,000)']);
  });

  test('is not hidden, and not invented, by one odd week', () => {
    expect(words({ 7: { errors5xx: 90 } })).toEqual([]);
    expect(words({ 7: { errors5xx: 90 }, 0: { errors5xx: 10 } })).toHaveLength(1);
  });

  test('is less where a figure always jumps about', () => {
    const jumping = always((day) => ({ errors5xx: 2 + 15 * (day % 4) }));
    expect(words({ ...jumping, 0: { errors5xx: 60 } })).toEqual([]);
    const steady = always(() => ({ errors5xx: 24 }));
    expect(words({ ...steady, 0: { errors5xx: 60 } })).toHaveLength(1);
  });

  test('is told once: a new level is adopted, one that goes on rising is not', () => {
    expect(words({ 1: { errors5xx: 20 }, 0: { errors5xx: 21 } })).toEqual([]);
    expect(words({ 1: { errors5xx: 20 }, 0: { errors5xx: 90 } })).toHaveLength(1);
    expect(words({ 1: times(2), 0: times(2) })).toEqual([]);
  });

  test('is told on the day after another outage: what had ended was no level', () => {
    const outage = { errors5xx: 300, from: 9, to: 12 };
    expect(words({ 1: outage, 0: { ...outage, from: 14, to: 17 } })).toHaveLength(1);
    expect(words({ 1: { ...outage, to: 24 }, 0: { ...outage, from: 0, to: 8 } })).toEqual([]);
  });

  test('is none on the day after a holiday, and measured as ever then', () => {
    expect(words({ 1: times(0.3) })).toEqual([]);
    expect(words({ 1: times(0.3), 0: times(0.3) })).toEqual([]);
    expect(words({ 1: times(0.3), 0: times(0.1) })).toEqual(['requests −90% to 2,400 (usually 24,000)']);
  });

  test('is small and told where many more requests fail', () => {
    const busy = always(() => ({ ...times(200), errors5xx: 40 }));
    expect(words(busy)).toEqual([]);
    expect(words({ ...busy, 0: { ...times(200), errors5xx: 220 } })).toHaveLength(1);
  });

  test('is unknown in a zone that is new', () => {
    const young = always((day) => (day < 4 ? times(9) : none));
    expect(words({ ...young, 0: { ...times(9), pulls: 5000 } })).toEqual([]);
  });

  test('is said of all zones where all move together, as on a holiday', () => {
    const zones = [0.6, 0.65, 0.7, 0.62, 0.66].map((factor) => series({ 0: times(factor) }));
    const together = movedTogether(zones);
    expect(together).toBeCloseTo(0.65, 2);
    expect(zones.flatMap((zone, index) => changesOf(zone, index, together))).toEqual([]);
    expect(movedTogether([...zones.slice(0, 2), series(), series(), series()])).toBe(1);
  });

  test('is none where clocks were changed, or were not while those of the report were', () => {
    const dayAt = (by: number, factor = 1) =>
      Array.from({ length: 24 }, (_, hour) => {
        const busy = factor * Math.exp(2.5 * Math.sin(((hour + by) / 12) * Math.PI));
        return { ...ORDINARY, ...times(busy) };
      });
    const told = (...days: Counts[][]) => {
      const shop = { ...series(), days: [...Array.from({ length: 29 - days.length }, () => dayAt(0)), ...days] };
      return changesOf(shop, 0).map((change) => changeInWords(change, UTC));
    };
    expect(told(dayAt(1))).toEqual([]);
    expect(told(dayAt(-1), dayAt(-1), dayAt(-1))).toEqual([]);
    expect(told(dayAt(1, 0.5))).toEqual([expect.stringMatching(/^requests −(49|50)[.\d]*% to/)]);
  });

  test('is none on a day of 23 or 25 hours with traffic as ever', () => {
    expect(words({ 0: { length: 25 } })).toEqual([]);
    expect(words({ 0: { length: 23 } })).toEqual([]);
    expect(usualFigure(series({ 0: { length: 23 } }), 'requests')).toBeCloseTo(23_000, 6);
    expect(usualFigure(series({ 0: { length: 25 } }), 'requests')).toBeCloseTo(25_000, 6);
    expect(words({ 0: { length: 23, ...times(2) } })).toContain('requests +100% to 46,000 (usually 23,000)');
  });
});
