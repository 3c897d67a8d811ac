import { type Args, type Database, timeOf } from './database.ts';

/**
 * How a slot ended: `posted` (a message of its own), `updated` (an earlier message tells it), `quiet`
 * (nothing to say), `muted`, `folded` (a later slot covers it), `failed`, `missed` (the bot came back too late), `dropped` (unsubscribed).
 */
export type SlotOutcome = 'posted' | 'updated' | 'quiet' | 'muted' | 'folded' | 'failed' | 'missed' | 'dropped';

export interface OpenedSlot {
  slot: Date;
  state: 'due' | 'folded' | 'missed';
  /** The slot’s time, or the end of quiet hours. */
  notBefore: Date;
  foldedInto?: Date | undefined;
}

/** The right to do a slot, until somebody has a higher epoch. */
export interface Claim {
  subscription: number;
  slot: Date;
  /** The fencing token: how often it was claimed. */
  epoch: number;
  /** The message may have been sent, by this process or an earlier owner. */
  sending: boolean;
  attempts: number;
  /** The fingerprint of what is about to be sent. */
  fingerprint?: string | undefined;
}

export interface Settlement {
  state: SlotOutcome;
  /** The window that the message covers. */
  from?: Date | undefined;
  to?: Date | undefined;
  ts?: string | undefined;
  /** The fingerprint of the message. A mute may last until it changes. */
  fingerprint?: string | undefined;
}

const OURS = 'subscription = :subscription AND slot = :slot';
const MINE = `${OURS} AND state = 'due' AND epoch = :epoch`;
const keyOf = ({ subscription, slot, epoch }: Claim) => ({ subscription, slot: slot.getTime(), epoch });

/**
 * One row for each subscription and slot, and one statement for each step. So any number of replicas, crashes and restarts post a
 * slot once: opened → claimed (a new epoch) → sending (fence and intent in one) → settled. Only the holder of the subscription’s job
 * claims.
 */
export type ReportLedger = ReturnType<typeof createReportLedger>;

export function createReportLedger(database: Database) {
  const changes = async (sql: string, args: Args): Promise<boolean> =>
    (await database.execute(sql, args)).changed === 1;
  return {
    now: async () => new Date(await timeOf(database)),

    /** Adds slots that are missing, unless the subscription has a newer version. */
    async open({ id, version }: { id: number; version: number }, slots: readonly OpenedSlot[]) {
      if (slots.length === 0) return;
      const rows = slots.map(({ slot, state, notBefore, foldedInto }) => ({
        slot: slot.getTime(),
        state,
        not_before: notBefore.getTime(),
        folded_into: foldedInto?.getTime(),
      }));
      await database.execute(
        `INSERT INTO report_ledger (subscription, slot, state, not_before, folded_into, settled_at)
         SELECT :id, slot, state, not_before, folded_into, CASE WHEN state <> 'due' THEN :now END
         FROM ROWS(:rows, slot INTEGER, state TEXT, not_before INTEGER, folded_into INTEGER) AS given
         WHERE EXISTS (SELECT 1 FROM subscriptions WHERE id = :id AND version = :version AND state <> 'ended')
         ON CONFLICT (subscription, slot) DO NOTHING`,
        { id, version, rows: JSON.stringify(rows) },
      );
    },

    /** The oldest due slot, else the next one, with the milliseconds until then. Undefined: there is none. */
    async next(subscription: number) {
      const { rows } = await database.execute(
        `SELECT slot, not_before - :now AS delay FROM report_ledger WHERE subscription = :subscription AND state = 'due'
         ORDER BY CASE WHEN not_before <= :now THEN 0 ELSE not_before END, slot LIMIT 1`,
        { subscription },
      );
      return rows[0] && { slot: new Date(Number(rows[0].slot)), delay: Number(rows[0].delay) };
    },

    /** The slots that this one covers, oldest first. */
    async folded(subscription: number, slot: Date) {
      const { rows } = await database.execute(
        'SELECT slot FROM report_ledger WHERE subscription = :subscription AND folded_into = :slot ORDER BY slot',
        { subscription, slot: slot.getTime() },
      );
      return rows.map((row) => new Date(Number(row.slot)));
    },

    /** Folds waiting slots that are older into this one. */
    async foldWaiting(subscription: number, into: Date) {
      await database.execute(
        `UPDATE report_ledger SET state = 'folded', folded_into = :into, settled_at = :now
         WHERE subscription = :subscription AND slot < :into AND state = 'due' AND not_before > :now`,
        { subscription, into: into.getTime() },
      );
    },

    /** Undefined: the slot is not due, or has ended. */
    async claim(subscription: number, slot: Date) {
      const { rows } = await database.execute(
        `UPDATE report_ledger SET epoch = epoch + 1 WHERE ${OURS} AND state = 'due' AND not_before <= :now
         RETURNING epoch, sending, attempts`,
        { subscription, slot: slot.getTime() },
      );
      if (rows[0] === undefined) return undefined;
      const { epoch, sending, attempts } = rows[0] as Record<'epoch' | 'sending' | 'attempts', number>;
      return { subscription, slot, epoch, sending: sending === 1, attempts };
    },

    /** Stored before the message leaves. False: the claim is lost, and nothing may be sent. */
    sending: (claim: Claim) =>
      changes(`UPDATE report_ledger SET sending = 1, print = :print WHERE ${MINE}`, {
        ...keyOf(claim),
        print: claim.fingerprint ?? null,
      }),

    /** It can be claimed again after `delay`. Undefined: something may have been sent, so the next owner looks first. */
    async release(claim: Claim, delay?: number) {
      const unsent = delay === undefined ? '' : `, sending = 0, not_before = :now + ${delay}`;
      await database.execute(`UPDATE report_ledger SET attempts = attempts + 1${unsent} WHERE ${MINE}`, keyOf(claim));
    },

    settle: (claim: Claim, { state, from, to, ts, fingerprint }: Settlement) =>
      changes(
        `UPDATE report_ledger SET state = :state, covers_from = :from, covers_to = :to, ts = :ts,
           print = coalesce(:print, print), settled_at = :now
         WHERE ${MINE}`,
        {
          ...keyOf(claim),
          state,
          from: from?.getTime() ?? null,
          to: to?.getTime() ?? null,
          ts: ts ?? null,
          print: fingerprint ?? null,
        },
      ),

    /** How far messages and quiet slots cover the time. */
    async coveredUntil(subscription: number) {
      const { rows } = await database.execute(
        'SELECT max(covers_to) AS until FROM report_ledger WHERE subscription = :subscription',
        { subscription },
      );
      const until = rows[0]?.until;
      return until === null || until === undefined ? undefined : new Date(Number(until));
    },

    /** Messages since then by the clock of the store, newest first. `from`: the start of what they cover. */
    async posted(subscription: number, since: Date) {
      const { rows } = await database.execute(
        `SELECT slot, ts, covers_from FROM report_ledger
         WHERE subscription = :subscription AND state = 'posted' AND settled_at > :since ORDER BY slot DESC`,
        { subscription, since: since.getTime() },
      );
      return rows.map(({ slot, ts, covers_from: from }) => ({
        slot: new Date(Number(slot)),
        ...(ts === null ? {} : { ts: String(ts) }),
        ...(from === null ? {} : { from: new Date(Number(from)) }),
      }));
    },

    /** `before`: of slots before this one. */
    async lastFingerprint(subscription: number, before?: Date) {
      const { rows } = await database.execute(
        `SELECT print FROM report_ledger WHERE subscription = :subscription AND print IS NOT NULL
           AND state IN ('posted', 'updated', 'quiet') AND slot < :before
         ORDER BY slot DESC LIMIT 1`,
        { subscription, before: before?.getTime() ?? Number.MAX_SAFE_INTEGER },
      );
      return rows[0] === undefined ? undefined : String(rows[0].print);
    },
  };
}
