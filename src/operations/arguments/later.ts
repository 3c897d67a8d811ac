import { UsageError } from '../../errors.ts';
import { instantsOf, offsetAt } from '../../schedule/offsets.ts';
import { DAY, dayOf, HOUR, MINUTE, parseDuration } from '../../time.ts';
import type { ArgumentKind } from '../argument.ts';
import { clockOf, startOfDay, WEEKDAYS } from './dates.ts';
import { oneOfTwo } from './plain.ts';

/** In milliseconds. How far ahead a change can be planned. */
const FURTHEST = 7 * DAY;

const TIME =
  /^(?:(today|tonight|tomorrow|[a-z]+day|(\d{4})-(\d{1,2})-(\d{1,2}))(?:,? +(?:at +)?|T))?(\d{1,2})(?:[:.](\d{2}))?\s?(am|pm)? ?(z|utc|[+-]\d{2}:?\d{2})?$/i;

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
  const [, named = '', year, month, day, hours, minutes, said, zone] = TIME.exec(typed) ?? [];
  const word = named.toLowerCase();
  const weekday = WEEKDAYS.indexOf(word);
  const date = year === undefined ? undefined : dayOf(Number(year), Number(month), Number(day));
  const evening =
    word !== 'tonight' || Number(hours) < 5 || Number(hours) > 12 ? undefined : hours === '12' ? 'am' : 'pm';
  const half = said ?? evening;
  const isClock = (minutes ?? half) !== undefined || named !== '';
  const clock = isClock ? clockOf(hours, minutes, half) : undefined;
  if (clock === undefined) throw wrong(text);
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '');
  const away = offset === null ? 0 : Number(`${offset[1]}1`) * (Number(offset[2]) * 60 + Number(offset[3])) * MINUTE;
  const instants = (wall: number) => (zone === undefined ? instantsOf(wall, timezone) : [wall - away]);
  const today = startOfDay(new Date(now.getTime() + (zone === undefined ? offsetAt(timezone, now.getTime()) : away)));
  const days = daysAhead(word, clock).map((ahead) => new Date(today.getTime() + ahead * DAY));
  const meant = date === undefined ? days.filter((one) => weekday === -1 || one.getUTCDay() === weekday) : [date];
  const all = meant.flatMap((one) => instants(one.getTime() + clock));
  if (all.length === 0) throw wrong(text);
  return new Date(all.find((instant) => instant > now.getTime()) ?? all.at(-1)!);
}

/** Tonight begins at 17:00 and ends before 5:00. */
function daysAhead(word: string, clock: number): number[] {
  if (word === 'tonight') return clock < 5 * HOUR ? [0, 1] : clock < 17 * HOUR ? [] : [0];
  if (word === 'today' || word === 'tomorrow') return [word === 'today' ? 0 : 1];
  return word === '' || WEEKDAYS.includes(word) ? [...Array(9).keys()] : [];
}

function checkAhead(due: Date, now: Date): void {
  const ahead = due.getTime() - now.getTime();
  if (ahead <= 0) throw new UsageError('That time has passed.', { hint: 'Leave out --at to do it now.' });
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
