import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';
import { type SealedJson, UNSEALED } from './seal.ts';

/** How long a person has to press the button, in milliseconds. */
export const CONFIRMATION_LIFETIME = 15 * 60_000;
const DAY = 86_400_000;
/** How long a claim is believed without a sign of life, in milliseconds. */
export const LEASE = 60_000;
/** How long it is tried to tell somebody how something ended, in milliseconds. */
const TELLING = 24 * 3_600_000;
/** The outcome of a claim whose process died before the request left: it is certain that nothing was done. */
export const NOT_SENT = 'not sent: the bot stopped before the request left';

/**
 * drafted (needs others' approval) → waiting → asked or rejected; otherwise asked at once.
 * asked → claimed (being checked again) → sent (the request may be out) → done, failed or unknown.
 * asked → refused (the state changed), cancelled or expired.
 * Whatever state it comes to, its lease runs until the person was told: what nobody was told is told by whoever is alive.
 */
export type ConfirmationState =
  | 'drafted'
  | 'waiting'
  | 'rejected'
  | 'asked'
  | 'claimed'
  | 'sent'
  | 'done'
  | 'failed'
  | 'unknown'
  | 'refused'
  | 'cancelled'
  | 'expired';

/** What a change that others have to approve was asked with. */
export interface ApprovalAsked {
  /** How many others have to agree, and how long they have (ms). */
  count: number;
  lifetime: number;
  /** What the policy decides by. */
  names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** What the requester is in the workspace. */
  kind?: 'member' | 'guest' | 'stranger';
  /** What the requester was warned of, as blocks: those who approve read it too. */
  remarks?: unknown;
}

/** A change that was asked for: bound to one person, the resolved ids and the previewed state. */
export interface Confirmation {
  id: string;
  operation: string;
  /** The arguments as texts that resolve to the very same things (ids, file hashes). Sealed in the store: people type secrets. */
  given: Record<string, string>;
  /** It was sealed with another key: what was asked for is not known any more. */
  unreadable?: true;
  target: string;
  /** What has to be typed, for a destructive operation. */
  typedName?: string;
  /** The previewed state, to be compared with the state at the time of confirming. */
  preview: { before?: Record<string, unknown> | undefined; after: Record<string, unknown> };
  actor: string;
  team: string;
  channel: string;
  thread?: string | undefined;
  state: ConfirmationState;
  /** Set when others have to approve it. Sealed in the store, as what was typed is. */
  approval?: ApprovalAsked;
  /** Why the requester wants it. */
  reason?: string;
  /** It was let through without approval. */
  glassBroken?: boolean;
  /** Its one message in the channel. */
  post?: { channel: string; ts: string };
  outcome?: string;
  createdAt: Date;
  expiresAt: Date;
}

/** What is known when something is asked for. */
export type Asked = Pick<
  Confirmation,
  'operation' | 'given' | 'target' | 'preview' | 'actor' | 'team' | 'channel' | 'typedName' | 'thread' | 'approval'
> & { id?: string };

export interface Confirmations {
  /** asked, or drafted when it needs approval. With an `id` of its own, asking again finds the one that is there. */
  ask(confirmation: Asked): Promise<Confirmation>;
  read(id: string): Promise<Confirmation | undefined>;
  /** asked → claimed, for the person who asked, before the expiry. Undefined: somebody or something else was first. */
  claim(id: string, actor: { id: string; teamId: string }): Promise<Confirmation | undefined>;
  /** claimed → sent: written before the request leaves. False: the claim is no longer ours. */
  send(id: string): Promise<boolean>;
  /** Keeps a claim alive while its work goes on. */
  renew(id: string): Promise<void>;
  settle(id: string, state: 'done' | 'failed' | 'unknown' | 'refused', outcome: string): Promise<boolean>;
  /** asked → cancelled, by the person who asked. */
  cancel(id: string, actor: { id: string; teamId: string }): Promise<boolean>;
  /** The person knows how it stands: nobody else has to say it. */
  told(id: string): Promise<void>;
  /**
   * What a process left behind that gave no sign of life: sent → unknown, claimed → failed (with NOT_SENT), and whatever has
   * come to a state that nobody was told. Each is handed out to one caller, and again after a lease unless `told` is called.
   */
  abandoned(): Promise<Confirmation[]>;
  /** Empties the arguments of what ended more than a day ago, and drops it after a month. The audit remembers. */
  forget(): Promise<void>;
  /** Past the expiry → expired; each is handed out once. */
  expire(): Promise<Confirmation[]>;
}

export function createConfirmations(database: Database, sealed: SealedJson = UNSEALED): Confirmations {
  const confirmationOf = readConfirmation(sealed);
  return {
    async ask(confirmation) {
      const id = confirmation.id ?? randomBytes(12).toString('base64url');
      const { rows } = await database.execute(
        `INSERT INTO confirmations (id, operation, given, target, typed_name, preview, actor, team, channel, thread, state,
           approval, created_at, expires_at)
         VALUES (:id, :operation, :given, :target, :typedName, :preview, :actor, :team, :channel, :thread, :state,
           :approval, :now, :now + :lifetime)
         ON CONFLICT (id) DO UPDATE SET id = id
         RETURNING *`,
        {
          id,
          state: confirmation.approval === undefined ? 'asked' : 'drafted',
          approval: confirmation.approval === undefined ? null : sealed.write(confirmation.approval, id),
          operation: confirmation.operation,
          given: sealed.write(confirmation.given, id),
          target: confirmation.target,
          typedName: confirmation.typedName ?? null,
          preview: sealed.write(confirmation.preview, id),
          actor: confirmation.actor,
          team: confirmation.team,
          channel: confirmation.channel,
          thread: confirmation.thread ?? null,
          lifetime: CONFIRMATION_LIFETIME,
        },
      );
      return confirmationOf(rows[0]!);
    },
    async read(id) {
      const { rows } = await database.execute('SELECT * FROM confirmations WHERE id = :id', { id });
      return rows[0] === undefined ? undefined : confirmationOf(rows[0]);
    },
    async claim(id, actor) {
      const { rows } = await database.execute(
        `UPDATE confirmations SET state = 'claimed', lease_until = :now + :lease
         WHERE id = :id AND state = 'asked' AND actor = :actor AND team = :team AND expires_at > :now RETURNING *`,
        { id, actor: actor.id, team: actor.teamId, lease: LEASE },
      );
      return rows[0] === undefined ? undefined : confirmationOf(rows[0]);
    },
    async send(id) {
      const { changed } = await database.execute(
        `UPDATE confirmations SET state = 'sent', lease_until = :now + :lease WHERE id = :id AND state = 'claimed'`,
        { id, lease: LEASE },
      );
      return changed === 1;
    },
    async renew(id) {
      await database.execute(
        `UPDATE confirmations SET lease_until = :now + :lease WHERE id = :id AND lease_until IS NOT NULL`,
        { id, lease: LEASE },
      );
    },
    async settle(id, state, outcome) {
      const { changed } = await database.execute(
        `UPDATE confirmations SET state = :state, outcome = :outcome, lease_until = :now + :lease
         WHERE id = :id AND state IN ('claimed', 'sent', 'unknown')`,
        { id, state, outcome, lease: LEASE },
      );
      return changed === 1;
    },
    async cancel(id, actor) {
      const { changed } = await database.execute(
        `UPDATE confirmations SET state = 'cancelled', lease_until = :now + :lease
         WHERE id = :id AND state IN ('drafted', 'waiting', 'asked') AND actor = :actor AND team = :team`,
        { id, actor: actor.id, team: actor.teamId, lease: LEASE },
      );
      return changed === 1;
    },
    async told(id) {
      await database.execute(
        `UPDATE confirmations SET lease_until = NULL WHERE id = :id AND state NOT IN ('claimed', 'sent')`,
        { id },
      );
    },
    async abandoned() {
      const sent = await database.execute(
        `UPDATE confirmations SET state = 'unknown', lease_until = :now + :lease
         WHERE state = 'sent' AND lease_until < :now RETURNING *`,
        { lease: LEASE },
      );
      const claimed = await database.execute(
        `UPDATE confirmations SET state = 'failed', outcome = :notSent, lease_until = :now + :lease
         WHERE state = 'claimed' AND lease_until < :now RETURNING *`,
        { notSent: NOT_SENT, lease: LEASE },
      );
      const untold = await database.execute(
        `UPDATE confirmations SET lease_until = :now + :lease
         WHERE state IN ('waiting', 'asked', 'done', 'failed', 'unknown', 'refused', 'cancelled', 'rejected', 'expired')
           AND lease_until < :now AND expires_at > :now - :telling RETURNING *`,
        { lease: LEASE, telling: TELLING },
      );
      return [...sent.rows, ...claimed.rows, ...untold.rows].map(confirmationOf);
    },
    async forget() {
      const ended = `state NOT IN ('drafted', 'waiting', 'asked', 'claimed', 'sent')`;
      await database.execute(`DELETE FROM confirmations WHERE ${ended} AND created_at < :now - :month`, {
        month: 30 * DAY,
      });
      for (const table of ['approvals', 'approval_copies'])
        await database.execute(`DELETE FROM ${table} WHERE confirmation NOT IN (SELECT id FROM confirmations)`);
      await database.execute(`UPDATE confirmations SET given = '{}' WHERE ${ended} AND created_at < :now - :day`, {
        day: DAY,
      });
    },
    async expire() {
      const { rows } = await database.execute(
        `UPDATE confirmations SET lease_until = :now + :lease, state = 'expired',
           outcome = CASE WHEN state = 'waiting' THEN 'not approved in time' ELSE 'not confirmed in time' END
         WHERE state IN ('drafted', 'waiting', 'asked') AND expires_at <= :now RETURNING *`,
        { lease: LEASE },
      );
      return rows.map(confirmationOf);
    },
  };
}

/** A row of the table → a confirmation. */
export function readConfirmation(sealed: SealedJson): (row: Record<string, unknown>) => Confirmation {
  return (row) => confirmationOf(row, sealed);
}

function confirmationOf(row: Record<string, unknown>, sealed: SealedJson): Confirmation {
  const id = String(row.id);
  const given = sealed.read(String(row.given), id) as Confirmation['given'] | undefined;
  const preview = sealed.read(String(row.preview), id) as Confirmation['preview'] | undefined;
  const approval = isNull(row.approval)
    ? undefined
    : ((sealed.read(String(row.approval), id) ?? { count: 1, lifetime: 0 }) as Confirmation['approval']);
  return {
    id,
    operation: String(row.operation),
    given: given ?? {},
    ...(given === undefined || preview === undefined ? { unreadable: true } : {}),
    target: String(row.target),
    ...(row.typed_name === null ? {} : { typedName: String(row.typed_name) }),
    preview: preview ?? { after: {} },
    actor: String(row.actor),
    team: String(row.team),
    channel: String(row.channel),
    ...(row.thread === null ? {} : { thread: String(row.thread) }),
    state: String(row.state) as ConfirmationState,
    ...(row.outcome === null ? {} : { outcome: String(row.outcome) }),
    ...(approval === undefined ? {} : { approval }),
    ...(isNull(row.reason) ? {} : { reason: String(row.reason) }),
    ...(row.glass_broken === 1 ? { glassBroken: true } : {}),
    ...(isNull(row.post_ts) ? {} : { post: { channel: String(row.post_channel), ts: String(row.post_ts) } }),
    createdAt: new Date(Number(row.created_at)),
    expiresAt: new Date(Number(row.expires_at)),
  };
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}
