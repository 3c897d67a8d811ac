import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOGGING_LIMIT } from '../../src/platform/rate-limit.ts';
import type { Database } from '../../src/store/database.ts';
import { createLogPermits } from '../../src/store/log-permits.ts';
import { embedded, type OpenStore } from './replicas.ts';

const { permits: PERMITS, window: WINDOW, lease: LEASE } = LOGGING_LIMIT;
const ZONE = 1001;

describe('the permits under the logging limit', () => {
  let store: OpenStore;
  let database: Database;
  let now: number;
  let zone = ZONE;

  beforeEach(async () => {
    now = Date.UTC(2026, 10, 21, 12);
    zone += 1;
    store = await embedded.prepare();
    database = await store.open(() => new Date(now));
  });
  afterEach(() => store.close());

  const create = () => createLogPermits(database, LOGGING_LIMIT);
  type Permits = ReturnType<typeof create>;

  /** Claims until there is no permit any more. */
  async function claimAll(permits: Permits, priority: 'person' | 'background'): Promise<string[]> {
    const taken: string[] = [];
    for (;;) {
      const claim = await permits.claim(zone, priority);
      if ('wait' in claim) return taken;
      taken.push(claim.permit);
    }
  }

  it('are as many as the platform allows, a few of them for people only', async () => {
    const permits = create();
    expect(await claimAll(permits, 'background')).toHaveLength(PERMITS - LOGGING_LIMIT.kept);
    expect(await claimAll(permits, 'person')).toHaveLength(LOGGING_LIMIT.kept);
    expect(await permits.claim(zone, 'person')).toMatchObject({ wait: expect.any(Number) });
    expect(await permits.claim(zone + 500, 'person')).toMatchObject({ permit: expect.any(String) });
  });

  it('are shared by replicas, and by none is one taken twice', async () => {
    const replicas = [create(), create(), create()];
    const claims = await Promise.all(
      Array.from({ length: 60 }, (_, index) => replicas[index % 3]!.claim(zone, 'person')),
    );
    const taken = claims.flatMap((claim) => ('permit' in claim ? [claim.permit] : []));
    expect(taken).toHaveLength(PERMITS);
    expect(new Set(taken).size).toBe(PERMITS);
  });

  it('are free again one window after the answer, and say how long that is', async () => {
    const permits = create();
    for (const permit of await claimAll(permits, 'person')) await permits.release(zone, permit);
    expect(await permits.claim(zone, 'person')).toEqual({ wait: WINDOW });
    now += WINDOW - 1;
    expect(await permits.claim(zone, 'person')).toEqual({ wait: 1 });
    now += 1;
    expect(await claimAll(permits, 'person')).toHaveLength(PERMITS);
  });

  it('come back by themselves when nobody says that the answer came', async () => {
    const permits = create();
    await claimAll(permits, 'person');
    now += LEASE + WINDOW - 1;
    expect(await claimAll(permits, 'person')).toEqual([]);
    now += 1;
    expect(await claimAll(permits, 'person')).toHaveLength(PERMITS);
  });

  it('all wait when the platform says that somebody else used the limit', async () => {
    const permits = create();
    await permits.drain(zone, now, 4_000);
    expect(await permits.claim(zone, 'person')).toEqual({ wait: 4_000 });
    now += 4_000;
    expect(await claimAll(permits, 'person')).toHaveLength(PERMITS / 2);
    now += WINDOW;
    expect((await claimAll(permits, 'person')).length).toBeGreaterThan(0);
  });

  it('never let more than the limit arrive within any ten seconds, however long the answers take', async () => {
    const request = fc.record({
      after: fc.integer({ min: 0, max: 900 }),
      priority: fc.constantFrom('person' as const, 'background' as const),
      /** From the claim until the platform counts it, and until the answer. */
      arrives: fc.integer({ min: 0, max: 4_000 }),
      answers: fc.integer({ min: 0, max: 4_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 60, maxLength: 120 }), async (requests) => {
        zone += 1;
        now += 10 * WINDOW;
        const permits = create();
        const arrivals: number[] = [];
        let releases: { at: number; permit: string }[] = [];
        for (const { after, priority, arrives, answers } of requests) {
          const until = now + after;
          for (const release of releases.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)) {
            now = release.at;
            await permits.release(zone, release.permit);
          }
          releases = releases.filter(({ at }) => at > until);
          now = until;
          const claim = await permits.claim(zone, priority);
          if ('wait' in claim) {
            expect(claim.wait).toBeGreaterThan(0);
            continue;
          }
          arrivals.push(now + arrives);
          releases.push({ at: now + arrives + answers, permit: claim.permit });
        }
        arrivals.sort((a, b) => a - b);
        for (const [index, start] of arrivals.entries()) {
          const within = arrivals.slice(index).filter((at) => at < start + WINDOW);
          expect(within.length).toBeLessThanOrEqual(PERMITS);
        }
      }),
      { numRuns: 6 },
    );
  });
});
