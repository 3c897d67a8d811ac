import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../account/account.ts';
import type { TokenState } from '../account/tokens.ts';
import { type Answer, databaseError } from '../answers.ts';
import { objectIn } from '../requests.ts';
import { type Incoming, type RunningServer, type ServerOptions, startServer } from '../server.ts';
import { createDatabaseChild, type DatabaseChild, type JobOutcome } from './database-child.ts';
import { seedSql } from './database-seed.ts';

/** A stream that a client holds by its baton. */
interface Stream {
  name: string;
  token: string;
  timer: NodeJS.Timeout;
}

/** How long a stream that nobody uses stays open. */
const IDLE_MS = 10_000;

/** The databases to start, and how. */
export interface DatabasesOptions extends Omit<ServerOptions, 'service' | 'routes' | 'authenticate' | 'port'> {
  seed: number;
  databases: readonly Database[];
  /** How long one request may run before its process is killed. */
  limitMs: number;
}

/** Starts one loopback port per database, speaking Hrana over HTTP; sets each database's `url`. */
export async function startDatabases(options: DatabasesOptions): Promise<RunningServer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'edge-platform-'));
  const running = await Promise.all(options.databases.map((database) => startDatabase(options, database, folder)));
  return [
    ...running,
    { url: `file:${folder}`, close: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) },
  ];
}

/** One database's host: it checks tokens, keeps the streams that clients hold, and hands the SQL to a process. */
interface Host {
  options: DatabasesOptions;
  database: Database;
  child: DatabaseChild;
  /** By baton. */
  streams: Map<string, Stream>;
  /** Settles when the database is filled. */
  seeded: Promise<unknown> | undefined;
}

const GREETING: Answer = {
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: 'Hello, this is HTTP API v2 (Hrana)',
};

async function startDatabase(options: DatabasesOptions, database: Database, folder: string): Promise<RunningServer> {
  const child = createDatabaseChild(join(folder, `${database.name}.db`), options.limitMs);
  const host: Host = { options, database, child, streams: new Map(), seeded: undefined };
  const server = await startServer({
    ...options,
    service: 'database',
    routes: [
      { method: 'POST', path: '/v2/pipeline', spec: true, answer: (request) => answerPipeline(host, request) },
      { method: 'POST', path: '/v3/pipeline', answer: (request) => answerPipeline(host, request) },
      { method: 'GET', path: '/v2', spec: true, answer: () => GREETING },
      { method: 'GET', path: '/v3', answer: () => GREETING },
    ],
  });
  database.url = server.url;
  return {
    url: server.url,
    async close() {
      await server.close();
      await child.close();
    },
  };
}

/** `POST /v2/pipeline` and `/v3/pipeline`: Hrana over HTTP. */
async function answerPipeline(host: Host, request: Incoming): Promise<Answer> {
  const { options, database, child } = host;
  const token = tokenIn(request, database, options.now());
  if ('status' in token) {
    return token;
  }
  const body = objectIn(request, protocolError(400, 'The request body is not a JSON object.', 'HRANA_PROTO_ERROR'));
  const { baton = null, requests } = body;
  if (!Array.isArray(requests) || (baton !== null && typeof baton !== 'string')) {
    return protocolError(400, 'The request body is not a pipeline.', 'HRANA_PROTO_ERROR');
  }
  const held = baton === null ? undefined : takeStream(host, baton, token.token);
  if (baton !== null && !held) {
    return protocolError(400, 'The stream has expired or the baton is not valid.', 'STREAM_EXPIRED');
  }
  host.seeded ??= seed(host);
  await host.seeded;
  const stream = held?.name ?? randomUUID();
  const readOnly = token.authorization === 'read-only';
  const outcome = await child.run({ stream, isNew: !held, readOnly, requests });
  return answerOf(outcome, options.limitMs, () => holdStream(host, stream, token.token));
}

function seed({ child, database, options }: Host): Promise<unknown> {
  const sql = seedSql(database.name, options.seed, options.now());
  const requests = [{ type: 'sequence', sql }, { type: 'close' }];
  return child.run({ stream: 'seed', isNew: true, readOnly: false, requests });
}

/** Keeps a stream open for its client; gives the baton. */
function holdStream({ child, streams }: Host, name: string, token: string): string {
  const baton = randomUUID();
  const timer = setTimeout(() => {
    streams.delete(baton);
    child.closeStream(name);
  }, IDLE_MS);
  timer.unref();
  streams.set(baton, { name, token, timer });
  return baton;
}

/** Gives the stream up: a baton is good for one request. */
function takeStream({ streams }: Host, baton: string, token: string): Stream | undefined {
  const stream = streams.get(baton);
  if (stream?.token !== token) {
    return undefined;
  }
  streams.delete(baton);
  clearTimeout(stream.timer);
  return stream;
}

function answerOf(outcome: JobOutcome, limitMs: number, hold: () => string): Answer {
  switch (outcome.kind) {
    case 'done': {
      const { results, wrote } = outcome;
      return { status: 200, body: { baton: outcome.open ? hold() : null, base_url: null, results }, applied: wrote };
    }
    case 'blocked':
      return { ...databaseError(403, 'This token may only read.', 'BLOCKED'), applied: outcome.wrote };
    case 'missing':
      return protocolError(400, 'The stream has expired or the baton is not valid.', 'STREAM_EXPIRED');
    case 'stopped':
      return protocolError(504, `The query ran longer than ${limitMs / 1000} s and was stopped.`, 'QUERY_TIMEOUT');
    case 'lost':
      return protocolError(503, 'The database was restarted while the request was under way.', 'DATABASE_RESTARTED');
  }
}

const protocolError = (status: number, message: string, code: string): Answer => ({ status, body: { message, code } });

/** The token of the request, or the refusal: 401 for none, an unknown, an expired and a revoked one. */
function tokenIn(request: Incoming, database: Database, now: Date): TokenState | Answer {
  const text = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const token = database.tokens.find((other) => other.token === text);
  if (!token) {
    return databaseError(
      401,
      text === undefined ? 'No access token was given.' : 'The access token is not valid.',
      'AUTH_JWT_INVALID',
    );
  }
  if (token.revoked) {
    return databaseError(401, 'The access token was revoked.', 'AUTH_JWT_REVOKED');
  }
  if (token.expires !== null && token.expires <= now) {
    return databaseError(401, 'The access token has expired.', 'AUTH_JWT_EXPIRED');
  }
  return token;
}
