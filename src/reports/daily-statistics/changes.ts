import { median } from '../quantile.ts';
import { RATES } from '../statistics-watch/usual.ts';
import { type DayFigures, figuresOf, rateOf, type Series } from './figures.ts';
import {
  type BesideUsual,
  besideUsual,
  type DayOfHours,
  type HourValue,
  middleOf,
  requestsOf,
  type Span,
  spreadOf,
} from './usual.ts';

export type Measure = '5xx' | '4xx' | 'hit rate' | 'response time' | 'requests' | 'bandwidth';

export interface Change {
  of: number;
  measure: Measure;
  now: number;
  usual: number;
  /** How far beyond what matters: 1 is just so. */
  weight: number;
  /** The hours with nearly all of it; undefined where it is spread, or that is uncertain. */
  span: Span | undefined;
}

interface Rule {
  hour: HourValue;
  day: (figures: DayFigures) => number | undefined;
  /** What the hours of a day are weighed by. */
  weight: 'requests' | 'pulls';
  /** Smaller differences do not matter: in points, or as a logarithm where `isRatio`. */
  floor: (usual: number, requests: number) => number;
  /** What chance alone does to so many requests. */
  chance: (usual: number, requests: number) => number;
  /** How far ordinary days, and spans of hours, are off in all zones. */
  prior: { day: number; span: number };
  /** Standard deviations, where other than `DEVIATIONS`. */
  deviations?: { day: number; span: number };
  ways: 'up' | 'down' | 'both';
  isRatio?: boolean;
  isAmount?: boolean;
}

/** Seven looks at spans find something odd more often than one at the day. */
const DEVIATIONS = { day: 3.1, span: 4.8 };
/** Zones with fewer requests a day are not compared, nor spans with fewer than a part of them. */
const FEW_REQUESTS = 1000;
/** Of what would matter in a day. */
const PART = 0.45;
/** Zero, where ratios are compared. */
const NONE = 0.5;

/** Four standard deviations of the count. */
const chanceOfErrors = (usual: number, requests: number) =>
  requests === 0 ? 100 : (100 * Math.max(50, 4 * Math.sqrt((usual / 100) * requests))) / requests;
const chanceOfHits = (usual: number, requests: number) =>
  400 * Math.sqrt(((usual / 100) * (1 - usual / 100)) / Math.max(1, requests));
const chanceOfAmount = (usual: number) => 8 / Math.sqrt(Math.max(1, usual));
const logOf = (amount: number) => Math.log(Math.max(NONE, amount));
const share =
  (rate: '4xx' | '5xx' | 'hits'): HourValue =>
  (counts) =>
    counts.requests > 0 ? 100 * RATES[rate](counts) : undefined;

const RULES: Record<Measure, Rule> = {
  '5xx': {
    hour: share('5xx'),
    day: (day) => rateOf(day, 'errors5xx'),
    weight: 'requests',
    // Failures of a day that are news whatever their share.
    floor: (usual, requests) => Math.max(Math.min(0.3, (100 * 2000) / Math.max(1, requests)), usual / 4),
    chance: chanceOfErrors,
    prior: { day: 0.03, span: 0.05 },
    ways: 'up',
  },
  '4xx': {
    hour: share('4xx'),
    day: (day) => rateOf(day, 'errors4xx'),
    weight: 'requests',
    floor: () => 0.6,
    chance: chanceOfErrors,
    prior: { day: 0.12, span: 0.2 },
    ways: 'up',
  },
  'hit rate': {
    hour: share('hits'),
    day: (day) => day.hitRate,
    weight: 'requests',
    floor: () => 2,
    chance: chanceOfHits,
    prior: { day: 0.6, span: 0.9 },
    ways: 'down',
  },
  'response time': {
    hour: ({ waited, pulls }) => (pulls > 0 && waited > 0 ? Math.log(waited / pulls) : undefined),
    day: (day) => day.originResponse,
    weight: 'pulls',
    floor: (usual) => Math.log(1 + Math.max(0.17, 10 / Math.max(1, usual))),
    chance: () => 0,
    prior: { day: 0.04, span: 0.05 },
    ways: 'up',
    isRatio: true,
  },
  requests: {
    hour: ({ requests }) => logOf(requests),
    day: (day) => day.requests,
    weight: 'requests',
    floor: (usual) => 0.19 + chanceOfAmount(usual),
    chance: chanceOfAmount,
    prior: { day: 0.05, span: 0.07 },
    deviations: { day: 3.3, span: 5.8 },
    ways: 'both',
    isRatio: true,
    isAmount: true,
  },
  bandwidth: {
    hour: ({ bandwidth }) => logOf(bandwidth),
    day: (day) => day.bandwidth,
    weight: 'requests',
    floor: () => 0.3,
    chance: () => 0,
    prior: { day: 0.08, span: 0.1 },
    deviations: { day: 7, span: 12 },
    ways: 'both',
    isRatio: true,
    isAmount: true,
  },
};

const WHOLE: Span = { from: 0, to: 25 };
const SPANS: readonly Span[] = [0, 3, 6, 9, 12, 15, 18].map((from) => ({ from, to: from + 6 }));

interface Compared {
  now: number;
  usual: number;
  /** In points, or as a logarithm: the middle of the hours that are furthest off. */
  away: number;
  weight: number;
  span: Span | undefined;
}

/** The figure of each hour, as it was and as expected, and its weight. */
function hoursBeside({ days }: Series, rule: Rule, { expected, away }: BesideUsual, factor: number) {
  return days.at(-1)!.flatMap((hour, index) => {
    const [usual, off] = [expected[index], away[index]];
    if (hour === undefined) return [];
    if (usual === undefined || off === undefined) {
      // An hour that no other day has (clocks put back) is as it is.
      const own = rule.isAmount ? rule.hour(hour) : undefined;
      return own === undefined ? [] : [{ index, now: Math.exp(own), usual: Math.exp(own), weight: 1 }];
    }
    const [was, is] = rule.isRatio ? [Math.exp(usual), Math.exp(usual + off)] : [usual, usual + off];
    if (rule.isAmount) return [{ index, now: is > NONE ? is : 0, usual: was * factor, weight: 1 }];
    return [{ index, now: is, usual: was, weight: hour[rule.weight] }];
  });
}

type Hour = ReturnType<typeof hoursBeside>[number];

const total = (hours: readonly Hour[], value: (hour: Hour) => number) =>
  hours.reduce((sum, hour) => sum + value(hour), 0);

/** Undefined where too little is known. */
function figureOf(rule: Rule, hours: readonly Hour[], of: 'now' | 'usual'): number | undefined {
  const sum = total(hours, ({ [of]: value, weight }) => value * weight);
  if (rule.isAmount) return hours.length === 0 ? undefined : sum;
  const weights = total(hours, ({ weight }) => weight);
  return weights === 0 ? undefined : sum / weights;
}

/** Undefined where too little is known. */
export function usualOf(series: Series, measure: Measure): number | undefined {
  const rule = RULES[measure];
  const beside = besideUsual(series.days, rule.hour, rule.isAmount === true);
  return beside && figureOf(rule, hoursBeside(series, rule, beside, 1), 'usual');
}

/** The shortest run of hours with most of what is beyond the usual; undefined where it is spread or uncertain. */
function spanOf(hours: readonly Hour[], isAmount: boolean, away: number): Span | undefined {
  const beyond = (some: readonly Hour[]) =>
    total(some, ({ now, usual, weight }) => Math.sign(away) * (now - usual) * weight);
  const share = (some: readonly Hour[]) =>
    beyond(some) /
    Math.max(
      1,
      total(some, ({ usual, weight }) => (isAmount ? usual : weight)),
    );
  const whole = beyond(hours);
  if (whole <= 0) return undefined;
  for (let length = 1; length <= hours.length / 2; length += 1) {
    const held = (start: number) => beyond(hours.slice(start, start + length));
    let best = 0;
    for (let start = 1; start + length <= hours.length; start += 1) if (held(start) > held(best)) best = start;
    if (held(best) < 0.85 * whole) continue;
    // The hours in which it began and ended belong to it.
    const level = share(hours.slice(best, best + length)) / 2;
    let [first, last] = [best, best + length - 1];
    while (first > 0 && share([hours[first - 1]!]) > level) first -= 1;
    while (last < hours.length - 1 && share([hours[last + 1]!]) > level) last += 1;
    const inside = hours.slice(first, last + 1);
    if (inside.length > hours.length / 2) return undefined;
    const outside = hours.filter((hour) => !inside.includes(hour));
    // The other hours are near the usual, or it is spread.
    if (share(outside) > 0.15 * share(inside)) return undefined;
    return { from: inside[0]!.index, to: inside.at(-1)!.index + 1 };
  }
  return undefined;
}

interface Off extends Pick<Compared, 'away' | 'weight'> {
  isWhole: boolean;
}

/** `factor`: all zones moved by it. Undefined: nothing to compare. */
function compare(series: Series, measure: Measure, factor: number): Compared | undefined {
  const rule = RULES[measure];
  const { days } = series;
  const day = days.at(-1)!;
  const now = rule.day(figuresOf(day, series));
  const before = median(days.slice(0, -1).map(requestsOf)) ?? 0;
  const requests = requestsOf(day);
  if (now === undefined || Math.max(requests, measure === 'requests' ? before : 0) < FEW_REQUESTS) return undefined;
  const beside = besideUsual(days, rule.hour, rule.isAmount === true);
  if (beside === undefined) return undefined;
  const moved = rule.isAmount ? factor : 1;
  const hours = hoursBeside(series, rule, beside, moved);
  const usual = figureOf(rule, hours, 'usual');
  if (usual === undefined) return undefined;
  const matters = Math.max(rule.floor(usual, requests), rule.chance(usual, requests));
  const [first] = offsOf({ rule, beside, hours, moved, matters, day, usual })
    .filter(({ away }) => away * (now - usual) > 0 && isTold(rule, away))
    .sort((a, b) => b.weight - a.weight);
  if (first === undefined) return undefined;
  const { isWhole, ...most } = first;
  const span = spanOf(hours, rule.isAmount === true, most.away);
  if (span !== undefined) {
    // The figures of known hours say most.
    const inside = within(hours, span);
    return { now: figureOf(rule, inside, 'now')!, usual: figureOf(rule, inside, 'usual')!, ...most, span };
  }
  // Without hours that can be named, the day's figure has to show it.
  const shown = Math.abs(rule.isRatio ? logOf(now) - logOf(usual) : now - usual);
  return isWhole || shown >= PART * matters ? { now, usual, ...most, span } : undefined;
}

const isTold = ({ ways }: Rule, away: number) => ways === 'both' || (ways === 'up' ? away > 0 : away < 0);
const within = (hours: readonly Hour[], { from, to }: Span) => hours.filter(({ index }) => index >= from && index < to);

interface Beside {
  rule: Rule;
  beside: BesideUsual;
  hours: readonly Hour[];
  moved: number;
  matters: number;
  day: DayOfHours;
  usual: number;
}

function offsOf({ rule, beside, hours, moved, matters, day, usual }: Beside): Off[] {
  const { day: ofDay, span: ofSpan } = rule.deviations ?? DEVIATIONS;
  // On a holiday zones move by different factors.
  const slack = moved === 1 ? 0 : 0.06;
  const awayOf = (span: Span) => {
    const middle = middleOf(beside.away, span);
    return middle === undefined ? undefined : middle - Math.log(moved);
  };
  const [away, spread] = [awayOf(WHOLE), spreadOf(beside, [WHOLE], rule.prior.day)];
  const spreadOfSpans = spreadOf(beside, SPANS, rule.prior.span);
  const whole =
    away === undefined || spread === undefined
      ? []
      : [{ isWhole: true, away, weight: Math.abs(away) / (Math.max(matters, ofDay * spread) + slack) }];
  if (spreadOfSpans === undefined) return whole;
  const spans = SPANS.flatMap((span): Off[] => {
    const found = awayOf(span);
    const inside = within(hours, span);
    const served = requestsOf(day.slice(span.from, span.to));
    const expected = rule.isAmount ? total(inside, (hour) => hour.usual) : served;
    if (found === undefined || Math.max(served, expected) < 300) return [];
    const off = Math.abs(found);
    const chance = rule.chance(rule.isAmount ? expected : usual, served);
    const weights = [
      off / (ofSpan * spreadOfSpans + 2 * slack),
      partOf(rule, hours, inside, found) / (PART * matters),
      chance === 0 ? Number.POSITIVE_INFINITY : off / chance,
    ];
    return [{ isWhole: false, away: found, weight: Math.min(...weights) }];
  });
  return [...whole, ...spans];
}

function partOf(rule: Rule, hours: readonly Hour[], inside: readonly Hour[], away: number): number {
  if (rule.isAmount) {
    const change = total(inside, ({ now }) => now) * (1 - Math.exp(-away));
    return Math.abs(change) / Math.max(1, total(hours, ({ now }) => now) - change);
  }
  const weight = (some: readonly Hour[]) =>
    Math.max(
      1,
      total(some, (hour) => hour.weight),
    );
  return (Math.abs(rule.isRatio ? Math.exp(away) - 1 : away) * weight(inside)) / weight(hours);
}

/** As on a holiday; 1 where they did not. Zones count alike: one large zone is no holiday. */
export function movedTogether(zones: readonly Series[]): number {
  const moves = zones.flatMap(({ days }) => {
    if (requestsOf(days.at(-1) ?? []) < FEW_REQUESTS) return [];
    const beside = besideUsual(days, RULES.requests.hour, true);
    const away = beside && middleOf(beside.away, WHOLE);
    return away === undefined ? [] : [away];
  });
  const middle = median(moves) ?? 0;
  const alike = moves.filter((move) => move * middle > 0 && Math.abs(move) > 0.08).length;
  return moves.length >= 4 && Math.abs(middle) > 0.12 && alike >= 0.75 * moves.length ? Math.exp(middle) : 1;
}

/** In no order; a level that stood out the day before is no news. `together`: all zones moved by it. */
export function changesOf(series: Series, of: number, together = 1): Change[] {
  const before = { ...series, days: series.days.slice(0, -1) };
  const changes = (Object.keys(RULES) as Measure[]).flatMap((measure): Change[] => {
    const found = series.days.length === 0 ? undefined : compare(series, measure, together);
    if (found === undefined || found.weight < 1) return [];
    const earlier = compare(before, measure, 1);
    // A level is said once and then adopted.
    const isLevel = earlier !== undefined && earlier.weight >= 1 && earlier.away * found.away > 0;
    if (isLevel && Math.abs(found.away) < 1.5 * Math.abs(earlier.away)) return [];
    const { away: _, ...change } = found;
    return [{ of, measure, ...change }];
  });
  // Bytes follow requests.
  const requests = changes.some(({ measure }) => measure === 'requests');
  return changes.filter(({ measure }) => measure !== 'bandwidth' || !requests);
}
