import { describe, expect, test } from 'vitest';
import { wholeDaysBefore } from '../../../src/reports/daily-statistics/days.ts';
import { daysQuery, figuresOf } from '../../../src/reports/daily-statistics/figures.ts';

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
  const now = new Date('2026-11-21T09:00:00Z');

  test('is asked for whole days where they are its own, up to the end of the last', () => {
    const { query, days } = daysQuery(wholeDaysBefore(now, 29, 'UTC'), 'UTC', now);
    expect(days).toHaveLength(29);
    expect(query).toEqual({ dateFrom: new Date('2026-10-23T00:00:00Z'), dateTo: new Date('2026-11-20T23:59:59Z') });
  });

  test('is asked for hours, exactly, for days of another zone, and never for hours older than 30 days', () => {
    const days = wholeDaysBefore(now, 29, 'Asia/Kathmandu');
    expect(daysQuery(days, 'Asia/Kathmandu', now).query).toEqual({
      dateFrom: new Date('2026-10-22T18:15:00Z'),
      dateTo: new Date('2026-11-20T18:15:00Z'),
      hourly: true,
      exactRange: true,
    });
    const late = new Date('2026-11-24T09:00:00Z');
    expect(daysQuery(days, 'Asia/Kathmandu', late).days[0]!.date).toBe('2026-10-26');
  });

  test('has its hours added up by local days, means by their weights', () => {
    const [day] = wholeDaysBefore(new Date('2026-10-26T08:00:00Z'), 1, 'Europe/Berlin');
    const hours = Array.from(
      { length: 27 },
      (_, hour) => new Date(Date.parse('2026-10-24T21:00:00Z') + hour * 3_600_000),
    );
    const chart = (value: (hour: number) => number) =>
      Object.fromEntries(hours.map((at, index) => [`${at.toISOString().slice(0, 19)}Z`, value(index)]));
    const figures = figuresOf(
      {
        RequestsServedChart: chart((hour) => (hour === 1 ? 300 : 4)),
        CacheHitRateChart: chart((hour) => (hour === 1 ? 80 : 20)),
      },
      day!,
      true,
    );
    expect(figures.requests).toBe(300 + 24 * 4);
    expect(figures.hitRate).toBeCloseTo((80 * 300 + 20 * 96) / 396, 6);
    expect(figures.errors5xx).toBeUndefined();
  });
});
