import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { type Answer, plainError, Refusal, type Service } from './answers.ts';
import type { FaultName, Faults } from './faults.ts';

/** A request as a route sees it. */
export interface Incoming {
  service: Service;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: Buffer;
  /** The segments that stood at the `{names}` of the route's path. */
  params: Record<string, string>;
  at: Date;
  faults: Map<FaultName, string>;
}

/** One path of a server. */
export interface Route {
  method: string;
  /** With `{names}`, each matching one segment. */
  path: string;
  /** True for paths of the specification; the others are gone with `specOnly`. */
  spec?: boolean;
  answer(request: Incoming): Answer | Promise<Answer>;
}

/** A request that arrived, with the status of its answer. */
export interface RecordedRequest {
  service: Service;
  method: string;
  path: string;
  /** Parameters by name; one that is repeated is joined with commas. */
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Parsed when it is JSON, else the text. */
  body: unknown;
  /** The status that was sent, or 0 when the connection was destroyed instead. */
  status: number;
  /** True when it changed something. */
  applied: boolean;
  at: Date;
}

/** A server's address, its routes, and how it behaves. */
export interface ServerOptions {
  service: Service;
  routes: readonly Route[];
  port?: number;
  specOnly?: boolean;
  maxBody?: number;
  faults: Faults;
  now(): Date;
  /** Throws the refusal of a request without credentials. */
  authenticate?(request: Incoming): void;
  record(request: RecordedRequest): void;
}

/** A server that listens on loopback. */
export interface RunningServer {
  url: string;
  close(): Promise<void>;
}

const MAX_BODY = 6 * 1024 * 1024;

/** Starts one service of the platform on 127.0.0.1. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const routes = options.routes
    .filter((route) => route.spec || !options.specOnly)
    .map((route) => ({ ...route, pattern: patternOf(route.path) }));
  const server = createServer((incoming, outgoing) => {
    respond(options, routes, incoming, outgoing).catch((error: unknown) => {
      // The other side went away while it was being read or written.
      if (!incoming.socket.destroyed) {
        process.emitWarning(error instanceof Error ? error : String(error));
        incoming.socket.destroy();
      }
    });
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type MatchedRoute = Route & { pattern: RegExp };

async function respond(
  options: ServerOptions,
  routes: readonly MatchedRoute[],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = await read(incoming, options);
  if (!request) {
    send(outgoing, plainError(options.service, incoming.url ?? '/', 413, 'The request body is too large.'));
    return;
  }
  const { faults } = request;
  const answer = await faulty(request, () => answerOf(options, routes, request));
  const isApplied =
    answer !== undefined &&
    request.method !== 'GET' &&
    (answer.applied ?? (answer.status >= 200 && answer.status < 300));
  const isDropped = answer === undefined || faults.has('drop-after');
  options.record(recordOf(request, isDropped ? 0 : answer.status, isApplied));
  if (isDropped) {
    incoming.socket.destroy();
  } else if (answer.stream) {
    await sendStream(request, outgoing, answer);
  } else {
    send(outgoing, answer, faults);
  }
}

async function answerOf(
  { service, authenticate }: ServerOptions,
  routes: readonly MatchedRoute[],
  request: Incoming,
): Promise<Answer> {
  try {
    for (const route of routes) {
      const match = route.method === request.method ? route.pattern.exec(request.path) : null;
      if (match) {
        request.params = { ...match.groups };
        authenticate?.(request);
        return await route.answer(request);
      }
    }
    return plainError(service, request.path, 404, 'No resource matches the request.');
  } catch (error) {
    if (error instanceof Refusal) {
      return error.answer;
    }
    process.emitWarning(error instanceof Error ? error : String(error));
    return plainError(service, request.path, 500, 'An unexpected error occurred.');
  }
}

function patternOf(path: string): RegExp {
  const source = path.replace(/[.]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}$`);
}

async function read(incoming: IncomingMessage, options: ServerOptions): Promise<Incoming | undefined> {
  const chunks: Buffer[] = [];
  const most = options.maxBody ?? MAX_BODY;
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    // A body that is too large is still read, so that the answer arrives; it is not kept.
    if (size <= most) {
      chunks.push(chunk as Buffer);
    } else if (size > 8 * most) {
      incoming.socket.destroy();
    }
  }
  if (size > most) {
    return undefined;
  }
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  const request = { service: options.service, method: incoming.method ?? 'GET', path: url.pathname };
  return {
    ...request,
    query: url.searchParams,
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body: Buffer.concat(chunks),
    params: {},
    at: options.now(),
    faults: options.faults.take(request),
  };
}

const PAGE =
  '<!doctype html><html><head><title>Please wait</title></head><body><h1>One moment, please</h1></body></html>';

/** The answer with the request's faults applied; undefined: the connection is to be destroyed. */
async function faulty(request: Incoming, answerOf: () => Promise<Answer>): Promise<Answer | undefined> {
  const { faults } = request;
  if (faults.has('slow')) {
    await delay(Number(faults.get('slow')));
  }
  if (faults.has('drop-before')) {
    return undefined;
  }
  const status = faults.get('status');
  if (status !== undefined) {
    const answer = plainError(request.service, request.path, Number(status), `Simulated fault: ${status}.`);
    const retry = status === '429' || status === '503' ? { 'retry-after': '5' } : {};
    return { ...answer, headers: { ...answer.headers, ...retry }, applied: false };
  }
  const page = faults.get('html');
  if (page !== undefined) {
    return {
      status: Number(page || '200'),
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: PAGE,
      applied: false,
    };
  }
  if (faults.has('accepted')) {
    const message = 'Unable to make changes whilst on the Basic tier of the shield. Please upgrade to Advanced.';
    return { status: 202, body: envelopeOf(202, message, 'invalid_plan_type.bot_detection'), applied: false };
  }
  const answer = await answerOf();
  return reshaped(answer, faults);
}

function envelopeOf(statusCode: number, message: string, errorKey: string): object {
  return { data: null, error: { statusCode, success: false, message, errorKey } };
}

/** The faults that give the same answer in another shape. */
function reshaped(answer: Answer, faults: Map<FaultName, string>): Answer {
  const body = (answer.body ?? {}) as Record<string, unknown>;
  if (faults.has('envelope') && answer.status >= 400 && typeof body.detail === 'string') {
    return {
      status: answer.status,
      body: envelopeOf(answer.status, body.detail, String(body.errorKey ?? 'unknown')),
      applied: false,
    };
  }
  if (faults.has('flat') && answer.status >= 400 && typeof body.error === 'object') {
    return { ...answer, body: body.error };
  }
  if (faults.has('empty')) {
    return { status: answer.status, ...(answer.applied === undefined ? {} : { applied: answer.applied }) };
  }
  return answer;
}

function bytesOf(body: unknown): Buffer {
  if (body === undefined) {
    return Buffer.alloc(0);
  }
  return Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function send(outgoing: ServerResponse, answer: Answer, faults?: Map<FaultName, string>): void {
  const body = bytesOf(answer.body);
  const half = body.subarray(0, Math.ceil(body.length / 2));
  const sent = faults?.has('truncated') ? half : body;
  outgoing.writeHead(answer.status, {
    ...(body.length > 0 ? { 'content-type': 'application/json; charset=utf-8' } : {}),
    ...(answer.status === 204 ? {} : { 'content-length': String(sent.length) }),
    'cdn-requestid': randomUUID().replaceAll('-', ''),
    ...answer.headers,
  });
  if (faults?.has('cut')) {
    outgoing.write(half, () => outgoing.destroy());
  } else {
    outgoing.end(sent);
  }
}

async function sendStream(request: Incoming, outgoing: ServerResponse, answer: Answer): Promise<void> {
  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  outgoing.writeHead(answer.status, { ...answer.headers, ...(zipped ? { 'content-encoding': 'gzip' } : {}) });
  const source = Readable.from(request.faults.has('cut') ? cut(answer.stream ?? []) : (answer.stream ?? []));
  await (zipped ? pipeline(source, createGzip(), outgoing) : pipeline(source, outgoing));
}

function* cut(pieces: Iterable<string>): Generator<string> {
  for (const piece of pieces) {
    yield piece.slice(0, Math.ceil(piece.length / 2));
    throw new Error('Simulated fault: the stream ends here.');
  }
}

function recordOf(request: Incoming, status: number, applied: boolean): RecordedRequest {
  const query: Record<string, string> = {};
  for (const [name, value] of request.query) {
    query[name] = query[name] === undefined ? value : `${query[name]},${value}`;
  }
  const { service, method, path, headers, at } = request;
  return { service, method, path, query, headers, body: parsedBody(request.body), status, applied, at };
}

function parsedBody(body: Buffer): unknown {
  const text = body.toString('utf8');
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
