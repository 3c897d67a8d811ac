import { DAY, HOUR, MINUTE } from '../time.ts';
import type { Cron } from './cron.ts';
import { stretchesBetween } from './offsets.ts';

/** A larger change of the clocks is a correction, and the new time counts at once (vixie cron draws the line at three hours). */
const LONGEST_JUMP = 3 * HOUR;
/** How far the next slots are looked for: a leap day may be eight years away. */
const HORIZON = 9 * 366 * DAY;

/**
 * The slots of a schedule after `from`, up to and including `to`, as Unix milliseconds in order.
 *
 * Vixie cron's rules: a schedule whose minute or hour begins with a star follows real time, so it has nothing in the hour
 * that the spring skips and comes again in the hour that the autumn repeats. A fixed time of day comes once: at the end of
 * the gap when it was skipped, and the first time when it is repeated.
 *
 * Computed here, stretch by stretch of equal offset. The libraries differ from these rules: see test/schedule/croner.test.ts.
 */
export function* slotsBetween(cron: Cron, timezone: string, from: number, to: number): Generator<number> {
  // Begun early enough to know of a change of the clocks just before.
  const start = Math.floor((from - 2 * DAY) / MINUTE) * MINUTE;
  const stretches = [...stretchesBetween(timezone, start, to)];
  /** Up to where the local clocks have been, for fixed times. */
  let reached = Number.NEGATIVE_INFINITY;
  for (const [index, { start: begins, offset }] of stretches.entries()) {
    const ends = stretches[index + 1]?.start ?? Math.floor(to / MINUTE) * MINUTE + MINUTE;
    const before = stretches[index - 1]?.offset ?? offset;
    const jump = offset - before;
    if (!cron.wildcard && jump > 0 && jump <= LONGEST_JUMP && begins > from) {
      const skipped = comesBetween(cron, begins + before, begins + offset);
      // When its end is a time of the schedule itself, it comes below.
      if (skipped && !comesBetween(cron, begins + offset, begins + offset + MINUTE)) yield begins;
    }
    const repeated = !cron.wildcard && jump < 0 && -jump <= LONGEST_JUMP;
    const first = Math.max(begins + offset, from + offset + 1, repeated ? reached : Number.NEGATIVE_INFINITY);
    const last = ends + offset;
    for (const day of daysOf(cron, first, last)) {
      for (const time of cron.times) {
        const local = day + time;
        if (local >= last) break;
        if (local >= first) yield local - offset;
      }
    }
    reached = repeated ? Math.max(reached, ends + offset) : ends + offset;
  }
}

/** Days of local clocks that a schedule names, as if local time were UTC, from the one that holds `from` to before `to`. */
function* daysOf(cron: Cron, from: number, to: number): Generator<number> {
  for (let day = Math.floor(from / DAY) * DAY; day < to; day += DAY) {
    const date = new Date(day);
    if (cron.isOn(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())) yield day;
  }
}

/** The local clocks come by a time of the schedule from one minute to before another. */
function comesBetween(cron: Cron, from: number, to: number): boolean {
  for (const day of daysOf(cron, from, to)) {
    if (cron.times.some((time) => day + time >= from && day + time < to)) return true;
  }
  return false;
}

/** The next slots after an instant: at most `count`, fewer only when none comes for nine years. */
export function nextSlots(cron: Cron, timezone: string, after: number, count: number): number[] {
  const slots: number[] = [];
  // Looked for in growing steps: most schedules have five slots within days.
  for (let from = after, step = 2 * DAY; from < after + HORIZON && slots.length < count; step *= 4) {
    const to = Math.min(from + step, after + HORIZON);
    for (const slot of slotsBetween(cron, timezone, from, to)) {
      slots.push(slot);
      if (slots.length === count) break;
    }
    from = to;
  }
  return slots;
}
