/** Socket Mode: envelopes over WebSockets that the bot opened, and acks that come back by envelope id. */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { addProblem, emit, record } from './changes.ts';
import type { Ack, Delivery, Retry, Slack } from './slack.ts';
import { APP_ID } from './workspace.ts';

/** A URL for one connection: the answer of `apps.connections.open`. */
export function issueSocketUrl({ sockets, url }: Slack): string {
  const ticket = randomUUID();
  sockets.tickets.add(ticket);
  return `${url.replace(/^http/, 'ws')}link?ticket=${ticket}&app_id=${APP_ID}`;
}

/** Takes WebSockets at the emulator's own port. */
export function attachSockets(slack: Slack, http: Server): void {
  const { sockets } = slack;
  sockets.server.on('connection', (socket) => welcome(slack, socket));
  http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const ticket = new URL(request.url ?? '/', slack.url).searchParams.get('ticket') ?? '';
    if (!sockets.tickets.delete(ticket)) {
      stream.end('HTTP/1.1 404 Not Found\r\n\r\n');
      return;
    }
    sockets.server.handleUpgrade(request, stream, head, (socket) => sockets.server.emit('connection', socket, request));
  });
}

function welcome(slack: Slack, socket: WebSocket): void {
  const { open, arrivals } = slack.sockets;
  open.push(socket);
  socket.on('close', () => {
    const index = open.indexOf(socket);
    if (index >= 0) open.splice(index, 1);
    emit(slack, { type: 'socket', isOpen: false });
  });
  socket.on('message', (data) => receiveAck(slack, String(data)));
  const hello = {
    type: 'hello',
    num_connections: open.length,
    connection_info: { app_id: APP_ID },
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

/** Sends an envelope over the next connection; resolves when it is acked. */
export function sendOverSocket({ sockets }: Slack, delivery: Delivery, retry?: Retry): Promise<Ack> {
  const open = sockets.open.filter((socket) => socket.readyState === socket.OPEN);
  const socket = open[sockets.sent++ % Math.max(open.length, 1)];
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
  return sockets.open.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => sockets.arrivals.add(resolve));
}

/** Asks every connection to be opened anew, as Slack does every few hours. */
export function refreshSockets({ sockets }: Slack): void {
  const disconnect = { type: 'disconnect', reason: 'refresh_requested', debug_info: { host: 'applink-1' } };
  for (const socket of sockets.open) socket.send(JSON.stringify(disconnect));
}

/** Ends every connection. */
export function closeSockets({ sockets }: Slack): void {
  for (const socket of sockets.open) socket.terminate();
  sockets.server.close();
}
