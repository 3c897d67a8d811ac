import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';

/** Rejects with RefusedRequest. */
export type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Its connection is closed, since the rest of its body may still come. */
export class RefusedRequest extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string) {
    super(reason);
    [this.status, this.reason] = [status, reason];
  }
}

/** The one HTTP server: Slack's requests (in HTTP mode), health and metrics. */
export interface HttpServer {
  server: Server;
  listen(port: number, host?: string): Promise<number>;
  close(): Promise<void>;
}

/** Routes by `GET /path`. `arrival`: milliseconds that a request may take to come; Slack's come at once. */
export function createHttpServer(
  routes: ReadonlyMap<string, Route>,
  log: Logger,
  { arrival = 10_000 }: { arrival?: number | undefined } = {},
): HttpServer {
  const limits = {
    requestTimeout: arrival,
    headersTimeout: arrival / 2,
    // Longer than balancers keep theirs (AWS 60 s, Google 600 s), or what one sends while we close is lost.
    keepAliveTimeout: 620_000,
    // Few at a time: closing a thousand slow ones at once would hold up everybody.
    connectionsCheckingInterval: arrival / 100,
  };
  const server = createServer(limits, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    const route = routes.get(`${request.method} ${path}`);
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
  // For those who connect and say nothing.
  server.setTimeout(2 * arrival);
  return { server, listen: (port, host) => listen(server, port, host), close: () => close(server) };
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
    // Keep-alive connections would hold the close for as long as Slack likes.
    const closing = setInterval(() => server.closeIdleConnections(), 25);
    server.close(() => {
      clearInterval(closing);
      settle();
    });
    server.closeIdleConnections();
  });
}
