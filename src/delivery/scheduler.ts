import { setMaxListeners } from 'node:events';
import { type ScheduledTask, schedule } from 'node-cron';
import type { Logger } from 'pino';
import type { AnyReport } from '../reports/report.ts';
import { parseCron } from '../schedule/cron.ts';
import { parseQuietHours, quietUntil } from '../schedule/quiet-hours.ts';
import { nextSlots, slotsBetween } from '../schedule/slots.ts';
import type { OpenedSlot, ReportLedger } from '../store/report-ledger.ts';
import type { Subscription, Subscriptions } from '../store/subscriptions.ts';
import type { ReportRunner } from './run.ts';

const HOUR = 3_600_000;
/** What was missed longer ago than this is not caught up, in milliseconds. */
export const CATCH_UP = 6 * HOUR;
/** Of several missed slots so many are told, the older ones folded into the first of them. */
const MOST_MISSED = 3;
/** Slots that one process has under way: most of them wait for their channel's turn. */
const AT_ONCE = 200;
/** Sees to it that what is due is done. */
export interface Scheduler {
  /** A tick now and at every minute. */
  start(): void;
  /** Looks what is due and does it; settles when it is done. Never throws. */
  tick(): Promise<void>;
  /** Starts nothing new, tells what is under way to stop, and waits for it. */
  stop(): Promise<void>;
}

export interface SchedulerServices {
  reports: readonly AnyReport[];
  subscriptions: Subscriptions;
  ledger: ReportLedger;
  runner: ReportRunner;
  log: Logger;
}

/** The next slot of a subscription's schedule after a moment. */
export function nextSlotOf({ cron, timezone }: { cron: string; timezone: string }): (after: Date) => Date | undefined {
  return (after) => {
    const [slot] = nextSlots(parseCron(cron), timezone, after.getTime(), 1);
    return slot === undefined ? undefined : new Date(slot);
  };
}

/**
 * The slots up to now that are not in the ledger yet. Those of the last hours are due, the oldest of many folded into a
 * later one; what is older is put down as missed, in one row. What falls into quiet hours waits for their end.
 */
export function slotsToOpen(subscription: Subscription, now: Date, isStretch: boolean): OpenedSlot[] {
  const { cron, timezone, slotsUntil, quiet } = subscription;
  const parsed = parseCron(cron);
  /** The last moment that is not caught up. */
  const past = now.getTime() - CATCH_UP - 1;
  const recent = [...slotsBetween(parsed, timezone, Math.max(slotsUntil.getTime(), past), now.getTime())];
  const opened: OpenedSlot[] = [];
  const [missed] = slotsBetween(parsed, timezone, slotsUntil.getTime(), past);
  if (missed !== undefined) {
    const detail = `the bot was away until ${now.toISOString()}`;
    opened.push({ slot: new Date(missed), state: 'missed', notBefore: new Date(missed), detail });
  }
  // A report on what happened since the last one tells it all at once.
  const kept = recent.slice(isStretch ? -1 : -MOST_MISSED);
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

/**
 * node-cron brings one tick a minute in UTC, and nothing else: the slots are computed, kept and claimed in the store, by any
 * number of replicas. What a replica leaves undone, whoever ticks next does.
 */
export function createScheduler({ reports, subscriptions, ledger, runner, log }: SchedulerServices): Scheduler {
  const stopping = new AbortController();
  // Everything under way listens to it.
  setMaxListeners(0, stopping.signal);
  /** By subscription: what this process is doing. */
  const underway = new Map<number, Promise<void>>();
  let task: ScheduledTask | undefined;
  const ticking = new Set<Promise<void>>();

  // node-cron writes to the console otherwise.
  const cronLog = {
    info: (words: string) => log.info(words),
    warn: (words: string) => log.warn(words),
    error: (words: string | Error, error?: Error) => log.error({ err: error ?? words }, 'the scheduler'),
    debug: (words: string | Error) => log.debug(String(words)),
  };

  async function open(subscription: Subscription): Promise<void> {
    const now = await ledger.now();
    const report = reports.find(({ name }) => name === subscription.report);
    const slots = slotsToOpen(subscription, now, report?.stretch !== undefined);
    // First the rows, then how far they reach: a kill in between repeats what changes nothing.
    await ledger.open(subscription, slots);
    const waiting = slots.filter(({ state, notBefore, slot }) => state === 'due' && notBefore > slot).at(-1);
    if (waiting !== undefined) await ledger.foldWaiting(subscription.id, waiting.slot);
    await subscriptions.advance(subscription, now, nextSlotOf(subscription)(now));
  }

  async function doOne({ subscription, slot }: { subscription: number; slot: Date }): Promise<void> {
    const outcome = await runner.run(subscription, slot, stopping.signal);
    log.info({ subscription, slot, outcome }, 'a report was due');
  }

  /** Everything that can be claimed, until nothing is left or what is left belongs to others. */
  async function work(): Promise<void> {
    const tried = new Set<string>();
    while (!stopping.signal.aborted) {
      const ready = await ledger.workable(2 * AT_ONCE);
      for (const one of ready) {
        const key = `${one.subscription}:${one.slot.getTime()}`;
        if (tried.has(key) || underway.has(one.subscription)) continue;
        if (underway.size >= AT_ONCE) break;
        tried.add(key);
        const doing = doOne(one).finally(() => underway.delete(one.subscription));
        underway.set(one.subscription, doing);
      }
      if (underway.size === 0) return;
      await Promise.race(underway.values());
    }
  }

  async function ticked(): Promise<void> {
    try {
      for (const subscription of await subscriptions.due()) {
        if (stopping.signal.aborted) return;
        await open(subscription).catch((error: unknown) =>
          log.error({ err: error, subscription: subscription.id }, 'the slots of a subscription could not be opened'),
        );
      }
      await work();
    } catch (error) {
      log.error({ err: error }, 'what is due could not be looked for');
    }
  }

  const scheduler: Scheduler = {
    start() {
      task = schedule('* * * * *', () => scheduler.tick(), { timezone: 'UTC', name: 'reports', logger: cronLog });
      void scheduler.tick();
    },
    async tick() {
      if (stopping.signal.aborted) return;
      // While long reports are under way, the next ticks open and do what has become due meanwhile.
      const tick = ticked().finally(() => ticking.delete(tick));
      ticking.add(tick);
      await tick;
    },
    async stop() {
      await task?.destroy();
      stopping.abort(new Error('Edgewise is stopping.'));
      await Promise.allSettled(ticking);
      await Promise.allSettled(underway.values());
    },
  };
  return scheduler;
}
