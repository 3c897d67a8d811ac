import { HOUR } from '../time.ts';
import type { Database } from './database.ts';

/** The pace of posts to a channel, for all replicas together. */
export type ChannelPace = ReturnType<typeof createChannelPace>;

export function createChannelPace(database: Database) {
  return {
    /** Reserves the next moment to post, and returns the milliseconds until then. Moments are `apart` milliseconds apart. */
    async reserve(channel: string, apart: number) {
      const { rows } = await database.execute(
        `INSERT INTO channel_turns (channel, free_at) VALUES (:channel, :now + :apart)
         ON CONFLICT (channel) DO UPDATE SET free_at = :apart +
           CASE WHEN channel_turns.free_at BETWEEN :now AND :now + :longest THEN channel_turns.free_at ELSE :now END
         RETURNING free_at - :apart - :now AS wait`,
        // A moment further away was reserved before the clock was put back.
        { channel, apart, longest: HOUR },
      );
      return Math.max(0, Number(rows[0]?.wait));
    },
    /** After Slack said “too fast”: nothing is posted before then. */
    async hold(channel: string, milliseconds: number) {
      await database.execute(
        `INSERT INTO channel_turns (channel, free_at) VALUES (:channel, :now + :milliseconds)
         ON CONFLICT (channel) DO UPDATE SET free_at = excluded.free_at WHERE channel_turns.free_at < excluded.free_at`,
        { channel, milliseconds },
      );
    },
  };
}
