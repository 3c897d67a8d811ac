import type { Database } from './database.ts';

/** How long a delivery is remembered, in milliseconds: longer than Slack's last retry and than a signature is good for. */
const MEMORY = 2 * 3_600_000;

/** What Slack has delivered already: a repeated delivery (a retry, a replay, a second replica) is acted on once. */
export interface Deliveries {
  /** True the first time that this key is seen. */
  first(key: string): Promise<boolean>;
  forget(): Promise<void>;
}

export function createDeliveries(database: Database): Deliveries {
  /** Asked in this turn of the event loop: they go to the disk together, because each write there has its price. */
  let asked: { key: string; resolve(isFirst: boolean): void; reject(error: unknown): void }[] = [];

  async function flush(): Promise<void> {
    const batch = asked;
    asked = [];
    try {
      const keys = JSON.stringify([...new Set(batch.map(({ key }) => key))]);
      const { rows } = await database.execute(
        'INSERT OR IGNORE INTO deliveries (key, at) SELECT value, :now FROM json_each(:keys) RETURNING key',
        { keys },
      );
      const fresh = new Set(rows.map((row) => String(row.key)));
      // Asked twice in one turn: only the first one is the first.
      for (const { key, resolve } of batch) resolve(fresh.delete(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    first(key) {
      if (asked.length === 0) setImmediate(flush);
      return new Promise((resolve, reject) => asked.push({ key, resolve, reject }));
    },
    async forget() {
      await database.execute('DELETE FROM deliveries WHERE at < :now - :memory', { memory: MEMORY });
    },
  };
}
