import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRMATION_LIFETIME, createConfirmations } from '../../src/store/confirmations.ts';
import type { Database } from '../../src/store/database.ts';
import { createJobs } from '../../src/store/jobs.ts';
import { leftChanges } from '../support/left.ts';
import { embedded, type OpenStore } from './replicas.ts';

const ADA = { id: 'U1', teamId: 'T1' };
const END = ['done', 'failed', 'refused', 'cancelled', 'expired', 'withdrawn'];

describe('a confirmation', () => {
  let store: OpenStore;
  let database: Database;
  let now = Date.UTC(2026, 10, 21, 12);

  beforeAll(async () => {
    store = await embedded.prepare();
    database = await store.open(() => new Date(now));
  });
  afterAll(() => store.close());

  /** Everything that presses, retries, timers and restarts can do to it, in any order and at the same time. */
  const step = fc.constantFrom(
    'claim',
    'send',
    'settle',
    'fail',
    'cancel',
    'expire',
    'withdraw',
    'abandoned',
    'renew',
    'wait',
    'long wait',
  );

  it('lets one request out at most, and never leaves its end again, whatever happens to it in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { minLength: 2, maxLength: 12 }), async (turns) => {
        const confirmations = createConfirmations(database);
        const jobs = createJobs(database);
        const { id } = await confirmations.create({
          operation: 'ssl force',
          given: {},
          target: 'cdn.example.com',
          preview: { after: { ForceSSL: true } },
          actor: ADA.id,
          team: ADA.teamId,
          channel: 'C1',
        });
        const count = { claimed: 0, sent: 0, settled: 0, cancelled: 0 };
        const counted = async (what: keyof typeof count, times: Promise<number>) => {
          // Awaited first: added to a figure that was read before, another one's would be lost.
          const more = await times;
          count[what] += more;
        };
        const steps: Record<string, () => Promise<unknown>> = {
          claim: () =>
            counted(
              'claimed',
              confirmations.claim(id, ADA).then((one) => (one === undefined ? 0 : 1)),
            ),
          send: () => counted('sent', confirmations.send(id).then(Number)),
          settle: () => counted('settled', confirmations.settle(id, 'done', '').then(Number)),
          fail: () => counted('settled', confirmations.settle(id, 'failed', '').then(Number)),
          cancel: () => counted('cancelled', confirmations.cancel(id, ADA).then(Number)),
          expire: () => confirmations.expire(),
          withdraw: () => confirmations.withdraw({ channel: 'C1' }, ''),
          abandoned: () => leftChanges(jobs, confirmations),
          renew: () => jobs.renew(`change:${id}`),
          wait: async () => {
            now += 30_001;
          },
          'long wait': async () => {
            now += CONFIRMATION_LIFETIME;
          },
        };
        let ended: string | undefined;
        for (const turn of turns) {
          await Promise.all(turn.map((name) => steps[name]?.()));
          const state = (await confirmations.read(id))?.state ?? '';
          if (ended !== undefined) expect(state).toBe(ended);
          if (END.includes(state)) ended = state;
        }
        for (const times of Object.values(count)) expect(times).toBeLessThanOrEqual(1);
        expect(count.claimed + count.cancelled).toBeLessThanOrEqual(1);
        // What was never claimed was never sent or settled.
        if (count.claimed === 0) expect(count.sent + count.settled).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
