import { HOUR } from '../time.ts';

/** Pipe-delimited lines, or a JSON record of `GET /v2/pullzones/{id}/logs` a line. */
export type LogFormat = 'v1' | 'v2';

export interface Counted {
  value: string;
  requests: number;
  bytes: number;
  /** `requests` may be too high by this, and bytes too low. */
  error?: number;
}

/** Values in each list. Figures are wrong by at most a quarter of requests / that number; nothing missing was more frequent. */
export const LISTS = {
  topPaths: 1024,
  topMissing: 512,
  topErrors: 512,
  failures: 512,
  topAgents: 512,
  topCountries: 512,
  topClients: 1024,
} as const;

export type ListName = keyof typeof LISTS;

/** Bounded, however long the log. */
export interface LogSummary {
  requests: number;
  bytes: number;
  /** Unix milliseconds. */
  from?: number;
  to?: number;
  unreadable: number;
  statuses: Record<string, number>;
  /** As it came (`HIT`, `MISS`, `-`, …). */
  cache: Record<string, number>;
  /** Without queries. Most first, as all lists. */
  topPaths: Counted[];
  topMissing: Counted[];
  topErrors: Counted[];
  /** By status, hour and path: see `failureOf`. */
  failures: Counted[];
  topAgents: Counted[];
  topCountries: Counted[];
  /** The platform may shorten addresses. */
  topClients: Counted[];
  /** By the hour's start, Unix milliseconds. Errors are 5xx. */
  hours: { start: number; requests: number; errors: number; bytes: number }[];
  /** What a missing value may have at most; 0: the list is complete. */
  floors: Record<ListName, number>;
}

export function emptySummary(): LogSummary {
  const floors = Object.fromEntries(Object.keys(LISTS).map((name) => [name, 0])) as Record<ListName, number>;
  return {
    requests: 0,
    bytes: 0,
    unreadable: 0,
    statuses: {},
    cache: {},
    topPaths: [],
    topMissing: [],
    topErrors: [],
    failures: [],
    topAgents: [],
    topCountries: [],
    topClients: [],
    hours: [],
    floors,
  };
}

/** `504 498638 /api/orders`, with the hour since 1970. */
export function failureOf(value: string): { status: string; hour: number; path: string } {
  const [status = '', hour = '', ...path] = value.split(' ');
  return { status, hour: Number(hour) * HOUR, path: path.join(' ') };
}

/** `2xx`, `3xx`, … */
export function statusClasses(summary: LogSummary): Record<string, number> {
  const classes: Record<string, number> = {};
  for (const [status, requests] of Object.entries(summary.statuses).sort(([a], [b]) => Number(a) - Number(b))) {
    const name = `${status.slice(0, 1)}xx`;
    classes[name] = (classes[name] ?? 0) + requests;
  }
  return classes;
}

/** Percent of the requests that had to do with the cache. */
export function hitRate(summary: LogSummary): number | undefined {
  const cacheable = Object.entries(summary.cache).reduce((sum, [name, n]) => (name === '-' ? sum : sum + n), 0);
  return cacheable === 0 ? undefined : (100 * (summary.cache.HIT ?? 0)) / cacheable;
}

/** Ties by value: independent of the log's order. */
export function byRequests(a: Counted, b: Counted): number {
  return b.requests - a.requests || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0);
}
