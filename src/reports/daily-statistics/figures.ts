import type { Chart, StatisticsAnswer, StatisticsQuery } from '../../platform/resources/statistics.ts';
import { DAY } from '../../time.ts';
import { isUtc, type ReportDay } from './days.ts';

const HALF_HOUR = 1_800_000;

/** The figures of a day of a zone, or of all. Undefined: the platform sent no figure for it. */
export interface DayFigures {
  requests: number | undefined;
  /** Bytes. */
  bandwidth: number | undefined;
  /** Percent. */
  hitRate: number | undefined;
  /** Bytes. */
  originTraffic: number | undefined;
  /** Milliseconds. */
  originResponse: number | undefined;
  /** Requests that went to the origin. */
  pulled: number | undefined;
  errors3xx: number | undefined;
  errors4xx: number | undefined;
  errors5xx: number | undefined;
}

/** One of the figures of a day. */
export type Figure = keyof DayFigures;

/** Days, and the queries that bring their figures. */
export interface DaysQuery {
  days: readonly ReportDay[];
  /**
   * `GET /statistics`: by the day where the days are the platform's, else by the hour with the times of day
   * kept (`exactRange`).
   */
  query: StatisticsQuery & { exactRange?: boolean };
  /** The same for endpoints that know whole UTC days only: what is too much is left out of the sums. */
  wholeDays: StatisticsQuery;
}

/**
 * The query for these days. Hours are there for 30 days (docs/platform.md, Statistics ranges): of older days in a zone of their own there
 * is nothing to be had, so the oldest are left out.
 */
export function daysQuery(days: readonly ReportDay[], timezone: string, now: Date): DaysQuery {
  const utc = isUtc(timezone, days);
  const kept = utc ? days : days.filter(({ from }) => now.getTime() - from.getTime() < 30 * DAY);
  const [dateFrom, end] = [kept[0]?.from ?? now, kept.at(-1)?.to ?? now];
  // Rule 4 rounds the end up to the end of its day: an end at midnight would be one day more.
  const dateTo = new Date(end.getTime() - 1000);
  if (utc) return { days: kept, query: { dateFrom, dateTo }, wholeDays: { dateFrom, dateTo } };
  return {
    days: kept,
    query: { dateFrom, dateTo: end, hourly: true, exactRange: true },
    wholeDays: { dateFrom, dateTo, hourly: true },
  };
}

/** Charts whose keys have been read as instants: each is asked about once a day of weeks. */
const read = new WeakMap<Chart, readonly { at: number; point: [string, number] }[]>();

function instantsOf(chart: Chart): readonly { at: number; point: [string, number] }[] {
  const known = read.get(chart);
  if (known !== undefined) return known;
  const instants = Object.entries(chart).map((point) => {
    const [key] = point;
    return { at: Date.parse(/Z|[+-]\d\d:\d\d$/.test(key) ? key : `${key}Z`), point };
  });
  read.set(chart, instants);
  return instants;
}

/** The points of a chart within a day, each with the chart's key. An hour on the edge belongs where its greater half is. */
export function pointsWithin(chart: Chart | undefined, { from, to }: ReportDay, hourly: boolean): [string, number][] {
  if (chart === undefined) return [];
  const [first, last] = [from.getTime(), to.getTime()];
  return instantsOf(chart)
    .filter(({ at }) => {
      const middle = hourly ? at + HALF_HOUR : at;
      return middle >= first && middle < last;
    })
    .map(({ point }) => point);
}

/** Sum of a chart over a day; undefined when nothing came for it. */
export function sumWithin(chart: Chart | undefined, day: ReportDay, hourly: boolean): number | undefined {
  const points = pointsWithin(chart, day, hourly);
  return points.length === 0 ? undefined : points.reduce((sum, [, value]) => sum + value, 0);
}

/** The largest point of a chart on a day; undefined when nothing came for it. */
export function mostWithin(chart: Chart | undefined, day: ReportDay, hourly: boolean): number | undefined {
  const points = pointsWithin(chart, day, hourly);
  return points.length === 0 ? undefined : Math.max(...points.map(([, value]) => value));
}

/** The mean over a day, each point with the weight that another chart gives it. */
function meanWithin(
  chart: Chart | undefined,
  weights: Chart | undefined,
  day: ReportDay,
  hourly: boolean,
): number | undefined {
  const points = pointsWithin(chart, day, hourly);
  if (points.length === 0) return undefined;
  const weighed = points.map(([key, value]) => [value, weights?.[key] ?? (weights === undefined ? 1 : 0)] as const);
  const whole = weighed.reduce((sum, [, weight]) => sum + weight, 0);
  if (whole === 0) return points.reduce((sum, [, value]) => sum + value, 0) / points.length;
  return weighed.reduce((sum, [value, weight]) => sum + value * weight, 0) / whole;
}

/** The figures of one day in an answer. */
export function figuresOf(answer: StatisticsAnswer, day: ReportDay, hourly = false): DayFigures {
  const sum = (chart: Chart | undefined) => sumWithin(chart, day, hourly);
  const { RequestsServedChart: requests, PullRequestsPulledChart: pulled } = answer;
  return {
    requests: sum(requests),
    bandwidth: sum(answer.BandwidthUsedChart),
    hitRate: meanWithin(answer.CacheHitRateChart, requests, day, hourly),
    originTraffic: sum(answer.OriginTrafficChart),
    originResponse: meanWithin(answer.OriginResponseTimeChart, pulled ?? requests, day, hourly),
    pulled: sum(pulled),
    errors3xx: sum(answer.Error3xxChart),
    errors4xx: sum(answer.Error4xxChart),
    errors5xx: sum(answer.Error5xxChart),
  };
}

/** The figures of several zones together; undefined where none has one. */
export function together(all: readonly DayFigures[]): DayFigures {
  const sum = (figure: Figure) => {
    const known = all.map((one) => one[figure]).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
  };
  const mean = (figure: Figure, by: Figure) => {
    const known = all.filter((one) => one[figure] !== undefined && (one[by] ?? 0) > 0);
    const whole = known.reduce((total, one) => total + one[by]!, 0);
    return whole === 0 ? undefined : known.reduce((total, one) => total + one[figure]! * one[by]!, 0) / whole;
  };
  return {
    requests: sum('requests'),
    bandwidth: sum('bandwidth'),
    hitRate: mean('hitRate', 'requests'),
    originTraffic: sum('originTraffic'),
    originResponse: mean('originResponse', 'pulled') ?? mean('originResponse', 'requests'),
    pulled: sum('pulled'),
    errors3xx: sum('errors3xx'),
    errors4xx: sum('errors4xx'),
    errors5xx: sum('errors5xx'),
  };
}

/** A part of the requests in percent; undefined when there were none or it is not known. */
export function rateOf(figures: DayFigures, part: 'errors3xx' | 'errors4xx' | 'errors5xx'): number | undefined {
  const { requests, [part]: errors } = figures;
  return requests === undefined || requests === 0 || errors === undefined ? undefined : (100 * errors) / requests;
}
