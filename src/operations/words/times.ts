import { passes } from '../../errors.ts';
import { WEEKDAYS } from '../../time.ts';
import { parseMoment } from '../arguments/dates.ts';
import { parseLater } from '../arguments/later.ts';

/** A time as people type it for arguments: `24h`, `yesterday`, `2am`. */
export interface SpokenTime {
  text: string;
  /** Until now. */
  since?: string;
  day?: string;
  duration?: string;
  /** The time of a change: the next such moment. */
  due?: string;
}

/** A mistyped word may be one of these. */
export const TIME_WORDS = [
  ...WEEKDAYS,
  ...`today yesterday yday tomorrow tonight noon midnight later soon next last past previous half since min mins minute minutes
  hour hours day days week weeks month months`.split(/\s+/),
];

type Read = (text: string, now: Date) => SpokenTime | undefined;

const changeIn: Read = (text) => {
  // A report can be muted until it changes.
  const [changed] = /^(?:until|till) \S+ chang(?:es|ed)(?= |$)/.exec(text) ?? [];
  return changed === undefined ? undefined : { text: changed, duration: 'changed' };
};

const dayIn: Read = (text) => {
  const [said = '', name] =
    /^(?:last )?(today|yesterday|yday|\d{4}-\d{2}-\d{2}|sunday|monday|tuesday|wednesday|thursday|friday|saturday)(?:'?s)?(?= |$)/.exec(
      text,
    ) ?? [];
  if (name !== undefined) return { text: said, day: name.replace('yday', 'yesterday') };
  // Most have no hour or length, and explain nothing: *in the evening*, *every night*, *for some time*.
  const [long, part] =
    /^(?:for (?:now|(?:a|some|the) (?:time|bit|moment))|now and then|time to time|again and again|(?:every|each) (?:now|time)|this (week|morning|afternoon|evening)|(?:every |each )?(?:morning|afternoon|evening|night)s?)(?= |$)/.exec(
      text,
    ) ?? [];
  const beginnings = { week: 'monday', morning: '06:00', afternoon: '12:00', evening: '18:00' };
  return long === undefined ? undefined : { text: long, since: beginnings[part as keyof typeof beginnings] };
};

const amountIn: Read = (text) => {
  const [span, before, half, count, unit = '', ago] =
    /^(last |past |previous )?(half an? )?(?:(\d{1,4}|an?|one|two|three|four|five|six) ?)?(min(?:ute)?s?|hours?|hrs?|days?|weeks?|wks?|months?|(?<=\d)[mhdw])( ago)?(?= |$)/.exec(
      text,
    ) ?? [];
  if (span === undefined || (count ?? half ?? before) === undefined) return undefined;
  const number = Math.max(1, Number(count) || ['', 'one', 'two', 'three', 'four', 'five', 'six'].indexOf(count ?? ''));
  const whole = unit.startsWith('mo') ? `${number * 30}d` : `${number}${unit[0]}`;
  const since = half === undefined ? whole : { h: '30m', d: '12h', w: '84h' }[unit[0]!];
  if (since === undefined) return undefined;
  return (before ?? ago) === undefined ? { text: span, since, duration: since } : { text: span, since };
};

/** *2am*, *tonight at 2*, *tomorrow at noon*. On a day that has begun, the time may have passed. */
const clockIn: Read = (text, now) => {
  const [span, day = '', clock = '', utc = ''] =
    /^(?:next )?(?:(tonight|tomorrow|today(?! \d+(?:$| (?!am|pm)))|(?!yester|to)[a-z]+day)(?: at)? )?(noon|midnight|\d{1,2}(?:[:.]\d{2})? ?(?:am|pm)?)( utc)?(?= |$)/.exec(
      text,
    ) ?? [];
  const hour = { noon: '12:00', midnight: '00:00' }[clock] ?? clock;
  const due = `${day} ${hour}${utc}`.trim();
  if (span === undefined || !passes(() => parseLater(due, now, 'UTC'))) return undefined;
  const isPast = /^(?:to(?:day|night))?$/.test(day) && utc === '' && passes(() => parseMoment(hour, now));
  return { text: span, due, ...(isPast && { since: hour }) };
};

export const spokenTimeIn: Read = (text, now) =>
  changeIn(text, now) ?? clockIn(text, now) ?? dayIn(text, now) ?? amountIn(text, now);
