import { LEASE } from './confirmations.ts';
import type { Database } from './database.ts';
import { type SealedJson, UNSEALED } from './seal.ts';

/** How long after a change its Undo button works, in milliseconds. */
export const UNDO_WINDOW = 15 * 60_000;

/** How a change that was made can be taken back: the arguments that do so, and the state that it made. */
export interface Reversal {
  /** The confirmation of the change. */
  confirmation: string;
  /** The arguments of the same operation that put it back. */
  given: Record<string, string>;
  /** Until when the button works. */
  undoUntil: Date;
  /** When it is put back by itself. */
  dueAt?: Date;
}

export interface Reversals {
  /** Before the change leaves: how it would be taken back, and after how many ms by itself. Nothing happens until `open`. */
  keep(reversal: { confirmation: string; given: Record<string, string>; dueIn?: number | undefined }): Promise<void>;
  /** The change was made, or may have been: from now on it can be taken back. */
  open(confirmation: string): Promise<void>;
  read(confirmation: string): Promise<(Reversal & { state: string }) | undefined>;
  /** For the button: open and within its time. */
  claim(confirmation: string): Promise<Reversal | undefined>;
  /** For the clock: each that is due, or whose process died (`interrupted`), is handed out once. */
  due(): Promise<(Reversal & { interrupted: boolean })[]>;
  settle(confirmation: string, state: 'done' | 'failed'): Promise<void>;
  /** Nothing was put back, and it can be tried again while its time lasts; by the clock only what is not due yet. */
  reopen(confirmation: string): Promise<void>;
}

export function createReversals(database: Database, sealed: SealedJson = UNSEALED): Reversals {
  const reversalOf = (row: Record<string, unknown>) => readReversal(row, sealed);
  return {
    async keep({ confirmation, given, dueIn }) {
      await database.execute(
        `INSERT OR IGNORE INTO reversals (confirmation, given, due_in, state) VALUES (:confirmation, :given, :dueIn, 'kept')`,
        { confirmation, given: sealed.write(given, confirmation), dueIn: dueIn ?? null },
      );
    },
    async open(confirmation) {
      await database.execute(
        `UPDATE reversals SET state = 'open', due_at = :now + due_in, undo_until = :now + max(:window, coalesce(due_in, 0))
         WHERE confirmation = :confirmation AND state = 'kept'`,
        { confirmation, window: UNDO_WINDOW },
      );
    },
    async read(confirmation) {
      const { rows } = await database.execute('SELECT * FROM reversals WHERE confirmation = :confirmation', {
        confirmation,
      });
      return rows[0] === undefined ? undefined : { ...reversalOf(rows[0]), state: String(rows[0].state) };
    },
    async claim(confirmation) {
      const { rows } = await database.execute(
        `UPDATE reversals SET state = 'claimed', lease_until = :now + :lease
         WHERE confirmation = :confirmation AND state = 'open' AND undo_until > :now RETURNING *`,
        { confirmation, lease: LEASE },
      );
      return rows[0] === undefined ? undefined : reversalOf(rows[0]);
    },
    async due() {
      const handedOut = (which: string) =>
        database.execute(
          `UPDATE reversals SET state = 'claimed', lease_until = :now + :lease WHERE ${which} RETURNING *`,
          { lease: LEASE },
        );
      const interrupted = await handedOut(`state = 'claimed' AND lease_until < :now`);
      const open = await handedOut(`state = 'open' AND due_at <= :now`);
      return [
        ...interrupted.rows.map((row) => ({ ...reversalOf(row), interrupted: true })),
        ...open.rows.map((row) => ({ ...reversalOf(row), interrupted: false })),
      ];
    },
    async settle(confirmation, state) {
      await database.execute(
        `UPDATE reversals SET state = :state, lease_until = NULL WHERE confirmation = :confirmation AND state = 'claimed'`,
        { confirmation, state },
      );
    },
    async reopen(confirmation) {
      await database.execute(
        `UPDATE reversals SET state = CASE WHEN undo_until > :now THEN 'open' ELSE 'failed' END,
           due_at = CASE WHEN due_at > :now THEN due_at END, lease_until = NULL
         WHERE confirmation = :confirmation AND state = 'claimed'`,
        { confirmation },
      );
    },
  };
}

function readReversal(row: Record<string, unknown>, sealed: SealedJson): Reversal {
  const confirmation = String(row.confirmation);
  return {
    confirmation,
    // Sealed with another key it cannot be followed, and what needs its arguments says so.
    given: (sealed.read(String(row.given), confirmation) ?? {}) as Reversal['given'],
    undoUntil: new Date(Number(row.undo_until ?? 0)),
    ...(row.due_at === null || row.due_at === undefined ? {} : { dueAt: new Date(Number(row.due_at)) }),
  };
}
