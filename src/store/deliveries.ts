import { apart } from '../interaction.ts';
import { HOUR } from '../time.ts';
import type { Database } from './database.ts';

/** How long a delivery is remembered, in milliseconds: longer than Slack's last retry and than a signature is good for. */
const MEMORY = 2 * HOUR;

/** How long a delivery waits for others to be written with it, in milliseconds. */
const MOMENT = 2;

/** Keys of all that Slack has delivered: a repeated delivery (a retry, a replay, a second replica) is acted on once. */
export interface Deliveries {
  /** True the first time that this key is seen. */
  first(key: string): Promise<boolean>;
  /** True: this key was seen before. */
  seen(key: string): Promise<boolean>;
  forget(): Promise<void>;
}

/** Deliveries in a database. */
export function createDeliveries(database: Database): Deliveries {
  let waiting: { key: string; resolve(isFirst: boolean): void; reject(error: unknown): void }[] = [];
  let isWriting = false;

  /** Writes together what was asked for meanwhile, because each write to the disk has its price. */
  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const keys = JSON.stringify([...new Set(batch.map(({ key }) => key))]);
        const { rows } = await database.execute(
          'INSERT OR IGNORE INTO deliveries (key, at) SELECT value, :now FROM json_each(:keys) RETURNING key',
          { keys },
        );
        const fresh = new Set(rows.map((row) => String(row.key)));
        for (const { key, resolve } of batch) {
          // Asked twice meanwhile: only the first one is the first.
          resolve(fresh.delete(key));
          // The work that begins now takes its time: before the next one, acknowledgements get their turn.
          await new Promise(setImmediate);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isWriting = false;
  }

  return {
    first(key) {
      return new Promise((resolve, reject) => {
        waiting.push({ key, resolve, reject });
        if (isWriting) return;
        isWriting = true;
        // It goes on for many: the one who happens to be the first is not the one to wait.
        apart(() => setTimeout(write, MOMENT));
      });
    },
    async seen(key) {
      const { rows } = await database.execute('SELECT 1 FROM deliveries WHERE key = :key', { key });
      return rows.length > 0;
    },
    async forget() {
      await database.execute('DELETE FROM deliveries WHERE at < :now - :memory', { memory: MEMORY });
    },
  };
}
