import type { Database } from './database.ts';

/** The figures of the limit, given by whoever knows the platform. */
export interface PermitLimits {
  /** Requests per window and zone. */
  permits: number;
  /** Milliseconds. */
  window: number;
  /** Permits that background work leaves to people. */
  kept: number;
  /** Milliseconds that a permit stays taken when nobody says that the answer came. */
  lease: number;
}

/** The permits under the platform's logging limit, shared by all replicas. */
export interface LogPermits {
  /** Takes a permit, or says in how many milliseconds one may be free. */
  claim(zone: number, priority: 'person' | 'background'): Promise<{ permit: string } | { wait: number }>;
  /** The answer came: the permit is free again a window later. */
  release(zone: number, permit: string): Promise<void>;
  /** The platform said 429: somebody else uses the limit too. Every permit waits, half of them twice as long. */
  drain(zone: number, now: number, retryAfter?: number): Promise<void>;
}

/**
 * Each claim is one statement, time is the database's. A permit is free again a window after its answer, so no server-side
 * window ever sees one request too many.
 */
export function createLogPermits(database: Database, { permits, window, kept, lease }: PermitLimits): LogPermits {
  const known = new Set<number>();

  async function prepare(zone: number): Promise<void> {
    if (known.has(zone)) return;
    await database.execute(
      `INSERT INTO log_slots (zone, slot, free_at)
       SELECT :zone, slot, 0 FROM ROWS(:slots, slot INTEGER) AS given WHERE 1 = 1 ON CONFLICT (zone, slot) DO NOTHING`,
      { zone, slots: JSON.stringify(Array.from({ length: permits }, (_, slot) => ({ slot }))) },
    );
    known.add(zone);
  }

  return {
    async claim(zone, priority) {
      await prepare(zone);
      const left = priority === 'person' ? 0 : kept;
      const taken = await database.execute(
        `UPDATE log_slots SET free_at = :now + :lease + :window
         WHERE zone = :zone AND free_at <= :now
           AND (SELECT count(*) FROM log_slots WHERE zone = :zone AND free_at <= :now) > :left
           AND slot = (SELECT slot FROM log_slots WHERE zone = :zone AND free_at <= :now ORDER BY free_at, slot LIMIT 1)
         RETURNING slot`,
        { zone, lease, window, left },
      );
      const permit = taken.rows[0]?.slot;
      if (permit !== undefined) return { permit: String(permit) };
      // One more than is left to others has to be free: so long it takes until that many are.
      const next = await database.execute(
        'SELECT free_at - :now AS wait FROM log_slots WHERE zone = :zone ORDER BY free_at LIMIT 1 OFFSET :left',
        { zone, left },
      );
      // Permits that nobody has used for a day are forgotten.
      if (next.rows[0] === undefined) known.delete(zone);
      return { wait: Math.max(1, Number(next.rows[0]?.wait ?? 1)) };
    },

    async release(zone, permit) {
      await database.execute('UPDATE log_slots SET free_at = :now + :window WHERE zone = :zone AND slot = :permit', {
        zone,
        permit: Number(permit),
        window,
      });
    },

    async drain(zone, _now, retryAfter = window) {
      await prepare(zone);
      await database.execute(
        `UPDATE log_slots SET free_at = :now + :wait + CASE WHEN slot * 2 >= :permits THEN :window ELSE 0 END
         WHERE zone = :zone AND free_at < :now + :wait + CASE WHEN slot * 2 >= :permits THEN :window ELSE 0 END`,
        { zone, wait: retryAfter, window, permits },
      );
    },
  };
}
