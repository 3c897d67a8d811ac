import type { IncomingMessage, ServerResponse } from 'node:http';
import { toMinute } from '../model/calendar.ts';
import type { Zone } from '../model.ts';
import type { Context } from '../service.ts';
import { type FileQuery, fileLines, logAnswer } from './access-log.ts';
import { readLogQuery, readStatisticsQuery } from './checks.ts';
import type { ServiceName, View } from './faults.ts';
import { originEntries } from './origin-log.ts';
import { statisticsAnswer } from './statistics.ts';
import { zoneListAnswer, zoneObject } from './zone-list.ts';

interface Exchange {
  context: Context;
  request: IncomingMessage;
  response: ServerResponse;
  params: URLSearchParams;
}

function send(response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

/** Codes of the logging service (spec part 7). */
const LOG_CODES: Readonly<Record<number, readonly [string, string]>> = {
  400: ['invalid_request', 'One or more query parameters are invalid.'],
  401: ['unauthorized', 'No credentials were provided.'],
  403: ['forbidden', 'The credentials are invalid, or the pull zone is suspended or disabled.'],
  404: ['logging_disabled', 'Logging is not enabled for the pull zone.'],
  429: ['rate_limited', 'Too many requests for this pull zone.'],
  500: ['internal_error', 'An unexpected error occurred.'],
};

function refuseLog(response: ServerResponse, status: number, details: string[] = [], retryAfter?: number): void {
  const [code, message] = LOG_CODES[status] ?? LOG_CODES[500]!;
  const headers = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) };
  send(response, status, { error: { code, message, details } }, headers);
}

/** Core and the origin log say little: a body only for 400, 401 and 429. */
function refuseCore(response: ServerResponse, status: number, retryAfter?: number): void {
  const headers = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) };
  if (status === 401) {
    send(response, 401, { Message: 'Authorization has been denied for this request.' }, headers);
  } else if (status === 429) {
    send(response, 429, { ErrorKey: 'rate_limited', Field: '', Message: 'Too many requests.' }, headers);
  } else send(response, status, undefined, headers);
}

const isAllowed = ({ context, request }: Exchange): boolean => request.headers.accesskey === context.options.key;

/** Answers a fault that is on, and says whether it did. */
function failed(view: View, refuse: (status: number, retryAfter?: number) => void): boolean {
  if (view.refusal === undefined) return false;
  refuse(view.refusal.status, view.refusal.retryAfter);
  return true;
}

/** 30 requests in 10 seconds of the virtual clock and zone, v1 and v2 together (spec part 8). */
function isTooMany({ context }: Exchange, zone: number): boolean {
  if (!context.options.isRateLimited) return false;
  const now = context.now();
  const recent = (context.asked.get(zone) ?? []).filter((at) => at > now - 10_000);
  context.asked.set(zone, [...recent, now]);
  return recent.length >= 30;
}

const zoneOf = (context: Context, id: number): Zone | undefined => context.model.zones.find((zone) => zone.id === id);

function statistics(exchange: Exchange): void {
  const { context, response, params } = exchange;
  if (!isAllowed(exchange)) {
    refuseCore(response, 401);
    return;
  }
  const now = context.now();
  const query = readStatisticsQuery(params, now);
  const asked = 'Message' in query || query.zone === undefined ? undefined : zoneOf(context, query.zone);
  const view = context.viewOf('statistics', asked);
  if (failed(view, (status, after) => refuseCore(response, status, after))) return;
  if ('Message' in query) {
    send(response, 400, query);
    return;
  }
  const { lagShows } = context.options;
  const viewOf = (zone: Zone) => context.viewOf('statistics', zone);
  send(response, 200, statisticsAnswer(context.model, query, { viewOf, now, lagShows }));
}

/** Whether the logging service may answer for the zone; it says so itself where not. */
function logSource(exchange: Exchange, id: number) {
  const { context, request, response } = exchange;
  const { accesskey, authorization } = request.headers;
  if (accesskey === undefined && authorization === undefined) {
    refuseLog(response, 401);
    return;
  }
  const zone = zoneOf(context, id);
  if (!isAllowed(exchange) || zone === undefined) {
    refuseLog(response, 403);
    return;
  }
  if (isTooMany(exchange, id)) {
    refuseLog(response, 429);
    return;
  }
  const view = context.viewOf('logs', zone);
  if (failed(view, (status, after) => refuseLog(response, status, [], after))) return;
  return { model: context.model, zone, view };
}

function accessLog(exchange: Exchange, id: number): void {
  const source = logSource(exchange, id);
  if (source === undefined) return;
  const { query, wrong } = readLogQuery(exchange.params, exchange.context.now());
  if (wrong.length > 0) refuseLog(exchange.response, 400, wrong);
  else send(exchange.response, 200, logAnswer(source, query));
}

/** When the reader wants more, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

/** Writes pieces as fast as the reader takes them: the file of a busy day is larger than memory. */
async function stream(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  let waiting = '';
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length < 64_000) continue;
    if (response.destroyed) return;
    if (!response.write(waiting)) await drained(response);
    waiting = '';
  }
  response.end(waiting);
}

async function accessFile(exchange: Exchange, [month, day, year]: string[], id: number): Promise<void> {
  const { context, response, params } = exchange;
  const source = logSource(exchange, id);
  if (source === undefined) return;
  const at = Date.parse(`20${year}-${month}-${day}T00:00:00Z`);
  const now = context.now();
  if (Number.isNaN(at)) {
    refuseLog(response, 403);
    return;
  }
  if (at > now || at < now - 4 * 86_400_000) {
    refuseLog(response, 400, ['The day is outside the retention.']);
    return;
  }
  const search = params.get('search');
  const query: FileQuery = {
    day: toMinute(at),
    start: Number(params.get('start') ?? 0),
    end: Number(params.get('end') ?? Number.POSITIVE_INFINITY),
    isDescending: (params.get('sort') ?? params.get('order')) === 'desc',
    status: (params.get('status') ?? '').split(',').filter(Boolean),
    ...(search !== null && search !== '' && { search }),
  };
  response.writeHead(200, { 'content-type': 'text/plain' });
  const lines = fileLines(source, query);
  await stream(
    response,
    (function* () {
      for (const line of lines) yield `${line}\n`;
    })(),
  );
}

async function originLog(exchange: Exchange, id: number, [month, day, year]: string[]): Promise<void> {
  const { context, response } = exchange;
  const { originMost, originOrder } = context.options;
  if (!isAllowed(exchange)) {
    refuseCore(response, 401);
    return;
  }
  const zone = zoneOf(context, id);
  const view = context.viewOf('origin', zone);
  if (failed(view, (status, after) => refuseCore(response, status, after))) return;
  const at = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(at)) {
    refuseCore(response, 400);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  const entries =
    zone === undefined
      ? []
      : originEntries({ model: context.model, zone, view }, { day: toMinute(at), order: originOrder });
  await stream(
    response,
    (function* () {
      let count = 0;
      let hasMoreData = false;
      yield '{"logs":[';
      for (const entry of entries) {
        hasMoreData = count >= originMost;
        if (hasMoreData) break;
        yield `${count++ > 0 ? ',' : ''}${entry}`;
      }
      yield `],"hasMoreData":${hasMoreData},"continuationToken":"${hasMoreData ? 'more' : ''}","startToken":""}`;
    })(),
  );
}

function zoneList(exchange: Exchange, id?: number): void {
  const { context, response, params } = exchange;
  if (!isAllowed(exchange)) {
    refuseCore(response, 401);
    return;
  }
  const view = context.viewOf('zones', undefined);
  if (failed(view, (status, after) => refuseCore(response, status, after))) return;
  if (id === undefined) {
    const { status, body } = zoneListAnswer(context.model, params, context.now());
    send(response, status, body);
    return;
  }
  const zone = zoneOf(context, id);
  if (zone === undefined) refuseCore(response, 404);
  else send(response, 200, zoneObject(zone));
}

/** Rows 7, 14 and 15, the v1 file and the pull zones; nothing else is there. */
export async function answer(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  count: (service: ServiceName) => void,
): Promise<void> {
  const { pathname, searchParams: params } = new URL(request.url ?? '/', 'http://judge');
  const exchange: Exchange = { context, request, response, params };
  response.setHeader('cdn-requestid', `judge-${context.now().toString(16)}`);
  if (request.method !== 'GET') {
    refuseCore(response, 404);
    return;
  }
  const v2 = /^\/v2\/pullzones\/(\d+)\/logs$/.exec(pathname);
  const v1 = /^\/(\d\d)-(\d\d)-(\d\d)\/(\d+)\.log$/.exec(pathname);
  const origin = /^\/(\d+)\/(\d\d)-(\d\d)-(\d{4})$/.exec(pathname);
  const zone = /^\/pullzone(?:\/(\d+))?$/.exec(pathname);
  if (pathname === '/statistics') {
    count('statistics');
    return statistics(exchange);
  }
  if (v2 !== null) {
    count('logs');
    return accessLog(exchange, Number(v2[1]));
  }
  if (v1 !== null) {
    count('logs');
    return accessFile(exchange, v1.slice(1, 4), Number(v1[4]));
  }
  if (origin !== null) {
    count('origin');
    return originLog(exchange, Number(origin[1]), origin.slice(2, 5));
  }
  if (zone !== null) {
    count('zones');
    return zoneList(exchange, zone[1] === undefined ? undefined : Number(zone[1]));
  }
  refuseCore(response, 404);
}
