import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import type { Secret } from '../../secret.ts';
import { databaseAddress } from '../database-address.ts';
import { SqlError } from '../errors.ts';
import { arrayOf, maybe, maybeNumber, maybeString } from '../shapes.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Spec part 4, row 16. */
const PIPELINE = '/v2/pipeline';

const column = z.object({ name: maybeString, decltype: maybeString });

/** The values of the Hrana protocol (spec part 4: not shown). Source: platform.md 12. Big integers stay exact. */
const value = z.discriminatedUnion('type', [
  z.object({ type: z.literal('null') }).transform(() => null),
  z
    // No integer of SQLite has more digits, and reading a million of them takes seconds.
    .object({ type: z.literal('integer'), value: z.union([z.string().regex(/^-?\d{1,20}$/), z.number().int()]) })
    .transform((one) => {
      const exact = BigInt(one.value);
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
    }),
  // JSON has no infinity: servers write null for it, whichever its sign.
  z.object({ type: z.literal('float'), value: z.number().nullable() }).transform((one) => one.value ?? '±Infinity'),
  z.object({ type: z.literal('text'), value: z.string() }).transform((one) => one.value),
  z
    .object({ type: z.literal('blob'), base64: z.string() })
    .transform((one): Uint8Array => Buffer.from(one.base64, 'base64')),
]);

const executed = z.object({
  cols: arrayOf(column),
  rows: arrayOf(arrayOf(value)),
  affected_row_count: maybeNumber,
  last_insert_rowid: maybe(z.union([z.string(), z.number().transform(String)])),
});

const failedSlot = z.object({
  type: z.literal('error'),
  error: maybe(z.object({ message: maybeString, code: maybeString })),
});
const executedSlot = z.object({
  type: z.literal('ok'),
  response: z.object({ type: z.literal('execute'), result: executed }),
});
const closedSlot = z.object({ type: z.literal('ok'), response: z.object({ type: z.literal('close') }) });
const pipeline = z.object({ results: z.array(z.unknown()) });

const stepError = z.object({ message: maybeString, code: maybeString });
const batchSlot = z.object({
  type: z.literal('ok'),
  response: z.object({
    type: z.literal('batch'),
    result: z.object({ step_results: arrayOf(executed.nullable()), step_errors: arrayOf(stepError.nullable()) }),
  }),
});

/** A value of a row. Integers beyond 2^53 are `bigint`. */
export type SqlValue = null | string | number | bigint | Uint8Array;
/** A column; the name may be missing. */
export type SqlColumn = z.output<typeof column>;

/** What one statement gave; `other` is an answer of a shape that the specification does not show, as it came. */
export type SqlResult =
  | {
      kind: 'rows';
      cols: SqlColumn[];
      rows: SqlValue[][];
      affected_row_count?: number | undefined;
      last_insert_rowid?: string | undefined;
    }
  | { kind: 'other'; body: unknown };

/** A database by its own URL, or by its id under the first host of the settings (spec part 4, note to row 16). */
export interface SqlTarget {
  url?: string | undefined;
  id?: string | undefined;
  token: Secret;
}

/** A statement that is only tried: `optional` ones may fail without keeping those behind them from being tried. */
export interface TriedStatement {
  sql: string;
  /** Leave the rows out of the answer. */
  withoutRows?: boolean;
  optional?: boolean;
}

/** What became of one statement that was tried: its result, why it failed, or `skipped` because one before it failed. */
export type Tried =
  | { kind: 'rows'; result: Extract<SqlResult, { kind: 'rows' }> }
  | { kind: 'failed'; message: string; code: string | undefined }
  | { kind: 'skipped' };

export function createSql(transport: Transport, settings: { hosts: readonly string[]; close: boolean }) {
  return {
    /**
     * Tries statements in a transaction that is rolled back, all in one request. A batch rather than `execute` items, which
     * run whatever became of those before them: without its transaction, no statement may run (spec part 4: other types are
     * not shown; source: platform.md 12). Undefined: the platform does not know batches, and nothing was run. Sent once.
     */
    async rehearse(
      target: SqlTarget,
      statements: readonly TriedStatement[],
      options?: CallOptions,
    ): Promise<Tried[] | undefined> {
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
      const call = {
        service: 'sql',
        method: 'POST',
        path: PIPELINE,
        body: { requests: [{ type: 'batch', batch: { steps } }, { type: 'close' }] },
        database: { address: databaseAddress(target, settings.hosts), token: target.token },
      } as const;
      const answer = pipeline.safeParse(await transport.post(call, options));
      const slot = batchSlot.safeParse(answer.data?.results[0]);
      if (!slot.success) return undefined;
      const { step_results: results, step_errors: errors } = slot.data.response.result;
      return statements.map((_, index): Tried => {
        const result = results[index + 1];
        const error = errors[index + 1] ?? (index === 0 ? errors[0] : undefined);
        if (result) return { kind: 'rows', result: { kind: 'rows', ...result } };
        return error
          ? { kind: 'failed', message: error.message ?? 'no reason', code: error.code }
          : { kind: 'skipped' };
      });
    },

    /**
     * Row 16: runs the statements in order, each for itself, and gives one result per statement. Sent once. Throws `SqlError`
     * for the first that fails: the platform runs those after it all the same. Throws `UsageError` for a host that is not in
     * the settings: a token goes nowhere else.
     */
    async execute(
      target: SqlTarget,
      statements: string | readonly string[],
      options?: CallOptions,
    ): Promise<SqlResult[]> {
      const list = typeof statements === 'string' ? [statements] : statements;
      if (list.length === 0 || list.some((sql) => sql.trim().length === 0)) {
        throw new UsageError('An SQL statement is needed.', { argument: 'sql' });
      }
      const requests: object[] = list.map((sql) => ({ type: 'execute', stmt: { sql } }));
      // The one addition to spec 2.10: it ends the stream, which the server would otherwise keep. Source: platform.md 12.
      if (settings.close) requests.push({ type: 'close' });
      const call = {
        service: 'sql',
        method: 'POST',
        path: PIPELINE,
        body: { requests },
        database: { address: databaseAddress(target, settings.hosts), token: target.token },
      } as const;
      const body = await transport.post(call, options);

      const answer = pipeline.safeParse(body);
      if (!answer.success) return [{ kind: 'other', body }];
      // One result an item: what there is beyond was not asked for.
      const slots = answer.data.results.slice(0, requests.length);
      const failure = slots.findIndex((slot) => failedSlot.safeParse(slot).success);
      if (failure >= 0) {
        const { error } = failedSlot.parse(slots[failure]);
        const succeeded = slots.filter((slot) => executedSlot.safeParse(slot).success).length;
        throw new SqlError(
          error?.message ?? 'The database refused the statement without saying why.',
          {
            status: 200,
            service: call.service,
            method: call.method,
            path: call.path,
            key: error?.code,
          },
          failure,
          succeeded,
        );
      }
      return slots
        .filter((slot, index) => index < list.length || !closedSlot.safeParse(slot).success)
        .map((slot): SqlResult => {
          const understood = executedSlot.safeParse(slot);
          return understood.success
            ? { kind: 'rows', ...understood.data.response.result }
            : { kind: 'other', body: slot };
        });
    },
  };
}
