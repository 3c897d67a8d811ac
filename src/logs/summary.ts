/** v1: pipe-delimited lines; v2: records as JSON lines (one record of `GET /v2/pullzones/{id}/logs` per line). */
export type LogFormat = 'v1' | 'v2';

/** A value and how often it was seen, with the bytes that went with it. */
export interface Counted {
  value: string;
  requests: number;
  bytes: number;
}

/** What a stretch of access log comes to. Bounded in size whatever the log's. */
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
  topPaths: Counted[];
  topMissing: Counted[];
  topErrors: Counted[];
  topAgents: Counted[];
  topCountries: Counted[];
  topReferers: Counted[];
  edgeLocations: Counted[];
  /** Requests per hour, by Unix milliseconds of the hour's start. */
  hours: { start: number; requests: number; errors: number; bytes: number }[];
}
