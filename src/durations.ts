/** A minute, in milliseconds as all lengths of time. */
export const MINUTE = 60_000;
/** An hour. */
export const HOUR = 60 * MINUTE;
/** A day of 24 hours. */
export const DAY = 24 * HOUR;

/** The letters that people write behind a number: `30m`, `6h`, `1d`, `2w`. */
export const UNITS = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY } as const;

const DURATION = /^(\d{1,5})([mhdw])$/i;

/** `30m`, `6h`, `1d`, `2w` → milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  return unit === undefined ? undefined : Number(count) * UNITS[unit.toLowerCase() as keyof typeof UNITS];
}
