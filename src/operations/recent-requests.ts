import { PlatformError, PlatformFailure } from '../platform/errors.ts';
import type { AccessLogQuery, AccessLogRecord } from '../platform/resources/access-logs.ts';
import type { Context } from './context.ts';
import { reasonOf } from './unreadable.ts';

/** The requests of a while, from the access logs. `isWhole`: false when there are more records than were read. */
export interface RecentRequests {
  records: AccessLogRecord[];
  isWhole: boolean;
}

/** Bounds of one reading: it is for a preview, and a person waits. */
export interface RecentBounds {
  pages: number;
  perPage: number;
  /** Ends the reading; what was read until then counts. */
  limit: AbortSignal;
}

/**
 * The newest logged requests of a pull zone, a few pages at most. `unread` says, as the end of a sentence, why there
 * is nothing to go by. Any other error is thrown.
 */
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

function whyOf(error: unknown): string | undefined {
  // Without logging there is nothing to count.
  if (error instanceof PlatformError && error.key === 'logging_disabled') {
    return 'logging is not switched on for this pull zone';
  }
  return error instanceof PlatformFailure ? reasonOf(error) : undefined;
}
