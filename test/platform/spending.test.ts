import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lasting, spentADay } from '../../src/platform/spending.ts';

const DAY = 86_400_000;
/** A point a day, from these amounts. */
const history = (...amounts: number[]) => amounts.map((left, day) => ({ at: day * DAY, left }));

describe('what is spent a day', () => {
  it('is the mean of the week before, whatever was spent earlier', () => {
    expect(spentADay(history(500, 400, 300, 100, 98, 96, 94, 92, 90, 88, 86), 10 * DAY)).toBeCloseTo(2);
  });

  it('leaves out the days on which somebody paid in', () => {
    expect(spentADay(history(10, 8, 6, 104, 102, 100), 5 * DAY)).toBeCloseTo(2);
  });

  it('is not known from less than two days', () => {
    expect(spentADay(history(10, 8), DAY)).toBeUndefined();
    expect(spentADay([], 0)).toBeUndefined();
    expect(lasting(history(10, 20, 30), { at: 2 * DAY, left: 30 }).days).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });

  it('is known from the days before where what is left is not', () => {
    expect(lasting(history(100, 98, 96, 94), { at: 4 * DAY, left: Number.NaN }).aDay).toBeCloseTo(2);
  });

  it('times the days that are left is what is left, in any steady history', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 30 }), fc.double({ min: 0.01, max: 1e4, noNaN: true }), (days, rate) => {
        const points = Array.from({ length: days + 1 }, (_, day) => ({ at: day * DAY, left: rate * (days - day + 5) }));
        const { days: left } = lasting(points, points.at(-1)!);
        expect(left).toEqual([expect.closeTo(5, 4), expect.closeTo(5, 4), expect.closeTo(5, 4)]);
      }),
    );
  });
});

describe('the days that are left', () => {
  it('are a range where the last three weeks differ by more than a fifth, a tenth wider than they are', () => {
    // Two weeks at 10 a day, and one at 20; ten days of 20 are left.
    const weeks = (last: number) =>
      Array.from({ length: 23 }, (_, day) => ({
        at: day * DAY,
        left: 200 + last * Math.min(7, 22 - day) + 10 * Math.max(0, 15 - day),
      }));
    const [uneven, even] = [20, 11].map((last) => lasting(weeks(last), { at: 22 * DAY + 1, left: 200 }));
    expect(uneven?.days).toEqual([expect.closeTo(200 / 22), expect.closeTo(10), expect.closeTo(22)]);
    expect(new Set(even?.days)).toEqual(new Set([expect.closeTo(200 / 11)]));
  });

  it('are the same at any hour: a night costs less than a day', () => {
    // Nothing is spent from midnight to noon.
    const midnights = history(100, 90, 80, 70, 60, 50, 40, 30, 20);
    const at = (hour: number) => lasting(midnights, { at: (8 + hour / 24) * DAY, left: 20 }).days[0];
    expect(at(9)).toBeCloseTo(at(0.1));
  });

  it('are none in an account that has nothing left', () => {
    expect(lasting(history(3, 2, 1, 0), { at: 3 * DAY, left: 0 }).days).toEqual([0, 0, 0]);
    const never = Number.POSITIVE_INFINITY;
    expect(lasting(history(5, 5, 5, 5), { at: 3 * DAY, left: 5 }).days).toEqual([never, never, never]);
  });
});

describe('what the beginning of a month costs by itself', () => {
  /** Ten a day, and fifty on 1 February. Day 31 is the 1st. */
  const points = (until: number) =>
    Array.from({ length: until + 1 }, (_, day) => ({ at: day * DAY + 1, left: 700 - 10 * day - (day >= 31 ? 50 : 0) }));
  const at = (day: number) => lasting(points(day), points(day).at(-1)!);

  it('is not spent again each day of the week after', () => {
    expect(at(33)).toMatchObject({ aDay: expect.closeTo(10), monthly: expect.closeTo(50) });
    expect(at(33).days[0]).toBeCloseTo(27);
  });

  it('is expected at the beginning of the next month, if that comes before nothing is left', () => {
    // On 17 February 180 are left: 120 until March, and 50 at once.
    expect(at(47).days[0]).toBeCloseTo(13);
    expect(lasting(points(47), { at: 47.5 * DAY, left: 100 }).days[0]).toBeCloseTo(10);
    expect(lasting(points(47), { at: 47.5 * DAY, left: 150 }).days[0]).toBeCloseTo(11.5);
  });

  it('is known on the 1st, before the day is over, and not when it has only begun to come', () => {
    // At midnight and some minutes a tenth of it has come; at nine all has.
    const until = [...points(30), { at: 31 * DAY + 60_000, left: 385 }];
    expect(lasting(until, { at: 31.4 * DAY, left: 336 })).toMatchObject({
      aDay: expect.closeTo(10),
      monthly: expect.closeTo(50, 0),
    });
  });

  it('is nothing in an account that spends the same each day, whatever the month', () => {
    const steady = Array.from({ length: 40 }, (_, day) => ({ at: day * DAY, left: 700 - 10 * day }));
    expect(lasting(steady, steady.at(-1)!)).toMatchObject({
      monthly: 0,
      days: [expect.closeTo(31), expect.closeTo(31), expect.closeTo(31)],
    });
  });
});
