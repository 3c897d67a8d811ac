import { setMaxListeners } from 'node:events';
import { type Logger as CronLog, type ScheduledTask, schedule } from 'node-cron';
import type { Logger } from 'pino';
import { nextSlots, slotsBetween } from '../schedule/cron.ts';
import { parseQuietHours, quietUntil } from '../schedule/quiet-hours.ts';
import type { OpenedSlot } from '../store/report-ledger.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { HOUR } from '../time.ts';
import type { RunOutcome } from './run.ts';
import type { ReportServices } from './services.ts';

/** Slots that one process has under way: most of them wait until their channel may be posted to. */
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

/** Everything that the scheduler needs. */
export interface SchedulerServices
  extends Pick<ReportServices, 'reports' | 'subscriptions' | 'ledger' | 'log' | 'observe'> {
  /** Told whether it could be looked what is due. */
  looked?: (ok: boolean) => void;
  /** Does one slot; never throws. */
  run(subscription: number, slot: Date, signal: AbortSignal): Promise<RunOutcome>;
}

/** The next slot of a subscription's schedule after a moment. */
export function nextSlotOf({ cron, timezone }: { cron: string; timezone: string }): (after: Date) => Date | undefined {
  return (after) => {
    const [slot] = nextSlots(cron, timezone, after.getTime(), 1);
    return slot === undefined ? undefined : new Date(slot);
  };
}

/**
 * The slots up to now that are not in the ledger yet. Those of the last hours are due, the oldest of many folded into a
 * later one; older ones are put down as missed, in one row. Slots in quiet hours wait for their end.
 */
export function slotsToOpen(subscription: Subscription, now: Date, isStretch: boolean): OpenedSlot[] {
  const { cron, timezone, slotsUntil, quiet } = subscription;
  /** The last moment that is not caught up. */
  const past = now.getTime() - 6 * HOUR - 1;
  const recent = [...slotsBetween(cron, timezone, Math.max(slotsUntil.getTime(), past), now.getTime())];
  const opened: OpenedSlot[] = [];
  const [missed] = slotsBetween(cron, timezone, slotsUntil.getTime(), past);
  if (missed !== undefined) {
    const detail = `the bot was away until ${now.toISOString()}`;
    opened.push({ slot: new Date(missed), state: 'missed', notBefore: new Date(missed), detail });
  }
  // A report on what happened since the last one tells it all at once.
  // Older missed slots are folded into the first of these.
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

/**
 * node-cron brings one tick a minute in UTC, and nothing else: the slots are computed, kept and claimed in the store, by any
 * number of replicas. The next tick of any replica does the slots that one leaves undone.
 */
export function createScheduler(services: SchedulerServices): Scheduler {
  const stopping = new AbortController();
  // Everything under way listens to it.
  setMaxListeners(0, stopping.signal);
  const work: Work = { running: new Map(), stopped: stopping.signal };
  const ticking = new Set<Promise<void>>();
  let task: ScheduledTask | undefined;

  const scheduler: Scheduler = {
    start() {
      const options = { timezone: 'UTC', name: 'reports', logger: cronLog(services.log) };
      task = schedule('* * * * *', () => scheduler.tick(), options);
      void scheduler.tick();
    },
    async tick() {
      if (work.stopped.aborted) return;
      // While long reports are under way, the next ticks open and do what has become due meanwhile.
      const tick = doDue(services, work).finally(() => ticking.delete(tick));
      ticking.add(tick);
      await tick;
    },
    async stop() {
      await task?.destroy();
      stopping.abort(new Error('Edgewise is stopping.'));
      await Promise.allSettled(ticking);
      await Promise.allSettled(work.running.values());
    },
  };
  return scheduler;
}

/** The slots that this process is doing. */
interface Work {
  /** By subscription. */
  running: Map<number, Promise<void>>;
  stopped: AbortSignal;
}

/** Opens the slots that have come, then does everything that can be claimed. */
async function doDue(services: SchedulerServices, work: Work): Promise<void> {
  const { subscriptions, log, looked } = services;
  try {
    for (const subscription of await subscriptions.due()) {
      if (work.stopped.aborted) return;
      await open(services, subscription).catch((error: unknown) =>
        log.error({ err: error, subscription: subscription.id }, 'the slots of a subscription could not be opened'),
      );
    }
    looked?.(true);
    await doClaimable(services, work);
  } catch (error) {
    looked?.(false);
    log.error({ err: error }, 'what is due could not be looked for');
  }
}

async function open(
  { reports, subscriptions, ledger, observe }: SchedulerServices,
  subscription: Subscription,
): Promise<void> {
  const now = await ledger.now();
  const report = reports.find(({ name }) => name === subscription.report);
  const slots = slotsToOpen(subscription, now, report?.window !== undefined);
  for (const { state } of slots)
    if (state === 'missed') observe?.saw('slots', { report: report?.name ?? 'unknown', event: 'missed' });
  // First the rows, then how far they reach: a kill in between repeats what changes nothing.
  await ledger.open(subscription, slots);
  const waiting = slots.filter(({ state, notBefore, slot }) => state === 'due' && notBefore > slot).at(-1);
  if (waiting !== undefined) await ledger.foldWaiting(subscription.id, waiting.slot);
  await subscriptions.advance(subscription, now, nextSlotOf(subscription)(now));
}

/** Everything that can be claimed, until nothing is left or what is left belongs to others. */
async function doClaimable(services: SchedulerServices, { running, stopped }: Work): Promise<void> {
  const tried = new Set<string>();
  while (!stopped.aborted) {
    const ready = await services.ledger.workable(2 * AT_ONCE);
    for (const one of ready) {
      const key = `${one.subscription}:${one.slot.getTime()}`;
      if (tried.has(key) || running.has(one.subscription)) continue;
      if (running.size >= AT_ONCE) break;
      tried.add(key);
      const doing = doOne(services, one, stopped).finally(() => running.delete(one.subscription));
      running.set(one.subscription, doing);
    }
    if (running.size === 0) return;
    await Promise.race(running.values());
  }
}

async function doOne(
  { run, log }: SchedulerServices,
  { subscription, slot }: { subscription: number; slot: Date },
  stopped: AbortSignal,
): Promise<void> {
  const since = performance.now();
  const outcome = await run(subscription, slot, stopped);
  const milliseconds = Math.round(performance.now() - since);
  log.info({ subscription, slot, outcome, milliseconds }, 'a report was due');
}

/** node-cron writes to the console otherwise. */
function cronLog(log: Logger): CronLog {
  return {
    info: (words) => log.info(words),
    warn: (words) => log.warn(words),
    error: (words, error) => log.error({ err: error ?? words }, 'the scheduler'),
    debug: (words) => log.debug(String(words)),
  };
}
