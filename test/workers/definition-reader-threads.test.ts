import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { beforeEach, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { createDefinitionReader } from '../../src/workers/definition-reader.ts';

/** A thread that does nothing by itself. */
class Thread extends EventEmitter {
  heard: unknown[] = [];
  ended = 0;
  megabytes: number | undefined;
  postMessage(message: unknown): void {
    this.heard.push(message);
  }
  async terminate(): Promise<number> {
    this.ended += 1;
    return 1;
  }
}

const threads: Thread[] = [];
vi.mock('../../src/workers/worker.ts', () => ({
  startWorker(name: string, options?: { resourceLimits?: { maxOldGenerationSizeMb?: number } }): Worker {
    expect(name).toBe('definition-worker');
    const thread = new Thread();
    thread.megabytes = options?.resourceLimits?.maxOldGenerationSizeMb;
    threads.push(thread);
    return thread as unknown as Worker;
  },
}));

const settle = () => new Promise((resolve) => setImmediate(resolve));
const { signal } = new AbortController();

beforeEach(() => {
  threads.length = 0;
});

it('a document is given to a thread with bounded memory, and the next one waits for it', async () => {
  const read = createDefinitionReader();
  const both = [read('one', signal), read('two', signal)];
  await settle();
  expect(threads.map(({ heard, megabytes }) => ({ heard, megabytes }))).toEqual([{ heard: ['one'], megabytes: 512 }]);
  threads[0]!.emit('message', { outline: 'first' });
  expect(await both[0]).toBe('first');
  await settle();
  expect(threads[0]!.ended).toBe(1);
  threads[1]!.emit('message', { outline: 'second' });
  expect(await both[1]).toBe('second');
});

it('a document that is none is refused with the reason and with what to give instead, and the next is read', async () => {
  const read = createDefinitionReader();
  const refused = read('one', signal).catch((error: unknown) => error);
  const next = read('two', signal);
  await settle();
  threads[0]!.emit('message', { reason: 'it has no paths' });
  const error = (await refused) as UsageError;
  expect(error).toBeInstanceOf(UsageError);
  expect(error).toMatchObject({ argument: 'file', message: expect.stringContaining('it has no paths') });
  expect(error.hint).toContain('JSON or YAML');
  await settle();
  threads[1]!.emit('message', { outline: 'second' });
  expect(await next).toBe('second');
  expect(threads.map(({ ended }) => ended)).toEqual([1, 1]);
});

it('a document that takes too much memory is refused, and a fault of the program stays one', async () => {
  const read = createDefinitionReader();
  const fault = new Error('of the program');
  const coded = Object.assign(new Error('of the system'), { code: 'EAGAIN' });
  for (const [given, ends] of [
    [Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }), 'takes too much memory'],
    [fault, fault],
    [coded, coded],
    ['odd', 'odd'],
  ] as const) {
    const failed = read('one', signal).catch((error: unknown) => error);
    await settle();
    threads.at(-1)!.emit('error', given);
    const error = await failed;
    if (given === ends) expect(error).toBe(given);
    else expect(error).toMatchObject({ name: 'UsageError', message: expect.stringContaining(ends as string) });
    expect(threads.at(-1)!.ended).toBe(1);
  }
});

it('a document that takes too long is refused, in seconds', async () => {
  const limit = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  const failed = createDefinitionReader()('one', signal).catch((error: unknown) => error);
  await settle();
  expect(timeout).toHaveBeenCalledWith(15_000);
  limit.abort();
  expect(await failed).toMatchObject({ argument: 'file', message: expect.stringContaining('longer than 15 seconds') });
  expect(threads[0]!.ended).toBe(1);
  timeout.mockRestore();
});

it('a document that nobody waits for any more is not begun, or not gone on with', async () => {
  const read = createDefinitionReader();
  await expect(read('one', AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  expect(threads).toEqual([]);
  const gone = new AbortController();
  const reading = read('two', gone.signal).catch((error: unknown) => error);
  await settle();
  gone.abort();
  expect(await reading).toMatchObject({ name: 'AbortError' });
  expect(threads[0]!.ended).toBe(1);
});
