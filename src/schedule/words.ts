import { UsageError } from '../errors.ts';
import { WEEKDAYS } from '../time.ts';
import { parseCron } from './cron.ts';

const HINT =
  'Such as `weekdays at 9:00`, `daily at 08:30`, `mondays and thursdays at 9:00`, `every 15 minutes`, `hourly`, `1st of the month at 8:00`, or cron: `0 9 * * 1-5`.';

export interface Schedule {
  /** With single spaces. */
  text: string;
  cron: string;
}

/** `weekdays at 9:00`, `every 2 hours on weekends`, `mondays at 9am`, `1st and 15th at 8:00`, or cron. Throws UsageError. */
export function parseSchedule(text: string): Schedule {
  const written = text.trim().replace(/\s+/g, ' ');
  if (written === '') throw new UsageError('The schedule is empty.', { hint: HINT });
  try {
    const looksLikeCron = /^[\d*]\S*( \S+){4}$/.test(written) && !/ (at|on|of|and) /i.test(written);
    return { text: written, cron: parseCron(looksLikeCron ? written : cronOf(written)) };
  } catch (error) {
    if (error instanceof UsageError && error.hint === undefined) throw new UsageError(error.message, { hint: HINT });
    throw error;
  }
}

function unknown(words: string): UsageError {
  return new UsageError(`“${words}” is not a schedule I understand.`);
}

function cronOf(written: string): string {
  const words = written
    .toLowerCase()
    .replace(/^every (hour|minute|day|week|month)\b/, (_, unit: string) => UNITS[unit]!)
    .replace(/\b(every|each|on|the|of)\b/g, (word) => (word === 'each' ? 'every' : word));
  const [whole, repeat] = splitAt(words);
  const days = repeat
    .replace(/\b(every|on|the)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (whole !== undefined) return atTimes(days === '' ? 'daily' : days, whole, written);
  return repeating(words, written);
}

const UNITS: Readonly<Record<string, string>> = {
  minute: 'every 1 minutes',
  hour: 'hourly',
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
};

/** Returns the times (undefined: there are none) and the rest. */
function splitAt(words: string): [string | undefined, string] {
  const found = /\bat (?=.)/.exec(words);
  if (found === null) return [undefined, words];
  const rest = words.slice(found.index + found[0].length);
  const on = rest.indexOf(' on ', 1);
  const end = on === -1 || on + ' on '.length === rest.length ? rest.length : on;
  return [rest.slice(0, end), `${words.slice(0, found.index)}${rest.slice(end)}`];
}

/** `hourly`, `every 15 minutes`, `every 2 hours`, optionally with days after it. */
function repeating(words: string, written: string): string {
  const found = /^(?:(hourly)|every (\d{1,2}) (minutes?|hours?))(?: on (.+))?$/.exec(words);
  if (found === null) {
    if (/^(daily|weekly|monthly|weekdays?|weekends?)$/.test(words) || dayFields(words) !== undefined)
      throw new UsageError(`“${written}” needs a time of day: “${written} at 9:00”.`);
    throw unknown(written);
  }
  const [, hourly, number, unit, days] = found;
  const fields = dayFields(days?.replace(/\bthe\b/g, ' ').trim() ?? 'daily');
  if (fields === undefined) throw unknown(written);
  if (hourly !== undefined) return `0 * ${fields}`;
  const every = Number(number);
  const [whole, name] = unit!.startsWith('minute') ? [60, 'hour'] : [24, 'day'];
  if (every === 0 || every > whole / 2 ? every !== 1 : whole % every !== 0)
    throw new UsageError(
      `Every ${every} ${unit} doesn’t fit evenly into ${whole === 60 ? 'an' : 'a'} ${name}: the count would restart each time. Choose a number that fits.`,
    );
  if (whole === 60) return every === 1 ? `* * ${fields}` : `*/${every} * ${fields}`;
  return every === 1 ? `0 * ${fields}` : `0 */${every} ${fields}`;
}

/** All times need the same minute, because a cron expression has only one. */
function atTimes(days: string, times: string, written: string): string {
  const fields = dayFields(days);
  if (fields === undefined) throw unknown(written);
  const parsed = times.split(/,|\band\b/).map((time) => timeOf(time.trim(), written));
  const minutes = new Set(parsed.map(({ minute }) => minute));
  if (minutes.size > 1)
    throw new UsageError('These times have different minutes. Make two subscriptions, one for each time.');
  const hours = [...new Set(parsed.map(({ hour }) => hour))].sort((a, b) => a - b);
  return `${[...minutes][0]} ${hours.join(',')} ${fields}`;
}

/** `9:00`, `09.30`, `9am`, `5:30 pm`, `17`, `noon`, `midnight`. */
function timeOf(text: string, written: string): { hour: number; minute: number } {
  if (text === 'noon') return { hour: 12, minute: 0 };
  if (text === 'midnight') return { hour: 0, minute: 0 };
  const found = /^(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?(?: o.?clock)?$/.exec(text);
  const hour = Number(found?.[1]);
  const minute = Number(found?.[2] ?? 0);
  const half = found?.[3];
  if (found === null || minute > 59 || hour > 23 || (half !== undefined && (hour < 1 || hour > 12)))
    throw new UsageError(`“${text}” in “${written}” is not a time of day.`);
  return { hour: half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0), minute };
}

/** Undefined: these are not days. */
function dayFields(words: string): string | undefined {
  if (words === 'daily' || words === 'days' || words === 'day') return '* * *';
  if (/^(weekdays?|workdays?|working days)$/.test(words)) return '* * 1-5';
  if (/^weekends?$/.test(words)) return '* * 0,6';
  if (words === 'weekly') return '* * 1';
  if (words === 'monthly') return '1 * *';
  const ofMonth = words.replace(/ (?:of )?(?:the |every |each )?month$/, '').replace(/^monthly /, '');
  const parts = ofMonth
    .split(/,|\band\b/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const numbers = parts.map((part) => /^(\d{1,2})(?:st|nd|rd|th)$/.exec(part)?.[1]);
  if (parts.length > 0 && numbers.every((number) => number !== undefined)) return `${numbers.join(',')} * *`;
  const days = parts.flatMap((part) => weekdaysOf(part) ?? [-1]);
  if (days.length === 0 || days.includes(-1)) return undefined;
  return `* * ${[...new Set(days)].sort((a, b) => a - b).join(',')}`;
}

/** `mondays`, `mon`, `monday to thursday` */
function weekdaysOf(text: string): number[] | undefined {
  const named = (name: string) =>
    WEEKDAYS.findIndex((weekday) => name.length >= 3 && weekday.startsWith(name.replace(/s$/, '') || '-'));
  const [first, last, more] = text.split(/\bto\b|[-–]/).map((day) => day.trim());
  if (more !== undefined) return undefined;
  const from = named(first ?? '');
  const to = last === undefined ? from : named(last);
  if (from === -1 || to === -1) return undefined;
  const days = [from];
  while (days.at(-1) !== to) days.push((days.at(-1)! + 1) % 7);
  return days;
}
