import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is answered: a status with a body (objects as JSON, texts as they are), or something done by hand. */
export type Canned =
  | { status?: number; body?: unknown; headers?: Record<string, string> }
  | ((response: ServerResponse, url: string) => void);

/** All services of a platform that says what it is told to say, and 404 without a word to everything else. */
export interface CannedPlatform {
  /** The settings that point the bot at it; `configured` is a database of its own. */
  environment: Record<string, string>;
  /** Every request, as `METHOD /path?query`. */
  requests: string[];
  /** The JSON bodies of requests whose path has this, in order. */
  bodies(part: string): unknown[];
  /** From now on the route (`METHOD /path`, without the query) is answered so. The services stand under /api, /origin and /logging. */
  answer(route: string, canned: Canned): void;
  close(): Promise<void>;
}

/** The token of the database `configured`. */
const DATABASE_TOKEN = 'database-token-for-tests';

export async function startCannedPlatform(): Promise<CannedPlatform> {
  const answers = new Map<string, Canned>();
  const requests: string[] = [];
  const bodies: { url: string; body: string }[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    requests.push(`${method} ${url}`);
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push({ url, body: Buffer.concat(chunks).toString() });
      const canned = answers.get(`${method} ${url.split('?', 1)[0]}`) ?? { status: 404 };
      if (typeof canned === 'function') return canned(response, url);
      const { status = 200, body, headers = {} } = canned;
      const isText = typeof body === 'string';
      const type = body === undefined || isText ? {} : { 'content-type': 'application/json' };
      response.writeHead(status, { ...type, ...headers });
      response.end(body === undefined ? '' : isText ? body : JSON.stringify(body));
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
      PLATFORM_DATABASE_AUTH_TOKEN: DATABASE_TOKEN,
    },
    requests,
    bodies: (part) => bodies.filter(({ url }) => url.includes(part)).map(({ body }) => JSON.parse(body)),
    answer: (route, canned) => void answers.set(route, canned),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
