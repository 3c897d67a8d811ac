import type { InValue } from '@libsql/client';
import { type Observe, timed } from '../observe.ts';
import type { Guard } from './guard.ts';

/** This process, as others on the same store know it. An embedded store has no others: its lock proves it. */
export interface Self {
  readonly id: string;
  readonly isShared: boolean;
  /** The moment before it last said that it lives, and since when it did so without a gap, by `performance.now()`. */
  seenAt: number;
  steadySince: number;
}

/** A statement, and what its names stand for. */
export interface Statement {
  sql: string;
  args?: Record<string, InValue>;
}

/** In a statement of several: the one before it has changed something. */
export const FOLLOWS = 'changes() >= 1';

/** The rows of a statement, and how many it changed. */
export interface Rows {
  rows: Record<string, unknown>[];
  changed: number;
}

/**
 * The store's connection. Every step is one statement (compare-and-set with RETURNING), or a few that are sent together, so
 * nothing is half done when a process dies, and no lock outlives a step.
 */
export interface Database {
  /** `:now` in a statement is the database's own time, Unix milliseconds; `:process` and `:alive` as in `jobs.ts`. */
  execute(sql: string, args?: Record<string, InValue>): Promise<Rows>;
  /** In one transaction: all of them, or none. */
  together(statements: readonly Statement[]): Promise<Rows[]>;
  close(): Promise<void>;
  /** The guard of its statements: one for all connections to a store. */
  guard?: Guard;
  /** This process, where the whole store is open. */
  self?: Self;
}

/** The database's own time, where it has to be known before a row is written: Unix milliseconds. */
export async function timeOf(database: Database): Promise<number> {
  const { rows } = await database.execute('SELECT :now AS now');
  return Number(rows[0]?.now);
}

/** The same, and each step is told of, never by its values. */
export function observed(database: Database, observe: Observe | undefined): Database {
  if (observe === undefined) return database;
  const told = <T>(sql: string, run: () => Promise<T>) => {
    const kind = /^\s*SELECT\b/.test(sql) ? 'read' : 'write';
    return timed(observe, 'store', run, (ended) => ({ kind, outcome: 'result' in ended ? 'ok' : 'failed' }));
  };
  return {
    ...database,
    execute: (sql, args) => told(sql, () => database.execute(sql, args)),
    together: (statements) => told('', () => database.together(statements)),
  };
}
