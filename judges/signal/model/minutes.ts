import type { Zone } from './account.ts';
import type { CauseKey } from './causes.ts';
import { CAUSES } from './causes.ts';
import type { Incident } from './incidents.ts';
import { burstsAt, incidentsAt, type Level, levelOf, seedOf, type World } from './level.ts';
import { binomial, createRandom, deal, normal, poisson, type Random } from './random.ts';

export type CacheStatus = 'HIT' | 'MISS' | 'BYPASS' | 'REVALIDATED' | 'STALE' | '-';
export type Flavor = 'usual' | 'failing' | 'client' | 'flood' | 'bot' | 'link';

/** Requests of one minute that differ in nothing that is counted. */
export interface Group {
  status: number;
  cache: CacheStatus;
  flavor: Flavor;
  count: number;
  incident?: Incident;
  /** Of these so many are in the origin error log too. */
  logged: number;
  cause?: CauseKey;
}

/** One zone in one minute, or in the quarter of an hour that stands for it in the far past. */
export interface Cell {
  minute: number;
  span: number;
  seed: number;
  groups: Group[];
  bytes: number;
  cachedBytes: number;
  originBytes: number;
  /** Milliseconds, on average over what went to the origin. */
  response: number;
}

export const isFromCache = ({ cache }: Group): boolean =>
  cache === 'HIT' || cache === 'REVALIDATED' || cache === 'STALE';

/** What usually fails, in which shares; the first two are in the origin error log. */
const FAILURES = { statuses: [502, 504, 500, 503], shares: [0.35, 0.25, 0.22, 0.18] };
const FAILURE_CAUSES: readonly (CauseKey | undefined)[] = ['reset', 'timeout', undefined, undefined];
const CLIENT = { statuses: [404, 403, 401, 400, 429, 499], shares: [0.56, 0.17, 0.08, 0.06, 0.03, 0.1] };
const REDIRECT = { statuses: [304, 301, 302], shares: [0.55, 0.25, 0.2] };
const EVENLY: readonly (readonly number[])[] = [[], [1], [1, 1], [1, 1, 1]];

/** What is known of a group beyond its status. */
type More = Pick<Group, 'incident' | 'cause'> & { logged?: number };

// A million of these a week: no closures and no copies here.
function add(groups: Group[], status: number, cache: CacheStatus, flavor: Flavor, count: number, more?: More): void {
  if (count === 0) return;
  const group: Group = { status, cache, flavor, count, logged: more?.logged ?? 0 };
  if (more?.incident !== undefined) group.incident = more.incident;
  if (more?.cause !== undefined) group.cause = more.cause;
  groups.push(group);
}

function addUsualErrors(random: Random, groups: Group[], failures: number, refused: number): void {
  if (failures > 0) {
    const counts = deal(random, failures, FAILURES.shares);
    for (let i = 0; i < counts.length; i++) {
      const cause = FAILURE_CAUSES[i];
      add(groups, FAILURES.statuses[i]!, 'MISS', 'usual', counts[i]!, cause && { cause, logged: 1 });
    }
  }
  if (refused > 0) {
    const counts = deal(random, refused, CLIENT.shares);
    for (let i = 0; i < counts.length; i++) add(groups, CLIENT.statuses[i]!, 'MISS', 'usual', counts[i]!);
  }
}

function addUsual(
  random: Random,
  zone: Zone,
  level: Level,
  of: { requests: number; hits: number },
  groups: Group[],
): void {
  const failures = binomial(random, of.requests, level.server);
  const refused = binomial(random, of.requests - failures, level.client);
  addUsualErrors(random, groups, failures, refused);
  const fine = of.requests - failures - refused;
  if (fine === 0) return;
  const redirected = binomial(random, fine, level.redirect);
  // What failed came from nowhere else than the origin: the hits are among the rest.
  const share = Math.min(1, of.hits / fine);
  if (redirected > 0) {
    const counts = deal(random, redirected, REDIRECT.shares);
    for (let i = 0; i < counts.length; i++) {
      const status = REDIRECT.statuses[i]!;
      const hits = binomial(random, counts[i]!, share);
      add(groups, status, status === 304 ? 'REVALIDATED' : 'HIT', 'usual', hits);
      add(groups, status, 'MISS', 'usual', counts[i]! - hits);
    }
  }
  const hits = binomial(random, fine - redirected, share);
  const stale = binomial(random, hits, 0.004);
  const bypassed = binomial(random, fine - redirected - hits, zone.hitRate < 0.5 ? 0.3 : 0.08);
  const uncacheable = binomial(random, bypassed, 0.3);
  const ok = zone.bytes > 400_000 ? 206 : 200;
  add(groups, ok, 'HIT', 'usual', hits - stale);
  add(groups, ok, 'STALE', 'usual', stale);
  add(groups, ok, 'MISS', 'usual', fine - redirected - hits - bypassed);
  add(groups, 200, 'BYPASS', 'usual', bypassed - uncacheable);
  add(groups, 200, '-', 'usual', uncacheable);
}

function addFailing(random: Random, n: number, incident: Incident, flavor: Flavor, groups: Group[]): void {
  const { statuses, logged, cause } = incident.effect.fail!;
  const answered = statuses.length > 0 ? statuses : [CAUSES[cause!].status];
  const counts = deal(random, n, EVENLY[answered.length]!);
  for (let i = 0; i < counts.length; i++) {
    add(groups, answered[i]!, 'MISS', flavor, counts[i]!, { incident, logged, ...(cause && { cause }) });
  }
}

/** Requests that an attack or a crawler adds; of the crawler's most are for what does not exist. */
function addFlood(random: Random, mean: number, [incident, much]: [Incident, number], groups: Group[]): void {
  const { flood, fail } = incident.effect;
  const n = poisson(random, mean * flood!.times * much);
  if (flood!.isCrawler) {
    const [missing, moved, found] = deal(random, n, [0.85, 0.05, 0.1]);
    add(groups, 404, 'MISS', 'flood', missing!, { incident });
    add(groups, 301, 'MISS', 'flood', moved!, { incident });
    add(groups, 200, 'MISS', 'flood', found!, { incident });
    return;
  }
  const failed = binomial(random, n, (fail?.share ?? 0) * much);
  addFailing(random, failed, incident, 'flood', groups);
  add(groups, 200, 'MISS', 'flood', n - failed, { incident });
}

function addBurst(random: Random, zone: Zone, isBot: boolean, n: number, groups: Group[]): void {
  if (n === 0) return;
  if (!isBot) {
    const hits = binomial(random, n, 0.5 + zone.hitRate / 2);
    add(groups, 200, 'HIT', 'link', hits);
    add(groups, 200, 'MISS', 'link', n - hits);
    return;
  }
  // Bots look at everything: of what they find less is in the cache than of what people look at.
  const [found, missing, moved] = deal(random, n, [0.86, 0.06, 0.08]);
  const hits = binomial(random, found!, 0.6 * zone.hitRate);
  add(groups, 200, 'HIT', 'bot', hits);
  add(groups, 200, 'MISS', 'bot', found! - hits);
  add(groups, 404, 'MISS', 'bot', missing!);
  add(groups, 301, 'MISS', 'bot', moved!);
}

/** What incidents take away from the usual requests: failing ones, and ones that are refused. */
function addIncident(
  random: Random,
  [incident, much]: [Incident, number],
  left: { requests: number; pulls: number },
  groups: Group[],
): void {
  const { fail, client } = incident.effect;
  if (fail !== undefined) {
    const failed = binomial(random, binomial(random, left.pulls, fail.weight), fail.share * much);
    addFailing(random, failed, incident, 'failing', groups);
    left.requests -= failed;
    left.pulls -= failed;
  }
  if (client !== undefined) {
    const refused = binomial(random, left.requests, client.share * much);
    const counts = deal(random, refused, EVENLY[client.statuses.length]!);
    for (let i = 0; i < counts.length; i++) {
      add(groups, client.statuses[i]!, 'MISS', 'client', counts[i]!, { incident });
    }
    left.requests -= refused;
  }
}

/** What happened in a zone in one minute. The same for whoever asks, in whatever order. */
export function compose(world: World, zone: Zone, minute: number, span = 1): Cell {
  const seed = seedOf(zone, minute, span);
  const random = createRandom(seed);
  const level = levelOf(world, zone, minute, span);
  const active = incidentsAt(world, zone, minute, span);
  const groups: Group[] = [];
  let kept = 1;
  let { hit, response } = level;
  for (const [{ effect }, much] of active) {
    kept *= 1 + much * ((effect.traffic ?? 1) - 1);
    hit *= 1 + much * ((effect.hit ?? 1) - 1);
    response *= 1 + much * ((effect.response ?? 1) - 1);
  }
  const wide = zone.noise.minute / Math.sqrt(span);
  const mean = level.rate * span * kept * Math.exp(wide * normal(random) - (wide * wide) / 2);
  const n = poisson(random, mean);
  const pulls = binomial(random, n, 1 - hit);
  const left = { requests: n, pulls };
  for (const one of active) addIncident(random, one, left, groups);
  // The hits of the minute are drawn before what fails: those with a cached answer never notice.
  addUsual(random, zone, level, { requests: left.requests, hits: n - pulls }, groups);
  for (const one of active) if (one[0].effect.flood) addFlood(random, level.rate * span, one, groups);
  if (zone.bornAt === undefined || minute >= zone.bornAt) {
    for (const [burst, part] of burstsAt(world, zone, minute, span)) {
      const many = poisson(random, zone.rate * burst.times * part * span * kept);
      addBurst(random, zone, burst.isBot, many, groups);
    }
  }
  return volumes(random, zone, { minute, span, seed, groups, bytes: 0, cachedBytes: 0, originBytes: 0, response });
}

/** Fills in bytes and time, which have a tail of their own: a few large files make a minute. */
function volumes(random: Random, zone: Zone, cell: Cell): Cell {
  let bytes = 0;
  let cachedBytes = 0;
  let pulls = 0;
  for (const group of cell.groups) {
    const sent = group.count * meanBytes(zone, group);
    bytes += sent;
    if (isFromCache(group)) cachedBytes += sent;
    else pulls += group.count;
  }
  const large = Math.exp(0.12 * normal(random));
  cell.bytes = Math.round(bytes * large);
  cell.cachedBytes = Math.round(cachedBytes * large);
  cell.originBytes = cell.bytes - cell.cachedBytes;
  cell.response = pulls > 0 ? cell.response * Math.exp((0.35 / Math.sqrt(pulls + 1)) * normal(random)) : 0;
  return cell;
}

/** Bytes that an answer of the group has on average. */
export function meanBytes(zone: Zone, group: Group): number {
  if (group.status === 200 || group.status === 206) return zone.bytes;
  return group.status === 304 ? 260 : group.status === 404 ? 1400 : 700;
}
