import { UsageError } from '../errors.ts';
import { DAY, isoDay, MINUTE } from '../time.ts';

/** The platform’s own words (docs/platform.md, Statistics errors). */
export const HOURLY_TOO_OLD = 'Cannot request hourly statistics older than 30 days. Use daily granularity instead.';
export const STATISTICS_TOO_OLD = 'Cannot request statistics older than 1 year.';

/** In days (docs/platform.md, Statistics ranges). */
const STATISTICS_LIMITS = { hourlyAge: 30, range: 40, latestRange: 1 } as const;

/** docs/platform.md, Retention. */
export const LOG_RETENTION_DAYS = 3;

// The platform rounds to whole days, so it decides about smaller excesses.
const isBeyond = (milliseconds: number, limit: number) => milliseconds - limit >= DAY;

/** Source: docs/platform.md, Dates on the wire. */
export function toWireInstant(date: Date): string {
  return date.toISOString().replace('.000Z', 'Z');
}

function oneYearBefore(now: Date): number {
  const before = new Date(now);
  before.setUTCFullYear(before.getUTCFullYear() - 1);
  return before.getTime();
}

/** Throws `UsageError` for a range that the platform cannot answer. */
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

/** MM-dd-yyyy, as in the platform's paths. */
export function monthFirst(day: Date): string {
  const iso = isoDay(day);
  return `${iso.slice(5)}-${iso.slice(0, 4)}`;
}

const RETENTION = `Access logs are kept for ${LOG_RETENTION_DAYS} days`;

const oldestLog = (now: Date) => now.getTime() - LOG_RETENTION_DAYS * DAY;

/** Moves a start at the edge of the retention to the safe side. */
export function startWithinRetention(from: Date, now: Date): Date {
  // The request also takes time.
  return new Date(Math.max(from.getTime(), oldestLog(now) + 5000));
}

/** Throws `UsageError`. */
export function checkLogRange(range: { from?: Date | undefined; to?: Date | undefined }, now: Date): void {
  const from = range.from?.getTime();
  const to = range.to?.getTime();
  const oldest = oldestLog(now);
  for (const [instant, argument] of [[from, 'from'] as const, [to, 'to'] as const]) {
    // “Three days back” is slightly too old once it is sent.
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

/** `start`: of the day, in UTC. Throws `UsageError`. */
export function checkLogDay(start: Date, now: Date): void {
  if (start.getTime() > now.getTime()) {
    throw new UsageError(`${isoDay(start)} has not begun yet in UTC.`, { argument: 'date' });
  }
  if (start.getTime() + DAY <= oldestLog(now)) {
    throw new UsageError(`${RETENTION}: those of ${isoDay(start)} are gone.`, { argument: 'date' });
  }
}
