import type { Logger } from 'pino';
import type { NamesView } from '../operations/names.ts';
import type { Channels, ReportsView } from '../operations/reports-view.ts';
import type { Platform } from '../platform/client.ts';
import type { Poster } from '../reports/post.ts';
import type { AnyReport, ReportContext } from '../reports/report.ts';
import type { OpenStore } from '../store/store.ts';
import { createCollectReport } from './collect.ts';
import { createReportsView } from './reports-view.ts';
import { runSlot } from './run.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';

/** Everything that reports are made of and sent with. */
export interface ReportingServices {
  reports: readonly AnyReport[];
  platform: Platform;
  zones: ReportContext['zones'];
  store: Pick<OpenStore, 'subscriptions' | 'ledger' | 'anchors' | 'groupMemory'>;
  poster: Poster;
  channels: Channels;
  names: Pick<NamesView, 'person'>;
  log: Logger;
  now: () => Date;
  /** Waits, by a clock that nobody sets; rejects when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Reports as operations see them, and what makes them when they are due. */
export interface Reporting {
  view: ReportsView;
  scheduler: Scheduler;
}

/** Builds both on one store; nothing happens before the scheduler is started. */
export function createReporting(services: ReportingServices): Reporting {
  const { store, ...rest } = services;
  const { subscriptions, ledger, anchors, groupMemory } = store;
  const collect = createCollectReport({ ...rest, memory: groupMemory });
  // A trial is not remembered.
  const tried = createCollectReport({ ...rest, memory: (scope) => ({ recall: groupMemory(scope).recall }) });
  const running = { ...rest, subscriptions, ledger, anchors, collect, elapsed: () => performance.now() };
  return {
    view: createReportsView({ ...rest, subscriptions, ledger, collect: tried }),
    scheduler: createScheduler({
      ...running,
      run: (subscription, slot, signal) => runSlot(running, subscription, slot, signal),
    }),
  };
}
