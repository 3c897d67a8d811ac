import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { HOUR, MINUTE } from '../../time.ts';
import { type Placed, placedOf } from '../places.ts';
import { readOr } from '../platform-errors.ts';
import { quantile } from '../quantile.ts';
import type { ReportContext } from '../report.ts';
import { isOpen } from '../statistics-watch/findings.ts';
import type { ZoneFinding } from '../statistics-watch/watch.ts';
import type { Baseline } from './unhealthy-zones.ts';

const SAMPLED = 3;

/** Requests, and their rate a minute. Undefined: the log has none, or cannot be read. */
export async function sampleLog(
  zone: number,
  { from, to }: { from: number; to: number },
  { platform, signal }: ReportContext,
): Promise<{ rate: number; requests: readonly Placed[]; isCut: boolean } | undefined> {
  const query = { from: new Date(from), to: new Date(to), limit: 1000, order: 'desc' as const };
  const page = await readOr(undefined, platform.accessLogs.query(zone, query, { signal, priority: 'background' }));
  if (page === undefined || page.data.length === 0) return undefined;
  const { data, hasMore: isCut } = page;
  // A log may hold a record twice.
  const requests = [...new Map(data.map((one, index) => [one.requestId ?? index, one])).values()];
  const times = requests.map(({ timestamp = '' }) => Date.parse(timestamp));
  const first = isCut ? times.reduce((least, at) => (at < least ? at : least), to) : from;
  const rate = (requests.length * MINUTE) / Math.max(1000, to - first);
  return { rate, requests: requests.map(placedOf), isCut };
}

/** `oneIn`: the log holds one request in this many. */
export async function compareLog(
  { Id, EnableLogging }: PullZone,
  { from, times }: { from: number; times: readonly number[] },
  { requests, hour }: Baseline,
  context: ReportContext,
): Promise<{ rate?: number; requests?: readonly Placed[]; oneIn: number }> {
  const middle = quantile(times, 0.5) || 0;
  if (requests === undefined || EnableLogging === false || middle < from) return { oneIn: 1 };
  // The requests among which they failed: after the failures the zone may be well again, with other traffic.
  // Not the newest: of those a log that is a little late lacks some.
  const sampleTo = (end: number) => {
    const to = Math.min(context.to.getTime(), end + 1000);
    return sampleLog(Id, { from: Math.min(from, to - 5 * MINUTE), to }, context);
  };
  const most = await sampleTo(quantile(times, 0.9));
  // Where only the last of them are read, those in the middle stand for all.
  const sample = most?.isCut === true ? await sampleTo(middle) : most;
  // An hour with fewer requests says nothing about a log.
  if (sample === undefined || hour === undefined || hour.requests < 60 || requests < SAMPLED * sample.rate)
    return { ...sample, oneIn: 1 };
  // Statistics may be late, or visitors fewer. An hour that both have decides.
  const then = await sampleLog(Id, { from: hour.at, to: hour.at + HOUR }, context);
  const oneIn = then === undefined ? 1 : (hour.requests * MINUTE) / HOUR / then.rate;
  return { ...sample, oneIn: oneIn < SAMPLED ? 1 : Number(oneIn.toPrecision(1)) };
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
  // If a log has more than is read, only the newest are known.
  const from = Math.max(window.from, log.from ?? 0);
  const part = Math.max(0, window.to - from) / (window.to - window.from);
  const failures = Math.round(part * window.counts.errors5xx);
  const shown = log.times.filter((at) => at >= from && at < window.to).length;
  if (failures === 0 || 2 * shown >= failures) return undefined;
  const detail =
    log.failure === undefined ? `its access log shows ${shown} of ${failures} of them` : 'its log could not be read';
  return { ...finding, detail };
}
