import type { StatisticsAnswer } from '../../platform/resources/statistics.ts';
import { HOUR, MINUTE } from '../../time.ts';

/** `bandwidth` in bytes. `waited`: the origin’s time for all pulls, in milliseconds. */
export interface Counts {
  requests: number;
  bandwidth: number;
  pulls: number;
  waited: number;
  errors4xx: number;
  errors5xx: number;
  /** What the shield logged, challenged or blocked. Undefined: the zone has none, or it is not known. */
  shielded?: number | undefined;
}

/** Counts of each hour, by its beginning in Unix milliseconds. */
export type Hours = Readonly<Record<number, Counts>>;

/** Hours as the platform had counted them at `at`. */
export interface ReadHours {
  at: number;
  hours: Hours;
}

/** What came between two readings. */
export interface Window {
  from: number;
  to: number;
  counts: Counts;
}

const NONE = { requests: 0, bandwidth: 0, pulls: 0, waited: 0, errors4xx: 0, errors5xx: 0 };
export const COUNTS = Object.keys(NONE) as (keyof typeof NONE)[];
const combined = (one: Counts, other: Counts, both: (a: number, b: number) => number): Counts => {
  const counts = { ...NONE };
  for (const name of COUNTS) counts[name] = both(one[name], other[name]);
  return counts;
};

export const sumOf = (counts: readonly Counts[]): Counts =>
  counts.reduce((sum, one) => combined(sum, one, (a, b) => a + b), NONE);

/** An hour counts only if none of these charts lacks its figure. */
const NEEDED = [
  'RequestsServedChart',
  'BandwidthUsedChart',
  'PullRequestsPulledChart',
  'Error4xxChart',
  'Error5xxChart',
] as const;

/** An hour that a chart does not name has zero. An hour without a figure is not counted. */
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

/** Statistics lag at most this long. */
const LATEST = 90 * MINUTE;

/** Newest first. An hour that shrinks was recounted. One that grows after the next has begun was corrected. Neither counts. */
function growthOf(before: ReadHours, now: ReadHours): [hour: number, counts: Counts][] {
  const grown = Object.entries(now.hours)
    .filter(([hour]) => Number(hour) + HOUR > before.at - LATEST)
    .map(([hour, counts]): [number, Counts] => {
      const known = { ...NONE, ...before.hours[Number(hour)] };
      return [Number(hour), combined(counts, known, (a, b) => Math.max(0, a - b))];
    })
    .filter(([, { requests }]) => requests > 0)
    .sort(([a], [b]) => b - a);
  return grown.filter(([hour], index) => index === 0 || !before.hours[hour + HOUR]?.requests);
}

/** Moved back by the lag of statistics. */
export function windowOf(before: ReadHours, now: ReadHours, lag: number): Window {
  const counts = sumOf(growthOf(before, now).map(([, grown]) => grown));
  return { from: before.at - lag, to: now.at - lag, counts };
}

/** Derived from the growth at the change of hours. Undefined: no hour changed. An uncounted hour is zero, not a silence. */
export function lagOf(before: ReadHours, now: ReadHours): number | undefined {
  const [young, old, ...more] = growthOf(before, now);
  if (young === undefined || more.length > 0 || (before.hours[young[0]]?.requests ?? 0) > 0) return undefined;
  const part = young[1].requests / (young[1].requests + (old?.[1].requests ?? 0));
  return Math.max(0, Math.min(LATEST, now.at - part * (now.at - before.at) - young[0]));
}
