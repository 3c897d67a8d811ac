import { median } from '../quantile.ts';
import { sumOf } from '../statistics-watch/counts.ts';
import {
  comparable,
  type DayOfHours,
  type Figure,
  figuresIn,
  type Hourly,
  isAmount,
  isRatio,
  less,
  medianOf,
  requestsOf,
  spreadOf,
  usualOf,
} from '../usual.ts';

export type Measure = '5xx' | '4xx' | 'hit rate' | 'response time' | 'requests' | 'bandwidth';

/** Hours of a day; `to` is excluded. */
interface Span {
  from: number;
  to: number;
}

export interface Change {
  of: number;
  measure: Measure;
  now: number;
  usual: number;
  /** How much it matters: 1 is just enough. */
  weight: number;
  /** The hours with nearly all of the change. Undefined: it is spread out, or that is uncertain. */
  span: Span | undefined;
}

interface Rule {
  figure: Exclude<Figure, 'shielded'>;
  /** Smaller differences of a day do not matter. In points, or as a logarithm for ratios. */
  floor: (usual: number, requests: number) => number;
  /** How far off ordinary days and spans of hours are, over all zones. */
  prior: { day: number; span: number };
  /** Standard deviations, if not `DEVIATIONS`. */
  deviations?: { day: number; span: number };
  ways: 'up' | 'down' | 'both';
}

/** Stricter for spans: seven looks at spans find something odd more often than one look at the day. */
const DEVIATIONS = { day: 3.4, span: 5.2 };
/** With fewer requests a day, or a span, nothing is compared. */
const FEW_REQUESTS = { day: 1000, span: 300 };
/** The prior counts as much as this many days. */
const PRIOR_DAYS = 4;

const RULES: Record<Measure, Rule> = {
  '5xx': {
    figure: '5xx',
    // 2,000 failures a day are news whatever their share.
    floor: (usual, requests) => Math.max(Math.min(0.3, (100 * 2000) / Math.max(1, requests)), usual / 4),
    prior: { day: 0.03, span: 0.05 },
    ways: 'up',
  },
  '4xx': { figure: '4xx', floor: () => 0.6, prior: { day: 0.12, span: 0.2 }, ways: 'up' },
  'hit rate': { figure: 'hits', floor: () => 2, prior: { day: 0.6, span: 0.9 }, ways: 'down' },
  'response time': {
    figure: 'response',
    floor: (usual) => Math.log(1 + Math.max(0.17, 10 / Math.max(1, usual))),
    prior: { day: 0.04, span: 0.05 },
    ways: 'up',
  },
  requests: {
    figure: 'requests',
    floor: (usual) => 0.19 + chanceOf('requests', usual),
    prior: { day: 0.05, span: 0.07 },
    deviations: { day: 3.6, span: 6.4 },
    ways: 'both',
  },
  bandwidth: {
    figure: 'bandwidth',
    floor: () => 0.3,
    prior: { day: 0.08, span: 0.1 },
    deviations: { day: 7, span: 12 },
    ways: 'both',
  },
};

/** Four standard deviations of pure chance with this many requests. */
function chanceOf(figure: Figure, usual: number, requests = usual): number {
  const of = Math.max(1, requests);
  if (figure === 'requests') return 8 / Math.sqrt(of);
  if (isRatio(figure)) return 0;
  const part = Math.min(1, usual / 100);
  const chance = 400 * Math.sqrt((part * (1 - part)) / of);
  // Fewer errors trouble nobody.
  return figure === 'hits' ? chance : Math.max(chance, (100 * 50) / of);
}

const WHOLE: Span = { from: 0, to: 25 };
const SPANS: readonly Span[] = [0, 3, 6, 9, 12, 15, 18].map((from) => ({ from, to: from + 6 }));

/** In the measure’s own unit: percent, milliseconds, requests or bytes. */
interface Hour {
  index: number;
  now: number;
  usual: number;
  weight: number;
}

interface BesideUsual {
  hours: Hour[];
  /** In points, or as a logarithm. */
  away: Hourly;
  /** How far off earlier days were. */
  past: readonly Hourly[];
}

const own = ({ figure }: Rule, value: number) => (isRatio(figure) ? Math.exp(value) : 100 * value);
const points = ({ figure }: Rule, off: number) => (isRatio(figure) ? off : 100 * off);

/** Compares the last day. `factor` scales what is expected of amounts. Undefined: too little is known. */
function besideUsual(days: readonly DayOfHours[], rule: Rule, factor = 1): BesideUsual | undefined {
  const { figure } = rule;
  const moved = isAmount(figure) ? factor : 1;
  const usual = usualOf(
    figuresIn(days.slice(0, -1), (counts) => comparable(figure, counts)),
    { isWeekly: isAmount(figure) },
  );
  if (usual === undefined) return undefined;
  const values = days.at(-1)!.map((counts) => counts && comparable(figure, counts));
  // Where clocks were changed, or elsewhere were not, the zone’s day is an hour earlier or later, which fits far better.
  const clocks = [0, -1, 1].map((by) => {
    const expected = values.map((_, hour) => usual.expected[hour + by] ?? usual.expected[hour]);
    const off = values.map((value, hour) => less(value, expected[hour]));
    const misfit = spreadOf(off.map((one) => less(one, medianOf(off)))) ?? 0;
    return { expected, off, misfit: by === 0 ? misfit : 2 * misfit };
  });
  const [fitting] = clocks.sort((one, other) => one.misfit - other.misfit);
  const away = fitting!.off.map((off) => (off === undefined ? undefined : points(rule, off) - Math.log(moved)));
  const hours = days.at(-1)!.flatMap((counts, index): Hour[] => {
    const [value, expected] = [values[index], fitting!.expected[index]];
    if (value === undefined || (expected === undefined && !isAmount(figure))) return [];
    // An hour that no other day has (clocks put back) counts as usual.
    const was = expected === undefined ? own(rule, value) : own(rule, expected) * moved;
    if (isAmount(figure)) return [{ index, now: counts![figure], usual: was, weight: 1 }];
    return [
      { index, now: own(rule, value), usual: was, weight: counts![figure === 'response' ? 'pulls' : 'requests'] },
    ];
  });
  return { hours, away, past: usual.past.map(({ off }) => off.map((value) => value && points(rule, value))) };
}

function middleOf(hours: Hourly, { from, to }: Span): number | undefined {
  const known = hours.slice(from, to).filter((value) => value !== undefined);
  return known.length < (Math.min(to, hours.length) - from) / 2 ? undefined : median(known);
}

/** How far off ordinary days or spans are. Undefined: too little is known. */
function ordinaryOff({ past }: BesideUsual, spans: readonly Span[], prior: number): number | undefined {
  const spread = spreadOf(past.flatMap((day) => spans.map((span) => middleOf(day, span))));
  if (spread === undefined || past.length < 4) return undefined;
  return Math.sqrt((past.length * spread ** 2 + PRIOR_DAYS * prior ** 2) / (past.length + PRIOR_DAYS));
}

const total = (hours: readonly Hour[], value: (hour: Hour) => number) =>
  hours.reduce((sum, hour) => sum + value(hour), 0);

const weighed =
  ({ figure }: Rule) =>
  ({ usual, weight }: Hour) =>
    isAmount(figure) ? usual : weight;

/** Undefined where too little is known. */
function figureOf({ figure }: Rule, hours: readonly Hour[], of: 'now' | 'usual'): number | undefined {
  const sum = total(hours, ({ [of]: value, weight }) => value * weight);
  const weights = total(hours, ({ weight }) => weight);
  return weights === 0 ? undefined : isAmount(figure) ? sum : sum / weights;
}

/** Undefined where too little is known. */
export function usualFigure({ days }: { days: readonly DayOfHours[] }, measure: Measure): number | undefined {
  const beside = besideUsual(days, RULES[measure]);
  return beside && figureOf(RULES[measure], beside.hours, 'usual');
}

/** The shortest run of hours with most of the change. Undefined: it is spread out, or uncertain. */
function spanOf(hours: readonly Hour[], rule: Rule, away: number): Span | undefined {
  const beyond = (some: readonly Hour[]) =>
    total(some, ({ now, usual, weight }) => Math.sign(away) * (now - usual) * weight);
  const share = (some: readonly Hour[]) => beyond(some) / Math.max(1, total(some, weighed(rule)));
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
    const outside = hours.filter((hour) => !inside.includes(hour));
    // The other hours are near the usual, or it is spread.
    if (inside.length > hours.length / 2 || share(outside) > 0.15 * share(inside)) return undefined;
    return { from: inside[0]!.index, to: inside.at(-1)!.index + 1 };
  }
  return undefined;
}

interface Compared extends Pick<Change, 'now' | 'usual' | 'weight' | 'span'> {
  /** In points, or as a logarithm: the middle of the hours that are furthest off. */
  away: number;
}

/** `factor`: all zones moved by it. Undefined: nothing to compare. */
function compare(days: readonly DayOfHours[], measure: Measure, factor: number): Compared | undefined {
  const rule = RULES[measure];
  const { figure, ways } = rule;
  const sum = sumOf(days.at(-1)!.filter((hour) => hour !== undefined));
  const before = median(days.slice(0, -1).map(requestsOf)) ?? 0;
  if (Math.max(sum.requests, measure === 'requests' ? before : 0) < FEW_REQUESTS.day) return undefined;
  const value = comparable(figure, sum);
  const beside = value === undefined ? undefined : besideUsual(days, rule, factor);
  const usual = beside && figureOf(rule, beside.hours, 'usual');
  if (value === undefined || beside === undefined || usual === undefined) return undefined;
  const now = isAmount(figure) ? sum[figure] : own(rule, value);
  const floor = rule.floor(usual, sum.requests);
  const [most] = [WHOLE, ...SPANS]
    .flatMap(
      (span) => offIn(span, rule, beside, { day: days.at(-1)!, floor, usual, slack: factor === 1 ? 0 : 0.06 }) ?? [],
    )
    .filter(({ away }) => away * (now - usual) > 0 && (ways === 'both' || ways === (away > 0 ? 'up' : 'down')))
    .sort((a, b) => b.weight - a.weight);
  const span = most && spanOf(beside.hours, rule, most.away);
  if (most === undefined) return undefined;
  // Without hours that can be named, the day's figure has to show it.
  const shown = Math.abs(isRatio(figure) ? Math.log(Math.max(0.5, now) / Math.max(0.5, usual)) : now - usual);
  if (span === undefined) return shown < floor ? undefined : { now, usual, ...most, span };
  // The figures of known hours say most.
  const inside = within(beside.hours, span);
  return { now: figureOf(rule, inside, 'now')!, usual: figureOf(rule, inside, 'usual')!, ...most, span };
}

const within = (hours: readonly Hour[], { from, to }: Span) => hours.filter(({ index }) => index >= from && index < to);

/** `slack`: on a holiday zones move by different factors. */
function offIn(
  span: Span,
  rule: Rule,
  beside: BesideUsual,
  { day, floor, usual, slack }: { day: DayOfHours; floor: number; usual: number; slack: number },
): Pick<Compared, 'away' | 'weight'> | undefined {
  const { figure, prior, deviations = DEVIATIONS } = rule;
  const is = span === WHOLE ? 'day' : 'span';
  const away = middleOf(beside.away, span);
  const spread = ordinaryOff(beside, span === WHOLE ? [WHOLE] : SPANS, prior[is]);
  const served = requestsOf(day.slice(span.from, span.to));
  const inside = total(within(beside.hours, span), weighed(rule));
  const of = isAmount(figure) ? Math.max(served, inside) : served;
  if (away === undefined || spread === undefined || of < FEW_REQUESTS[is]) return undefined;
  // What hours are off shows in the day as the part that they are of it.
  // A span matters from this part of what matters for a day.
  const matters = is === 'day' ? floor : (0.45 * floor * total(beside.hours, weighed(rule))) / Math.max(1, inside);
  const least = Math.max(matters, chanceOf(figure, usual, of), deviations[is] * spread);
  return { away, weight: Math.abs(away) / (least + slack) };
}

/** As on a holiday; 1 where they did not. Zones count alike: one large zone is not a holiday. */
export function movedTogether(zones: readonly { days: readonly DayOfHours[] }[]): number {
  const moves = zones.flatMap(({ days }) => {
    if (requestsOf(days.at(-1) ?? []) < FEW_REQUESTS.day) return [];
    const beside = besideUsual(days, RULES.requests);
    return (beside && middleOf(beside.away, WHOLE)) ?? [];
  });
  const middle = median(moves) ?? 0;
  const alike = moves.filter((move) => move * middle > 0 && Math.abs(move) > 0.08).length;
  return moves.length >= 4 && Math.abs(middle) > 0.12 && alike >= 0.75 * moves.length ? Math.exp(middle) : 1;
}

/** In no order; a level that stood out the day before is not news. `together`: all zones moved by it. */
export function changesOf({ days }: { days: readonly DayOfHours[] }, of: number, together = 1): Change[] {
  const changes = (Object.keys(RULES) as Measure[]).flatMap((measure): Change[] => {
    const found = days.length === 0 ? undefined : compare(days, measure, together);
    if (found === undefined || found.weight < 1) return [];
    const earlier = compare(days.slice(0, -1), measure, 1);
    // A level is reported once and then adopted. What had ended in between is not a level.
    const wentOn = (earlier?.span?.to ?? 24) >= 24 && (found.span?.from ?? 0) === 0;
    const isLevel = earlier !== undefined && earlier.weight >= 1 && earlier.away * found.away > 0 && wentOn;
    if (isLevel && Math.abs(found.away) < 1.5 * Math.abs(earlier.away)) return [];
    const { away: _, ...change } = found;
    return [{ of, measure, ...change }];
  });
  // Bytes follow requests.
  const requests = changes.some(({ measure }) => measure === 'requests');
  return changes.filter(({ measure }) => measure !== 'bandwidth' || !requests);
}
