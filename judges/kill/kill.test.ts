import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../playground/platform/random.ts';
import { operations } from '../../src/operations/index.ts';
import { type BuiltBot, buildBot } from '../../test/support/built-bot.ts';
import { PHASES } from './proxy.ts';
import { carryOut, prepared } from './run.ts';
import { scenarios } from './scenarios.ts';
import { startWorld, type World } from './world.ts';

/** A few of the runs of `npm run check -- kill`: the same ones each time. */
const RUNS = 6;
const SEED = 11;
/** No change takes fewer steps, but for those that only ask or take a question back. */
const FEWEST_STEPS = 12;
const SHORT = /^(cancel|close the question|ask for .*)$/;

describe('a bot that is killed', () => {
  let bot: BuiltBot;
  let world: World;

  beforeAll(async () => {
    bot = await buildBot();
    world = await startWorld(bot.main);
    await world.bot.start();
  });
  afterAll(async () => {
    await world.close();
    await bot.remove();
  });

  const changing = operations.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
  it.each(changing)(
    'has a scenario that comes as far as its press: %s',
    async (operation) => {
      const own = scenarios.filter((one) => one.operation === operation);
      const scenario = own.find(({ name }) => name === operation) ?? own[0];
      if (scenario === undefined) throw new Error(`judges/kill/scenarios.ts has none of ${operation}`);
      const at = `judges/kill/scenarios.ts, “${scenario.name}”`;
      const { id } = await prepared(world, scenario).catch((error: Error) => {
        throw new Error(`${at}: ${error.message}`, { cause: error });
      });
      const { rows } = await world.database.execute('SELECT operation FROM confirmations WHERE id = :id', {
        id: typeof id === 'string' ? id : '',
      });
      expect(rows[0]?.operation, `${at}: it asks for this operation`).toBe(operation);
      expect(world.slack.problems, at).toEqual([]);
      // Nobody may have more than twenty questions open.
      const open = "UPDATE confirmations SET expires_at = :now WHERE state IN ('asked', 'drafted')";
      await world.database.execute(open);
    },
    30_000,
  );

  const random = createRandom(SEED, 'kill');
  const chosen = scenarios.filter(({ name }) => !SHORT.test(name));
  for (let run = 1; run <= RUNS; run += 1) {
    const scenario = chosen[random.integer(0, chosen.length - 1)]!;
    const fault = { step: random.integer(1, FEWEST_STEPS), phase: PHASES[random.integer(0, PHASES.length - 1)]! };
    it(`does it at most once and says how it ended: ${scenario.name}, at step ${fault.step}, ${fault.phase}`, async () => {
      const { problems, wasHit, end } = await carryOut(world, { scenario, fault });
      expect(problems).toEqual([]);
      expect(wasHit).toBe(true);
      expect(end).not.toBe('silence');
    });
  }
});
