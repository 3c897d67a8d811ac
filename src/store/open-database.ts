import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Client, createClient, type ResultSet } from '@libsql/client';
import { currentInteraction } from '../interaction.ts';
import type { Observe } from '../observe.ts';
import type { Secret } from '../secret.ts';
import { StartError } from '../start-error.ts';
import { type Database, observed, type Rows, type Self } from './database.ts';
import { createGuard, PATIENCE, type StatementKind, statementSignal, unhurried } from './guard.ts';
import { beat, createSelf, withSelf } from './jobs.ts';
import { pathOf } from './opening.ts';
import { SCHEMA, SCHEMA_HASH } from './schema.ts';
import type { StoreError } from './store-error.ts';

/** The address of the store, and how it is reached. */
export interface StoreOptions {
  url: string;
  authToken?: Secret | undefined;
  /** Only for tests: a clock in place of the database's time. */
  clock?: (() => Date) | undefined;
  /** Told when the store is asked no more, because it does nothing, and, with nothing, when it answers again. */
  onTrouble?: ((trouble?: StoreError) => void) | undefined;
  /** Only for tests: how long it may take. */
  patience?: Partial<typeof PATIENCE> | undefined;
  /** Told of each statement. */
  observe?: Observe | undefined;
}

const DATABASE_TIME = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/**
 * Opens the store, and makes its tables where it is new. Embedded (`file:`) means exactly one process: a lock file beside the
 * database is held by the operating system until the process ends, however it ends. Throws StartError for a store in use and for
 * one of another version, and what SQLite, the network or the server say.
 */
export async function openDatabase(options: StoreOptions): Promise<Database> {
  const embedded = isEmbedded(options);
  const unlock = embedded ? await lockFile(options.url) : undefined;
  const { client, database, self } = connect(options);
  const close = async () => {
    await database.close();
    unlock?.();
  };
  try {
    if (embedded) await client.execute('PRAGMA journal_mode = WAL');
    await makeTables(client);
    await beat(database, self);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...database, close };
}

/**
 * The same store, by a connection of its own where it is embedded, which does not wait for the disk at every statement: a kill
 * loses nothing all the same, and what a power failure loses has to be looked for, or is asked for again.
 */
export async function openQuick(options: StoreOptions, database: Database): Promise<Database> {
  if (!isEmbedded(options)) return database;
  const { client, database: own } = connect(options, database);
  await client.execute('PRAGMA synchronous = NORMAL');
  return own;
}

/**
 * A store for what nobody waits for: one statement a turn of the event loop. An embedded store answers at once and on
 * the main thread, so that a hundred reports that begin together would hold it until the last one has its claim.
 */
export function yielding(database: Database): Database {
  let last: Promise<void> = Promise.resolve();
  return {
    ...database,
    async execute(sql, args) {
      last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
      await last;
      const run = () => database.execute(sql, args);
      return currentInteraction() === undefined ? unhurried(run) : run();
    },
  };
}

function isEmbedded({ url }: StoreOptions): boolean {
  return url.startsWith('file:');
}

/** A connection alone, without lock or tables: for who reads beside the bot. */
export function connect(options: StoreOptions, known?: Database): { client: Client; database: Database; self: Self } {
  const { url, authToken, clock, onTrouble, patience } = options;
  const embedded = isEmbedded(options);
  const client = createClient({
    url,
    ...(authToken === undefined ? {} : { authToken: authToken.reveal() }),
    // The guard has the line in which statements wait: this one has no end.
    ...(embedded ? { timeout: 50 } : { fetch: withinLimit, concurrency: 2 * PATIENCE.atOnce }),
  });
  const ask = async <T>(run: () => Promise<T>): Promise<T> => {
    if (!embedded) return untilFree(run);
    return run().catch((error: unknown) => {
      // A connection that has once met SQLITE_BUSY stays broken and reads old rows until it is opened anew (libsql-client-ts #352).
      if (!isBusy(error)) throw error;
      client.reconnect();
      return run();
    });
  };
  const self = known?.self ?? createSelf(!embedded && url !== ':memory:');
  const textOf = (sql: string) =>
    withSelf(sql, self).replaceAll(':now', clock === undefined ? DATABASE_TIME : String(clock().getTime()));
  const guard =
    known?.guard ??
    // Asks for something that needs to write, and finds nothing to do.
    createGuard({
      isServer: self.isShared,
      probe: () => ask(() => client.execute('UPDATE schema_hash SET hash = hash WHERE false')),
      onTrouble,
      patience,
    });
  const database: Database = {
    self,
    guard,
    execute: async (sql, args = {}) =>
      rowsOf(await guard.run(() => ask(() => client.execute({ sql: textOf(sql), args })), kindOf(sql))),
    async together(statements) {
      const all = statements.map(({ sql, args = {} }) => ({ sql: textOf(sql), args }));
      return (await guard.run(() => ask(() => client.batch(all, 'write')), 'write')).map(rowsOf);
    },
    async close() {
      guard.close();
      // Else the newest of it would stand beside the file alone, and whoever copies that has an old one, or none.
      if (embedded) await client.execute('PRAGMA wal_checkpoint(TRUNCATE)').catch(() => undefined);
      client.close();
    },
  };
  return { client, database: observed(database, options.observe), self };
}

const rowsOf = ({ rows, columns, rowsAffected }: ResultSet): Rows => ({
  rows: rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]]))),
  changed: rowsAffected,
});

/** A statement that begins otherwise may write. */
const kindOf = (sql: string): StatementKind => (/^\s*SELECT\b/i.test(sql) ? 'read' : 'write');

/** Among many writers a server turns one away (seen: sqld 0.24.32, a dozen at once). Nothing of that statement was done. */
async function untilFree<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error) || tries === 10 || statementSignal()?.aborted === true) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * tries));
    }
  }
}

/**
 * A server that hangs fails its statement: nobody waits for it without end. A statement that is given up earlier runs on: one that is
 * cut off may leave sqld locked.
 */
function withinLimit(request: Request): Promise<Response> {
  // An answer is a few hundred bytes: to press it takes longer than to send it, on both sides.
  request.headers.set('accept-encoding', 'identity');
  return fetch(request, { signal: AbortSignal.timeout(PATIENCE.unhurried) });
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/** Takes the lock; what is answered gives it back. */
async function lockFile(url: string): Promise<() => void> {
  const path = pathOf(url);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // For nobody else to read: SQLite gives its other files the same mode.
  for (const file of [path, `${path}.lock`]) {
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  }
  const lock = createClient({ url: `file:${path}.lock` });
  try {
    // Never committed: the write lock is the message. The operating system takes it back when the process ends.
    const held = await lock.transaction('write');
    return () => {
      // Rolled back by hand: closing alone keeps the lock until the statements of the connection are collected.
      held.close();
      lock.close();
    };
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new StartError(
      'taken',
      `STORE_URL: ${path} is in use by another process. End that one: an embedded store belongs to one bot, and several need STORE_URL=libsql://…`,
    );
  }
}

/** Makes the tables in one transaction, so that of two replicas one does it. Throws StartError for tables that are others. */
async function makeTables(client: Client): Promise<void> {
  const made = async () => (await client.execute('SELECT hash FROM schema_hash')).rows[0]?.hash;
  const hash = await made().catch(() =>
    client
      .batch(
        [
          'CREATE TABLE schema_hash (hash TEXT NOT NULL) STRICT',
          { sql: 'INSERT INTO schema_hash (hash) VALUES (?)', args: [SCHEMA_HASH] },
          ...SCHEMA,
        ],
        'write',
      )
      .then(made, (error: unknown) => {
        if (!/already exists/.test(String(error))) throw error;
        return made().catch(() => undefined);
      }),
  );
  if (hash === SCHEMA_HASH) return;
  throw new StartError(
    'store',
    'The store was written by another version of Edgewise. Start that version, or name a new store in STORE_URL.',
  );
}
