import { randomBytes } from 'node:crypto';
import { HOUR } from '../time.ts';
import type { Database } from './database.ts';
import { placeOf } from './protection.ts';
import { OWN_SEAL, type Seal, UNSEALED } from './seal.ts';

/**
 * Answers that whoever asked can share for an hour. Sealed. Without a key in the settings every start makes a new one, and earlier
 * answers cannot be opened.
 */
export function createResults(database: Database, given: Seal = UNSEALED) {
  const seal = given.keyed ? given : OWN_SEAL;
  const place = (id: string, { id: actor, teamId }: { id: string; teamId: string }) =>
    placeOf('results', 'sealed', `${id} ${actor} ${teamId}`);
  return {
    /** Removes the oldest to make room. Undefined: it is too large. */
    async keep(owner: { id: string; teamId: string }, value: unknown) {
      if (Buffer.byteLength(JSON.stringify(value)) > 1_000_000) return undefined;
      const id = randomBytes(12).toString('base64url');
      const { id: actor, teamId: team } = owner;
      const sealed = seal.write(value, place(id, owner));
      // Beyond these the oldest are removed: 20 MB for one person, 500 MB for everybody, each in base64.
      const limits = [
        { all: 0, answers: 100, length: 27_000_000 },
        { all: 1, answers: 5_000, length: 667_000_000 },
      ];
      await database.together([
        {
          sql: 'INSERT INTO results (id, actor, team, sealed, expires_at) VALUES (:id, :actor, :team, :sealed, :now + :lifetime)',
          args: { id, actor, team, sealed, lifetime: HOUR },
        },
        ...limits.map((most) => ({
          sql: `DELETE FROM results WHERE id IN (
            SELECT id FROM (
              SELECT id, count(*) OVER kept AS answers, sum(length(sealed)) OVER kept AS length FROM results
              WHERE :all = 1 OR (actor = :actor AND team = :team)
              WINDOW kept AS (ORDER BY expires_at DESC, id ROWS UNBOUNDED PRECEDING)
            ) AS counted WHERE answers > :answers OR length > :length)`,
          args: { ...most, actor, team },
        })),
      ]);
      return id;
    },
    /** Removes it, so that one of two presses shares it. */
    async take(id: string, owner: { id: string; teamId: string }) {
      const { rows } = await database.execute(
        'DELETE FROM results WHERE id = :id AND actor = :actor AND team = :team AND expires_at > :now RETURNING sealed',
        { id, actor: owner.id, team: owner.teamId },
      );
      if (rows[0] === undefined) return undefined;
      // It may be sealed with the key of an earlier start.
      return seal.read(String(rows[0].sealed), place(id, owner));
    },
  };
}
