import { HOUR } from '../../time.ts';
import { type Counts, type Hours, sumOf } from '../statistics-watch/counts.ts';
import type { DayOfHours } from '../usual.ts';
import type { ReportDay } from './days.ts';

/** Undefined: the platform sent none. */
export interface DayFigures {
  requests: number | undefined;
  bandwidth: number | undefined;
  hitRate: number | undefined;
  originResponse: number | undefined;
  errors4xx: number | undefined;
  errors5xx: number | undefined;
}

/** Oldest first. The report is about the last day. */
export interface Series {
  name: string;
  days: readonly DayOfHours[];
  /** False: for weeks there were none, so the platform may not count them. */
  hasErrors: boolean;
}

/** An hour at the edge of a day belongs to the day with its greater half. */
export function seriesOf(name: string, hours: Hours, days: readonly ReportDay[]): Series {
  const known = Object.values(hours);
  return {
    name,
    days: days.map(({ from, to }) => {
      const first = Math.ceil((from.getTime() - HOUR / 2) / HOUR) * HOUR;
      const length = Math.round((to.getTime() - from.getTime()) / HOUR);
      return Array.from({ length }, (_, hour): Counts | undefined => hours[first + hour * HOUR]);
    }),
    hasErrors: known.some(({ errors4xx, errors5xx }) => errors4xx + errors5xx > 0),
  };
}

export function addedHours(all: readonly Series[], name: string, days: number): Series {
  const [first] = all;
  return {
    name,
    days: (first?.days ?? Array<DayOfHours>(days).fill([])).map((day, index) =>
      day.map((_, hour) => {
        const known = all.map(({ days }) => days[index]![hour]).filter((counts) => counts !== undefined);
        return known.length === 0 ? undefined : sumOf(known);
      }),
    ),
    hasErrors: all.some(({ hasErrors }) => hasErrors),
  };
}

export function figuresOf(day: DayOfHours, { hasErrors }: Series): DayFigures {
  const known = day.filter((hour) => hour !== undefined);
  const { requests, bandwidth, pulls, waited, errors4xx, errors5xx } = sumOf(known);
  const isCounted = known.length > 0;
  const isThere = isCounted && (hasErrors || requests === 0);
  return {
    requests: isCounted ? requests : undefined,
    bandwidth: isCounted && (bandwidth > 0 || requests === 0) ? bandwidth : undefined,
    // An origin may be asked more often than visitors ask.
    hitRate: requests > 0 ? Math.max(0, 100 * (1 - pulls / requests)) : undefined,
    originResponse: pulls > 0 && waited > 0 ? waited / pulls : undefined,
    errors4xx: isThere ? errors4xx : undefined,
    errors5xx: isThere ? errors5xx : undefined,
  };
}

/** In percent. Undefined: unknown, or there were no requests. */
export function rateOf(figures: DayFigures, part: 'errors4xx' | 'errors5xx'): number | undefined {
  const { requests, [part]: errors } = figures;
  return requests === undefined || requests === 0 || errors === undefined ? undefined : (100 * errors) / requests;
}
