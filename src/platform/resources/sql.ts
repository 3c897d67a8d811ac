import * as z from 'zod';
import { MASK, type Secret } from '../../secret.ts';
import { databaseAddress } from '../database-address.ts';
import { PlatformShapeError, SqlError } from '../errors.ts';
import { arrayOf, maybe, maybeNumber, maybeString } from '../shapes.ts';
import { type CallOptions, endpoint, type Transport } from '../transport.ts';

const column = z.object({ name: maybeString });

/** A value in Hrana, which is an extension. Big integers stay exact. */
const value = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('null') }).transform(() => null),
    z
      // SQLite has no longer integers, and parsing longer ones takes seconds.
      .object({ type: z.literal('integer'), value: z.union([z.string().regex(/^-?\d{1,20}$/), z.number().int()]) })
      .transform((one) => {
        const exact = BigInt(one.value);
        return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
      }),
    // Servers write null for infinity.
    z.object({ type: z.literal('float'), value: z.number().nullable() }).transform((one) => one.value ?? '±Infinity'),
    z.object({ type: z.literal('text'), value: z.string() }).transform((one) => one.value),
    z
      .object({ type: z.literal('blob'), base64: z.string() })
      .transform((one): Uint8Array => Buffer.from(one.base64, 'base64')),
  ])
  // A value of an unknown type.
  .catch('(not readable)');

const executed = z.object({
  cols: arrayOf(column),
  rows: arrayOf(arrayOf(value)),
  affected_row_count: maybeNumber,
  last_insert_rowid: maybe(z.union([z.string(), z.number().transform(String)])),
});

const stepError = z.object({ message: maybeString, code: maybeString });
const failedItem = z.object({ type: z.literal('error'), error: maybe(stepError) });
const executedItem = z.object({
  type: z.literal('ok'),
  response: z.object({ type: z.literal('execute'), result: executed }),
});
const pipeline = z.object({ results: z.array(z.unknown()) });

const batchItem = z.object({
  type: z.literal('ok'),
  response: z.object({
    type: z.literal('batch'),
    result: z.object({ step_results: arrayOf(executed.nullable()), step_errors: arrayOf(stepError.nullable()) }),
  }),
});

/** Integers beyond 2^53 are `bigint`. */
export type SqlValue = null | string | number | bigint | Uint8Array;
export type SqlResult = z.output<typeof executed>;

/** A database by its URL, or by its id under the first host. */
export interface SqlTarget {
  url?: string | undefined;
  id?: string | undefined;
  token: Secret;
}

/** `optional`: if it fails, the following statements still run. */
export interface TriedStatement {
  sql: string;
  withoutRows?: boolean;
  optional?: boolean;
}

/** `skipped`: a statement before it failed. */
export type Tried =
  | { kind: 'rows'; result: SqlResult }
  | { kind: 'failed'; message: string; code: string | undefined }
  | { kind: 'skipped' };

/** Statements are sent once, and only to hosts in the settings. Other hosts throw `UsageError`. */
export function createSql(transport: Transport, { hosts }: { hosts: readonly string[] }) {
  const callOf = (target: SqlTarget, requests: readonly object[]) => ({
    ...endpoint('POST https://<database>/v2/pipeline'),
    body: { requests },
    database: { address: databaseAddress(target, hosts), token: target.token },
  });
  return {
    /** For the check before a token is made. Throws `UsageError`. */
    checkAddress: (target: Omit<SqlTarget, 'token'>) => void databaseAddress(target, hosts),

    /** Runs all, even after a failure. Throws `SqlError` for the first, `PlatformShapeError` for missing results. */
    async execute(target: SqlTarget, statements: readonly string[], options?: CallOptions) {
      const requests = statements.map((sql) => ({ type: 'execute', stmt: { sql } }));
      // The server would keep the stream for a while.
      const call = callOf(target, [...requests, { type: 'close' }]);
      const body = await transport.post(call, options);

      const items = pipeline.safeParse(body).data?.results.slice(0, statements.length) ?? [];
      const { service, method, path } = call;
      const failure = items.map((item) => failedItem.safeParse(item)).find(({ success }) => success);
      if (failure !== undefined) {
        const { error } = failure.data ?? {};
        const said = error && withoutValues(error, statements.join(' '));
        throw new SqlError(said ?? 'The database refused the statement without saying why.', {
          status: 200,
          service,
          method,
          path,
          key: error?.code,
        });
      }
      const results = items.flatMap((item) => executedItem.safeParse(item).data?.response.result ?? []);
      if (results.length === statements.length) return results;
      throw new PlatformShapeError('It is not the answer of a database.', { service, method, path });
    },

    /** Runs one `batch` (an extension) and rolls it back. Undefined: the platform knows no `batch`, and nothing ran. */
    async rehearse(target: SqlTarget, statements: readonly TriedStatement[], options?: CallOptions) {
      // `execute` items would run even if `BEGIN` failed.
      const needed = statements.flatMap(({ optional }, index) => (optional ? [] : [index + 1]));
      const afterOf = (step: number) => Math.max(0, ...needed.filter((one) => one < step));
      const steps = [
        { stmt: { sql: 'BEGIN' } },
        ...statements.map(({ sql, withoutRows }, index) => ({
          stmt: { sql, ...(withoutRows ? { want_rows: false } : {}) },
          condition: { type: 'ok', step: afterOf(index + 1) },
        })),
        { stmt: { sql: 'ROLLBACK' }, condition: { type: 'ok', step: 0 } },
      ];
      const call = callOf(target, [{ type: 'batch', batch: { steps } }, { type: 'close' }]);
      const answer = pipeline.safeParse(await transport.post(call, options));
      const item = batchItem.safeParse(answer.data?.results[0]);
      if (!item.success) return undefined;
      const { step_results: results, step_errors: errors } = item.data.response.result;
      return statements.map((_, index): Tried => {
        const result = results[index + 1];
        const error = errors[index + 1] ?? (index === 0 ? errors[0] : undefined);
        if (result) return { kind: 'rows', result };
        return error
          ? { kind: 'failed', message: withoutValues(error, statements[index]!.sql) ?? 'no reason', code: error.code }
          : { kind: 'skipped' };
      });
    },
  };
}

/** SQLite quotes values: `bad JSON path: 'hunter2'`. Only constraints, parse errors and the statement's words stay. */
function withoutValues({ message, code = '' }: z.output<typeof stepError>, sql: string): string | undefined {
  if (message === undefined || /parse/i.test(code)) return message;
  const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? [];
  const known = new Set(wordsIn(`${sql} main temp`));
  const end = message.search(/[:"'[](?<!error:)/i);
  const [head, rest] = end < 0 ? [message, ''] : [message.slice(0, end), message.slice(end)];
  const own = /(: syntax error| - should this be a string literal in single-quotes\?)$/.exec(rest)?.[0] ?? '';
  const said = rest.slice(0, rest.length - own.length);
  const isShown = head.endsWith('constraint failed') || wordsIn(said).every((word) => known.has(word));
  return isShown ? message : `${head.trimEnd()} ${MASK}`;
}
