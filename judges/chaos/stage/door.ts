/** The way in: a balancer that probes readiness and hands Slack's requests to replicas, or Slack's end of Socket Mode. */
import { randomUUID } from 'node:crypto';
import { Agent, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Payload, signed } from './people.ts';
import { isOk, type Running, SECRET } from './processes.ts';

/** One payload, handed over once. */
export interface Delivery {
  at: number;
  /** Whom it went to, and which of its lives. */
  replica: string;
  pid: number | undefined;
  /** HTTP's status (Socket Mode: 200 for an ack), or why there is none. */
  status: number | 'refused' | 'reset' | 'timeout' | 'nobody';
  /** When the acknowledgement was here. */
  ackAt?: number;
  body?: string;
  retry?: number;
}

export interface Door {
  deliver(payload: Payload, retry?: { number: number; reason: string }): Promise<Delivery>;
  /** Those that get requests now. */
  open(): string[];
  close(): Promise<void>;
}

interface BalancerSettings {
  /** Milliseconds between two probes of one replica. */
  every: number;
  /** So many failed probes in a row, and it is out; one that passes, and it is in. */
  failures: number;
  /** A refused connection goes to the next one: nothing of the request was read. */
  retriesRefused: boolean;
  /** Where none is in, all get requests (as AWS's and Envoy's balancers do). */
  failsOpen: boolean;
}

/** Slack waits so long for an acknowledgement. */
const PATIENCE = 3_000;

/** A balancer in front of HTTP replicas, with connections that are kept. */
export function createBalancer(replicas: readonly Running[], settings: BalancerSettings): Door {
  const failed = new Map(replicas.map((one) => [one, settings.failures]));
  const agents = new Map(replicas.map((one) => [one, new Agent({ keepAlive: true, maxSockets: 200 })]));
  const isOpen = (one: Running) => failed.get(one)! < settings.failures;
  let turn = 0;
  const probe = async (one: Running) => {
    const isReady = await isOk(one.port, '/health/ready', Math.min(2_000, settings.every));
    failed.set(one, isReady ? 0 : failed.get(one)! + 1);
  };
  const timer = setInterval(() => replicas.forEach((one) => void probe(one)), settings.every);
  replicas.forEach((one) => void probe(one));
  return {
    open: () => replicas.filter(isOpen).map(({ name }) => name),
    deliver: async (payload, retry) => {
      const at = Date.now();
      const inside = replicas.filter(isOpen);
      const open = inside.length === 0 && settings.failsOpen ? replicas.filter(({ isAlive }) => isAlive) : inside;
      turn += 1;
      const order = open.map((_, index) => open[(index + turn) % open.length]!);
      let last: Delivery = { at, replica: '', pid: undefined, status: 'nobody' };
      for (const one of settings.retriesRefused ? order : order.slice(0, 1)) {
        last = await overHttp(one, agents.get(one)!, payload, at, retry);
        if (last.status !== 'refused') break;
      }
      return last;
    },
    close: async () => {
      clearInterval(timer);
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

function overHttp(
  one: Running,
  agent: Agent,
  payload: Payload,
  at: number,
  retry?: { number: number; reason: string },
): Promise<Delivery> {
  const { body, headers } = signed(payload, SECRET, retry);
  const base = { at, replica: one.name, pid: one.pid, ...(retry === undefined ? {} : { retry: retry.number }) };
  return new Promise((resolve) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: one.port,
        path: '/slack/events',
        method: 'POST',
        agent,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          clearTimeout(timer);
          resolve({
            ...base,
            status: response.statusCode ?? 0,
            ackAt: Date.now(),
            body: Buffer.concat(chunks).toString('utf8'),
          });
        });
        response.on('error', () => resolve({ ...base, status: 'reset' }));
      },
    );
    const timer = setTimeout(() => {
      resolve({ ...base, status: 'timeout' });
      sent.destroy();
    }, PATIENCE);
    sent.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ ...base, status: error.code === 'ECONNREFUSED' ? 'refused' : 'reset' });
    });
    sent.end(body);
  });
}

interface Connection {
  socket: WebSocket;
  name: string;
  waiting: Map<string, (ack: { payload?: unknown } | undefined) => void>;
}

/** Slack's end of Socket Mode: any open connection gets a payload; what is not acknowledged is not sent again by itself. */
export function createSockets(
  replicas: readonly Running[],
  http: Server,
): Door & { urlFor(token: string): string; refresh(): void } {
  const connections = new Set<Connection>();
  const server = new WebSocketServer({ server: http, path: '/link/' });
  const { port } = http.address() as AddressInfo;
  let turn = 0;
  server.on('connection', (socket, { url }) => {
    const name = new URL(url ?? '/', 'ws://slack').searchParams.get('ticket') ?? '';
    const one: Connection = { socket, name, waiting: new Map() };
    connections.add(one);
    if (connections.size > 10) socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }));
    const hello = {
      type: 'hello',
      num_connections: connections.size,
      debug_info: { host: 'applink-1', build_number: 1, approximate_connection_time: 18_060 },
      connection_info: { app_id: 'A0EDGEWISE1' },
    };
    socket.send(JSON.stringify(hello));
    // Slack pings its clients.
    const ping = setInterval(() => socket.ping(), 5_000);
    socket.on('message', (data) => {
      const ack = JSON.parse(String(data)) as { envelope_id?: string; payload?: unknown };
      one.waiting.get(ack.envelope_id ?? '')?.(ack);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(ping);
      connections.delete(one);
      for (const answer of one.waiting.values()) answer(undefined);
    });
  });
  const usable = () => [...connections].filter(({ socket }) => socket.readyState === socket.OPEN);
  return {
    urlFor: (token) => `ws://127.0.0.1:${port}/link/?ticket=${token.split('-').at(-1)}`,
    open: () => usable().map(({ name }) => name),
    refresh: () => {
      for (const { socket } of usable().slice(0, 1))
        socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
    },
    deliver: (payload, retry) => {
      const at = Date.now();
      turn += 1;
      const open = usable();
      const one = open[turn % Math.max(1, open.length)];
      if (one === undefined) return Promise.resolve({ at, replica: '', pid: undefined, status: 'nobody' });
      return overSocket(one, replicas.find(({ name }) => name === one.name)?.pid, payload, at, retry);
    },
    close: async () => {
      for (const { socket } of connections) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function overSocket(
  one: Connection,
  pid: number | undefined,
  payload: Payload,
  at: number,
  retry?: { number: number; reason: string },
): Promise<Delivery> {
  const envelope = randomUUID();
  const base = { at, replica: one.name, pid, ...(retry === undefined ? {} : { retry: retry.number }) };
  return new Promise((resolve) => {
    const end = (delivery: Delivery) => {
      clearTimeout(timer);
      one.waiting.delete(envelope);
      resolve(delivery);
    };
    const timer = setTimeout(() => end({ ...base, status: 'timeout' }), PATIENCE);
    one.waiting.set(envelope, (ack) =>
      end(
        ack === undefined
          ? { ...base, status: 'reset' }
          : {
              ...base,
              status: 200,
              ackAt: Date.now(),
              body: ack.payload === undefined ? '' : JSON.stringify(ack.payload),
            },
      ),
    );
    one.socket.send(
      JSON.stringify({
        envelope_id: envelope,
        type: payload.kind,
        accepts_response_payload: payload.kind !== 'events_api',
        payload: payload.body,
        ...(retry === undefined ? {} : { retry_attempt: retry.number, retry_reason: retry.reason }),
      }),
    );
  });
}
