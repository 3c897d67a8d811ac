import { DAY, HOUR, MINUTE } from '../time.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
    formats.set(timezone, format);
  }
  return format;
}

export function isTimezone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds. */
export function offsetAt(timezone: string, instant: number): number {
  // `11/27/2026, GMT-03:30`, or `GMT` alone.
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(formatOf(timezone).format(instant)) ?? [];
  return Number(`${sign ?? ''}1`) * (Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * MINUTE);
}

/** When a clock in that time zone shows this, in order: twice if it is put back, and never if it is put forward over it. */
export function instantsOf(wall: number, timezone: string): number[] {
  const [before, after] = [wall - DAY, wall + DAY].map((near) => wall - offsetAt(timezone, near)) as [number, number];
  const shown = [...new Set([before, after])].sort((one, other) => one - other);
  const exact = shown.filter((instant) => instant + offsetAt(timezone, instant) === wall);
  return exact.length > 0 ? exact : [before];
}
