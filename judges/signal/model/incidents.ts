import type { Zone } from './account.ts';
import type { CauseKey } from './causes.ts';
import { CLOUDS } from './places.ts';
import { between, logBetween, pick, type Random, wholeBetween } from './random.ts';

export const KINDS = [
  'outage',
  'unlogged outage',
  'one region',
  'flapping',
  'brownout',
  'one URL',
  'deploy with new URLs',
  'DDoS',
  'gradual ramp',
  'tiny zone',
  'slow origin',
  'cache collapse',
  'client 4xx',
  'crawler',
  'aborts',
  'silence',
  'certificate',
] as const;
export type IncidentKind = (typeof KINDS)[number];

/** The kinds in which no request fails with 5xx. */
export const WITHOUT_5XX: readonly IncidentKind[] = [
  'slow origin',
  'cache collapse',
  'client 4xx',
  'crawler',
  'aborts',
  'silence',
  'certificate',
];

/** What an incident does to a zone while it is there in full. */
export interface Effect {
  /** Of the requests that go to the origin (of the region, of the path), so many fail. */
  fail?: {
    share: number;
    statuses: readonly number[];
    /** Of the failing ones so many are in the origin error log. */
    logged: number;
    cause?: CauseKey;
    region?: string;
    /** As the zone's paths have it; for new URLs a path that only this incident has. */
    path?: string;
    /** Of the requests to the origin so many are of the region or path. */
    weight: number;
  };
  /** Of all requests so many are answered with a 4xx. */
  client?: { share: number; statuses: readonly number[]; path?: string };
  /** A factor of the requests. */
  traffic?: number;
  /** Requests besides, as a factor of what the zone has at this time. */
  flood?: { times: number; network: readonly [number, string]; isCrawler: boolean };
  /** A factor of the hit rate. */
  hit?: number;
  /** A factor of the origin's time. */
  response?: number;
}

export interface Incident {
  index: number;
  kind: IncidentKind;
  zones: readonly number[];
  start: number;
  /** The first minute without it. */
  end: number;
  /** Minutes from nothing to the whole. */
  onset: number;
  /** Of a flapping one, when it is there; from, to. */
  bouts?: readonly (readonly [number, number])[];
  effect: Effect;
}

/** How much of an incident there is, from 0 to 1. */
export function intensity(incident: Incident, minute: number, span: number): number {
  const overlap = Math.min(incident.end, minute + span) - Math.max(incident.start, minute);
  if (overlap <= 0) return 0;
  if (incident.bouts !== undefined) {
    const there = incident.bouts.reduce(
      (sum, [from, to]) => sum + Math.max(0, Math.min(to, minute + span) - Math.max(from, minute)),
      0,
    );
    return there / span;
  }
  const middle = Math.max(incident.start, minute) + overlap / 2;
  const risen = incident.onset > 0 ? Math.min(1, (middle - incident.start) / incident.onset) : 1;
  return (overlap / span) * risen;
}

export interface Draft {
  duration: number;
  onset: number;
  effect: Effect;
  bouts?: [number, number][];
}

/** Draws what an incident of a kind would be in a zone; undefined where the zone does not fit. */
export type Drawer = (random: Random, zone: Zone) => Draft | undefined;

const LOGGED_CAUSES: readonly CauseKey[] = [
  'refused',
  'refused',
  'timeout',
  'timeout',
  'connectTimeout',
  'dns',
  'tlsExpired',
  'tlsName',
  'handshake',
  'reset',
  'ended',
  'unreachable',
  'invalid',
  'loop',
  'compression',
  'exhausted',
];

const pulled = (zone: Zone): number => 1 - zone.hitRate;

/** Failing with a cause that the log names, or with what the origin itself answers. */
function failing(random: Random, share: number, isLogged: boolean): NonNullable<Effect['fail']> {
  if (isLogged) {
    const cause = pick(random, LOGGED_CAUSES);
    return { share, statuses: [], logged: between(random, 0.75, 1), cause, weight: 1 };
  }
  const status = pick(random, [500, 502, 503, 503, 504]);
  return { share, statuses: random() < 0.7 ? [status] : [status, 500], logged: 0, weight: 1 };
}

const outage =
  (isLogged: boolean): Drawer =>
  (random, zone) => {
    if (zone.rate < 20) return undefined;
    const fail = failing(random, between(random, 0.75, 1), isLogged);
    const effect: Effect = fail.cause === 'timeout' ? { fail, response: between(random, 1.5, 3) } : { fail };
    return { duration: logBetween(random, 8, 150), onset: wholeBetween(random, 0, 3), effect };
  };

const oneRegion: Drawer = (random, zone) => {
  const regions = zone.regions.filter(({ share }) => share > 0.06);
  if (zone.rate < 60 || regions.length === 0) return undefined;
  const region = pick(random, regions);
  const fail = failing(random, between(random, 0.6, 1), random() < 0.6);
  return {
    duration: logBetween(random, 20, 180),
    onset: 1,
    effect: { fail: { ...fail, region: region.value, weight: region.share } },
  };
};

const flapping: Drawer = (random, zone) => {
  if (zone.rate < 60) return undefined;
  const duration = between(random, 60, 240);
  const bouts: [number, number][] = [];
  for (let at = 0; at < duration; ) {
    const until = Math.min(duration, at + wholeBetween(random, 2, 7));
    bouts.push([at, until]);
    at = until + wholeBetween(random, 4, 14);
  }
  const fail = failing(random, between(random, 0.6, 1), random() < 0.6);
  return { duration: bouts.at(-1)![1], onset: 0, bouts, effect: { fail } };
};

const brownout: Drawer = (random, zone) => {
  const ofZone = between(random, 0.015, 0.07);
  const share = ofZone / pulled(zone);
  if (zone.rate < 60 || share > 0.9) return undefined;
  return {
    duration: logBetween(random, 45, 300),
    onset: wholeBetween(random, 0, 10),
    effect: { fail: failing(random, share, random() < 0.6) },
  };
};

/** The part of a path that does not change from request to request. */
export const pathPrefix = (path: string): string => path.split('{')[0]!.replace(/[?].*$/, '');

const oneUrl: Drawer = (random, zone) => {
  const paths = zone.paths.filter(({ value, share }) => share > 0.03 && share < 0.3 && pathPrefix(value).length > 3);
  if (zone.rate < 60 || paths.length === 0) return undefined;
  const path = pick(random, paths);
  const fail = failing(random, between(random, 0.7, 1), random() < 0.5);
  return {
    duration: logBetween(random, 15, 180),
    onset: 0,
    effect: { fail: { ...fail, path: path.value, weight: path.share } },
  };
};

const deployWithNewUrls: Drawer = (random, zone) => {
  if (zone.rate < 40) return undefined;
  const release = Math.floor(random() * 0xffffff).toString(16);
  const fail = failing(random, between(random, 0.5, 1), random() < 0.4);
  const path = pick(random, [`/release-${release}/chunk.{hash}.js`, `/v9-${release}/items/{n}`]);
  return {
    duration: logBetween(random, 15, 120),
    onset: 2,
    effect: { fail: { ...fail, path, weight: between(random, 0.2, 0.6) }, hit: between(random, 0.75, 0.95) },
  };
};

const ddos: Drawer = (random, zone) => {
  const times = Math.min(logBetween(random, 5, 25), 40_000 / zone.rate);
  if (zone.rate < 10 || times < 4) return undefined;
  const fail = {
    share: between(random, 0.15, 0.6),
    statuses: [],
    logged: between(random, 0.1, 0.5),
    cause: pick(random, ['exhausted', 'timeout', 'connectTimeout'] as const),
    weight: 1,
  };
  return {
    duration: logBetween(random, 10, 90),
    onset: wholeBetween(random, 1, 4),
    effect: {
      fail,
      flood: { times, network: pick(random, CLOUDS), isCrawler: false },
      response: between(random, 1.5, 4),
    },
  };
};

const ramp: Drawer = (random, zone) => {
  if (zone.rate < 40) return undefined;
  const duration = between(random, 90, 240);
  const fail = failing(random, between(random, 0.4, 0.95), random() < 0.6);
  return { duration, onset: duration * 0.8, effect: { fail } };
};

const tiny: Drawer = (random, zone) => {
  if (zone.rate > 32) return undefined;
  return {
    duration: logBetween(random, 40, 300),
    onset: 0,
    effect: { fail: failing(random, between(random, 0.6, 1), random() < 0.6) },
  };
};

const slow: Drawer = (random) => ({
  duration: logBetween(random, 40, 240),
  onset: wholeBetween(random, 0, 15),
  effect: { response: logBetween(random, 2.2, 8) },
});

const cacheCollapse: Drawer = (random, zone) => {
  if (zone.hitRate < 0.55) return undefined;
  return {
    duration: logBetween(random, 45, 300),
    onset: wholeBetween(random, 0, 5),
    effect: { hit: between(random, 0.08, 0.5), response: between(random, 1, 1.4) },
  };
};

const client4xx: Drawer = (random, zone) => {
  const statuses = pick(random, [[401], [403], [400], [429], [401, 403]]);
  const path = random() < 0.5 ? pick(random, zone.paths).value : undefined;
  const client = { share: between(random, 0.1, 0.5), statuses };
  return {
    duration: logBetween(random, 30, 240),
    onset: wholeBetween(random, 0, 5),
    effect: { client: path === undefined ? client : { ...client, path } },
  };
};

const crawler: Drawer = (random) => ({
  duration: logBetween(random, 40, 300),
  onset: 2,
  effect: { flood: { times: between(random, 0.3, 1.8), network: pick(random, CLOUDS), isCrawler: true } },
});

const aborts: Drawer = (random) => ({
  duration: logBetween(random, 30, 200),
  onset: wholeBetween(random, 0, 10),
  effect: { client: { share: between(random, 0.08, 0.35), statuses: [499] }, response: between(random, 1.4, 3) },
});

const silence: Drawer = (random) => ({
  duration: logBetween(random, 35, 240),
  onset: wholeBetween(random, 0, 2),
  effect: { traffic: 0 },
});

const certificate: Drawer = (random) => ({
  duration: logBetween(random, 60, 400),
  onset: wholeBetween(random, 3, 12),
  effect: { traffic: between(random, 0.03, 0.18) },
});

export const DRAWERS: Readonly<Record<IncidentKind, Drawer>> = {
  outage: outage(true),
  'unlogged outage': outage(false),
  'one region': oneRegion,
  flapping,
  brownout,
  'one URL': oneUrl,
  'deploy with new URLs': deployWithNewUrls,
  DDoS: ddos,
  'gradual ramp': ramp,
  'tiny zone': tiny,
  'slow origin': slow,
  'cache collapse': cacheCollapse,
  'client 4xx': client4xx,
  crawler,
  aborts,
  silence,
  certificate,
};
