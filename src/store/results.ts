import { randomBytes } from 'node:crypto';
import { HOUR } from '../time.ts';
import type { Database } from './database.ts';
import { placeOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** Beyond these the oldest are removed: of one person, and of everybody. */
const MOST = [
  { all: 0, answers: 100, bytes: 20_000_000 },
  { all: 1, answers: 5_000, bytes: 500_000_000 },
];

/** Answers that whoever asked can share for an hour. Sealed. */
export interface Results {
  /** Removes the oldest to make room. Undefined: it is too large. */
  keep(owner: { id: string; teamId: string }, value: unknown): Promise<string | undefined>;
  /** Removes it, so that one of two presses shares it. */
  take(id: string, owner: { id: string; teamId: string }): Promise<unknown>;
}

/** Without a key in the settings every start makes a new one, and earlier answers cannot be opened. */
export function createResults(database: Database, seal: Seal = UNSEALED): Results {
  const place = (id: string, { id: actor, teamId }: { id: string; teamId: string }) =>
    placeOf('results', 'sealed', `${id} ${actor} ${teamId}`);
  return {
    async keep(owner, value) {
      const text = Buffer.from(JSON.stringify(value));
      if (text.length > 1_000_000) return undefined;
      const id = randomBytes(12).toString('base64url');
      const { id: actor, teamId: team } = owner;
      const sealed = new Uint8Array(seal.seal(text, place(id, owner)));
      await database.together([
        {
          sql: 'INSERT INTO results (id, actor, team, sealed, expires_at) VALUES (:id, :actor, :team, :sealed, :now + :lifetime)',
          args: { id, actor, team, sealed, lifetime: HOUR },
        },
        ...MOST.map((most) => ({
          sql: `DELETE FROM results WHERE id IN (
            SELECT id FROM (
              SELECT id, count(*) OVER kept AS answers, sum(length(sealed)) OVER kept AS bytes FROM results
              WHERE :all = 1 OR (actor = :actor AND team = :team)
              WINDOW kept AS (ORDER BY expires_at DESC, id ROWS UNBOUNDED PRECEDING)
            ) AS counted WHERE answers > :answers OR bytes > :bytes)`,
          args: { ...most, actor, team },
        })),
      ]);
      return id;
    },
    async take(id, owner) {
      const { rows } = await database.execute(
        'DELETE FROM results WHERE id = :id AND actor = :actor AND team = :team AND expires_at > :now RETURNING sealed',
        { id, actor: owner.id, team: owner.teamId },
      );
      if (rows[0] === undefined) return undefined;
      // It may be sealed with the key of an earlier start.
      const opened = seal.open(Buffer.from(rows[0].sealed as Uint8Array), place(id, owner));
      return opened === undefined ? undefined : JSON.parse(opened.toString());
    },
  };
}
