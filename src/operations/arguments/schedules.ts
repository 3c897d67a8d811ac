import { UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { isTimezone } from '../../schedule/offsets.ts';
import { parseQuietHours } from '../../schedule/quiet-hours.ts';
import { parseSchedule, type Schedule } from '../../schedule/words.ts';
import type { ArgumentKind } from '../operation.ts';
import { containing, parsed, text } from './plain.ts';

const ABBREVIATED: Readonly<Record<string, string>> = {
  'EST EDT ET EASTERN': 'America/New_York',
  'CST CDT CT CENTRAL': 'America/Chicago',
  'MST MDT MT MOUNTAIN': 'America/Denver',
  'PST PDT PT PACIFIC': 'America/Los_Angeles',
  'HST HDT': 'Pacific/Honolulu',
  'BRT BRST': 'America/Sao_Paulo',
  'WET WEST': 'Europe/Lisbon',
  'BST UK GB': 'Europe/London',
  'CET CEST MEZ MESZ MET': 'Europe/Berlin',
  'EET EEST': 'Europe/Athens',
  MSK: 'Europe/Moscow',
  IST: 'Asia/Kolkata',
  SGT: 'Asia/Singapore',
  HKT: 'Asia/Hong_Kong',
  'JST JAPAN': 'Asia/Tokyo',
  KST: 'Asia/Seoul',
  'AEST AEDT': 'Australia/Sydney',
  'NZST NZDT NZ': 'Pacific/Auckland',
  'Z ZULU': 'UTC',
};

function zonesMeant(typed: string): string[] {
  const [name = ''] = typed
    .toUpperCase()
    .split(/\d| TIME$/)
    .map((part) => part.trim());
  const known = Object.entries(ABBREVIATED).find(([short]) => short.split(' ').includes(name))?.[1];
  if (known !== undefined) return [known];
  const all = Intl.supportedValuesOf('timeZone');
  const city = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1);
  const wanted = typed.replaceAll(' ', '_');
  const near = nearest(wanted, all, () => 2) ?? nearest(wanted, all.map(city), () => 1);
  return all.filter((zone) => zone === near || city(zone) === near).slice(0, 3);
}

/** When something happens: `weekdays at 9:00`, or cron. */
export function schedule(): ArgumentKind<Schedule> {
  return {
    ...text('Schedule', {
      hint: 'In words, such as weekdays at 9:00, every 15 minutes, mondays at 9:00; or cron: 0 9 * * 1-5',
      placeholder: 'weekdays at 9:00',
      maxLength: 200,
    }),
    ...parsed(parseSchedule, ({ text }) => text),
    fromMessage: 'schedule',
    normal: (typed) => parseSchedule(typed).text,
  };
}

/** A time zone by its IANA name; the reader's own when it is left out. */
export function timezone(): ArgumentKind<string> {
  return {
    label: 'Time zone',
    hint: 'Such as Europe/Berlin; yours when it is left out',
    also: ['timezone', 'time zone', 'tz'],
    shape: 'flag',
    required: false,
    field: { type: 'suggest', placeholder: 'Europe/Berlin' },
    check(typed) {
      const name = typed.trim();
      // An abbreviation stands for one offset all year, or for several zones.
      if (isTimezone(name) && (name.includes('/') || /^(?:UTC|GMT)$/i.test(name))) return;
      const meant = zonesMeant(name);
      throw new UsageError(`“${typed}” is not a time zone. Write one such as Europe/Berlin.`, {
        instead: meant,
        ...(meant.length === 0 ? {} : { hint: `Did you mean ${meant.join(' or ')}?` }),
      });
    },
    resolve: (typed, { reader }) => typed?.trim() ?? reader.timezone,
    textOf: (value) => value,
    suggest: async (query) =>
      containing(
        query.trim().replaceAll(' ', '_'),
        Intl.supportedValuesOf('timeZone').map((name) => ({ label: name, value: name })),
      ),
  };
}

/** `22:00-07:00`: a stretch of every day. */
export function quietHours(): ArgumentKind<string> {
  return {
    ...text('Quiet hours', {
      hint: 'I post nothing in these hours, not even an outage; it comes when they end',
      placeholder: '22:00-07:00',
      maxLength: 20,
    }),
    check: (typed) => void parseQuietHours(typed),
    resolve: (typed) => (typed ?? '').trim(),
  };
}
