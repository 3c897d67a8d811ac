/** A minute, in milliseconds as all lengths of time. */
export const MINUTE = 60_000;
/** An hour. */
export const HOUR = 60 * MINUTE;
/** A day of 24 hours. */
export const DAY = 24 * HOUR;

/** The letters that people write behind a number: `30m`, `6h`, `1d`, `2w`. */
export const UNITS = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY } as const;

/** `30m`, `6h`, `1d`, `2w` → milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/i.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * UNITS[unit.toLowerCase() as keyof typeof UNITS];
}

/** The day of a moment in UTC: `2026-11-20`. */
export const isoDay = (moment: Date): string => moment.toISOString().slice(0, 10);

/** The start in UTC of a day as people write it; undefined when the calendar has no such day (02-30). Years from 1000. */
export function dayOf(year: number, month: number, day: number): Date | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date : undefined;
}
