import { passes } from '../../errors.ts';
import { parseMoment, WEEKDAYS } from '../arguments/dates.ts';
import { parseLater } from '../arguments/later.ts';

/** A time as people type it for arguments: `24h`, `yesterday`, `2am`. */
export interface SpokenTime {
  text: string;
  /** Until now. */
  since?: string;
  day?: string;
  duration?: string;
  /** Of a change: the next such moment. */
  due?: string;
}

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

type Read = (text: string, now: Date) => SpokenTime | undefined;

const changeIn: Read = (text) => {
  // A report can be muted until it changes.
  const [changed] = /^(?:until|till) \S+ chang(?:es|ed)(?= |$)/.exec(text) ?? [];
  return changed === undefined ? undefined : { text: changed, duration: 'changed' };
};

const dayIn: Read = (text) => {
  if (text.startsWith('this week')) return { text: 'this week', since: 'monday' };
  const [said = '', name] = NAMED_DAY.exec(text) ?? [];
  return name === undefined ? undefined : { text: said, day: name.replace('yday', 'yesterday') };
};

const amountIn: Read = (text) => {
  const [span, before, half, count, unit = '', ago] = AMOUNT.exec(text) ?? [];
  if (span === undefined || (count ?? half ?? before) === undefined) return undefined;
  const number = Math.max(1, Number(count) || ['', 'one', 'two', 'three', 'four', 'five', 'six'].indexOf(count ?? ''));
  const whole = unit.startsWith('mo') ? `${number * 30}d` : `${number}${unit[0]}`;
  const since = half === undefined ? whole : '30m';
  return (before ?? ago) === undefined ? { text: span, since, duration: since } : { text: span, since };
};

const clockIn: Read = (text, now) => {
  const [clock] = /^\d{1,2}(?:[:.]\d{2})? ?(?:am|pm)?(?= |$)/.exec(text) ?? [];
  if (clock === undefined || !passes(() => parseMoment(clock, now))) return undefined;
  return { text: clock, since: clock, due: clock };
};

/** *Tonight at 2am*, *tomorrow at 6* */
const laterIn: Read = (text, now) => {
  const [span, word = '', hours, minutes = '', noon = ''] =
    /^(tonight|tomorrow|(?!yester|to)[a-z]+day)(?: at)? (\d{1,2})([:.]\d{2})? ?(am|pm)?(?= |$)/.exec(text) ?? [];
  const due = `${word.replace('tonight', '')} ${hours}${minutes || (noon === '' ? ':00' : '')}${noon}`.trim();
  if (span === undefined) return undefined;
  return { text: span, ...(passes(() => parseLater(due, now, 'UTC')) && { due }) };
};

export const spokenTimeIn: Read = (text, now) =>
  changeIn(text, now) ?? laterIn(text, now) ?? dayIn(text, now) ?? amountIn(text, now) ?? clockIn(text, now);
