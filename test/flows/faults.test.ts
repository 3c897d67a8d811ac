import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type BotProcess, createBotProcess, freePort } from '../../playground/launcher/bot-process.ts';
import { type PlatformSimulator, startPlatformSimulator } from '../../playground/platform/simulator.ts';
import { type SlackEmulator, startSlackEmulator } from '../../playground/slack/emulator.ts';
import { CONFIRM } from '../support/changes.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Running {
  bot: BotProcess;
  slack: SlackEmulator;
  platform: PlatformSimulator;
  port: number;
  /** Why the process ended, once it has. */
  ended: Promise<string>;
}

/** The bot as a process of its own, with a fault in it that a signal sets off. */
async function prepare(): Promise<Running> {
  const platform = await startPlatformSimulator();
  closing.push(() => platform.close());
  const slack = await startSlackEmulator({ deliverTo: 'socket', patience: 20_000 });
  closing.push(() => slack.close());
  const folder = await mkdtemp(join(tmpdir(), 'edgewise-fault-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  let onExit: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    onExit = resolve;
  });
  const environment = {
    ...platform.environment,
    ...slack.environment,
    STORE_URL: `file:${join(folder, 'edgewise.db')}`,
    EDGEWISE_ADMINS: slack.workspace.user('ada').id,
    EDGEWISE_ENCRYPTION_KEY: 'a key for this test only',
    NODE_OPTIONS: `--import ${new URL('../support/fault-on-signal.mjs', import.meta.url)}`,
  };
  const bot = createBotProcess({ environment, port, logFile: join(folder, 'bot.log'), onExit });
  closing.push(() => bot.kill());
  return { bot, slack, platform, port, ended };
}

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; !(await what()); await new Promise((resolve) => setTimeout(resolve, 20)))
    if (Date.now() > deadline) throw new Error(`it did not come about: ${what}`);
}

it('a fault of unknown origin is logged with its cause, and ends the process when the change under way is over', async () => {
  const { bot, slack, platform, port, ended } = await prepare();
  await bot.start();
  const ops = slack.person('ada').in('#ops');
  await ops.type('/edge ssl force docs.example.com on');
  const preview = await ops.expectMessage(/Force HTTPS/);
  platform.fault('slow=4000@POST setForceSSL');
  await preview.click(CONFIRM);
  process.kill(bot.pid!, 'SIGUSR2');
  const ready = `http://127.0.0.1:${port}/health/ready`;
  // A connection that was kept may just be closed by the bot.
  await until(async () => (await fetch(ready, { headers: { connection: 'close' } })).status === 503);
  // A second one changes nothing.
  process.kill(bot.pid!, 'SIGUSR2');
  await ops.expectMessage(/switched force HTTPS .*on for/);
  expect(await ended).toBe('ended with exit code 1');
  const faults = bot.lastLines().filter((line) => line.includes('an unexpected error'));
  expect(faults).toHaveLength(2);
  expect(JSON.parse(faults[0]!)).toMatchObject({
    level: 60,
    origin: 'unhandledRejection',
    err: { message: 'a fault of a test: its cause', stack: expect.stringContaining('caused by: Error: its cause') },
  });
  expect(platform.writes()).toHaveLength(1);
  expect(slack.problems).toEqual([]);
});

it('a start that waits for Slack can be ended', async () => {
  const { bot, slack } = await prepare();
  slack.sockets.away = { status: 503 };
  const started = bot.start().catch((error: unknown) => error);
  await until(() => slack.sockets.failed > 1);
  process.kill(bot.pid!, 'SIGTERM');
  expect(await started).toHaveProperty('message', 'The bot ended with exit code 0 before it was ready.');
  expect(bot.lastLines().join('\n')).not.toContain('Error');
});
