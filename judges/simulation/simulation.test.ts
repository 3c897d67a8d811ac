import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEEDS, simulateSeed } from './seeds.ts';
import { simulate } from './simulate.ts';

describe('the bot in virtual time', () => {
  it.each([1, 5, 17, 23])('does nothing twice and ends nothing silent, whatever fails (seed %i)', async (seed) => {
    const { problems, counts } = await simulateSeed(seed, 100);
    expect(problems).toEqual([]);
    expect(counts.made).toBeGreaterThan(0);
  });

  it.each(SEEDS)('still does what it once did wrong ($found)', async ({ seed, actions }) => {
    expect((await simulateSeed(seed, actions)).problems).toEqual([]);
  });

  it('lives through the same seed the same, to the byte', async () => {
    const first = await simulateSeed(42, 60);
    const again = await simulateSeed(42, 60);
    expect(first.counts.crashes).toBeGreaterThan(0);
    expect(again.trace.join('\n')).toBe(first.trace.join('\n'));
  });

  /** Every choice is one of these numbers: a failing list is shrunk to the few that matter. */
  it('does nothing twice and ends nothing silent, in whatever order people, bots and failures come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 50, maxLength: 600 }),
        fc.integer({ min: 1, max: 3 }),
        async (choices, replicas) => {
          let next = 0;
          const choose = () => choices[next++] ?? (next * 0.618_034) % 1;
          const { problems } = await simulate({ choose, actions: 25, replicas, faults: 0.05 });
          expect(problems).toEqual([]);
        },
      ),
      { numRuns: 15, seed: 7 },
    );
  });
});
