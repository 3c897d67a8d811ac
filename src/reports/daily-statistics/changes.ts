import { bytes, count, duration, percent, type Reading } from '../../blocks/format.ts';
import { type DayFigures, rateOf } from './figures.ts';

/** A day of a zone beside those before it, oldest first; `hours` is how long each was. */
export interface Course {
  name: string;
  days: readonly (DayFigures & { hours: number })[];
}

/** The usual of a figure, robustly: the median, and how far from it is nothing to speak of. */
export interface Usual {
  median: number;
  /** Median absolute deviation. */
  spread: number;
}

/** The figures that are compared. */
export type Measure = '5xx' | '4xx' | 'hit rate' | 'origin response' | 'requests' | 'bandwidth';

/** A change that somebody would miss. */
export interface Change {
  /** Index in what was compared. */
  of: number;
  measure: Measure;
  now: number;
  usual: number;
  before: number | undefined;
  /** The day before was like that already. */
  still: boolean;
  /** How far beyond what matters: 1 is just so. */
  weight: number;
}

interface Rule {
  value: (day: DayFigures) => number | undefined;
  /** Smaller differences matter to nobody. In the figure's own unit. */
  floor: (usual: number) => number;
  /** The direction that is worth a word. */
  ways: 'up' | 'down' | 'both';
  /** It grows with the length of the day, and with the traffic. */
  counted?: boolean;
  /** Of a day with less, it says little. */
  enough: (day: DayFigures) => boolean;
  /** Worth a word on the second day too. */
  lasting?: boolean;
}

const FEW_REQUESTS = 1000;
const FEW_ERRORS = 50;
const busy = ({ requests = 0 }: DayFigures) => requests >= FEW_REQUESTS;

const RULES: Record<Measure, Rule> = {
  '5xx': {
    value: (day) => rateOf(day, 'errors5xx'),
    floor: () => 0.3,
    ways: 'up',
    enough: ({ errors5xx = 0 }) => errors5xx >= FEW_ERRORS,
    lasting: true,
  },
  '4xx': {
    value: (day) => rateOf(day, 'errors4xx'),
    floor: (usual) => Math.max(1.5, usual / 2),
    ways: 'up',
    enough: ({ errors4xx = 0 }) => errors4xx >= FEW_ERRORS,
    lasting: true,
  },
  'hit rate': { value: (day) => day.hitRate, floor: () => 4, ways: 'down', enough: busy, lasting: true },
  'origin response': {
    value: (day) => day.originResponse,
    floor: (usual) => Math.max(50, usual / 2),
    ways: 'up',
    enough: busy,
    lasting: true,
  },
  requests: {
    value: (day) => day.requests,
    floor: (usual) => 0.25 * usual,
    ways: 'both',
    counted: true,
    enough: () => true,
  },
  bandwidth: {
    value: (day) => day.bandwidth,
    floor: (usual) => 0.25 * usual,
    ways: 'both',
    counted: true,
    enough: busy,
  },
};

/** A MAD that a normal distribution would have as its standard deviation (1.4826), and so many of those. */
const DEVIATIONS = 4 * 1.4826;

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

/**
 * The last day of a course as it would usually be: the same weekday of the weeks before, each as long as that day; where
 * there are fewer than two of those, the days before. Undefined with fewer than three of these.
 */
export function usualOf(
  { days }: Course,
  value: (day: DayFigures) => number | undefined,
  counted = false,
): Usual | undefined {
  const last = days.at(-1);
  if (last === undefined) return undefined;
  const known = (chosen: readonly (DayFigures & { hours: number })[]) =>
    chosen.flatMap((day) => {
      const found = value(day);
      return found === undefined ? [] : [counted ? (found * last.hours) / day.hours : found];
    });
  const weekdays = known(days.filter((_, index) => index < days.length - 1 && (days.length - 1 - index) % 7 === 0));
  const recent = known(days.slice(-8, -1));
  if (weekdays.length < 2 && recent.length < 3) return undefined;
  const values = weekdays.length >= 2 ? weekdays : recent;
  const middle = median(values)!;
  // Four values have hardly a spread of their own: neighbours say how much a day like this may differ.
  const spread = Math.max(
    median(values.map((one) => Math.abs(one - middle)))!,
    weekdays.length >= 2 && !counted && recent.length >= 3 ? madOf(recent) : 0,
  );
  return { median: middle, spread };
}

function madOf(values: readonly number[]): number {
  const middle = median(values)!;
  return median(values.map((one) => Math.abs(one - middle)))!;
}

/** The figures of a day that stand out, in no order. Nothing stands out where nothing is known to compare with. */
export function changesOf(course: Course, of: number): Change[] {
  const day = course.days.at(-1);
  const before = course.days.at(-2);
  if (day === undefined) return [];
  const changes: Change[] = [];
  for (const [measure, rule] of Object.entries(RULES) as [Measure, Rule][]) {
    const now = rule.value(day);
    const usual = usualOf(course, rule.value, rule.counted);
    if (now === undefined || usual === undefined || !rule.enough(day)) continue;
    if (rule.counted && Math.max(day.requests ?? 0, measure === 'requests' ? usual.median : 0) < FEW_REQUESTS) continue;
    const matters = Math.max(rule.floor(usual.median), DEVIATIONS * usual.spread);
    const away = now - usual.median;
    const counts = rule.ways === 'both' || (rule.ways === 'up' ? away > 0 : away < 0);
    if (!counts || Math.abs(away) < matters || matters === 0) continue;
    const then = before === undefined ? undefined : rule.value(before);
    const moved = then === undefined ? away : now - (rule.counted ? (then * day.hours) / before!.hours : then);
    // As far from the usual as yesterday: no news, unless it is something that hurts.
    const still = Math.sign(moved) !== Math.sign(away) || Math.abs(moved) < Math.abs(away) / 2;
    if (still && !rule.lasting) continue;
    changes.push({ of, measure, now, usual: usual.median, before: then, still, weight: Math.abs(away) / matters });
  }
  // Bytes follow requests: one of both is enough.
  const requests = changes.some(({ measure }) => measure === 'requests');
  return changes.filter(({ measure }) => measure !== 'bandwidth' || !requests);
}

/** A change in words, without whose it is: `5xx +0.8 points to 1% of the requests (usually 0.2%)`. */
export function changeInWords({ measure, now, usual, still }: Change, reading: Reading): string {
  const again = still ? 'still ' : '';
  switch (measure) {
    case '5xx':
    case '4xx':
      return `${measure} ${again}${pointsWords(now, usual, reading)} to ${percent(now, reading)} of the requests (usually ${percent(usual, reading)})`;
    case 'hit rate':
      return `cache hit rate ${again}${pointsWords(now, usual, reading)} to ${percent(now, reading)} (usually ${percent(usual, reading)})`;
    case 'origin response':
      return `origin ${again}answers in ${duration(now, reading)} (usually ${duration(usual, reading)})`;
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

/** A change of a percentage in its points, `+0.8 points`. */
export function pointsWords(now: number | undefined, then: number | undefined, reading: Reading): string {
  if (now === undefined || then === undefined) return '–';
  const change = Math.round(10 * (now - then)) / 10;
  if (change === 0) return '±0';
  const shown = count(Math.abs(change), reading);
  return `${change > 0 ? '+' : '−'}${shown} ${shown === '1' ? 'point' : 'points'}`;
}
