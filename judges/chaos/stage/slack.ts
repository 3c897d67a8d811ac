/** A Slack of the judge's own: the Web API, response URLs, a record of everything that people can see, and faults. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOf, type Room } from './methods.ts';
import type { Shown } from './record.ts';

/** How Slack misbehaves for a while: which calls, how, and what share of them. */
export interface SlackFault {
  kind: '503' | '429' | 'hang' | 'drop' | 'drop-after';
  /** A method, `response_url`, or `any`. */
  of: string;
  share: number;
  /** It ends by itself after so many calls. */
  times?: number;
}

/** One call of the bot. */
export interface SlackCall {
  at: number;
  method: string;
  args: Record<string, unknown>;
  /** `ok`, Slack's error, or the fault. */
  answer: string;
}

export interface SlackStand {
  /** What the bot gets as SLACK_API_URL. */
  url: string;
  /** Its own server, for the connections of Socket Mode. */
  server: Server;
  calls: SlackCall[];
  shown: Shown[];
  room: Room;
  faults: Set<SlackFault>;
  /** Is called with everything that people can see from then on. */
  onShown(listener: (shown: Shown) => void): void;
  /** A new response URL: its id and its address. */
  responseUrl(): { id: string; url: string };
  /** A new trigger, good for three seconds and one view. */
  trigger(person: string): string;
  /** Where `apps.connections.open` sends a bot, by its app-level token. */
  setSockets(url: (token: string) => string): void;
  close(): Promise<void>;
}

/** Starts it. `roll` decides which calls a fault meets; `scopes` are those of the app. */
export async function startSlack(roll: () => number, scopes: readonly string[]): Promise<SlackStand> {
  const listeners: ((shown: Shown) => void)[] = [];
  let count = 0;
  const responses = new Map<string, number>();
  const stand: Omit<SlackStand, 'url' | 'close' | 'server'> = {
    calls: [],
    shown: [],
    faults: new Set(),
    room: {
      triggers: new Map(),
      views: new Map(),
      messages: new Map(),
      homes: new Map(),
      count: 0,
      base: '',
      sockets: () => 'ws://127.0.0.1:9/',
      lateness: [],
      show: (shown) => {
        stand.shown.push(shown);
        for (const listener of listeners) listener(shown);
      },
    },
    onShown: (listener) => void listeners.push(listener),
    setSockets: (url) => {
      stand.room.sockets = url;
    },
    responseUrl: () => {
      count += 1;
      const id = `R${count}`;
      responses.set(id, Date.now());
      return { id, url: `${base}/actions/T0CHAOS0001/${id}/x` };
    },
    trigger: (person) => {
      count += 1;
      const id = `13345224609.738474920.${count}`;
      stand.room.triggers.set(id, { at: Date.now(), isUsed: false, person });
      return id;
    },
  };
  const server = createServer((request, response) => {
    void serve(stand, roll, scopes, request, response, responses).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stand.room.base = base;
  return Object.assign(stand, {
    url: `${base}/api`,
    server,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Form fields with JSON in them, or JSON, as the Web API takes both. */
function argsOf(text: string, type: string | undefined): Record<string, unknown> {
  if (type?.startsWith('application/json')) return JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>;
  return Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => {
      if (!/^[[{]/.test(value)) return [name, value];
      try {
        return [name, JSON.parse(value) as unknown];
      } catch {
        return [name, value];
      }
    }),
  );
}

async function serve(
  stand: Omit<SlackStand, 'url' | 'close' | 'server'>,
  roll: () => number,
  scopes: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
  responses: ReadonlyMap<string, number>,
): Promise<void> {
  const at = Date.now();
  const path = new URL(request.url ?? '/', 'http://slack').pathname;
  const sent = await bodyOf(request);
  if (path.startsWith('/upload/')) {
    response.writeHead(200).end('OK');
    return;
  }
  const args = argsOf(sent, request.headers['content-type']);
  const responseId = /^\/actions\/[^/]+\/([^/]+)/.exec(path)?.[1];
  const method = responseId === undefined ? path.replace(/^\/api\//, '') : 'response_url';
  const call: SlackCall = { at, method, args, answer: '' };
  stand.calls.push(call);
  const fault = [...stand.faults].find(
    (one) =>
      (one.of === 'any' || one.of === method) && !(one.of === 'any' && method === 'auth.test') && roll() < one.share,
  );
  if (fault?.times !== undefined) {
    fault.times -= 1;
    if (fault.times <= 0) stand.faults.delete(fault);
  }
  if (fault !== undefined && fault.kind !== 'drop-after') {
    call.answer = fault.kind;
    refuse(fault.kind, request, response);
    return;
  }
  // Slack takes its time.
  await new Promise((resolve) => setTimeout(resolve, 5 + roll() * 25));
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const answer = answerOf(stand.room, method, { ...args, token }, responseId, responses);
  call.answer = answer.ok === true ? 'ok' : String(answer.error);
  if (fault !== undefined) {
    call.answer += ', answer lost';
    request.socket.destroy();
    return;
  }
  if (method === 'response_url') {
    response.writeHead(answer.ok === true ? 200 : 404, { 'content-type': 'text/plain' });
    response.end(answer.ok === true ? 'ok' : String(answer.error));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'x-oauth-scopes': scopes.join(',') });
  response.end(JSON.stringify(answer));
}

function refuse(kind: SlackFault['kind'], request: IncomingMessage, response: ServerResponse): void {
  if (kind === '503') response.writeHead(503).end('upstream connect error');
  else if (kind === '429')
    response
      .writeHead(429, { 'retry-after': '2', 'content-type': 'application/json' })
      .end(JSON.stringify({ ok: false, error: 'ratelimited' }));
  else if (kind === 'drop') request.socket.destroy();
  // A call that hangs is let go after a minute, as proxies do.
  else setTimeout(() => request.socket.destroy(), 60_000).unref();
}
