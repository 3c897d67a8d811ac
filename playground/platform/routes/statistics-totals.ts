import type { PullZone } from '../account/account.ts';
import { HOUR } from '../clock.ts';
import type { Simulation } from '../simulation.ts';
import { pathsOf } from '../traffic/paths.ts';
import type { LogRecord } from '../traffic/records.ts';
import { hourOf, overlapOf, profileOf, staysAway } from '../traffic/traffic.ts';

/** The counts of a stretch of time. */
export interface Totals {
  requests: number;
  bytes: number;
  originBytes: number;
  /** Requests that the cache answered, and those that went to the origin. */
  cached: number;
  pulled: number;
  status3xx: number;
  status4xx: number;
  status5xx: number;
  /** Mean answer time of the origin, weighted by `pulled`. */
  originMs: number;
}

/** Nothing counted. */
export const emptyTotals = (): Totals => ({
  requests: 0,
  bytes: 0,
  originBytes: 0,
  cached: 0,
  pulled: 0,
  status3xx: 0,
  status4xx: 0,
  status5xx: 0,
  originMs: 0,
});

/** Adds `more` to `totals`. */
export function addTotals(totals: Totals, more: Totals): void {
  const pulled = totals.pulled + more.pulled;
  totals.originMs = pulled === 0 ? 0 : (totals.originMs * totals.pulled + more.originMs * more.pulled) / pulled;
  totals.pulled = pulled;
  totals.requests += more.requests;
  totals.bytes += more.bytes;
  totals.originBytes += more.originBytes;
  totals.cached += more.cached;
  totals.status3xx += more.status3xx;
  totals.status4xx += more.status4xx;
  totals.status5xx += more.status5xx;
}

/** Shares of an incident's requests that end in each way (the records draw the same). */
const ENDINGS = {
  'origin-down': { status5xx: 0.75, status4xx: 0, uncached: 0 },
  'origin-slow': { status5xx: 0.6, status4xx: 0, uncached: 0 },
  'broken-deploy': { status5xx: 0, status4xx: 1, uncached: 0 },
  purge: { status5xx: 0, status4xx: 0, uncached: 1 },
  crawler: { status5xx: 0, status4xx: 0, uncached: 0 },
  'traffic-gone': { status5xx: 0, status4xx: 0, uncached: 0 },
  flood: { status5xx: 0, status4xx: 0, uncached: 0 },
  'certificate-expired': { status5xx: 0, status4xx: 0, uncached: 0 },
};

/** The totals of one zone and hour, up to now: of its loaded log where there is one, else as its traffic is expected. */
export function totalsOfHour(simulation: Simulation, zone: PullZone, start: number, now: number): Totals {
  const loaded = simulation.logs.loadedHour(zone.Id, start);
  if (loaded) {
    return totalsOfRecords(loaded.filter((record) => record.at <= now));
  }
  const hour = hourOf(simulation.seed, zone.Id, start, simulation.incidents);
  const profile = profileOf(zone.Id);
  if (!hour || !profile) {
    return emptyTotals();
  }
  const demand = pathsOf(profile.kind);
  const part = Math.min(1, (now - start) / HOUR);
  const { incident } = hour;
  const concerned = incident ? hour.requests * overlapOf(incident, start, now) * incident.share : 0;
  const isAway = incident !== undefined && staysAway(incident);
  const whole = incident === undefined ? 0 : overlapOf(incident, start);
  const flood = whole === 0 ? 0 : (hour.flood * overlapOf(incident!, start, now)) / whole;
  const requests = Math.round((hour.requests - hour.flood) * part + flood - (isAway ? concerned : 0));
  const troubled = isAway ? 0 : concerned;
  const ending = ENDINGS[incident?.kind ?? 'crawler'];
  const usual = requests - troubled * (ending.status5xx + ending.status4xx + ending.uncached);
  const status5xx = Math.round(troubled * ending.status5xx + usual * hour.share5xx);
  const status4xx = Math.round(troubled * ending.status4xx + usual * hour.share4xx);
  const status3xx = Math.round(usual * hour.share3xx);
  // Stale and revalidated answers count as the cache's, too: about one in six of the others.
  const hits = demand.cacheable * (hour.hits + (1 - hour.hits) * 0.16);
  const cached = Math.round(usual * (1 - hour.share5xx - hour.share4xx) * hits);
  const answered = Math.max(0, requests - status5xx - status4xx - status3xx);
  const bytes = Math.round(answered * demand.meanBytes + (status3xx + status4xx) * 900);
  return {
    requests,
    bytes,
    originBytes: Math.round(bytes * (requests === 0 ? 0 : 1 - cached / requests)),
    cached,
    pulled: requests - cached,
    status3xx,
    status4xx,
    status5xx,
    originMs: hour.originMs,
  };
}

const CACHED = ['HIT', 'STALE', 'UPDATING', 'REVALIDATED'];

function totalsOfRecords(records: readonly LogRecord[]): Totals {
  const totals = emptyTotals();
  for (const record of records) {
    const cached = CACHED.includes(record.cacheStatus);
    const statusClass = Math.floor(record.statusCode / 100);
    totals.requests += 1;
    totals.bytes += record.bytesSent;
    totals.originBytes += cached ? 0 : record.bytesSent;
    totals.cached += cached ? 1 : 0;
    totals.pulled += cached ? 0 : 1;
    totals.status3xx += statusClass === 3 ? 1 : 0;
    totals.status4xx += statusClass === 4 ? 1 : 0;
    totals.status5xx += statusClass === 5 ? 1 : 0;
    totals.originMs = 120;
  }
  return totals;
}
