/** All durations are in milliseconds. */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** `30m`, `6h`, `1d`, `2w` */
export const UNITS = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY } as const;

/** `30m`, `2 hours`, `1h30m`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  let length: number | undefined;
  const rest = text.replace(
    /(\d{1,5}) ?(m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z]) ?/gi,
    (_, count, unit) => {
      length = (length ?? 0) + Number(count) * UNITS[unit[0].toLowerCase() as keyof typeof UNITS];
      return '';
    },
  );
  return rest === '' ? length : undefined;
}

/** In UTC: `2026-11-20` */
export const isoDay = (moment: Date): string => moment.toISOString().slice(0, 10);

/** In UTC; undefined for no such day (02-30). Years from 1000. */
export function dayOf(year: number, month: number, day: number): Date | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date : undefined;
}

/** Returns false if `limit` passes first. The work goes on. */
export async function within(limit: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limit);
  });
  const isEnded = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isEnded;
}

/** Rejects with the signal’s reason at once. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
