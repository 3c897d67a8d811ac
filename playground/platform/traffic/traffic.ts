import { DAY, HOUR, startOfDay } from '../clock.ts';
import { fractionOf, hashOf } from '../random.ts';

/** The kind of a zone's traffic; everything else follows from the seed and the time. */
export interface Profile {
  kind: 'site' | 'shop' | 'images' | 'api' | 'docs' | 'video' | 'downloads';
  /** Requests on an ordinary day. */
  daily: number;
  /** Hours that its visitors' day is ahead of UTC. */
  ahead: number;
  /** How much of the traffic weekends keep. */
  weekend: number;
  /** Share of the requests for what the cache may hold that it answers. */
  hits: number;
}

const PROFILES: Record<number, Profile> = {
  308001: { kind: 'site', daily: 16_000, ahead: 1, weekend: 0.7, hits: 0.86 },
  308002: { kind: 'shop', daily: 21_000, ahead: 1, weekend: 1.25, hits: 0.62 },
  308003: { kind: 'images', daily: 26_000, ahead: 1, weekend: 1.2, hits: 0.94 },
  308004: { kind: 'api', daily: 24_000, ahead: -5, weekend: 0.45, hits: 0.12 },
  308005: { kind: 'docs', daily: 6_000, ahead: 0, weekend: 0.4, hits: 0.9 },
  308006: { kind: 'video', daily: 9_000, ahead: -6, weekend: 1.5, hits: 0.91 },
  308007: { kind: 'downloads', daily: 3_000, ahead: 0, weekend: 0.8, hits: 0.97 },
  308008: { kind: 'site', daily: 700, ahead: 1, weekend: 0.1, hits: 0.35 },
  308010: { kind: 'docs', daily: 2_900, ahead: 0, weekend: 0.9, hits: 0.7 },
  308012: { kind: 'images', daily: 30_000, ahead: 1, weekend: 0.85, hits: 0.97 },
  308013: { kind: 'api', daily: 7_500, ahead: 1, weekend: 0.6, hits: 0.25 },
};

/** The profile of a zone; undefined: it has no traffic (suspended, disabled or unknown). */
export const profileOf = (zoneId: number): Profile | undefined => PROFILES[zoneId];

/** Kinds that the seed chooses from; the others only happen when they are asked for. */
type SeedsKind = 'origin-down' | 'origin-slow' | 'broken-deploy' | 'purge' | 'crawler';

/** Something that goes wrong for a while. */
export interface Incident {
  kind: SeedsKind | 'traffic-gone' | 'certificate-expired' | 'flood';
  /** Milliseconds; at most one per zone and UTC day, and it ends within the day. */
  from: number;
  to: number;
  /** Share of requests concerned, 0..1. */
  share: number;
}

const KINDS: readonly SeedsKind[] = ['origin-down', 'origin-slow', 'broken-deploy', 'purge', 'crawler'];

/** The incident of a zone on the UTC day that starts at `day`, if it has one: about one day in four. */
export function incidentOf(seed: number, zoneId: number, day: number): Incident | undefined {
  const roll = (what: string): number => fractionOf(seed, zoneId, day / DAY, what);
  if (roll('incident') > 0.27) {
    return undefined;
  }
  const length = (10 + roll('length') ** 2 * 170) * 60_000;
  const from = day + roll('start') * (DAY - length);
  return {
    kind: KINDS[hashOf(seed, zoneId, day, 'kind') % KINDS.length] ?? 'purge',
    from,
    to: from + length,
    share: 0.15 + roll('share') * 0.55,
  };
}

/** The traffic of one hour: what statistics add up, and what the records of the logs are drawn from. */
export interface Hour {
  start: number;
  requests: number;
  /** Shares of the requests, 0..1; the incident's share is on top, in its minutes. */
  share3xx: number;
  share4xx: number;
  share5xx: number;
  /** Of the requests for what the cache may hold. */
  hits: number;
  originMs: number;
  /** How many of the requests a flood of bots sends, in its minutes. */
  flood: number;
  incident?: Incident;
}

/** Share of an ordinary day's traffic in each hour of the visitors' day, times 24. */
const CLOCK = [
  0.42, 0.3, 0.24, 0.22, 0.25, 0.36, 0.58, 0.85, 1.1, 1.28, 1.34, 1.32, 1.28, 1.3, 1.33, 1.3, 1.28, 1.3, 1.38, 1.5,
  1.56, 1.42, 1.1, 0.74,
];

/** A flood has so many times the zone's usual requests. */
const FLOOD = 14;

/** The incident of a zone on the UTC day that starts at `day`, when it is not the seed that decides. */
export type Incidents = (zoneId: number, day: number) => Incident | undefined;

/** The hour that starts at `start` (milliseconds, a full UTC hour). */
export function hourOf(
  seed: number,
  zoneId: number,
  start: number,
  incidents: Incidents = (zone, day) => incidentOf(seed, zone, day),
): Hour | undefined {
  const profile = profileOf(zoneId);
  if (!profile) {
    return undefined;
  }
  const local = new Date(start + profile.ahead * HOUR);
  const weekday = local.getUTCDay();
  const weekly = weekday === 0 || weekday === 6 ? profile.weekend : 1;
  const roll = (what: string): number => fractionOf(seed, zoneId, start / HOUR, what);
  // Slow growth over the years, so that months differ.
  const growth = 1 + 0.12 * Math.sin(start / (DAY * 41) + zoneId);
  const incident = incidents(zoneId, startOfDay(start));
  const overlap = incident ? overlapOf(incident, start) : 0;
  const surge = incident?.kind === 'crawler' ? 1 + overlap * 1.6 : 1;
  const usual = (profile.daily / 24) * (CLOCK[local.getUTCHours()] ?? 1) * weekly * growth * (0.88 + roll('n') * 0.24);
  const flood = incident?.kind === 'flood' ? Math.round(usual * overlap * FLOOD) : 0;
  const api = profile.kind === 'api';
  return {
    start,
    requests: Math.max(1, Math.round(usual * surge)) + flood,
    flood,
    share3xx: api ? 0.004 : 0.05 + roll('3xx') * 0.03,
    share4xx: (api ? 0.03 : 0.016) + roll('4xx') * 0.014,
    share5xx: 0.0004 + roll('5xx') ** 6 * 0.012,
    hits: Math.min(0.99, profile.hits * (0.97 + roll('hits') * 0.05)),
    originMs: 90 + roll('ms') * 70 + (incident?.kind === 'origin-slow' ? overlap * 2_400 : 0),
    ...(incident && overlap > 0 ? { incident } : {}),
  };
}

/** Visitors of such an incident stay away: its share of the requests never comes. */
export const staysAway = ({ kind }: Incident): boolean => kind === 'traffic-gone' || kind === 'certificate-expired';

/** How much of the hour, up to `now`, lies within the incident, 0..1. */
export function overlapOf(incident: Incident, start: number, now = start + HOUR): number {
  return Math.max(0, Math.min(incident.to, start + HOUR, now) - Math.max(incident.from, start)) / HOUR;
}
