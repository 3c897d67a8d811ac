import { type Database, timeOf } from './database.ts';
import { isGenuine, macOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** Channels to which Slack gave another id, for example when one was shared. */
export interface ChannelMoves {
  /** The present id of a channel, by any of its ids. From memory. */
  idOf(id: string): string;
  /** All ids of a channel. */
  idsOf(id: string): string[];
  note(before: string, after: string): Promise<void>;
  /** Reads what other processes noted. */
  read(): Promise<void>;
}

/** Rows that the bot did not sign are ignored. */
export function createChannelMoves(database: Database, seal: Seal = UNSEALED): ChannelMoves {
  let moved: ReadonlyMap<string, string> = new Map();
  function idOf(id: string): string {
    const seen = new Set<string>();
    let present = id;
    for (let next: string | undefined = id; next !== undefined && !seen.has(next); next = moved.get(next)) {
      seen.add(next);
      present = next;
    }
    return present;
  }
  async function read(): Promise<void> {
    const { rows } = await database.execute('SELECT * FROM channel_moves');
    const own = rows.filter((row) => isGenuine(seal, 'channel_moves', row));
    moved = new Map(own.map((row) => [String(row.old_id), String(row.new_id)]));
  }
  return {
    idOf,
    idsOf: (id) => [...new Set([id, ...[...moved.keys(), idOf(id)].filter((other) => idOf(other) === idOf(id))])],
    async note(before, after) {
      const row = { old_id: before, new_id: after, at: await timeOf(database) };
      await database.together([
        // A channel may get an earlier id again.
        { sql: 'DELETE FROM channel_moves WHERE old_id = :after', args: { after } },
        {
          sql: `INSERT INTO channel_moves (old_id, new_id, at, mac) VALUES (:old_id, :new_id, :at, :mac)
            ON CONFLICT (old_id) DO UPDATE SET new_id = excluded.new_id, at = excluded.at, mac = excluded.mac`,
          args: { ...row, mac: macOf(seal, 'channel_moves', row) },
        },
      ]);
      await database.tell();
      await read();
    },
    read,
  };
}
