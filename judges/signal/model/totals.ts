import type { Zone } from './account.ts';
import { DAY, HOUR } from './calendar.ts';
import type { World } from './level.ts';
import { type Cell, compose, isFromCache } from './minutes.ts';

/** What statistics count. */
export interface Totals {
  requests: number;
  hits: number;
  redirects: number;
  clientErrors: number;
  serverErrors: number;
  bytes: number;
  cachedBytes: number;
  originBytes: number;
  /** Milliseconds of all requests to the origin together. */
  waited: number;
}

export const noTotals = (): Totals => ({
  requests: 0,
  hits: 0,
  redirects: 0,
  clientErrors: 0,
  serverErrors: 0,
  bytes: 0,
  cachedBytes: 0,
  originBytes: 0,
  waited: 0,
});

export function addTotals(sum: Totals, more: Totals): void {
  sum.requests += more.requests;
  sum.hits += more.hits;
  sum.redirects += more.redirects;
  sum.clientErrors += more.clientErrors;
  sum.serverErrors += more.serverErrors;
  sum.bytes += more.bytes;
  sum.cachedBytes += more.cachedBytes;
  sum.originBytes += more.originBytes;
  sum.waited += more.waited;
}

export const pullsOf = (totals: Totals): number => totals.requests - totals.hits;

function addCell(sum: Totals, cell: Cell): void {
  let pulls = 0;
  for (const group of cell.groups) {
    sum.requests += group.count;
    if (isFromCache(group)) sum.hits += group.count;
    else pulls += group.count;
    if (group.status >= 500) sum.serverErrors += group.count;
    else if (group.status >= 400) sum.clientErrors += group.count;
    else if (group.status >= 300) sum.redirects += group.count;
  }
  sum.bytes += cell.bytes;
  sum.cachedBytes += cell.cachedBytes;
  sum.originBytes += cell.originBytes;
  sum.waited += cell.response * pulls;
}

/** Nobody sees minutes of the past: hours suffice, and a year of them is drawn in no time. */
const QUARTERS_FOR = 36 * DAY;

export function createTotals(world: World) {
  const hours = new Map<number, Totals>();
  const spanAt = (minute: number): number => {
    if (minute >= world.exactFrom) return 1;
    return minute >= world.from - QUARTERS_FOR ? 15 : HOUR;
  };

  function hour(zone: Zone, at: number): Totals {
    const key = at * 64 + zone.index;
    const known = hours.get(key);
    if (known !== undefined) return known;
    const sum = noTotals();
    const span = spanAt(at * HOUR);
    for (let minute = at * HOUR; minute < (at + 1) * HOUR; minute += span)
      addCell(sum, compose(world, zone, minute, span));
    hours.set(key, sum);
    return sum;
  }

  /** How far the current hour of a zone was summed up: it is asked for again and again while it grows. */
  const begun = new Map<number, { from: number; to: number; sum: Totals }>();

  function beginning(zone: Zone, from: number, to: number): Totals {
    const known = begun.get(zone.index);
    const isLonger = known !== undefined && known.from === from && known.to <= to;
    const one = isLonger ? known : { from, to: from, sum: noTotals() };
    for (; one.to < to; one.to++) addCell(one.sum, compose(world, zone, one.to));
    begun.set(zone.index, one);
    return one.sum;
  }

  return {
    /** Of a zone from one minute to another; in the past, where only hours are known, whole quarters of an hour. */
    of(zone: Zone, from: number, to: number): Totals {
      const sum = noTotals();
      for (let minute = from; minute < to; ) {
        if (minute % HOUR === 0 && minute + HOUR <= to) {
          addTotals(sum, hour(zone, minute / HOUR));
          minute += HOUR;
        } else if (minute % HOUR === 0 && minute >= world.exactFrom) {
          addTotals(sum, beginning(zone, minute, to));
          minute = to;
        } else {
          const span = Math.min(15, spanAt(minute));
          addCell(sum, compose(world, zone, minute, span));
          minute += span;
        }
      }
      return sum;
    },
  };
}
