import { DAY } from '../time.ts';
import type { Database } from './database.ts';

/** What the watch remembers of each zone, as text, so that any replica can go on. */
export interface ZoneWatches {
  read(): Promise<Map<number, string>>;
  write(zones: ReadonlyMap<number, string>): Promise<void>;
}

/** One statement for any number of zones. */
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
