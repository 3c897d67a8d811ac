import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE } from '../time.ts';
import type { Database, Self, Statement } from './database.ts';
import { placeOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

/** In milliseconds. How long a process owns its jobs after its last heartbeat. */
export const LEASE = 12_000;
/** In milliseconds. How often a process renews all its leases. */
export const BEAT_EVERY = 3_000;
/**
 * In milliseconds by the monotonic clock. Later than this after its last heartbeat a process sends no change: it is less than
 * others wait before they take over.
 */
export const FENCE = 8_000;

/** In milliseconds. Anybody may take a kept job that is not renewed for this long. */
export const KEPT = MINUTE;
/** The time of a job that is due only when its holder dies. */
const NEVER = 9e15;

/** Work that some process has to finish. */
export interface Job {
  key: string;
  kind: string;
  /** Undefined: there is none, it was sealed with another key, or somebody else wrote it. */
  body: unknown;
  /** The fencing token: how often it was claimed. */
  epoch: number;
  /** How many processes died with it. */
  deaths: number;
}

export interface NewJob {
  kind: string;
  key: string;
  /** Without it there is no work: only the key is remembered. */
  body?: unknown;
  /** In milliseconds. Without it, this process has already begun the job. */
  delay?: number;
}

type Claimed = Pick<Job, 'key' | 'epoch'>;

/** A process before its first heartbeat. */
export const createSelf = (isShared: boolean): Self => ({
  id: randomBytes(9).toString('base64url'),
  isShared,
  seenAt: Number.NEGATIVE_INFINITY,
  held: new Set(),
  known: new Map(),
  steadySince: Number.NEGATIVE_INFINITY,
});

/** A lease that ended before this is over. After an outage of the whole store, old leases prove nothing. */
const over = ({ steadySince }: Self) => (performance.now() - steadySince >= LEASE ? ':now' : `:now - ${MINUTE}`);

/**
 * Renews the leases of this process, and notes which jobs they are for. An embedded store has a lock instead. Jobs that
 * it does not know of are left out: the answer to its claim was lost, and nobody would do them.
 */
export async function beat(database: Database, self: Self): Promise<void> {
  if (!self.isShared) return;
  const asked = performance.now();
  const sql = `UPDATE jobs SET lease_until = :now + ${LEASE}
    WHERE holder = :process AND (run_at <> ${NEVER} OR key IN LIST(:known)) RETURNING key`;
  const { rows } = await database.execute(sql, { known: JSON.stringify([...self.known.keys()]) });
  if (asked - self.seenAt > 2 * BEAT_EVERY + 1_000) self.steadySince = asked;
  self.seenAt = asked;
  self.held = new Set(rows.map(({ key }) => String(key)));
}

/** Each step is one statement. */
export type Jobs = ReturnType<typeof createJobs>;

export function createJobs(database: Database, seal: Seal = UNSEALED, self: Self = database.self ?? createSelf(false)) {
  const write = (key: string, kind: string, body: unknown) => seal.write([kind, body], placeOf('jobs', 'body', key));
  const wakers: ((delay: number) => void)[] = [];
  const wake = (delay: number) => {
    for (const one of wakers) one(delay);
  };
  const knows = ({ key, epoch }: Claimed) => void self.known.set(key, epoch);
  const forgets = ({ key, epoch }: Claimed) => self.known.get(key) === epoch && self.known.delete(key);
  /** Tries again while the store is away. Otherwise the job would be done again, after people were told its outcome. */
  const surely = (write: () => Promise<unknown>, tries = 0): Promise<unknown> =>
    write().catch(() => {
      if (tries < 60) setTimeout(surely, 2_000, write, tries + 1).unref();
    });
  const left = () => (self.isShared ? `jobs.lease_until < ${over(self)}` : 'jobs.holder <> :process');
  const of = (kinds?: readonly string[]) => (kinds === undefined ? '' : 'kind IN LIST(:kinds) AND');
  const due = () => `body IS NOT NULL AND (run_at <= :now OR ${left()})`;
  return {
    /** Other processes may use the same store. */
    isShared: self.isShared,
    /** True if the key is new. */
    async add({ kind, key, body, delay }: NewJob) {
      const isBegun = delay === undefined && body !== undefined;
      const { changed } = await database.execute(
        `INSERT INTO jobs (key, kind, run_at, holder, lease_until, epoch, body)
         VALUES (:key, :kind, ${isBegun ? `${NEVER}, :process, :now + ${LEASE}, 1` : ':now + :delay, NULL, NULL, 0'}, :body)
         ON CONFLICT (key) DO NOTHING`,
        { key, kind, delay: delay ?? 0, body: body === undefined ? null : write(key, kind, body) },
      );
      if (delay !== undefined) wake(delay);
      else if (isBegun && changed === 1) knows({ key, epoch: 1 });
      return changed === 1;
    },
    async seen(key: string) {
      const { rows } = await database.execute('SELECT 1 FROM jobs WHERE key = :key', { key });
      return rows.length > 0;
    },
    /** Takes jobs that are due or whose holder is dead. Each goes to one process. */
    async claim(limit: number, kinds?: readonly string[]) {
      // The condition is repeated for the update, because another replica may have taken the job.
      const { rows } = await database.execute(
        `UPDATE jobs SET run_at = ${NEVER}, ${MINE}, epoch = epoch + 1
         WHERE ${due()} AND key IN (SELECT key FROM jobs WHERE ${of(kinds)} ${due()} ORDER BY run_at LIMIT :limit)
         RETURNING key, kind, body, epoch, tries`,
        { limit, kinds: JSON.stringify(kinds ?? []) },
      );
      const claimed = rows.map((row) => jobOf(row, seal));
      claimed.forEach(knows);
      return claimed;
    },
    /** Milliseconds until there is a job to claim; 0 or less: now. */
    async dueIn(kinds?: readonly string[]) {
      const lease = self.isShared ? `lease_until + 1 - (${over(self)})` : '0';
      const { rows } = await database.execute(
        `SELECT min(pause) AS pause FROM (
           SELECT min(run_at) - :now AS pause FROM jobs WHERE ${of(kinds)} body IS NOT NULL
           UNION ALL SELECT min(${lease}) FROM jobs WHERE ${of(kinds)} holder <> :process) AS pauses`,
        { kinds: JSON.stringify(kinds ?? []) },
      );
      return Number(rows[0]?.pause ?? Number.POSITIVE_INFINITY);
    },
    /** Makes it due after `delay`, with this body, unless a process has it. */
    async arm(kind: string, key: string, delay: number, body: unknown = null) {
      await database.execute(
        `INSERT INTO jobs (key, kind, run_at, body) VALUES (:key, :kind, :now + :delay, :body)
         ON CONFLICT (key) DO UPDATE SET run_at = excluded.run_at, body = excluded.body WHERE jobs.holder IS NULL`,
        { kind, key, delay, body: write(key, kind, body) },
      );
      wake(delay);
    },
    /** Takes it early, whether there is work or not, as soon as no other process has it. */
    async hold(kind: string, key: string, signal?: AbortSignal) {
      for (;;) {
        const { rows } = await database.execute(
          `${take(String(NEVER))} WHERE jobs.holder IS NULL OR ${left()} RETURNING key, epoch`,
          { kind, key, body: write(key, kind, null) },
        );
        const [held] = rows.map((row) => ({ key: String(row.key), epoch: Number(row.epoch) }));
        if (held !== undefined) {
          knows(held);
          return held;
        }
        await sleep(200, undefined, { signal });
      }
    },
    /** Makes jobs due now whose keys have this prefix. */
    async sooner(beginning: string) {
      await database.execute(
        `UPDATE jobs SET run_at = :now
         WHERE substr(key, 1, length(:beginning)) = :beginning AND holder IS NULL AND run_at > :now`,
        { beginning },
      );
      wake(0);
    },
    /** Changes the body of a job that this process holds. */
    rewrite({ key, epoch }: Claimed, kind: string, body: unknown) {
      const sql = 'UPDATE jobs SET body = :body WHERE key = :key AND holder = :process AND epoch = :epoch';
      void database.execute(sql, { key, epoch, body: write(key, kind, body) }).catch(() => undefined);
    },
    /** Gives it back, due after `delay`; without one it is done. Never rejects. */
    async release({ key, epoch }: Claimed, delay?: number) {
      const set = delay === undefined ? DONE : `${FREE}, run_at = :now + :delay`;
      const sql = `UPDATE jobs SET ${set} WHERE key = :key AND holder = :process AND epoch = :epoch`;
      await surely(async () => {
        await database.execute(sql, { key, epoch, ...(delay === undefined ? {} : { delay }) });
        forgets({ key, epoch });
      });
      if (delay !== undefined) wake(delay);
    },
    beat: () => beat(database, self),
    /** Keeps it for another minute. False: another process has it. */
    async renew(key: string) {
      const sql = `UPDATE jobs SET run_at = :now + ${KEPT}, ${MINE} WHERE key = :key AND holder = :process`;
      return (await database.execute(sql, { key })).changed === 1;
    },
    /**
     * False: others may have it, so nothing may be sent for it. `heldAt`: the moment before the store last confirmed that it is
     * ours, by `performance.now()`.
     */
    isMine(key: string, heldAt: number) {
      const now = performance.now();
      const saidAt = self.held.has(key) ? Math.max(heldAt, self.seenAt) : heldAt;
      return now - heldAt < KEPT / 2 && (!self.isShared || now - saidAt < FENCE);
    },
    /** At an orderly stop: its jobs are due now. */
    async leave() {
      self.seenAt = Number.NEGATIVE_INFINITY;
      await database.execute(`UPDATE jobs SET ${FREE}, run_at = :now WHERE holder = :process`);
      await database.tell();
    },
    /** Calls `wake` with the delay of each job that was written. */
    onDue: (listener: (delay: number) => void) => void wakers.push(listener),
  };
}

const FREE = 'holder = NULL, lease_until = NULL, tries = tries + 1';
const DONE = 'holder = NULL, lease_until = NULL, body = NULL, run_at = :now';
const MINE = `holder = :process, lease_until = :now + ${LEASE}`;
const take = (runAt: string) => `INSERT INTO jobs (key, kind, run_at, holder, lease_until, epoch, body)
  VALUES (:key, :kind, ${runAt}, :process, :now + ${LEASE}, 1, :body)
  ON CONFLICT (key) DO UPDATE SET run_at = excluded.run_at, holder = excluded.holder, lease_until = excluded.lease_until,
    epoch = jobs.epoch + 1, body = excluded.body`;

/** Part of another step: this process keeps the job from now on, whoever had it. */
export const keeping = (kind: string, key: string): Statement => ({
  sql: take(`:now + ${KEPT}`),
  args: { kind, key, body: '' },
  follows: true,
});
/** Marks the job as done, unless another process has it. */
export const finishing = (key: string): Statement => ({
  sql: `UPDATE jobs SET ${DONE} WHERE key = :key AND (holder IS NULL OR holder = :process)`,
  args: { key },
});

function jobOf(row: Record<string, unknown>, seal: Seal): Job {
  const [key, kind, epoch] = [String(row.key), String(row.kind), Number(row.epoch)];
  const known = row.body === '' ? undefined : seal.read(String(row.body), placeOf('jobs', 'body', key));
  const [sealedKind, body] = (known ?? []) as [string?, unknown?];
  return { key, kind, body: sealedKind === kind ? body : undefined, epoch, deaths: epoch - 1 - Number(row.tries) };
}
