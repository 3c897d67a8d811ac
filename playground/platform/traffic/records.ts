import { HOUR } from '../clock.ts';
import { createRandom, hashOf, type Random, rankOf, zipfWeights } from '../random.ts';
import { pathsOf, RANGES, type ServedPath, type Weighted } from './paths.ts';
import { hourOf, type Incident, type Incidents, profileOf, staysAway } from './traffic.ts';
import { type Visitor, visitorOf } from './visitors.ts';

/** One line of an access log, of either version. */
export interface LogRecord {
  /** Milliseconds. */
  at: number;
  cacheStatus: string;
  statusCode: number;
  bytesSent: number;
  remoteIp: string;
  referer: string | undefined;
  host: string;
  path: string;
  /** It came without TLS. */
  isPlain?: boolean;
  edgeLocation: string;
  userAgent: string;
  requestId: string;
  countryCode: string;
  asn: number;
  asnOrganization: string;
}

/** The parts of a zone that its records depend on. */
export interface LoggedZone {
  Id: number;
  Hostnames: readonly { Value: string }[];
}

export const FLOOD_ASN = 64_666;
const FLOODERS = ['203.0.113.0', '198.51.100.0', '192.0.2.0'];

const VISITORS = zipfWeights(3_000, 0.75);

/** The records of the hour that starts at `start`, oldest first: the same on every call. */
export function recordsOfHour(seed: number, zone: LoggedZone, start: number, incidents?: Incidents): LogRecord[] {
  const hour = hourOf(seed, zone.Id, start, incidents);
  const profile = profileOf(zone.Id);
  if (!hour || !profile) {
    return [];
  }
  const random = createRandom(seed, 'log', zone.Id, start / HOUR);
  const times = Float64Array.from({ length: hour.requests - hour.flood }, () =>
    Math.floor(random.next() * HOUR),
  ).sort();
  const paths = pathsOf(profile.kind);
  const hosts = zone.Hostnames.map((hostname) => hostname.Value.replace('*', 'acme'));
  const usual = Array.from(times).flatMap((offset): LogRecord[] => {
    const at = start + offset;
    const trouble = hour.incident && at >= hour.incident.from && at < hour.incident.to ? hour.incident : undefined;
    if (trouble && staysAway(trouble) && random.next() < trouble.share) return [];
    const visitor = visitorNow(seed, zone.Id, random, trouble);
    const outcome = outcomeOf(random, hour, trouble, paths.usual, paths.missing);
    const served = outcome.path;
    const host = hosts[random.next() < 0.82 ? 0 : random.integer(0, hosts.length - 1)] ?? 'localhost';
    const record = {
      at,
      cacheStatus: outcome.cacheStatus,
      statusCode: outcome.statusCode,
      bytesSent: bytesOf(random, outcome.statusCode, served),
      remoteIp: visitor.ip,
      referer:
        random.next() < 0.55 ? `https://${host}/` : random.next() < 0.2 ? 'https://www.search.example/' : undefined,
      host,
      path: served.path,
      isPlain: trouble?.kind === 'certificate-expired',
      edgeLocation: visitor.edge,
      userAgent: visitor.userAgent,
      requestId: random.text(32, '0123456789abcdef'),
      countryCode: visitor.country,
      asn: visitor.asn,
      asnOrganization: visitor.organization,
    };
    return [record];
  });
  const { incident } = hour;
  if (hour.flood === 0 || incident === undefined) return usual;
  const [from, to] = [Math.max(incident.from, start), Math.min(incident.to, start + HOUR)];
  const host = hosts[0] ?? 'localhost';
  const flood = Array.from({ length: hour.flood }, () => floodRecord(random, from + random.next() * (to - from), host));
  return [...usual, ...flood].sort((one, other) => one.at - other.at);
}

/** A few machines of one provider ask for what the cache can't answer. */
function floodRecord(random: Random, at: number, host: string): LogRecord {
  return {
    at: Math.floor(at),
    cacheStatus: 'MISS',
    statusCode: 200,
    bytesSent: 18_000 + random.integer(0, 2_000),
    remoteIp: FLOODERS[Math.floor(random.next() ** 1.6 * FLOODERS.length)]!,
    referer: undefined,
    host,
    path: `/search?q=${random.text(8, 'abcdefghijklmnopqrstuvwxyz')}`,
    edgeLocation: 'BR',
    userAgent: 'python-requests/2.32.4',
    requestId: random.text(32, '0123456789abcdef'),
    countryCode: 'BR',
    asn: FLOOD_ASN,
    asnOrganization: 'Bulk Hosting Example',
  };
}

function visitorNow(seed: number, zoneId: number, random: Random, trouble: Incident | undefined): Visitor {
  const crawler = trouble?.kind === 'crawler' && random.next() < 0.6;
  const rank = crawler ? -1 - (hashOf(seed, zoneId, trouble.from) % 3) : rankOf(VISITORS, random.next());
  return visitorOf(seed, zoneId, rank);
}

interface Outcome {
  statusCode: number;
  cacheStatus: string;
  path: ServedPath;
}

const draw = (random: Random, from: Weighted): ServedPath =>
  from.paths[rankOf(from.weights, random.next())] ?? { path: '/', bytes: 1_000, cacheable: true };

function outcomeOf(
  random: Random,
  hour: { share3xx: number; share4xx: number; share5xx: number; hits: number },
  trouble: Incident | undefined,
  usual: Weighted,
  missing: Weighted,
): Outcome {
  const path = draw(random, usual);
  if (trouble && random.next() < trouble.share) {
    const troubled = troubledOutcome(random, trouble, path);
    if (troubled) {
      return troubled;
    }
  }
  const roll = random.next();
  if (roll < hour.share5xx) {
    return { statusCode: random.pick([500, 502, 502, 503, 504]), cacheStatus: 'MISS', path };
  }
  if (roll < hour.share5xx + hour.share4xx) {
    const statusCode = random.pick([404, 404, 404, 404, 404, 403, 401, 400, 429]);
    return { statusCode, cacheStatus: random.next() < 0.3 ? 'HIT' : 'MISS', path: draw(random, missing) };
  }
  if (roll < hour.share5xx + hour.share4xx + hour.share3xx) {
    const notModified = random.next() < 0.7;
    return { statusCode: notModified ? 304 : 301, cacheStatus: notModified ? 'HIT' : 'MISS', path };
  }
  const partial = path.bytes > RANGES.above && random.next() < RANGES.share;
  return { statusCode: partial ? 206 : 200, cacheStatus: cacheStatusOf(random, path, hour.hits), path };
}

function troubledOutcome(random: Random, trouble: Incident, path: ServedPath): Outcome | undefined {
  switch (trouble.kind) {
    case 'origin-down':
      return path.cacheable && random.next() < 0.35
        ? { statusCode: 200, cacheStatus: 'STALE', path }
        : { statusCode: random.pick([502, 502, 502, 503]), cacheStatus: 'MISS', path };
    case 'origin-slow':
      return path.cacheable && random.next() < 0.5
        ? { statusCode: 200, cacheStatus: 'UPDATING', path }
        : { statusCode: 504, cacheStatus: 'MISS', path };
    case 'broken-deploy':
      return {
        statusCode: 404,
        cacheStatus: 'MISS',
        path: {
          path: `/assets/app.${trouble.from.toString(36).slice(-6).replace('.', '0')}.js`,
          bytes: 900,
          cacheable: true,
        },
      };
    case 'purge':
      return { statusCode: 200, cacheStatus: 'MISS', path };
    case 'crawler':
    case 'traffic-gone':
    case 'flood':
    case 'certificate-expired':
      return undefined;
  }
}

function cacheStatusOf(random: Random, path: ServedPath, hits: number): string {
  if (!path.cacheable) {
    return random.next() < 0.6 ? 'BYPASS' : '-';
  }
  const roll = random.next();
  if (roll < hits) {
    return 'HIT';
  }
  const rest = (roll - hits) / (1 - hits);
  return rest < 0.78 ? 'MISS' : rest < 0.9 ? 'REVALIDATED' : rest < 0.96 ? 'EXPIRED' : 'STALE';
}

function bytesOf(random: Random, statusCode: number, path: ServedPath): number {
  if (statusCode === 304 || statusCode === 204) {
    return 180 + random.integer(0, 90);
  }
  if (statusCode >= 300) {
    return 420 + random.integer(0, 1_200);
  }
  // Pages vary a little, ranges a lot.
  const spread =
    statusCode === 206 ? RANGES.part.least + random.next() * RANGES.part.spread : 0.97 + random.next() * 0.06;
  return Math.round(path.bytes * spread) + 320;
}
