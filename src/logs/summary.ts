import { HOUR } from '../time.ts';

/** v1: pipe-delimited lines; v2: records as JSON lines (one record of `GET /v2/pullzones/{id}/logs` per line). */
export type LogFormat = 'v1' | 'v2';

/** A value and how often it was seen, with the bytes that went with it. */
export interface Counted {
  value: string;
  requests: number;
  bytes: number;
  /** `requests` may be too many by this; not there: exact. Bytes are then too few. */
  error?: number;
}

/**
 * The lists of a summary, and how many values each holds at most. While a log is read there is room for four times as many:
 * of n requests, no figure in a list is wrong by more than n divided by that number, and nothing that is missing was requested
 * more often.
 */
export const LISTS = {
  topPaths: 1024,
  topMissing: 512,
  topErrors: 512,
  failures: 512,
  topAgents: 512,
  topCountries: 512,
  topClients: 1024,
} as const;

/** A list of the most frequent values. */
export type ListName = keyof typeof LISTS;

/** What a window of access log comes to. Bounded in size whatever the log's. */
export interface LogSummary {
  requests: number;
  bytes: number;
  /** First and last timestamp, Unix milliseconds; undefined for an empty log. */
  from?: number;
  to?: number;
  /** Lines that are no log record. */
  unreadable: number;
  statuses: Record<string, number>;
  /** Cache status as it came (`HIT`, `MISS`, `-`, …). */
  cache: Record<string, number>;
  /** Without query strings. The most requested first, as are all lists. */
  topPaths: Counted[];
  topMissing: Counted[];
  topErrors: Counted[];
  /** 5xx by status, hour and path at once: `failureOf` reads a value. */
  failures: Counted[];
  topAgents: Counted[];
  topCountries: Counted[];
  /** By address, which the platform may have shortened. */
  topClients: Counted[];
  /** Requests per hour, by Unix milliseconds of the hour's start. Errors are 5xx. */
  hours: { start: number; requests: number; errors: number; bytes: number }[];
  /** How often a value that is missing in a list may have been requested at most; 0: the list is complete. */
  floors: Record<ListName, number>;
}

/** The summary of nothing. */
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

/** A value of the list of failures: `504 498638 /api/orders`, with the hour since 1970, which comes back as Unix milliseconds. */
export function failureOf(value: string): { status: string; hour: number; path: string } {
  const [status = '', hour = '', ...path] = value.split(' ');
  return { status, hour: Number(hour) * HOUR, path: path.join(' ') };
}

/** Requests per status class: `2xx`, `3xx`, … in that order. */
export function statusClasses(summary: LogSummary): Record<string, number> {
  const classes: Record<string, number> = {};
  for (const [status, requests] of Object.entries(summary.statuses).sort(([a], [b]) => Number(a) - Number(b))) {
    const name = `${status.slice(0, 1)}xx`;
    classes[name] = (classes[name] ?? 0) + requests;
  }
  return classes;
}

/** `HIT` among the requests that had to do with the cache (not `-`), in percent; undefined when there were none. */
export function hitRate(summary: LogSummary): number | undefined {
  const cacheable = Object.entries(summary.cache).reduce((sum, [name, n]) => (name === '-' ? sum : sum + n), 0);
  return cacheable === 0 ? undefined : (100 * (summary.cache.HIT ?? 0)) / cacheable;
}

/** Most requests first; the same number by value, so that the order never depends on the log's. */
export function byRequests(a: Counted, b: Counted): number {
  return b.requests - a.requests || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0);
}
