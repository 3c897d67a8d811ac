import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../playground/launcher/bot-process.ts';

/** The folder of PostgreSQL's programs. Undefined: there is none here, and what needs a server of its own is skipped. */
const PROGRAMS = [
  ...(process.env.PATH ?? '').split(':'),
  ...(existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => `/usr/lib/postgresql/${version}/bin`),
].find((folder) => existsSync(join(folder, 'pg_basebackup')) && existsSync(join(folder, 'postgres')));

const GIVEN = process.env.TEST_POSTGRES_URL;

/** There is a server to test with, or its programs. Without them a run of CI fails: half of the store would be untested. */
export const HAS_POSTGRES = GIVEN !== undefined || PROGRAMS !== undefined || process.env.CI === 'true';
/** There is one that can be stopped and started. */
export const OWNS_POSTGRES = PROGRAMS !== undefined || process.env.CI === 'true';

const WHY = ' (skipped: PostgreSQL is not installed, and TEST_POSTGRES_URL is not set)';
/** Why the tests that need it are skipped, for their names. */
export const WITHOUT_POSTGRES = HAS_POSTGRES ? '' : WHY;

/** A PostgreSQL server with an empty database, as several replicas share one. */
export interface Postgres {
  /** `postgres://…`, the same after it was stopped and started. */
  readonly url: string;
  readonly pid: number | undefined;
  /** Makes another empty database; answers with its URL. */
  fresh(): Promise<string>;
  run(...statements: string[]): Promise<void>;
  /** Starts it again on what it has stored. Resolves when it answers. */
  start(): Promise<void>;
  /** Ends it: `fast` in order, `immediate` as a power cut would. Resolves when it has ended. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  /** SIGSTOP holds all of it: connections are taken, and nothing is answered; SIGCONT lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it and removes what it has stored. */
  close(): Promise<void>;
}

/** A server that is there already, or else one of its own on a free port of loopback. */
export const somePostgres = (): Promise<Postgres> =>
  GIVEN === undefined ? startPostgres('fsync=off', 'full_page_writes=off') : given(GIVEN);

async function given(url: string): Promise<Postgres> {
  const made: string[] = [];
  const fresh = async () => {
    const name = await makeDatabase(url);
    made.push(name);
    return named(url, name);
  };
  const not = async () => {
    throw new Error('The server of TEST_POSTGRES_URL is not stopped.');
  };
  return {
    url: await fresh(),
    pid: undefined,
    fresh,
    run: (...statements) => asked(url, ...statements),
    start: not,
    stop: not,
    signal: () => void not(),
    close: () => asked(url, ...made.map((name) => `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

/** Starts a server of its own. */
export const startPostgres = (...settings: string[]): Promise<Postgres> =>
  serve(settings, ['initdb', '-U', 'edgewise', '--no-sync', '-A', 'trust', '-E', 'UTF8']);

/** Starts one that follows another, and can be promoted in its place. */
export const startStandby = (primary: Postgres): Promise<Postgres> =>
  serve(['wal_retrieve_retry_interval=200ms'], ['pg_basebackup', '-R', '-c', 'fast', '-d', primary.url], primary.url);

/** Starts a server on what a program has made, not as root. Throws where its programs are missing. */
async function serve(settings: string[], [make = '', ...how]: string[], database?: string): Promise<Postgres> {
  if (PROGRAMS === undefined) throw new Error(`There is no PostgreSQL here${WHY}.`);
  const programs = PROGRAMS;
  const folder = await mkdtemp(join(tmpdir(), 'edgewise-postgres-'));
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
  const data = join(folder, 'data');
  await promisify(execFile)(join(programs, make), ['-D', data, ...how], { ...user, env, cwd: folder });
  const port = await freePort();
  const server = `postgres://edgewise@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const start = async () => {
    const flags = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', ...settings];
    child = spawn(join(programs, 'postgres'), ['-D', data, ...flags.flatMap((flag) => ['-c', flag])], {
      ...user,
      env,
      cwd: folder,
      stdio: 'ignore',
    });
    for (const begun = Date.now(); ; ) {
      if (!isRunning() || Date.now() > begun + 60_000) throw new Error('PostgreSQL did not start.');
      if (
        await asked(server, 'SELECT 1').then(
          () => true,
          () => false,
        )
      )
        return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const stop = async (how: 'fast' | 'immediate' = 'fast') => {
    if (child === undefined || !isRunning()) return;
    const ended = once(child, 'exit');
    child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  };
  await start();
  const fresh = async () => named(server, await makeDatabase(server));
  const url = database === undefined ? await fresh() : named(server, new URL(database).pathname.slice(1));
  return {
    url,
    run: (...statements) => asked(url, ...statements),
    get pid() {
      return child?.pid;
    },
    fresh,
    start,
    stop,
    signal(name) {
      for (const pid of [child?.pid, ...childrenOf(child?.pid)])
        try {
          if (pid !== undefined) process.kill(pid, name);
        } catch {
          // A connection has just ended.
        }
    },
    async close() {
      await stop('immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Statements after which a server says of each write that its disk is full, and those after which it has room. */
export const FULL = [
  `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`,
  `DO $$ DECLARE name text; BEGIN FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
     EXECUTE format('CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION full_disk()', name);
   END LOOP; END $$`,
];
export const ROOM = ['DROP FUNCTION full_disk() CASCADE'];
/** A server that takes no writes, as one that others were given the place of; and then the one that has its place. */
export const READ_ONLY = ['ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()'];
export const PROMOTED = [
  'ALTER SYSTEM RESET default_transaction_read_only',
  'SELECT pg_reload_conf()',
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'edgewise'",
];

/** Of the user that Debian makes for it, or else of nobody. */
function idOf(flag: '-u' | '-g'): number {
  try {
    return Number(execFileSync('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return 65_534;
  }
}

const childrenOf = (pid: number | undefined): number[] =>
  pid === undefined
    ? []
    : execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)])
        .toString()
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(Number);

function named(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

async function makeDatabase(url: string): Promise<string> {
  const name = `edgewise_${randomBytes(6).toString('hex')}`;
  await asked(url, `CREATE DATABASE ${name}`);
  return name;
}

async function asked(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}
