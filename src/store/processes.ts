import { randomBytes } from 'node:crypto';
import { MINUTE } from '../time.ts';
import type { Database, Self } from './database.ts';

/** A process is believed to live so long after it last said so, in milliseconds. */
export const ALIVE = 12_000;
/** How often a process says that it lives, in milliseconds. */
export const BEAT_EVERY = 3_000;
/**
 * Nothing that changes something leaves a process that could not say for so long that it lives, in milliseconds by its own
 * clock, which nobody sets: it is less than what others wait before they say how its changes ended.
 */
export const ALIVE_FENCE = 8_000;

/** A process that has not said anything yet. */
export const createSelf = (isShared: boolean): Self => ({
  id: randomBytes(9).toString('base64url'),
  isShared,
  seenAt: Number.NEGATIVE_INFINITY,
  steadySince: Number.NEGATIVE_INFINITY,
});

/** A statement with `:process`, the id of this one, and `:alive`, those of all that live, put in. */
export function withSelf(sql: string, { id, isShared, steadySince }: Self): string {
  if (!/:process\b|:alive\b/.test(sql)) return sql;
  const isJudge = !isShared || performance.now() - steadySince >= ALIVE;
  // After the store was away for everybody, old heartbeats prove nothing.
  const since = isJudge ? ':now' : `:now - ${MINUTE}`;
  return sql
    .replace(/:alive\b/g, `(SELECT id FROM processes WHERE alive_until > ${since})`)
    .replace(/:process\b/g, `'${id}'`);
}

/** True for a row whose process does not live any more. */
export const isLeft = (column: string): string => `(${column} IS NOT NULL AND ${column} NOT IN :alive)`;

/** The processes on one store. */
export interface Processes {
  /** Others may be on the same store. */
  isShared: boolean;
  /** Says that this process lives. */
  beat(): Promise<void>;
  /** False: others may take it for dead, so that it must not send anything any more. */
  isAlive(): boolean;
  /** A process has died since it was last asked, or there is something that one has left. */
  haveLeft(): Promise<boolean>;
  /** This process ends in order: what it has left may be taken at once. */
  leave(): Promise<void>;
}

/** Puts this process down. On an embedded store all others are dead. */
export async function enter(database: Database, self: Self): Promise<void> {
  if (!self.isShared) await database.execute('DELETE FROM processes');
  await beat(database, self);
}

/** Everything of confirmations, reversals and deliveries that a process has while it works on it. */
const LEFT = `SELECT EXISTS (SELECT 1 FROM confirmations
    WHERE coalesce(lease_until, notify_after) IS NOT NULL AND ${isLeft('holder')})
  OR EXISTS (SELECT 1 FROM reversals WHERE lease_until IS NOT NULL AND ${isLeft('holder')})
  OR EXISTS (SELECT 1 FROM deliveries WHERE content IS NOT NULL AND ${isLeft('process')}) AS "left"`;

/** The processes in a database. */
export function createProcesses(database: Database, self: Self = createSelf(false)): Processes {
  return {
    isShared: self.isShared,
    beat: () => beat(database, self),
    isAlive: () => !self.isShared || performance.now() - self.seenAt < ALIVE_FENCE,
    async haveLeft() {
      const dead = await database.execute('DELETE FROM processes WHERE id NOT IN :alive');
      return dead.changed > 0 || (await database.execute(LEFT)).rows[0]?.left === 1;
    },
    async leave() {
      self.seenAt = Number.NEGATIVE_INFINITY;
      await database.execute('DELETE FROM processes WHERE id = :process');
    },
  };
}

async function beat(database: Database, self: Self): Promise<void> {
  const asked = performance.now();
  // The lock of an embedded store says it better.
  const until = self.isShared ? `:now + ${ALIVE}` : String(Number.MAX_SAFE_INTEGER);
  await database.execute(
    `INSERT INTO processes (id, alive_until) VALUES (:process, ${until})
     ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until`,
  );
  if (asked - self.seenAt > 2 * BEAT_EVERY + 1_000) self.steadySince = asked;
  self.seenAt = asked;
}

/** Claims of this process that have come to no end yet, or to one of which nobody was told; and those that it gave away. */
export function createHolding(giveAway: (id: string) => Promise<boolean>) {
  const [held, handedOver] = [new Set<string>(), new Set<string>()];
  const handOver = async () => {
    for (const id of held) {
      handedOver.add(id);
      if (!(await giveAway(id))) handedOver.delete(id);
    }
  };
  return { held, view: { held: () => held.size, isHandedOver: (id: string) => handedOver.has(id), handOver } };
}
