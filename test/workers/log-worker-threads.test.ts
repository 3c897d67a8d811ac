import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';
import { log, numbersOf, open, readily, replies, settle, type Thread, threads } from './threads.ts';

vi.mock('../../src/workers/worker.ts', async () => ({ startWorker: (await import('./threads.ts')).startWorker }));

beforeEach(() => {
  threads.length = 0;
  replies.give = readily;
});
afterEach(() => {
  vi.useRealTimers();
});

describe('threads', () => {
  it('serve one log after the other, and are waited for only while they do', async () => {
    const workers = createLogWorkers({ size: 1 });
    await workers.summarise(log(), 'v1');
    await workers.summarise(log(), 'v1');
    expect(threads).toHaveLength(1);
    expect(threads[0]!.types()).toEqual(['start', 'chunk', 'end', 'start', 'chunk', 'end']);
    expect(threads[0]!.referenced).toBe(false);
    expect(['message', 'error', 'exit'].map((name) => threads[0]!.listenerCount(name))).toEqual([0, 0, 1]);
    expect(threads[0]!.options.resourceLimits?.maxYoungGenerationSizeMb).toBe(4);
    const source = open();
    const held = workers.summarise(source, 'v1');
    await settle();
    expect(threads[0]!.referenced).toBe(true);
    source.push(null);
    await held;
  });

  it('are not waited for before they have anything to do', async () => {
    replies.give = () => undefined;
    const gone = new AbortController();
    const workers = createLogWorkers();
    const reading = workers.summarise(open(), 'v1', { signal: gone.signal });
    await settle();
    gone.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
    expect(threads[0]!.referenced).toBe(false);
  });

  it('end after half a minute without a log, and not while they have one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const workers = createLogWorkers({ size: 2 });
    const [first, second] = [open(), open()];
    const both = [workers.summarise(first, 'v1'), workers.summarise(second, 'v1')];
    await settle();
    first.push(null);
    await both[0];
    vi.advanceTimersByTime(20_000);
    second.push(null);
    await both[1];
    vi.advanceTimersByTime(9_999);
    expect(threads.map(({ terminated }) => terminated)).toEqual([0, 0]);
    vi.advanceTimersByTime(1);
    expect(threads.map(({ terminated }) => terminated)).toEqual([1, 0]);
    // The other one is still there, and is kept while it is used.
    const third = open();
    const used = workers.summarise(third, 'v1');
    await settle();
    vi.advanceTimersByTime(60_000);
    third.push(null);
    expect(numbersOf(await used)).toEqual([2]);
    vi.advanceTimersByTime(30_000);
    expect(threads.map(({ terminated }) => terminated)).toEqual([1, 1]);
    expect(numbersOf(await workers.summarise(log(), 'v1'))).toEqual([3]);
  });

  it('all end when the bot does, and what they read fails', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const workers = createLogWorkers({ size: 2 });
    const source = open();
    await workers.summarise(log(), 'v1');
    const held = [workers.summarise(source, 'v1'), workers.summarise(log(), 'v1')];
    const failed = expect(held[0]).rejects.toThrow('thread');
    await held[1];
    expect(vi.getTimerCount()).toBe(1);
    await workers.close();
    await failed;
    expect(source.destroyed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    const ends = threads.map(({ terminated }) => terminated);
    expect(ends).toHaveLength(2);
    expect(Math.min(...ends)).toBe(1);
    await workers.close();
    expect(threads.map(({ terminated }) => terminated)).toEqual(ends);
  });

  it('that fail take their log along, and the next log gets others', async () => {
    const workers = createLogWorkers({ size: 1 });
    for (const [fail, words] of [
      [(thread: Thread) => thread.emit('error', new Error('out of memory')), 'out of memory'],
      [(thread: Thread) => thread.emit('exit', 1), 'The thread that reads logs ended.'],
      [(thread: Thread) => thread.emit('error', undefined), 'The log was not read to its end.'],
    ] as const) {
      const source = open();
      const failed = expect(workers.summarise(source, 'v1')).rejects.toThrow(words);
      await settle();
      const thread = threads.at(-1)!;
      fail(thread);
      // What comes after it changes nothing.
      thread.emit('error', new Error('more'));
      await failed;
      expect(source.destroyed).toBe(true);
      expect(thread.terminated).toBe(1);
      expect(thread.listenerCount('message')).toBe(0);
    }
    await workers.summarise(log(), 'v1');
    expect(threads).toHaveLength(4);
  });

  it('that fail once the log is sent do so too', async () => {
    replies.give = (thread, message) => {
      if (message.type === 'end') thread.emit('error', new Error('out of memory'));
      else readily(thread, message);
    };
    await expect(createLogWorkers().summarise(log(), 'v1')).rejects.toThrow('out of memory');
  });
});

describe('logs that wait for a thread', () => {
  /** Three logs for one thread, which wait for one another. */
  async function three(signal?: AbortSignal) {
    const workers = createLogWorkers({ size: 1 });
    const sources = [open(), open(), open()];
    const ended: number[] = [];
    const readings = sources.map((source, n) =>
      workers.summarise(source, 'v1', n === 1 && signal !== undefined ? { signal } : {}).then(
        () => ended.push(n),
        (error: Error) => ended.push(error.message as never),
      ),
    );
    await settle();
    const end = async (n: number) => {
      sources[n]!.push(null);
      await settle();
      await settle();
    };
    return { workers, sources, ended, readings, end };
  }

  it('get one in the order in which they came', async () => {
    const { ended, end } = await three();
    await end(2);
    await end(1);
    expect(ended).toEqual([]);
    await end(0);
    await settle();
    expect(ended).toEqual([0, 1, 2]);
    expect(threads).toHaveLength(1);
  });

  it('may be given up, which changes nothing for the others', async () => {
    const gone = new AbortController();
    const { ended, end, sources } = await three(gone.signal);
    gone.abort(new Error('stopped'));
    await settle();
    expect(ended).toEqual(['stopped']);
    expect(sources.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
    await end(0);
    await end(2);
    expect(ended).toEqual(['stopped', 0, 2]);
  });

  it('that are given up meanwhile leave their thread to the next', async () => {
    const gone = new AbortController();
    const { ended, end } = await three(gone.signal);
    await end(0);
    gone.abort(new Error('stopped'));
    await settle();
    await end(2);
    expect(ended).toEqual([0, 'stopped', 2]);
  });

  it('are not begun for who gave up before', async () => {
    const source = open();
    const signal = AbortSignal.abort(new Error('stopped'));
    const workers = createLogWorkers({ size: 1 });
    await expect(workers.summarise(source, 'v1', { signal })).rejects.toThrow('stopped');
    expect(source.destroyed).toBe(true);
    expect(threads).toEqual([]);
    expect(numbersOf(await workers.summarise(log(), 'v1'))).toEqual([1]);
  });
});
