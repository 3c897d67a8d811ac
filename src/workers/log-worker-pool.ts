import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { FromLogWorker, ToLogWorker } from './log-worker.ts';
import { startWorker } from './worker.ts';

/** Bytes that travel to a thread at once, and how many such pieces there are for it: what bounds the memory of a log. */
const PIECE = 256 * 1024;
const PIECES = 3;

/** How long an idle thread is kept, in ms. */
const IDLE = 30_000;

const NEWLINE = 0x0a;

export interface SummariseOptions {
  signal?: AbortSignal | undefined;
  /** Called with the bytes read so far. */
  progress?: ((bytes: number) => void) | undefined;
}

/** Threads that summarise logs. */
export interface LogWorkers {
  /**
   * Reads the stream to its end, no faster than the threads keep up. Rejects with the stream's error, the signal's reason,
   * or when a thread fails; the stream is then destroyed.
   */
  summarise(source: Readable, format: LogFormat, options?: SummariseOptions): Promise<LogSummary>;
  /** The same for a file, which the threads read themselves: each its own part. */
  summariseFile(path: string, format: LogFormat, options?: SummariseOptions): Promise<LogSummary>;
  /** Ends the threads; what is being summarised fails. */
  close(): Promise<void>;
}

export interface LogWorkersOptions {
  /** Threads at the most; further logs wait for their turn. They start when they are needed. */
  size?: number;
  /** Threads that share one log, where so many are free: a second one helps where it comes faster than a gigabyte a second. */
  perLog?: number;
}

/** Summarises logs on threads. Two threads come to the same as one, within the same bounds where lists are incomplete. */
export function createLogWorkers({ size = 2, perLog = 1 }: LogWorkersOptions = {}): LogWorkers {
  const idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  const all = new Set<Worker>();
  const waiting: (() => void)[] = [];
  let busy = 0;

  function take(): Worker {
    const kept = idle.pop();
    if (kept !== undefined) {
      clearTimeout(kept.timer);
      return kept.worker;
    }
    // Most of what a thread needs is in the engine's own memory.
    const worker = startWorker('log-worker', { resourceLimits: { maxYoungGenerationSizeMb: 4 } });
    all.add(worker);
    worker.once('exit', () => all.delete(worker));
    worker.unref();
    return worker;
  }

  function keep(worker: Worker): void {
    const timer = setTimeout(() => {
      // The last one is taken first, so the first one has been idle for longest.
      idle.shift();
      void worker.terminate();
    }, IDLE);
    timer.unref();
    idle.push({ worker, timer });
  }

  async function place(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (busy < size) {
      busy += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const turn = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(turn), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave);
      waiting.push(turn);
    });
  }

  /** Gives back one place: to who waits longest, if anybody does. */
  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) busy -= 1;
    else next();
  }

  async function onThreads(
    read: (threads: Threads) => Promise<void>,
    format: LogFormat,
    { signal, progress }: SummariseOptions,
    stop: (error?: Error) => void,
  ): Promise<LogSummary> {
    try {
      await place(signal);
    } catch (error) {
      stop();
      throw error;
    }
    let places = 1;
    for (; places < perLog && busy < size; places += 1) busy += 1;
    const workers: Worker[] = [];
    try {
      while (workers.length < places) workers.push(take());
      const summary = await withThreads(workers, read, { format, signal, progress, stop });
      workers.forEach(keep);
      return summary;
    } catch (error) {
      stop();
      await Promise.all(workers.map((worker) => worker.terminate()));
      throw error;
    } finally {
      for (; places > 0; places -= 1) leave();
    }
  }

  return {
    summarise(source, format, options = {}) {
      // Until its turn nobody reads it, and an error that nobody listens to would end the process: it is met by the reading.
      source.on('error', () => undefined);
      return onThreads(
        (threads) => feed(threads, source),
        format,
        options,
        (error) => source.destroy(error),
      );
    },

    async summariseFile(path, format, options = {}) {
      const { size: bytes } = await stat(path);
      return onThreads(
        (threads) => share(threads, path, bytes),
        format,
        options,
        () => undefined,
      );
    },

    async close() {
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

/** The threads of one log while it is read. */
interface Threads {
  count: number;
  /** Tells a thread something. */
  send(thread: number, message: ToLogWorker, transfer?: Uint8Array): void;
  /** A piece of memory for a thread that has not too many of them: waits for one to come back. */
  room(thread: number): Promise<Uint8Array>;
  /** So many more bytes were read. */
  onRead(bytes: number): void;
  /** Throws when a thread failed or the log was cancelled. */
  check(): void;
}

interface Reading {
  format: LogFormat;
  signal: AbortSignal | undefined;
  progress: ((bytes: number) => void) | undefined;
  /** The source may be waiting for bytes that never come. */
  stop: (error?: Error) => void;
}

async function withThreads(
  workers: readonly Worker[],
  read: (threads: Threads) => Promise<void>,
  { format, signal, progress, stop }: Reading,
): Promise<LogSummary> {
  const free: Uint8Array[][] = workers.map(() => []);
  const made = workers.map(() => 0);
  const summaries: LogSummary[] = [];
  let bytesRead = 0;
  let wake: (() => void) | undefined;
  let failure: unknown;

  const awake = () => {
    wake?.();
    wake = undefined;
  };
  const fail = (error: unknown) => {
    failure ??= error ?? new Error('The log was not read to its end.');
    stop(failure instanceof Error ? failure : undefined);
    awake();
  };
  const check = () => {
    if (failure !== undefined) throw failure;
  };
  const news = async () => {
    check();
    await new Promise<void>((resolve) => (wake = resolve));
    check();
  };
  const onRead = (bytes: number) => {
    bytesRead += bytes;
    progress?.(bytesRead);
  };
  const listeners = workers.map((_, thread) => (message: FromLogWorker) => {
    if (message.type === 'taken') free[thread]!.push(message.bytes);
    else if (message.type === 'read') onRead(message.bytes);
    else summaries.push(message.summary);
    awake();
  });
  const onExit = () => fail(new Error('The thread that reads logs ended.'));
  const onAbort = () => fail(signal?.reason);
  const send: Threads['send'] = (thread, message, transfer) =>
    workers[thread]!.postMessage(message, transfer === undefined ? [] : [transfer.buffer as ArrayBuffer]);

  for (const [thread, worker] of workers.entries()) {
    worker.on('message', listeners[thread]!).on('error', fail).on('exit', onExit);
    // An unreferenced worker would let the process end while it is being waited for.
    worker.ref();
  }
  signal?.addEventListener('abort', onAbort);
  try {
    if (signal?.aborted) onAbort();
    check();
    for (const thread of workers.keys()) send(thread, { type: 'start', format });
    await read({
      count: workers.length,
      send,
      async room(thread) {
        for (;;) {
          const kept = free[thread]!.pop();
          if (kept !== undefined) return new Uint8Array(kept.buffer);
          if (made[thread]! < PIECES) {
            made[thread]! += 1;
            return new Uint8Array(PIECE);
          }
          await news();
        }
      },
      onRead,
      check,
    });
    for (const thread of workers.keys()) send(thread, { type: 'end' });
    while (summaries.length < workers.length) await news();
    // That takes a while too, so it is not done here.
    if (summaries.length > 1) {
      send(0, { type: 'merge', summaries: summaries.splice(0) });
      while (summaries.length === 0) await news();
    }
    return summaries[0]!;
  } finally {
    for (const [thread, worker] of workers.entries()) {
      worker.off('message', listeners[thread]!).off('error', fail).off('exit', onExit);
      worker.unref();
    }
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Gives the threads pieces of whole lines in turn; how the stream was cut does not matter. */
async function feed({ count, send, room, onRead, check }: Threads, source: Readable): Promise<void> {
  let thread = 0;
  let piece = await room(thread);
  let filled = 0;

  async function pass(): Promise<void> {
    const lines = count === 1 ? filled : piece.lastIndexOf(NEWLINE) + 1;
    // A line longer than a piece: the thread that has its beginning gets the rest.
    const length = lines === 0 ? filled : lines;
    const next = lines === 0 ? thread : (thread + 1) % count;
    const rest = piece.slice(length, filled);
    send(thread, { type: 'chunk', bytes: piece.subarray(0, length) }, piece);
    thread = next;
    piece = await room(thread);
    piece.set(rest);
    filled = rest.length;
  }

  for await (const given of source) {
    check();
    const chunk: Uint8Array = typeof given === 'string' ? Buffer.from(given) : given;
    onRead(chunk.length);
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE - filled);
      piece.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled === PIECE) await pass();
    }
  }
  check();
  if (filled > 0) send(thread, { type: 'chunk', bytes: piece.subarray(0, filled) }, piece);
}

/** Gives each thread a part of the file. */
async function share({ count, send }: Threads, path: string, bytes: number): Promise<void> {
  for (let thread = 0; thread < count; thread += 1) {
    const [start, end] = [thread, thread + 1].map((part) => Math.floor((bytes * part) / count));
    send(thread, { type: 'file', path, start: start!, end: end! });
  }
}
