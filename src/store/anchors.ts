import { DAY } from '../time.ts';
import type { Database } from './database.ts';

/** What reports remember between slots, as JSON, so that any replica can go on: of a subscription or of a zone, by name. */
export interface Anchors {
  read<T>(about: number, name: string): Promise<T | undefined>;
  /** All anchors with that name. */
  named<T>(name: string): Promise<Map<number, T>>;
  set(about: number, name: string, value: unknown): Promise<void>;
  setAll(name: string, values: ReadonlyMap<number, unknown>): Promise<void>;
  /** False: it is not (or no longer) `before`. Undefined: it has to be new. */
  replace(about: number, name: string, before: unknown, value: unknown): Promise<boolean>;
  drop(about: number, name: string): Promise<void>;
}

/** Anchors of no subscription: the hours of a zone, what the watch knows of it, and the failures of a choice of zones. */
export const [HOURS, WATCH, FAILURES] = ['hours', 'watch', 'failures'];
const IS_ZONES = `name IN ('${HOURS}', '${WATCH}', '${FAILURES}')`;
/** What nobody reads any more is of no use. */
const IS_OLD = `(${IS_ZONES} AND at < :now - ${2 * DAY})`;

export const OLD_ANCHORS = `DELETE FROM anchors
  WHERE ${IS_OLD} OR (NOT ${IS_ZONES} AND about NOT IN (SELECT id FROM subscriptions))`;

export function createAnchors(database: Database): Anchors {
  const anchors: Anchors = {
    async read(about, name) {
      const { rows } = await database.execute(
        `SELECT content FROM anchors WHERE name = :name AND about = :about AND NOT ${IS_OLD}`,
        { name, about },
      );
      return rows[0] && JSON.parse(String(rows[0].content));
    },
    async named(name) {
      const { rows } = await database.execute(`SELECT * FROM anchors WHERE name = :name AND NOT ${IS_OLD}`, { name });
      return new Map(rows.map(({ about, content }) => [Number(about), JSON.parse(String(content))]));
    },
    set: (about, name, value) => anchors.setAll(name, new Map([[about, value]])),
    async setAll(name, values) {
      await database.execute(
        `INSERT INTO anchors (name, about, at, content)
         SELECT :name, about, :now, content FROM ROWS(:values, about INTEGER, content TEXT) AS given WHERE 1 = 1
         ON CONFLICT (name, about) DO UPDATE SET at = excluded.at, content = excluded.content`,
        {
          name,
          values: JSON.stringify([...values].map(([about, value]) => ({ about, content: JSON.stringify(value) }))),
        },
      );
    },
    async replace(about, name, before, value) {
      const { changed } = await database.execute(
        `INSERT INTO anchors (name, about, at, content) VALUES (:name, :about, :now, :content)
         ON CONFLICT (name, about) DO UPDATE SET at = excluded.at, content = excluded.content
           WHERE anchors.content = :was`,
        { name, about, content: JSON.stringify(value), was: JSON.stringify(before) ?? null },
      );
      return changed === 1;
    },
    async drop(about, name) {
      await database.execute('DELETE FROM anchors WHERE name = :name AND about = :about', { name, about });
    },
  };
  return anchors;
}
