import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';
import { log, numbersOf, open, readily, replies, settle, threads } from './threads.ts';

vi.mock('../../src/workers/worker.ts', async () => ({ startWorker: (await import('./threads.ts')).startWorker }));

const PIECE = 256 * 1024;

beforeEach(() => {
  threads.length = 0;
  replies.give = readily;
});

describe('a stream', () => {
  it('is passed on no faster than the thread takes it', async () => {
    const taken: (() => void)[] = [];
    replies.give = (thread, message) => {
      if (message.type === 'chunk') taken.push(() => thread.say({ type: 'taken', bytes: message.bytes }));
      else readily(thread, message);
    };
    const read: number[] = [];
    const source = Readable.from(Array.from({ length: 6 }, () => Buffer.alloc(PIECE, 'a line\n')));
    const summary = createLogWorkers().summarise(source, 'v1', { progress: (bytes) => read.push(bytes) });
    await settle();
    await settle();
    expect(taken).toHaveLength(3);
    taken.shift()!();
    await settle();
    expect(threads[0]!.text()).toHaveLength(4);
    for (let rounds = 0; rounds < 10; rounds += 1) {
      taken.shift()?.();
      await settle();
    }
    await summary;
    expect(threads[0]!.text().map(({ length }) => length)).toEqual(Array(6).fill(PIECE));
    expect(read).toEqual([1, 2, 3, 4, 5, 6].map((pieces) => pieces * PIECE));
    expect(threads[0]!.copied).toBe(0);
  });

  it.each([1000, PIECE, 700_000])('in chunks of %i bytes reaches the thread whole', async (size) => {
    const lines = Array.from({ length: 9000 }, (_, n) => `${n} ${'x'.repeat(n === 4000 ? 600_000 : n % 200)}\n`);
    const text = lines.join('');
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
      text.slice(n * size, (n + 1) * size),
    );
    await createLogWorkers().summarise(Readable.from(chunks), 'v1');
    expect(threads).toHaveLength(1);
    expect(threads[0]!.text().join('') === text).toBe(true);
  });

  it('of nothing gives the threads nothing', async () => {
    const read: number[] = [];
    await createLogWorkers().summarise(Readable.from([]), 'v1', { progress: (bytes) => read.push(bytes) });
    expect(threads[0]!.heard).toEqual([{ type: 'start', format: 'v1' }, { type: 'end' }]);
    expect(read).toEqual([]);
  });

  it('that is stopped is destroyed for the reason that is given, if one is', async () => {
    for (const [reason, rejected] of [
      [new Error('stopped'), new Error('stopped')],
      ['enough', 'enough'],
      [null, new Error('The log was not read to its end.')],
    ] as const) {
      const gone = new AbortController();
      const source = open();
      const failed = expect(createLogWorkers().summarise(source, 'v1', { signal: gone.signal })).rejects.toEqual(
        rejected,
      );
      await settle();
      gone.abort(reason);
      source.push(null);
      await failed;
      expect(source.destroyed).toBe(true);
    }
  });

  it('that breaks off before its turn fails in its turn, and takes nothing else along', async () => {
    const workers = createLogWorkers({ size: 1 });
    const [first, second] = [open(), open()];
    const done = workers.summarise(first, 'v1');
    const failed = expect(workers.summarise(second, 'v1')).rejects.toThrow('the line went dead');
    second.destroy(new Error('the line went dead'));
    await settle();
    first.push(null);
    expect(numbersOf(await done)).toEqual([1]);
    await failed;
  });

  it('that is stopped right after it was asked for is not waited for', async () => {
    const gone = new AbortController();
    const source = open();
    const failed = expect(createLogWorkers().summarise(source, 'v1', { signal: gone.signal })).rejects.toThrow(
      'stopped',
    );
    gone.abort(new Error('stopped'));
    await failed;
    expect(source.destroyed).toBe(true);
  });

  it('that was read to its end minds no longer whether it is stopped', async () => {
    const gone = new AbortController();
    const removed = vi.spyOn(gone.signal, 'removeEventListener');
    await createLogWorkers().summarise(log(), 'v1', { signal: gone.signal });
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
    gone.abort();
    expect(threads[0]!.terminated).toBe(0);
  });
});
