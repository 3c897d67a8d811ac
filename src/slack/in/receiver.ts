import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App, Receiver } from '@slack/bolt';
import type { Logger } from 'pino';
import { during, type Interaction } from '../../interaction.ts';
import type { Secret } from '../../secret.ts';
import { MINUTE } from '../../time.ts';
import { type Allowances, begin, end, personOf } from './allowance.ts';
import { type Arrivals, acknowledged, arrivalOf } from './arrival.ts';
import { FORM, isCertificateCheck, mayCheckCertificate } from './certificate-check.ts';
import { refusalOf } from './envelopes.ts';
import type { Route } from './http-server.ts';
import { type Problem, signatureProblem, timeProblem } from './signature.ts';

/** Largest body that is read, in bytes. Slack's are far smaller (a view is 250 kB). */
const BODY_LIMIT = 1_000_000;
/** Bytes of bodies that are under way, together: whoever withholds their ends may fill no more than this. */
const MOST_ARRIVING = 64_000_000;
/** Of a larger body a piece is read at a time, in bytes: Slack's are smaller, but for views. */
const LARGE = 64_000;
/** So many pieces of large bodies are read at once, and the next ones after so long, in milliseconds: small requests come between. */
const PIECES = 2;
const NEXT_PIECES = 5;
/** Signatures remembered: a form or a search that is sent again would be answered again. The store knows of all others, for all replicas. */
const MOST_SIGNATURES = 50_000;
/** Refused requests are counted in the log once in so long, in milliseconds. */
const SAY_EVERY = MINUTE;
/** How long a stop waits for the work under way, in milliseconds. */
const DRAIN = 1_000;
/** A balancer that still sends something has not noticed, in milliseconds. */
const SILENCE = 1_000;
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
  init(app: Pick<App, 'processEvent'>): void;
  route: Route;
  /** Takes requests for so many milliseconds more, and until a second has passed without any; then none. */
  refuse(grace: number): Promise<void>;
  /** Requests whose work goes on. */
  readonly underway: number;
  /** Those of them that are acknowledged and not begun. */
  readonly waiting: number;
}

interface Arriving {
  size: number;
  refuse(status: number): void;
}

interface Receiving extends Arrivals {
  readonly secret: Secret;
  readonly log: Logger;
  readonly allowances: Allowances;
  readonly seen: Set<string>;
  /** Acknowledged, and not begun; the oldest first. */
  readonly waiting: { since: number; begin: () => void }[];
  app?: Pick<App, 'processEvent'>;
  underway: number;
  /** Bodies that are not complete, the oldest first, and their bytes together. */
  readonly arriving: Set<Arriving>;
  arrivingBytes: number;
  /** Large ones, of which another piece is to be read, the first first. */
  readonly large: IncomingMessage[];
  /** Requests that were refused as not Slack's and that no line of the log has counted yet. */
  refused: { count: number; saidAt: number };
  lastCame: number;
  isPacing: boolean;
  isStopping: boolean;
}

/** How requests are told from others', and how many of one person are taken. */
export interface ReceiverOptions extends Arrivals {
  signingSecret: Secret;
  log: Logger;
  allowances: Allowances;
}

/** The server is started by whoever made it: health and metrics share it. */
export function createReceiver(options: ReceiverOptions): AckFirstReceiver {
  const receiving: Receiving = {
    ...options,
    secret: options.signingSecret,
    seen: new Set(),
    waiting: [],
    underway: 0,
    arriving: new Set(),
    arrivingBytes: 0,
    large: [],
    refused: { count: 0, saidAt: -SAY_EVERY },
    lastCame: 0,
    isPacing: false,
    isStopping: false,
  };
  return {
    init(app) {
      receiving.app = app;
    },
    start: async () => undefined,
    refuse: (grace) => refuse(receiving, grace),
    stop: () => stop(receiving),
    route: (request, response) => arrive(receiving, request, response),
    get underway() {
      return receiving.underway;
    },
    get waiting() {
      return receiving.waiting.length;
    },
  };
}

/** Takes nothing new, once the grace is over and no request has come for a second. */
async function refuse(receiving: Receiving, grace: number): Promise<void> {
  const begun = performance.now();
  const isOver = () => {
    const now = performance.now();
    return now - begun >= grace && (grace === 0 || now - receiving.lastCame >= SILENCE);
  };
  while (!isOver()) await new Promise((settle) => setTimeout(settle, 25));
  receiving.isStopping = true;
}

/** Takes nothing new, and waits for the work behind what was acknowledged. */
async function stop(receiving: Receiving): Promise<void> {
  receiving.isStopping = true;
  const deadline = performance.now() + DRAIN;
  while (receiving.underway > 0 && performance.now() < deadline) await new Promise((settle) => setTimeout(settle, 10));
  const { underway, log } = receiving;
  if (underway > 0) log.warn({ underway }, 'stopped with requests under way');
}

/** Gathers a request's body, unless its head already says that it is not Slack's. */
function arrive(receiving: Receiving, request: IncomingMessage, response: ServerResponse): void {
  const problem = headProblem(request, receiving.now());
  if (problem !== undefined) {
    refuseStranger(receiving, problem);
    cutOff(request, response, 401);
    return;
  }
  const { arriving } = receiving;
  const since = performance.now();
  const chunks: Buffer[] = [];
  const body: Arriving = {
    size: 0,
    refuse(status) {
      leave();
      refused(receiving, status === 413 ? 'too large' : 'too many bodies');
      chunks.length = 0;
      cutOff(request, response, status);
    },
  };
  const leave = () => {
    if (arriving.delete(body)) receiving.arrivingBytes -= body.size;
  };
  arriving.add(body);
  request.on('data', (chunk: Buffer) => {
    if (!arriving.has(body)) return;
    body.size += chunk.length;
    receiving.arrivingBytes += chunk.length;
    chunks.push(chunk);
    if (body.size > BODY_LIMIT) body.refuse(413);
    else makeRoom(receiving);
    if (body.size > LARGE && arriving.has(body)) readLater(receiving, request);
  });
  request.on('error', () => response.destroy());
  request.on('close', leave);
  request.on('end', () => {
    if (!arriving.has(body)) return;
    leave();
    receive(receiving, request, response, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), since);
  });
}

/** Many large bodies that come together would hold up everybody: they are read in turns. */
function readLater({ large }: Receiving, request: IncomingMessage): void {
  request.pause();
  if (large.push(request) > 1) return;
  const next = setInterval(() => {
    for (const one of large.splice(0, PIECES)) one.resume();
    if (large.length === 0) clearInterval(next);
  }, NEXT_PIECES);
}

/** Slack's bodies come at once: of too many the one goes that has been waited for longest. */
function makeRoom(receiving: Receiving): void {
  for (const oldest of receiving.arriving) {
    if (receiving.arrivingBytes <= MOST_ARRIVING) return;
    oldest.refuse(503);
  }
}

/** The sender reads the response only when it is done, or has to be cut off. */
function cutOff(request: IncomingMessage, response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close', ...EMPTY }).end(() => request.destroy());
}

/** Why a request cannot be Slack's, as far as its head says it. */
function headProblem(request: IncomingMessage, now: Date): Problem | undefined {
  const signature = header(request, 'x-slack-signature');
  if (signature === undefined && mayCheckCertificate(request)) return undefined;
  return timeProblem(signature, header(request, 'x-slack-request-timestamp'), now);
}

/** Counts a request that is not taken. */
const refused = ({ observe }: Receiving, reason: string): void => observe?.saw('refused', { reason });

/** Counts a request that is not Slack's. One line a minute says how many there were: they come in thousands. */
function refuseStranger(receiving: Receiving, problem: Problem): void {
  const { refused: unsaid, log } = receiving;
  const now = performance.now();
  refused(receiving, problem);
  unsaid.count += 1;
  if (now - unsaid.saidAt < SAY_EVERY) return;
  log.warn({ problem, refused: unsaid.count }, 'a request that is not from Slack was refused');
  receiving.refused = { count: 0, saidAt: now };
}

/** Refuses a request that is not Slack's, responds to one that needs no work, acknowledges the rest, and has the work begun. */
function receive(
  receiving: Receiving,
  request: IncomingMessage,
  response: ServerResponse,
  raw: Buffer,
  since: number,
): void {
  const signature = header(request, 'x-slack-signature');
  const timestamp = header(request, 'x-slack-request-timestamp');
  if (signature === undefined && isCertificateCheck(request, raw)) {
    response.writeHead(200, EMPTY).end();
    return;
  }
  const problem = signatureProblem({ timestamp, signature, body: raw }, receiving.secret, receiving.now());
  if (problem !== undefined) {
    refuseStranger(receiving, problem);
    response.writeHead(401).end();
    return;
  }
  const body = bodyOf(raw, header(request, 'content-type'));
  if (body === undefined) {
    refused(receiving, 'unreadable');
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
  if (receiving.isStopping) {
    refused(receiving, 'stopping');
    response.writeHead(503, { 'retry-after': '1' }).end();
    return;
  }
  if (isReplay(receiving.seen, signature ?? '')) {
    refused(receiving, 'delivered before');
    response.writeHead(200, EMPTY).end();
    return;
  }
  const interaction = arrivalOf(receiving, body, since, timestamp);
  const person = personOf(body);
  const admission = person === undefined ? 'begun' : begin(receiving.allowances, person);
  if (admission !== 'begun') refused(receiving, 'too much of one person');
  const done = () => {
    if (person !== undefined && admission === 'begun') end(receiving.allowances, person);
  };
  const refusal = refusalOf(body);
  if (refusal !== undefined && admission !== 'begun') {
    json(response, refusal);
    return;
  }
  if (refusal !== undefined) {
    receiving.underway += 1;
    void dispatch(receiving, request, response, body, interaction, true).finally(done);
    return;
  }
  response.writeHead(200, EMPTY).end();
  acknowledged(receiving, interaction);
  if (admission === 'told') return;
  receiving.keep?.(body, interaction);
  receiving.underway += 1;
  receiving.lastCame = performance.now();
  receiving.waiting.push({
    since: receiving.lastCame,
    begin: () =>
      void dispatch(receiving, request, response, body, interaction, false, admission === 'refused').finally(done),
  });
  if (receiving.isPacing) return;
  receiving.isPacing = true;
  setTimeout(() => setImmediate(() => pace(receiving)), QUIET);
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
  // After a standstill timers come first: what has arrived meanwhile is acknowledged before it counts as quiet.
  else setTimeout(() => setImmediate(() => pace(receiving)), QUIET);
}

/** Gives the body to Bolt. A request that `waits` is acknowledged by the listener. */
function dispatch(
  receiving: Receiving,
  request: IncomingMessage,
  response: ServerResponse,
  body: Record<string, unknown>,
  interaction: Interaction,
  waits: boolean,
  isTooMuch = false,
): Promise<void> {
  const { app } = receiving;
  if (app === undefined) throw new Error('the receiver has no app');
  let isAcknowledged = !waits;
  const retry = Number(header(request, 'x-slack-retry-num'));
  const event = {
    body,
    customProperties: { isTooMuch },
    ...(Number.isInteger(retry) && retry > 0 ? { retryNum: retry } : {}),
    ack: async (acknowledgement?: unknown) => {
      if (isAcknowledged) return;
      isAcknowledged = true;
      if (acknowledgement === undefined || acknowledgement === '') response.writeHead(200, EMPTY).end();
      else json(response, acknowledgement);
      acknowledged(receiving, interaction);
    },
  };
  return during(interaction, () => app.processEvent(event))
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
