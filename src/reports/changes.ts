import { count, duration, percent, type Reading } from '../blocks/format.ts';
import { type DayFigures, rateOf } from './day-figures.ts';

/** A day beside the two it is compared with. */
export interface Compared {
  name: string;
  day: DayFigures;
  before: DayFigures;
  /** The same weekday of the week before. */
  week: DayFigures;
}

/** A change that somebody would miss, in words; the more it weighs, the further up. */
export interface Change {
  /** Whose, and which figure: the same while the same thing is wrong. */
  kind: string;
  words: string;
  weight: number;
}

/** Below this many requests a day, a zone's shares say little. */
const FEW_REQUESTS = 1000;
const FEW_ERRORS = 50;

/**
 * What stands out against both the day before and the same weekday last week: a rise of errors, a fall of the hit rate, a
 * slow origin, much more or much less traffic. Both, since one of them alone is a weekend or a single odd day.
 */
export function changesOf(compared: Compared, whole: DayFigures, reading: Reading): Change[] {
  const { name, day, before, week } = compared;
  const changes: Change[] = [];
  const requests = day.requests ?? 0;
  const part = whole.requests ? requests / whole.requests : 1;
  const about = (figure: string, words: string, weight: number) =>
    changes.push({ kind: `${name} ${figure}`, words: `${name}: ${words}`, weight: weight * (0.2 + part) });

  for (const [figure, label, points] of [
    ['errors5xx', '5xx', 0.5],
    ['errors4xx', '4xx', 3],
  ] as const) {
    const rates = [rateOf(day, figure), rateOf(before, figure), rateOf(week, figure)];
    const [now, then, last] = rates;
    const errors = day[figure] ?? 0;
    if (now === undefined || then === undefined || last === undefined || errors < FEW_ERRORS) continue;
    const rise = now - Math.max(then, last);
    if (rise < points) continue;
    const all = whole[figure] ?? 0;
    const share = all > 0 && part < 1 ? `, ${percent((100 * errors) / all, reading)} of all` : '';
    about(
      label,
      `${label} are ${percent(now, reading)} of the requests, after ${percent(then, reading)} the day before and ${percent(last, reading)} a week before (${count(errors, reading)}${share})`,
      (rise / points) * 3,
    );
  }
  if (requests >= FEW_REQUESTS && known(day.hitRate, before.hitRate, week.hitRate)) {
    const fall = Math.min(before.hitRate!, week.hitRate!) - day.hitRate!;
    if (fall >= 5) {
      about(
        'hit rate',
        `the cache hit rate fell to ${percent(day.hitRate!, reading)}, from ${percent(before.hitRate!, reading)} the day before and ${percent(week.hitRate!, reading)} a week before`,
        fall / 5,
      );
    }
  }
  if (requests >= FEW_REQUESTS && known(day.originResponse, before.originResponse, week.originResponse)) {
    const usual = Math.max(before.originResponse!, week.originResponse!);
    if (day.originResponse! >= 1.5 * usual && day.originResponse! - usual >= 50) {
      about(
        'origin response',
        `the origin answered in ${duration(day.originResponse!, reading)} on average, after ${duration(before.originResponse!, reading)} the day before and ${duration(week.originResponse!, reading)} a week before`,
        day.originResponse! / Math.max(usual, 1),
      );
    }
  }
  if (
    known(day.requests, before.requests, week.requests) &&
    Math.max(requests, before.requests!, week.requests!) >= FEW_REQUESTS
  ) {
    const low = Math.min(before.requests!, week.requests!);
    const high = Math.max(before.requests!, week.requests!);
    if (requests >= 1.5 * high || requests <= low / 1.5) {
      const ratio = requests >= high ? requests / Math.max(high, 1) : low / Math.max(requests, 1);
      about(
        'requests',
        `${count(requests, reading)} requests, after ${count(before.requests!, reading)} the day before and ${count(week.requests!, reading)} a week before`,
        Math.min(ratio, 10),
      );
    }
  }
  return changes;
}

function known(...values: (number | undefined)[]): boolean {
  return values.every((value) => value !== undefined);
}

/** A change as a signed percentage, `+12.5%`; a dash where there is nothing to compare with. */
export function changeWords(now: number | undefined, then: number | undefined, reading: Reading): string {
  if (now === undefined || then === undefined || then === 0) return '–';
  const change = (100 * (now - then)) / then;
  const words = percent(Math.abs(change), reading);
  if (words === percent(0, reading)) return '±0';
  return `${change > 0 ? '+' : '−'}${words}`;
}

/** A change of a percentage in its points, `+0.8`. */
export function pointsWords(now: number | undefined, then: number | undefined, reading: Reading): string {
  if (now === undefined || then === undefined) return '–';
  const change = Math.round(10 * (now - then)) / 10;
  if (change === 0) return '±0';
  return `${change > 0 ? '+' : '−'}${count(Math.abs(change), reading)} points`;
}
