import type { Zone } from './account.ts';
import { toMs } from './calendar.ts';
import { CAUSES } from './causes.ts';
import { type Incident, type IncidentKind, pathPrefix, WITHOUT_5XX } from './incidents.ts';
import { levelOf, type World } from './level.ts';
import { compose } from './minutes.ts';
import { LEAST_EXPECTED } from './plan.ts';

/** What was true of one incident. */
export interface Label {
  id: string;
  kind: IncidentKind;
  /** Names. The first is the one that it was planned for. */
  zones: string[];
  /** Milliseconds since 1970, as all times here. */
  start: number;
  end: number;
  /** The first minute in which a request of it can be seen; for a silence the first minute without any. */
  firstSeen: number;
  /** When a ramp has reached a tenth of its height; else `firstSeen`. */
  noticeable: number;
  /**
   * Per zone and minute, from 0 to 1: failing requests of all requests; 4xx for the kinds of 4xx, requests that missed
   * the cache for a collapse, requests that did not come for silence and certificate, 0 for a slow origin.
   */
  shares: Record<string, number[]>;
  /** Where more than half of what fails is. */
  region?: string;
  path?: string;
  cause: string;
  accept: RegExp;
  has5xx: boolean;
  /** Silence is asked for only where at least ten requests are expected in a quarter of an hour. */
  isAsked: boolean;
}

/** For kinds without a cause in a log: what is seen, in words, and what counts as having said it. */
const SYMPTOMS: Readonly<Partial<Record<IncidentKind, { words: string; accept: RegExp }>>> = {
  DDoS: {
    words: 'a flood of requests, the origin cannot follow',
    accept: /ddos|attack|flood|surge|spike|(times|×|x) (the |its |as )?(usual|many)|requests? (are )?up|more requests/i,
  },
  'slow origin': { words: 'the origin is slow', accept: /slow|response time|latency|takes? long/i },
  'cache collapse': { words: 'the cache no longer answers', accept: /cache|hit rate|hit ratio|miss/i },
  'client 4xx': {
    words: 'clients are refused with 4xx',
    accept: /\b4xx|\b4\d\d\b|client error|unauthori[sz]ed|forbidden|bad request|rate limit/i,
  },
  crawler: {
    words: 'a crawler asks for what does not exist',
    accept: /\b404|\b4xx|not found|crawl|\bbots?\b|scann|missing pages/i,
  },
  aborts: {
    words: 'visitors give up waiting (499)',
    accept: /\b499|abort|give up|gave up|hung up|cancel|client clos/i,
  },
  silence: {
    words: 'no requests arrive any more',
    accept:
      /silen|no (more )?(requests|traffic)|(traffic|requests).{0,30}(gone|stop|drop|fell|down|lost|missing|fewer|−|-)|gone quiet/i,
  },
  certificate: {
    words: 'the certificate for visitors has expired: hardly anybody gets through',
    accept:
      /certificate|\btls\b|https|(traffic|requests).{0,30}(gone|stop|drop|fell|down|lost|missing|fewer|−|-)|silen/i,
  },
};

function causeOf(incident: Incident): { words: string; accept: RegExp } {
  const symptom = SYMPTOMS[incident.kind];
  if (symptom !== undefined) return symptom;
  const { fail } = incident.effect;
  if (fail?.cause !== undefined) return CAUSES[fail.cause];
  const statuses = fail?.statuses.join(' and ') ?? '5xx';
  return {
    words: `the origin itself answers ${statuses}`,
    accept: new RegExp(
      `\\b5xx|server error|unavailable|bad gateway|${fail?.statuses.map((one) => `\\b${one}`).join('|')}`,
      'i',
    ),
  };
}

interface Seen {
  shares: number[];
  first: number | undefined;
}

function isOfKind(kind: IncidentKind, status: number): boolean {
  return kind === 'client 4xx' || kind === 'crawler' || kind === 'aborts'
    ? status >= 400 && status < 500
    : status >= 500;
}

function shareAt(world: World, zone: Zone, incident: Incident, minute: number): { share: number; isSeen: boolean } {
  const { groups } = compose(world, zone, minute);
  const requests = groups.reduce((sum, { count }) => sum + count, 0);
  const { kind } = incident;
  if (kind === 'silence' || kind === 'certificate') {
    const { rate } = levelOf(world, zone, minute, 1);
    return { share: Math.max(0, Math.min(1, 1 - requests / Math.max(rate, 1e-9))), isSeen: requests < rate * 0.7 };
  }
  if (kind === 'slow origin') return { share: 0, isSeen: requests > 0 };
  const isBad = (group: (typeof groups)[number]) =>
    kind === 'cache collapse' ? group.cache === 'MISS' : isOfKind(kind, group.status);
  const bad = groups.filter(isBad).reduce((sum, { count }) => sum + count, 0);
  const isSeen =
    kind === 'cache collapse' ? bad > 0 : groups.some((group) => group.incident === incident && isBad(group));
  return { share: requests > 0 ? bad / requests : 0, isSeen };
}

function look(world: World, zone: Zone, incident: Incident): Seen {
  const seen: Seen = { shares: [], first: undefined };
  for (let minute = incident.start; minute < incident.end; minute++) {
    const { share, isSeen } = shareAt(world, zone, incident, minute);
    seen.shares.push(Math.round(share * 10_000) / 10_000);
    if (isSeen) seen.first ??= minute;
  }
  return seen;
}

function askedFor(world: World, zone: Zone, incident: Incident): boolean {
  if (incident.kind !== 'silence') return true;
  let expected = 0;
  for (let minute = incident.start; minute < incident.start + 15; minute += 5) {
    expected += 5 * levelOf(world, zone, minute, 5).rate;
  }
  return expected >= LEAST_EXPECTED;
}

function labelOf(world: World, incident: Incident): Label {
  const zones = incident.zones.map((index) => world.zones[index]!);
  const looks = zones.map((zone) => look(world, zone, incident));
  const first = Math.min(...looks.map((seen) => seen.first ?? incident.end));
  const { fail } = incident.effect;
  const { words, accept } = causeOf(incident);
  const isRamp = incident.kind === 'gradual ramp';
  return {
    id: `${world.seed}-${incident.index}`,
    kind: incident.kind,
    zones: zones.map(({ name }) => name),
    start: toMs(incident.start),
    end: toMs(incident.end),
    firstSeen: toMs(first),
    noticeable: toMs(isRamp ? Math.max(first, incident.start + Math.round(incident.onset / 10)) : first),
    shares: Object.fromEntries(zones.map(({ name }, i) => [name, looks[i]!.shares])),
    ...(fail?.region !== undefined && { region: fail.region }),
    ...(fail?.path !== undefined && { path: pathPrefix(fail.path) }),
    cause: words,
    accept,
    has5xx: !WITHOUT_5XX.includes(incident.kind),
    isAsked: askedFor(world, zones[0]!, incident),
  };
}

/** The labels of the judged week; incidents of the weeks before are in nobody's account. */
export function labelsOf(world: World): Label[] {
  return world.incidents
    .filter(({ start }) => start >= world.from)
    .map((incident) => labelOf(world, incident))
    .sort((a, b) => a.start - b.start);
}
