import type { Database } from './database.ts';

/**
 * Permits for requests of the access log, shared by all replicas. Each claim is one statement, by the clock of the
 * store. A permit is free again a window after its answer, so no window of the platform gets a request too many.
 */
export function createLogPermits(
  database: Database,
  { permits, window, kept, lease }: Record<'permits' | 'window' | 'kept' | 'lease', number>,
) {
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
    /** Takes a permit, or returns the milliseconds until one may be free. */
    async claim(zone: number, priority: 'person' | 'background'): Promise<{ permit: string } | { wait: number }> {
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
      // The time until enough permits are free, including those left to people.
      const next = await database.execute(
        'SELECT free_at - :now AS wait FROM log_slots WHERE zone = :zone ORDER BY free_at LIMIT 1 OFFSET :left',
        { zone, left },
      );
      return { wait: Math.max(1, Number(next.rows[0]?.wait)) };
    },

    async release(zone: number, permit: string): Promise<void> {
      await database.execute('UPDATE log_slots SET free_at = :now + :window WHERE zone = :zone AND slot = :permit', {
        zone,
        permit: Number(permit),
        window,
      });
    },

    /** A 429 shows that somebody else uses the limit, too. All permits wait, half of them a window longer. */
    async drain(zone: number, _now: number, retryAfter = window): Promise<void> {
      await prepare(zone);
      await database.execute(
        `UPDATE log_slots SET free_at = :now + :wait + CASE WHEN slot * 2 >= :permits THEN :window ELSE 0 END
         WHERE zone = :zone AND free_at < :now + :wait + CASE WHEN slot * 2 >= :permits THEN :window ELSE 0 END`,
        { zone, wait: retryAfter, window, permits },
      );
    },
  };
}
