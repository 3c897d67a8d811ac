import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysLeft, fewestDays, spentADay } from '../../src/platform/spending.ts';

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
    expect(daysLeft(history(10, 20, 30), { at: 2 * DAY, left: 30 })).toBeUndefined();
  });

  it('times the days that are left is what is left, in any steady history', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 30 }), fc.double({ min: 0.01, max: 1e4, noNaN: true }), (days, rate) => {
        const points = Array.from({ length: days + 1 }, (_, day) => ({ at: day * DAY, left: rate * (days - day + 5) }));
        expect(daysLeft(points, points.at(-1)!)).toBeCloseTo(5, 4);
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
    expect(daysLeft(history(3, 2, 1, 0), { at: 3 * DAY, left: 0 })).toBe(0);
    expect(daysLeft(history(5, 5, 5, 5), { at: 3 * DAY, left: 5 })).toBe(Number.POSITIVE_INFINITY);
  });
});
