import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PlatformSimulator, startPlatformSimulator } from '../../playground/platform/simulator.ts';
import type { SlackEmulator } from '../../playground/slack/emulator.ts';
import { type BuiltBot, buildBot } from '../../test/support/built-bot.ts';
import { type Started, startBadly } from './start.ts';

let bot: BuiltBot;
let platform: PlatformSimulator;
const all: Started[] = [];

beforeAll(async () => {
  [bot, platform] = await Promise.all([buildBot(), startPlatformSimulator()]);
});
afterAll(async () => {
  for (const { folder, close } of all) {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
  await platform.close();
  await bot.remove();
});

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; !(await what()); await new Promise((next) => setTimeout(next, 20)))
    if (Date.now() > deadline) throw new Error(`it did not come about: ${what}`);
}

/** A bot with nothing wrong, to which Slack sends its requests; resolves when it is ready. */
async function ready(grace: string): Promise<{ started: Started; slack: SlackEmulator }> {
  let slack: SlackEmulator | undefined;
  const prepare = (ground: { slack: SlackEmulator }) => {
    slack = ground.slack;
    return { STOP_GRACE: grace };
  };
  const started = await startBadly({ when: '', says: '', slack: { patience: 20_000 }, prepare }, bot.main, platform);
  all.push(started);
  slack!.deliverTo({ eventsUrl: `http://127.0.0.1:${started.port}/slack/events` });
  await until(async () => (await readiness(started)) === 200);
  return { started, slack: slack! };
}

const readiness = ({ port }: Started): Promise<number | undefined> =>
  fetch(`http://127.0.0.1:${port}/health/ready`, { headers: { connection: 'close' } }).then(
    ({ status }) => status,
    () => undefined,
  );
const logged = (started: Started) => started.logged().map(({ msg }) => msg);
const STEPS = /^stopping: /;

it('a bot that gets SIGTERM is not ready at once, answers what still comes for its grace, and ends in order', async () => {
  const { started, slack } = await ready('1');
  started.signal('SIGTERM');
  await until(async () => (await readiness(started)) === 503);
  const ops = slack.person('ada').in('#ops');
  await ops.type('/edge help');
  await ops.expectMessage(/\/edge/);
  expect(await started.ended).toBe(0);
  const lines = logged(started);
  const first = lines.findIndex((line) => STEPS.test(line));
  expect(lines[first]).toBe('stopping: requests until the balancer knows');
  expect(lines.slice(0, first)).toContain('an interaction');
  // A timer may be early by one.
  expect(started.logged()[first]!.milliseconds).toBeGreaterThan(990);
  expect(lines.at(-1)).toMatch(STEPS);
  expect(started.errors()).toEqual([]);
  expect(slack.problems).toEqual([]);
});

it('a bot that gets a second signal ends at once, whatever its grace', async () => {
  const { started } = await ready('600');
  started.signal('SIGTERM');
  await until(async () => (await readiness(started)) === 503);
  started.signal('SIGTERM');
  expect(await started.ended).toBe(1);
  expect(logged(started).filter((line) => STEPS.test(line))).toEqual([]);
});
