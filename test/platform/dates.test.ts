import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import {
  checkLogDay,
  checkLogRange,
  checkStatisticsRange,
  HOURLY_TOO_OLD,
  STATISTICS_TOO_OLD,
} from '../../src/platform/dates.ts';

const now = new Date('2026-11-21T12:00:00Z');
const DAY = 86_400_000;
const ago = (days: number) => new Date(now.getTime() - days * DAY);

type Query = Parameters<typeof checkStatisticsRange>[0];

function complaintAbout(query: Query, of: 'account' | 'zone' = 'account'): string | undefined {
  try {
    checkStatisticsRange(query, { of, now });
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

describe('statistics ranges', () => {
  it('has both messages of the specification word for word', () => {
    expect(HOURLY_TOO_OLD).toBe('Cannot request hourly statistics older than 30 days. Use daily granularity instead.');
    expect(STATISTICS_TOO_OLD).toBe('Cannot request statistics older than 1 year.');
  });

  it.each<[string, Query]>([
    ['no dates', {}],
    ['no dates, hourly', { hourly: true }],
    ['an end alone', { dateTo: ago(1) }],
    ['a start alone', { dateFrom: ago(20) }],
    ['exactly 40 days', { dateFrom: ago(50), dateTo: ago(10) }],
    ['40 days and some hours, which the platform decides', { dateFrom: ago(50.9), dateTo: ago(10) }],
    ['hourly, 30 days and some hours back', { dateFrom: ago(30.9), hourly: true }],
    ['a year and some hours back', { dateFrom: ago(365.9), dateTo: ago(340) }],
    ['a start later on this day', { dateFrom: new Date('2026-11-21T18:00:00Z') }],
    ['the latest of one day', { dateFrom: ago(500), dateTo: ago(499), loadLatest: true }],
    ['an exact range with hours', { dateFrom: ago(1), dateTo: ago(0.5), hourly: true, exactRange: true }],
  ])('leaves %s to the platform', (_, query) => {
    expect(complaintAbout(query)).toBeUndefined();
  });

  it.each<[string, Query, string | RegExp]>([
    ['hourly older than 30 days', { dateFrom: ago(31.1), dateTo: ago(30), hourly: true }, HOURLY_TOO_OLD],
    ['daily older than a year', { dateFrom: ago(366.1), dateTo: ago(350) }, STATISTICS_TOO_OLD],
    [
      'hourly older than a year by the first message',
      { dateFrom: ago(400), dateTo: ago(399), hourly: true },
      HOURLY_TOO_OLD,
    ],
    ['more than 40 days', { dateFrom: ago(60), dateTo: ago(10) }, /40 days/],
    ['a start alone more than 40 days back', { dateFrom: ago(60) }, /40 days/],
    ['an end before the start', { dateFrom: ago(1), dateTo: ago(2) }, /ends before/],
    ['a start in the future', { dateFrom: ago(-3) }, /future/],
    ['an exact range without hours, saying why', { dateFrom: ago(1), exactRange: true }, /hourly.*whole days/],
    ['the latest without dates', { loadLatest: true }, /both dates/],
    ['the latest with one date', { loadLatest: true, dateFrom: ago(1) }, /both dates/],
    ['the latest of more than one day', { loadLatest: true, dateFrom: ago(3), dateTo: ago(1) }, /1 day/],
  ])('refuses %s', (_, query, message) => {
    expect(complaintAbout(query)).toMatch(message);
  });

  it('knows 40 days and nothing less of the zones’ statistics', () => {
    const query = { dateFrom: ago(200), dateTo: ago(1) };
    expect(complaintAbout(query, 'zone')).toBeUndefined();
    expect(complaintAbout(query, 'account')).toMatch(/40 days/);
    expect(complaintAbout({ dateFrom: ago(400) }, 'zone')).toBe(STATISTICS_TOO_OLD);
    expect(complaintAbout({ dateFrom: ago(40), hourly: true }, 'zone')).toBe(HOURLY_TOO_OLD);
  });

  it('counts a year by the calendar, also from 29 February', () => {
    const leap = new Date('2028-02-29T12:00:00Z');
    const check = (from: string) => () =>
      checkStatisticsRange({ dateFrom: new Date(from), dateTo: leap }, { of: 'zone', now: leap });
    expect(check('2027-03-01T00:00:00Z')).not.toThrow();
    expect(check('2027-02-27T00:00:00Z')).toThrow(STATISTICS_TOO_OLD);
  });

  it('names the argument at fault', () => {
    const argument = (query: Query) => {
      try {
        checkStatisticsRange(query, { of: 'account', now });
      } catch (error) {
        if (error instanceof UsageError) return error.argument;
      }
      return undefined;
    };
    expect(argument({ dateFrom: ago(400) })).toBe('from');
    expect(argument({ dateFrom: ago(1), dateTo: ago(2) })).toBe('to');
    expect(argument({ exactRange: true })).toBe('exactRange');
    expect(argument({ loadLatest: true })).toBe('loadLatest');
  });
});

describe('the retention of access logs', () => {
  it('refuses what is older than three days, and names the retention', () => {
    expect(() => checkLogRange({ from: ago(3.1) }, now)).toThrow(/kept for 3 days/);
    expect(() => checkLogRange({ to: ago(3.1) }, now)).toThrow(/kept for 3 days/);
    expect(() => checkLogRange({ from: ago(2.9) }, now)).not.toThrow();
    expect(() => checkLogRange({}, now)).not.toThrow();
  });

  it('refuses ranges that are turned round or have not begun', () => {
    expect(() => checkLogRange({ from: ago(1), to: ago(2) }, now)).toThrow(/ends before/);
    expect(() => checkLogRange({ from: ago(-1) }, now)).toThrow(/future/);
  });

  it('takes a day while some of it is left, and none that has not begun', () => {
    expect(() => checkLogDay(new Date('2026-11-18'), now)).not.toThrow();
    expect(() => checkLogDay(new Date('2026-11-21'), now)).not.toThrow();
    expect(() => checkLogDay(new Date('2026-11-17'), now)).toThrow(/kept for 3 days.*2026-11-17/);
    expect(() => checkLogDay(new Date('2026-11-22'), now)).toThrow(/not begun/);
  });
});
