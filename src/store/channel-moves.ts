import { type Database, timeOf } from './database.ts';
import { isGenuine, macOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** The channels to which Slack has given another id, as when one is converted or shared. */
export interface ChannelMoves {
  /** The present id of a channel, by any that it has had. At once, from what was read. */
  idOf(id: string): string;
  /** Every id that a channel has had, with its present one. */
  idsOf(id: string): string[];
  note(before: string, after: string): Promise<void>;
  /** Reads what other processes have noted. */
  read(): Promise<void>;
}

/** Moves of channels in a database; what the bot has not signed moves nothing. */
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
        // A channel that has its first id again has moved nowhere.
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
