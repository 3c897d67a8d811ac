import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fewestDays, lasting, spentADay } from '../../src/platform/spending.ts';

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
    expect(lasting(history(10, 20, 30), { at: 2 * DAY, left: 30 }).days).toBeUndefined();
  });

  it('times the days that are left is what is left, in any steady history', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 30 }), fc.double({ min: 0.01, max: 1e4, noNaN: true }), (days, rate) => {
        const points = Array.from({ length: days + 1 }, (_, day) => ({ at: day * DAY, left: rate * (days - day + 5) }));
        expect(lasting(points, points.at(-1)!).days).toBeCloseTo(5, 4);
      }),
    );
  });
});

describe('the fewest days', () => {
  it('stay the fewest while nobody pays in, even if less is spent, and begin anew when somebody does', () => {
    const fallen = [60, 50, 40, 30, 20, 19, 18, 17, 16, 15];
    const days = (count: number, ...more: number[]) => fewestDays(history(...fallen.slice(0, count), ...more))!;
    expect(days(5)).toBeCloseTo(2);
    expect(days(10)).toBeLessThanOrEqual(days(5));
    expect(days(10, 200)).toBeGreaterThan(20);
  });

  it('never rise from one day to the next without a payment', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 4, maxLength: 30 }), (spent) => {
        const points = spent.map((_, day) => ({
          at: day * DAY,
          left: spent.slice(day).reduce((sum, one) => sum + one, 10),
        }));
        let last = Number.POSITIVE_INFINITY;
        for (let count = 1; count <= points.length; count += 1) {
          const fewest = fewestDays(points.slice(0, count)) ?? last;
          expect(fewest).toBeLessThanOrEqual(last);
          last = fewest;
        }
      }),
    );
  });

  it('are none in an account that has nothing left', () => {
    expect(lasting(history(3, 2, 1, 0), { at: 3 * DAY, left: 0 }).days).toBe(0);
    expect(lasting(history(5, 5, 5, 5), { at: 3 * DAY, left: 5 }).days).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('what the beginning of a month costs by itself', () => {
  /** Ten a day, and fifty on 1 February. Day 31 is the 1st. */
  const points = (until: number) =>
    Array.from({ length: until + 1 }, (_, day) => ({ at: day * DAY + 1, left: 700 - 10 * day - (day >= 31 ? 50 : 0) }));
  const at = (day: number) => lasting(points(day), points(day).at(-1)!);

  it('is not spent again each day of the week after', () => {
    expect(at(33)).toMatchObject({ aDay: expect.closeTo(10), monthly: expect.closeTo(50) });
    expect(at(33).days).toBeCloseTo(27);
  });

  it('is expected at the beginning of the next month, if that comes before nothing is left', () => {
    // On 17 February 180 are left: 120 until March, and 50 at once.
    expect(at(47).days).toBeCloseTo(13);
    expect(lasting(points(47), { at: 47 * DAY + 1, left: 100 }).days).toBeCloseTo(10);
    expect(lasting(points(47), { at: 47 * DAY + 1, left: 150 }).days).toBeCloseTo(12);
  });

  it('is nothing in an account that spends the same each day, whatever the month', () => {
    const steady = Array.from({ length: 40 }, (_, day) => ({ at: day * DAY, left: 700 - 10 * day }));
    expect(lasting(steady, steady.at(-1)!)).toMatchObject({ monthly: 0, days: expect.closeTo(31) });
  });
});
