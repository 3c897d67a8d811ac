import { HOUR } from '../time.ts';
import type { Database } from './database.ts';

/** How fast a channel may be posted to, over all replicas. */
export interface ChannelPace {
  /** Reserves the next moment to post; how many milliseconds it is away. Such moments are `apart` milliseconds apart. */
  reserve(channel: string, apart: number): Promise<number>;
  /** Slack said that it was too fast: nothing is posted before then. */
  hold(channel: string, milliseconds: number): Promise<void>;
}

export function createChannelPace(database: Database): ChannelPace {
  return {
    async reserve(channel, apart) {
      const { rows } = await database.execute(
        `INSERT INTO channel_turns (channel, free_at) VALUES (:channel, :now + :apart)
         ON CONFLICT (channel) DO UPDATE SET free_at = :apart +
           CASE WHEN channel_turns.free_at BETWEEN :now AND :now + :longest THEN channel_turns.free_at ELSE :now END
         RETURNING free_at - :apart - :now AS wait`,
        // What is further away was reserved by a clock that has been put back since.
        { channel, apart, longest: HOUR },
      );
      return Math.max(0, Number(rows[0]?.wait));
    },
    async hold(channel, milliseconds) {
      await database.execute(
        `INSERT INTO channel_turns (channel, free_at) VALUES (:channel, :now + :milliseconds)
         ON CONFLICT (channel) DO UPDATE SET free_at = excluded.free_at WHERE channel_turns.free_at < excluded.free_at`,
        { channel, milliseconds },
      );
    },
  };
}
