import { HOUR, MINUTE } from '../time.ts';

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
