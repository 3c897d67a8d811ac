import { TRANSITIONS } from '../changes/change.ts';
import { type Audit, rarely } from './audit.ts';
import type { AuditEntry } from './audit-entry.ts';
import {
  ASKED_AGAIN,
  CONFIRMATION_LIFETIME,
  type Confirmation,
  confirmationOf,
  expiryIn,
  keepingChange,
  OWN,
} from './confirmations.ts';
import { type Database, timeOf } from './database.ts';
import { moveChange, states } from './moves.ts';
import { isGenuine, macOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

export interface Verdict {
  approver: string;
  verdict: 'approved' | 'rejected';
  reason?: string;
}

/** A step of a change as the audit keeps it: it is taken with its entry. */
export type ApprovalStep = AuditEntry & { confirmation: string };

/** So often within a day somebody lets a change through without approval. */
export const GLASS_A_DAY = 5;

export type Approvals = ReturnType<typeof createApprovals>;

/** Approvals in a database. Each step is taken together with its entry in the audit. */
export function createApprovals(database: Database, audit: Pick<Audit, 'take'>, seal: Seal = UNSEALED) {
  const found = async (sql: string, args: Parameters<Database['execute']>[1]): Promise<Confirmation[]> =>
    (await database.execute(sql, args)).rows.map((row) => confirmationOf(row, seal));
  return {
    /** The requester asks the others, for the reason in `detail`. Undefined: not this person's, or not drafted any more. */
    async request(step: ApprovalStep, lifetime: number) {
      const { confirmation: id, actor, team, detail: reason } = step;
      const set = `reason = :reason, expires_at = ${expiryIn(':lifetime')}`;
      const rows = await audit.take(step, {
        where: IS(`state IN (${states(...TRANSITIONS.request.from)}) AND ${OWN}`),
        args: { id },
        does: [
          keepingChange(id),
          { sql: moveChange('request', set, OWN), args: { id, actor, team, reason, lifetime }, follows: true },
        ],
      });
      return rows?.map((row) => confirmationOf(row, seal))[0];
    },
    /**
     * Notes a verdict, once a person: it decides at once if enough people said yes and nobody no; then it can be run for `lifetime` ms.
     * False: it is not waiting any more, has expired, or is the person's own.
     */
    async vote(step: ApprovalStep, { count, lifetime, outcome }: { count: number; lifetime: number; outcome: string }) {
      const { confirmation: id, actor, outcome: verdict, detail: reason } = step;
      const row = { confirmation: id, approver: actor, verdict, reason, at: await timeOf(database) };
      const vote = `INSERT INTO approvals (confirmation, approver, verdict, reason, at, mac)
        VALUES (:confirmation, :approver, :verdict, :reason, :at, :mac)`;
      const decide =
        verdict === 'rejected'
          ? {
              sql: moveChange('reject', 'outcome = :outcome', 'id = :id'),
              args: { id, outcome },
            }
          : {
              sql: moveChange(
                'approve',
                `expires_at = ${expiryIn(':lifetime')}`,
                `id = :id AND (SELECT count(*) FROM approvals WHERE confirmation = :id AND verdict = 'approved') >= :count`,
              ),
              args: { id, count, lifetime },
            };
      const taken = await audit.take(step, {
        where: IS(`id = :id AND ${WAITING} AND expires_at > :now AND actor <> :actor AND team = :team
          AND NOT EXISTS (SELECT 1 FROM approvals WHERE confirmation = :id AND approver = :actor)`),
        args: { id },
        does: [
          { sql: vote, args: { ...row, mac: macOf(seal, 'approvals', row) }, follows: true },
          // Should the process die now, another one goes on.
          keepingChange(id),
          { ...decide, follows: true },
        ],
      });
      return taken !== undefined;
    },
    /** Somebody may let it through without approval: it is theirs and undecided, and they do this seldom. */
    async mayBreakGlass(step: ApprovalStep) {
      const { confirmation: id, detail: reason } = step;
      const broken = {
        sql: 'UPDATE confirmations SET reason = :reason WHERE id = :id',
        args: { id, reason },
        follows: true as const,
      };
      const where = `${rarely(GLASS_A_DAY)} AND ${IS(`state IN (${states(...TRANSITIONS.breakGlass.from)}) AND ${OWN}`)}`;
      return (await audit.take(step, { where, args: { id }, does: [broken] })) !== undefined;
    },
    /** Lets it through without approval, with the reason that everybody can read. */
    async breakGlass({ confirmation: id, actor, team, detail: reason }: ApprovalStep) {
      const set = `reason = :reason, glass_broken = 1, expires_at = ${expiryIn(String(CONFIRMATION_LIFETIME))}`;
      const move = { sql: moveChange('breakGlass', set, OWN), args: { id, actor, team, reason } };
      const [moved] = await database.together([move, keepingChange(id)]);
      return moved?.rows.map((row) => confirmationOf(row, seal))[0];
    },
    async verdicts(id: string): Promise<Verdict[]> {
      const sql = 'SELECT * FROM approvals WHERE confirmation = :id ORDER BY at, approver';
      const { rows } = await database.execute(sql, { id });
      // A vote that nobody cast here does not count.
      return rows
        .filter((row) => isGenuine(seal, 'approvals', row))
        .map((row) => ({
          approver: String(row.approver),
          verdict: row.verdict === 'approved' ? 'approved' : 'rejected',
          ...(row.reason === '' ? {} : { reason: String(row.reason) }),
        }));
    },
    /** All changes that wait for an approval, oldest first: the policy says whose they are. */
    waiting: () => found(`SELECT * FROM confirmations WHERE ${WAITING} AND expires_at > :now ORDER BY created_at`, {}),
    /**
     * Changes of a person that others were asked about: first those to run, then those that expired lately and were not
     * asked for again.
     */
    decided: ({ id: actor, teamId: team }: { id: string; teamId: string }, limit: number) =>
      found(
        `SELECT * FROM confirmations AS it
         WHERE actor = :actor AND team = :team AND reason IS NOT NULL AND undoes IS NULL
           AND ((state IN (${states(...TRANSITIONS.claim.from)}) AND expires_at > :now)
             OR (state IN (${states('expired')}) AND expires_at > :now - ${ASKED_AGAIN}
               AND NOT EXISTS (SELECT 1 FROM confirmations AS later WHERE later.actor = it.actor
                 AND later.created_at > it.created_at AND later.operation = it.operation AND later.target = it.target)))
         ORDER BY state IN (${states('expired')}), created_at LIMIT :limit`,
        { actor, team, limit },
      ),
    /** Its one message in the channel, to be kept up to date. */
    async posted(id: string, { channel, ts }: { channel: string; ts: string }) {
      const sql = 'UPDATE confirmations SET post_channel = :channel, post_ts = :ts WHERE id = :id';
      await database.execute(sql, { id, channel, ts });
    },
    /** A copy that an approver got directly, or the requester (`isOwn`): it is kept up to date too. */
    async copied(id: string, { channel, ts, isOwn = false }: { channel: string; ts: string; isOwn?: boolean }) {
      const sql = `INSERT INTO approval_copies (confirmation, channel, ts, own)
        VALUES (:id, :channel, :ts, :own) ON CONFLICT (confirmation, channel, ts) DO NOTHING`;
      await database.execute(sql, { id, channel, ts, own: Number(isOwn) });
    },
    async copies(id: string) {
      const sql = 'SELECT channel, ts, own FROM approval_copies WHERE confirmation = :id';
      const { rows } = await database.execute(sql, { id });
      return rows.map(({ channel, ts, own }) => ({ channel: String(channel), ts: String(ts), isOwn: own === 1 }));
    },
  };
}

const WAITING = `state IN (${states('waiting')})`;
const IS = (so: string) => `EXISTS (SELECT 1 FROM confirmations WHERE ${so})`;
