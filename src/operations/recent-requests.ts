import { count } from '../blocks/format.ts';
import { PlatformError, PlatformFailure } from '../platform/errors.ts';
import type { AccessLogQuery, AccessLogRecord } from '../platform/resources/access-logs.ts';
import { HOUR } from '../time.ts';
import type { Context } from './context.ts';
import { reasonOf } from './unreadable.ts';

/** `isWhole`: false if there are more. */
export interface RecentRequests {
  records: AccessLogRecord[];
  isWhole: boolean;
}

export interface RecentBounds {
  pages: number;
  perPage: number;
  /** Ends the reading. What was read until then counts. */
  limit: AbortSignal;
}

/** `unread`: why there is nothing, to complete a sentence. Other errors are thrown. */
export async function recentRequests(
  zoneId: number,
  query: AccessLogQuery,
  { pages, perPage, limit }: RecentBounds,
  { platform, signal }: Pick<Context, 'platform' | 'signal'>,
): Promise<RecentRequests | { unread: string }> {
  const records: AccessLogRecord[] = [];
  let offset: number | undefined = 0;
  const options = { signal: AbortSignal.any([signal, limit]), priority: 'person' as const };
  for (let page = 0; page < pages && offset !== undefined; page += 1) {
    try {
      const found = await platform.accessLogs.query(zoneId, { ...query, limit: perPage, offset }, options);
      records.push(...found.data);
      offset = found.nextOffset;
    } catch (error) {
      if (signal.aborted) throw error;
      const reason = limit.aborted ? 'the logs took too long' : whyOf(error);
      if (reason === undefined) throw error;
      return page === 0 ? { unread: reason } : { records, isWhole: false };
    }
  }
  return { records, isWhole: offset === undefined };
}

/** For a preview: what the zone was asked in the last hour. `of` completes *7 of*. */
export async function lastHour(zoneId: number, context: Context) {
  const { now } = context;
  const bounds = { pages: 5, perPage: 2_000, limit: AbortSignal.timeout(10_000) };
  const read = await recentRequests(zoneId, { from: new Date(now.getTime() - HOUR), to: now }, bounds, context);
  if ('unread' in read) return read;
  const many = count(read.records.length);
  return { ...read, of: read.isWhole ? `${many} requests of the last hour` : `the newest ${many} requests` };
}

function whyOf(error: unknown): string | undefined {
  if (error instanceof PlatformError && error.key === 'logging_disabled') {
    return 'logging is not switched on for this pull zone';
  }
  return error instanceof PlatformFailure ? reasonOf(error) : undefined;
}
