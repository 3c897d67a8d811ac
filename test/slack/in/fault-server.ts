/**
 * Slack's side of Socket Mode on its worst day, written from Slack's documentation alone (*Using Socket Mode*,
 * `apps.connections.open`, rate limits): `ws` serves what undici's WebSocket connects to.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';

/** How `apps.connections.open` fails, or what comes of the address that it gives. */
export type Fault =
  | { kind: 'status'; status: number; retryAfter?: number }
  | { kind: 'error'; error: string }
  | { kind: 'drop' }
  | { kind: 'hang'; ms: number }
  | { kind: 'garbage' }
  /** The address is good for nothing: the WebSocket is refused. */
  | { kind: 'refuse' }
  /** The network takes the WebSocket's first bytes, and nobody answers. */
  | { kind: 'mute' }
  /** The answer has no address, or one that is none. */
  | { kind: 'nowhere'; url?: unknown }
  /** The WebSocket opens, and nothing comes. */
  | { kind: 'silent' }
  /** Slack says goodbye instead of hello. */
  | { kind: 'goodbye'; reason: string };

export type Reason = 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets';

/** One connection of the bot's, as Slack sees it. */
export interface Line {
  readonly socket: WebSocket;
  /** Slack has said that it goes. */
  isTold: boolean;
  /** Slack sends nothing more over it. */
  isLeaving: boolean;
}

/** One payload, and what became of it. */
export interface Delivered {
  id: string;
  answer: unknown;
  isAnswered: boolean;
}

export interface FaultServer {
  apiUrl: string;
  /** Each call of `apps.connections.open` takes the first; without any it answers well. */
  faults: Fault[];
  /** Slack is away: every call fails like this. */
  away: Fault | undefined;
  /** How often `apps.connections.open` was called, and when the last time. */
  readonly calls: number[];
  /** Greeted, and not closed by either side. */
  readonly lines: Line[];
  readonly delivered: Delivered[];
  /** What came from the bot and answers nothing. */
  readonly problems: string[];
  /** Seconds that each hello promises. */
  lifetime: number;
  /** Sends a payload over any connection. */
  deliver(type: string, payload: unknown, more?: Record<string, unknown>): Delivered;
  /** Sends a text as it stands. */
  say(text: string): void;
  /** Says that a connection goes, and closes it after so long unless the bot does. */
  disconnect(line: Line, reason: string, closeAfter: number): void;
  /** From now on nothing is answered on the line, not even pings; nobody says so. */
  silence(line: Line): void;
  close(): Promise<void>;
}

interface World {
  readonly http: Server;
  readonly sockets: WebSocketServer;
  readonly tickets: Map<string, Fault | undefined>;
  readonly server: FaultServer;
  next: number;
  /** Streams that nobody answers on. */
  readonly mute: Set<Duplex>;
}

export async function startFaultServer(appToken: string): Promise<FaultServer> {
  const http = createServer((request, response) => void answer(world, appToken, request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: FaultServer = {
    apiUrl: `http://${address}/api`,
    faults: [],
    away: undefined,
    calls: [],
    lines: [],
    delivered: [],
    problems: [],
    lifetime: 18_060,
    deliver: (type, payload, more) => deliver(world, type, payload, more),
    say: (text) => lineOf(world)?.socket.send(text),
    disconnect: (line, reason, closeAfter) => disconnect(server, line, reason, closeAfter),
    silence: (line) => silence(server, line),
    close: () => close(world),
  };
  const world: World = {
    http,
    sockets: new WebSocketServer({ noServer: true }),
    tickets: new Map(),
    server,
    next: 0,
    mute: new Set(),
  };
  http.on('upgrade', (request, stream, head) => {
    const ticket = new URL(request.url ?? '', 'ws://slack').searchParams.get('ticket') ?? '';
    const fault = world.tickets.get(ticket);
    // A bot may reset what is refused.
    stream.on('error', () => undefined);
    if (fault?.kind === 'mute') {
      world.mute.add(stream);
      return;
    }
    if (!world.tickets.delete(ticket) || fault?.kind === 'refuse') stream.end('HTTP/1.1 503 Unavailable\r\n\r\n');
    else world.sockets.handleUpgrade(request, stream, head, (socket) => greet(world, socket, fault));
  });
  return server;
}

async function answer(
  { server, tickets }: World,
  appToken: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const json = (value: unknown) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (request.url === '/api/auth.test') {
    json({ ok: true, team_id: 'T1', user_id: 'U1', bot_id: 'B1' });
    return;
  }
  server.calls.push(performance.now());
  const fault = server.away ?? server.faults.shift();
  if (request.headers.authorization !== `Bearer ${appToken}`)
    return json({ ok: false, error: 'invalid_auth' }) as never;
  if (fault?.kind === 'status') {
    const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
    response.writeHead(fault.status, headers).end();
    return;
  }
  if (fault?.kind === 'drop') return request.socket.destroy() as never;
  if (fault?.kind === 'error') return json({ ok: false, error: fault.error }) as never;
  if (fault?.kind === 'nowhere') return json({ ok: true, url: fault.url }) as never;
  if (fault?.kind === 'garbage') return response.writeHead(200).end('<html>maintenance</html>') as never;
  if (fault?.kind === 'hang') await pause(fault.ms, undefined, { ref: false });
  const ticket = randomUUID();
  tickets.set(ticket, fault);
  json({ ok: true, url: `${server.apiUrl.replace(/^http(.*)api$/, 'ws$1link/')}?ticket=${ticket}&app_id=A1` });
}

function greet({ server }: World, socket: WebSocket, fault: Fault | undefined): void {
  if (fault?.kind === 'goodbye') {
    socket.send(JSON.stringify({ type: 'disconnect', reason: fault.reason, debug_info: { host: 'applink-1' } }));
    socket.close();
  }
  if (fault?.kind === 'silent' || fault?.kind === 'goodbye') return;
  const line: Line = { socket, isTold: false, isLeaving: false };
  const gone = () => {
    const index = server.lines.indexOf(line);
    if (index >= 0) server.lines.splice(index, 1);
  };
  socket.on('close', gone);
  socket.on('error', gone);
  socket.on('message', (data) => takeAnswer(server, String(data)));
  server.lines.push(line);
  const hello = {
    type: 'hello',
    num_connections: server.lines.length,
    connection_info: { app_id: 'A1' },
    debug_info: { host: 'applink-1', build_number: 1, approximate_connection_time: server.lifetime },
  };
  socket.send(JSON.stringify(hello));
}

function takeAnswer(server: FaultServer, text: string): void {
  const { envelope_id: id, payload } = JSON.parse(text) as { envelope_id?: string; payload?: unknown };
  const delivered = server.delivered.find((one) => one.id === id);
  if (delivered === undefined) server.problems.push(`an answer to nothing: ${text}`);
  else if (delivered.isAnswered) server.problems.push(`answered twice: ${text}`);
  else {
    delivered.isAnswered = true;
    delivered.answer = payload;
  }
}

/** Any connection may get a payload; one that was told to go gets none. */
function lineOf(world: World): Line | undefined {
  const open = world.server.lines.filter((line) => !line.isLeaving && line.socket.readyState === line.socket.OPEN);
  world.next += 1;
  return open[world.next % Math.max(1, open.length)];
}

function deliver(world: World, type: string, payload: unknown, more: Record<string, unknown> = {}): Delivered {
  const delivered: Delivered = { id: randomUUID(), answer: undefined, isAnswered: false };
  const line = lineOf(world);
  if (line === undefined) throw new Error('no connection is open');
  world.server.delivered.push(delivered);
  line.socket.send(
    JSON.stringify({ envelope_id: delivered.id, type, payload, accepts_response_payload: true, ...more }),
  );
  return delivered;
}

function disconnect({ lines }: FaultServer, line: Line, reason: string, closeAfter: number): void {
  line.socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-1' } }));
  line.isTold = true;
  // After a warning the connection is as good as any for its last seconds.
  line.isLeaving = reason !== 'warning';
  setTimeout(() => {
    if (lines.includes(line)) lines.splice(lines.indexOf(line), 1);
    line.isLeaving = true;
    line.socket.close();
  }, closeAfter).unref();
}

function silence({ lines }: FaultServer, line: Line): void {
  lines.splice(lines.indexOf(line), 1);
  // What the bot sends is not read any more, its close frame neither.
  line.socket.pause();
}

async function close({ http, sockets, mute }: World): Promise<void> {
  for (const socket of sockets.clients) socket.terminate();
  for (const stream of mute) stream.destroy();
  sockets.close();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
}
