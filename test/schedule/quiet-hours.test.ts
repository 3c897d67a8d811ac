import { describe, expect, it } from 'vitest';
import { parseQuietHours, quietUntil } from '../../src/schedule/quiet-hours.ts';

const until = (hours: string, timezone: string, at: string) => {
  const end = quietUntil(parseQuietHours(hours), timezone, Date.parse(at));
  return end === undefined ? undefined : new Date(end).toISOString().slice(0, 16);
};

describe('quiet hours', () => {
  it('may go over midnight, and end by the local clocks', () => {
    expect(until('22:00-07:00', 'Europe/Berlin', '2026-11-21T20:59Z')).toBeUndefined();
    expect(until('22:00-07:00', 'Europe/Berlin', '2026-11-21T21:00Z')).toBe('2026-11-22T06:00');
    expect(until('22:00-07:00', 'Europe/Berlin', '2026-11-22T05:59Z')).toBe('2026-11-22T06:00');
    expect(until('22:00-07:00', 'Europe/Berlin', '2026-11-22T06:00Z')).toBeUndefined();
    expect(until('12-13', 'UTC', '2026-11-22T12:30Z')).toBe('2026-11-22T13:00');
  });

  it('end at the end of the gap when the spring skips their end', () => {
    expect(until('22:00-02:30', 'Europe/Berlin', '2027-03-27T23:00Z')).toBe('2027-03-28T01:00');
  });

  it.each(['', '22:00', '25:00-07:00', '22:60-07:00', '07:00-07:00', 'nights'])('“%s” are none', (text) => {
    expect(() => parseQuietHours(text)).toThrow(/not quiet hours/);
  });
});
