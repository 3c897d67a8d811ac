import { DAY, HOUR, isoDay, MINUTE } from '../../time.ts';
import { startOfDay } from '../arguments/dates.ts';

/** A time that a stretch of words says, as the arguments take it. Days and hours are UTC, as everywhere. */
export interface SpokenTime {
  /** How many words say it. */
  length: number;
  /** It begins there, and goes on until now: `24h`, or a moment. */
  since?: string;
  /** A whole day, `YYYY-MM-DD` or `yesterday`. */
  day?: string;
  /** How long something lasts: `2h`. */
  duration?: string;
  /** So long something lives that is made now. */
  lifetime?: string;
  /** It has yet to come: nothing else takes it. */
  isFuture?: true;
}

const UNIT_NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['m', 'min', 'mins', 'minute', 'minutes'].map((word) => [word, 'm'])),
  ...Object.fromEntries(['h', 'hr', 'hrs', 'hour', 'hours'].map((word) => [word, 'h'])),
  ...Object.fromEntries(['d', 'day', 'days'].map((word) => [word, 'd'])),
  ...Object.fromEntries(['w', 'week', 'weeks'].map((word) => [word, 'w'])),
  ...Object.fromEntries(['month', 'months'].map((word) => [word, 'month'])),
};
const NUMBERS: Readonly<Record<string, number>> = Object.fromEntries(
  'zero one two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, at) => [word, at]),
);
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const FUTURE = new Set(['tomorrow', 'tonight', 'later', 'soon', 'next']);

/** The words that begin or name a time: what is mistyped is taken for one of them. */
export const TIME_WORDS = [
  ...Object.keys(UNIT_NAMES).filter((word) => word.length > 3),
  ...WEEKDAYS,
  ...MONTHS,
  ...FUTURE,
  ...['today', 'yesterday', 'last', 'past', 'previous', 'half', 'noon', 'midnight', 'week', 'since'],
];

const numberOf = (word = ''): number | undefined =>
  /^\d{1,4}$/.test(word) ? Number(word) : word === 'a' || word === 'an' ? 1 : NUMBERS[word];

/** `2 hours`, `2h`, `an hour`, `half an hour`. */
function amountAt(words: readonly string[], at: number): { length: number; text: string } | undefined {
  const [, digits, letter] = /^(\d{1,4})([a-z]+)$/.exec(words[at] ?? '') ?? [];
  const fused = UNIT_NAMES[letter ?? ''];
  if (digits !== undefined && fused !== undefined) return amount(Number(digits), fused, 1);
  if (words[at] === 'half' && /^an?$/.test(words[at + 1] ?? '') && words[at + 2] === 'hour') return amount(30, 'm', 3);
  const count = numberOf(words[at]);
  const unit = UNIT_NAMES[words[at + 1] ?? ''];
  // `5 m` and `7 d` are said by nobody: a letter alone is a name.
  return count === undefined || unit === undefined || words[at + 1]!.length === 1 ? undefined : amount(count, unit, 2);
}

const amount = (count: number, unit: string, length: number) => ({
  length,
  text: unit === 'month' ? `${count * 30}d` : `${count}${unit}`,
});

/** A time of day: the latest that was. */
function timeOfDay(word: string, next: string | undefined, now: Date): { length: number; since: string } | undefined {
  const named = { noon: '12:00', midnight: '0:00' }[word] ?? word;
  const [, hours, minutes, half] = /^(\d{1,2})(?:[:.](\d{2}))?(am|pm)?$/.exec(named) ?? [];
  const after = half ?? (next === 'am' || next === 'pm' ? next : undefined);
  if (hours === undefined || (minutes === undefined && after === undefined)) return undefined;
  const hour = after === undefined ? Number(hours) : (Number(hours) % 12) + (after === 'pm' ? 12 : 0);
  if (hour > 23 || Number(minutes ?? 0) > 59) return undefined;
  const today = startOfDay(now).getTime() + hour * HOUR + Number(minutes ?? 0) * MINUTE;
  const moment = new Date(today > now.getTime() ? today - DAY : today);
  return { length: half === after ? 1 : 2, since: `${moment.toISOString().slice(0, 16)}Z` };
}

/** `14 march`, `march 14th`: the latest that was. */
function dayOfMonth(words: readonly string[], at: number, now: Date): string | undefined {
  const [first = '', second = ''] = [words[at], words[at + 1]];
  const month = MONTHS.findIndex((name) => name === first || name === second);
  const day = Number(/^(\d{1,2})(st|nd|rd|th)?$/.exec(first === MONTHS[month] ? second : first)?.[1]);
  if (month < 0 || !(day >= 1 && day <= 31)) return undefined;
  const dates = [0, 1].map((back) => new Date(Date.UTC(now.getUTCFullYear() - back, month, day)));
  const found = dates.find((date) => date.getTime() <= now.getTime());
  return found === undefined ? undefined : isoDay(found);
}

/** The latest day of this name, today among them. */
function weekday(word: string, now: Date): string | undefined {
  const number = WEEKDAYS.indexOf(word);
  if (number < 0) return undefined;
  const today = startOfDay(now);
  return isoDay(new Date(today.getTime() - ((today.getUTCDay() - number + 7) % 7) * DAY));
}

/** The time that the words from there on say. Undefined: nothing. */
export function spokenTimeAt(words: readonly string[], at: number, now: Date): SpokenTime | undefined {
  const word = words[at] ?? '';
  const next = words[at + 1] ?? '';
  const ahead = word === 'in' ? amountAt(words, at + 1) : undefined;
  if (ahead !== undefined) return { length: ahead.length + 1, lifetime: ahead.text, isFuture: true };
  if (FUTURE.has(word)) return { length: 1, isFuture: true };
  if (/^(last|past|previous)$/.test(word)) {
    const span = amountAt(words, at + 1) ?? (UNIT_NAMES[next] && amount(1, UNIT_NAMES[next], 1));
    if (span) return { length: span.length + 1, since: span.text };
    const day = weekday(next, now);
    return day === undefined ? undefined : { length: 2, day };
  }
  if (word === 'this' && next === 'week') return { length: 2, since: weekday('monday', now)! };
  if (word === 'this' && next === 'month') return { length: 2, since: `${isoDay(now).slice(0, 8)}01` };
  if (word === 'today' || word === 'yesterday') return { length: 1, day: word };
  const day = /^\d{4}-\d{1,2}-\d{1,2}$/.test(word) ? word : weekday(word, now);
  if (day !== undefined) return { length: 1, day };
  const ofMonth = dayOfMonth(words, at, now);
  if (ofMonth !== undefined) return { length: 2, day: ofMonth };
  // A report that was muted speaks again then.
  if (/^(?:un)?till?$/.test(word) && /^chang/.test(words[at + 2] ?? '')) return { length: 3, duration: 'changed' };
  const span = amountAt(words, at);
  if (span !== undefined) {
    if (words[at + span.length] === 'ago') return { length: span.length + 1, since: span.text };
    return { length: span.length, since: span.text, duration: span.text };
  }
  return timeOfDay(word, next, now);
}
