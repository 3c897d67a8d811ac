/** Socket Mode: envelopes over WebSockets that the bot opened, and acks that come back by envelope id. */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { addProblem, emit, record } from './changes.ts';
import { VERIFICATION_TOKEN } from './payloads.ts';
import type { Ack, ConnectionFault, Delivery, DisconnectReason, Retry, Slack, Sockets } from './slack.ts';

/** More connections than these are refused, as in Slack. */
const MOST_CONNECTIONS = 10;
/** After a warning the connection has so long to live, in milliseconds. */
const WARNED_MS = 10_000;

/** A URL for one connection: the answer of `apps.connections.open`. With a `fault` Slack says goodbye on it instead of hello. */
export function issueSocketUrl({ app, sockets, url }: Slack, fault?: ConnectionFault): string {
  const ticket = randomUUID();
  sockets.tickets.set(ticket, fault);
  return `${url.replace(/^http/, 'ws')}link?ticket=${ticket}&app_id=${app.id}`;
}

/** Takes WebSockets at the emulator's own port. */
export function attachSockets(slack: Slack, http: Server): void {
  http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const ticket = new URL(request.url ?? '/', slack.url).searchParams.get('ticket') ?? '';
    const own = slack.apps.find(({ sockets }) => sockets.tickets.has(ticket)) ?? slack;
    const { sockets } = own;
    const fault = sockets.tickets.get(ticket);
    if (!sockets.tickets.delete(ticket)) {
      stream.on('error', () => undefined);
      stream.end('HTTP/1.1 404 Not Found\r\n\r\n');
      return;
    }
    sockets.server.handleUpgrade(request, stream, head, (socket) => {
      const isFull = sockets.open.length >= MOST_CONNECTIONS;
      const reason = isFull ? 'too_many_websockets' : fault && 'goodbye' in fault ? fault.goodbye : undefined;
      if (reason === undefined) welcome(own, socket);
      else {
        sayDisconnect(socket, reason);
        socket.close();
      }
    });
  });
}

function welcome(slack: Slack, socket: WebSocket): void {
  const { open, arrivals } = slack.sockets;
  open.push(socket);
  socket.on('close', () => {
    forget(slack.sockets, socket);
    emit(slack, { type: 'socket', isOpen: open.length > 0 });
  });
  socket.on('message', (data) => receiveAck(slack, String(data)));
  const hello = {
    type: 'hello',
    num_connections: open.length,
    connection_info: { app_id: slack.app.id },
    debug_info: {
      host: 'applink-1',
      started: slack.now().toISOString(),
      build_number: 1,
      approximate_connection_time: 18060,
    },
  };
  socket.send(JSON.stringify(hello));
  emit(slack, { type: 'socket', isOpen: true });
  for (const arrived of arrivals) arrived();
  arrivals.clear();
}

function forget({ open }: Sockets, socket: WebSocket): void {
  const index = open.indexOf(socket);
  if (index >= 0) open.splice(index, 1);
}

function receiveAck(slack: Slack, text: string): void {
  const { unacked, acked } = slack.sockets;
  let message: { envelope_id?: string; payload?: unknown };
  try {
    message = JSON.parse(text) as { envelope_id?: string; payload?: unknown };
  } catch {
    addProblem(slack, `socket: not JSON: ${text.slice(0, 100)}`);
    return;
  }
  const id = message.envelope_id ?? '';
  const body = ackBody(message.payload);
  if (body !== undefined) record(slack, 'ack', body);
  const resolve = unacked.get(id);
  if (!resolve) {
    addProblem(slack, acked.has(id) ? `double ack of envelope ${id}` : `ack of an unknown envelope ${id}`);
    return;
  }
  unacked.delete(id);
  acked.add(id);
  resolve({ ok: true, body });
}

/** The SDK always sends a payload object; an empty one is an empty ack, and one with only `text` was a string. */
function ackBody(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || Object.keys(payload).length === 0) return undefined;
  return payload;
}

/** Connections that payloads may go over. */
export function openSockets({ open, leaving }: Sockets): WebSocket[] {
  return open.filter((socket) => socket.readyState === socket.OPEN && !leaving.has(socket));
}

/** Any connection may get a payload: they take turns. */
function nextSocket(sockets: Sockets): WebSocket | undefined {
  const open = openSockets(sockets);
  return open[sockets.sent++ % Math.max(open.length, 1)];
}

/** Sends an envelope over the next connection; resolves when it is acked. */
export function sendOverSocket({ sockets }: Slack, delivery: Delivery, retry?: Retry): Promise<Ack> {
  const socket = nextSocket(sockets);
  if (!socket) return Promise.resolve({ ok: false, error: 'dispatch_failed', reason: 'connection_failed' });
  const isEvent = delivery.kind === 'events_api';
  const envelope = {
    envelope_id: delivery.envelopeId,
    payload: delivery.payload,
    type: delivery.kind,
    accepts_response_payload: !isEvent,
    ...(isEvent ? { retry_attempt: retry?.num ?? 0, retry_reason: retry?.reason ?? '' } : {}),
  };
  return new Promise((resolve) => {
    sockets.unacked.set(delivery.envelopeId, resolve);
    socket.send(JSON.stringify(envelope));
  });
}

/** Resolves when a bot is connected. */
export function untilConnected({ sockets }: Slack): Promise<void> {
  return openSockets(sockets).length > 0
    ? Promise.resolve()
    : new Promise<void>((resolve) => sockets.arrivals.add(resolve));
}

/** Ends every connection for a reason, as Slack does every few hours. */
export function disconnectAll(slack: Slack, reason: DisconnectReason): void {
  for (const socket of [...slack.sockets.open]) disconnectSocket(slack, socket, reason);
}

/** Cuts every connection without a word. */
export function dropSockets({ open }: Sockets): void {
  for (const socket of [...open]) socket.terminate();
}

/**
 * Says that a connection is ended, and ends it a moment later: after a warning in ten seconds (it carries on until then), after
 * anything else when the bot has closed it, or `closeAfter` milliseconds later.
 */
export function disconnectSocket(
  { sockets }: Slack,
  socket: WebSocket,
  reason: DisconnectReason,
  closeAfter: number = WARNED_MS,
): void {
  sayDisconnect(socket, reason);
  if (reason !== 'warning') sockets.leaving.add(socket);
  setTimeout(() => {
    forget(sockets, socket);
    socket.close();
  }, closeAfter).unref();
}

function sayDisconnect(socket: WebSocket, reason: DisconnectReason): void {
  socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-1' } }));
}

/** Reads and answers nothing more on a connection, pings neither; the network does not notice. */
export function silenceSocket({ sockets }: Slack, socket: WebSocket): void {
  forget(sockets, socket);
  socket.pause();
}

/** Sends an envelope of any shape; resolves when it is acked. */
export function sendEnvelope({ sockets }: Slack, fields: Record<string, unknown>): Promise<Ack> {
  const envelopeId = randomUUID();
  return new Promise((resolve, reject) => {
    const socket = nextSocket(sockets);
    if (socket === undefined) return reject(new Error('no connection is open'));
    sockets.unacked.set(envelopeId, resolve);
    socket.send(JSON.stringify({ envelope_id: envelopeId, ...fields }));
  });
}

/** Says that the app gets too many events; resolves when that is acked. */
export function sayLimited(slack: Slack): Promise<Ack> {
  const minute = Math.floor(slack.now().getTime() / 60_000) * 60;
  const payload = {
    token: VERIFICATION_TOKEN,
    type: 'app_rate_limited',
    team_id: slack.workspace.team.id,
    minute_rate_limited: minute,
    api_app_id: slack.app.id,
  };
  return sendEnvelope(slack, { type: 'events_api', payload });
}

/** Ends every connection. */
export function closeSockets({ sockets }: Slack): void {
  for (const socket of sockets.server.clients) socket.terminate();
  sockets.server.close();
}
