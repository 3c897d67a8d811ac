/** Socket Mode: envelopes over WebSockets that the bot opened, and acks that come back by envelope id. */

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Core } from './core.ts';
import type { Ack, Delivery, Retry } from './delivery.ts';
import { APP_ID } from './workspace.ts';

export interface SocketMode {
  /** A URL for one connection: the answer of `apps.connections.open`. */
  ticket(): string;
  attach(server: Server): void;
  send(delivery: Delivery, retry?: Retry): Promise<Ack>;
  /** Resolves when a bot is connected. */
  connected(): Promise<void>;
  /** Asks every connection to be opened anew, as Slack does every few hours. */
  refresh(): void;
  close(): void;
}

export function createSocketMode(core: Core): SocketMode {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const sockets: WebSocket[] = [];
  const waiting = new Map<string, (ack: Ack) => void>();
  const acked = new Set<string>();
  const arrivals = new Set<() => void>();
  let turn = 0;

  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('close', () => {
      const index = sockets.indexOf(socket);
      if (index >= 0) sockets.splice(index, 1);
      core.emit({ type: 'socket', isOpen: false });
    });
    socket.on('message', (data) => receive(String(data)));
    const hello = {
      type: 'hello',
      num_connections: sockets.length,
      connection_info: { app_id: APP_ID },
      debug_info: {
        host: 'applink-1',
        started: core.now().toISOString(),
        build_number: 1,
        approximate_connection_time: 18060,
      },
    };
    socket.send(JSON.stringify(hello));
    core.emit({ type: 'socket', isOpen: true });
    for (const arrived of arrivals) arrived();
    arrivals.clear();
  });

  const receive = (text: string): void => {
    let message: { envelope_id?: string; payload?: unknown };
    try {
      message = JSON.parse(text) as { envelope_id?: string; payload?: unknown };
    } catch {
      core.problem(`socket: not JSON: ${text.slice(0, 100)}`);
      return;
    }
    const id = message.envelope_id ?? '';
    const body = ackBody(message.payload);
    if (body !== undefined) core.record('ack', body);
    const resolve = waiting.get(id);
    if (!resolve) {
      core.problem(acked.has(id) ? `double ack of envelope ${id}` : `ack of an unknown envelope ${id}`);
      return;
    }
    waiting.delete(id);
    acked.add(id);
    resolve({ ok: true, body });
  };

  return {
    ticket() {
      const ticket = crypto.randomUUID();
      tickets.add(ticket);
      return `${core.url.replace(/^http/, 'ws')}link?ticket=${ticket}&app_id=${APP_ID}`;
    },

    attach(http) {
      http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
        const ticket = new URL(request.url ?? '/', core.url).searchParams.get('ticket') ?? '';
        if (!tickets.delete(ticket)) {
          stream.end('HTTP/1.1 404 Not Found\r\n\r\n');
          return;
        }
        server.handleUpgrade(request, stream, head, (socket) => server.emit('connection', socket, request));
      });
    },

    send(delivery, retry) {
      const open = sockets.filter((socket) => socket.readyState === socket.OPEN);
      const socket = open[turn++ % Math.max(open.length, 1)];
      if (!socket) return Promise.resolve({ ok: false, error: 'dispatch_failed', reason: 'connection_failed' });
      const envelope = {
        envelope_id: delivery.envelopeId,
        payload: delivery.payload,
        type: delivery.kind,
        accepts_response_payload: delivery.kind !== 'events_api',
        ...(delivery.kind === 'events_api'
          ? { retry_attempt: retry?.num ?? 0, retry_reason: retry?.reason ?? '' }
          : {}),
      };
      return new Promise((resolve) => {
        waiting.set(delivery.envelopeId, resolve);
        socket.send(JSON.stringify(envelope));
      });
    },

    connected: () => (sockets.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => arrivals.add(resolve))),

    refresh() {
      for (const socket of sockets) {
        socket.send(
          JSON.stringify({ type: 'disconnect', reason: 'refresh_requested', debug_info: { host: 'applink-1' } }),
        );
      }
    },

    close() {
      for (const socket of sockets) socket.terminate();
      server.close();
    },
  };
}

/** The SDK always sends a payload object; an empty one is an empty ack, and one with only `text` was a string. */
function ackBody(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || Object.keys(payload).length === 0) return undefined;
  return payload;
}
