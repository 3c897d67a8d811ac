import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App, Receiver } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Secret } from '../../platform/secret.ts';
import { signatureProblem } from './signature.ts';

/** Largest body that is read, in bytes. Slack's are far smaller (a view is 250 kB). */
const BODY_LIMIT = 1_000_000;
/** Requests whose work is not finished; beyond this Slack is told that the bot is busy, so that nothing is silently lost. */
const MOST_UNDERWAY = 2_000;
/** Signatures remembered, for dropping replays before they cost anything. The store remembers longer and for all replicas. */
const MOST_SIGNATURES = 50_000;
const MOST_CONNECTIONS = 5_000;
/** Bytes of bodies that are under way, together: who signs nothing may fill no more than this. */
const MOST_ARRIVING = 64_000_000;
/** How long a stop waits for the work under way, in milliseconds. */
const DRAIN = 10_000;
/** Work begins when no request has come for so long, in milliseconds: what waits to be acknowledged goes first. */
const QUIET = 5;
/** While requests keep coming, work waits no longer than this for quiet, in milliseconds. A trigger lives three seconds. */
const MOST_POSTPONED = 1_000;
/** What begins in one turn of the event loop: the store writes together what begins together. */
const AT_ONCE = 3;

export type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** The one HTTP server: Slack's requests (in HTTP mode), health and metrics. */
export interface HttpServer {
  server: Server;
  listen(port: number): Promise<number>;
  close(): Promise<void>;
}

/** How long a request may take to arrive, in milliseconds. Slack's come at once. */
const ARRIVAL = 10_000;

export function createHttpServer(
  routes: ReadonlyMap<string, Route>,
  log: Logger,
  { arrival = ARRIVAL }: { arrival?: number | undefined } = {},
): HttpServer {
  const limits = {
    requestTimeout: arrival,
    headersTimeout: arrival / 2,
    // Else slow ones are looked for twice a minute only.
    connectionsCheckingInterval: arrival / 4,
  };
  const server = createServer(limits, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    const route = routes.get(`${request.method} ${path}`);
    if (route === undefined) {
      response.writeHead(404).end();
      return;
    }
    Promise.resolve(route(request, response)).catch((error: unknown) => {
      log.error({ err: error, path }, 'a request failed');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  // Who connects and says nothing.
  server.setTimeout(2 * arrival);
  return {
    server,
    listen: (port) =>
      new Promise((settle, fail) => {
        server.once('error', fail);
        server.listen(port, () => {
          server.removeListener('error', fail);
          settle((server.address() as AddressInfo).port);
        });
      }),
    close: () =>
      new Promise((settle) => {
        // Keep-alive connections would hold the close for as long as Slack likes.
        const closing = setInterval(() => server.closeIdleConnections(), 25);
        server.close(() => {
          clearInterval(closing);
          settle();
        });
        server.closeIdleConnections();
      }),
  };
}

/**
 * Takes Slack's requests over HTTP. The signature is checked, then the answer goes out at the socket, before Bolt looks at
 * the body; only what has to be answered in the acknowledgement (a form that was submitted, suggestions) waits for its listener.
 */
export class AckFirstReceiver implements Receiver {
  readonly #secret: Secret;
  readonly #now: () => Date;
  readonly #log: Logger;
  readonly #seen = new Set<string>();
  /** Acknowledged, and not begun; the oldest first. */
  readonly #waiting: { since: number; begin: () => void }[] = [];
  #app: App | undefined;
  #underway = 0;
  /** Bytes of bodies that are not complete. */
  #arriving = 0;
  #lastCame = 0;
  #isPacing = false;
  #isStopping = false;

  constructor(options: { signingSecret: Secret; now: () => Date; log: Logger }) {
    this.#secret = options.signingSecret;
    this.#now = options.now;
    this.#log = options.log;
  }

  init(app: App): void {
    this.#app = app;
  }

  /** The server is started by whoever made it: health and metrics share it. */
  async start(): Promise<void> {}

  /** Takes nothing new, and waits for the work behind what was acknowledged. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const deadline = performance.now() + DRAIN;
    while (this.#underway > 0 && performance.now() < deadline) await new Promise((settle) => setTimeout(settle, 10));
    if (this.#underway > 0) this.#log.warn({ underway: this.#underway }, 'stopped with requests under way');
  }

  /** Requests whose work goes on. */
  get underway(): number {
    return this.#underway;
  }

  readonly route: Route = (request, response) => {
    this.#lastCame = performance.now();
    const chunks: Buffer[] = [];
    let size = 0;
    let refused = false;
    const refuse = (status: number) => {
      refused = true;
      this.#arriving -= size;
      chunks.length = 0;
      // The sender reads the answer only when it is done, or has to be cut off.
      response.writeHead(status, { connection: 'close', ...EMPTY }).end(() => request.destroy());
    };
    request.on('data', (chunk: Buffer) => {
      if (refused) return;
      size += chunk.length;
      this.#arriving += chunk.length;
      chunks.push(chunk);
      if (size > BODY_LIMIT) refuse(413);
      else if (this.#arriving > MOST_ARRIVING) refuse(503);
    });
    request.on('error', () => response.destroy());
    request.on('close', () => {
      if (!refused) this.#arriving -= size;
    });
    request.on('end', () => {
      if (refused) return;
      this.#receive(request, response, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
  };

  #receive(request: IncomingMessage, response: ServerResponse, raw: Buffer): void {
    const signature = header(request, 'x-slack-signature');
    const problem = signatureProblem(
      { timestamp: header(request, 'x-slack-request-timestamp'), signature, body: raw },
      this.#secret,
      this.#now(),
    );
    if (problem !== undefined) {
      this.#log.warn({ problem }, 'a request that is not from Slack was refused');
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
    if (this.#isStopping || this.#underway >= MOST_UNDERWAY) {
      response.writeHead(503, { 'retry-after': '1' }).end();
      return;
    }
    if (this.#replayed(signature ?? '')) {
      response.writeHead(200, EMPTY).end();
      return;
    }
    this.#underway += 1;
    if (body.type === 'view_submission' || body.type === 'block_suggestion') {
      this.#process(request, response, body, true);
      return;
    }
    response.writeHead(200, EMPTY).end();
    this.#postpone(() => this.#process(request, response, body, false));
  }

  #postpone(begin: () => void): void {
    this.#waiting.push({ since: performance.now(), begin });
    if (this.#isPacing) return;
    this.#isPacing = true;
    setTimeout(this.#pace, QUIET);
  }

  /**
   * Begins the work behind the acknowledgements: in its order, once it is quiet, and a little in each turn of the event
   * loop, so that a request that comes meanwhile is acknowledged before more begins.
   */
  readonly #pace = (): void => {
    const now = performance.now();
    const isQuiet = now - this.#lastCame >= QUIET;
    const due = isQuiet ? AT_ONCE : this.#isOverdue(now) ? 1 : 0;
    for (const { begin } of this.#waiting.splice(0, due)) begin();
    this.#isPacing = this.#waiting.length > 0;
    if (!this.#isPacing) return;
    if (isQuiet) setImmediate(this.#pace);
    else setTimeout(this.#pace, QUIET);
  };

  #isOverdue(now: number): boolean {
    const oldest = this.#waiting[0];
    return oldest !== undefined && now - oldest.since >= MOST_POSTPONED;
  }

  #process(request: IncomingMessage, response: ServerResponse, body: Record<string, unknown>, waits: boolean): void {
    if (this.#app === undefined) throw new Error('the receiver has no app');
    let answered = !waits;
    const retry = Number(header(request, 'x-slack-retry-num'));
    this.#app
      .processEvent({
        body,
        ...(Number.isInteger(retry) && retry > 0 ? { retryNum: retry } : {}),
        ack: async (answer?: unknown) => {
          if (answered) return;
          answered = true;
          if (answer === undefined || answer === '') response.writeHead(200, EMPTY).end();
          else json(response, answer);
        },
      })
      .catch((error: unknown) => {
        this.#log.error({ err: error }, 'a request could not be processed');
      })
      .finally(() => {
        this.#underway -= 1;
        // An empty 200 would close a form as if it had been accepted.
        if (!answered) response.writeHead(500).end();
      });
  }

  #replayed(signature: string): boolean {
    if (this.#seen.has(signature)) return true;
    this.#seen.add(signature);
    if (this.#seen.size > MOST_SIGNATURES) {
      for (const oldest of this.#seen) {
        this.#seen.delete(oldest);
        if (this.#seen.size <= MOST_SIGNATURES / 2) break;
      }
    }
    return false;
  }
}

/** Says that nothing follows: without it an empty answer goes out in chunks. */
const EMPTY = { 'content-length': 0 };

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Form fields, or the JSON in the field `payload`, or a JSON body. */
function bodyOf(raw: Buffer, contentType = ''): Record<string, unknown> | undefined {
  try {
    if (!contentType.startsWith('application/x-www-form-urlencoded')) return objectOf(JSON.parse(raw.toString('utf8')));
    const fields = new URLSearchParams(raw.toString('utf8'));
    const payload = fields.get('payload');
    return payload === null ? Object.fromEntries(fields) : objectOf(JSON.parse(payload));
  } catch {
    // Signed, but not readable: the sender is told with a 400.
    return undefined;
  }
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
