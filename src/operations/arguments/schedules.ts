import { UsageError } from '../../errors.ts';
import { isTimezone } from '../../schedule/offsets.ts';
import { parseQuietHours } from '../../schedule/quiet-hours.ts';
import { parseSchedule, type Schedule } from '../../schedule/words.ts';
import type { ArgumentKind } from '../argument.ts';
import { text } from './plain.ts';

/** Time zones that a list shows at most. */
const MOST_SUGGESTED = 100;

/** When something happens: `weekdays at 9:00`, or cron. */
export function schedule(label = 'Schedule'): ArgumentKind<Schedule> {
  return {
    ...text(label, {
      hint: 'In words, such as weekdays at 9:00, every 15 minutes, mondays at 9:00; or cron: 0 9 * * 1-5',
      placeholder: 'weekdays at 9:00',
      maxLength: 200,
    }),
    fromMessage: 'schedule',
    check: (typed) => void parseSchedule(typed),
    resolve: (typed) => parseSchedule(typed ?? ''),
    textOf: (value) => value.text,
  };
}

/** A time zone by its IANA name; the reader's own when it is left out. */
export function timezone(label = 'Time zone'): ArgumentKind<string> {
  return {
    label,
    hint: 'Such as Europe/Berlin; yours when it is left out',
    also: ['timezone', 'time zone', 'tz'],
    shape: 'flag',
    required: false,
    field: { type: 'suggest', placeholder: 'Europe/Berlin' },
    check(typed) {
      if (!isTimezone(typed.trim())) throw new UsageError(`“${typed}” is no time zone, such as Europe/Berlin.`);
    },
    resolve: (typed, { reader }) => typed?.trim() ?? reader.timezone,
    textOf: (value) => value,
    async suggest(query) {
      const typed = query.trim().toLowerCase().replaceAll(' ', '_');
      return Intl.supportedValuesOf('timeZone')
        .filter((name) => name.toLowerCase().includes(typed))
        .slice(0, MOST_SUGGESTED)
        .map((name) => ({ label: name, value: name }));
    },
  };
}

/** `22:00-07:00`: a stretch of every day. */
export function quietHours(label = 'Quiet hours'): ArgumentKind<string> {
  return {
    ...text(label, { hint: 'What is due then comes at their end', placeholder: '22:00-07:00', maxLength: 20 }),
    check: (typed) => void parseQuietHours(typed),
    resolve: (typed) => (typed ?? '').trim(),
  };
}
