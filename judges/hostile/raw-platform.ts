import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** A request as its bytes came. */
export interface RawRequest {
  method: string;
  path: string;
  head: string;
}

/** Writes whatever it likes, for as long as the connection lasts. */
export type Misbehaviour = (socket: Socket, request: RawRequest) => void;

/** A platform below HTTP: it answers 404 to everything, and what it is asked to misbehave at it answers as it is told. */
export interface RawPlatform {
  environment: Record<string, string>;
  requests: RawRequest[];
  /** From now on these requests (`METHOD /path…`) are answered so. */
  misbehave(at: RegExp, how: Misbehaviour): void;
  close(): Promise<void>;
}

const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';

export async function startRawPlatform(): Promise<RawPlatform> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let at = /^$/;
  let how: Misbehaviour = () => undefined;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      for (;;) {
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return;
        const head = received.slice(0, end);
        const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
        if (received.length < end + 4 + length) return;
        received = received.slice(end + 4 + length);
        const [method = '', path = ''] = head.split(' ', 2);
        const request = { method, path, head };
        requests.push(request);
        if (at.test(`${method} ${path}`)) how(socket, request);
        else socket.write(NOT_FOUND);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    environment: {
      PLATFORM_API_URL: `http://${host}/api`,
      PLATFORM_DATABASE_API_URL: `http://${host}/api/database`,
      PLATFORM_ORIGIN_LOGS_URL: `http://${host}/origin`,
      PLATFORM_LOGGING_URL: `http://${host}/logging`,
      PLATFORM_DATABASE_HOST: host,
      PLATFORM_DATABASE_URL: `http://${host}`,
      PLATFORM_DATABASE_AUTH_TOKEN: 'database-token-for-tests',
    },
    requests,
    misbehave(where, what) {
      at = where;
      how = what;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes the piece again and again, as fast as it is read. */
export function forEver(socket: Socket, piece: string | Buffer): void {
  const on = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', on);
  on();
}

/** Writes one piece after the other, slowly, until there is none left or nobody listens. */
export function drip(socket: Socket, pieces: Iterable<string>, pause = 20): void {
  const rest = pieces[Symbol.iterator]();
  const timer = setInterval(() => {
    const { value, done } = rest.next();
    if (done === true) clearInterval(timer);
    else socket.write(value);
  }, pause);
  socket.on('close', () => clearInterval(timer));
}
