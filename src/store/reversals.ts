import { type REVERSAL_STATES, REVERSAL_TRANSITIONS, type ReversalTransition } from '../changes/change.ts';
import { MINUTE } from '../time.ts';
import { countsOf } from './caps.ts';
import { type Database, timeOf } from './database.ts';
import type { Jobs } from './jobs.ts';
import { moveReversal, reversalStates } from './moves.ts';
import { isGenuine, macOf, placeOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** In milliseconds. How long an Undo button works. */
export const UNDO_WINDOW = 30 * MINUTE;
/** In milliseconds. How often a watched change is looked at. */
export const WATCH_EVERY = 2 * MINUTE;

/** The kind of jobs that undo a change by the clock, or continue an undo of a dead process. */
export const REVERSAL = 'reversal';
export const reversalKey = (confirmation: string): string => `${REVERSAL}:${confirmation}`;

/** The stored way to undo a change. */
export interface Reversal {
  /** The change’s confirmation. */
  confirmation: string;
  /** The arguments of the same operation that undo it. */
  given: Record<string, string>;
  /** Somebody else wrote it, or it was sealed with another key. */
  unreadable?: true;
  state: keyof typeof REVERSAL_STATES;
  /** Until when the button works. */
  undoUntil: Date;
  /** When the clock undoes it. */
  dueAt?: Date;
  watchUntil?: Date;
  /** What was seen while it was watched, for which it is undone. */
  why?: string;
  /** A dead process had begun to undo it. */
  interrupted?: true;
}

const ENDINGS = { done: 'finish', failed: 'close', unknown: 'lose' } as const;

/** Each step is one statement. */
export function createReversals(database: Database, jobs: Pick<Jobs, 'arm'>, seal: Seal = UNSEALED) {
  const found = async (sql: string, args: Parameters<Database['execute']>[1] = {}) =>
    (await database.execute(sql, args)).rows.map((row) => reversalOf(row, seal));
  const readable = (reversals: readonly Reversal[]) => reversals.find(({ unreadable }) => unreadable !== true);
  /** New times for a row, signed; others stay. Undefined: the bot did not write the row. */
  const retimed = async (
    confirmation: string,
    timesOf: (row: Times & { due_in: number | null }, now: number) => Partial<Times>,
  ) => {
    const { rows } = await database.execute(ONE, { confirmation });
    const [row] = rows;
    if (row === undefined || !isGenuine(seal, 'reversals', row)) return undefined;
    const { due_at, undo_until, watch_until, why } = row as unknown as Times;
    const now = await timeOf(database);
    const times = { due_at, undo_until, watch_until, why, ...timesOf(row as never, now) };
    return { now, ...times, mac: macOf(seal, 'reversals', { ...row, ...times }) };
  };
  const moves = (name: ReversalTransition, set: string, confirmation: string, where = '', args = {}) =>
    found(moveReversal(name, set, `confirmation = :confirmation${where}`), { confirmation, ...args });
  return {
    /**
     * Called before the change is sent. Both in milliseconds: after `dueIn` the clock undoes it, for `watchFor` it is watched.
     * They wait for `open`.
     */
    async keep({
      confirmation,
      given,
      dueIn,
      watchFor,
    }: Pick<Reversal, 'confirmation' | 'given'> & { dueIn?: number | undefined; watchFor?: number | undefined }) {
      const row = {
        confirmation,
        given: seal.write(given, placeOf('reversals', 'given', confirmation)),
        due_in: dueIn ?? null,
        watch_until: watchFor === undefined ? null : (await timeOf(database)) + watchFor,
      };
      await database.execute(
        `INSERT INTO reversals (confirmation, given, due_in, watch_until, state, mac)
         VALUES (:confirmation, :given, :due_in, :watch_until, :state, :mac) ON CONFLICT (confirmation) DO NOTHING`,
        { ...row, state: REVERSAL_TRANSITIONS.keep.to, mac: macOf(seal, 'reversals', row) },
      );
    },
    /** The change was made, or may have been, so it can be undone from now on. */
    async open(confirmation: string) {
      const times = await retimed(confirmation, ({ due_in }, now) => ({
        due_at: due_in === null ? null : now + due_in,
        undo_until: now + Math.max(UNDO_WINDOW, due_in ?? 0),
      }));
      if (times === undefined) return;
      const dueIn = (times.due_at ?? Number.POSITIVE_INFINITY) - times.now;
      const first = times.watch_until === null ? dueIn : Math.min(dueIn, WATCH_EVERY);
      if (Number.isFinite(first)) await jobs.arm(REVERSAL, reversalKey(confirmation), first);
      await moves('open', SIGNED_TIMES, confirmation, '', times);
    },
    read: async (confirmation: string) => readable(await found(ONE, { confirmation })),
    /** How many the clock will undo: of a person, and of everybody. */
    async pending({ id: actor, teamId: team }: { id: string; teamId: string }) {
      const own = 'count(CASE WHEN c.actor = :actor AND c.team = :team THEN 1 END)';
      const { rows } = await database.execute(`SELECT count(*) AS "all", ${own} AS own ${TIMED}`, { actor, team });
      return countsOf(rows[0]);
    },
    /** Those that the clock will undo, of a person or of everybody, soonest first. */
    async timed(limit: number, actor?: { id: string; teamId: string }) {
      const whose = actor === undefined ? '' : 'AND c.actor = :actor AND c.team = :team';
      const args = actor === undefined ? { limit } : { limit, actor: actor.id, team: actor.teamId };
      const all = await found(`SELECT r.* ${TIMED} ${whose} ORDER BY r.due_at LIMIT :limit`, args);
      return all.filter(({ unreadable }) => unreadable !== true);
    },
    /** When the clock undoes a change of this target. Undefined: it does not. */
    async dueAt(operation: string, target: string) {
      const { rows } = await database.execute(
        `SELECT min(r.due_at) AS due ${TIMED} AND c.operation = :operation AND c.target = :target`,
        { operation, target },
      );
      return rows[0]?.due === null ? undefined : new Date(Number(rows[0]?.due));
    },
    /** Earlier changes of the same target whose button would still work. */
    async earlier({ id, operation, target }: { id: string; operation: string; target: string }) {
      const { rows } = await database.execute(
        `SELECT r.confirmation FROM reversals AS r JOIN confirmations AS c ON c.id = r.confirmation
         WHERE r.state IN (${reversalStates('open')}) AND r.undo_until > :now AND r.confirmation <> :id
           AND c.operation = :operation AND c.target = :target`,
        { id, operation, target },
      );
      return rows.map(({ confirmation }) => String(confirmation));
    },
    /** For the button. Undefined: it is not open, or too late. */
    claim: async (confirmation: string) => readable(await moves('claim', '', confirmation, ' AND undo_until > :now')),
    /** It is due now, because of what was seen while it was watched. */
    async hasten(confirmation: string, why: string) {
      const times = await retimed(confirmation, (_, now) => ({ due_at: now, why }));
      if (times !== undefined) await moves('hasten', SIGNED_TIMES, confirmation, ' AND watch_until > :now', times);
    },
    /** For the holder of its job: it is due, or a dead process left it (`interrupted`). */
    async due(confirmation: string) {
      const [left] = await moves('resume', '', confirmation);
      if (left !== undefined) return { ...left, interrupted: true as const };
      return (await moves('due', '', confirmation, ' AND due_at <= :now'))[0];
    },
    /** Milliseconds until its job is due. Undefined: there is nothing more to do. */
    async dueIn(confirmation: string) {
      const { rows } = await database.execute(
        `SELECT CASE WHEN state IN (${reversalStates('claimed')}) THEN ${MINUTE}
           WHEN ${IS_WATCHED} AND coalesce(due_at, 9e15) > :now + ${WATCH_EVERY} THEN ${WATCH_EVERY}
           ELSE due_at - :now END AS due_in
         FROM reversals WHERE confirmation = :confirmation
           AND (state IN (${reversalStates('claimed')})
             OR (state IN (${reversalStates('open')}) AND (due_at IS NOT NULL OR ${IS_WATCHED})))`,
        { confirmation },
      );
      return rows[0] && Math.max(0, Number(rows[0].due_in));
    },
    async settle(confirmation: string, state: keyof typeof ENDINGS) {
      await moves(ENDINGS[state], '', confirmation);
    },
    /** Nothing was undone, so it can be tried again within its time. The clock tries again only if it is not due yet. */
    async reopen(confirmation: string) {
      const times = await retimed(confirmation, ({ due_in, undo_until }, now) => {
        // The time of `--for`, even if the watch has hastened it.
        const due = due_in === null ? 0 : undo_until - Math.max(0, UNDO_WINDOW - due_in);
        // It was watched: once is enough.
        return { due_at: due > now ? due : null, watch_until: null, why: null };
      });
      if (times === undefined) return;
      const open = await moves('reopen', SIGNED_TIMES, confirmation, ' AND undo_until > :now', times);
      if (open.length === 0) await moves('close', SIGNED_TIMES, confirmation, '', times);
    },
  };
}

const ONE = 'SELECT * FROM reversals WHERE confirmation = :confirmation';
const TIMED = `FROM reversals AS r JOIN confirmations AS c ON c.id = r.confirmation
  WHERE r.state IN (${reversalStates('open', 'claimed')}) AND r.due_at IS NOT NULL`;

/** When the clock undoes it, until when the button works, and until when it is watched. */
interface Times {
  due_at: number | null;
  undo_until: number;
  watch_until: number | null;
  why: string | null;
}

const SIGNED_TIMES = 'due_at = :due_at, undo_until = :undo_until, watch_until = :watch_until, why = :why, mac = :mac';
const IS_WATCHED = '(watch_until > :now AND why IS NULL)';

export function reversalOf(row: Record<string, unknown>, seal: Seal): Reversal {
  const confirmation = String(row.confirmation);
  const given = seal.read(String(row.given), placeOf('reversals', 'given', confirmation));
  return {
    confirmation,
    given: (given ?? {}) as Reversal['given'],
    ...(given !== undefined && isGenuine(seal, 'reversals', row) ? {} : { unreadable: true }),
    state: String(row.state) as Reversal['state'],
    undoUntil: new Date(Number(row.undo_until ?? 0)),
    ...(row.due_at === null ? {} : { dueAt: new Date(Number(row.due_at)) }),
    ...(row.watch_until === null ? {} : { watchUntil: new Date(Number(row.watch_until)) }),
    ...(row.why === null ? {} : { why: String(row.why) }),
  };
}
