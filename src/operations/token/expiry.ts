import { UsageError } from '../../errors.ts';
import { isoDay, UNITS } from '../../time.ts';
import type { ArgumentKind } from '../argument.ts';
import { parseMoment } from '../arguments/dates.ts';

/** When a token stops working, as it was typed and as an instant. */
export interface Expiry {
  text: string;
  instant: Date;
}

const SHORTHAND = /^(\d{1,5})([hdwmy])$/i;

/** Every way of writing an expiry, for hints. `m` is months here, as on the platform's own command line. */
const EXPIRY_FORMS = '12h, 30d, 4w, 6m (months), 1y, or a date such as 2027-01-31';

/** The same day of the month and time some months later; the month's last day where it has no such day (01-31 → 02-28). */
function addMonths(from: Date, months: number): Date {
  const first = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1));
  if (Number.isNaN(first.getTime())) return first;
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const moved = new Date(from);
  moved.setUTCFullYear(first.getUTCFullYear(), first.getUTCMonth(), Math.min(from.getUTCDate(), last));
  return moved;
}

function instantOf(typed: string, now: Date): Date {
  const short = SHORTHAND.exec(typed);
  if (short === null) {
    if (!/^\d{1,4}[-/]/.test(typed))
      throw new UsageError(`“${typed}” is no expiry.`, { hint: `Write ${EXPIRY_FORMS}.` });
    return parseMoment(typed, now).instant;
  }
  const count = Number(short[1]);
  const unit = short[2]!.toLowerCase();
  if (unit === 'm') return addMonths(now, count);
  if (unit === 'y') return addMonths(now, count * 12);
  return new Date(now.getTime() + count * UNITS[unit as 'h' | 'd' | 'w']);
}

/** `30d` (h d w m y; months and years by the calendar), a date (its start, UTC) or a date and time. The past is refused. */
export function parseExpiry(text: string, now: Date): Expiry {
  const typed = text.trim();
  const instant = instantOf(typed, now);
  if (Number.isNaN(instant.getTime()) || instant.getUTCFullYear() > 9999) {
    throw new UsageError(`“${text}” is too far away.`, {
      hint: 'Leave the expiry out for a token that never expires.',
    });
  }
  if (instant.getTime() <= now.getTime()) {
    throw new UsageError(`“${text}” is in the past: it is ${isoDay(now)} (UTC) now.`, {
      hint: `Write ${EXPIRY_FORMS}.`,
    });
  }
  return { text: typed, instant };
}

/** When the token stops working; without it, never. */
export function expiry(label = 'Expiry'): ArgumentKind<Expiry> {
  return {
    label,
    hint: `${EXPIRY_FORMS}. Without it, the token never expires.`,
    shape: 'word',
    required: true,
    fromMessage: 'lifetime',
    also: ['expires', 'valid'],
    field: { type: 'text', placeholder: '30d', maxLength: 40 },
    check: (typed, now) => void parseExpiry(typed, now),
    resolve: (typed, { now }) => parseExpiry(typed ?? '', now),
    textOf: ({ instant }) => instant.toISOString(),
  };
}
