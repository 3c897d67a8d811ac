import { HOUR } from '../../time.ts';
import { quantile } from '../quantile.ts';
import {
  comparable,
  type DayOfHours,
  daysUpTo,
  type Figure,
  figuresIn,
  type Hourly,
  isAmount,
  isKnown,
  isRatio,
  less,
  medianOf,
  usualOf,
} from '../usual.ts';
import type { Counts, Hours } from './counts.ts';

/** Amounts in an hour, shares from 0 to 1, `response` in milliseconds. */
export type UsualHour = Record<Figure, number>;
/** `traffic`: missing requests. */
export type Measure = 'traffic' | Figure;

/** Computed for the following day. */
export interface UsualDay {
  from: number;
  hours: readonly UsualHour[];
  /** The mean requests of an hour, over day and night. */
  mean: number;
  /** How far an ordinary bad hour is off: a share, or a logarithm. */
  off: Readonly<Record<Measure, number>>;
}

const FIGURES: readonly Figure[] = ['requests', 'bandwidth', 'shielded', '4xx', '5xx', 'hits', 'response'];
export const rowOf = <T>(value: (figure: Figure) => T) =>
  Object.fromEntries(FIGURES.map((figure) => [figure, value(figure)])) as Record<Figure, T>;

/** With fewer requests, shares are not compared. */
const FEW = 30;
/** What is expected of each hour of the day after `days`, and how far off ordinary hours were. */
function expectedOf(days: readonly DayOfHours[], figure: Figure) {
  const isMany = ({ requests, pulls }: Counts) => requests >= FEW && (figure !== 'response' || pulls >= FEW / 3);
  const figures = figuresIn(days, (counts) =>
    isAmount(figure) || isMany(counts) ? comparable(figure, counts) : undefined,
  );
  const isWeekly = isAmount(figure) && figures.filter((day) => day?.some(isKnown)).length >= 14;
  const usual = usualOf(figures, { isWeekly, least: 2 });
  const { expected = [], past = [] } = usual ?? {};
  // A night with too few requests gets the usual of the day.
  const middle = medianOf(expected);
  const own = isRatio(figure) ? Math.exp : (share: number) => Math.max(0, Math.min(1, share));
  const known = past.map((day) =>
    day.off.map((value, hour) => (isAmount(figure) && day.expected[hour]! < Math.log(FEW) ? undefined : value)),
  );
  const partOf = (values: Hourly, part: number) => quantile(values.filter(isKnown), part) || 0;
  return {
    expected: expected.map((value) => own(value ?? middle ?? 0)),
    /** This part of all hours is less off. */
    off: (part: number) => partOf(known.flat(), part),
    /** The same for the difference to two hours before. */
    fell: (part: number) =>
      partOf(
        known.flatMap((day) => day.map((value, hour) => less(value, day[hour - 2]))),
        part,
      ),
  };
}

/** Undefined: fewer than two days are known. */
export function usualDayOf(hours: Hours, now: number): UsualDay | undefined {
  // The last two hours may be counted only partly.
  const from = now - (now % HOUR) - 2 * HOUR;
  const days = daysUpTo(hours, from);
  const of = rowOf((figure) => expectedOf(days, figure));
  if (of.requests.expected.length === 0) return undefined;
  const counted = days.flat().filter(isKnown);
  return {
    from,
    mean: counted.reduce((sum, { requests }) => sum + requests, 0) / counted.length,
    hours: of.requests.expected.map((_, hour) => rowOf((figure) => of[figure].expected[hour] ?? 0)),
    off: {
      ...rowOf((figure) => of[figure].off(isAmount(figure) ? 0.99 : 0.96)),
      traffic: -of.requests.fell(0.03),
      hits: -of.hits.off(0.04),
    },
  };
}

/** Undefined: outside the day. */
export function usualIn({ from: first, hours }: UsualDay, from: number, to: number): UsualHour | undefined {
  const sum = rowOf(() => 0);
  for (let hour = Math.floor((from - first) / HOUR); first + hour * HOUR < to; hour += 1) {
    const usual = hours[hour];
    if (usual === undefined) return undefined;
    const begin = first + hour * HOUR;
    const length = Math.min(to, begin + HOUR) - Math.max(from, begin);
    for (const figure of FIGURES) sum[figure] += (length / (isAmount(figure) ? HOUR : to - from)) * usual[figure];
  }
  return sum;
}
