import type { Database } from './database.ts';

/** What a subscription remembers between slots: a message, and what later slots need to know of it. */
export interface Anchor {
  ts: string;
  content: string;
}

/** By subscription and name: its thread, a missing reply, its incidents. */
export interface ReportAnchors {
  read(subscription: number, name: string): Promise<Anchor | undefined>;
  set(subscription: number, name: string, anchor: Anchor): Promise<void>;
  drop(subscription: number, name: string): Promise<void>;
  /** All anchors with that name, by subscription. */
  named(name: string): Promise<ReadonlyMap<number, Anchor>>;
}

export function createReportAnchors(database: Database): ReportAnchors {
  return {
    async read(subscription, name) {
      const { rows } = await database.execute(
        'SELECT ts, content FROM report_places WHERE subscription = :subscription AND name = :name',
        { subscription, name },
      );
      const row = rows[0];
      return row === undefined ? undefined : { ts: String(row.ts), content: String(row.content) };
    },

    async set(subscription, name, { ts, content }) {
      await database.execute(
        `INSERT INTO report_places (subscription, name, ts, content) VALUES (:subscription, :name, :ts, :content)
         ON CONFLICT (subscription, name) DO UPDATE SET ts = excluded.ts, content = excluded.content`,
        { subscription, name, ts, content },
      );
    },

    async drop(subscription, name) {
      await database.execute('DELETE FROM report_places WHERE subscription = :subscription AND name = :name', {
        subscription,
        name,
      });
    },

    async named(name) {
      const { rows } = await database.execute('SELECT * FROM report_places WHERE name = :name', { name });
      return new Map(
        rows.map(({ subscription, ts, content }) => [
          Number(subscription),
          { ts: String(ts), content: String(content) },
        ]),
      );
    },
  };
}
