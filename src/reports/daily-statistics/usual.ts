import { median } from '../quantile.ts';
import type { Counts } from '../statistics-watch/counts.ts';

/** First to last; undefined where the platform counted none. */
export type DayOfHours = readonly (Counts | undefined)[];

/** A logarithm where ratios are compared. */
export type HourValue = (counts: Counts) => number | undefined;

type Hourly = readonly (number | undefined)[];

export interface BesideUsual {
  expected: Hourly;
  away: Hourly;
  before: readonly Hourly[];
}

/** At least; and at most, where weekdays do not matter. */
const FEW_DAYS = 7;

const isKnown = (value: number | undefined): value is number => value !== undefined;
const medianOf = (values: readonly (number | undefined)[]) => median(values.filter(isKnown));
const less = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? undefined : one - other;

export const requestsOf = (day: DayOfHours): number => day.reduce((sum, hour) => sum + (hour?.requests ?? 0), 0);

/** `hasWeekdays`: the same hour of the same weekday, at the last week's level. Else of the last ten days. Undefined: unknown. */
export function besideUsual(
  days: readonly DayOfHours[],
  value: HourValue,
  hasWeekdays: boolean,
): BesideUsual | undefined {
  const last = days.length - 1;
  const requests = days.map(requestsOf);
  // A day with less than this part of a zone's traffic says little: a new zone has no usual.
  const faint = 0.1 * (median(requests.slice(0, last).filter((count) => count > 0)) ?? 0);
  const values = days.map((day, index) => {
    if (index < last && (requests[index] === 0 || requests[index]! < faint)) return undefined;
    return day.map((hour) => (hour === undefined ? undefined : value(hour)));
  });
  if (values.filter((day, index) => index < last && day !== undefined).length < FEW_DAYS) return undefined;
  const expectedOn = hasWeekdays ? weekly(values) : recent(values);
  const awayOn = (index: number) => {
    const expected = values[index] && expectedOn(index);
    return expected && { expected, away: values[index]!.map((found, hour) => less(found, expected[hour])) };
  };
  const found = awayOn(last);
  if (found === undefined) return undefined;
  const before = [];
  // Enough to tell how far a day is usually off.
  for (let index = last - 1; index >= Math.max(0, last - 24); index -= 1) before.push(awayOn(index)?.away);
  return { ...found, before: before.filter((day) => day !== undefined) };
}

type Values = readonly (Hourly | undefined)[];

/** By the same hours of the last days. */
function recent(values: Values) {
  return (index: number): Hourly | undefined => {
    const past = values
      .slice(0, index)
      .filter((day) => day !== undefined)
      .slice(-10);
    if (past.length < FEW_DAYS) return undefined;
    return Array.from({ length: values[index]!.length }, (_, hour) => {
      const known = past.map((day) => day[hour]).filter(isKnown);
      return known.length < 4 ? undefined : median(known);
    });
  };
}

/** By the weekday's hours beside their week, at the level of the last seven days. */
function weekly(values: Values) {
  const last = values.length - 1;
  const totals = values.map((day) =>
    day === undefined
      ? undefined
      : Math.log(day.reduce<number>((sum, one) => sum + (one === undefined ? 0 : Math.exp(one)), 0)),
  );
  /** Each weekday counts once. */
  const weekOf = (index: number) => {
    const first = Math.min(Math.max(0, index - 3), last - FEW_DAYS);
    const week = first < 0 ? [] : totals.slice(first, first + FEW_DAYS).filter(isKnown);
    return week.length === FEW_DAYS ? median(week) : undefined;
  };
  const weeks = values.map((_, index) => (index < last ? weekOf(index) : undefined));
  const shapes = Array.from({ length: FEW_DAYS }, (_, weekday) => {
    const alike = values.flatMap((day, index) =>
      index < last && day !== undefined && weeks[index] !== undefined && (last - index) % FEW_DAYS === weekday
        ? [day.map((found) => less(found, weeks[index]))]
        : [],
    );
    if (alike.length < 2) return undefined;
    // Hours of a day whose clocks are not changed.
    return Array.from({ length: 24 }, (_, hour) => medianOf(alike.map((day) => day[hour])));
  });
  const shapeOf = (index: number) => shapes[(last - index) % FEW_DAYS];
  const levels = values.map((day, index) =>
    index < last ? medianOf(day?.map((found, hour) => less(found, shapeOf(index)?.[hour])) ?? []) : undefined,
  );
  return (index: number): Hourly | undefined => {
    const before = levels.slice(Math.max(0, index - FEW_DAYS), index).filter(isKnown);
    const level = before.length < 4 ? undefined : median(before)!;
    const shape = shapeOf(index);
    return level === undefined || shape === undefined
      ? undefined
      : shape.map((one) => (one === undefined ? undefined : one + level));
  };
}

export interface Span {
  from: number;
  to: number;
}

export function middleOf(hours: Hourly, { from, to }: Span): number | undefined {
  const known = hours.slice(from, to).filter(isKnown);
  return known.length < (Math.min(to, hours.length) - from) / 2 ? undefined : median(known);
}

/** The prior counts as much as so many days. */
const PRIOR_DAYS = 4;

/** A standard deviation, of `beside`'s days and, where they are few, the `prior`. Undefined: too little is known. */
export function spreadOf({ before }: BesideUsual, spans: readonly Span[], prior: number): number | undefined {
  const off = before
    .flatMap((day) => spans.map((span) => middleOf(day, span)))
    .filter(isKnown)
    .map(Math.abs);
  if (before.length < 4 || off.length < 4) return undefined;
  const ordinary = Float64Array.from(off)
    .sort()
    // Ordinary days alone say how far a day may be off: the nearest 80 %.
    .subarray(0, Math.max(4, Math.round(0.8 * off.length)));
  const mean = ordinary.reduce((sum, one) => sum + one * one, 0) / ordinary.length;
  // Of a normal distribution these have 1 / 1.53 of its standard deviation.
  const own = 1.53 ** 2 * mean;
  return Math.sqrt((before.length * own + PRIOR_DAYS * prior ** 2) / (before.length + PRIOR_DAYS));
}
