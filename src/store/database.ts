import { type Observe, timed } from '../observe.ts';
import type { Guard } from './guard.ts';

/** This process, for others on the same store. The lock of an embedded store proves that there are none. */
export interface Self {
  readonly id: string;
  readonly isShared: boolean;
  /** `seenAt`: the moment before its last heartbeat. `steadySince`: since when none was missed. By `performance.now()`. */
  seenAt: number;
  steadySince: number;
  /** The keys of its jobs at that heartbeat. */
  held: ReadonlySet<string>;
  /** The jobs that the store told it that it has, with their epochs. */
  readonly known: Map<string, number>;
}

/** Values by name. A statement ignores names that it does not use. */
export type Args = Record<string, string | number | null>;

/** A statement with its values. */
export interface Statement {
  sql: string;
  args?: Args;
  /** In `together`: skipped if the statement before it changed nothing. */
  follows?: true;
}

/** Booleans are 1 and 0. */
export interface Rows {
  rows: Record<string, unknown>[];
  changed: number;
}

/**
 * Every step is one statement (compare-and-set with RETURNING), or a few that are sent together. So nothing is half done when a
 * process dies, and no lock outlives a step.
 *
 * One text for both engines: `:name` for values, `:now` for the store's own time in Unix milliseconds, `:process` for the id of
 * this process, `ROWS(:rows, key TEXT, at INTEGER) AS given` for an array of objects and `LIST(:ids)` for one of texts, both given
 * as JSON; `content ->> 'key'` reads a text of JSON.
 */
export interface Connection {
  execute(sql: string, args?: Args): Promise<Rows>;
  /** In one transaction. */
  together(statements: readonly Statement[]): Promise<Rows[]>;
  /** Runs `work` under a lock with this key, for all processes on the store. On a server it is one transaction. */
  inTurn<T>(key: string, work: (alone: Pick<Connection, 'execute' | 'together'>) => Promise<T>): Promise<T>;
  /** Writes rows of another store in one transaction. Triggers are off meanwhile, so states may be any. */
  fill(statements: readonly Statement[]): Promise<void>;
  /** Makes other processes look for work now. Never rejects. */
  tell(): Promise<void>;
  /** Calls `listener` when another process has called `tell`, or may have. Only bots listen. */
  onTold(listener: () => void): void;
  /** Whether a bot uses the store. */
  isUsed(): Promise<boolean>;
  close(): Promise<void>;
}

/** What is not yet known to have tables. */
export interface Engine extends Connection {
  /** Makes the tables. */
  schema: readonly string[];
  isMade(): Promise<boolean>;
}

export interface Database extends Connection {
  /** One guard for all connections to a store. */
  guard?: Guard;
  /** Set once the store is open. */
  self?: Self;
}

/** The clock of the store, in Unix milliseconds. For values that are needed before a row is written. */
export async function timeOf(database: Pick<Database, 'execute'>): Promise<number> {
  const { rows } = await database.execute('SELECT :now AS now');
  return Number(rows[0]?.now);
}

/**
 * How many rows one statement handles where there may be many: an embedded store holds everything else up meanwhile.
 */
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

/** Measures each statement, never its values. */
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
