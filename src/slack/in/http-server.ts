import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';

/** Of more the one is closed that has waited longest without a whole request: few of them are Slack's. */
const MOST_CONNECTIONS = 5_000;
/** How long a request may take to arrive, in milliseconds. Slack's come at once. */
const ARRIVAL = 10_000;

/**
 * How long an idle connection is kept, in milliseconds: longer than balancers keep theirs (AWS 60 s, Google 600 s), or a request that a balancer
 * sends just when it is closed is lost.
 */
const KEPT = 620_000;

/** Answers the requests of one method and path. */
export type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** The one HTTP server: Slack's requests (in HTTP mode), health and metrics. */
export interface HttpServer {
  server: Server;
  /** Without a host: on all addresses of the machine. */
  listen(port: number, host?: string): Promise<number>;
  close(): Promise<void>;
}

/** A server of these routes, by `GET /path`. Nothing else is found. */
export function createHttpServer(
  routes: ReadonlyMap<string, Route>,
  log: Logger,
  { arrival = ARRIVAL, most = MOST_CONNECTIONS }: { arrival?: number | undefined; most?: number | undefined } = {},
): HttpServer {
  const limits = {
    requestTimeout: arrival,
    headersTimeout: arrival / 2,
    keepAliveTimeout: KEPT,
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
      log.error({ err: error, path }, 'a request failed');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  keepRoom(server, most);
  // For those who connect and say nothing.
  server.setTimeout(2 * arrival);
  return { server, listen: (port, host) => listen(server, port, host), close: () => close(server) };
}

/** Closes the connection that has been idle, or has withheld the end of its request, for longest when there are too many. */
function keepRoom(server: Server, most: number): void {
  /** The request that is under way on each; those that were served last come last. */
  const connections = new Map<Socket, IncomingMessage | undefined>();
  server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
    if (connections.size <= most) return;
    for (const [idle, request] of connections) {
      if (request?.complete === true) continue;
      connections.delete(idle);
      idle.destroy();
      return;
    }
    socket.destroy();
  });
  server.on('request', (request, response) => {
    connections.set(request.socket, request);
    response.once('close', () => {
      if (connections.delete(request.socket) && !request.socket.destroyed) connections.set(request.socket, undefined);
    });
  });
}

function listen(server: Server, port: number, host?: string): Promise<number> {
  return new Promise((settle, fail) => {
    server.once('error', fail);
    server.listen({ port, host, backlog: MOST_CONNECTIONS }, () => {
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
