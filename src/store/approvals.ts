import { TRANSITIONS } from '../changes/change.ts';
import {
  ASKED_AGAIN,
  CONFIRMATION_LIFETIME,
  type Confirmation,
  confirmationOf,
  OWN,
  TO_NOTIFY,
} from './confirmations.ts';
import { type Database, timeOf } from './database.ts';
import { moveChange, states } from './moves.ts';
import { isGenuine, macOf, stepMac } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** An approver's yes or no. */
export interface Verdict {
  approver: string;
  verdict: 'approved' | 'rejected';
  reason?: string;
  at: Date;
}

/** A copy of a change's message, in a direct message. `isOwn`: the requester's. */
export interface Copy {
  channel: string;
  ts: string;
  isOwn?: boolean;
}

/** Approval by others. */
export interface Approvals {
  /** The requester asks the others. Undefined: not this person's, or not drafted any more. */
  request(
    id: string,
    actor: { id: string; teamId: string },
    reason: string,
    lifetime: number,
  ): Promise<Confirmation | undefined>;
  /** Its one message in the channel, to be kept up to date. */
  posted(id: string, post: { channel: string; ts: string }): Promise<void>;
  /** A copy that an approver got directly, or the requester: it is kept up to date too. */
  copied(id: string, copy: Copy): Promise<void>;
  copies(id: string): Promise<Copy[]>;
  /** Before a verdict is noted: should the process die now, another one goes on. */
  hold(id: string): Promise<void>;
  /** Notes a verdict, once a person. False: it is not waiting any more, has expired, or is the person's own. */
  note(
    id: string,
    approver: { id: string; teamId: string },
    verdict: Verdict['verdict'],
    reason: string,
  ): Promise<boolean>;
  /** Decides if enough people said yes and nobody no. From then on it can be run for `lifetime` ms. */
  approve(id: string, count: number, lifetime: number): Promise<Confirmation | undefined>;
  /** Decides against it. */
  reject(id: string, why: string): Promise<Confirmation | undefined>;
  /** Lets it through without approval, with the reason that everybody can read. */
  breakGlass(id: string, actor: { id: string; teamId: string }, reason: string): Promise<Confirmation | undefined>;
  verdicts(id: string): Promise<Verdict[]>;
  /** Takes back every yes of somebody to what still waits. Returns the changes it was said to. */
  retract(approver: string): Promise<Confirmation[]>;
  /** The changes that wait for an approval, oldest first. */
  waiting(limit: number): Promise<Confirmation[]>;
  /** Those of a person that others were asked about: to be run, or expired and not asked for anew; oldest first. */
  decided(actor: { id: string; teamId: string }, limit: number): Promise<Confirmation[]>;
}

/** Approvals in a database. */
export function createApprovals(database: Database, seal: Seal = UNSEALED): Approvals {
  const found = async (sql: string, args: Parameters<Database['execute']>[1]): Promise<Confirmation[]> =>
    (await database.execute(sql, args)).rows.map((row) => confirmationOf(row, seal));
  return {
    ...createCards(database),
    async request(id, { id: actor, teamId: team }, reason, lifetime) {
      const set = `reason = :reason, expires_at = :now + :lifetime, ${TO_NOTIFY}`;
      return (await found(moveChange('request', set, OWN), { id, actor, team, reason, lifetime }))[0];
    },
    async hold(id) {
      await database.execute(`UPDATE confirmations SET ${TO_NOTIFY} WHERE id = :id AND ${WAITING}`, { id });
    },
    async note(id, { id: approver, teamId: team }, verdict, reason) {
      const row = { confirmation: id, approver, verdict, reason, at: await timeOf(database) };
      const { changed } = await database.execute(
        `INSERT OR IGNORE INTO approvals (confirmation, approver, verdict, reason, at, mac)
         SELECT id, :approver, :verdict, :reason, :at, :mac FROM confirmations
         WHERE id = :confirmation AND ${WAITING} AND expires_at > :now AND actor <> :approver AND team = :team`,
        { ...row, team, mac: macOf(seal, 'approvals', row) },
      );
      return changed === 1;
    },
    async approve(id, count, lifetime) {
      const enough = `id = :id AND expires_at > :now
        AND (SELECT count(*) FROM approvals WHERE confirmation = :id AND verdict = 'approved') >= :count
        AND NOT EXISTS (SELECT 1 FROM approvals WHERE confirmation = :id AND verdict = 'rejected')`;
      const set = `expires_at = :now + :lifetime, ${TO_NOTIFY}`;
      return (await found(moveChange('approve', set, enough), { id, count, lifetime }))[0];
    },
    reject: async (id, why) =>
      (await found(moveChange('reject', `outcome = :why, ${TO_NOTIFY}`, 'id = :id'), { id, why }))[0],
    async breakGlass(id, { id: actor, teamId: team }, reason) {
      const set = `reason = :reason, glass_broken = 1, glass_mac = :mac, expires_at = :now + ${CONFIRMATION_LIFETIME}, ${TO_NOTIFY}`;
      return (
        await found(moveChange('breakGlass', set, OWN), {
          id,
          actor,
          team,
          reason,
          mac: stepMac(seal, id, 'glass', reason),
        })
      )[0];
    },
    async verdicts(id) {
      const sql = 'SELECT * FROM approvals WHERE confirmation = :id ORDER BY at, approver';
      const { rows } = await database.execute(sql, { id });
      // A vote that nobody cast here does not count.
      return rows
        .filter((row) => isGenuine(seal, 'approvals', row))
        .map((row) => ({
          approver: String(row.approver),
          verdict: row.verdict === 'approved' ? 'approved' : 'rejected',
          ...(row.reason === '' ? {} : { reason: String(row.reason) }),
          at: new Date(Number(row.at)),
        }));
    },
    async retract(approver) {
      const { rows } = await database.execute(
        `DELETE FROM approvals WHERE approver = :approver AND verdict = 'approved'
           AND confirmation IN (SELECT id FROM confirmations WHERE ${WAITING}) RETURNING confirmation`,
        { approver },
      );
      const ids = rows.map(({ confirmation }) => String(confirmation));
      return (await Promise.all(ids.map((id) => found('SELECT * FROM confirmations WHERE id = :id', { id })))).flat();
    },
    waiting: (limit) =>
      found(`SELECT * FROM confirmations WHERE ${WAITING} AND expires_at > :now ORDER BY created_at LIMIT :limit`, {
        limit,
      }),
    decided: ({ id: actor, teamId: team }, limit) => found(DECIDED, { actor, team, limit }),
  };
}

/** Nothing is offered that was asked for again, or that is about to be forgotten. */
const DECIDED = `SELECT * FROM confirmations AS it
  WHERE actor = :actor AND team = :team AND reason IS NOT NULL AND undoes IS NULL
    AND ((state IN (${states(...TRANSITIONS.claim.from)}) AND expires_at > :now)
      OR (state IN (${states('expired')}) AND expires_at > :now - ${ASKED_AGAIN}
        AND NOT EXISTS (SELECT 1 FROM confirmations AS later WHERE later.actor = it.actor AND later.created_at > it.created_at
          AND later.operation = it.operation AND later.target = it.target)))
  ORDER BY created_at LIMIT :limit`;

const WAITING = `state IN (${states('waiting')})`;

/** The messages about a change that waits. */
function createCards(database: Database): Pick<Approvals, 'posted' | 'copied' | 'copies'> {
  return {
    async posted(id, { channel, ts }) {
      const sql = 'UPDATE confirmations SET post_channel = :channel, post_ts = :ts WHERE id = :id';
      await database.execute(sql, { id, channel, ts });
    },
    async copied(id, { channel, ts, isOwn = false }) {
      const sql = `INSERT OR IGNORE INTO approval_copies (confirmation, channel, ts, own)
        VALUES (:id, :channel, :ts, :own)`;
      await database.execute(sql, { id, channel, ts, own: Number(isOwn) });
    },
    async copies(id) {
      const sql = 'SELECT channel, ts, own FROM approval_copies WHERE confirmation = :id';
      const { rows } = await database.execute(sql, { id });
      return rows.map(({ channel, ts, own }) => ({ channel: String(channel), ts: String(ts), isOwn: own === 1 }));
    },
  };
}
