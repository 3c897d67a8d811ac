import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import { expect } from 'vitest';
import type { LogSummary } from '../../src/logs/summary.ts';
import type { FromLogWorker, ToLogWorker } from '../../src/workers/log-worker.ts';

/** A thread that does nothing but keep what it is told, and answers as the test wants. */
export class Thread extends EventEmitter {
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
    queueMicrotask(() => replies.give(this, heard));
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

/** Every thread that was started. */
export const threads: Thread[] = [];

/** Takes the place of `startWorker`. */
export function startWorker(name: string, options: Thread['options']): Worker {
  expect(name).toBe('log-worker');
  const thread = new Thread();
  thread.options = options;
  threads.push(thread);
  return thread as unknown as Worker;
}

/** A thread that answers at once. */
export const readily = (thread: Thread, message: ToLogWorker) => {
  if (message.type === 'chunk') thread.say({ type: 'taken', bytes: message.bytes });
  else if (message.type === 'end') thread.summed();
};

export const settle = () => new Promise((resolve) => setImmediate(resolve));
export const log = (text = 'one\n') => Readable.from([Buffer.from(text)]);
/** A log that goes on until it is ended. */
export const open = () => new Readable({ read: () => undefined });
export const numbersOf = (summary: unknown) => (summary as { from: number[] }).from;

/** How threads answer: readily, unless a test says otherwise. */
export const replies: { give: (thread: Thread, message: ToLogWorker) => void } = { give: readily };
