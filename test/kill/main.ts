/** `npm run kill-test`: every change, killed at every step, before, after and at the end of it. */
import { parseArgs } from 'node:util';
import { buildBot } from './bot.ts';
import { type Planned, plan, summaryOf } from './plan.ts';
import { carryOut, type Result, type Run } from './run.ts';
import { scenarios } from './scenarios.ts';
import { startWorld, type World } from './world.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    parallel: { type: 'string', default: '2' },
    only: { type: 'string' },
  },
});

/** How many runs a bot's world is used for: its audit is verified whole after each. */
const RUNS_A_WORLD = 60;

const started = performance.now();
const bot = await buildBot();
const results: Result[] = [];
let world: World | undefined;
async function fresh(): Promise<World> {
  const made = await startWorld(bot.main);
  await made.bot.start();
  return made;
}

const BROKEN = 'broken';
const broken =
  ({ scenario, death }: Run) =>
  (error: unknown): Result => ({
    scenario: scenario.name,
    step: death?.step ?? 0,
    phase: death?.phase ?? 'none',
    wasKilled: false,
    steps: [],
    end: BROKEN,
    problems: [error instanceof Error ? error.message : String(error)],
    said: [],
  });

try {
  world = await fresh();
  const chosen = scenarios.filter(({ name }) => values.only === undefined || new RegExp(values.only).test(name));
  const counted: Planned[] = [];
  for (const scenario of chosen) {
    const result = await carryOut(world, { scenario });
    console.log(`${scenario.name}: ${result.steps.length} steps, ends with ${result.end}`);
    if (result.problems.length > 0) console.log(`  NOT WELL: ${[...result.problems, ...result.said].join('\n  ')}`);
    results.push(result);
    counted.push({ scenario, steps: result.steps.length });
  }
  await world.close();
  world = undefined;
  const runs = plan(counted, {
    seed: Number(values.seed),
    ...(values.sample === undefined ? {} : { sample: Number(values.sample) }),
  });
  console.log(`${runs.length} runs`);

  let next = 0;
  await Promise.all(
    Array.from({ length: Number(values.parallel) }, async () => {
      let own = await fresh();
      let used = 0;
      for (let run = runs[next++]; run !== undefined; run = runs[next++]) {
        if (used++ === RUNS_A_WORLD) {
          await own.close();
          own = await fresh();
          used = 1;
        }
        const label = `${run.scenario.name} · step ${run.death?.step} · ${run.death?.phase}`;
        let result = await carryOut(own, run).catch(broken(run));
        if (result.end === BROKEN) {
          // A machine that stands still for a minute breaks a run, too: it is tried once more, in a world of its own.
          console.log(`${label}: ${result.problems.join()}; once more`);
          await own.close();
          own = await fresh();
          used = 1;
          result = await carryOut(own, run).catch(broken(run));
        }
        results.push(result);
        const last = result.steps[(run.death?.step ?? 0) - 1] ?? 'not reached';
        console.log(`${results.length} ${label} (${last}): ${result.end}`);
        if (result.problems.length > 0) console.log(`  NOT WELL: ${[...result.problems, ...result.said].join('\n  ')}`);
      }
      await own.close();
    }),
  );
} finally {
  await world?.close();
  await bot.remove();
}

console.log(summaryOf(results, performance.now() - started));
process.exit(results.some(({ problems }) => problems.length > 0) ? 1 : 0);
