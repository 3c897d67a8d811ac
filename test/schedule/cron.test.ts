import { describe, expect, it } from 'vitest';
import { nextSlots, slotsBetween } from '../../src/schedule/cron.ts';

const slots = (cron: string, timezone: string, from: string, to: string) =>
  [...slotsBetween(cron, timezone, Date.parse(from), Date.parse(to))].map((slot) =>
    new Date(slot).toISOString().slice(0, 16),
  );

describe('the slots of a schedule', () => {
  it('take a restricted day of the month or day of the week, and both where one has a star', () => {
    expect(slots('0 9 13 * 5', 'UTC', '2026-11-01', '2026-12-01')).toEqual([
      '2026-11-06T09:00',
      '2026-11-13T09:00',
      '2026-11-20T09:00',
      '2026-11-27T09:00',
    ]);
    expect(slots('0 9 */14 * 5', 'UTC', '2026-05-01', '2026-07-01')).toEqual([
      '2026-05-01T09:00',
      '2026-05-15T09:00',
      '2026-05-29T09:00',
    ]);
  });

  it('come once, at the end of the gap, for a fixed time that the spring skips', () => {
    expect(slots('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', '2027-03-29T12:00Z')).toEqual([
      '2027-03-28T01:00',
      '2027-03-29T00:30',
    ]);
    // Several skipped times and one at the end of the gap are one slot.
    expect(slots('0,30 2,3 * * *', 'Europe/Berlin', '2027-03-28T00:00Z', '2027-03-28T12:00Z')).toEqual([
      '2027-03-28T01:00',
      '2027-03-28T01:30',
    ]);
    expect(slots('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-03T16:00Z')).toEqual([
      '2026-10-03T15:30',
    ]);
  });

  it('come once for a fixed time that the autumn repeats', () => {
    expect(slots('30 2 * * *', 'Europe/Berlin', '2027-10-30T12:00Z', '2027-11-01T00:00Z')).toEqual([
      '2027-10-31T00:30',
    ]);
    expect(slots('45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z', '2026-04-04T18:00Z')).toEqual([
      '2026-04-04T14:45',
    ]);
  });

  it('follow real time where minute or hour begins with a star', () => {
    const hours = (from: string, to: string) => slots('0 * * * *', 'America/New_York', from, to).length;
    expect(hours('2026-03-08T04:59Z', '2026-03-09T03:59Z')).toBe(23);
    expect(hours('2026-11-01T03:59Z', '2026-11-02T04:59Z')).toBe(25);
    expect(slots('*/30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', '2027-03-28T12:00Z')).toEqual([]);
    expect(slots('*/30 2 * * *', 'Europe/Berlin', '2027-10-31T00:00Z', '2027-10-31T12:00Z')).toEqual([
      '2027-10-31T00:30',
      '2027-10-31T01:00',
      '2027-10-31T01:30',
    ]);
  });

  it('do not depend on where one begins to count', () => {
    const cron = '30 1,2 * * *';
    const [from, to] = [Date.parse('2027-10-30T00:00Z'), Date.parse('2027-11-02T00:00Z')];
    const whole = [...slotsBetween(cron, 'Europe/Berlin', from, to)];
    for (let cut = from; cut <= to; cut += 10 * 60_000) {
      const parts = [
        ...slotsBetween(cron, 'Europe/Berlin', from, cut),
        ...slotsBetween(cron, 'Europe/Berlin', cut, to),
      ];
      expect(parts).toEqual(whole);
    }
  });

  it('are found however far the next ones are', () => {
    expect(nextSlots('0 12 29 2 *', 'UTC', Date.parse('2097-01-01'), 1)).toEqual([Date.parse('2104-02-29T12:00Z')]);
    expect(nextSlots('*/15 * * * *', 'Asia/Kathmandu', 0, 5)).toHaveLength(5);
  });
});
