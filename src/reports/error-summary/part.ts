import type { ErrorEvent } from '../../logs/error-groups.ts';
import { pathTemplate } from '../../logs/template.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { DAY, HOUR, MINUTE } from '../../time.ts';
import { dominant } from '../dominant.ts';
import { isPlatforms } from '../platform-errors.ts';
import type { ReportContext } from '../report.ts';
import type { Baseline } from './unhealthy-zones.ts';
import { newestFailures } from './zone-errors.ts';

/** The failures of so long are looked at; fewer say nothing, and half of them have to have the same. */
const RECENT = 20 * MINUTE;
const FEW = 8;
const HALF = 0.5;
/** Parts are compared with those of the failures of a day; what was found serves so long, for so many zones. */
const PAST = DAY;
const FRESH = 6 * HOUR;
const MOST_KEPT = 500;
/** With fewer failures a day says nothing of its parts. */
const FEW_PAST = 30;
/** A part that never failed is taken for one of these among failures, and a small one for so much. */
const PRIOR = 20;
const SMALLEST = 0.1;
/** It has so many times what it usually has of the failures: a burst of everything is no part. */
const TIMES_AS_MUCH = 2;
/** An unhealthy part fails so many times what is high there, and by so much of the zone's requests more. */
const TIMES = 2.5;
const MORE = 0.004;

/** A region, a path or a status that has most of what fails in a zone now. */
export interface Part {
  isIn(event: ErrorEvent): boolean;
  /** The share of a zone's failures that it usually has, from 0 to 1. */
  usual: number;
}

type Read = (event: Pick<ErrorEvent, 'region' | 'address' | 'status'>) => string | number | undefined;

const READS: readonly Read[] = [
  ({ region }) => region,
  ({ address }) => address && pathTemplate(address).split('/').slice(0, 3).join('/'),
  ({ status }) => status,
];

interface Kept {
  at: number;
  failures: Promise<readonly ErrorEvent[]>;
}

/** By platform and zone: the failures of the day before. */
const kept = new WeakMap<object, Map<number, Kept>>();

function pastFailures(zone: PullZone, context: ReportContext): Promise<readonly ErrorEvent[]> {
  const { platform, to } = context;
  const zones = kept.get(platform.accessLogs) ?? new Map<number, Kept>();
  kept.set(platform.accessLogs, zones);
  const known = zones.get(zone.Id);
  const at = to.getTime();
  if (known !== undefined && at >= known.at && at - known.at < FRESH) return known.failures;
  const until = at - HOUR;
  const failures = newestFailures(zone, { ...context, from: new Date(until - PAST), to: new Date(until) });
  zones.delete(zone.Id);
  zones.set(zone.Id, { at, failures });
  const [oldest] = zones.keys();
  if (zones.size > MOST_KEPT && oldest !== undefined) zones.delete(oldest);
  failures.catch(() => zones.delete(zone.Id));
  return failures;
}

/**
 * The part of a zone that has most of what failed last, and usually has far less of it. Undefined: none has, or the platform does
 * not say what usually fails.
 */
export async function partOf(
  zone: PullZone,
  events: readonly ErrorEvent[],
  context: ReportContext,
): Promise<Part | undefined> {
  const recent = events.filter(({ time }) => time >= context.to.getTime() - RECENT);
  if (recent.length < FEW) return undefined;
  const found = READS.flatMap((read) => {
    const value = dominant(recent, read, HALF);
    return value === undefined ? [] : [{ read, value }];
  });
  if (found.length === 0) return undefined;
  try {
    const past = await pastFailures(zone, context);
    if (past.length < FEW_PAST) return undefined;
    const parts = found.map(({ read, value }): Part & { now: number } => {
      const isIn: Part['isIn'] = (event) => read(event) === value;
      const before = (past.filter(isIn).length + 1) / (past.length + PRIOR);
      return { isIn, usual: before, now: recent.filter(isIn).length / recent.length };
    });
    const most = parts.reduce((first, one) => (one.now / one.usual > first.now / first.usual ? one : first));
    return most.now >= TIMES_AS_MUCH * most.usual ? most : undefined;
  } catch (error) {
    if (!isPlatforms(error)) throw error;
    return undefined;
  }
}

/** A zone's baseline, for a part of it. */
export function ofPart({ usual }: Part, baseline: Baseline): Baseline {
  const { requests = 0 } = baseline;
  const high = baseline.high * Math.max(SMALLEST, usual);
  return { ...baseline, high, unhealthy: Math.max(TIMES * high, high + MORE * requests) };
}
