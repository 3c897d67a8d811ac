import { Cron } from 'croner';
import { UsageError } from '../errors.ts';

/** Cached, because the same few are used every minute. */
const compiled = new Map<string, Cron>();

function cronOf(text: string, timezone: string): Cron {
  const key = `${timezone} ${text}`;
  let cron = compiled.get(key);
  if (cron === undefined) {
    const [, , day = '', , weekday = ''] = text.split(' ');
    cron = new Cron(text, {
      timezone,
      mode: '5-part',
      // Vixie cron's rules: a time without a star comes once a day whatever the clocks do, and of two day fields
      // either may fit unless one begins with a star.
      fixedTimeRule: 'no-wildcard',
      domAndDow: day.startsWith('*') || weekday.startsWith('*'),
    });
    if (compiled.size >= 1_000) compiled.clear();
    compiled.set(key, cron);
  }
  return cron;
}

/** Returns it with single spaces. Throws UsageError, also for a day that never comes. */
export function parseCron(text: string): string {
  const written = text.trim().replace(/\s+/g, ' ');
  const fields = written.split(' ').length;
  if (fields !== 5) throw new UsageError(`A cron expression has five fields, “${written}” has ${fields}.`);
  let next: Date | null;
  try {
    next = cronOf(written, 'UTC').nextRun();
  } catch (error) {
    const why = (error as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '');
    throw new UsageError(`“${written}” is not a cron expression: ${why}.`);
  }
  if (next === null) throw new UsageError(`“${written}” never happens: no such month has that day.`);
  return written;
}

/** In Unix milliseconds. `to` is included. */
export function* slotsBetween(cron: string, timezone: string, from: number, to: number): Generator<number> {
  const schedule = cronOf(cron, timezone);
  for (
    let next = schedule.nextRun(new Date(from));
    next !== null && next.getTime() <= to;
    next = schedule.nextRun(next)
  )
    yield next.getTime();
}

export function nextSlots(cron: string, timezone: string, after: number, count: number): number[] {
  return cronOf(cron, timezone)
    .nextRuns(count, new Date(after))
    .map((slot) => slot.getTime());
}
