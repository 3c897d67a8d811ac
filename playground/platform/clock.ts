/** Milliseconds of an hour. */
export const HOUR = 3_600_000;
/** Milliseconds of a day. */
export const DAY = 24 * HOUR;

/** The start of the UTC day that the instant (milliseconds) lies in. */
export const startOfDay = (instant: number): number => Math.floor(instant / DAY) * DAY;

/** The start of the UTC hour that the instant (milliseconds) lies in. */
export const startOfHour = (instant: number): number => Math.floor(instant / HOUR) * HOUR;

/** The key of a chart: `2026-06-10T00:00:00Z`. */
export const chartKey = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`;

/** The same day and time `months` earlier; a day that the month lacks becomes its last. */
export function monthsBefore(instant: number, months: number): number {
  const date = new Date(instant);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}
