import { UsageError } from '../errors.ts';
import { DAY, dayOf, isoDay, MINUTE } from '../time.ts';

/** The platform's own words, which the bot says too (docs/platform.md, Statistics errors). */
export const HOURLY_TOO_OLD = 'Cannot request hourly statistics older than 30 days. Use daily granularity instead.';
/** The platform's own words. */
export const STATISTICS_TOO_OLD = 'Cannot request statistics older than 1 year.';

/** How far back and how long statistics go, in days (docs/platform.md, Statistics ranges). */
export const STATISTICS_LIMITS = { hourlyAge: 30, range: 40, latestRange: 1 } as const;

/** How long access logs are kept, in days (docs/platform.md, Retention). */
export const LOG_RETENTION_DAYS = 3;

/** The platform rounds to whole days of its own: it decides about all that is beyond a limit by less than a day. */
const LEFT_TO_PLATFORM = DAY;

const isBeyond = (milliseconds: number, limit: number) => milliseconds - limit >= LEFT_TO_PLATFORM;

/** ISO 8601 in UTC, without milliseconds where there are none. Source: docs/platform.md, Dates on the wire. */
export function toWireInstant(date: Date): string {
  return date.toISOString().replace('.000Z', 'Z');
}

function oneYearBefore(now: Date): number {
  const before = new Date(now);
  before.setUTCFullYear(before.getUTCFullYear() - 1);
  return before.getTime();
}

/**
 * Refuses what the statistics of the account or of a zone cannot answer, by throwing `UsageError`. Looks at the instants as they were typed; no dates, no complaint.
 */
export function checkStatisticsRange(
  query: {
    dateFrom?: Date | undefined;
    dateTo?: Date | undefined;
    hourly?: boolean | undefined;
    exactRange?: boolean | undefined;
    loadLatest?: boolean | undefined;
  },
  { of, now }: { of: 'account' | 'zone'; now: Date },
): void {
  const { dateFrom, dateTo, hourly, exactRange, loadLatest } = query;
  for (const [date, argument] of [[dateFrom, 'from'] as const, [dateTo, 'to'] as const]) {
    if (date && Number.isNaN(date.getTime())) throw new UsageError('This is not a date.', { argument });
  }
  if (exactRange && !hourly) {
    throw new UsageError(
      'An exact range works with hourly statistics only: with daily ones the platform returns whole days.',
      { hint: 'Add `--hourly`, or leave `--exact-range` out.', argument: 'exactRange' },
    );
  }
  const from = dateFrom?.getTime();
  const to = dateTo?.getTime();
  if (loadLatest && (from === undefined || to === undefined)) {
    throw new UsageError('The latest statistics need both dates, at most one day apart.', {
      hint: 'Add `--from` and `--to`.',
      argument: 'loadLatest',
    });
  }
  if (from === undefined) return;
  if (to !== undefined && to < from) {
    throw new UsageError('The range ends before it starts.', { hint: 'Swap the two dates.', argument: 'to' });
  }
  if (!loadLatest) {
    const age = now.getTime() - from;
    if (hourly && isBeyond(age, STATISTICS_LIMITS.hourlyAge * DAY)) {
      throw new UsageError(HOURLY_TOO_OLD, { argument: 'from' });
    }
    if (isBeyond(oneYearBefore(now) - from, 0)) throw new UsageError(STATISTICS_TOO_OLD, { argument: 'from' });
  }
  if (isBeyond(from - now.getTime(), 0)) {
    throw new UsageError('The range starts in the future.', { argument: 'from' });
  }
  if (of !== 'account') return;
  const range = (to ?? now.getTime()) - from;
  const limit = loadLatest ? STATISTICS_LIMITS.latestRange : STATISTICS_LIMITS.range;
  if (isBeyond(range, limit * DAY)) {
    throw new UsageError(
      loadLatest
        ? 'The latest statistics cover at most 1 day at a time.'
        : `These statistics cover at most ${STATISTICS_LIMITS.range} days at a time.`,
      { hint: 'Bring `--from` and `--to` closer together.', argument: 'from' },
    );
  }
}

/** The start of a day in UTC that the platform could know: no year before 1970. */
const startOfDay = (year: number, month: number, day: number) => (year >= 1970 ? dayOf(year, month, day) : undefined);

/** A day in UTC, as the origin error log takes it (`date`, MM-dd-yyyy) and as people read it (`day`, yyyy-MM-dd). */
export interface OriginErrorDate {
  date: string;
  day: string;
  /** Nothing was typed: this is today in UTC, and the answer should say so. */
  assumed: boolean;
}

const originErrorDate = (start: Date, assumed: boolean): OriginErrorDate => {
  const day = isoDay(start);
  return { date: `${day.slice(5)}-${day.slice(0, 4)}`, day, assumed };
};

/**
 * A day of the origin error log: MM-dd-yyyy (month first), yyyy-MM-dd, `today` or `yesterday`, all in UTC; nothing means today. Throws
 * `UsageError` for anything else, for days that do not exist, and for days that have not begun.
 */
export function parseOriginErrorDate(text: string | undefined, now: Date): OriginErrorDate {
  const typed = text?.trim().toLowerCase() ?? '';
  if (typed === '' || typed === 'today') return originErrorDate(now, typed === '');
  if (typed === 'yesterday') return originErrorDate(new Date(now.getTime() - DAY), false);

  const hint = 'Write MM-dd-yyyy (month first), yyyy-MM-dd, today or yesterday.';
  const refuse = (message: string) => new UsageError(message, { hint, argument: 'date' });
  const monthFirst = /^(\d{2})-(\d{2})-(\d{4})$/.exec(typed);
  const yearFirst = /^(\d{4})-(\d{2})-(\d{2})$/.exec(typed);
  const parts = monthFirst
    ? [monthFirst[3], monthFirst[1], monthFirst[2]]
    : yearFirst && [yearFirst[1], yearFirst[2], yearFirst[3]];
  if (!parts) throw refuse(`“${typed.slice(0, 40)}” is not a date.`);
  const [year = 0, month = 0, day = 0] = parts.map(Number);
  if (month < 1 || month > 12) {
    throw refuse(`There is no month ${String(month).padStart(2, '0')}${monthFirst ? ': the month comes first' : ''}.`);
  }
  const start = startOfDay(year, month, day);
  if (!start) throw refuse(`“${typed}” is not a day of the calendar.`);
  if (start.getTime() > now.getTime()) throw refuse(`“${typed}” has not begun yet in UTC.`);
  return originErrorDate(start, false);
}

const RETENTION = `Access logs are kept for ${LOG_RETENTION_DAYS} days`;

/** “Three days back” is a moment too old by the time it is sent; up to this much (ms) it still counts. */
const RETENTION_GRACE = MINUTE;
/** So much later (ms) than the edge a start is sent then, for the way to the platform takes time too. */
const RETENTION_MARGIN = 5000;

const oldestLog = (now: Date) => now.getTime() - LOG_RETENTION_DAYS * DAY;

/** A start that lies right at the edge of the retention, moved to its safe side; any other as it is. */
export function startWithinRetention(from: Date, now: Date): Date {
  return new Date(Math.max(from.getTime(), oldestLog(now) + RETENTION_MARGIN));
}

/** Refuses ranges of access logs that are turned round, in the future or older than the retention, by throwing `UsageError`. */
export function checkLogRange(range: { from?: Date | undefined; to?: Date | undefined }, now: Date): void {
  const from = range.from?.getTime();
  const to = range.to?.getTime();
  const oldest = oldestLog(now);
  for (const [instant, argument] of [[from, 'from'] as const, [to, 'to'] as const]) {
    if (instant === undefined) continue;
    if (Number.isNaN(instant)) throw new UsageError('This is not a date.', { argument });
    if (instant < oldest - RETENTION_GRACE) {
      throw new UsageError(`${RETENTION}: nothing before ${toWireInstant(new Date(oldest))} is left.`, { argument });
    }
  }
  if (from !== undefined && from > now.getTime()) {
    throw new UsageError('The range starts in the future.', { argument: 'from' });
  }
  if (from !== undefined && to !== undefined && to <= from) {
    throw new UsageError('The range ends before it starts.', { hint: 'Swap the two dates.', argument: 'to' });
  }
}

/** Refuses a day (`yyyy-MM-dd`, UTC) of which no access log is left or none is there yet, by throwing `UsageError`. */
export function checkLogDay(date: string, now: Date): void {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  const start = match && startOfDay(Number(match[1]), Number(match[2]), Number(match[3]));
  if (!start) throw new UsageError(`“${date.slice(0, 40)}” is not a day (yyyy-MM-dd).`, { argument: 'date' });
  if (start.getTime() > now.getTime()) {
    throw new UsageError(`${date} has not begun yet in UTC.`, { argument: 'date' });
  }
  if (start.getTime() + DAY <= oldestLog(now)) {
    throw new UsageError(`${RETENTION}: those of ${date} are gone.`, { argument: 'date' });
  }
}
