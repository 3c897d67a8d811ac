import type { PullZone } from '../account/account.ts';
import { type Answer, logError, Refusal } from '../answers.ts';
import { DAY } from '../clock.ts';
import type { Incoming } from '../server.ts';
import { type Simulation, type SimulationRoute, zoneOf } from '../simulation.ts';
import { logLineOf } from '../traffic/log-file.ts';
import type { LogRecord } from '../traffic/records.ts';
import { type AccessLogQuery, matches, matchesLate, parseQuery } from './access-log-query.ts';

/** How long records are kept. */
const RETENTION = 3 * DAY;

/** The access log service, v2 and v1: 30 requests per 10 s and pull zone, both versions together. */
export const accessLogRoutes: SimulationRoute[] = [
  { method: 'GET', path: '/v2/pullzones/{zone}/logs', spec: true, answer: searchLogs },
  { method: 'GET', path: '/{date}/{zone}.log', answer: downloadLog },
];

/** The pull zone in the path, when its logs may be read and the limit has room; throws the refusal. */
function admit({ account, faults, logLimit }: Simulation, { params }: Incoming): PullZone {
  const policy = faults.setting('limiter');
  const counted = policy === 'fixed' || policy === 'bucket' ? policy : 'sliding';
  const { passes, retryAfterMs } = logLimit(params.zone ?? '', counted);
  if (!passes) {
    const message = 'Rate limit of 30 requests per 10 seconds exceeded for this pull zone.';
    const refusal = logError(429, 'rate_limited', message);
    throw new Refusal({ ...refusal, headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } });
  }
  const zone = zoneOf(account, params.zone);
  if (!zone || zone.Suspended || !zone.Enabled) {
    throw new Refusal(logError(403, 'forbidden', 'The pull zone is suspended, disabled, or not yours.'));
  }
  if (!zone.EnableLogging) {
    throw new Refusal(logError(404, 'logging_disabled', 'Logging is not enabled for this pull zone.'));
  }
  return zone;
}

/** `GET /v2/pullzones/{zone}/logs` */
function searchLogs(simulation: Simulation, request: Incoming): Answer {
  const zone = admit(simulation, request);
  const query = parseQuery(request.query, simulation.now().getTime(), RETENTION);
  if ('details' in query) {
    return logError(400, 'invalid_request', 'One or more query parameters are invalid.', query.details);
  }
  return { status: 200, body: pageOf(simulation, zone, query) };
}

function pageOf(simulation: Simulation, zone: PullZone, query: AccessLogQuery): object {
  const { from, to, order, offset, limit } = query;
  // Country and search are looked at after the page is fetched: pages come out short, or empty, while more exist.
  const fetched: LogRecord[] = [];
  let skipped = 0;
  let hasMore = false;
  search: for (const records of simulation.logs.between(zone, from, to, order)) {
    for (const record of records) {
      if (!matches(record, query)) {
        continue;
      }
      if (skipped < offset) {
        skipped += 1;
      } else if (fetched.length < limit) {
        fetched.push(record);
      } else {
        hasMore = true;
        break search;
      }
    }
  }
  const data = fetched
    .filter((record) => matchesLate(record, query))
    .map((record) => entryOf(simulation, zone, record));
  return {
    data,
    pagination: { offset, limit, returned: data.length, hasMore },
    query: { pullZoneId: zone.Id, from: secondsOf(from), to: secondsOf(to), order },
  };
}

const secondsOf = (instant: number): string => new Date(instant).toISOString().replace('.000Z', 'Z');

function entryOf(simulation: Simulation, zone: PullZone, record: LogRecord): object {
  return {
    timestamp: new Date(record.at).toISOString(),
    pullZoneId: zone.Id,
    requestId: record.requestId,
    cacheStatus: record.cacheStatus,
    statusCode: record.statusCode,
    bytesSent: record.bytesSent,
    remoteIp: record.remoteIp,
    countryCode: record.countryCode,
    edgeLocation: record.edgeLocation,
    scheme: 'https',
    host: record.host,
    path: record.path,
    url: `http${record.isPlain ? '' : 's'}://${record.host}${record.path}`,
    userAgent: record.userAgent,
    ...(record.referer === undefined ? {} : { referer: record.referer }),
    asn: record.asn,
    asnOrganization: record.asnOrganization,
    ...(zone.EnableExtendedLogging
      ? { bodyBytesSent: Math.max(0, record.bytesSent - 320), authorizationHeader: `Bearer ${simulation.viewerToken}` }
      : {}),
  };
}

/** `GET /{date}/{zone}.log` (v1): one UTC day as lines, streamed. */
function downloadLog(simulation: Simulation, request: Incoming): Answer {
  const zone = admit(simulation, request);
  const { query, params } = request;
  const match = /^(\d\d)-(\d\d)-(\d\d)$/.exec(params.date ?? '');
  const day = match ? Date.UTC(2000 + Number(match[3]), Number(match[1]) - 1, Number(match[2])) : Number.NaN;
  const readBack = Number.isNaN(day) ? '' : new Date(day).toISOString().slice(5, 10);
  if (!match || readBack !== `${match[1]}-${match[2]}`) {
    return badDate('The date must have the format MM-DD-YY.');
  }
  const kept = simulation.now().getTime() - RETENTION;
  if (day + DAY <= kept) {
    return badDate('The date lies outside the log retention window of 3 days.');
  }
  const order = (query.get('sort') ?? query.get('order')) === 'desc' ? 'desc' : 'asc';
  const name = `${params.date}-${zone.Id}.log`;
  return {
    status: 200,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...(query.get('download') === 'false' ? {} : { 'content-disposition': `attachment; filename="${name}"` }),
    },
    stream: linesOf(simulation, zone, simulation.logs.between(zone, Math.max(day, kept), day + DAY, order), query),
  };
}

function badDate(detail: string): Answer {
  return logError(400, 'invalid_request', 'One or more query parameters are invalid.', [detail]);
}

/** The lines of these records that the query asks for, hour by hour. */
function* linesOf(
  { viewerToken }: Simulation,
  zone: PullZone,
  hours: Iterable<readonly LogRecord[]>,
  query: URLSearchParams,
): Generator<string> {
  const classes = (query.get('status') ?? '').split(',').filter(Boolean);
  const word = query.get('search')?.toLowerCase() ?? '';
  const [start, end] = [Number(query.get('start') ?? 0), Number(query.get('end') ?? Number.POSITIVE_INFINITY)];
  const extended = zone.EnableExtendedLogging ? `|-|Bearer ${viewerToken}` : undefined;
  let index = 0;
  for (const records of hours) {
    const lines = records
      .filter(({ statusCode }) => classes.length === 0 || classes.includes(String(statusCode)[0] ?? ''))
      .map((record) => ({ record, line: logLineOf(record, zone.Id) }))
      .filter(({ line }) => line.toLowerCase().includes(word));
    const wanted = lines.slice(Math.max(0, start - index), Math.max(0, end - index));
    index += lines.length;
    const written = wanted.map(({ record, line }) =>
      extended === undefined ? `${line}\n` : `${line}|${Math.max(0, record.bytesSent - 320)}${extended}\n`,
    );
    if (written.length > 0) yield written.join('');
  }
}
