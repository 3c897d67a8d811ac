import { DAY, HOUR } from '../time.ts';
import type { Database } from './database.ts';

/** How long they are kept, in milliseconds. */
export const MARKS_KEPT = 14 * DAY;

export type Marks = ReturnType<typeof createMarks>;

export function createMarks(database: Database) {
  return {
    /** The same mark within an hour counts once, because CI jobs are repeated. `zone`: null if it concerns all. */
    async add(mark: { text: string; zone: number | null; url: string | null }) {
      await database.execute(
        `INSERT INTO marks (at, text, zone, url) SELECT :now, :text, :zone, :url
         WHERE NOT EXISTS (SELECT 1 FROM marks WHERE text = :text AND coalesce(zone, 0) = coalesce(:zone, 0)
           AND coalesce(url, '') = coalesce(:url, '') AND at > :now - :again)`,
        { ...mark, again: HOUR },
      );
    },

    /** Newest first. With `zone`: its own, and those of all zones. */
    async list(asked: { zone?: number | undefined; since: Date; until: Date; limit: number }) {
      const { zone = null, since, until, limit } = asked;
      const { rows } = await database.execute(
        `SELECT at, text, zone, url FROM marks
         WHERE at >= :since AND at < :until AND at > :now - :kept AND (:zone IS NULL OR zone = :zone OR zone IS NULL)
         ORDER BY at DESC LIMIT :limit`,
        { since: since.getTime(), until: until.getTime(), kept: MARKS_KEPT, zone, limit },
      );
      return rows.map((row) => ({
        at: new Date(Number(row.at)),
        text: String(row.text),
        zone: row.zone === null ? null : Number(row.zone),
        url: row.url === null ? null : String(row.url),
      }));
    },
  };
}
