import { UsageError } from '../../errors.ts';
import { instantsOf, offsetAt } from '../../schedule/offsets.ts';
import { DAY, dayOf, HOUR, parseDuration, WEEKDAYS } from '../../time.ts';
import type { ArgumentKind } from '../operation.ts';
import { clockOf, startOfDay } from './dates.ts';
import { oneOfTwo } from './plain.ts';

/**
 * The next such time in that time zone. A time that the clocks skip moves on by as much as they skip. Throws
 * UsageError.
 */
export function parseLater(text: string, now: Date, timezone: string): Date {
  const typed = text.trim();
  const length = parseDuration(typed.replace(/^in +/i, ''));
  const exact = isIso(typed) ? Date.parse(typed) : now.getTime() + (length ?? Number.NaN);
  if (!Number.isNaN(exact)) return new Date(exact);
  const [, named = '', year, month, day, hours, minutes, half, utc] =
    /^(?:(today|tonight|tomorrow|[a-z]+day|(\d{4})-(\d{1,2})-(\d{1,2}))(?:,? +(?:at +)?|T))?(\d{1,2})(?:[:.](\d{2}))?\s?(am|pm)? ?(z|utc)?$/i.exec(
      typed,
    ) ?? [];
  const word = named.toLowerCase();
  const zone = utc === undefined ? timezone : 'UTC';
  const today = startOfDay(new Date(now.getTime() + offsetAt(zone, now.getTime()))).getTime();
  const clock = (minutes ?? half) === undefined && named === '' ? undefined : clockOf(hours, minutes, half);
  const date = year === undefined ? undefined : dayOf(Number(year), Number(month), Number(day));
  const walls = date === undefined ? wallsOf(word, today, clock, half) : [date.getTime() + (clock ?? Number.NaN)];
  const all = walls.filter(Number.isFinite).flatMap((wall) => instantsOf(wall, zone));
  const due = all.find((instant) => instant > now.getTime()) ?? all.at(-1);
  if (due !== undefined) return new Date(due);
  throw new UsageError(`“${text}” is not a time for a change.`, {
    hint: 'Write 02:00, tomorrow 2am, monday 02:00, 2026-11-30 02:00 or in 3 hours.',
  });
}

/** What the clock may show. Tonight begins at 17:00 and ends before 5:00, so 9 is then in the evening. */
function wallsOf(word: string, today: number, clock = Number.NaN, half: string | undefined): number[] {
  const evening = half === undefined && clock < 13 * HOUR ? (clock + 12 * HOUR) % DAY : clock;
  const night = [clock, evening].find((one) => one < 5 * HOUR || one >= 17 * HOUR) ?? Number.NaN;
  if (word === 'tonight') return [today + night, ...(night < 5 * HOUR ? [today + DAY + night] : [])];
  const days = [...Array(9).keys()].map((ahead) => today + ahead * DAY);
  const meant: Record<string, number[]> = { '': days, today: [days[0]!], tomorrow: [days[1]!] };
  const ofWeek = days.filter((one) => new Date(one).getUTCDay() === WEEKDAYS.indexOf(word));
  return (meant[word] ?? ofWeek).map((one) => one + clock);
}

function checkAhead(due: Date, now: Date): void {
  const ahead = due.getTime() - now.getTime();
  if (ahead <= 0) throw new UsageError('That time has passed.', { hint: 'Leave out --at to do it now.' });
  if (ahead > 7 * DAY) throw new UsageError('A change can be planned at most 7 days ahead.');
}

/** `--at 02:00` for every change. Its text is the instant. The policy calls a change `later` that has one, and others `now`. */
export function laterThan(): ArgumentKind<Date | false> {
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
    names: oneOfTwo('at', 'now', 'later'),
    // Only texts with a time zone mean the same for everybody.
    check(typed, now) {
      const due = parseLater(typed, now, 'UTC');
      if (isIso(typed)) checkAhead(due, now);
    },
    resolve(typed, { reader, now }) {
      if (typed === undefined) return false;
      const due = parseLater(typed, now, reader.timezone);
      // Stored with a change that was asked for earlier.
      if (!isIso(typed)) checkAhead(due, now);
      return due;
    },
    textOf: (due) => (due === false ? undefined : due.toISOString()),
  };
}

const isIso = (text: string) => text.includes('T') && /(?:Z|[+-]\d\d:\d\d)$/.test(text);
