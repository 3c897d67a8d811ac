import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Secret } from '../../secret.ts';

/** Rejects with RefusedRequest. */
export type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Closes the connection, because the rest of the body may still come. */
export class RefusedRequest extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string) {
    super(reason);
    [this.status, this.reason] = [status, reason];
  }
}

/** The only HTTP server: Slack’s requests (in HTTP mode), health and metrics. */
export type HttpServer = ReturnType<typeof createHttpServer>;

/** Routes by `GET /path`. `arrival`: in milliseconds, how long a request may take to arrive. */
export function createHttpServer(
  routes: ReadonlyMap<string, Route>,
  log: Logger,
  { arrival = 10_000 }: { arrival?: number | undefined } = {},
) {
  const limits = {
    requestTimeout: arrival,
    headersTimeout: arrival / 2,
    // Longer than balancers (AWS 60 s, Google 600 s). Otherwise a request could arrive on a connection that is closing.
    keepAliveTimeout: 620_000,
    // Checks often, because closing a thousand slow connections at once would hold everybody up.
    connectionsCheckingInterval: arrival / 100,
  };
  const server = createServer(limits, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    // The body of an answer to HEAD is left out by Node.
    const route = routes.get(`${request.method === 'HEAD' ? 'GET' : request.method} ${path}`);
    if (route === undefined) {
      response.writeHead(404).end();
      return;
    }
    Promise.resolve(route(request, response)).catch((error: unknown) => {
      if (error instanceof RefusedRequest) {
        const close = { connection: 'close', 'content-length': 0 };
        response.writeHead(error.status, close).end(() => request.destroy());
        return;
      }
      log.error({ err: error, path }, 'a request failed');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  // For connections that send nothing.
  server.setTimeout(2 * arrival);
  return { server, listen: (port: number, host?: string) => listen(server, port, host), close: () => close(server) };
}

function listen(server: Server, port: number, host?: string): Promise<number> {
  return new Promise((settle, fail) => {
    server.once('error', fail);
    server.listen({ port, host, backlog: 5_000 }, () => {
      server.removeListener('error', fail);
      settle((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((settle) => {
    // Slack’s keep-alive connections would delay the close.
    const closing = setInterval(() => server.closeIdleConnections(), 25);
    server.close(() => {
      clearInterval(closing);
      settle();
    });
    server.closeIdleConnections();
  });
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Compares in constant time. */
export const isBearer = (token: Secret, { headers }: IncomingMessage): boolean =>
  timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token.reveal()}`));

const unfinished = new Set<{ refuse(status: number, reason: string): void }>();
let together = 0;
let pieces = Promise.resolve();

/** Honest bodies arrive at once, so when too much is unfinished, the oldest is refused. Rejects with RefusedRequest. */
export function bodyOf(request: IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let piece = 64_000;
    const leave = () => {
      const isUnfinished = unfinished.delete(body);
      if (isUnfinished) together -= size;
      return isUnfinished;
    };
    const body = {
      refuse(status: number, reason: string) {
        if (!leave()) return;
        chunks.length = 0;
        reject(new RefusedRequest(status, reason));
      },
    };
    unfinished.add(body);
    if (request.destroyed) body.refuse(400, 'broken off');
    request.on('data', (chunk: Buffer) => {
      if (!unfinished.has(body)) return;
      size += chunk.length;
      together += chunk.length;
      chunks.push(chunk);
      if (size > most) return body.refuse(413, 'too large');
      // Small requests come between the pieces of large ones, which wait for each other. A byte is no piece.
      if (size > piece) {
        piece = size + 64_000;
        request.pause();
        pieces = pieces.then(() => new Promise((settle) => setTimeout(settle, 2))).then(() => void request.resume());
      }
      for (const oldest of unfinished) {
        if (together <= 64_000_000) return;
        oldest.refuse(503, 'too many bodies');
      }
    });
    request.on('end', () => {
      if (leave()) resolve(Buffer.concat(chunks));
    });
    request.on('close', () => body.refuse(400, 'broken off'));
  });
}
