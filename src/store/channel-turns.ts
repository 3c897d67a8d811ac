import type { Database } from './database.ts';

/** The table of this file, for the store's migrations. */
export const channelTurnsMigration = {
  name: 'channel turns',
  statements: ['CREATE TABLE channel_turns (channel TEXT PRIMARY KEY, free_at INTEGER NOT NULL) STRICT, WITHOUT ROWID'],
};

/** Whose turn it is to post to a channel, over all replicas. */
export interface ChannelTurns {
  /** Takes the next turn; how many milliseconds it is away. Turns are so many milliseconds apart. */
  take(channel: string, apart: number): Promise<number>;
  /** Slack said that it was too fast: no turn before then. */
  hold(channel: string, milliseconds: number): Promise<void>;
}

/** Turns further away than this were taken by a clock that has been put back since: they do not count, in milliseconds. */
const LONGEST_WAIT = 60 * 60_000;

export function createChannelTurns(database: Database): ChannelTurns {
  return {
    async take(channel, apart) {
      const { rows } = await database.execute(
        `INSERT INTO channel_turns (channel, free_at) VALUES (:channel, :now + :apart)
         ON CONFLICT DO UPDATE SET free_at =
           CASE WHEN free_at > :now + :longest THEN :now ELSE max(free_at, :now) END + :apart
         RETURNING free_at - :apart - :now AS wait`,
        { channel, apart, longest: LONGEST_WAIT },
      );
      return Math.max(0, Number(rows[0]?.wait));
    },
    async hold(channel, milliseconds) {
      await database.execute(
        `INSERT INTO channel_turns (channel, free_at) VALUES (:channel, :now + :milliseconds)
         ON CONFLICT DO UPDATE SET free_at = max(free_at, :now + :milliseconds)`,
        { channel, milliseconds },
      );
    },
  };
}
