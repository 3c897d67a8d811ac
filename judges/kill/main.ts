/** `npm run check -- kill`: every change, killed at every step, before, after and at the end of it; and each step lost. */
import { parseArgs } from 'node:util';
import { buildBot } from '../../test/support/built-bot.ts';
import { type Planned, plan, summaryOf } from './plan.ts';
import { PHASES, type Phase } from './proxy.ts';
import { carryOut, type Result, type Run } from './run.ts';
import { scenarios } from './scenarios.ts';
import { startWorld, type World } from './world.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    parallel: { type: 'string', default: '2' },
    only: { type: 'string' },
    phases: { type: 'string', default: PHASES.join() },
  },
});

/** How many runs a bot's world is used for: its audit is verified whole after each. */
const RUNS_A_WORLD = 60;

const started = performance.now();
const bot = await buildBot();
const results: Result[] = [];
/** Asked to stop, it begins no more runs, and says what came of those that it made. */
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isStopping = true;
  });
}

const BROKEN = 'broken';
const broken =
  ({ scenario, fault }: Run) =>
  (error: unknown): Result => ({
    scenario: scenario.name,
    step: fault?.step ?? 0,
    phase: fault?.phase ?? 'none',
    wasHit: false,
    steps: [],
    end: BROKEN,
    problems: [error instanceof Error ? error.message : String(error)],
    said: [],
  });

/** Carries all out, several at a time, each of them in a world of its own. */
async function carryOutAll(runs: readonly Run[], done: (run: Run, result: Result) => void): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    let own: World | undefined;
    let used = 0;
    const renewed = async (): Promise<World> => {
      await own?.close();
      own = await startWorld(bot.main);
      await own.bot.start();
      used = 1;
      return own;
    };
    for (let run = runs[next++]; run !== undefined && !isStopping; run = runs[next++]) {
      used += 1;
      const world = own === undefined || used > RUNS_A_WORLD ? await renewed() : own;
      let result = await carryOut(world, run).catch(broken(run));
      if (result.end === BROKEN) {
        // A machine that stands still for a minute breaks a run, too: it is tried once more, in a world of its own.
        console.log(`${run.scenario.name}: ${result.problems.join()}; once more`);
        result = await carryOut(await renewed(), run).catch(broken(run));
      }
      done(run, result);
    }
    await own?.close();
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, work));
}

function tell(result: Result, words: string): void {
  results.push(result);
  console.log(words);
  if (result.problems.length > 0) console.log(`  NOT WELL: ${[...result.problems, ...result.said].join('\n  ')}`);
}

try {
  const chosen = scenarios.filter(({ name }) => values.only === undefined || new RegExp(values.only).test(name));
  const counted: Planned[] = [];
  await carryOutAll(
    chosen.map((scenario) => ({ scenario })),
    ({ scenario }, result) => {
      counted.push({ scenario, steps: result.steps.length });
      tell(result, `${scenario.name}: ${result.steps.length} steps, ends with ${result.end}`);
    },
  );
  counted.sort((a, b) => scenarios.indexOf(a.scenario) - scenarios.indexOf(b.scenario));
  const runs = plan(counted, {
    seed: Number(values.seed),
    phases: values.phases.split(',') as Phase[],
    ...(values.sample === undefined ? {} : { sample: Number(values.sample) }),
  });
  console.log(`${runs.length} runs`);
  await carryOutAll(runs, ({ scenario, fault }, result) => {
    const last = result.steps[(fault?.step ?? 0) - 1] ?? 'not reached';
    tell(result, `${results.length} ${scenario.name} · step ${fault?.step} · ${fault?.phase} (${last}): ${result.end}`);
  });
} finally {
  await bot.remove();
}

console.log(summaryOf(results, performance.now() - started));
process.exit(results.some(({ problems }) => problems.length > 0) ? 1 : 0);
