import { UsageError } from '../../errors.ts';
import { dayOf, isoDay, MINUTE, parseDuration, UNITS } from '../../time.ts';
import type { ArgumentKind } from '../argument.ts';
import { parsed } from './plain.ts';

/** All dates are UTC, like the platform’s days. In MM-DD-YYYY the month comes first. */

/** `dateOnly`: no time of day was typed, so `instant` is the start of the day. */
export interface Moment {
  text: string;
  instant: Date;
  dateOnly: boolean;
}

/** A day in UTC: `text` is YYYY-MM-DD, `instant` its start. */
export interface Day {
  text: string;
  instant: Date;
}

const ISO_TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})[T\s](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i;

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

function namedDay(typed: string, now: Date): Date | undefined {
  const word = typed.toLowerCase();
  if (word === 'today') return startOfDay(now);
  if (word === 'yesterday') return new Date(startOfDay(now).getTime() - UNITS.d);
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(typed);
  if (iso !== null) return checkedDay(typed, iso[1]!, iso[2]!, iso[3]!);
  const american = /^(\d{1,2})[-/](\d{1,2})[-/](\d{4})$/.exec(typed);
  if (american !== null) return checkedDay(typed, american[3]!, american[1]!, american[2]!);
  return undefined;
}

function timeOf(typed: string, parts: RegExpExecArray): Date {
  const [, year, month, day, hours, minutes, seconds = '0', fraction = '', zone = 'Z'] = parts;
  const start = checkedDay(typed, year!, month!, day!);
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  const [zoneHours, zoneMinutes] = [Number(offset?.[2] ?? 0), Number(offset?.[3] ?? 0)];
  if (h > 23 || m > 59 || s > 59 || zoneHours > 14 || zoneMinutes > 59) {
    throw new UsageError(`“${typed}” has no such time of day.`, { hint: 'Hours go from 00:00 to 23:59, in UTC.' });
  }
  const away = (zoneHours * 60 + zoneMinutes) * MINUTE * (offset?.[1] === '-' ? -1 : 1);
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return new Date(start.getTime() + ((h * 60 + m) * 60 + s) * 1000 + milliseconds - away);
}

const MOMENT_FORMS = '2026-11-20, 2026-11-20T06:00 (UTC), today, yesterday, 7d or 6h (ago)';
const DAY_FORMS = '2026-11-20, 11-20-2026 (month first), today, yesterday or 3d (ago)';

/** A date, a date and time (UTC unless a zone is typed), `now`, `today`, `yesterday`, `30m`, `6h`, `7d`, `2w` ago. */
export function parseMoment(text: string, now: Date): Moment {
  const typed = text.trim();
  const day = namedDay(typed, now);
  if (day !== undefined) return { text: typed, instant: day, dateOnly: true };
  if (typed.toLowerCase() === 'now') return { text: typed, instant: now, dateOnly: false };
  const back = /^\d{1,4} ?[a-z]{1,7}(?: ago)?$/i.test(typed) ? parseDuration(typed.replace(/ ago$/i, '')) : undefined;
  if (back !== undefined) return { text: typed, instant: new Date(now.getTime() - back), dateOnly: false };
  const time = ISO_TIME.exec(typed);
  if (time !== null) return { text: typed, instant: timeOf(typed, time), dateOnly: false };
  throw new UsageError(`“${text}” is not a date.`, { hint: `Write ${MOMENT_FORMS}.` });
}

/** ISO, month first (11-20-2026), `today`, `yesterday`, `3d` or `1w` ago. Refuses a future day. */
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

/** Its canonical text is the instant, so that `7d` means the same at a later confirmation. */
export function moment(
  label: string,
  options: { hint?: string; fromMessage?: 'since' | 'until' } = {},
): ArgumentKind<Moment> {
  return {
    ...parsed(parseMoment, ({ instant, dateOnly }) => (dateOnly ? isoDay(instant) : instant.toISOString())),
    label,
    hint: options.hint ?? `${MOMENT_FORMS}.`,
    ...(options.fromMessage === undefined ? {} : { fromMessage: options.fromMessage }),
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
