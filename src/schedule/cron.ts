import { UsageError } from '../errors.ts';
import { MINUTE } from '../time.ts';

/** A cron expression of five fields, understood. */
export interface Cron {
  /** As it was written, with single spaces. */
  text: string;
  /** The times of a day that are meant, in order, in milliseconds since its midnight. */
  times: readonly number[];
  /** A day is meant, given as year, month (1 to 12) and day of the month. */
  isOn(year: number, month: number, day: number): boolean;
  /**
   * The minute or the hour field begins with a star: such a schedule follows real time through the ends of daylight saving
   * time. A fixed time of day comes once a day whatever the clocks do (vixie cron's `MIN_STAR` and `HR_STAR`).
   */
  wildcard: boolean;
}

interface Field {
  name: string;
  minimum: number;
  maximum: number;
  names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly [Field, Field, Field, Field, Field] = [
  { name: 'minute', minimum: 0, maximum: 59 },
  { name: 'hour', minimum: 0, maximum: 23 },
  { name: 'day of the month', minimum: 1, maximum: 31 },
  { name: 'month', minimum: 1, maximum: 12, names: MONTHS },
  { name: 'day of the week', minimum: 0, maximum: 7, names: WEEKDAYS },
];

/** Most days that each month can have. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

function numberOf(text: string, { name, minimum, maximum, names }: Field): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  const value = named === -1 ? (/^\d{1,2}$/.test(text) ? Number(text) : Number.NaN) : named + minimum;
  if (Number.isNaN(value)) throw new UsageError(`“${text}” is no ${name} of a cron expression.`);
  if (value < minimum || value > maximum)
    throw new UsageError(`The ${name} of a cron expression is between ${minimum} and ${maximum}, not ${text}.`);
  return value;
}

/** `*`, `5`, `1-5`, `5-59/15`, `8-18/2`, and lists of them → the values that are meant, in order. */
function valuesOf(text: string, field: Field): number[] {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const found = /^(?:(\*)|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:\/(\d{1,3}))?$/i.exec(part);
    if (found === null) throw new UsageError(`“${part}” is no ${field.name} of a cron expression.`);
    const [, star, start, end, every] = found;
    const step = every === undefined ? 1 : Number(every);
    if (step === 0) throw new UsageError(`“${part}” would never move on: a step is at least 1.`);
    if (every !== undefined && star === undefined && end === undefined)
      throw new UsageError(`“${part}” has a step without a range: write “*/${every}” or “${start}-…/${every}”.`);
    const first = star === undefined ? numberOf(start!, field) : field.minimum;
    const last = star === undefined ? (end === undefined ? first : numberOf(end, field)) : field.maximum;
    if (first > last) throw new UsageError(`“${part}” runs backwards: write it as two parts with a comma.`);
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

/**
 * Five fields, or a nickname such as `@daily`, by vixie cron's rules. When both day fields are restricted (begin with no star)
 * either may fit, otherwise both. 7 is Sunday too. Throws UsageError, also for a day that never comes.
 */
export function parseCron(text: string): Cron {
  const written = text.trim().replace(/\s+/g, ' ');
  const canonical = NICKNAMES[written.toLowerCase()] ?? written;
  const parts = canonical.split(' ');
  if (parts.length !== 5) throw new UsageError(`A cron expression has five fields, “${written}” has ${parts.length}.`);
  const [minutes, hours, days, months, weekdays] = parts.map((part, index) => valuesOf(part, FIELDS[index]!));
  const [minuteText, hourText, dayText, , weekdayText] = parts;
  const onDay = new Set(days);
  const onMonth = new Set(months);
  const onWeekday = new Set(weekdays!.map((weekday) => weekday % 7));
  const both = !dayText!.startsWith('*') && !weekdayText!.startsWith('*');
  if (!both && !months!.some((month) => days![0]! <= LONGEST[month - 1]!))
    throw new UsageError(`“${canonical}” never comes: no such month has that day.`);
  return {
    text: canonical,
    times: hours!.flatMap((hour) => minutes!.map((minute) => (hour * 60 + minute) * MINUTE)),
    wildcard: minuteText!.startsWith('*') || hourText!.startsWith('*'),
    isOn(year, month, day) {
      if (!onMonth.has(month)) return false;
      const isDay = onDay.has(day);
      const isWeekday = onWeekday.has(new Date(Date.UTC(year, month - 1, day)).getUTCDay());
      return both ? isDay || isWeekday : isDay && isWeekday;
    },
  };
}
