import { UsageError } from '../../errors.ts';
import { offsetAt } from '../../schedule/offsets.ts';
import { DAY, dayOf, MINUTE, parseDuration } from '../../time.ts';
import type { ArgumentKind } from '../argument.ts';
import { startOfDay } from './dates.ts';
import { oneOfTwo } from './plain.ts';

/** In milliseconds. How far ahead a change can be planned. */
const FURTHEST = 7 * DAY;

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const TIME =
  /^(?:(today|tomorrow|[a-z]+day|(\d{4})-(\d{1,2})-(\d{1,2}))(?:,? +(?:at +)?|T))?(\d{1,2})(?:[:.](\d{2}))? ?(am|pm)? ?(z|utc|[+-]\d{2}:?\d{2})?$/i;

const wrong = (typed: string) =>
  new UsageError(`“${typed}” is not a time for a change.`, {
    hint: 'Write 02:00, tomorrow 2am, monday 02:00, 2026-11-30 02:00 or in 3 hours.',
  });

/** The next such time of that time zone. A time that the clocks skip is as much later as they skip. Throws UsageError. */
export function parseLater(text: string, now: Date, timezone: string): Date {
  const typed = text.trim();
  const length = parseDuration(typed.replace(/^in +/i, ''));
  const exact = isIso(typed) ? Date.parse(typed) : now.getTime() + (length ?? Number.NaN);
  if (!Number.isNaN(exact)) return new Date(exact);
  const [, named = '', year, month, day, hours, minutes, half, zone] = TIME.exec(typed) ?? [];
  const word = named.toLowerCase();
  const weekday = WEEKDAYS.indexOf(word);
  const date = year === undefined ? undefined : dayOf(Number(year), Number(month), Number(day));
  const isWord = word === '' || word === 'today' || word === 'tomorrow' || weekday !== -1;
  const hour = hourOf(Number(hours), half);
  const isTime = (minutes ?? half) !== undefined && hour < 24;
  if (!isTime || Number(minutes ?? 0) > 59 || !(isWord || date !== undefined)) throw wrong(text);
  const clock = (hour * 60 + Number(minutes ?? 0)) * MINUTE;
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '');
  const away = offset === null ? 0 : Number(`${offset[1]}1`) * (Number(offset[2]) * 60 + Number(offset[3])) * MINUTE;
  const instants = (wall: number) => (zone === undefined ? instantsOf(wall, timezone) : [wall - away]);
  const today = startOfDay(new Date(now.getTime() + (zone === undefined ? offsetAt(timezone, now.getTime()) : away)));
  const first = word === 'tomorrow' ? 1 : 0;
  const last = word === 'today' || word === 'tomorrow' ? first : 8;
  const days = Array.from({ length: last + 1 - first }, (_, at) => new Date(today.getTime() + (first + at) * DAY));
  const meant = date === undefined ? days.filter((one) => weekday === -1 || one.getUTCDay() === weekday) : [date];
  const all = meant.flatMap((one) => instants(one.getTime() + clock));
  return new Date(all.find((instant) => instant > now.getTime()) ?? all.at(-1)!);
}

function hourOf(hours: number, half: string | undefined): number {
  if (half === undefined) return hours;
  return hours >= 1 && hours <= 12 ? (hours % 12) + (/pm/i.test(half) ? 12 : 0) : Number.NaN;
}

/** When a clock in that time zone shows this, in order: twice if it is put back, and never if it is put forward over it. */
function instantsOf(wall: number, timezone: string): number[] {
  const [before, after] = [wall - DAY, wall + DAY].map((near) => wall - offsetAt(timezone, near)) as [number, number];
  const shown = [...new Set([before, after])].sort((one, other) => one - other);
  const exact = shown.filter((instant) => instant + offsetAt(timezone, instant) === wall);
  return exact.length > 0 ? exact : [before];
}

function checkAhead(due: Date, now: Date): void {
  const ahead = due.getTime() - now.getTime();
  if (ahead <= 0) throw new UsageError('That time is over.', { hint: 'Leave --at out to do it now.' });
  if (ahead > FURTHEST) throw new UsageError(`A change can be planned at most ${FURTHEST / DAY} days ahead.`);
}

/** `--at 02:00` for every change. Its text is the instant. The policy calls a change `later` that has one, and others `now`. */
export function laterThan(): ArgumentKind<Date | 'now'> {
  return {
    label: 'When',
    hint: 'Empty for now; or tomorrow 2am, monday 2am, in 3 hours. At most a week ahead, in your time zone',
    shape: 'flag',
    required: false,
    everywhere: true,
    role: 'do it at',
    fromMessage: 'due',
    usage: 'time',
    field: { type: 'text', placeholder: '02:00', maxLength: 40 },
    names: oneOfTwo('at', ['now', 'later'], (due) => due !== 'now'),
    // Only texts with a time zone mean the same for everybody.
    check(typed, now) {
      const due = parseLater(typed, now, 'UTC');
      if (isIso(typed)) checkAhead(due, now);
    },
    resolve(typed, { reader, now }) {
      if (typed === undefined) return 'now';
      const due = parseLater(typed, now, reader.timezone);
      // Stored with a change that was asked for earlier.
      if (!isIso(typed)) checkAhead(due, now);
      return due;
    },
    textOf: (due) => (due === 'now' ? undefined : (due as Date).toISOString()),
  };
}

const isIso = (text: string) => text.includes('T') && text.endsWith('Z');
