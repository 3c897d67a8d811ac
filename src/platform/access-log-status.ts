import { UsageError } from '../errors.ts';

/** The cache statuses and what they mean (docs/platform.md, Cache statuses): the one table behind help, options and legends. */
export const CACHE_STATUSES = {
  HIT: 'served directly from cache',
  MISS: 'not in cache; fetched from origin',
  BYPASS: 'cache skipped (request headers, cookies or configuration)',
  REVALIDATED: 'cached response validated with origin and reused',
  STALE: 'stale cached response served (origin unavailable or slow)',
  UPDATING: 'stale content served while a background update runs',
  '-': 'no cache interaction (for example non-cacheable methods such as POST)',
} as const;

/** One of the platform's cache statuses. */
export type CacheStatus = keyof typeof CACHE_STATUSES;

const DASHES = /^[-\u2010-\u2015\u2212]$/;

/** A cache status as a person types it, in any case; Slack's long dashes count as `-`. Throws `UsageError` for other words. */
export function parseCacheStatus(text: string): CacheStatus {
  const typed = text.trim();
  if (DASHES.test(typed)) return '-';
  const known = Object.keys(CACHE_STATUSES).find((status) => status === typed.toUpperCase());
  if (!known) {
    throw new UsageError(`“${typed}” is not a cache status.`, {
      hint: `Use one of ${Object.keys(CACHE_STATUSES).join(', ')}.`,
      argument: 'cache',
    });
  }
  return known as CacheStatus;
}

/** The meaning of a status; `undefined` for one that is not in the table, which is shown as it came. */
export function meaningOf(status: string): string | undefined {
  return (CACHE_STATUSES as Record<string, string>)[status];
}
