import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';
import { fresh, log, numbersOf, open, replies, settle, threads } from './threads.ts';

vi.mock('../../src/workers/worker.ts', async () => ({ startWorker: (await import('./threads.ts')).startWorker }));

beforeEach(fresh);

describe('a stream', () => {
  it('is passed on no faster than the thread takes it', async () => {
    const taken: (() => void)[] = [];
    replies.take = (one) => void taken.push(one);
    const read: number[] = [];
    const source = Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(1000, 'a line\n')));
    const summary = createLogWorkers().summarise(source, 'v1', { progress: (bytes) => read.push(bytes) });
    await settle();
    expect(taken).toHaveLength(1);
    expect(read.length).toBeLessThanOrEqual(3);
    for (let pieces = 1; pieces <= 20; pieces += 1) {
      expect(threads[0]!.pieces).toHaveLength(pieces);
      taken.shift()!();
      await settle();
    }
    await summary;
    expect(read).toEqual(Array.from({ length: 20 }, (_, piece) => 1000 * (piece + 1)));
  });

  it.each([1000, 256 * 1024, 700_000])('in chunks of %i bytes reaches the thread whole', async (size) => {
    const lines = Array.from({ length: 9000 }, (_, n) => `${n} ${'x'.repeat(n === 4000 ? 600_000 : n % 200)}\n`);
    const text = lines.join('');
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
      text.slice(n * size, (n + 1) * size),
    );
    await createLogWorkers().summarise(Readable.from(chunks), 'v1');
    expect(threads).toHaveLength(1);
    expect(threads[0]!.pieces.join('') === text).toBe(true);
  });

  it('of nothing gives the threads nothing', async () => {
    const read: number[] = [];
    await createLogWorkers().summarise(Readable.from([]), 'v1', { progress: (bytes) => read.push(bytes) });
    expect(threads[0]!.pieces).toEqual([]);
    expect(read).toEqual([]);
  });

  it('that is stopped is destroyed, for the reason that is given', async () => {
    for (const reason of [new Error('stopped'), 'enough']) {
      const gone = new AbortController();
      const source = open();
      const failed = expect(createLogWorkers().summarise(source, 'v1', { signal: gone.signal })).rejects.toEqual(
        reason,
      );
      await settle();
      gone.abort(reason);
      source.push(null);
      await failed;
      expect(source.destroyed).toBe(true);
      expect(threads.at(-1)!.terminated).toBe(1);
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
    const summary = await createLogWorkers().summarise(log(), 'v1', { signal: gone.signal });
    gone.abort();
    await settle();
    expect(numbersOf(summary)).toEqual([1]);
    expect(threads[0]!.terminated).toBe(1);
  });
});
