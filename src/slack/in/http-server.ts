import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';

const MOST_CONNECTIONS = 5_000;
/** How long a request may take to arrive, in milliseconds. Slack's come at once. */
const ARRIVAL = 10_000;

/** Answers the requests of one method and path. */
export type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** The one HTTP server: Slack's requests (in HTTP mode), health and metrics. */
export interface HttpServer {
  server: Server;
  listen(port: number): Promise<number>;
  close(): Promise<void>;
}

/** A server of these routes, by `GET /path`. Nothing else is found. */
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
  // For those who connect and say nothing.
  server.setTimeout(2 * arrival);
  return { server, listen: (port) => listen(server, port), close: () => close(server) };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((settle, fail) => {
    server.once('error', fail);
    server.listen(port, () => {
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
