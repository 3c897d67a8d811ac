import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogSummary } from '../../src/logs/summary.ts';
import type { FromLogWorker, ToLogWorker } from '../../src/workers/log-worker.ts';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';

/** A thread that does nothing but keep what it is told, and answers as the test wants. */
class Thread extends EventEmitter {
  readonly heard: ToLogWorker[] = [];
  readonly number = threads.length + 1;
  referenced = true;
  terminated = 0;
  /** Pieces that were copied, instead of handed over. */
  copied = 0;
  options: { resourceLimits?: { maxYoungGenerationSizeMb?: number } } = {};

  postMessage(message: ToLogWorker, transfer: ArrayBuffer[]): void {
    if (message.type === 'chunk' && !transfer.includes(message.bytes.buffer as ArrayBuffer)) this.copied += 1;
    const heard: ToLogWorker = structuredClone(message, { transfer });
    // The memory of a piece goes back, and is written to again.
    this.heard.push(heard.type === 'chunk' ? { ...heard, bytes: heard.bytes.slice() } : heard);
    queueMicrotask(() => answers(this, heard));
  }
  say(message: FromLogWorker): void {
    this.emit('message', message);
  }
  summed(): void {
    this.say({ type: 'summary', summary: { from: [this.number] } as unknown as LogSummary });
  }
  async terminate(): Promise<number> {
    this.terminated += 1;
    this.emit('exit', 1);
    return 1;
  }
  ref(): void {
    this.referenced = true;
  }
  unref(): void {
    this.referenced = false;
  }
  types(): string[] {
    return this.heard.map(({ type }) => type);
  }
  /** The pieces of the log. */
  text(): string[] {
    return this.heard.flatMap((message) => (message.type === 'chunk' ? [Buffer.from(message.bytes).toString()] : []));
  }
}

const threads: Thread[] = [];
vi.mock('../../src/workers/worker.ts', () => ({
  startWorker(name: string, options: Thread['options']): Worker {
    expect(name).toBe('log-worker');
    const thread = new Thread();
    thread.options = options;
    threads.push(thread);
    return thread as unknown as Worker;
  },
}));

/** How a thread answers: at once, unless a test says otherwise. */
let answers: (thread: Thread, message: ToLogWorker) => void;
const readily = (thread: Thread, message: ToLogWorker) => {
  if (message.type === 'chunk') thread.say({ type: 'taken', bytes: message.bytes });
  else if (message.type === 'file') thread.say({ type: 'read', bytes: message.end - message.start });
  else if (message.type === 'end') thread.summed();
  else if (message.type === 'merge') {
    const from = message.summaries.flatMap((summary) => (summary as unknown as { from: number[] }).from);
    thread.say({ type: 'summary', summary: { from } as unknown as LogSummary });
  }
};

const settle = () => new Promise((resolve) => setImmediate(resolve));
const PIECE = 256 * 1024;
const log = (text = 'one\n') => Readable.from([Buffer.from(text)]);
/** A log that goes on until it is ended. */
const open = () => new Readable({ read: () => undefined });
const numbersOf = (summary: unknown) => (summary as { from: number[] }).from;

beforeEach(() => {
  threads.length = 0;
  answers = readily;
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
    answers = () => undefined;
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
    answers = (thread, message) => {
      if (message.type === 'end') thread.emit('error', new Error('out of memory'));
      else readily(thread, message);
    };
    await expect(createLogWorkers().summarise(log(), 'v1')).rejects.toThrow('out of memory');
  });
});

describe('turns', () => {
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

  it('come in the order in which they were asked for', async () => {
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

  it('that were given up while they lasted go to the next', async () => {
    const gone = new AbortController();
    const { ended, end } = await three(gone.signal);
    await end(0);
    gone.abort(new Error('stopped'));
    await settle();
    await end(2);
    expect(ended).toEqual([0, 'stopped', 2]);
  });

  it('are none for who gave up before', async () => {
    const source = open();
    const signal = AbortSignal.abort(new Error('stopped'));
    const workers = createLogWorkers({ size: 1 });
    await expect(workers.summarise(source, 'v1', { signal })).rejects.toThrow('stopped');
    expect(source.destroyed).toBe(true);
    expect(threads).toEqual([]);
    expect(numbersOf(await workers.summarise(log(), 'v1'))).toEqual([1]);
  });

  it('are for as many threads as are free, and all of them are given back', async () => {
    const workers = createLogWorkers({ size: 3, perLog: 2 });
    for (const round of [1, 2]) {
      const sources = [open(), open(), open()];
      const ended: number[] = [];
      for (const source of sources) {
        void workers.summarise(source, 'v1').then((made) => ended.push(numbersOf(made).length));
        await settle();
      }
      for (const source of sources) {
        source.push(null);
        await settle();
        await settle();
      }
      // The third one waited, and got the two threads that the first one gave back.
      expect(ended, `round ${round}`).toEqual([2, 1, 2]);
    }
    expect(threads).toHaveLength(3);
    expect(numbersOf(await workers.summarise(log(), 'v1'))).toHaveLength(2);
  });
});

describe('a stream', () => {
  it('is passed on no faster than the thread takes it', async () => {
    const taken: (() => void)[] = [];
    answers = (thread, message) => {
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

  it.each([1000, PIECE, 700_000])(
    'in chunks of %i bytes reaches two threads in whole lines, and nothing is lost',
    async (size) => {
      const lines = Array.from({ length: 9000 }, (_, n) => `${n} ${'x'.repeat(n === 4000 ? 600_000 : n % 200)}\n`);
      const text = lines.join('');
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        text.slice(n * size, (n + 1) * size),
      );
      const summary = await createLogWorkers({ size: 2, perLog: 2 }).summarise(Readable.from(chunks), 'v1');
      expect(numbersOf(summary).sort()).toEqual([1, 2]);
      const got = threads.map((thread) => thread.text().join(''));
      const read = got
        .flatMap((one) => one.split(/(?<=\n)/))
        .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
      expect(read.length).toBe(lines.length);
      expect(read.every((one, n) => one === lines[n])).toBe(true);
      expect(Math.min(...got.map(({ length }) => length))).toBeGreaterThan(PIECE);
    },
  );

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

describe('a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-test-'));
  const path = join(folder, 'day.log');
  writeFileSync(path, '0123456789\n');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

  it('is read in as many parts as there are threads, and what they come to is put together', async () => {
    const read: number[] = [];
    const workers = createLogWorkers({ size: 2, perLog: 2 });
    const summary = await workers.summariseFile(path, 'v1', { progress: (bytes) => read.push(bytes) });
    expect(threads.map(({ heard }) => heard.slice(0, 3))).toEqual([
      [{ type: 'start', format: 'v1' }, { type: 'file', path, start: 0, end: 5 }, { type: 'end' }],
      [{ type: 'start', format: 'v1' }, { type: 'file', path, start: 5, end: 11 }, { type: 'end' }],
    ]);
    expect(threads.map((thread) => thread.types().slice(3))).toEqual([['merge'], []]);
    expect(read).toEqual([5, 11]);
    expect(numbersOf(summary)).toEqual([1, 2]);
  });

  it('fails when a thread does, or when nobody wants it any more', async () => {
    answers = (thread, message) => {
      if (message.type === 'file') thread.emit('error', new Error('EIO'));
    };
    const workers = createLogWorkers();
    await expect(workers.summariseFile(path, 'v1')).rejects.toThrow('EIO');
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(workers.summariseFile(path, 'v1', { signal })).rejects.toThrow('stopped');
    expect(threads).toHaveLength(1);
  });
});
