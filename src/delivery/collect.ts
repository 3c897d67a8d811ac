import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Reading } from '../blocks/format.ts';
import type { Message } from '../blocks/message.ts';
import { createRecordFilter, parseFilterTerm } from '../logs/record-filter.ts';
import type { ReportSelection } from '../operations/reports-view.ts';
import { isMeant } from '../pattern.ts';
import type { Platform } from '../platform/client.ts';
import type { AnyReport, Doubt, ReportContext, Trouble } from '../reports/report.ts';
import type { WatchZones } from '../reports/statistics-watch/watch.ts';
import { createHoursReader, type HoursReader } from '../reports/zone-hours.ts';
import { type Anchors, FAILURES } from '../store/anchors.ts';
import { MINUTE } from '../time.ts';

export interface Window {
  from: Date;
  to: Date;
  known?: ReportContext['known'];
  told?: ReportContext['told'];
  dismissed?: ReportContext['dismissed'];
  last?: ReportContext['last'];
}

export interface News {
  message: Message;
  /** See `Report.details`. */
  details?: Message | undefined;
  /** See `Report.fingerprint`. */
  fingerprint: string;
}

export interface Collected {
  /** For these zones, or all. Undefined: there is nothing to say. */
  news(zones?: ReadonlySet<string>): News | undefined;
  /** See `Report.troubles`. */
  troubles: readonly Trouble[] | undefined;
  /** See `Report.unread`. */
  unread: readonly string[];
  /** See `Report.state`. */
  state?: string | undefined;
  /** See `Report.doubts`. */
  doubts?: readonly Doubt[] | undefined;
}

/** Nothing else calls a report’s `collect`. */
export type CollectReport = (
  report: AnyReport,
  selection: ReportSelection,
  window: Window,
  reading: Reading,
  signal: AbortSignal,
) => Promise<Collected>;

export interface CollectServices
  extends Pick<ReportContext, 'zones' | 'emptied' | 'incidents' | 'broken' | 'timeLine'> {
  platform: Platform;
  now: () => Date;
  /** Without `set` nothing is remembered. */
  anchors?: Pick<Anchors, 'read'> & Partial<Pick<Anchors, 'set'>>;
  watch?: WatchZones;
  /** Without it only reports share the hours that were read. */
  hours?: HoursReader;
}

type Collectors = CollectServices & Pick<ReportContext, 'hours'>;

interface Wanted {
  report: AnyReport;
  args: object;
  selection: ReportSelection;
  window: Window;
  timezone: string;
  signal: AbortSignal;
}

/** Limits how many collect at once. `shared`: the results, for all subscriptions that want the same. */
interface Collecting {
  shared: Map<string, { at: number; collected: Promise<unknown> }>;
  running: number;
  waiting: (() => void)[];
}

export function createCollectReport(given: CollectServices): CollectReport {
  const services = { ...given, hours: given.hours ?? createHoursReader({ platform: given.platform }) };
  const collecting: Collecting = { shared: new Map(), running: 0, waiting: [] };
  return async (report, selection, window, reading, signal) => {
    const args = { ...report.args, ...selection.thresholds };
    const { timezone } = reading;
    const collected = await shared(services, collecting, { report, args, selection, window, timezone, signal });
    const state = report.state?.(collected);
    const news = (zones?: ReadonlySet<string>): News | undefined => {
      const chosen = zones === undefined || report.of === undefined ? collected : report.of(collected, zones);
      const message = report.render(chosen, args, reading);
      if (message === undefined) return undefined;
      const fingerprint = report.fingerprint?.(chosen, args) ?? message.text;
      return {
        message,
        details: report.details?.(chosen, args, reading),
        fingerprint: state ?? createHash('sha256').update(fingerprint).digest('base64url').slice(0, 22),
      };
    };
    return {
      news,
      troubles: report.troubles?.(collected, args),
      unread: report.unread?.(collected) ?? [],
      state,
      doubts: report.doubts?.(collected),
    };
  };
}

/** A report costs the same for a hundred channels as for one. */
function shared(services: Collectors, collecting: Collecting, wanted: Wanted): Promise<unknown> {
  const { report, args, selection, window, timezone } = wanted;
  const { targets, include, exclude } = selection;
  const key = JSON.stringify([report.name, args, targets, include, exclude, window, timezone]);
  const at = services.now().getTime();
  for (const [old, one] of collecting.shared) if (Math.abs(at - one.at) > 5 * MINUTE) collecting.shared.delete(old);
  const known = collecting.shared.get(key);
  if (known !== undefined) return known.collected;
  const collected = whenFree(collecting, () => {
    wanted.signal.throwIfAborted();
    return report.collect(args, contextOf(services, wanted));
  });
  collecting.shared.set(key, { at, collected });
  collected.catch(() => collecting.shared.delete(key));
  return collected;
}

async function whenFree<T>(collecting: Collecting, work: () => Promise<T>): Promise<T> {
  const { waiting } = collecting;
  if (collecting.running >= 4) await new Promise<void>((resolve) => waiting.push(resolve));
  else collecting.running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) collecting.running -= 1;
    else next();
  }
}

function contextOf(
  { platform, zones, anchors, watch, hours, emptied, incidents, broken, timeLine }: Collectors,
  wanted: Wanted,
): ReportContext {
  const { report, window, timezone } = wanted;
  const { targets, include, exclude } = wanted.selection;
  const filter = createRecordFilter(include, exclude);
  const scope = createHash('sha256')
    .update(JSON.stringify([report.name, targets, include, exclude]))
    .digest()
    .readUIntBE(0, 6);
  const whole =
    targets.length === 0 && [...include, ...exclude].every((term) => parseFilterTerm(term).field !== 'zone');
  const signal = AbortSignal.any([AbortSignal.timeout(10 * MINUTE), wanted.signal]);
  // Many requests listen to it.
  setMaxListeners(0, signal);
  return {
    ...window,
    platform,
    zones: async () => {
      const listing = await zones();
      return {
        ...listing,
        items: listing.items.filter(
          (zone) => isMeant(targets, String(zone.Id), zone.Name) && filter({ zone: zone.Name ?? String(zone.Id) }),
        ),
      };
    },
    whole,
    filter,
    timezone,
    failures: anchors && {
      read: () => anchors.read(scope, FAILURES),
      keep: async (failures) => anchors.set?.(scope, FAILURES, failures),
    },
    hours,
    emptied,
    incidents,
    broken,
    timeLine,
    watch: watch && ((chosen) => watch(chosen, whole, signal)),
    signal,
  };
}
