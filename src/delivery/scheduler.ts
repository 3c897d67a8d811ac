import { setMaxListeners } from 'node:events';
import { type Logger as CronLog, type ScheduledTask, schedule } from 'node-cron';
import type { Logger } from 'pino';
import { createRunner } from '../jobs.ts';
import { nextSlots, slotsBetween } from '../schedule/cron.ts';
import { parseQuietHours, quietUntil } from '../schedule/quiet-hours.ts';
import type { Jobs } from '../store/jobs.ts';
import type { OpenedSlot } from '../store/report-ledger.ts';
import { SLOTS, type Subscription } from '../store/subscriptions.ts';
import { HOUR, MINUTE } from '../time.ts';
import type { RunOutcome } from './run.ts';
import type { ReportServices } from './services.ts';

export interface SchedulerServices
  extends Pick<ReportServices, 'reports' | 'subscriptions' | 'ledger' | 'log' | 'observe'> {
  jobs: Jobs;
  /** Told whether the look for due work succeeded. */
  looked?: (ok: boolean) => void;
  /** Does one slot. Throws errors of the store. */
  run(subscription: number, slot: Date, signal: AbortSignal): Promise<RunOutcome>;
}

export function nextSlotOf({ cron, timezone }: { cron: string; timezone: string }): (after: Date) => Date | undefined {
  return (after) => {
    const [slot] = nextSlots(cron, timezone, after.getTime(), 1);
    return slot === undefined ? undefined : new Date(slot);
  };
}

/**
 * The slots up to now that are not in the ledger. Recent ones are due; if they are many, the oldest are folded into a later one.
 * Older ones are missed, in one row. Slots in quiet hours wait for their end.
 */
export function slotsToOpen(subscription: Subscription, now: Date, isStretch: boolean): OpenedSlot[] {
  const { cron, timezone, slotsUntil, quiet } = subscription;
  /** Slots up to here are missed. */
  const past = now.getTime() - 6 * HOUR - 1;
  const recent = [...slotsBetween(cron, timezone, Math.max(slotsUntil.getTime(), past), now.getTime())];
  const opened: OpenedSlot[] = [];
  const [missed] = slotsBetween(cron, timezone, slotsUntil.getTime(), past);
  if (missed !== undefined) opened.push({ slot: new Date(missed), state: 'missed', notBefore: new Date(missed) });
  // If the report covers the time since the last one, one slot tells everything.
  // Older slots are folded into the first of these.
  const kept = recent.slice(isStretch ? -1 : -3);
  const quietHours = quiet === undefined ? undefined : parseQuietHours(quiet);
  for (const slot of recent) {
    const isKept = slot >= kept[0]!;
    const until = quietHours === undefined ? undefined : quietUntil(quietHours, timezone, slot);
    opened.push({
      slot: new Date(slot),
      state: isKept ? 'due' : 'folded',
      notBefore: new Date(until ?? slot),
      foldedInto: isKept ? undefined : new Date(kept[0]!),
    });
  }
  return opened;
}

export type Scheduler = ReturnType<typeof createScheduler>;

/**
 * node-cron only ticks, every minute in UTC. Slots are computed and kept in the store. The replica with the subscription’s job does
 * them.
 */
export function createScheduler(services: SchedulerServices) {
  const { reports, jobs, subscriptions, ledger, run, log, looked, observe } = services;
  const stopping = new AbortController();
  const { signal } = stopping;
  // All work under way listens to it.
  setMaxListeners(0, signal);
  const runner = createRunner(jobs, [{ [SLOTS]: ({ key }) => doSlots(Number(key.slice(SLOTS.length + 1))) }], log);
  let task: ScheduledTask | undefined;

  /** Opens the slots that have come, and does them in order. Returns in how many milliseconds the next one is due. */
  async function doSlots(id: number): Promise<number | undefined> {
    const subscription = await subscriptions.read(id);
    if (subscription === undefined) return undefined;
    if (subscription.state !== 'ended') await open(subscription);
    for (let last: number | undefined; ; ) {
      const next = await ledger.next(id);
      if (next === undefined || next.delay > 0 || signal.aborted) return next && Math.max(0, next.delay);
      const { slot } = next;
      // The same slot again: it is tried later.
      if (slot.getTime() === last) return MINUTE;
      last = slot.getTime();
      const since = performance.now();
      const outcome = await run(id, slot, signal);
      const milliseconds = Math.round(performance.now() - since);
      log.info({ subscription: id, slot, outcome, milliseconds }, 'a report was due');
    }
  }

  async function open(subscription: Subscription): Promise<void> {
    const now = await ledger.now();
    if (subscription.nextSlot === undefined || subscription.nextSlot > now) return;
    const report = reports.find(({ name }) => name === subscription.report);
    const slots = slotsToOpen(subscription, now, report?.window !== undefined);
    for (const { state } of slots)
      if (state === 'missed') observe?.saw('slots', { report: report?.name ?? 'unknown', event: 'missed' });
    // Rows first, then how far they reach: after a crash in between, repeating it changes nothing.
    await ledger.open(subscription, slots);
    const waiting = slots.filter(({ state, notBefore, slot }) => state === 'due' && notBefore > slot).at(-1);
    if (waiting !== undefined) await ledger.foldWaiting(subscription.id, waiting.slot);
    await subscriptions.advance(subscription, now, nextSlotOf(subscription)(now));
  }

  const scheduler = {
    /** Ticks now and every minute. */
    start() {
      const options = { timezone: 'UTC', name: 'reports', logger: cronLog(log) };
      task = schedule('* * * * *', () => scheduler.tick(), options);
      void scheduler.tick();
    },
    /** Does what is due, and resolves when that is done. Never throws. */
    async tick() {
      if (signal.aborted) return;
      try {
        await subscriptions.arm();
        looked?.(true);
      } catch (error) {
        looked?.(false);
        log.error({ err: error }, 'what is due could not be looked for');
      }
      await runner.tick();
      await runner.idle();
    },
    /** Starts nothing new, aborts what is under way, and waits for it. */
    async stop() {
      await task?.destroy();
      stopping.abort(new Error('Edgewise is stopping.'));
      await runner.stop();
    },
  };
  return scheduler;
}

/** Otherwise node-cron writes to the console. */
function cronLog(log: Logger): CronLog {
  return {
    info: (words) => log.info(words),
    warn: (words) => log.warn(words),
    error: (words, error) => log.error({ err: error ?? words }, 'the scheduler'),
    debug: (words) => log.debug(String(words)),
  };
}
