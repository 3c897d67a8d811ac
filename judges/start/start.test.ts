import { chmod, rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PlatformSimulator, startPlatformSimulator } from '../../playground/platform/simulator.ts';
import { EXITS } from '../../src/start-error.ts';
import { type BuiltBot, buildBot } from '../../test/support/built-bot.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { type BadStart, ENDED, type EndedStart, endServers, WAITING, type WaitingStart } from './bad-starts.ts';
import { type Started, startBadly } from './start.ts';

let bot: BuiltBot;
let platform: PlatformSimulator;
const all: Started[] = [];

beforeAll(async () => {
  [bot, platform] = await Promise.all([buildBot(), startPlatformSimulator()]);
});
afterAll(async () => {
  await endServers();
  for (const { folder, close } of all) {
    await close();
    await chmod(folder, 0o755);
    await rm(folder, { recursive: true, force: true });
  }
  await platform.close();
  await bot.remove();
});

async function start(bad: BadStart): Promise<Started> {
  const started = await startBadly(bad, bot.main, platform);
  all.push(started);
  return started;
}

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 45_000; !(await what()); await new Promise((next) => setTimeout(next, 20)))
    if (Date.now() > deadline) throw new Error(`it did not come about: ${what}`);
}

const ask = ({ port }: Started, what: string) =>
  fetch(`http://127.0.0.1:${port}/health/${what}`, { headers: { connection: 'close' } });
const health = async (started: Started, what: string) => (await ask(started, what)).status;

// The two side by side: what hangs takes ten seconds, and nothing of the processor.
describe.concurrent('a start waits, with a line after each failure, and ends at once when it is told to', () => {
  it.each(WAITING.map((bad): [string, WaitingStart] => [bad.when, bad]))('while %s', async (_, bad) => {
    const started = await start(bad);
    const lines = () => started.logged().filter(({ level }) => level >= 40);
    await until(() => lines().length > 0);
    for (const { msg, reason } of lines()) expect(`${msg}: ${reason}`).toContain(bad.says);
    expect(await health(started, 'live')).toBe(200);
    if (bad.ready === true) await until(async () => (await health(started, 'ready')) === 200);
    else expect(await health(started, 'ready')).toBe(503);
    started.signal('SIGTERM');
    // A stop that takes too long is cut short with exit code 1.
    expect(await started.ended).toBe(0);
    expect(started.errors()).toEqual([]);
  });

  it('and goes on by itself once the store’s server is there', async () => {
    const server = await startPostgres('fsync=off');
    await server.stop();
    const started = await start({ when: '', says: '', prepare: () => ({ STORE_URL: server.url }) });
    await until(() => started.logged().length > 0);
    expect(await (await ask(started, 'ready')).json()).toMatchObject({ says: 'not ready: the store is not open yet' });
    await server.start();
    await until(async () => (await health(started, 'ready')) === 200);
    await server.close();
  });
});

describe.concurrent('a start ends with a line for each mistake, what to do about it, and an exit code of its kind', () => {
  it.each(ENDED.map((bad): [string, EndedStart] => [bad.when, bad]))('when %s', async (_, bad) => {
    const started = await start(bad);
    expect(await started.ended).toBe(EXITS[bad.kind].code);
    const wanted = [bad.says].flat().map((says) => (says instanceof RegExp ? expect.stringMatching(says) : says));
    expect(started.errors()).toEqual(wanted);
    expect(started.logged()).toEqual([]);
  });

  it('and there is such a mistake of every kind', () => {
    expect(new Set(ENDED.map(({ kind }) => kind))).toEqual(new Set(Object.keys(EXITS)));
  });
});
