import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';
import { fresh, log, numbersOf, open, replies, settle, type Thread, threads } from './threads.ts';

vi.mock('../../src/workers/worker.ts', async () => ({ startWorker: (await import('./threads.ts')).startWorker }));

beforeEach(fresh);

describe('threads', () => {
  it('serve one log each, and end with it', async () => {
    const workers = createLogWorkers({ size: 2 });
    await workers.summarise(log(), 'v1');
    await workers.summarise(log(), 'v2');
    expect(threads.map(({ terminated }) => terminated)).toEqual([1, 1]);
    expect(threads.map(({ options }) => options.workerData)).toEqual([{ format: 'v1' }, { format: 'v2' }]);
    expect(threads[0]!.options.resourceLimits?.maxYoungGenerationSizeMb).toBe(2);
    expect(workers.counts()).toEqual({ busy: 0, waiting: 0 });
  });

  it('all end when the bot does, and what they read fails', async () => {
    const workers = createLogWorkers({ size: 2 });
    const [source, other] = [open(), open()];
    const failed = [workers.summarise(source, 'v1'), workers.summarise(other, 'v1')].map((one) =>
      expect(one).rejects.toThrow('thread'),
    );
    await settle();
    expect(workers.counts()).toEqual({ busy: 2, waiting: 0 });
    await workers.close();
    await Promise.all(failed);
    expect([source.destroyed, other.destroyed]).toEqual([true, true]);
    await workers.close();
    expect(threads).toHaveLength(2);
  });

  it('that fail take their log along, and the next log gets others', async () => {
    const workers = createLogWorkers({ size: 1 });
    for (const [fail, words] of [
      [(thread: Thread) => thread.emit('error', new Error('out of memory')), 'out of memory'],
      [(thread: Thread) => thread.emit('exit', 1), 'The thread that reads logs ended.'],
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
    }
    await workers.summarise(log(), 'v1');
    expect(threads).toHaveLength(3);
  });

  it('that fail once the log is sent do so too', async () => {
    replies.end = (thread) => thread.emit('error', new Error('out of memory'));
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
    expect(threads).toHaveLength(3);
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
