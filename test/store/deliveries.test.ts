import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { createDeliveries, type Deliveries } from '../../src/store/deliveries.ts';
import { openDatabase } from '../../src/store/open-database.ts';

let database: Database;
let deliveries: Deliveries;
let isAway: boolean;
let now: number;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  isAway = false;
  now = Date.parse('2026-11-21T12:00:00Z');
  database = await openDatabase({ url: ':memory:', clock: () => new Date(now) });
  deliveries = createDeliveries({
    ...database,
    execute: (...statement) => (isAway ? Promise.reject(new Error('away')) : database.execute(...statement)),
  });
  const first = deliveries.first('action:1', () => 'a press');
  await vi.advanceTimersByTimeAsync(100);
  expect(await first).toBe(true);
});
afterEach(async () => {
  vi.useRealTimers();
  await database.close();
});

/** What the next process goes on with, once this one is dead. */
async function leftByIt(): Promise<unknown[]> {
  await database.execute('DELETE FROM processes');
  return (await deliveries.left()).map(({ content }) => content);
}

it('leaves to the next process what it is not done with', async () => {
  expect(await leftByIt()).toEqual(['a press']);
});

it('writes an end that the store did not take every two seconds again, so that its sender’s press is not done later', async () => {
  isAway = true;
  deliveries.done('action:1');
  await vi.advanceTimersByTimeAsync(110_000);
  isAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await leftByIt()).toEqual([]);
});

it('gives up on an end after two minutes, and then it is the next process that says so', async () => {
  isAway = true;
  deliveries.done('action:1');
  await vi.advanceTimersByTimeAsync(130_000);
  isAway = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await leftByIt()).toEqual(['a press']);
});

it('keeps what is for later until its time, and hands it out once', async () => {
  deliveries.done('action:1');
  await vi.advanceTimersByTimeAsync(100);
  await deliveries.later('follow-up:1', 'first', 5_000);
  await deliveries.later('follow-up:1', 'second', 0);
  now += 4_999;
  expect(await deliveries.left()).toEqual([]);
  now += 1;
  expect(await deliveries.left()).toMatchObject([{ key: 'follow-up:1', content: 'first', tries: 1 }]);
  expect(await deliveries.left()).toEqual([]);
  await deliveries.later('follow-up:1', 'third', 0);
  deliveries.done('follow-up:1');
  await vi.advanceTimersByTimeAsync(100);
  expect(await leftByIt()).toEqual([]);
});

it('hands out before its time what is asked for by the beginning of its key, and nothing else', async () => {
  await deliveries.later('undo-ends:1:a', 'a', 5_000);
  await deliveries.later('undo-ends:1:b', 'b', 5_000);
  await deliveries.later('undo-ends:10:c', 'c', 5_000);
  const sooner = await deliveries.sooner('undo-ends:1:');
  expect(sooner.map(({ content }) => content).sort()).toEqual(['a', 'b']);
  expect(await deliveries.sooner('undo-ends:1:')).toEqual([]);
});
