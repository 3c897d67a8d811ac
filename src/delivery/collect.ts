import { createHash } from 'node:crypto';
import type { Reading } from '../blocks/format.ts';
import type { Message } from '../blocks/message.ts';
import type { GroupMemory } from '../logs/group-memory.ts';
import { createRecordFilter, parseFilterTerm, patternOf } from '../logs/record-filter.ts';
import type { Platform } from '../platform/client.ts';
import type { PullZone } from '../platform/types.ts';
import type { AnyReport, ReportContext, Trouble } from '../reports/report.ts';
import type { SubscriptionSettings } from '../store/subscriptions.ts';

/** How long one report may take, in milliseconds. */
const TIME_LIMIT = 10 * 60_000;
/** How long what was collected serves other subscriptions that want the very same, in milliseconds. */
const SHARED = 5 * 60_000;

/** Reports that are collected at the same time in one process. */
const AT_ONCE = 4;

/** What a report is about: the part of a subscription that decides what is collected. */
export type Selection = Pick<SubscriptionSettings, 'targets' | 'include' | 'exclude' | 'thresholds'>;

/** The time that a report is about, and when what is usual ends: see `ReportContext`. */
export interface Stretch {
  from: Date;
  to: Date;
  calm?: Date | undefined;
}

/** What a report had to say. */
export interface News {
  message: Message;
  /** See `Report.print`. */
  print: string;
  /** See `Report.troubles`. */
  troubles?: readonly Trouble[] | undefined;
}

/** Makes a report's message; the only caller of `collect`. Undefined: there is nothing to say. */
export type CollectReport = (
  report: AnyReport,
  selection: Selection,
  stretch: Stretch,
  reading: Reading,
  signal: AbortSignal,
) => Promise<News | undefined>;

export function createCollectReport(services: {
  platform: Platform;
  zones: ReportContext['zones'];
  now: () => Date;
  /** What is remembered under a scope; without it nothing is. */
  memory?: (scope: string) => GroupMemory;
}): CollectReport {
  const { platform, zones, now, memory } = services;
  const shared = new Map<string, { at: number; collected: Promise<unknown> }>();
  let underway = 0;
  const waiting: (() => void)[] = [];

  /** Does it when there is room. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (underway >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else underway += 1;
    try {
      return await work();
    } finally {
      // Whoever waits takes the place over.
      const next = waiting.shift();
      if (next === undefined) underway -= 1;
      else next();
    }
  }

  /** A hundred channels that get the same report at nine o'clock cost the platform what one does. */
  function collect(
    report: AnyReport,
    selection: Selection,
    { from, to, calm }: Stretch,
    args: object,
    timezone: string,
    given: AbortSignal,
  ): Promise<unknown> {
    const { targets, include, exclude } = selection;
    const key = JSON.stringify([report.name, args, targets, include, exclude, from, to, calm, timezone]);
    const scope = createHash('sha256')
      .update(JSON.stringify([report.name, targets, include, exclude]))
      .digest('base64url');
    const at = now().getTime();
    for (const [old, one] of shared) if (Math.abs(at - one.at) > SHARED) shared.delete(old);
    const known = shared.get(key);
    if (known !== undefined) return known.collected;
    const filter = createRecordFilter(include, exclude);
    const collected = inTurn(() => {
      given.throwIfAborted();
      return report.collect(args, {
        platform,
        zones: async () => {
          const listing = await zones();
          return {
            ...listing,
            items: listing.items.filter((zone) => isMeant(zone, targets) && filter(fieldsOf(zone))),
          };
        },
        whole: targets.length === 0 && [...include, ...exclude].every((term) => parseFilterTerm(term).field !== 'zone'),
        filter,
        from,
        to,
        calm,
        timezone,
        memory: memory?.(scope),
        signal: AbortSignal.any([AbortSignal.timeout(TIME_LIMIT), given]),
      });
    });
    shared.set(key, { at, collected });
    // What failed is tried anew by the next one who wants it.
    collected.catch(() => shared.delete(key));
    return collected;
  }

  return async (report, selection, stretch, reading, signal) => {
    const args = { ...report.args, ...selection.thresholds };
    const collected = await collect(report, selection, stretch, args, reading.timezone, signal);
    const message = report.render(collected, args, reading);
    if (message === undefined) return undefined;
    const print = report.print?.(collected, args) ?? message.text;
    return {
      message,
      print: createHash('sha256').update(print).digest('base64url').slice(0, 22),
      troubles: report.troubles?.(collected, args),
    };
  };
}

function fieldsOf({ Id, Name }: PullZone) {
  return { zone: Name ?? String(Id) };
}

/** Whether a zone is one of those that are named, by name, id or pattern; every zone when none is named. */
export function isMeant(
  { Id, Name }: Pick<PullZone, 'Id'> & { Name?: string | undefined },
  targets: readonly string[],
): boolean {
  if (targets.length === 0) return true;
  return targets.some((target) => target === String(Id) || (Name !== undefined && patternOf(target)(Name)));
}
