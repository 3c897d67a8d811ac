import { WAY_BACK, type WAY_BACK_STATES } from '../changes/change.ts';
import { LEASE } from './confirmations.ts';
import type { Database } from './database.ts';
import { moveWayBack } from './moves.ts';
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
  read(confirmation: string): Promise<(Reversal & { state: keyof typeof WAY_BACK_STATES }) | undefined>;
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
  async function settle(confirmation: string, state: 'done' | 'failed'): Promise<void> {
    const move = moveWayBack(
      state === 'done' ? 'finish' : 'close',
      'lease_until = NULL',
      'confirmation = :confirmation',
    );
    await database.execute(move, { confirmation });
  }
  return {
    async keep({ confirmation, given, dueIn }) {
      await database.execute(
        `INSERT OR IGNORE INTO reversals (confirmation, given, due_in, state) VALUES (:confirmation, :given, :dueIn, :state)`,
        { state: WAY_BACK.keep.to, confirmation, given: sealed.write(given, confirmation), dueIn: dueIn ?? null },
      );
    },
    async open(confirmation) {
      await database.execute(
        moveWayBack(
          'open',
          'due_at = :now + due_in, undo_until = :now + max(:window, coalesce(due_in, 0))',
          'confirmation = :confirmation',
        ),
        { confirmation, window: UNDO_WINDOW },
      );
    },
    async read(confirmation) {
      const { rows } = await database.execute('SELECT * FROM reversals WHERE confirmation = :confirmation', {
        confirmation,
      });
      return rows[0] === undefined
        ? undefined
        : { ...reversalOf(rows[0]), state: String(rows[0].state) as keyof typeof WAY_BACK_STATES };
    },
    async claim(confirmation) {
      const { rows } = await database.execute(
        moveWayBack('claim', 'lease_until = :now + :lease', 'confirmation = :confirmation AND undo_until > :now'),
        { confirmation, lease: LEASE },
      );
      return rows[0] === undefined ? undefined : reversalOf(rows[0]);
    },
    async due() {
      const handedOut = (move: 'resume' | 'due', when: string) =>
        database.execute(moveWayBack(move, 'lease_until = :now + :lease', when), { lease: LEASE });
      const interrupted = await handedOut('resume', 'lease_until < :now');
      const open = await handedOut('due', 'due_at <= :now');
      return [
        ...interrupted.rows.map((row) => ({ ...reversalOf(row), interrupted: true })),
        ...open.rows.map((row) => ({ ...reversalOf(row), interrupted: false })),
      ];
    },
    settle,
    async reopen(confirmation) {
      const { rows } = await database.execute(
        moveWayBack(
          'reopen',
          'due_at = CASE WHEN due_at > :now THEN due_at END, lease_until = NULL',
          'confirmation = :confirmation AND undo_until > :now',
        ),
        { confirmation },
      );
      if (rows.length === 0) await settle(confirmation, 'failed');
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
