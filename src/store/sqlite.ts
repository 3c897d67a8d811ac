import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
// The API of node:sqlite, which Node 20 does not have.
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { StartError } from '../start-error.ts';
import type { Args, Engine, Rows, Statement } from './database.ts';
import { INDEXES, TABLES, TRIGGERS, type Trigger } from './schema.ts';

/** Result codes by message, because the library’s `all()` gives no code. Source: sqlite.org/rescode.html. */
const CODES: readonly (readonly [number, message: string, code: string])[] = [
  [5, 'database is locked', 'SQLITE_BUSY'],
  [6, 'database table is locked', 'SQLITE_LOCKED'],
  [8, 'attempt to write a readonly database', 'SQLITE_READONLY'],
  [10, 'disk I/O error', 'SQLITE_IOERR'],
  [11, 'database disk image is malformed', 'SQLITE_CORRUPT'],
  [13, 'database or disk is full', 'SQLITE_FULL'],
  [14, 'unable to open database file', 'SQLITE_CANTOPEN'],
  [15, 'locking protocol', 'SQLITE_PROTOCOL'],
  [26, 'file is not a database', 'SQLITE_NOTADB'],
];

/** A connection to a file. Statements run on this thread and end with their call. */
export interface FileConnection extends Engine {
  file: DatabaseSyncInstance;
}

export interface FileOptions {
  /** Never checkpoints, which only the bot may do. */
  readOnly?: boolean;
  /** Set for a store, which uses WAL. FULL: a statement is on the disk when it ends. */
  synchronous?: 'FULL' | 'NORMAL';
  /** Only for tests: replaces the clock of the machine. */
  clock?: (() => Date) | undefined;
  process?: string;
}

/** Opens a file, or `:memory:`. Errors have SQLite’s code (`SQLITE_BUSY`). */
export function openFile(
  path: string,
  { readOnly = false, synchronous, clock = () => new Date(), process = '' }: FileOptions = {},
): FileConnection {
  // Waits briefly for a backup, or for a person with the file open.
  const file = coded(() => new DatabaseSync(path, { readOnly, timeout: 50 }));
  if (synchronous !== undefined)
    coded(() => file.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`));
  const prepared = new Map<string, StatementSyncInstance>();

  function run(sql: string, args: Args = {}): Rows {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = file.prepare(written(sql));
      statement.setAllowUnknownNamedParameters(true);
      prepared.set(sql, statement);
    }
    const given = { process, ...args, now: clock().getTime() };
    if (statement.columns().length === 0) return { rows: [], changed: Number(statement.run(given).changes) };
    const rows = statement.all(given) as Rows['rows'];
    return { rows: rows.map((row) => ({ ...row })), changed: rows.length };
  }

  function transaction(statements: readonly Statement[]): Rows[] {
    file.exec('BEGIN IMMEDIATE');
    try {
      const done: Rows[] = [];
      for (const one of statements)
        done.push(
          one.follows === true && done.at(-1)?.changed === 0 ? { rows: [], changed: 0 } : run(one.sql, one.args),
        );
      file.exec('COMMIT');
      return done;
    } catch (error) {
      if (file.isTransaction) file.exec('ROLLBACK');
      throw error;
    }
  }

  const connection: FileConnection = {
    file,
    execute: async (sql, args) => coded(() => run(sql, args)),
    together: async (statements) => coded(() => transaction(statements)),
    schema: [...TABLES.map((sql) => `${sql} STRICT`), ...INDEXES, ...TRIGGERS.map(triggerOf)],
    isMade: async () => coded(() => run("SELECT 1 FROM sqlite_master WHERE name = 'schema_hash'")).changed === 1,
    async fill(statements) {
      const without = TRIGGERS.map(({ name }) => ({ sql: `DROP TRIGGER ${name}` }));
      coded(() => transaction([...without, ...statements, ...TRIGGERS.map((one) => ({ sql: triggerOf(one) }))]));
    },
    // No other process uses the file, and this one comes in turn (open-database.ts).
    inTurn: (_, work) => work(connection),
    tell: async () => undefined,
    onTold: () => undefined,
    isUsed: async () => false,
    async close() {
      if (!file.isOpen) return;
      // The library closes the file only after garbage collection. Until then the WAL would not be merged.
      if (!readOnly) file.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      file.close();
    },
  };
  return connection;
}

/** The statement in SQLite’s form. */
const written = (sql: string): string =>
  sql
    .replace(/\bROWS\(:(\w+), ([^():]*)\)/g, (_, name: string, columns: string) => {
      const read = columns.split(', ').map((column) => column.split(' ', 1)[0]!);
      return `(SELECT ${read.map((column) => `value ->> '${column}' AS ${column}`).join(', ')} FROM json_each(:${name}))`;
    })
    .replace(/\bLIST\(:(\w+)\)/g, '(SELECT value FROM json_each(:$1))');

/** Gives an error of SQLite its code. */
function coded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { errcode = 0, message } = error as { errcode?: number; message: string };
    const [, , code] = CODES.find(([number, said]) => number === (errcode & 0xff) || said === message) ?? [];
    throw code === undefined ? error : Object.assign(error as Error, { code });
  }
}

/**
 * Takes the lock of a file. The operating system keeps it until this process ends, however it ends. The returned function
 * releases it. Throws StartError if another process has it.
 */
export function lockFile(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Private: SQLite gives its other files the same mode.
  for (const file of [path, `${path}.lock`]) {
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  }
  const { file: lock } = openFile(`${path}.lock`);
  try {
    // Never committed: only the write lock matters.
    coded(() => lock.exec('BEGIN IMMEDIATE'));
    return () => {
      if (lock.isOpen) lock.close();
    };
  } catch (error) {
    lock.close();
    if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error;
    throw new StartError(
      'taken',
      `STORE_URL: ${path} is in use by another process. End that one: an embedded store belongs to one bot, and several need STORE_URL=postgres://…`,
    );
  }
}

const triggerOf = ({ name, table, event, where = '1 = 1', does }: Trigger): string =>
  `CREATE TRIGGER ${name} ${event} ON ${table} WHEN ${where}
   BEGIN ${'run' in does ? does.run : `SELECT raise(ABORT, '${does.refuse}')`}; END`;
