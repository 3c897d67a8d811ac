import { DAY } from '../time.ts';
import type { Database } from './database.ts';

/** Hours of zones as text, shared by all processes and kept for the next start. */
export interface ZoneHours {
  /** Undefined: they were not read in the last two days. */
  read(zone: number): Promise<string | undefined>;
  write(zone: number, content: string): Promise<void>;
}

/** One zone at a time, because a row may have 40 KB. */
export function createZoneHours(database: Database): ZoneHours {
  return {
    async read(zone) {
      const { rows } = await database.execute(
        'SELECT content FROM zone_hours WHERE zone = :zone AND at > :now - :kept',
        { zone, kept: 2 * DAY },
      );
      return rows[0] && String(rows[0].content);
    },

    async write(zone, content) {
      await database.execute(
        `INSERT INTO zone_hours (zone, at, content) VALUES (:zone, :now, :content)
         ON CONFLICT (zone) DO UPDATE SET at = excluded.at, content = excluded.content`,
        { zone, content },
      );
    },
  };
}
