import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createPlatform, type Platform, type PlatformOptions } from '../../src/platform/client.ts';
import { Secret } from '../../src/secret.ts';
import { createMemoryPermits } from '../support/memory-permits.ts';

/** One request as it arrived. */
export interface Arrived {
  method: string;
  /** Path and query, as sent. */
  url: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: string;
  json: unknown;
}

/** What to answer: a status with a body (objects as JSON), or something done by hand. */
export type Reply =
  | { status?: number; body?: unknown; headers?: Record<string, string>; gzip?: boolean }
  | ((request: Arrived, response: ServerResponse) => void);

/** A platform that answers what it is told to, in order; a request that nobody expected is answered 599 and remembered. */
export interface FakeServer {
  url: string;
  requests: Arrived[];
  unexpected: Arrived[];
  /** Queues replies; each is used once. */
  reply(...replies: Reply[]): void;
  /** Answers every request that has no queued reply. */
  always(reply: Reply): void;
  /** What was queued and never asked for. */
  left(): number;
  platform(options?: Partial<PlatformOptions>): Platform;
  close(): Promise<void>;
}

export const KEY = 'account-key-0123456789abcdef';

function send(response: ServerResponse, reply: Exclude<Reply, (...given: never[]) => void>): void {
  const { status = 200, body, headers = {}, gzip = false } = reply;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const payload = gzip ? gzipSync(text) : Buffer.from(text);
  response.writeHead(status, {
    ...(body !== undefined && typeof body !== 'string' ? { 'content-type': 'application/json' } : {}),
    ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    ...headers,
  });
  response.end(payload);
}

export async function createFakeServer(): Promise<FakeServer> {
  const queue: Reply[] = [];
  let fallback: Reply | undefined;
  const requests: Arrived[] = [];
  const unexpected: Arrived[] = [];
  const platforms: Platform[] = [];

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const arrived: Arrived = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body,
        json: body === '' || request.headers['content-type']?.includes('form') === true ? undefined : JSON.parse(body),
      };
      requests.push(arrived);
      const reply = queue.shift() ?? fallback;
      if (reply === undefined) {
        unexpected.push(arrived);
        send(response, { status: 599, body: 'nobody expected this request' });
      } else if (typeof reply === 'function') reply(arrived, response);
      else send(response, reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    requests,
    unexpected,
    reply: (...replies) => void queue.push(...replies),
    always: (reply) => {
      fallback = reply;
    },
    left: () => queue.length,
    platform: (options = {}) => {
      const platform = createPlatform({
        apiUrl: url,
        originLogsUrl: url,
        loggingUrl: url,
        databaseHosts: ['127.0.0.1', 'localhost'],
        accessKey: Secret.of(KEY),
        retryDelay: 1,
        timeout: 60_000,
        permits: createMemoryPermits(),
        ...options,
      });
      platforms.push(platform);
      return platform;
    },
    close: async () => {
      server.closeAllConnections();
      await Promise.all(platforms.map((platform) => platform.close()));
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Closes the connection before anything was answered. */
export const drop: Reply = (_, response) => void response.socket?.destroy();

/** Answers a head and half a body, then closes the connection. */
export const breakOff: Reply = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"half":', () => response.socket?.destroy());
};
