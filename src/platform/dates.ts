import { UsageError } from '../errors.ts';
import { DAY, isoDay, MINUTE } from '../time.ts';

/** The platform's own words, which the bot says too (docs/platform.md, Statistics errors). */
export const HOURLY_TOO_OLD = 'Cannot request hourly statistics older than 30 days. Use daily granularity instead.';
/** The platform's own words. */
export const STATISTICS_TOO_OLD = 'Cannot request statistics older than 1 year.';

/** How far back and how long statistics go, in days (docs/platform.md, Statistics ranges). */
const STATISTICS_LIMITS = { hourlyAge: 30, range: 40, latestRange: 1 } as const;

/** How long access logs are kept, in days (docs/platform.md, Retention). */
export const LOG_RETENTION_DAYS = 3;

// The platform rounds to whole days of its own: it decides about all that is beyond a limit by less than a day.
const isBeyond = (milliseconds: number, limit: number) => milliseconds - limit >= DAY;

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

/** A day in UTC as paths of the platform have it: month first, MM-dd-yyyy. */
export function monthFirst(day: Date): string {
  const iso = isoDay(day);
  return `${iso.slice(5)}-${iso.slice(0, 4)}`;
}

const RETENTION = `Access logs are kept for ${LOG_RETENTION_DAYS} days`;

const oldestLog = (now: Date) => now.getTime() - LOG_RETENTION_DAYS * DAY;

/** A start that lies right at the edge of the retention, moved to its safe side; any other as it is. */
export function startWithinRetention(from: Date, now: Date): Date {
  // The way to the platform takes time too.
  return new Date(Math.max(from.getTime(), oldestLog(now) + 5000));
}

/** Refuses ranges of access logs that are turned round, in the future or older than the retention, by throwing `UsageError`. */
export function checkLogRange(range: { from?: Date | undefined; to?: Date | undefined }, now: Date): void {
  const from = range.from?.getTime();
  const to = range.to?.getTime();
  const oldest = oldestLog(now);
  for (const [instant, argument] of [[from, 'from'] as const, [to, 'to'] as const]) {
    // “Three days back” is a moment too old by the time it is sent; up to this much it still counts.
    if (instant !== undefined && instant < oldest - MINUTE) {
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

/** Refuses a day (its start in UTC) of which no access log is left or none is there yet, by throwing `UsageError`. */
export function checkLogDay(start: Date, now: Date): void {
  if (start.getTime() > now.getTime()) {
    throw new UsageError(`${isoDay(start)} has not begun yet in UTC.`, { argument: 'date' });
  }
  if (start.getTime() + DAY <= oldestLog(now)) {
    throw new UsageError(`${RETENTION}: those of ${isoDay(start)} are gone.`, { argument: 'date' });
  }
}
