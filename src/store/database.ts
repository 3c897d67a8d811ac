import { type Observe, timed } from '../observe.ts';
import type { Guard } from './guard.ts';

/** This process, as others on the same store know it. An embedded store has no others: its lock proves it. */
export interface Self {
  readonly id: string;
  readonly isShared: boolean;
  /** The moment before it last said that it lives, and since when it did so without a gap, by `performance.now()`. */
  seenAt: number;
  steadySince: number;
  /** The keys of the jobs that it had then. */
  held: ReadonlySet<string>;
}

/** What the names in a statement stand for; those that it does not name are left out. */
export type Args = Record<string, string | number | null | Uint8Array>;

/** A statement, and what its names stand for. */
export interface Statement {
  sql: string;
  args?: Args;
  /** In a statement of several: it is left out where the one before it has changed nothing. */
  follows?: true;
}

/** The rows of a statement, and how many it changed. Booleans are 1 and 0. */
export interface Rows {
  rows: Record<string, unknown>[];
  changed: number;
}

/**
 * What is asked of a store. Every step is one statement (compare-and-set with RETURNING), or a few that are sent together, so
 * nothing is half done when a process dies, and no lock outlives a step.
 *
 * One text for both engines: `:name` for values, `:now` for the store's own time in Unix milliseconds, `:process` for the id of
 * this process, `ROWS(:rows, key TEXT, at INTEGER) AS given` for an array of objects and `LIST(:ids)` for one of texts, both given
 * as JSON; `content ->> 'key'` reads a text of JSON.
 */
export interface Connection {
  execute(sql: string, args?: Args): Promise<Rows>;
  /** In one transaction: all of them, or none. */
  together(statements: readonly Statement[]): Promise<Rows[]>;
  /** Runs work under a lock by this key: one at a time on the whole store. On a server it is one transaction. */
  inTurn<T>(key: string, work: (alone: Pick<Connection, 'execute' | 'together'>) => Promise<T>): Promise<T>;
  /** Writes rows of another store in one transaction, whatever their states are: the triggers are off meanwhile. */
  fill(statements: readonly Statement[]): Promise<void>;
  /** Has the other processes on the store look at once for what they look for now and then. Never rejects. */
  tell(): Promise<void>;
  /** Called when another process has told, or may have. Who listens is a bot. */
  onTold(listener: () => void): void;
  /** A bot runs on it. */
  isUsed(): Promise<boolean>;
  close(): Promise<void>;
}

/** The store's connection. */
export interface Database extends Connection {
  /** The guard of its statements: one for all connections to a store. */
  guard?: Guard;
  /** This process, where the whole store is open. */
  self?: Self;
}

/** The database's own time, where it has to be known before a row is written: Unix milliseconds. */
export async function timeOf(database: Pick<Database, 'execute'>): Promise<number> {
  const { rows } = await database.execute('SELECT :now AS now');
  return Number(rows[0]?.now);
}

/** So many rows a statement where there may be many: an embedded store holds up everything else meanwhile. */
export const AT_ONCE = 100;

/** Every row of a table, by its key. */
export async function* rowsOf(
  database: Pick<Database, 'execute'>,
  table: string,
  { key, columns = '*' }: { key: readonly string[]; columns?: string },
): AsyncGenerator<Rows['rows']> {
  const sql = `SELECT ${columns} FROM ${table} ORDER BY ${key.join(', ')} LIMIT ${AT_ONCE} OFFSET :offset`;
  for (let offset = 0; ; offset += AT_ONCE) {
    const { rows } = await database.execute(sql, { offset });
    yield rows;
    if (rows.length < AT_ONCE) return;
    await new Promise(setImmediate);
  }
}

/** The same, and each step is told of, never by its values. */
export function observed<T extends Connection>(database: T, observe: Observe | undefined): T {
  if (observe === undefined) return database;
  const told = <R>(sql: string, run: () => Promise<R>) => {
    const kind = /^\s*SELECT\b/.test(sql) ? 'read' : 'write';
    return timed(observe, 'store', run, (ended) => ({ kind, outcome: 'result' in ended ? 'ok' : 'failed' }));
  };
  return {
    ...database,
    execute: (sql, args) => told(sql, () => database.execute(sql, args)),
    together: (statements) => told('', () => database.together(statements)),
    inTurn: (key, work) => told('', () => database.inTurn(key, work)),
  };
}
