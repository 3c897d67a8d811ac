import { PlatformFailure, SqlError } from '../../platform/errors.ts';
import type { SqlResult, Tried } from '../../platform/resources/sql.ts';
import type { DatabaseRef } from '../arguments/resources/databases.ts';
import type { Context } from '../context.ts';
import { failureWords } from '../unreadable.ts';
import { fullAccess, readAccess } from './access.ts';
import { maskedColumns, SCHEMA } from './masks.ts';
import { columnNames, type Rows } from './rows.ts';
import { parseQuery, type Statement } from './statement.ts';

/** How many of the touched rows are shown. */
export const SAMPLE = 10;

export interface Trial {
  /** False: the statement was only explained. */
  isTried: boolean;
  /** Rows touched by the statement itself. Undefined: it touches none, such as a new index. */
  touched?: number | undefined;
  /** Rows touched by triggers and foreign keys. Undefined: the database does not tell. */
  further?: number | undefined;
  /** The rows as they are now. One more than `SAMPLE` shows that there are more. */
  sample?: Rows | undefined;
  schema?: SqlResult | undefined;
}

/** The rows of a DELETE or UPDATE, or the number of rows of a dropped table. Undefined: they depend on more than the WHERE. */
export function sampleOf({ sql, node }: Statement): Statement | undefined {
  const text = ({ span }: { span: { offset: number; length: number } }) =>
    sql.slice(span.offset - node.span.offset, span.offset - node.span.offset + span.length).trim();
  if (node.type === 'DropTableStmt') return parseQuery(`SELECT count(*) AS total FROM ${text(node.tblName)}`);
  if ((node.type !== 'DeleteStmt' && node.type !== 'UpdateStmt') || node.with !== undefined) return undefined;
  if (node.type === 'UpdateStmt' && node.from !== undefined) return undefined;
  const where = node.whereClause === undefined ? '' : `\nWHERE (\n${text(node.whereClause)}\n)`;
  try {
    return parseQuery(`SELECT * FROM ${text(node.tblName)}${where}\nLIMIT ${SAMPLE + 1}`);
  } catch {
    // Skipped if it cannot be built safely.
    return undefined;
  }
}

/** It may work outside a transaction although it fails in one. */
const isSchemaChange = ({ verb }: Statement) => /^(CREATE|DROP|ALTER|REINDEX|ANALYZE)\b/.test(verb);

const trials = new Map<string, Promise<unknown>>();

/** One trial per database at a time, because each may hold the write lock. */
async function inTurn<T>(database: string, work: () => Promise<T>): Promise<T> {
  const mine = (trials.get(database) ?? Promise.resolve()).then(work, work);
  trials.set(database, mine);
  try {
    return await mine;
  } finally {
    if (trials.get(database) === mine) trials.delete(database);
  }
}

/** Other people see neither the rows nor their number. */
export const mayRead = ({ policy }: Context, { words }: DatabaseRef) =>
  policy.may('database query', { database: [words] });

/** Runs the statement and rolls back. Before its approval, or for people who may not query, only explains it. Throws SqlError. */
export function tryStatement(
  database: DatabaseRef,
  statement: Statement,
  context: Context,
): Promise<Trial | { unread: string }> {
  const isRead = mayRead(context, database);
  if (context.approval === 'pending' || (context.approval === undefined && !isRead))
    return explained(database, statement, context);
  return inTurn(database.id, () => tried(database, statement, context, isRead));
}

async function explained(
  database: DatabaseRef,
  { sql }: Statement,
  context: Context,
): Promise<Trial | { unread: string }> {
  const { target } = await readAccess(context, database);
  try {
    const { signal } = context;
    const [schema] = await context.platform.sql.execute(target, [SCHEMA, `EXPLAIN ${sql}`], { signal });
    return { isTried: false, schema };
  } catch (error) {
    if (
      context.signal.aborted ||
      (error instanceof SqlError && !/block|read.?only|auth/i.test(`${error.message} ${error.key}`))
    )
      throw error;
    return { unread: whyNot(error) };
  }
}

async function tried(
  database: DatabaseRef,
  statement: Statement,
  context: Context,
  isRead: boolean,
): Promise<Trial | { unread: string }> {
  const { platform, signal } = context;
  const { target } = await fullAccess(context, database);
  const sample = isRead ? sampleOf(statement) : undefined;
  const statements = [
    { sql: SCHEMA, optional: true },
    ...(sample === undefined ? [] : [{ sql: sample.sql, optional: true }]),
    { sql: 'SELECT total_changes() AS total', optional: true },
    { sql: statement.sql, withoutRows: true },
    { sql: 'SELECT changes() AS changes, total_changes() AS total', optional: true },
  ];
  // The trial may hold the write lock for that long.
  const seconds = 5;
  const limit = AbortSignal.timeout(seconds * 1000);
  let answers: Tried[] | undefined;
  try {
    answers = await platform.sql.rehearse(target, statements, { signal: AbortSignal.any([signal, limit]) });
  } catch (error) {
    if (signal.aborted) throw error;
    if (limit.aborted) {
      return {
        unread: `trying it took longer than ${seconds} seconds, and the server may still be working`,
      };
    }
    return { unread: whyNot(error) };
  }
  if (answers === undefined) return { unread: 'the database accepts no request that rolls back' };
  const [first, ...others] = answers;
  const [after, itself, total, rows] = others.reverse();
  if (itself === undefined || itself.kind === 'skipped') return { unread: 'the database began no transaction' };
  if (itself.kind === 'failed') return refused(statement, itself);
  const schema = first?.kind === 'rows' ? first.result : undefined;
  const trial = { isTried: true, schema };
  if (statement.verb === 'DROP TABLE') return { ...trial, touched: numberIn(rows, 'total') };
  if (!isRead || isSchemaChange(statement)) return trial;
  const shown = sample === undefined || rows?.kind !== 'rows' ? undefined : rows.result;
  const masked = shown && maskedColumns(sample!.node, columnNames(shown), schema);
  return {
    ...trial,
    ...countsOf(itself.result, total, after),
    ...(shown && masked ? { sample: { ...shown, masked } } : {}),
  };
}

/**
 * Why the trial failed, rather than the statement. Throws if credentials were refused, because the run would fail, too.
 */
function whyNot(error: unknown): string {
  if (!(error instanceof PlatformFailure)) throw error;
  return failureWords(error, {
    refused({ status, message }) {
      if (status === 401 || status === 403) throw error;
      return `the database refused to try it (${status}: ${message.replace(/\.$/, '')})`;
    },
    unanswered: 'the database did not answer when I tried the statement',
    unreadable: 'the database’s answer to the trial could not be understood',
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

function numberIn(tried: Tried | undefined, column: string): number | undefined {
  if (tried?.kind !== 'rows') return undefined;
  const index = tried.result.cols.findIndex(({ name }) => name === column);
  const value = tried.result.rows[0]?.[index];
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function countsOf({ affected_row_count }: SqlResult, total: Tried | undefined, after: Tried | undefined) {
  const touched = affected_row_count ?? numberIn(after, 'changes') ?? 0;
  const [began, ended] = [numberIn(total, 'total'), numberIn(after, 'total')];
  const further = began === undefined || ended === undefined ? undefined : Math.max(0, ended - began - touched);
  return { touched, further };
}
