import type { PullZone } from '../../platform/resources/pull-zones.ts';
import type { Chart } from '../../platform/resources/statistics.ts';
import { isPlatforms } from '../platform-errors.ts';
import type { ReportContext } from '../report.ts';
import { several } from '../several.ts';
import { mostWithin, sumWithin, type TwoDays } from './figures.ts';

export interface Extras {
  zone: string;
  optimized?: Beside;
  saved?: Beside;
  /** Most that waited at the origin shield at once. */
  queued?: Beside;
  retried?: Beside;
  rescued?: Beside;
}

export interface Beside {
  now: number | undefined;
  before: number | undefined;
}

/** `GET /pullzone/{pullZoneId}/optimizer/statistics`, `…/originshield/queuestatistics`, `…/safehop/statistics`; what fails is left out. */
export async function extrasOf(
  zones: readonly PullZone[],
  { days, query }: TwoDays,
  { platform, signal }: ReportContext,
): Promise<Extras[]> {
  const [before, day] = days;
  if (before === undefined || day === undefined) return [];
  const hourly = query.hourly === true;
  const beside = (chart: Chart | undefined, within = sumWithin): Beside => ({
    now: within(chart, day, hourly),
    before: within(chart, before, hourly),
  });
  const options = { signal, priority: 'background' } as const;
  const using = zones.filter((zone) => zone.OptimizerEnabled || zone.EnableOriginShield || zone.EnableSafeHop);
  const read = await several(using, 4, async (zone): Promise<Extras> => {
    const extras: Extras = { zone: zone.Name ?? String(zone.Id) };
    try {
      if (zone.OptimizerEnabled) {
        const answer = await platform.statistics.optimizer(zone.Id, query, options);
        extras.optimized = beside(answer.RequestsOptimizedChart);
        extras.saved = beside(answer.TrafficSavedChart);
      }
      if (zone.EnableOriginShield) {
        const answer = await platform.statistics.queue(zone.Id, query, options);
        extras.queued = beside(answer.QueuedRequestsChart, mostWithin);
      }
      if (zone.EnableSafeHop) {
        const answer = await platform.statistics.safehop(zone.Id, query, options);
        extras.retried = beside(answer.RequestsRetriedChart);
        extras.rescued = beside(answer.RequestsSavedChart);
      }
    } catch (error) {
      if (!isPlatforms(error)) throw error;
    }
    return extras;
  });
  return read.filter(({ zone: _, ...figures }) =>
    Object.values(figures).some(({ now = 0, before: then = 0 }) => now + then > 0),
  );
}
