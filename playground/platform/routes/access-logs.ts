import type { PullZone } from '../account/account.ts';
import { type Answer, logError, Refusal } from '../answers.ts';
import { DAY } from '../clock.ts';
import { createRateLimit } from '../rate-limit.ts';
import type { Incoming, Route } from '../server.ts';
import { type Simulation, zoneOf } from '../simulation.ts';
import { logLineOf } from '../traffic/log-file.ts';
import type { LogRecord } from '../traffic/records.ts';
import { type AccessLogQuery, matches, matchesLate, parseQuery } from './access-log-query.ts';

/** How long records are kept (spec 8). */
export const RETENTION = 3 * DAY;

/** The access log service: v2 (row 15) and v1. 30 requests per 10 s and pull zone, both versions together. */
export function accessLogRoutes(simulation: Simulation): Route[] {
  const limit = createRateLimit(30, 10_000, simulation.elapsed);

  function admit(request: Incoming): PullZone {
    const policy = simulation.faults.setting('limiter');
    const { passes, retryAfterMs } = limit(
      request.params.zone ?? '',
      policy === 'fixed' || policy === 'bucket' ? policy : 'sliding',
    );
    if (!passes) {
      const refusal = logError(
        429,
        'rate_limited',
        'Rate limit of 30 requests per 10 seconds exceeded for this pull zone.',
      );
      throw new Refusal({ ...refusal, headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } });
    }
    const zone = zoneOf(simulation.account, request.params.zone);
    if (!zone || zone.Suspended || !zone.Enabled) {
      throw new Refusal(logError(403, 'forbidden', 'The pull zone is suspended, disabled, or not yours.'));
    }
    if (!zone.EnableLogging) {
      throw new Refusal(logError(404, 'logging_disabled', 'Logging is not enabled for this pull zone.'));
    }
    return zone;
  }

  return [
    {
      method: 'GET',
      path: '/v2/pullzones/{zone}/logs',
      spec: true,
      answer(request) {
        const zone = admit(request);
        const query = parseQuery(request.query, simulation.now().getTime(), RETENTION);
        if ('details' in query) {
          return logError(400, 'invalid_request', 'One or more query parameters are invalid.', query.details);
        }
        return { status: 200, body: pageOf(simulation, zone, query) };
      },
    },
    {
      method: 'GET',
      path: '/{date}/{zone}.log',
      answer(request) {
        const zone = admit(request);
        return fileOf(simulation, zone, request);
      },
    },
  ];
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
    url: `https://${record.host}${record.path}`,
    userAgent: record.userAgent,
    ...(record.referer === undefined ? {} : { referer: record.referer }),
    asn: record.asn,
    asnOrganization: record.asnOrganization,
    ...(zone.EnableExtendedLogging
      ? { bodyBytesSent: Math.max(0, record.bytesSent - 320), authorizationHeader: `Bearer ${simulation.viewerToken}` }
      : {}),
  };
}

/** v1: one UTC day as lines, streamed (platform facts 10.2). */
function fileOf(simulation: Simulation, zone: PullZone, request: Incoming): Answer {
  const match = /^(\d\d)-(\d\d)-(\d\d)$/.exec(request.params.date ?? '');
  const day = match ? Date.UTC(2000 + Number(match[3]), Number(match[1]) - 1, Number(match[2])) : Number.NaN;
  const readBack = Number.isNaN(day) ? '' : new Date(day).toISOString().slice(5, 10);
  if (!match || readBack !== `${match[1]}-${match[2]}`) {
    return logError(400, 'invalid_request', 'One or more query parameters are invalid.', [
      'The date must have the format MM-DD-YY.',
    ]);
  }
  const now = simulation.now().getTime();
  if (day + DAY <= now - RETENTION) {
    return logError(400, 'invalid_request', 'One or more query parameters are invalid.', [
      'The date lies outside the log retention window of 3 days.',
    ]);
  }
  const { query } = request;
  const classes = (query.get('status') ?? '').split(',').filter(Boolean);
  const word = query.get('search')?.toLowerCase() ?? '';
  const order = (query.get('sort') ?? query.get('order')) === 'desc' ? 'desc' : 'asc';
  const [start, end] = [Number(query.get('start') ?? 0), Number(query.get('end') ?? Number.POSITIVE_INFINITY)];
  const name = `${request.params.date}-${zone.Id}.log`;
  const extended = zone.EnableExtendedLogging ? `|-|Bearer ${simulation.viewerToken}` : undefined;

  function* lines(): Generator<string> {
    let index = 0;
    for (const records of simulation.logs.between(zone, Math.max(day, now - RETENTION), day + DAY, order)) {
      let piece = '';
      for (const record of records) {
        const line = logLineOf(record, zone.Id);
        const wanted =
          (classes.length === 0 || classes.includes(String(record.statusCode)[0] ?? '')) &&
          line.toLowerCase().includes(word);
        if (wanted) {
          if (index >= start && index < end) {
            piece +=
              extended === undefined ? `${line}\n` : `${line}|${Math.max(0, record.bytesSent - 320)}${extended}\n`;
          }
          index += 1;
        }
      }
      if (piece !== '') {
        yield piece;
      }
    }
  }

  return {
    status: 200,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...(query.get('download') === 'false' ? {} : { 'content-disposition': `attachment; filename="${name}"` }),
    },
    stream: lines(),
  };
}
