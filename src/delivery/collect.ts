import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Reading } from '../blocks/format.ts';
import type { Message } from '../blocks/message.ts';
import { createRecordFilter, parseFilterTerm } from '../logs/record-filter.ts';
import type { ReportSelection } from '../operations/reports-view.ts';
import { isMeant } from '../pattern.ts';
import type { Platform } from '../platform/client.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import type { AnyReport, Doubt, ReportContext, Seen, Trouble } from '../reports/report.ts';
import type { WatchZones } from '../reports/statistics-watch/watch.ts';
import { createHoursReader, type HoursReader } from '../reports/zone-hours.ts';
import { type Anchors, FAILURES } from '../store/anchors.ts';
import { MINUTE } from '../time.ts';

export type Window = Pick<ReportContext, 'from' | 'to' | 'known' | 'told' | 'dismissed' | 'last' | 'cron'>;

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
  /** See `Report.seen`. */
  seen?: Readonly<Record<string, Seen>> | undefined;
}

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

export type CollectReport = ReturnType<typeof createCollectReport>;

/** Nothing else calls a report’s `collect`. */
export function createCollectReport(services: CollectServices) {
  const { platform, now, zones, anchors, watch, emptied, incidents, broken, timeLine } = services;
  const { hours = createHoursReader({ platform }) } = services;
  /** A report costs the same for a hundred channels as for one. */
  const shared = new Map<string, { at: number; collected: Promise<unknown> }>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function whenFree<T>(work: () => Promise<T>): Promise<T> {
    if (running >= 4) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  const sharedOr = (key: string, collect: () => Promise<unknown>): Promise<unknown> => {
    const at = now().getTime();
    for (const [old, one] of shared) if (Math.abs(at - one.at) > 5 * MINUTE) shared.delete(old);
    const known = shared.get(key);
    if (known !== undefined) return known.collected;
    const collected = whenFree(collect);
    shared.set(key, { at, collected });
    collected.catch(() => shared.delete(key));
    return collected;
  };

  return async (
    report: AnyReport,
    { targets, include, exclude, thresholds }: ReportSelection,
    window: Window,
    reading: Reading,
    stopped: AbortSignal,
  ): Promise<Collected> => {
    const args = { ...report.args, ...thresholds };
    const { timezone } = reading;
    const choice = [report.name, targets, include, exclude];
    const collected = await sharedOr(JSON.stringify([choice, args, window, timezone]), () => {
      stopped.throwIfAborted();
      const filter = createRecordFilter(include, exclude);
      const scope = createHash('sha256').update(JSON.stringify(choice)).digest().readUIntBE(0, 6);
      const isWhole = [...include, ...exclude].every((term) => parseFilterTerm(term).field !== 'zone');
      const whole = targets.length === 0 && isWhole;
      const signal = AbortSignal.any([AbortSignal.timeout(10 * MINUTE), stopped]);
      // Many requests listen to it.
      setMaxListeners(0, signal);
      return report.collect(args, {
        ...window,
        platform,
        zones: async () => {
          const listing = await zones();
          const isChosen = ({ Id, Name }: PullZone) =>
            isMeant(targets, String(Id), Name) && filter({ zone: Name ?? String(Id) });
          return { ...listing, items: listing.items.filter(isChosen) };
        },
        whole,
        filter,
        timezone,
        failures: anchors && {
          read: () => anchors.read(scope, FAILURES),
          keep: async (failures) => anchors.set?.(scope, FAILURES, failures),
        },
        ...{ hours, emptied, incidents, broken, timeLine },
        watch: watch && ((chosen) => watch(chosen, whole, signal)),
        signal,
      });
    });
    const state = report.state?.(collected);
    const news = (chosenZones?: ReadonlySet<string>): News | undefined => {
      const chosen = chosenZones && report.of ? report.of(collected, chosenZones) : collected;
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
      seen: report.seen?.(collected),
    };
  };
}
