import type { StatisticsAnswer } from '../../platform/resources/statistics.ts';
import { HOUR, MINUTE } from '../../time.ts';

/** The counts of `GET /statistics` in a window; `bandwidth` in bytes, `waited` the origin's time for all pulls together, in ms. */
export interface Counts {
  requests: number;
  bandwidth: number;
  pulls: number;
  waited: number;
  errors4xx: number;
  errors5xx: number;
}

/** Hours by their beginning in Unix milliseconds. */
export type Hours = Readonly<Record<number, Counts>>;

/** The hours of a zone as the platform has counted them up to a moment. */
export interface ReadHours {
  at: number;
  hours: Hours;
}

/** The counts between two readings, and when that was: statistics lag. */
export interface Window {
  from: number;
  to: number;
  counts: Counts;
}

const NONE: Counts = { requests: 0, bandwidth: 0, pulls: 0, waited: 0, errors4xx: 0, errors5xx: 0 };
/** The names of what is counted. */
export const COUNTS = Object.keys(NONE) as (keyof Counts)[];
const combined = (one: Counts, other: Counts, both: (a: number, b: number) => number): Counts => ({
  requests: both(one.requests, other.requests),
  bandwidth: both(one.bandwidth, other.bandwidth),
  pulls: both(one.pulls, other.pulls),
  waited: both(one.waited, other.waited),
  errors4xx: both(one.errors4xx, other.errors4xx),
  errors5xx: both(one.errors5xx, other.errors5xx),
});

/** The sum of what was counted. */
export const sumOf = (counts: readonly Counts[]): Counts =>
  counts.reduce((sum, one) => combined(sum, one, (a, b) => a + b), NONE);

/** The charts without which an hour is not counted. */
const NEEDED = [
  'RequestsServedChart',
  'BandwidthUsedChart',
  'PullRequestsPulledChart',
  'Error4xxChart',
  'Error5xxChart',
] as const;

/**
 * The hours of an answer to `GET /statistics` with `hourly`. An hour that some chart does not name has none of it; one that a chart
 * names without a figure is not counted.
 */
export function hoursOf(answer: StatisticsAnswer): Record<number, Counts> {
  const hours: Record<number, Counts> = {};
  for (const [key, requests] of Object.entries(answer.RequestsServedChart ?? {})) {
    const isUnknown = NEEDED.some((name) => key in (answer[name] ?? {}) && answer[name]?.[key] === undefined);
    if (requests === undefined || isUnknown) continue;
    const hit = answer.CacheHitRateChart?.[key] ?? 0;
    const pulls = answer.PullRequestsPulledChart?.[key] ?? (requests * (100 - hit)) / 100;
    hours[Date.parse(key)] = {
      requests,
      bandwidth: answer.BandwidthUsedChart?.[key] ?? 0,
      pulls,
      waited: Math.round(pulls * (answer.OriginResponseTimeChart?.[key] ?? 0)),
      errors4xx: answer.Error4xxChart?.[key] ?? 0,
      errors5xx: answer.Error5xxChart?.[key] ?? 0,
    };
  }
  return hours;
}

/** The growth from an earlier reading to a later one. Nothing is taken back: an hour that shrinks was counted anew. */
function growthOf(before: ReadHours, now: ReadHours): [hour: number, counts: Counts][] {
  const first = Math.min(...Object.keys(before.hours).map(Number));
  return Object.entries(now.hours)
    .filter(([hour]) => Number(hour) >= first)
    .map(([hour, counts]) => {
      const known = { ...NONE, ...before.hours[Number(hour)] };
      return [Number(hour), combined(counts, known, (a, b) => Math.max(0, a - b))];
    });
}

/** The window between two readings, moved back by the lag of the statistics. */
export function windowOf(before: ReadHours, now: ReadHours, lag: number): Window {
  const counts = sumOf(growthOf(before, now).map(([, grown]) => grown));
  return { from: before.at - lag, to: now.at - lag, counts };
}

/**
 * How far the statistics lag behind, from where the growth between two readings goes on into a new hour; undefined where it
 * does not. An hour that is not counted yet is a zero, and no silence.
 */
export function lagOf(before: ReadHours, now: ReadHours): number | undefined {
  const grown = growthOf(before, now)
    .filter(([, { requests }]) => requests > 0)
    .sort(([a], [b]) => b - a);
  const [young, old, ...more] = grown;
  if (young === undefined || more.length > 0 || (before.hours[young[0]]?.requests ?? 0) > 0) return undefined;
  if (old !== undefined && young[0] - old[0] !== HOUR) return undefined;
  const part = young[1].requests / (young[1].requests + (old?.[1].requests ?? 0));
  return Math.max(0, Math.min(90 * MINUTE, now.at - part * (now.at - before.at) - young[0]));
}
