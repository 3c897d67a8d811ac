import { UsageError } from '../../errors.ts';
import { instantsOf, offsetAt } from '../../schedule/offsets.ts';
import { DAY, dayOf, isoDay, MINUTE, parseDuration, UNITS, WEEKDAYS } from '../../time.ts';
import type { Reader } from '../context.ts';
import type { ArgumentKind } from '../operation.ts';
import { parsed } from './plain.ts';

/** `day`, as YYYY-MM-DD: no time was typed, so it lasts from `instant` to `end`. */
export interface Moment {
  text: string;
  instant: Date;
  end: Date;
  day?: string;
}

/** A day in UTC: `text` is YYYY-MM-DD, `instant` its start. */
export interface Day {
  text: string;
  instant: Date;
}

export function startOfDay(moment: Date): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate()));
}

function checkedDay(typed: string, year: string, month: string, day: string): Date {
  const found = dayOf(Number(year), Number(month), Number(day));
  if (found !== undefined) return found;
  if (Number(month) > 12 && Number(day) <= 12) {
    throw new UsageError(`“${typed}” is not a date: months come first, and there is no month ${month}.`, {
      hint: `For the day ${month} of month ${day}, write ${year}-${day.padStart(2, '0')}-${month}.`,
    });
  }
  throw new UsageError(`“${typed}” is not in the calendar.`, { hint: 'Write the date as YYYY-MM-DD.' });
}

/** The hours and minutes of `2:30`, `14.30` or `2am`, in milliseconds. */
export function clockOf(hours: string | undefined, minutes = '0', half?: string): number | undefined {
  const [h, m] = [Number(hours), Number(minutes)];
  const hour = half === undefined ? h : h >= 1 && h <= 12 ? (h % 12) + (/pm/i.test(half) ? 12 : 0) : Number.NaN;
  return hour < 24 && m < 60 ? (hour * 60 + m) * MINUTE : undefined;
}

/** The latest weekday of that name. */
function namedDay(typed: string, now: Date): Date | undefined {
  const word = typed.toLowerCase();
  const today = startOfDay(now);
  if (word === 'today') return today;
  if (word === 'yesterday') return new Date(today.getTime() - DAY);
  if (WEEKDAYS.includes(word))
    return new Date(today.getTime() - ((today.getUTCDay() - WEEKDAYS.indexOf(word) + 7) % 7) * DAY);
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(typed);
  if (iso !== null) return checkedDay(typed, iso[1]!, iso[2]!, iso[3]!);
  // The month comes first.
  const american = /^(\d{1,2})[-/](\d{1,2})[-/](\d{4})$/.exec(typed);
  if (american !== null) return checkedDay(typed, american[3]!, american[1]!, american[2]!);
  return undefined;
}

function timeOf(typed: string, parts: RegExpExecArray, timezone: string): Date {
  const [, year, month, day, hours, minutes, seconds = '0', fraction = '', zone] = parts;
  const start = checkedDay(typed, year!, month!, day!);
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '');
  const [zoneHours, zoneMinutes] = [Number(offset?.[2] ?? 0), Number(offset?.[3] ?? 0)];
  if (h > 23 || m > 59 || s > 59 || zoneHours > 14 || zoneMinutes > 59) {
    throw new UsageError(`“${typed}” has no valid time of day.`, { hint: 'Hours go from 0 to 23, minutes to 59.' });
  }
  const away = (zoneHours * 60 + zoneMinutes) * MINUTE * (offset?.[1] === '-' ? -1 : 1);
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const shown = start.getTime() + ((h * 60 + m) * 60 + s) * 1000 + milliseconds;
  return new Date(zone === undefined ? instantsOf(shown, timezone)[0]! : shown - away);
}

const MOMENT_FORMS = '2026-11-20, 2026-11-20T06:00 (06:00Z: in UTC), 10:20, today, yesterday, monday, 7d or 6h (ago)';
const DAY_FORMS = '2026-11-20, 11-20-2026 (month first), today, yesterday, monday or 3d (ago)';

/** The latest time that a clock there showed this. */
function latestClock(typed: string, now: Date, timezone: string): Date | undefined {
  const [, hours, minutes, half] = /^(\d{1,2})(?:[:.](\d{2}))?\s?(am|pm)?$/i.exec(typed) ?? [];
  const clock = (minutes ?? half) === undefined ? undefined : clockOf(hours, minutes, half);
  if (clock === undefined) return undefined;
  const today = startOfDay(new Date(now.getTime() + offsetAt(timezone, now.getTime()))).getTime();
  const instants = [today - DAY, today].flatMap((midnight) => instantsOf(midnight + clock, timezone));
  return new Date(instants.findLast((instant) => instant <= now.getTime())!);
}

/**
 * A date, a date and time (of `daysOf` unless a zone is typed), `now`, `10:20`, `today`, `monday`, `30m`, `6h`, `7d`, `2w` ago. Days are
 * those of `daysOf`, and clocks show the time of `timezone`.
 */
export function parseMoment(text: string, now: Date, timezone = 'UTC', daysOf = timezone): Moment {
  const typed = text.trim();
  const at = (instant: Date): Moment => ({ text: typed, instant, end: instant });
  const day = namedDay(typed, new Date(now.getTime() + offsetAt(daysOf, now.getTime())));
  if (day !== undefined) {
    const midnight = (shift: number) => new Date(instantsOf(day.getTime() + shift, daysOf)[0]!);
    return { text: typed, instant: midnight(0), end: midnight(DAY), day: isoDay(day) };
  }
  if (typed.toLowerCase() === 'now') return at(now);
  const back = /^\d{1,4} ?[a-z]{1,7}(?: ago)?$/i.test(typed) ? parseDuration(typed.replace(/ ago$/i, '')) : undefined;
  if (back !== undefined) return at(new Date(now.getTime() - back));
  const clock = latestClock(typed, now, timezone);
  if (clock !== undefined) return at(clock);
  const time =
    /^(\d{4})-(\d{1,2})-(\d{1,2})[T\s](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i.exec(
      typed,
    );
  if (time !== null) return at(timeOf(typed, time, daysOf));
  throw new UsageError(`“${text}” is not a date.`, { hint: `Write ${MOMENT_FORMS}.` });
}

/** A day in UTC: ISO, month first (11-20-2026), `today`, `yesterday`, `3d` or `1w` ago. Refuses a future day. */
export function parseDay(text: string, now: Date): Day {
  const typed = text.trim();
  const ago = /^(\d{1,4})\s*([dw])(?:\s+ago)?$/i.exec(typed);
  const back = ago === null ? 0 : Number(ago[1]) * UNITS[ago[2]!.toLowerCase() as 'd' | 'w'];
  const day = ago === null ? namedDay(typed, now) : new Date(startOfDay(now).getTime() - back);
  if (day === undefined) throw new UsageError(`“${text}” is not a day.`, { hint: `Write ${DAY_FORMS}.` });
  if (day.getTime() > now.getTime()) {
    throw new UsageError(`${isoDay(day)} has not begun yet: days are counted in UTC.`, {
      hint: `Today is ${isoDay(now)}.`,
    });
  }
  return { text: isoDay(day), instant: day };
}

/**
 * Days and clock times are the reader’s, unless the platform counts the days. Its canonical text is the instant, so that `7d` means the
 * same at a later confirmation.
 */
export function moment(
  label: string,
  options: { hint?: string; fromMessage?: 'since' | 'until' | 'day'; daysOf?: 'UTC' } = {},
): ArgumentKind<Moment> {
  const { hint, fromMessage, daysOf } = options;
  return {
    ...parsed(parseMoment, ({ instant, day: one }) => one ?? instant.toISOString()),
    resolve: (typed = '', { now, reader }: { now: Date; reader: Pick<Reader, 'timezone'> }) =>
      parseMoment(typed, now, reader.timezone, daysOf),
    label,
    hint: hint ?? `${MOMENT_FORMS}.${daysOf === undefined ? '' : ' Days are counted in UTC.'}`,
    ...(fromMessage && { fromMessage }),
    field: { type: 'text', placeholder: '2026-11-20, yesterday, 7d', maxLength: 40 },
  };
}

export function day(label: string): ArgumentKind<Day> {
  return {
    ...parsed(parseDay, ({ text }) => text),
    label,
    hint: `${DAY_FORMS}. Days are counted in UTC.`,
    field: { type: 'date' },
    fromMessage: 'day',
  };
}
