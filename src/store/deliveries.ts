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
  return {
    async first(key) {
      const { changed } = await database.execute('INSERT OR IGNORE INTO deliveries (key, at) VALUES (:key, :now)', {
        key,
      });
      return changed === 1;
    },
    async forget() {
      await database.execute('DELETE FROM deliveries WHERE at < :now - :memory', { memory: MEMORY });
    },
  };
}
