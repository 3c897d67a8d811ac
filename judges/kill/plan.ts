import { createRandom } from '../../playground/platform/random.ts';
import { isDeath, PHASES, type Phase } from './proxy.ts';
import type { Result, Run } from './run.ts';
import type { Scenario } from './scenarios.ts';

/** A scenario with the number of its steps. */
export interface Planned {
  scenario: Scenario;
  steps: number;
}

/** Every step of every scenario in each phase, in an order by the seed; a sample is the first of them. */
export function plan(
  counted: readonly Planned[],
  { seed, sample, phases = PHASES }: { seed: number; sample?: number; phases?: readonly Phase[] },
): Run[] {
  const all = counted.flatMap(({ scenario, steps }) =>
    Array.from({ length: steps }, (_, index) => index + 1).flatMap((step) =>
      phases.map((phase): Run => ({ scenario, fault: { step, phase } })),
    ),
  );
  const random = createRandom(seed, 'kill');
  const left = [...all];
  const wanted = Math.min(sample ?? all.length, all.length);
  return Array.from({ length: wanted }, () => left.splice(random.integer(0, left.length - 1), 1)[0]!);
}

/** What to print at the end: how many runs there were of what, how they ended, and those that are not well. */
export function summaryOf(results: readonly Result[], milliseconds: number): string {
  const hit = results.filter(({ wasHit }) => wasHit);
  const killed = hit.filter(({ phase }) => phase !== 'none' && isDeath(phase));
  const missed = results.filter(({ wasHit, phase }) => !wasHit && phase !== 'none');
  const bad = results.filter(({ problems }) => problems.length > 0);
  const count = (items: readonly Result[], keyOf: (item: Result) => string): string => {
    const counts = new Map<string, number>();
    for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
    return [...counts].map(([key, found]) => `${key} ${found}`).join(', ');
  };
  return [
    '',
    `${killed.length} kills and ${hit.length - killed.length} lost requests and answers in ${Math.round(milliseconds / 1000)} s: ${bad.length} not well; ${missed.length} more runs ended before the step came`,
    `by change: ${count(hit, ({ scenario }) => scenario)}`,
    `by moment: ${count(hit, ({ phase }) => phase)}`,
    `by end:    ${count(hit, ({ end }) => end)}`,
    ...bad.map(
      ({ scenario, step, phase, problems }) => `  ${scenario} · step ${step} · ${phase}: ${problems.join('; ')}`,
    ),
  ].join('\n');
}
