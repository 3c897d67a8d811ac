import { bytes, count, duration, percent, type Reading } from '../../blocks/format.ts';
import { type DayFigures, rateOf } from './figures.ts';

/** A day of a zone beside those before it, oldest first; `hours` is how long each was. */
export interface Series {
  name: string;
  days: readonly (DayFigures & { hours: number })[];
}

/** The usual of a figure, robustly. */
export interface Usual {
  median: number;
  /** How far days like it are from their own usual, as a standard deviation; in logarithms where it is counted. */
  spread: number;
}

/** The figures that are compared. */
export type Measure = '5xx' | '4xx' | 'hit rate' | 'response time' | 'requests' | 'bandwidth';

/** A change that somebody would miss. */
export interface Change {
  /** Index in what was compared. */
  of: number;
  measure: Measure;
  now: number;
  usual: number;
  /** How far beyond what matters: 1 is just so. */
  weight: number;
}

type Value = (day: DayFigures) => number | undefined;

interface Rule {
  value: Value;
  /** Smaller differences matter to nobody: in points, or as a logarithm where `isRatio`. */
  floor: (usual: number, day: DayFigures) => number;
  /** So many standard deviations. */
  deviations: number;
  /** The direction that is worth a word. */
  ways: 'up' | 'down' | 'both';
  /** Compared as a ratio. */
  isRatio?: boolean;
  /** It grows with the length of the day, and has a weekday. */
  isCounted?: boolean;
}

const FEW_REQUESTS = 1000;
const FEW_ERRORS = 50;
/** Failures of a day that are news whatever their share. */
const MANY_FAILURES = 2000;

/** Where few fail, chance alone moves the share: four standard deviations of the count. */
const chance = (usual: number, { requests = 0 }: DayFigures) =>
  requests === 0 ? 100 : (100 * Math.max(FEW_ERRORS, 4 * Math.sqrt((usual / 100) * requests))) / requests;

const RULES: Record<Measure, Rule> = {
  '5xx': {
    value: (day) => rateOf(day, 'errors5xx'),
    floor: (usual, day) =>
      Math.max(chance(usual, day), Math.min(0.3, (100 * MANY_FAILURES) / Math.max(1, day.requests ?? 0)), usual / 4),
    deviations: 3.2,
    ways: 'up',
  },
  '4xx': {
    value: (day) => rateOf(day, 'errors4xx'),
    floor: (usual, day) => Math.max(chance(usual, day), 0.6),
    deviations: 3.2,
    ways: 'up',
  },
  'hit rate': { value: (day) => day.hitRate, floor: () => 2.2, deviations: 2.6, ways: 'down' },
  'response time': {
    value: (day) => day.originResponse,
    floor: (usual) => Math.log(1 + Math.max(0.17, 10 / Math.max(1, usual))),
    deviations: 3.2,
    ways: 'up',
    isRatio: true,
  },
  requests: {
    value: (day) => day.requests,
    floor: (usual) => 0.21 + 8 / Math.sqrt(Math.max(1, usual)),
    deviations: 2.6,
    ways: 'both',
    isRatio: true,
    isCounted: true,
  },
  bandwidth: {
    value: (day) => day.bandwidth,
    floor: () => 0.3,
    deviations: 6,
    ways: 'both',
    isRatio: true,
    isCounted: true,
  },
};

/** A MAD is so much less than the standard deviation of a normal distribution. */
const MAD_TO_DEVIATION = 1.4826;
/** Days that a usual is made of, at least. */
const FEW_DAYS = 7;
/** A day with less than this part of a zone's traffic says little about it: a zone that is new has no usual. */
const FAINT = 0.1;

/** The value in the middle; undefined for none. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]
    : sorted.length === 0
      ? undefined
      : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The figure that the days before let expect; a day that is not known is undefined. */
function expectedOf(before: readonly (number | undefined)[], hasWeekdays: boolean): number | undefined {
  const at = (ago: number) => before[before.length - ago];
  const recent = before.slice(-FEW_DAYS).filter((value) => value !== undefined);
  if (recent.length < 4) return undefined;
  if (!hasWeekdays) return median(before.slice(-10).filter((value) => value !== undefined));
  // The same weekday of earlier weeks, each moved by how the last seven days differ from those of its week.
  const weeks = [1, 2, 3, 4].flatMap((week) => {
    const then = at(7 * week);
    const moved = [1, 2, 3, 4, 5, 6, 7].flatMap((ago) => {
      const [now, earlier] = [at(ago), at(ago + 7 * week)];
      return now === undefined || earlier === undefined ? [] : [now - earlier];
    });
    return then === undefined || moved.length < 3 ? [] : [then + median(moved)!];
  });
  return median(weeks);
}

/**
 * The last day of a series as it would usually be, by the days before it that had traffic: for counts the same weekday of
 * the weeks before at the level of the last week, else the last ten days. Undefined where too little is known.
 */
export function usualOf({ days }: Series, value: Value, isCounted = false, isRatio = isCounted): Usual | undefined {
  const last = days.at(-1);
  if (last === undefined) return undefined;
  const traffic = median(days.slice(0, -1).flatMap(({ requests = 0 }) => (requests > 0 ? [requests] : []))) ?? 0;
  const known = days.slice(0, -1).map((day) => {
    const found = value(day);
    if (found === undefined || (day.requests !== undefined && day.requests < FAINT * traffic)) return undefined;
    const scaled = isCounted ? (found * last.hours) / day.hours : found;
    return isRatio ? (scaled > 0 ? Math.log(scaled) : undefined) : scaled;
  });
  if (known.filter((one) => one !== undefined).length < FEW_DAYS) return undefined;
  const expected = expectedOf(known, isCounted);
  if (expected === undefined) return undefined;
  const away = known.flatMap((one, index) => {
    const then = index < 2 * FEW_DAYS || one === undefined ? undefined : expectedOf(known.slice(0, index), isCounted);
    return then === undefined ? [] : [Math.abs(one! - then)];
  });
  return {
    median: isRatio ? Math.exp(expected) : expected,
    spread: MAD_TO_DEVIATION * (median(away) ?? 0),
  };
}

/** How a day differs from its usual; as a logarithm where ratios are compared. */
const awayOf = (now: number, usual: number, isRatio = false) =>
  isRatio ? Math.log(Math.max(now, 1e-3)) - Math.log(Math.max(usual, 1e-3)) : now - usual;

/**
 * The factor by which the requests of all zones moved together, on a holiday: 1 where they did not. Zones count alike: one
 * large zone is no holiday.
 */
export function movedTogether(zones: readonly Series[]): number {
  const moves = zones.flatMap((zone) => {
    const usual = usualOf(zone, RULES.requests.value, true);
    const now = zone.days.at(-1)?.requests ?? 0;
    return usual === undefined || usual.median < FEW_REQUESTS ? [] : [awayOf(now, usual.median, true)];
  });
  const middle = median(moves) ?? 0;
  const alike = moves.filter((move) => move * middle > 0 && Math.abs(move) > 0.08).length;
  return moves.length >= 4 && Math.abs(middle) > 0.12 && alike >= 0.75 * moves.length ? Math.exp(middle) : 1;
}

/**
 * The figures of a day that stand out, in no order; what the day before was like already is no news. Nothing stands out where
 * nothing is known to compare with. `together` is the factor by which all zones moved.
 */
export function changesOf(series: Series, of: number, together = 1): Change[] {
  const day = series.days.at(-1);
  if (day === undefined) return [];
  const before = { ...series, days: series.days.slice(0, -1) };
  const standsOut = ({ days }: Series, measure: Measure) => {
    const rule = RULES[measure];
    const last = days.at(-1)!;
    const now = rule.value(last);
    const usual = usualOf({ name: series.name, days }, rule.value, rule.isCounted, rule.isRatio);
    if (now === undefined || usual === undefined) return undefined;
    if (Math.max(last.requests ?? 0, measure === 'requests' ? usual.median : 0) < FEW_REQUESTS) return undefined;
    const expected = rule.isCounted && last === day ? usual.median * together : usual.median;
    const away = awayOf(now, expected, rule.isRatio);
    // On a holiday zones move by different factors.
    const slack = rule.isCounted && together !== 1 ? 0.06 : 0;
    const matters = Math.max(rule.floor(expected, last), rule.deviations * usual.spread) + slack;
    const counts = rule.ways === 'both' || (rule.ways === 'up' ? away > 0 : away < 0);
    if (!counts || Math.abs(away) < matters) return undefined;
    return { of, measure, now, usual: expected, weight: Math.abs(away) / matters, away };
  };
  const changes = (Object.keys(RULES) as Measure[]).flatMap((measure) => {
    const found = standsOut(series, measure);
    if (found === undefined) return [];
    const earlier = standsOut(before, measure);
    // A level is said once and then adopted.
    if (earlier !== undefined && earlier.away * found.away > 0 && Math.abs(found.away) < 1.5 * Math.abs(earlier.away))
      return [];
    const { away: _, ...change } = found;
    return [change];
  });
  // Bytes follow requests: one of both is enough.
  const requests = changes.some(({ measure }) => measure === 'requests');
  return changes.filter(({ measure }) => measure !== 'bandwidth' || !requests);
}

/** A change in words, without whose it is: `5xx +0.8 points to 1% of the requests (usually 0.2%)`. */
export function changeInWords({ measure, now, usual }: Change, reading: Reading): string {
  switch (measure) {
    case '5xx':
    case '4xx':
      return `${measure} ${pointsWords(now, usual, reading)} to ${percent(now, reading)} of the requests (usually ${percent(usual, reading)})`;
    case 'hit rate':
      return `cache hit rate ${pointsWords(now, usual, reading)} to ${percent(now, reading)} (usually ${percent(usual, reading)})`;
    case 'response time':
      return `origin response time ${changeWords(now, usual, reading)} to ${duration(now, reading)} (usually ${duration(usual, reading)})`;
    case 'requests':
      return now === 0
        ? `no requests (usually ${count(Math.round(usual), reading)})`
        : `requests ${changeWords(now, usual, reading)} to ${count(now, reading)} (usually ${count(Math.round(usual), reading)})`;
    case 'bandwidth':
      return `bandwidth ${changeWords(now, usual, reading)} to ${bytes(now, reading)} (usually ${bytes(usual, reading)})`;
  }
}

/** A change as a signed percentage, `+12.5%`; a dash where there is nothing to compare with. */
export function changeWords(now: number | undefined, then: number | undefined, reading: Reading): string {
  if (now === undefined || then === undefined || then === 0) return '–';
  const change = (100 * (now - then)) / then;
  const words = percent(Math.abs(change), reading);
  if (words === percent(0, reading)) return '±0';
  return `${change > 0 ? '+' : '−'}${words}`;
}

/** A change of a percentage in its points, `+0.8 points`; hundredths where it is less than a tenth. */
export function pointsWords(now: number | undefined, then: number | undefined, reading: Reading): string {
  if (now === undefined || then === undefined) return '–';
  const digits = Math.abs(now - then) < 0.1 ? 100 : 10;
  const change = Math.round(digits * (now - then)) / digits;
  if (change === 0) return '±0';
  const shown = count(Math.abs(change), reading);
  return `${change > 0 ? '+' : '−'}${shown} ${shown === '1' ? 'point' : 'points'}`;
}
