import { UsageError } from '../errors.ts';
import { MINUTE } from '../time.ts';
import { nextSlots } from './cron.ts';
import { offsetAt } from './offsets.ts';

/** In minutes since local midnight. If `from` is after `to`, they span midnight. */
export interface QuietHours {
  from: number;
  to: number;
}

/** `22:00-07:00`. Throws UsageError. */
export function parseQuietHours(text: string): QuietHours {
  const found = /^(\d{1,2})(?::(\d{2}))?\s*(?:-|–|to)\s*(\d{1,2})(?::(\d{2}))?$/.exec(text.trim());
  const [fromHour, fromMinute, toHour, toMinute] = (found?.slice(1) ?? []).map((part) => Number(part ?? 0));
  const from = fromHour! * 60 + fromMinute!;
  const to = toHour! * 60 + toMinute!;
  if (found === null || fromHour! > 23 || toHour! > 23 || fromMinute! > 59 || toMinute! > 59 || from === to)
    throw new UsageError(`“${text}” are not quiet hours. Write them like 22:00-07:00.`);
  return { from, to };
}

/** In Unix milliseconds. Undefined: it is not quiet. */
export function quietUntil({ from, to }: QuietHours, timezone: string, instant: number): number | undefined {
  const local = Math.floor((instant + offsetAt(timezone, instant)) / MINUTE) % (24 * 60);
  const isQuiet = from < to ? local >= from && local < to : local >= from || local < to;
  if (!isQuiet) return undefined;
  return nextSlots(`${to % 60} ${Math.floor(to / 60)} * * *`, timezone, instant, 1)[0];
}
