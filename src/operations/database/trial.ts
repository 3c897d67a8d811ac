import { parse } from 'sqlite3-parser';
import { PlatformFailure, SqlError } from '../../platform/errors.ts';
import type { SqlResult, Tried } from '../../platform/resources/sql.ts';
import type { DatabaseRef } from '../arguments/resources/databases.ts';
import type { Context } from '../context.ts';
import { failureWords } from '../unreadable.ts';
import { accessTo } from './access.ts';
import { parseQuery, type Statement } from './statement.ts';

/** How long our wait for a trial lasts, in ms. Meanwhile the statement may hold the database's write lock. */
const TRIAL_LIMIT = 5_000;

/** Rows that are shown of those that would be touched. */
export const SAMPLE = 10;

type Rows = Extract<SqlResult, { kind: 'rows' }>;

/** The effect that a statement would have: it was run in a transaction that was rolled back. */
export interface Trial {
  /** Rows that it changes itself, or that go with a table; undefined for what touches no rows, such as a new index. */
  touched: number | undefined;
  /** Rows that change with them, by triggers and foreign keys; undefined where the database does not tell. */
  further: number | undefined;
  /** The rows as they are now: one more than `SAMPLE` when there are more. Undefined for statements that name none. */
  sample: Rows | undefined;
}

const TOTAL = 'SELECT total_changes() AS total';
const CHANGES = 'SELECT changes() AS changes, total_changes() AS total';

/**
 * The rows that a DELETE or UPDATE names, or how many a table has that is dropped, as a query of its own. Undefined for other
 * statements, and for those whose rows depend on more than their WHERE.
 */
export function sampleOf({ sql }: Statement): string | undefined {
  const parsed = parse(sql);
  const [node] = parsed.status === 'error' ? [] : parsed.root.cmds;
  const text = ({ span }: { span: { offset: number; length: number } }) =>
    sql.slice(span.offset, span.offset + span.length).trim();
  if (node?.type === 'DropTableStmt') return `SELECT count(*) AS total FROM ${text(node.tblName)}`;
  if (node === undefined || (node.type !== 'DeleteStmt' && node.type !== 'UpdateStmt')) return undefined;
  if (node.type === 'UpdateStmt' && node.from !== undefined) return undefined;
  const where = node.whereClause === undefined ? '' : `\nWHERE (\n${text(node.whereClause)}\n)`;
  const query = `${node.with === undefined ? '' : `${text(node.with)}\n`}SELECT * FROM ${text(node.tblName)}${where}\nLIMIT ${SAMPLE + 1}`;
  try {
    return parseQuery(query).sql;
  } catch {
    // A query that cannot be put together safely is not asked.
    return undefined;
  }
}

/** Changes of the schema: what fails in a transaction may still work outside of one. */
const isSchemaChange = ({ verb }: Statement) => /^(CREATE|DROP|ALTER|REINDEX|ANALYZE)\b/.test(verb);

/**
 * Tries a statement in one request that rolls back, with a full-access token that is made for it. `unread` ends a sentence that
 * says why it could not be tried. A statement that the database refuses is thrown as an SqlError, as running it would.
 */
export async function tryStatement(
  database: DatabaseRef,
  statement: Statement,
  context: Context,
): Promise<Trial | { unread: string }> {
  const { platform, signal } = context;
  const { target } = await accessTo(database, 'full-access', context);
  const sample = sampleOf(statement);
  const statements = [
    ...(sample === undefined ? [] : [{ sql: sample, optional: true }]),
    { sql: TOTAL, optional: true },
    { sql: statement.sql, withoutRows: true },
    { sql: CHANGES, optional: true },
  ];
  const limit = AbortSignal.timeout(TRIAL_LIMIT);
  let tried: Tried[] | undefined;
  try {
    tried = await platform.sql.rehearse(target, statements, { signal: AbortSignal.any([signal, limit]) });
  } catch (error) {
    if (signal.aborted) throw error;
    if (limit.aborted) {
      return {
        unread: `trying it took longer than ${TRIAL_LIMIT / 1000} seconds, and the server may still be working`,
      };
    }
    return { unread: whyNot(error) };
  }
  if (tried === undefined) return { unread: 'the database takes no request that rolls back' };
  const [after, itself, total, rows] = [...tried].reverse();
  if (itself === undefined || itself.kind === 'skipped') return { unread: 'the database began no transaction' };
  if (itself.kind === 'failed') return refused(statement, itself);
  if (statement.verb === 'DROP TABLE')
    return { touched: numberIn(rows, 'total'), further: undefined, sample: undefined };
  if (isSchemaChange(statement)) return { touched: undefined, further: undefined, sample: undefined };
  return trialOf(itself.result, { total, after, rows });
}

/** The trial's own failure, in words: the statement is not to blame. Credentials are: the run would fail as well. */
function whyNot(error: unknown): string {
  if (!(error instanceof PlatformFailure)) throw error;
  return failureWords(error, {
    refused({ status, message }) {
      if (status === 401 || status === 403) throw error;
      return `the database refused to try it (${status}: ${message.replace(/\.$/, '')})`;
    },
    unanswered: 'the database did not answer when it was to be tried',
    unreadable: 'the answer to trying it could not be understood',
  });
}

function refused(statement: Statement, { message, code }: Extract<Tried, { kind: 'failed' }>): { unread: string } {
  if (isSchemaChange(statement) && /transaction/i.test(message)) {
    return { unread: `the database does not try it within a transaction (${message.replace(/\.$/, '')})` };
  }
  if (/timed? ?out|timeout|busy|locked/i.test(`${message} ${code ?? ''}`)) {
    return { unread: `the database could not try it now (${message.replace(/\.$/, '')})` };
  }
  throw new SqlError(message, { status: 200, service: 'sql', method: 'POST', path: '/v2/pipeline', key: code });
}

/** A number in the first row of an answer. */
function numberIn(tried: Tried | undefined, column: string): number | undefined {
  if (tried?.kind !== 'rows') return undefined;
  const index = tried.result.cols.findIndex(({ name }) => name === column);
  const value = tried.result.rows[0]?.[index];
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function trialOf(
  { affected_row_count }: Rows,
  { total, after, rows }: Record<'total' | 'after' | 'rows', Tried | undefined>,
): Trial {
  const touched = affected_row_count ?? numberIn(after, 'changes') ?? 0;
  const [began, ended] = [numberIn(total, 'total'), numberIn(after, 'total')];
  return {
    touched,
    further: began === undefined || ended === undefined ? undefined : Math.max(0, ended - began - touched),
    sample: rows?.kind === 'rows' ? rows.result : undefined,
  };
}
