import { apart } from '../interaction.ts';
import { DAY, HOUR } from '../time.ts';
import type { Database } from './database.ts';
import { isLeft } from './processes.ts';
import { placeOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

const PAUSE = 8;
/** Deliveries that are written, or taken over, together. */
const TOGETHER = 100;

/** A payload whose work a process has left that does not live any more, or that was kept until now. */
export interface LeftDelivery {
  key: string;
  /** Undefined: it was sealed with another key, or somebody else has written it. */
  content: unknown;
  /** The view that was opened for it. */
  view: string | undefined;
  /** How often it was taken over, with this time. */
  tries: number;
}

/**
 * Everything that Slack has delivered: a repeated delivery (a retry, a replay, a second replica) is acted on once, and what its
 * process did not come to an end with is done by another one.
 */
export interface Deliveries {
  /** True the first time that this key is seen. The content, which is asked for when it is written, is kept until `done`. */
  first(key: string, content?: () => unknown): Promise<boolean>;
  /** Its work is over. Written a little later: where that is lost, what was answered is answered once more. */
  done(key: string): void;
  /** A view was opened for it: it is told there how it ends. */
  opened(key: string, view: string): void;
  /** Keeps a content of the bot's own, once for each key, until so many milliseconds are over: then it is left to whoever lives. */
  later(key: string, content: unknown, delay: number): Promise<void>;
  /** Takes over what others have left, and what was kept until now; each is handed out to one process. */
  left(): Promise<LeftDelivery[]>;
  /** Takes over what is kept for later under keys that begin so, before its time. */
  sooner(beginning: string): Promise<LeftDelivery[]>;
  /** True: this key was seen before. */
  seen(key: string): Promise<boolean>;
  forget(): Promise<void>;
}

/** Deliveries in a database. */
export function createDeliveries(database: Database, seal: Seal = UNSEALED): Deliveries {
  const place = (key: string) => placeOf('deliveries', 'content', key);
  // Deliveries that come within two milliseconds are written together.
  const first = together<First>(2, async (batch) => {
    const rows = batch.map(({ key, content }) => ({
      key,
      ...(content === undefined ? {} : { content: seal.write(content(), place(key)) }),
    }));
    const { rows: written } = await database.execute(INSERT, { rows: JSON.stringify(rows) });
    const fresh = new Set(written.map((row) => String(row.key)));
    // Asked twice meanwhile: only the first one is the first.
    return batch.map(({ key }) => fresh.delete(key));
  });
  const update = (moment: number, sql: string) =>
    together<{ key: string; view?: string }>(moment, async (rows) => {
      await database.execute(sql, { rows: JSON.stringify(rows) });
      return [];
    });
  // A view is changed next: until then it is known by its name alone.
  const [done, opened] = [update(PAUSE, DONE), update(0, OPENED)];
  /** A row that stays would be done again, after its sender was told how it ended: while the store is away it is tried again. */
  const end = (key: string, tries = 0): void =>
    void done({ key }).catch(() => {
      if (tries < 60) setTimeout(end, 2_000, key, tries + 1).unref();
    });
  const taken = async (sql: string, args = {}): Promise<LeftDelivery[]> =>
    (await database.execute(sql, args)).rows.map(({ key, content, view, tries }) => ({
      key: String(key),
      content: seal.read(String(content), place(String(key))),
      view: typeof view === 'string' ? view : undefined,
      tries: Number(tries),
    }));
  return {
    first: (key, content) => first({ key, content }),
    done: (key) => end(key),
    opened: (key, view) => void opened({ key, view }).catch(() => undefined),
    async later(key, content, delay) {
      await database.execute(LATER, { key, content: seal.write(content, place(key)), delay });
    },
    left: () => taken(TAKE),
    sooner: (beginning) => taken(SOONER, { beginning }),
    async seen(key) {
      const { rows } = await database.execute('SELECT 1 FROM deliveries WHERE key = :key', { key });
      return rows.length > 0;
    },
    async forget() {
      const old = `content IS NULL OR at < :now - ${DAY}`;
      // Longer than Slack's last retry, and than a signature is good for.
      await database.execute(`DELETE FROM deliveries WHERE at < :now - ${2 * HOUR} AND (${old})`);
    },
  };
}

interface First {
  key: string;
  content: (() => unknown) | undefined;
}

const EACH = `FROM json_each(:rows) AS given`;
const INSERT = `INSERT OR IGNORE INTO deliveries (key, at, process, content)
  SELECT value ->> 'key', :now, iif(value ->> 'content' IS NULL, NULL, :process), value ->> 'content' ${EACH} WHERE 1
  RETURNING key`;
const DONE = `UPDATE deliveries SET process = NULL, content = NULL, view = NULL
  WHERE key IN (SELECT value ->> 'key' ${EACH}) AND process = :process`;
const OPENED = `UPDATE deliveries SET view = given.value ->> 'view' ${EACH}
  WHERE deliveries.key = given.value ->> 'key' AND process = :process`;
const LATER = `INSERT OR IGNORE INTO deliveries (key, at, content) VALUES (:key, :now + :delay, :content)`;
const take = (where: string) => `UPDATE deliveries SET process = :process, tries = tries + 1
  WHERE ${where} RETURNING key, content, view, tries`;
const TAKE = take(`key IN (SELECT key FROM deliveries WHERE content IS NOT NULL
    AND (${isLeft('process')} OR (process IS NULL AND at <= :now)) ORDER BY at LIMIT ${TOGETHER})`);
const SOONER = take(
  `key >= :beginning AND key < :beginning || char(1114111) AND content IS NOT NULL AND process IS NULL`,
);

/** Writes together what is asked for within a moment, because each write to the disk has its price. */
function together<T>(moment: number, write: (batch: readonly T[]) => Promise<readonly boolean[]>) {
  const waiting: { one: T; resolve(isFirst: boolean): void; reject(error: unknown): void }[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, TOGETHER);
      try {
        const results = await write(batch.map(({ one }) => one));
        void begin(
          batch.map(
            ({ resolve }, index) =>
              () =>
                resolve(results[index] === true),
          ),
        );
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      if (waiting.length < TOGETHER) await new Promise((settle) => setTimeout(settle, PAUSE));
    }
    isWriting = false;
  }

  return (one: T): Promise<boolean> =>
    new Promise((resolve, reject) => {
      waiting.push({ one, resolve, reject });
      if (isWriting) return;
      isWriting = true;
      // It is written for many, whoever was the first.
      apart(() => setTimeout(writeAll, moment));
    });
}

/** The work that begins takes its time: before the next one, acknowledgements get their turn. */
async function begin(all: readonly (() => void)[]): Promise<void> {
  for (const one of all) {
    one();
    await new Promise(setImmediate);
  }
}
