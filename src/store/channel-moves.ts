import type { Database } from './database.ts';
import { isGenuine, macOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** Channels to which Slack gave another id, for example when one was shared. */
export type ChannelMoves = ReturnType<typeof createChannelMoves>;

/** Rows that the bot did not sign are ignored. */
export function createChannelMoves(database: Database, seal: Seal = UNSEALED) {
  let moved: ReadonlyMap<string, { to: string; at: number }> = new Map();
  /** Slack may tell of moves in any order, and a channel may have its first id again. */
  function idOf(id: string): string {
    let [present, at] = [id, 0];
    for (let next = moved.get(id); next !== undefined && next.at > at; next = moved.get(present))
      [present, at] = [next.to, next.at];
    return present;
  }
  async function read(): Promise<void> {
    const { rows } = await database.execute('SELECT * FROM channel_moves');
    const own = rows.filter((row) => isGenuine(seal, 'channel_moves', row));
    moved = new Map(own.map((row) => [String(row.old_id), { to: String(row.new_id), at: Number(row.at) }]));
  }
  return {
    /** The present id of a channel, by any of its ids. From memory. */
    idOf,
    /** All ids of a channel. */
    idsOf: (id: string) => [
      ...new Set([id, ...[...moved.keys(), idOf(id)].filter((other) => idOf(other) === idOf(id))]),
    ],
    /** `at`: when Slack moved it. */
    async note(before: string, after: string, at: Date) {
      const row = { old_id: before, new_id: after, at: at.getTime() };
      const sql = `INSERT INTO channel_moves (old_id, new_id, at, mac) VALUES (:old_id, :new_id, :at, :mac)
        ON CONFLICT (old_id) DO UPDATE SET new_id = excluded.new_id, at = excluded.at, mac = excluded.mac
        WHERE excluded.at > channel_moves.at`;
      await database.execute(sql, { ...row, mac: macOf(seal, 'channel_moves', row) });
      await database.tell();
      await read();
    },
    /** Reads what other processes noted. */
    read,
  };
}
