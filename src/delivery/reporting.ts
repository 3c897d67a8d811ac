import type { NamesView } from '../operations/context.ts';
import type { Channels, ReportsView } from '../operations/reports-view.ts';
import { createWatch } from '../reports/statistics-watch/watch.ts';
import { createHoursReader } from '../reports/zone-hours.ts';
import type { Store } from '../store/store.ts';
import { type CollectServices, createCollectReport } from './collect.ts';
import { toldIncidents } from './incident.ts';
import { createReportsView } from './reports-view.ts';
import { runSlot } from './run.ts';
import { createScheduler } from './scheduler.ts';
import type { ReportServices } from './services.ts';

interface ReportingServices
  extends Omit<ReportServices, 'subscriptions' | 'ledger' | 'anchors' | 'collect' | 'elapsed'>,
    Omit<CollectServices, 'anchors' | 'watch' | 'hours'> {
  store: Pick<Store, 'jobs' | 'subscriptions' | 'ledger' | 'anchors'>;
  /** Per second; without it as many as reports need. */
  statisticsPerSecond?: number;
  channels: Channels;
  looked?: (ok: boolean) => void;
  names: Pick<NamesView, 'person'>;
}

/** Does nothing until the scheduler is started. */
export function createReporting({ store, statisticsPerSecond: perSecond, ...others }: ReportingServices) {
  const { jobs, subscriptions, ledger, anchors } = store;
  const hours = createHoursReader({ platform: others.platform, anchors });
  const rest = {
    ...others,
    ...{ jobs, subscriptions, ledger, anchors, hours, perSecond },
    incidents: () => toldIncidents({ anchors }),
    broken: () => view.incidents(),
    elapsed: () => performance.now(),
  };
  const collect = createCollectReport({ ...rest, watch: createWatch(rest) });
  const watch = createWatch(rest, { isTrial: true });
  const tried = createCollectReport({ ...rest, watch, anchors: { read: anchors.read } });
  const view: ReportsView = createReportsView({ ...rest, collect: tried });
  const running = { ...rest, collect };
  return { hours, view, scheduler: createScheduler({ ...running, run: (...slot) => runSlot(running, ...slot) }) };
}
