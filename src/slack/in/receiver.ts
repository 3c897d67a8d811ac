import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App, Receiver } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Secret } from '../../secret.ts';
import type { Route } from './http-server.ts';

/** Largest body that is read, in bytes. Slack's are far smaller (a view is 250 kB). */
const BODY_LIMIT = 1_000_000;
/** Bytes of bodies that are under way, together: who signs nothing may fill no more than this. */
const MOST_ARRIVING = 64_000_000;
/** Requests whose work is not finished; beyond this Slack is told that the bot is busy, so that nothing is silently lost. */
const MOST_UNDERWAY = 2_000;
/** Signatures remembered, for dropping replays before they cost anything. The store remembers longer and for all replicas. */
const MOST_SIGNATURES = 50_000;
/** Largest body that is taken without a signature, in bytes: Slack looks at the certificate with a parameter or two. */
const UNSIGNED_LIMIT = 1_024;
/** How far a request's time may lie from ours, either way, in seconds (Slack's five minutes; Bolt looks only backwards). */
const WINDOW = 300;
/** How long a stop waits for the work under way, in milliseconds. */
const DRAIN = 10_000;
/** Work begins when no request has come for so long, in milliseconds: what waits to be acknowledged goes first. */
const QUIET = 5;
/** While requests keep coming, work waits no longer than this for quiet, in milliseconds. A trigger lives three seconds. */
const MOST_POSTPONED = 1_000;
/** Requests whose work begins in one round of the event loop: the store writes together what begins together. */
const AT_ONCE = 3;

/**
 * Takes Slack's requests over HTTP. It checks the signature, then acknowledges at the socket, before Bolt looks at the body.
 * Only a submitted form and a select's query wait for their listener: it answers them in the acknowledgement.
 */
export interface AckFirstReceiver extends Receiver {
  route: Route;
  /** Requests whose work goes on. */
  readonly underway: number;
}

interface Receiving {
  readonly secret: Secret;
  readonly now: () => Date;
  readonly log: Logger;
  readonly seen: Set<string>;
  /** Acknowledged, and not begun; the oldest first. */
  readonly waiting: { since: number; begin: () => void }[];
  app?: App;
  underway: number;
  /** Bytes of bodies that are not complete. */
  arriving: number;
  lastCame: number;
  isPacing: boolean;
  isStopping: boolean;
}

/** The server is started by whoever made it: health and metrics share it. */
export function createReceiver(options: { signingSecret: Secret; now: () => Date; log: Logger }): AckFirstReceiver {
  const { signingSecret: secret, now, log } = options;
  const receiving: Receiving = {
    secret,
    now,
    log,
    seen: new Set(),
    waiting: [],
    underway: 0,
    arriving: 0,
    lastCame: 0,
    isPacing: false,
    isStopping: false,
  };
  return {
    init(app) {
      receiving.app = app;
    },
    start: async () => undefined,
    stop: () => stop(receiving),
    route: (request, response) => arrive(receiving, request, response),
    get underway() {
      return receiving.underway;
    },
  };
}

/** Takes nothing new, and waits for the work behind what was acknowledged. */
async function stop(receiving: Receiving): Promise<void> {
  receiving.isStopping = true;
  const deadline = performance.now() + DRAIN;
  while (receiving.underway > 0 && performance.now() < deadline) await new Promise((settle) => setTimeout(settle, 10));
  const { underway, log } = receiving;
  if (underway > 0) log.warn({ underway }, 'stopped with requests under way');
}

/** Gathers a request's body, as far as there is room for it. */
function arrive(receiving: Receiving, request: IncomingMessage, response: ServerResponse): void {
  receiving.lastCame = performance.now();
  const chunks: Buffer[] = [];
  let size = 0;
  let refused = false;
  const refuse = (status: number) => {
    refused = true;
    receiving.arriving -= size;
    chunks.length = 0;
    // The sender reads the response only when it is done, or has to be cut off.
    response.writeHead(status, { connection: 'close', ...EMPTY }).end(() => request.destroy());
  };
  request.on('data', (chunk: Buffer) => {
    if (refused) return;
    size += chunk.length;
    receiving.arriving += chunk.length;
    chunks.push(chunk);
    if (size > BODY_LIMIT) refuse(413);
    else if (receiving.arriving > MOST_ARRIVING) refuse(503);
  });
  request.on('error', () => response.destroy());
  request.on('close', () => {
    if (!refused) receiving.arriving -= size;
  });
  request.on('end', () => {
    if (!refused) receive(receiving, request, response, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  });
}

/** Refuses a request that is not Slack's, responds to one that needs no work, acknowledges the rest, and has the work begun. */
function receive(receiving: Receiving, request: IncomingMessage, response: ServerResponse, raw: Buffer): void {
  const signature = header(request, 'x-slack-signature');
  const timestamp = header(request, 'x-slack-request-timestamp');
  if (signature === undefined && isCertificateCheck(request, raw)) {
    response.writeHead(200, EMPTY).end();
    return;
  }
  const problem = signatureProblem({ timestamp, signature, body: raw }, receiving.secret, receiving.now());
  if (problem !== undefined) {
    receiving.log.warn({ problem }, 'a request that is not from Slack was refused');
    response.writeHead(401).end();
    return;
  }
  const body = bodyOf(raw, header(request, 'content-type'));
  if (body === undefined) {
    response.writeHead(400).end();
    return;
  }
  if (body.ssl_check === '1') {
    response.writeHead(200).end();
    return;
  }
  if (body.type === 'url_verification') {
    json(response, { challenge: body.challenge });
    return;
  }
  if (receiving.isStopping || receiving.underway >= MOST_UNDERWAY) {
    response.writeHead(503, { 'retry-after': '1' }).end();
    return;
  }
  if (isReplay(receiving.seen, signature ?? '')) {
    response.writeHead(200, EMPTY).end();
    return;
  }
  receiving.underway += 1;
  if (body.type === 'view_submission' || body.type === 'block_suggestion') {
    dispatch(receiving, request, response, body, true);
    return;
  }
  response.writeHead(200, EMPTY).end();
  receiving.waiting.push({
    since: performance.now(),
    begin: () => dispatch(receiving, request, response, body, false),
  });
  if (receiving.isPacing) return;
  receiving.isPacing = true;
  setTimeout(() => pace(receiving), QUIET);
}

/**
 * Begins the work behind the acknowledgements, in its order, once it is quiet. It begins a little in each round of the event
 * loop: a request that comes meanwhile is acknowledged before more begins.
 */
function pace(receiving: Receiving): void {
  const { waiting } = receiving;
  const now = performance.now();
  const isQuiet = now - receiving.lastCame >= QUIET;
  const isOverdue = waiting[0] !== undefined && now - waiting[0].since >= MOST_POSTPONED;
  const due = isQuiet ? AT_ONCE : isOverdue ? 1 : 0;
  for (const { begin } of waiting.splice(0, due)) begin();
  receiving.isPacing = waiting.length > 0;
  if (!receiving.isPacing) return;
  if (isQuiet) setImmediate(() => pace(receiving));
  else setTimeout(() => pace(receiving), QUIET);
}

/** Gives the body to Bolt. A request that `waits` is acknowledged by the listener. */
function dispatch(
  receiving: Receiving,
  request: IncomingMessage,
  response: ServerResponse,
  body: Record<string, unknown>,
  waits: boolean,
): void {
  if (receiving.app === undefined) throw new Error('the receiver has no app');
  let isAcknowledged = !waits;
  const retry = Number(header(request, 'x-slack-retry-num'));
  receiving.app
    .processEvent({
      body,
      ...(Number.isInteger(retry) && retry > 0 ? { retryNum: retry } : {}),
      ack: async (acknowledgement?: unknown) => {
        if (isAcknowledged) return;
        isAcknowledged = true;
        if (acknowledgement === undefined || acknowledgement === '') response.writeHead(200, EMPTY).end();
        else json(response, acknowledgement);
      },
    })
    .catch((error: unknown) => {
      receiving.log.error({ err: error }, 'a request could not be processed');
    })
    .finally(() => {
      receiving.underway -= 1;
      // An empty 200 would close a form as if it had been accepted.
      if (!isAcknowledged) response.writeHead(500).end();
    });
}

/** A signature that came before. Of too many the older half is forgotten. */
function isReplay(seen: Set<string>, signature: string): boolean {
  if (seen.has(signature)) return true;
  seen.add(signature);
  if (seen.size <= MOST_SIGNATURES) return false;
  for (const oldest of seen) {
    seen.delete(oldest);
    if (seen.size <= MOST_SIGNATURES / 2) break;
  }
  return false;
}

/** Checks Slack's signature over the raw body. Undefined: it is Slack's, and recent. */
export function signatureProblem(
  request: { timestamp: string | undefined; signature: string | undefined; body: Buffer },
  secret: Secret,
  now: Date,
): 'missing' | 'stale' | 'future' | 'wrong' | undefined {
  const { timestamp, signature, body } = request;
  if (timestamp === undefined || signature === undefined || !/^\d{1,12}$/.test(timestamp)) return 'missing';
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  if (age > WINDOW) return 'stale';
  if (age < -WINDOW) return 'future';
  const wanted = Buffer.from(
    `v0=${createHmac('sha256', secret.reveal()).update(`v0:${timestamp}:`).update(body).digest('hex')}`,
  );
  const got = Buffer.from(signature);
  return got.length === wanted.length && timingSafeEqual(got, wanted) ? undefined : 'wrong';
}

/** Slack looks whether the certificate is good, and signs nothing: in the address, or as a short form of a declared length. */
function isCertificateCheck({ method, url = '', headers }: IncomingMessage, raw: Buffer): boolean {
  const asks = (form: string | undefined) => new URLSearchParams(form).getAll('ssl_check').join() === '1';
  if (method === 'GET') return raw.length === 0 && asks(url.split('?')[1]);
  const isForm = headers['content-type']?.startsWith(FORM) === true;
  const isShort = raw.length <= UNSIGNED_LIMIT && headers['content-length'] === String(raw.length);
  return isForm && isShort && asks(raw.toString('utf8'));
}

const FORM = 'application/x-www-form-urlencoded';

/** Says that nothing follows: without it an empty response goes out in chunks. */
const EMPTY = { 'content-length': 0 };

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Form fields, or the JSON in the field `payload`, or a JSON body. Undefined: signed, but not readable. */
function bodyOf(raw: Buffer, contentType = ''): Record<string, unknown> | undefined {
  try {
    if (!contentType.startsWith(FORM)) return objectOf(JSON.parse(raw.toString('utf8')));
    const fields = new URLSearchParams(raw.toString('utf8'));
    const payload = fields.get('payload');
    return payload === null ? Object.fromEntries(fields) : objectOf(JSON.parse(payload));
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
