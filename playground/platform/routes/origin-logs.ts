import type { PullZone } from '../account/account.ts';
import type { Answer } from '../answers.ts';
import { DAY } from '../clock.ts';
import { createRandom, uuidOf } from '../random.ts';
import type { Incoming } from '../server.ts';
import { type Simulation, type SimulationRoute, zoneOf } from '../simulation.ts';
import type { LogRecord } from '../traffic/records.ts';

/** How many records one answer has at most. */
const MOST = 1_000;
/** How many days back there are any. */
const KEPT_DAYS = 30;

const CAUSES: Record<number, readonly (readonly [code: string, message: string])[]> = {
  500: [['http_request_failure', 'The origin answered with 500 Internal Server Error.']],
  502: [
    ['network_socket_exception', 'Connection refused by the origin (10.20.4.11:443).'],
    ['http_request_exception', 'The SSL connection could not be established.'],
    ['dns_lookup', 'Origin DNS lookup failed: the name does not resolve.'],
  ],
  503: [['http_request_failure', 'The origin answered with 503 Service Unavailable.']],
  504: [['http_timeout', 'The origin did not answer within 60 seconds.']],
};

/** The origin error log service. */
export const originLogRoutes: SimulationRoute[] = [
  { method: 'GET', path: '/{zone}/{date}', spec: true, answer: listOriginErrors },
];

/** `GET /{zone}/{date}`: the origin errors of one pull zone on one UTC day; they are the 5xx of its access log. */
function listOriginErrors(simulation: Simulation, { params }: Incoming): Answer {
  const match = /^(\d\d)-(\d\d)-(\d{4})$/.exec(params.date ?? '');
  if (!match || !/^\d+$/.test(params.zone ?? '')) {
    return { status: 400, body: { Message: 'The date must have the format MM-dd-yyyy.' } };
  }
  const day = Date.UTC(Number(match[3]), Number(match[1]) - 1, Number(match[2]));
  const zone = zoneOf(simulation.account, params.zone);
  const logs = zone ? entriesOf(simulation, zone, day) : [];
  return {
    status: 200,
    body: { logs: logs.slice(0, MOST), hasMoreData: logs.length > MOST, continuationToken: '', startToken: '' },
  };
}

function entriesOf(simulation: Simulation, zone: PullZone, day: number): object[] {
  const now = simulation.now().getTime();
  if (day > now || day < now - KEPT_DAYS * DAY) {
    return [];
  }
  const entries: object[] = [];
  for (const records of simulation.logs.between(zone, day, day + DAY, 'desc')) {
    for (const record of records) {
      if (record.statusCode >= 500 && record.cacheStatus !== 'HIT') {
        entries.push(entryOf(zone, record));
      }
    }
  }
  return entries;
}

function entryOf(zone: PullZone, record: LogRecord): object {
  const random = createRandom('origin', record.requestId);
  const causes = CAUSES[record.statusCode] ?? [['error', 'The request to the origin failed.'] as const];
  // The hour decides, so that an outage has one cause.
  const [ErrorCode, Message] = causes[Math.floor(record.at / 7_200_000) % causes.length] ?? ['error', 'Unknown error.'];
  const log = { RequestUrl: record.path, PullZoneId: zone.Id, Message, ErrorCode, StatusCode: record.statusCode };
  return {
    logId: uuidOf(random),
    timestamp: record.at,
    log: JSON.stringify(log),
    labels: { ErrorCode, StatusCode: String(record.statusCode), ServerZone: record.edgeLocation },
  };
}
