import type { Logger } from 'pino';
import type { Scheduler } from './delivery/scheduler.ts';
import type { Runner } from './jobs.ts';
import type { Slack } from './slack/in/listeners.ts';
import type { Presence } from './slack/in/presence.ts';
import { abortReads } from './slack/progress.ts';
import type { Bot } from './slack/services.ts';
import type { Store } from './store/store.ts';
import { within } from './time.ts';

/** Limits in milliseconds. The grace comes on top. */
export const STEPS = {
  /** After the grace, until a second passes without a request. */
  quiet: 5_000,
  reports: 5_000,
  /** For reads to finish; `told`: for telling whoever asked. */
  reads: 3_000,
  told: 2_000,
  /** Enough for one request and a look at its outcome. */
  changes: 30_000,
  connections: 9_000,
  handingOver: 3_000,
} as const;

/** Milliseconds. */
export interface StopPatience {
  /** How long requests are taken, until a balancer notices. */
  grace?: number;
  reads?: number;
  changes?: number;
}

export interface Stopping extends Bot {
  presence: Presence;
  slack: Slack;
  scheduler: Scheduler;
  store: Store;
  runner: Runner;
  stopTimers(): void;
  log: Logger;
}

/** In order: not ready; requests until the balancer notices; no new slots; reads end and askers are told; changes end; the rest is handed over. */
export async function stopWork(services: Stopping, patience: StopPatience): Promise<void> {
  const { grace = 0, reads = STEPS.reads, changes = STEPS.changes } = patience;
  const { presence, slack, scheduler, store, running, log } = services;
  const isDone = () => slack.underway() === 0;
  const step = async (name: string, limit: number, work: () => Promise<unknown>) => {
    const begun = performance.now();
    const ended = await within(
      limit,
      work().catch((error: unknown) => log.error({ err: error }, `stopping: ${name}`)),
    );
    const milliseconds = Math.round(performance.now() - begun);
    if (ended) log.info({ milliseconds }, `stopping: ${name}`);
    else log.warn({ milliseconds }, `stopping: ${name} took too long, and is left`);
  };
  presence.isStopping = true;
  await step('requests until the balancer knows', grace + STEPS.quiet, () => slack.refuse(grace));
  await step('reports', STEPS.reports, () => scheduler.stop());
  await step('reads', reads + STEPS.told, async () => {
    await within(reads, until(isDone));
    await until(() => {
      abortReads(running);
      return isDone();
    });
  });
  await step('changes', changes, async () => {
    await services.runner.stop();
    await until(() => isDone() || store.confirmations.held() === 0);
  });
  await step('connections', STEPS.connections, () => slack.stop());
  await step('what is left goes to the next process', STEPS.handingOver, async () => {
    services.stopTimers();
    await store.confirmations.handOver();
    await store.jobs.leave();
  });
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((settle) => setTimeout(settle, 25));
}
