import type { ErrorEvent } from '../../logs/error-groups.ts';
import type { Recollection, SeenGroup } from '../../logs/group-memory.ts';
import { templateId } from '../../logs/template.ts';
import { HOUR } from '../../time.ts';
import { isPlatforms } from '../platform-errors.ts';
import type { ReportContext } from '../report.ts';
import { several } from '../several.ts';

/** Percent of its requests that fail in a zone that ails. */
const TOO_MANY = 5;
/** And so many times what is usual there. */
const TIMES = 4;
const LEAST_LOOKED = HOUR;
const AT_ONCE = 4;
/** When an incident hits them all, a few are enough. */
const MOST_JUDGED = 10;

/** A zone of which much more fails than is usual, however few requests it has. */
export interface AilingZone {
  id: string;
  zone: number;
  name: string;
  failures: number;
  /** Percent of its requests in these hours. */
  part: number;
}

/** The failures of each zone: what visitors got, or where that is not logged, what went wrong behind the edge. */
function failuresOf(events: readonly ErrorEvent[]): Map<number, { name: string; failures: number }> {
  const counts = new Map<number, { name: string; origin: number; edge: number }>();
  for (const { zoneId, zone, source } of events) {
    const found = counts.get(zoneId) ?? { name: zone, origin: 0, edge: 0 };
    found[source] += 1;
    counts.set(zoneId, found);
  }
  return new Map(
    [...counts].map(([zone, { name, origin, edge }]) => [zone, { name, failures: Math.max(origin, edge) }]),
  );
}

const idOf = (zone: number) => templateId('zone', zone);

/** The failures of zones, as a memory keeps them. */
export function seenOfZones(events: readonly ErrorEvent[], { from, to }: { from: Date; to: Date }): SeenGroup[] {
  return [...failuresOf(events)].map(([zone, { name, failures }]) => ({
    id: idOf(zone),
    whole: false,
    words: name,
    requests: failures,
    first: from.getTime(),
    last: to.getTime(),
  }));
}

/**
 * Kinds of errors are compared over all zones, where a small one does not count for much: here each is beside itself, and
 * beside its own traffic, by the hour (`GET /statistics`).
 */
export async function ailingZones(
  events: readonly ErrorEvent[],
  { looked, groups }: Recollection,
  least: number,
  { platform, from, to, signal }: ReportContext,
): Promise<AilingZone[]> {
  if (looked < LEAST_LOOKED) return [];
  const length = to.getTime() - from.getTime();
  const suspects = [...failuresOf(events)]
    .filter(([zone, { failures }]) => {
      const usual = ((groups.get(idOf(zone))?.requests ?? 0) * length) / looked;
      return failures >= least && failures >= TIMES * usual;
    })
    .sort(([, one], [, other]) => other.failures - one.failures)
    .slice(0, MOST_JUDGED);
  const dateFrom = new Date(Math.floor(from.getTime() / HOUR) * HOUR);
  const judged = await several(suspects, AT_ONCE, async ([zone, { name, failures }]): Promise<AilingZone[]> => {
    try {
      const query = { pullZone: zone, dateFrom, dateTo: to, hourly: true, exactRange: true };
      const { RequestsServedChart, Error5xxChart } = await platform.statistics.get(query, {
        signal,
        priority: 'background',
      });
      const sum = (chart = {}) => Object.values<number>(chart).reduce((total, value) => total + value, 0);
      const requests = sum(RequestsServedChart);
      // Statistics may come later than logs: then the logs' own count is the better one.
      const part = (100 * Math.min(requests, Math.max(failures, sum(Error5xxChart)))) / requests;
      return requests > 0 && part >= TOO_MANY ? [{ id: idOf(zone), zone, name, failures, part }] : [];
    } catch (error) {
      if (!isPlatforms(error)) throw error;
      return [];
    }
  });
  return judged.flat();
}
