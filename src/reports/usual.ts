import { DAY, HOUR } from '../time.ts';
import { median, quantile } from './quantile.ts';
import type { Counts, Hours } from './statistics-watch/counts.ts';

/*
 * What is usual for a zone. The watch, the error summary and the morning report share this model.
 *
 * A day is a row of hours. The figure of an hour is
 *   level of its day + season of its hour + how far it is off.
 * Requests and bandwidth have a season for each hour of the week, shares and times one for each hour of the day.
 * Level and season are medians of what the other leaves: a median polish (Tukey, Exploratory Data Analysis, 1977). One odd week of
 * the four does not move them. A day is expected to have its season at the median level of the seven days before. So a holiday or
 * an outage of the day before is not a new level, but a level that lasts is, after four days.
 * Ratios (requests, bytes, times) are compared as logarithms, shares as they are.
 * A share or time that both weeks before had at this hour of the week is planned: the median of the three is expected.
 * Quantiles of the rest of earlier days say how far off ordinary hours are.
 */

/** Stands for zero in logarithms. */
const NONE = 0.5;

export type Figure = Amount | '4xx' | '5xx' | 'hits' | 'response';
export type Amount = 'requests' | 'bandwidth' | 'shielded';
export type Rate = Exclude<Figure, Amount>;

/** Shares from 0 to 1; `response` in milliseconds. */
export const RATES: Readonly<Record<Rate, (counts: Counts) => number>> = {
  '4xx': ({ errors4xx, requests }) => errors4xx / requests,
  '5xx': ({ errors5xx, requests }) => errors5xx / requests,
  // One request may pull twice.
  hits: ({ requests, pulls }) => Math.max(0, 1 - pulls / requests),
  response: ({ waited, pulls }) => waited / pulls,
};

export const isAmount = (figure: string): figure is Amount => ['requests', 'bandwidth', 'shielded'].includes(figure);
export const isRatio = (figure: Figure): boolean => isAmount(figure) || figure === 'response';

/** The value for comparison. Undefined: there is nothing to compare. */
export function comparable(figure: Figure, counts: Counts): number | undefined {
  const value = isAmount(figure) ? Math.max(NONE, counts[figure] ?? Number.NaN) : RATES[figure](counts);
  if (!Number.isFinite(value) || (isRatio(figure) && value <= 0)) return undefined;
  return isRatio(figure) ? Math.log(value) : value;
}

/** In the order of the day. Undefined: the platform counted nothing, or too little. */
export type Hourly = readonly (number | undefined)[];
export type DayOfHours = readonly (Counts | undefined)[];

export interface Usual {
  /** What is expected of the day after the last one. */
  expected: Hourly;
  /** For earlier days, newest first: what was expected, and how far off they were. */
  past: readonly { expected: Hourly; off: Hourly }[];
}

const WEEK = 7;
/** In a normal distribution, `part` of the values lie within this many standard deviations. */
const ORDINARY = { part: 0.8, deviations: 1.2816 };

export const isKnown = <T>(value: T | undefined): value is T => value !== undefined;
export const medianOf = (values: Hourly): number | undefined => median(values.filter(isKnown));
export const less = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? undefined : one - other;

export const requestsOf = (day: DayOfHours): number => day.reduce((sum, hour) => sum + (hour?.requests ?? 0), 0);

/** The four weeks up to an hour. Hours before the first request are unknown. */
export function daysUpTo(hours: Hours, end: number): DayOfHours[] {
  const all = Object.keys(hours).map(Number);
  const birth = all.reduce((first, at) => (at < first && hours[at]!.requests > 0 ? at : first), end);
  return Array.from({ length: 4 * WEEK }, (_, day) =>
    Array.from({ length: 24 }, (_, hour) => {
      const at = end - (4 * WEEK - day) * DAY + hour * HOUR;
      return at < birth ? undefined : hours[at];
    }),
  );
}

/** One figure for all hours; undefined for days without requests. */
export function figuresIn(
  days: readonly DayOfHours[],
  value: (counts: Counts) => number | undefined,
): (Hourly | undefined)[] {
  return days.map((day) => (requestsOf(day) === 0 ? undefined : day.map((counts) => counts && value(counts))));
}

/** Undefined: fewer than `least` days are known, or with `isWeekly` fewer than two weeks. */
export function usualOf(
  days: readonly (Hourly | undefined)[],
  { isWeekly, least = WEEK }: { isWeekly: boolean; least?: number },
): Usual | undefined {
  const next = days.length;
  if (days.filter(isKnown).length < least) return undefined;
  const period = isWeekly ? WEEK : 1;
  const phaseOf = (index: number) => (next - index) % period;
  const middles = days.map((day) => day && medianOf(day));
  // The week around each day, so that each weekday counts once.
  const weeks = days.map((_, index) => {
    const first = Math.max(0, Math.min(index - 3, next - WEEK));
    return medianOf(middles.slice(first, first + WEEK));
  });
  const seasons = Array.from({ length: period }, (_, phase): Hourly => {
    const alike = days.flatMap((day, index) =>
      day !== undefined && phaseOf(index) === phase ? [day.map((value) => less(value, weeks[index]))] : [],
    );
    // 24 hours, as on a day without a change of clocks.
    return alike.length < 2 ? [] : Array.from({ length: 24 }, (_, hour) => medianOf(alike.map((day) => day[hour])));
  });
  const beside = (day: Hourly, usual: Hourly) => day.map((value, hour) => less(value, usual[hour]));
  const levels = days.map((day, index) => day && medianOf(beside(day, seasons[phaseOf(index)]!)));
  const expectedOn = (index: number): Hourly | undefined => {
    const before = levels.slice(Math.max(0, index - WEEK), index).filter(isKnown);
    const level = before.length < Math.min(4, least) ? undefined : median(before);
    return level === undefined
      ? undefined
      : seasons[phaseOf(index)]!.map((value) => (value === undefined ? undefined : value + level));
  };
  const season = expectedOn(next);
  if (season?.some(isKnown) !== true) return undefined;
  const [last, before] = [days[next - WEEK], days[next - 2 * WEEK]];
  const expected = season.map((value, hour) => {
    const all = [value, last?.[hour], before?.[hour]];
    return isWeekly || !all.every(isKnown) ? value : medianOf(all);
  });
  const past = days
    .flatMap((day, index) => {
      const usual = day && expectedOn(index);
      return day && usual ? [{ expected: usual, off: beside(day, usual) }] : [];
    })
    .reverse();
  return { expected, past };
}

/** The standard deviation of these deviations. */
export const spreadOf = (off: Hourly): number | undefined => {
  const far = quantile(off.filter(isKnown).map(Math.abs), ORDINARY.part);
  return Number.isNaN(far) ? undefined : far / ORDINARY.deviations;
};
