import { PlatformError, PlatformFailure } from '../platform/errors.ts';
import type { AccessLogQuery, AccessLogRecord } from '../platform/resources/access-logs.ts';
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

function whyOf(error: unknown): string | undefined {
  if (error instanceof PlatformError && error.key === 'logging_disabled') {
    return 'logging is not switched on for this pull zone';
  }
  return error instanceof PlatformFailure ? reasonOf(error) : undefined;
}
