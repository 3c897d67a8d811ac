import { DAY } from '../time.ts';
import type { Database } from './database.ts';

/** The memory of the watch of statistics by zone, as text: a replica goes on where another has stopped. */
export interface ZoneWatches {
  read(): Promise<Map<number, string>>;
  write(zones: ReadonlyMap<number, string>): Promise<void>;
}

/** Both are one statement, whatever the number of zones. */
export function createZoneWatches(database: Database): ZoneWatches {
  return {
    async read() {
      const { rows } = await database.execute('SELECT zone, content FROM zone_watches WHERE at > :now - :kept', {
        kept: 2 * DAY,
      });
      return new Map(rows.map((row) => [Number(row.zone), String(row.content)]));
    },

    async write(zones) {
      await database.execute(
        `INSERT INTO zone_watches (zone, at, content)
         SELECT zone, :now, content FROM ROWS(:zones, zone INTEGER, content TEXT) AS given WHERE 1 = 1
         ON CONFLICT (zone) DO UPDATE SET at = excluded.at, content = excluded.content`,
        { zones: JSON.stringify([...zones].map(([zone, content]) => ({ zone, content }))) },
      );
    },
  };
}
