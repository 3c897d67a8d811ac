import type { Chart, StatisticsAnswer } from '../platform/types.ts';

/** What a day of a zone (or of the account) comes to. Undefined: the platform sent no figure for it. */
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
  errors3xx: number | undefined;
  errors4xx: number | undefined;
  errors5xx: number | undefined;
}

export type Figure = keyof DayFigures;

const DAY = 86_400_000;

/** Days of which figures are compared: yesterday back to the same weekday of the week before. */
export const DAYS_COMPARED = 8;

/** `yyyy-MM-dd` in UTC, as the platform's days are. */
export function dayKey(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The days that a report of this moment compares, oldest first; the last is the last whole UTC day. */
export function daysBefore(now: Date): Date[] {
  const today = Math.floor(now.getTime() / DAY) * DAY;
  return Array.from({ length: DAYS_COMPARED }, (_, index) => new Date(today - (DAYS_COMPARED - index) * DAY));
}

/** The figures of one day in an answer with daily points. */
export function figuresOf(answer: StatisticsAnswer, day: Date): DayFigures {
  const on = (chart: Chart | undefined) => pointOf(chart, day);
  return {
    requests: on(answer.RequestsServedChart),
    bandwidth: on(answer.BandwidthUsedChart),
    hitRate: on(answer.CacheHitRateChart),
    originTraffic: on(answer.OriginTrafficChart),
    originResponse: on(answer.OriginResponseTimeChart),
    errors3xx: on(answer.Error3xxChart),
    errors4xx: on(answer.Error4xxChart),
    errors5xx: on(answer.Error5xxChart),
  };
}

function pointOf(chart: Chart | undefined, day: Date): number | undefined {
  const key = dayKey(day);
  const found = Object.entries(chart ?? {}).find(([instant]) => instant.startsWith(key));
  return found?.[1];
}

/** A part of the requests in percent; undefined when there were none or it is not known. */
export function rateOf(figures: DayFigures, part: 'errors4xx' | 'errors5xx'): number | undefined {
  const { requests, [part]: errors } = figures;
  return requests === undefined || requests === 0 || errors === undefined ? undefined : (100 * errors) / requests;
}

/** Several zones together: sums, and averages weighted by requests. Undefined where no zone has the figure. */
export function sumOf(zones: readonly DayFigures[]): DayFigures {
  const sum = (figure: Figure) => {
    const known = zones.map((zone) => zone[figure]).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
  };
  const average = (figure: Figure) => {
    const known = zones.filter((zone) => zone[figure] !== undefined);
    const weight = known.reduce((total, { requests = 0 }) => total + requests, 0);
    if (weight === 0) return undefined;
    return known.reduce((total, zone) => total + zone[figure]! * (zone.requests ?? 0), 0) / weight;
  };
  return {
    requests: sum('requests'),
    bandwidth: sum('bandwidth'),
    hitRate: average('hitRate'),
    originTraffic: sum('originTraffic'),
    originResponse: average('originResponse'),
    errors3xx: sum('errors3xx'),
    errors4xx: sum('errors4xx'),
    errors5xx: sum('errors5xx'),
  };
}
