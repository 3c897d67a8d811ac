import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { Worker, WorkerOptions } from 'node:worker_threads';
import { expect } from 'vitest';

/** A thread that keeps what it is given, and answers as the test wants. */
export class Thread extends EventEmitter {
  readonly pieces: string[] = [];
  readonly number = threads.length + 1;
  readonly stdin = new Writable({
    decodeStrings: false,
    highWaterMark: 1,
    write: (piece, _, taken) => {
      this.pieces.push(String(piece));
      replies.take(taken);
    },
    final: (ended) => {
      ended();
      queueMicrotask(() => replies.end(this));
    },
  });
  terminated = 0;
  readonly options: WorkerOptions;

  constructor(options: WorkerOptions) {
    super();
    this.options = options;
  }
  summed(): void {
    this.emit('message', { from: [this.number] });
  }
  async terminate(): Promise<number> {
    this.terminated += 1;
    this.emit('exit', 1);
    return 1;
  }
}

/** Every thread that was started. */
export const threads: Thread[] = [];

/** Takes the place of `startWorker`. */
export function startWorker(name: string, options: WorkerOptions): Worker {
  expect(name).toBe('log-worker');
  const thread = new Thread(options);
  threads.push(thread);
  return thread as unknown as Worker;
}

/** At once. */
const readily = { take: (taken: () => void) => taken(), end: (thread: Thread) => thread.summed() };
/** How threads answer: readily, unless a test says otherwise. */
export const replies = { ...readily };

export function fresh(): void {
  threads.length = 0;
  Object.assign(replies, readily);
}

export const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
export const log = (text = 'one\n') => Readable.from([Buffer.from(text)]);
/** A log that goes on until it is ended. */
export const open = () => new Readable({ read: () => undefined });
export const numbersOf = (summary: unknown) => (summary as { from: number[] }).from;
