import type { Database } from './database.ts';

/** The table of this file, for the store's migrations. */
export const reportPostsMigration = {
  name: 'report posts',
  statements: [
    `CREATE TABLE IF NOT EXISTS report_posts (
      report TEXT NOT NULL,
      channel TEXT NOT NULL,
      slot INTEGER NOT NULL,
      state TEXT NOT NULL,
      covers_from INTEGER,
      covers_to INTEGER,
      ts TEXT,
      posted_at INTEGER,
      claimed_at INTEGER NOT NULL,
      PRIMARY KEY (report, channel, slot)
    ) STRICT, WITHOUT ROWID`,
  ],
};

/** Which report, to which channel. */
export interface ReportKey {
  report: string;
  channel: string;
}

/** A message of a report in Slack, and what it is about. */
export interface ReportPost {
  slot: Date;
  ts: string;
  from: Date;
  to: Date;
  postedAt: Date;
}

/** What became of a slot: a message, a message of an earlier slot that tells it too, nothing to say, or a failure. */
export type SlotState = 'posted' | 'folded' | 'quiet' | 'failed';

/** What the scheduled reports have said: once per slot, whatever the number of replicas, and not forgotten over a restart. */
export interface ReportPosts {
  /** True for the one who may do the report of this slot. */
  claim(key: ReportKey, slot: Date): Promise<boolean>;
  /** Ends a slot. `from` to `to` is then told, unless it failed. */
  settle(
    key: ReportKey,
    slot: Date,
    end: { state: SlotState; from: Date; to: Date; ts?: string; at?: Date },
  ): Promise<void>;
  /** A message was brought up to date: it now tells everything up to `to`. */
  extend(key: ReportKey, slot: Date, to: Date): Promise<void>;
  /** Up to when everything was told; undefined at first. */
  toldUntil(key: ReportKey): Promise<Date | undefined>;
  /** The messages since a moment, latest first. */
  since(key: ReportKey, moment: Date): Promise<ReportPost[]>;
  /** Whether the slot before this one failed too. */
  failedBefore(key: ReportKey, slot: Date): Promise<boolean>;
  /** Removes what is older than this. */
  forget(before: Date): Promise<void>;
}

export function createReportPosts(database: Database): ReportPosts {
  return {
    async claim({ report, channel }, slot) {
      const { changed } = await database.execute(
        `INSERT OR IGNORE INTO report_posts (report, channel, slot, state, claimed_at)
         VALUES (:report, :channel, :slot, 'claimed', :now)`,
        { report, channel, slot: slot.getTime() },
      );
      return changed === 1;
    },

    async settle({ report, channel }, slot, { state, from, to, ts, at }) {
      await database.execute(
        `UPDATE report_posts SET state = :state, covers_from = :from, covers_to = :to, ts = :ts, posted_at = :at
         WHERE report = :report AND channel = :channel AND slot = :slot`,
        {
          report,
          channel,
          slot: slot.getTime(),
          state,
          from: from.getTime(),
          to: to.getTime(),
          ts: ts ?? null,
          at: at?.getTime() ?? null,
        },
      );
    },

    async extend({ report, channel }, slot, to) {
      await database.execute(
        'UPDATE report_posts SET covers_to = :to WHERE report = :report AND channel = :channel AND slot = :slot',
        { report, channel, slot: slot.getTime(), to: to.getTime() },
      );
    },

    async toldUntil({ report, channel }) {
      const { rows } = await database.execute(
        `SELECT MAX(covers_to) AS until FROM report_posts
         WHERE report = :report AND channel = :channel AND state IN ('posted', 'folded', 'quiet')`,
        { report, channel },
      );
      const until = rows[0]?.until;
      return until === null || until === undefined ? undefined : new Date(Number(until));
    },

    async since({ report, channel }, moment) {
      const { rows } = await database.execute(
        `SELECT slot, ts, covers_from, covers_to, posted_at FROM report_posts
         WHERE report = :report AND channel = :channel AND state = 'posted' AND posted_at > :moment AND ts IS NOT NULL
         ORDER BY posted_at DESC`,
        { report, channel, moment: moment.getTime() },
      );
      return rows.map((row) => ({
        slot: new Date(Number(row.slot)),
        ts: String(row.ts),
        from: new Date(Number(row.covers_from)),
        to: new Date(Number(row.covers_to)),
        postedAt: new Date(Number(row.posted_at)),
      }));
    },

    async failedBefore({ report, channel }, slot) {
      const { rows } = await database.execute(
        `SELECT state FROM report_posts WHERE report = :report AND channel = :channel AND slot < :slot AND state <> 'claimed'
         ORDER BY slot DESC LIMIT 1`,
        { report, channel, slot: slot.getTime() },
      );
      return rows[0]?.state === 'failed';
    },

    async forget(before) {
      await database.execute('DELETE FROM report_posts WHERE slot < :before', { before: before.getTime() });
    },
  };
}
