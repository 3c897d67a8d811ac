import type { Weighted, Zone } from './account.ts';
import { CAUSES, messageOf } from './causes.ts';
import { incidentsAt, type World } from './level.ts';
import { type Cell, type Group, isFromCache, meanBytes } from './minutes.ts';
import { APP, ATTACKER, BOTS, BROWSERS, CLOUDS, CRAWLER, NETWORKS, REGIONS, WORDS } from './places.ts';
import { mix, unit } from './random.ts';

/** One request as the v2 access log has it (`docs/platform.md`, Access log). */
export interface AccessRecord {
  timestamp: string;
  pullZoneId: number;
  requestId: string;
  cacheStatus: string;
  statusCode: number;
  bytesSent: number;
  remoteIp: string;
  countryCode: string;
  edgeLocation: string;
  scheme: string;
  host: string;
  path: string;
  url: string;
  userAgent?: string;
  referer?: string;
  asn: number;
  asnOrganization: string;
}

/** One entry as the origin error log has it (`docs/platform.md`, Origin error log). */
export interface OriginEntry {
  logId: string;
  timestamp: number;
  log: string;
  labels: { ErrorCode: string; StatusCode: string; ServerZone: string };
}

/** A request that nobody has looked at yet: its place in a group, and when. */
export interface Handle {
  cell: Cell;
  group: number;
  index: number;
  /** Milliseconds since 1970. */
  at: number;
  /** Decides everything about it. */
  hash: number;
}

const MOST_IN_GROUP = 2 ** 20;

/** The requests of some groups of a minute, the oldest first. */
export function handlesOf(cell: Cell, wanted: (group: Group) => boolean): Handle[] {
  const start = cell.minute * 60_000;
  const keys: number[] = [];
  cell.groups.forEach((group, place) => {
    if (!wanted(group)) return;
    const seed = mix(cell.seed, 100 + place);
    for (let i = 0; i < group.count; i++) {
      const offset = Math.floor(((i + unit(seed, i)) / group.count) * 60_000);
      keys.push((offset * 64 + place) * MOST_IN_GROUP + i);
    }
  });
  return Float64Array.from(keys)
    .sort()
    .reduce<Handle[]>((handles, key) => {
      const index = key % MOST_IN_GROUP;
      const rest = (key - index) / MOST_IN_GROUP;
      const group = rest % 64;
      const at = start + (rest - group) / 64;
      handles.push({ cell, group, index, at, hash: mix(mix(cell.seed, 100 + group) + 1, index) });
      return handles;
    }, []);
}

function chosen<T>(from: readonly Weighted<T>[], at: number): T {
  let left = at;
  for (const { value, share } of from) {
    left -= share;
    if (left < 0) return value;
  }
  return from.at(-1)!.value;
}

const hex = (value: number): string => value.toString(16).padStart(8, '0');

/** A path as a visitor asks for it: the placeholders get values. */
function filled(path: string, hash: number): string {
  let turn = 0;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = mix(hash, 60 + turn++);
    if (name === 'n') return String(value % 90_000);
    if (name === 'd') return String(1 + (value % 9));
    if (name === 'word') return WORDS[value % WORDS.length]!;
    if (name === 'hash') return hex(value % 0xffff).slice(4) + hex(mix(value, 1)).slice(0, 4);
    return hex(value) + hex(mix(value, 2)).slice(0, 4);
  });
}

/** What the crawler asks for: names that it guesses. */
const GUESSES = [
  '/.env',
  '/wp-login.php',
  '/backup/{hash}.zip',
  '/old/{word}-{n}.html',
  '/.git/config',
  '/{word}/{n}.php',
];

function pathOf(zone: Zone, group: Group, hash: number): string {
  const { fail, client } = group.incident?.effect ?? {};
  if (group.flavor === 'failing' && fail?.path !== undefined) return filled(fail.path, hash);
  if (group.flavor === 'client' && client?.path !== undefined) return filled(client.path, hash);
  if (group.flavor === 'flood' && group.status === 404) return filled(GUESSES[hash % GUESSES.length]!, hash);
  if (group.flavor === 'flood' && fail !== undefined)
    return `${filled(zone.paths[0]!.value, hash).split('?')[0]}?r=${hex(hash)}`;
  if (group.flavor === 'link') return filled(zone.paths[1]!.value, zone.seed);
  return filled(chosen(zone.paths, unit(hash, 3)), hash);
}

/** Where a request arrives. While a region fails, its requests to the origin are mostly the failing ones. */
function regionOf(world: World, zone: Zone, group: Group, handle: Handle): string {
  const { hash, cell } = handle;
  const own = group.flavor === 'failing' ? group.incident?.effect.fail?.region : undefined;
  if (own !== undefined) return own;
  const region = chosen(zone.regions, unit(hash, 1));
  if (isFromCache(group)) return region;
  for (const [{ effect }, much] of incidentsAt(world, zone, cell.minute, cell.span)) {
    if (effect.fail?.region === region && unit(hash, 2) < effect.fail.share * much) {
      return chosen(zone.regions, unit(hash, 21));
    }
  }
  return region;
}

function visitorOf(group: Group, hash: number): { userAgent: string; network: readonly [number, string] } {
  const network = NETWORKS[mix(hash, 7) % NETWORKS.length]!;
  const { flood } = group.incident?.effect ?? {};
  if (group.flavor === 'flood') return { userAgent: flood?.isCrawler ? CRAWLER : ATTACKER, network: flood!.network };
  if (group.flavor === 'bot') {
    return { userAgent: BOTS[mix(hash, 8) % BOTS.length]!, network: CLOUDS[mix(hash, 9) % CLOUDS.length]! };
  }
  if (group.flavor === 'client' && group.status !== 499) return { userAgent: APP, network };
  return { userAgent: BROWSERS[mix(hash, 8) % BROWSERS.length]!, network };
}

/** 32 hexadecimal digits. The minute is in them, so that a request is found by its id. */
export function requestIdOf(zone: Zone, handle: Handle): string {
  const salt = mix(handle.hash, 77);
  const minute = (handle.cell.minute ^ mix(salt, zone.id)) >>> 0;
  return hex(salt) + hex(minute) + hex(mix(salt, handle.group)) + hex(mix(handle.hash, handle.index));
}

/** The minute that a request id speaks of, if it is one of the zone's. */
export function minuteOfRequestId(zone: Zone, id: string): number {
  const salt = Number.parseInt(id.slice(0, 8), 16);
  return (Number.parseInt(id.slice(8, 16), 16) ^ mix(salt, zone.id)) >>> 0;
}

export function recordOf(world: World, zone: Zone, handle: Handle): AccessRecord {
  const { hash, at, cell } = handle;
  const group = cell.groups[handle.group]!;
  const edgeLocation = regionOf(world, zone, group, handle);
  const path = pathOf(zone, group, hash);
  const { userAgent, network } = visitorOf(group, hash);
  const home = REGIONS.find(({ code }) => code === edgeLocation)!.country;
  // Browsers refuse a dead certificate: what is left comes without TLS.
  const isBroken = incidentsAt(world, zone, cell.minute, 1).some(([{ kind }]) => kind === 'certificate');
  const scheme = unit(hash, 10) < (isBroken ? 0.8 : 0.02) ? 'http' : 'https';
  const tail = Math.exp(1.1 * (unit(hash, 12) + unit(hash, 13) + unit(hash, 14) - 1.5));
  const referer = unit(hash, 11) < 0.4 ? `https://www.${zone.name}.example/` : undefined;
  return {
    timestamp: new Date(at).toISOString(),
    pullZoneId: zone.id,
    requestId: requestIdOf(zone, handle),
    cacheStatus: group.cache,
    statusCode: group.status,
    bytesSent: Math.round(meanBytes(zone, group) * tail * 0.87),
    remoteIp: `${20 + (mix(hash, 15) % 180)}.${mix(hash, 16) % 256}.${mix(hash, 17) % 256}.0`,
    countryCode: unit(hash, 18) < 0.85 ? home : REGIONS[mix(hash, 19) % REGIONS.length]!.country,
    edgeLocation,
    scheme,
    host: zone.host,
    path,
    url: `${scheme}://${zone.host}${path}`,
    userAgent,
    ...(referer !== undefined && { referer }),
    asn: network[0],
    asnOrganization: network[1],
  };
}

export const isLogged = (group: Group, handle: Handle): boolean =>
  group.logged > 0 && group.cause !== undefined && unit(handle.hash, 30) < group.logged;

/** The entry of a failing request, a few milliseconds after its line in the access log. */
export function originEntryOf(world: World, zone: Zone, handle: Handle): OriginEntry {
  const { hash, cell } = handle;
  const group = cell.groups[handle.group]!;
  const ServerZone = regionOf(world, zone, group, handle);
  const path = pathOf(zone, group, hash);
  const code = CAUSES[group.cause!].code;
  const id = [mix(hash, 31), mix(hash, 32), mix(hash, 33), mix(hash, 34)].map(hex).join('');
  return {
    logId: `${id.slice(0, 8)}-${id.slice(8, 12)}-4${id.slice(13, 16)}-a${id.slice(17, 20)}-${id.slice(20)}`,
    timestamp: handle.at + (hash % 40),
    log: JSON.stringify({
      RequestUrl: path,
      PullZoneId: zone.id,
      Message: messageOf(zone, group.cause!, hash),
      ErrorCode: code,
      StatusCode: group.status,
    }),
    labels: { ErrorCode: code, StatusCode: String(group.status), ServerZone },
  };
}
