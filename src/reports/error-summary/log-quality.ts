import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { HOUR, MINUTE } from '../../time.ts';
import { isPlatforms } from '../platform-errors.ts';
import { median } from '../quantile.ts';
import type { ReportContext } from '../report.ts';
import { isOpen } from '../statistics-watch/findings.ts';
import type { ZoneFinding } from '../statistics-watch/watch.ts';
import type { Baseline } from './unhealthy-zones.ts';

const SAMPLED = 3;

/** Requests a minute in the log. Undefined: it has none, or cannot be read. */
export async function loggedRate(
  zone: number,
  { from, to }: { from: number; to: number },
  { platform, signal }: ReportContext,
): Promise<number | undefined> {
  const query = { from: new Date(from), to: new Date(to), limit: 1000, order: 'desc' as const };
  try {
    const { data, hasMore } = await platform.accessLogs.query(zone, query, { signal, priority: 'background' });
    // A log may hold a record twice.
    const seen = new Map(
      data.map(({ requestId, timestamp = '' }, index) => [requestId ?? index, Date.parse(timestamp)]),
    );
    const first = hasMore ? [...seen.values()].reduce((least, at) => (at < least ? at : least), to) : from;
    return seen.size === 0 ? undefined : (seen.size * MINUTE) / Math.max(1000, to - first);
  } catch (error) {
    if (!isPlatforms(error)) throw error;
    return undefined;
  }
}

/** `rate`: requests a minute. `oneIn`: the log holds one request of so many. `enough`: `times` has the newest only. */
export async function compareLog(
  { Id, EnableLogging }: PullZone,
  { from, times, enough }: { from: number; times: readonly number[]; enough?: number | undefined },
  { requests, hour }: Baseline,
  context: ReportContext,
): Promise<{ rate: number | undefined; oneIn: number }> {
  const last = times.reduce((latest, at) => Math.max(latest, at), 0);
  const none = { rate: undefined, oneIn: 1 };
  if (requests === undefined || EnableLogging === false || last < from) return none;
  // Amid the failures: after them the zone may be well again, with other traffic.
  const to = Math.min(context.to.getTime(), (enough === undefined ? last : median(times)!) + 1000);
  const rate = await loggedRate(Id, { from: Math.min(from, to - 5 * MINUTE), to }, context);
  // An hour with fewer requests says nothing about a log.
  if (rate === undefined || hour === undefined || hour.requests < 60 || requests < SAMPLED * rate)
    return { rate, oneIn: 1 };
  // Statistics may be late, or visitors fewer. An hour that both have decides.
  const then = await loggedRate(Id, { from: hour.at, to: hour.at + HOUR }, context);
  const oneIn = then === undefined ? 1 : (hour.requests * MINUTE) / HOUR / then;
  return { rate, oneIn: oneIn < SAMPLED ? 1 : Number(oneIn.toPrecision(1)) };
}

/** Undefined: the logs show these failures better. */
export function beyondLogs(
  finding: ZoneFinding,
  log: { times: readonly number[]; from?: number | undefined; failure?: Error | undefined } | undefined,
): ZoneFinding | undefined {
  const { measure, window } = finding;
  if (measure !== '5xx' || log === undefined) return finding;
  if (window === undefined || !isOpen(finding)) return undefined;
  // A log may be a little late.
  if (log.failure === undefined && window.to - finding.since < 15 * MINUTE) return undefined;
  // Of a log with more than is read, only the newest are known.
  const from = Math.max(window.from, log.from ?? 0);
  const part = Math.max(0, window.to - from) / (window.to - window.from);
  const failures = Math.round(part * window.counts.errors5xx);
  const shown = log.times.filter((at) => at >= from && at < window.to).length;
  if (failures === 0 || 2 * shown >= failures) return undefined;
  const detail =
    log.failure === undefined ? `its access log shows ${shown} of ${failures} of them` : 'its log could not be read';
  return { ...finding, detail };
}
