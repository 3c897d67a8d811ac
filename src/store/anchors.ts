import { DAY } from '../time.ts';
import type { Database } from './database.ts';
import { placeOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/**
 * Anchors without a subscription: the hours of a zone, what the watch knows of it, and the failures of a selection of
 * zones.
 */
export const [HOURS, WATCH, FAILURES] = ['hours', 'watch', 'failures'];
const IS_ZONES = `name IN ('${HOURS}', '${WATCH}', '${FAILURES}')`;
/** Too old for any report to use. */
const IS_OLD = `(${IS_ZONES} AND at < :now - ${2 * DAY})`;

export const OLD_ANCHORS = `DELETE FROM anchors
  WHERE ${IS_OLD} OR (NOT ${IS_ZONES} AND about NOT IN (SELECT id FROM subscriptions))`;

/** What reports remember between slots, sealed, so that any replica can go on: of a subscription or of a zone, by name. */
export type Anchors = ReturnType<typeof createAnchors>;

export function createAnchors(database: Database, seal: Seal = UNSEALED) {
  const place = (name: string, about: unknown) => placeOf('anchors', 'content', `${name} ${about}`);
  const anchors = {
    async read<T>(about: number, name: string) {
      const { rows } = await database.execute(
        `SELECT content FROM anchors WHERE name = :name AND about = :about AND NOT ${IS_OLD}`,
        { name, about },
      );
      return rows[0] && (seal.read(String(rows[0].content), place(name, about)) as T | undefined);
    },
    /** All anchors with that name. */
    async named<T>(name: string) {
      const { rows } = await database.execute(`SELECT * FROM anchors WHERE name = :name AND NOT ${IS_OLD}`, { name });
      return new Map(
        rows.flatMap(({ about, content }): [number, T][] => {
          const value = seal.read(String(content), place(name, about)) as T | undefined;
          // Somebody else wrote it.
          return value === undefined ? [] : [[Number(about), value]];
        }),
      );
    },
    set: (about: number, name: string, value: unknown) => anchors.setAll(name, new Map([[about, value]])),
    async setAll(name: string, values: ReadonlyMap<number, unknown>) {
      await database.execute(
        `INSERT INTO anchors (name, about, at, content)
         SELECT :name, about, :now, content FROM ROWS(:values, about INTEGER, content TEXT) AS given WHERE 1 = 1
         ON CONFLICT (name, about) DO UPDATE SET at = excluded.at, content = excluded.content`,
        {
          name,
          values: JSON.stringify(
            [...values].map(([about, value]) => ({ about, content: seal.write(value, place(name, about)) })),
          ),
        },
      );
    },
    /** False: it is not (or no longer) `before`. Undefined: it has to be new. */
    async replace(about: number, name: string, before: unknown, value: unknown) {
      const at = place(name, about);
      const stored = 'SELECT content FROM anchors WHERE name = :name AND about = :about';
      const { rows } = await database.execute(stored, { name, about });
      // A value is sealed in another way each time, so what is there is compared as it is.
      const was = rows[0] === undefined ? null : String(rows[0].content);
      const read = was === null ? undefined : seal.read(was, at);
      if (JSON.stringify(read) !== JSON.stringify(before)) return false;
      const { changed } = await database.execute(
        `INSERT INTO anchors (name, about, at, content) VALUES (:name, :about, :now, :content)
         ON CONFLICT (name, about) DO UPDATE SET at = excluded.at, content = excluded.content
           WHERE anchors.content = :was`,
        { name, about, content: seal.write(value, at), was },
      );
      return changed === 1;
    },
    async drop(about: number, name: string) {
      await database.execute('DELETE FROM anchors WHERE name = :name AND about = :about', { name, about });
    },
  };
  return anchors;
}
