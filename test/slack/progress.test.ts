import pino from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Message } from '../../src/blocks/message.ts';
import type { Following } from '../../src/changes/ask.ts';
import type { AnyOperation } from '../../src/operations/operation.ts';
import { follow, stopPressed, stopRunning } from '../../src/slack/progress.ts';
import type { Bot } from '../../src/slack/services.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const origin = { userId: 'U1', teamId: 'T1', place: { channelId: 'C1' } };
const operation = { name: 'log summary' } as AnyOperation;
const ADA = { id: 'U1', teamId: 'T1', kind: 'member' as const };
const BEN = { id: 'U2', teamId: 'T1', kind: 'member' as const };

function replicas() {
  const keys = new Set<string>();
  const jobs = {
    add: async ({ key }: { key: string }) => !keys.has(key) && keys.add(key) !== undefined,
    seen: async (key: string) => keys.has(key),
  };
  const told: Message[] = [];
  const all: Bot[] = [];
  const tell = async () => void (await Promise.all(all.map(stopPressed)));
  const replica = () =>
    ({
      running: new Map(),
      outgoing: { toPerson: async (_: unknown, text: Message) => void told.push(text) },
      store: { jobs, database: { tell } },
      log: pino({ enabled: false }),
    }) as unknown as Bot;
  all.push(replica(), replica());
  return { one: all[0]!, other: all[1]!, told };
}

/** Work that ends when it is stopped only; what it was given, and what was shown of it. */
function endless(services: Bot, options?: { again: boolean }) {
  const shown: Message[] = [];
  let following: Following = {};
  const done = follow(
    services,
    { operation, actor: ADA },
    (given) => {
      following = given;
      return new Promise((_, reject) => {
        given.stop?.addEventListener('abort', () => reject(given.stop?.reason));
      });
    },
    async (text) => void shown.push(text),
    options,
  );
  done.catch(() => undefined);
  return { done, shown, following };
}

const idIn = (shown: Message | undefined) =>
  /"action_id":"stop[^"]*","value":"([^"]+)"|"value":"([^"]+)"/
    .exec(JSON.stringify(shown?.blocks))
    ?.slice(1)
    .find(Boolean) ?? '';

test('what another replica is at stops where it is', async () => {
  const { one, other, told } = replicas();
  const { done, shown, following } = endless(one);
  await vi.advanceTimersByTimeAsync(2_499);
  expect(shown).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(shown[0]?.text).toMatch(/log summary takes a moment\. The answer comes below\./);
  following.progress?.(12_000_000, undefined, 'bytes');
  await stopRunning(other, idIn(shown[0]), origin, BEN);
  expect(following.stop?.aborted).toBe(false);
  await stopRunning(other, idIn(shown[0]), origin, ADA);
  expect(told.at(-1)?.text).toBe('Stopping, unless it has just ended.');
  await expect(done).rejects.toThrow('You stopped log summary after 12 MB. Nothing was changed.');
});

test('a message is said once, a view as often as it has come further', async () => {
  const { one } = replicas();
  const messages = endless(one);
  const view = endless(one, { again: true });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([messages.shown.length, view.shown.length]).toEqual([1, 1]);
  for (const done of [10, 20]) {
    messages.following.progress?.(done, 40);
    view.following.progress?.(done, 40, 'records');
    await vi.advanceTimersByTimeAsync(10_000);
  }
  expect([messages.shown.length, view.shown.length]).toEqual([1, 3]);
  expect(view.shown.at(-1)?.text).toMatch(/20 of 40 records so far\./);
});

test('what is answered at once says nothing before, and nothing afterwards', async () => {
  const { one } = replicas();
  const shown: Message[] = [];
  const asked = { kind: 'form' as const, missing: [] };
  const followed = await follow(
    one,
    { operation, actor: ADA },
    async () => asked,
    async (text) => void shown.push(text),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(followed).toEqual({ asked, inPlaceOf: undefined, isRestarting: false });
  expect(shown).toEqual([]);
});
