import { passes } from '../../errors.ts';
import { offsetAt } from '../../schedule/offsets.ts';
import { DAY, HOUR, isoDay, MINUTE } from '../../time.ts';
import { startOfDay } from '../arguments/dates.ts';
import { parseLater } from '../arguments/later.ts';

/** A time as arguments take it, in UTC. */
export interface SpokenTime {
  text: string;
  /** Until now: `24h`, or a moment. */
  since?: string;
  /** `YYYY-MM-DD` or `yesterday`. */
  day?: string;
  /** `2h` */
  duration?: string;
  /** Of a change: the next such moment. */
  due?: string;
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** A mistyped word may be one of these. */
export const TIME_WORDS = [
  ...WEEKDAYS,
  ...'today yesterday yday tomorrow tonight later soon next last past previous half since min mins minute minutes hour hours day days'.split(
    ' ',
  ),
  ...'week weeks month months'.split(' '),
];

const AMOUNT =
  /^(last |past |previous )?(half an? )?(?:(\d{1,4}|an?|one|two|three|four|five|six) ?)?(min(?:ute)?s?|hours?|hrs?|days?|weeks?|wks?|months?|(?<=\d)[mhdw])( ago)?(?= |$)/;
const NAMED_DAY =
  /^(?:last )?(today|yesterday|yday|\d{4}-\d{2}-\d{2}|sunday|monday|tuesday|wednesday|thursday|friday|saturday)(?:'?s)?(?= |$)/;

type Read = (text: string, now: Date, timezone?: string) => SpokenTime | undefined;

const changeIn: Read = (text) => {
  // A report can be muted until it changes.
  const [changed] = /^(?:until|till) \S+ chang(?:es|ed)(?= |$)/.exec(text) ?? [];
  return changed === undefined ? undefined : { text: changed, duration: 'changed' };
};

const dayIn: Read = (text, now) => {
  if (text.startsWith('this week')) return { text: 'this week', since: latest('monday', now) };
  const [said = '', name] = NAMED_DAY.exec(text) ?? [];
  return name === undefined
    ? undefined
    : { text: said, day: WEEKDAYS.includes(name) ? latest(name, now) : name.replace('yday', 'yesterday') };
};

const amountIn: Read = (text) => {
  const [span, before, half, count, unit = '', ago] = AMOUNT.exec(text) ?? [];
  if (span === undefined || (count ?? half ?? before) === undefined) return undefined;
  const number = Math.max(1, Number(count) || ['', 'one', 'two', 'three', 'four', 'five', 'six'].indexOf(count ?? ''));
  const whole = unit.startsWith('mo') ? `${number * 30}d` : `${number}${unit[0]}`;
  const since = half === undefined ? whole : '30m';
  return (before ?? ago) === undefined ? { text: span, since, duration: since } : { text: span, since };
};

/** A clock time of the reader's day. */
const clockIn: Read = (text, now, timezone = 'UTC') => {
  const [clock, hours, minutes, noon] = /^(\d{1,2})(?:[:.](\d{2}))? ?(am|pm)?(?= |$)/.exec(text) ?? [];
  if (clock === undefined || (minutes ?? noon) === undefined) return undefined;
  const hour = noon === undefined ? Number(hours) : (Number(hours) % 12) + (noon === 'pm' ? 12 : 0);
  const offset = offsetAt(timezone, now.getTime());
  const midnight = startOfDay(new Date(now.getTime() + offset)).getTime() - offset;
  const today = midnight + hour * HOUR + Number(minutes ?? 0) * MINUTE;
  // The latest such time.
  const moment = new Date(today > now.getTime() ? today - DAY : today);
  return { text: clock, since: `${moment.toISOString().slice(0, 16)}Z`, ...dueAt(clock, now, timezone) };
};

/** As everybody reads it, whatever the time zone. */
const dueAt = (text: string, now: Date, timezone: string) =>
  passes(() => parseLater(text, now, timezone))
    ? { due: `${parseLater(text, now, timezone).toISOString().slice(0, 16)}Z` }
    : {};

/** *Tonight at 2am*, *tomorrow at 6* */
const laterIn: Read = (text, now, timezone = 'UTC') => {
  const [span, word = '', hours, minutes = ':00', noon = ''] =
    /^(tonight|tomorrow|(?!yester|to)[a-z]+day)(?: at)? (\d{1,2})([:.]\d{2})? ?(am|pm)?(?= |$)/.exec(text) ?? [];
  const clock = `${word.replace('tonight', '')} ${hours}${minutes}${noon}`;
  return span === undefined ? undefined : { text: span, ...dueAt(clock, now, timezone) };
};

export const spokenTimeIn: Read = (text, now, timezone) =>
  changeIn(text, now) ??
  laterIn(text, now, timezone) ??
  dayIn(text, now) ??
  amountIn(text, now) ??
  clockIn(text, now, timezone);

function latest(weekday: string, now: Date): string {
  const today = startOfDay(now);
  return isoDay(new Date(today.getTime() - ((today.getUTCDay() - WEEKDAYS.indexOf(weekday) + 7) % 7) * DAY));
}
