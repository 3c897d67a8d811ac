import { randomBytes } from 'node:crypto';
import { HOUR } from '../time.ts';
import { CAPS, countsOf, withinCap } from './caps.ts';
import type { Database } from './database.ts';
import { placeOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** How long an answer can be shared, in milliseconds. */
const LIFETIME = HOUR;
/** A larger answer is not kept. */
const MAX_BYTES = 1_000_000;
/** One person's answers together, and everybody's, have at most so many bytes. */
const MOST_BYTES = { person: 20_000_000, all: 500_000_000 };

/** Answers that their reader may still share: sealed, for an hour, for the one who asked. */
export interface Results {
  /** Undefined: too large to keep. Throws TooManyError. */
  keep(owner: { id: string; teamId: string }, value: unknown): Promise<string | undefined>;
  read(id: string, owner: { id: string; teamId: string }): Promise<unknown>;
  forget(): Promise<void>;
}

/** As many as they are, or as many as their bytes come to. */
const KEPT = `SELECT max(count(*), sum(length(sealed)) * ${CAPS.answers.all} / ${MOST_BYTES.all}) AS "all",
    max(sum(actor = :actor AND team = :team),
      sum(iif(actor = :actor AND team = :team, length(sealed), 0)) * ${CAPS.answers.person} / ${MOST_BYTES.person}) AS own
  FROM results WHERE expires_at > :now`;

/** Without a key from the environment a new one is made at every start: what was kept before cannot be opened any more. */
export function createResults(database: Database, seal: Seal = UNSEALED): Results {
  const place = (id: string, { id: actor, teamId }: { id: string; teamId: string }) =>
    placeOf('results', 'sealed', `${id} ${actor} ${teamId}`);
  return {
    async keep(owner, value) {
      const text = Buffer.from(JSON.stringify(value));
      if (text.length > MAX_BYTES) return undefined;
      const { rows } = await database.execute(KEPT, { actor: owner.id, team: owner.teamId });
      withinCap('answers', countsOf(rows[0]));
      const id = randomBytes(12).toString('base64url');
      await database.execute(
        'INSERT INTO results (id, actor, team, sealed, expires_at) VALUES (:id, :actor, :team, :sealed, :now + :lifetime)',
        {
          id,
          actor: owner.id,
          team: owner.teamId,
          sealed: new Uint8Array(seal.seal(text, place(id, owner))),
          lifetime: LIFETIME,
        },
      );
      return id;
    },
    async read(id, owner) {
      const { rows } = await database.execute(
        'SELECT sealed FROM results WHERE id = :id AND actor = :actor AND team = :team AND expires_at > :now',
        { id, actor: owner.id, team: owner.teamId },
      );
      if (rows[0] === undefined) return undefined;
      // Sealed with the key of an earlier start: as good as forgotten.
      const opened = seal.open(Buffer.from(rows[0].sealed as ArrayBuffer), place(id, owner));
      return opened === undefined ? undefined : JSON.parse(opened.toString());
    },
    async forget() {
      await database.execute('DELETE FROM results WHERE expires_at <= :now');
    },
  };
}
