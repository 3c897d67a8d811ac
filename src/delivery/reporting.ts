import type { NamesView } from '../operations/context.ts';
import type { Channels, ReportsView } from '../operations/reports-view.ts';
import { createWatch } from '../reports/statistics-watch/watch.ts';
import { createHoursReader, type HoursReader } from '../reports/zone-hours.ts';
import type { Store } from '../store/store.ts';
import { type CollectServices, createCollectReport } from './collect.ts';
import { toldIncidents } from './incident.ts';
import { createReportsView } from './reports-view.ts';
import { runSlot } from './run.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import type { ReportServices } from './services.ts';

export interface ReportingServices
  extends Omit<ReportServices, 'subscriptions' | 'ledger' | 'anchors' | 'collect' | 'elapsed'>,
    Omit<CollectServices, 'anchors' | 'watch' | 'hours'> {
  store: Pick<Store, 'jobs' | 'subscriptions' | 'ledger' | 'anchors'>;
  /** Per second; without it as many as reports need. */
  statisticsPerSecond?: number;
  channels: Channels;
  looked?: (ok: boolean) => void;
  names: Pick<NamesView, 'person'>;
}

export interface Reporting {
  view: ReportsView;
  hours: HoursReader;
  scheduler: Scheduler;
}

/** Does nothing until the scheduler is started. */
export function createReporting(services: ReportingServices): Reporting {
  const { store, statisticsPerSecond: perSecond, ...others } = services;
  const { subscriptions, ledger, anchors } = store;
  const rest = {
    ...others,
    hours: createHoursReader({ platform: others.platform, anchors }),
    incidents: () => toldIncidents({ anchors }),
    broken: () => view.incidents(),
  };
  const elapsed = () => performance.now();
  const watching = { ...rest, anchors, perSecond, elapsed };
  const collect = createCollectReport({ ...rest, anchors, watch: createWatch(watching) });
  const tried = createCollectReport({
    ...rest,
    anchors: { read: anchors.read },
    watch: createWatch(watching, { isTrial: true }),
  });
  const view = createReportsView({ ...rest, subscriptions, ledger, anchors, collect: tried });
  const running = { ...rest, subscriptions, ledger, anchors, collect, elapsed };
  return {
    hours: rest.hours,
    view,
    scheduler: createScheduler({
      ...running,
      jobs: store.jobs,
      run: (subscription, slot, signal) => runSlot(running, subscription, slot, signal),
    }),
  };
}
