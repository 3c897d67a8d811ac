import { HOUR } from '../time.ts';

/** `v1`: lines of fields separated by pipes. `v2`: a JSON record of `GET /v2/pullzones/{id}/logs` in each line. */
export type LogFormat = 'v1' | 'v2';

export interface Counted {
  value: string;
  requests: number;
  bytes: number;
  /** `requests` may be too high by this, and bytes too low. */
  error?: number;
}

/** How many values each list has. An error is at most a quarter of requests / that number. No missing value was more frequent. */
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

/** Its size is bounded, however long the log is. */
export interface LogSummary {
  requests: number;
  bytes: number;
  /** Unix milliseconds. */
  from?: number;
  to?: number;
  unreadable: number;
  statuses: Record<string, number>;
  /** By the platform’s word (`HIT`, `MISS`, `-`, …). */
  cache: Record<string, number>;
  /** Without queries. The most frequent first, as in all lists. */
  topPaths: Counted[];
  topMissing: Counted[];
  topErrors: Counted[];
  /** By status, hour and path: see `failureOf`. */
  failures: Counted[];
  topAgents: Counted[];
  topCountries: Counted[];
  /** Addresses, which the platform may shorten. */
  topClients: Counted[];
  /** By the hour's start, Unix milliseconds. Errors are 5xx. */
  hours: { start: number; requests: number; errors: number; bytes: number }[];
  /** How often a missing value may have come at most. 0: the list is complete. */
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

/** In percent of the requests that used the cache. */
export function hitRate(summary: LogSummary): number | undefined {
  const cacheable = Object.entries(summary.cache).reduce((sum, [name, n]) => (name === '-' ? sum : sum + n), 0);
  return cacheable === 0 ? undefined : (100 * (summary.cache.HIT ?? 0)) / cacheable;
}

/** Ties are sorted by value, so the order of the log does not matter. */
export function byRequests(a: Counted, b: Counted): number {
  return b.requests - a.requests || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0);
}
