import { type REVERSAL_STATES, REVERSAL_TRANSITIONS, type ReversalTransition } from '../changes/change.ts';
import { MINUTE } from '../time.ts';
import { LEASE } from './confirmations.ts';
import type { Database } from './database.ts';
import { moveReversal } from './moves.ts';
import { type SealedJson, UNSEALED } from './seal.ts';

/** The Undo button of a change works so long, in milliseconds. */
export const UNDO_WINDOW = 15 * MINUTE;

/** The undo of a change: its arguments, and its state. */
export interface Reversal {
  /** The confirmation of the change. */
  confirmation: string;
  /** The arguments of the same operation that undo it. */
  given: Record<string, string>;
  state: keyof typeof REVERSAL_STATES;
  /** Until when the button works. */
  undoUntil: Date;
  /** When it is put back by itself. */
  dueAt?: Date;
}

/** The undos of changes; each step is one statement. */
export interface Reversals {
  /** Before the change leaves: how it would be taken back, and after how many ms by itself. Nothing happens until `open`. */
  keep(reversal: { confirmation: string; given: Record<string, string>; dueIn?: number | undefined }): Promise<void>;
  /** The change was made, or may have been: from now on it can be taken back. */
  open(confirmation: string): Promise<void>;
  read(confirmation: string): Promise<Reversal | undefined>;
  /** For the button: open and within its time. */
  claim(confirmation: string): Promise<Reversal | undefined>;
  /** For the clock: each that is due, or whose process died (`interrupted`), is handed out once. */
  due(): Promise<(Reversal & { interrupted: boolean })[]>;
  settle(confirmation: string, state: 'done' | 'failed'): Promise<void>;
  /** Nothing was put back, and it can be tried again while its time lasts; by the clock only what is not due yet. */
  reopen(confirmation: string): Promise<void>;
}

/** Reversals in a database. */
export function createReversals(database: Database, sealed: SealedJson = UNSEALED): Reversals {
  const found = async (sql: string, args: Parameters<Database['execute']>[1] = {}) =>
    (await database.execute(sql, args)).rows.map((row) => reversalOf(row, sealed));
  const moves = (name: ReversalTransition, set: string, confirmation: string, where = '', args = {}) =>
    found(moveReversal(name, set, `confirmation = :confirmation${where}`), { confirmation, ...args });
  return {
    async keep({ confirmation, given, dueIn }) {
      await database.execute(
        `INSERT OR IGNORE INTO reversals (confirmation, given, due_in, state) VALUES (:confirmation, :given, :dueIn, :state)`,
        {
          confirmation,
          given: sealed.write(given, confirmation),
          dueIn: dueIn ?? null,
          state: REVERSAL_TRANSITIONS.keep.to,
        },
      );
    },
    async open(confirmation) {
      const until = `:now + max(${UNDO_WINDOW}, coalesce(due_in, 0))`;
      await moves('open', `due_at = :now + due_in, undo_until = ${until}`, confirmation);
    },
    read: async (confirmation) =>
      (await found('SELECT * FROM reversals WHERE confirmation = :confirmation', { confirmation }))[0],
    claim: async (confirmation) => (await moves('claim', HELD, confirmation, ' AND undo_until > :now'))[0],
    async due() {
      const interrupted = await found(moveReversal('resume', HELD, 'lease_until < :now'));
      const due = await found(moveReversal('due', HELD, 'due_at <= :now'));
      return [
        ...interrupted.map((reversal) => ({ ...reversal, interrupted: true })),
        ...due.map((reversal) => ({ ...reversal, interrupted: false })),
      ];
    },
    async settle(confirmation, state) {
      await moves(state === 'done' ? 'finish' : 'close', 'lease_until = NULL', confirmation);
    },
    async reopen(confirmation) {
      const set = 'due_at = CASE WHEN due_at > :now THEN due_at END, lease_until = NULL';
      const open = await moves('reopen', set, confirmation, ' AND undo_until > :now');
      if (open.length === 0) await moves('close', set, confirmation);
    },
  };
}

const HELD = `lease_until = :now + ${LEASE}`;

function reversalOf(row: Record<string, unknown>, sealed: SealedJson): Reversal {
  const confirmation = String(row.confirmation);
  return {
    confirmation,
    // Sealed with another key it cannot be followed, and what needs its arguments says so.
    given: (sealed.read(String(row.given), confirmation) ?? {}) as Reversal['given'],
    state: String(row.state) as Reversal['state'],
    undoUntil: new Date(Number(row.undo_until ?? 0)),
    ...(row.due_at === null || row.due_at === undefined ? {} : { dueAt: new Date(Number(row.due_at)) }),
  };
}
