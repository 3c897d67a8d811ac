import { describe, expect, test } from 'vitest';
import { wholeDaysBefore } from '../../../src/reports/daily-statistics/days.ts';
import { figuresOf, seriesOf } from '../../../src/reports/daily-statistics/figures.ts';
import { hoursOf } from '../../../src/reports/statistics-watch/counts.ts';

describe('whole days', () => {
  test('are those of the zone, and the last is over', () => {
    const days = wholeDaysBefore(new Date('2026-11-21T09:00:00Z'), 2, 'America/New_York');
    expect(days).toEqual([
      {
        date: '2026-11-19',
        from: new Date('2026-11-19T05:00:00Z'),
        to: new Date('2026-11-20T05:00:00Z'),
        hours: 24,
      },
      {
        date: '2026-11-20',
        from: new Date('2026-11-20T05:00:00Z'),
        to: new Date('2026-11-21T05:00:00Z'),
        hours: 24,
      },
    ]);
  });

  test.each([
    ['Europe/Berlin', '2026-03-30T07:00:00Z', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-26T08:00:00Z', '2026-10-25', 25],
    ['Australia/Lord_Howe', '2026-10-05T00:00:00Z', '2026-10-04', 23.5],
    ['Australia/Lord_Howe', '2026-04-05T23:00:00Z', '2026-04-05', 24.5],
    ['Asia/Kathmandu', '2026-06-02T03:00:00Z', '2026-06-01', 24],
    // The clocks skip midnight itself.
    ['Africa/Cairo', '2026-04-25T06:00:00Z', '2026-04-24', 23],
  ])('of %s before %s end with %s, which has %f hours', (timezone, now, date, hours) => {
    const days = wholeDaysBefore(new Date(now), 3, timezone);
    expect(days.at(-1)).toMatchObject({ date, hours });
    expect(days[0]!.to).toEqual(days[1]!.from);
    expect(days[1]!.to).toEqual(days[2]!.from);
  });
});

describe('the platform', () => {
  test('has its hours added up by local days, means by their weights', () => {
    const days = wholeDaysBefore(new Date('2026-10-26T08:00:00Z'), 1, 'Europe/Berlin');
    const chart = (value: (hour: number) => number) =>
      Object.fromEntries(
        Array.from({ length: 27 }, (_, hour) => [
          `${new Date(Date.parse('2026-10-24T21:00:00Z') + hour * 3_600_000).toISOString().slice(0, 19)}Z`,
          value(hour),
        ]),
      );
    const hours = hoursOf({
      RequestsServedChart: chart((hour) => (hour === 1 ? 300 : 4)),
      CacheHitRateChart: chart((hour) => (hour === 1 ? 80 : 20)),
    });
    const series = seriesOf('shop', hours, days);
    const figures = figuresOf(series.days[0]!, series);
    expect(figures.requests).toBe(300 + 24 * 4);
    expect(figures.hitRate).toBeCloseTo((80 * 300 + 20 * 96) / 396, 6);
    expect(figures.errors5xx).toBeUndefined();
  });

  test('has an hour on its edge where the greater half of that is', () => {
    const days = wholeDaysBefore(new Date('2026-10-26T08:00:00Z'), 2, 'Asia/Kolkata');
    const at = (time: string) => Date.parse(time);
    const counts = { requests: 1, bandwidth: 0, pulls: 0, waited: 0, errors4xx: 0, errors5xx: 0 };
    // Midnight there is half past six in the evening.
    const hours = { [at('2026-10-24T18:00:00Z')]: counts, [at('2026-10-25T17:00:00Z')]: counts };
    const [, day] = seriesOf('shop', hours, days).days;
    expect(day!.map((hour) => hour?.requests ?? 0)).toEqual([1, ...Array(22).fill(0), 1]);
  });
});
