import type { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { FromLogWorker, ToLogWorker } from './log-worker.ts';

/** Bytes that travel to a thread at once, and how many such pieces there are for it: what bounds the memory of a log. */
const PIECE = 256 * 1024;
const PIECES = 3;

const NEWLINE = 0x0a;

/** The format of a log, and who follows its reading. */
export interface ReadingOptions {
  format: LogFormat;
  signal: AbortSignal | undefined;
  /** Called with the bytes read so far. */
  progress: ((bytes: number) => void) | undefined;
  /** Stops the source, which may be waiting for bytes that never come. */
  stop(error?: Error): void;
}

/** A log while threads read it. */
export interface LogReading extends ReadingOptions {
  workers: readonly Worker[];
  /** By thread: memory that came back from it, and how many pieces were made for it. */
  free: Uint8Array[][];
  made: number[];
  summaries: LogSummary[];
  bytesRead: number;
  /** Goes on with what waits for a thread. */
  wake: (() => void) | undefined;
  failure: unknown;
}

/** Lets `read` give the threads a log, and puts together what they say of it. Throws when a thread fails or the log is cancelled. */
export async function readOnThreads(
  workers: readonly Worker[],
  read: (reading: LogReading) => Promise<void>,
  options: ReadingOptions,
): Promise<LogSummary> {
  const reading: LogReading = {
    ...options,
    workers,
    free: workers.map(() => []),
    made: workers.map(() => 0),
    summaries: [],
    bytesRead: 0,
    wake: undefined,
    failure: undefined,
  };
  const { summaries, format, signal } = reading;
  const endListening = listen(reading);
  try {
    if (signal?.aborted) fail(reading, signal.reason);
    check(reading);
    for (const thread of workers.keys()) send(reading, thread, { type: 'start', format });
    await read(reading);
    for (const thread of workers.keys()) send(reading, thread, { type: 'end' });
    while (summaries.length < workers.length) await news(reading);
    // That takes a while too, so it is not done here.
    if (summaries.length > 1) {
      send(reading, 0, { type: 'merge', summaries: summaries.splice(0) });
      while (summaries.length === 0) await news(reading);
    }
    return summaries[0]!;
  } finally {
    endListening();
  }
}

/** Gives the threads pieces of whole lines, one after the other; how the stream was cut does not matter. */
export async function feed(reading: LogReading, source: Readable): Promise<void> {
  const threads = reading.workers.length;
  let thread = 0;
  let piece = await room(reading, thread);
  let filled = 0;

  async function pass(): Promise<void> {
    const lines = threads === 1 ? filled : piece.lastIndexOf(NEWLINE) + 1;
    // A line longer than a piece: the thread that has its beginning gets the rest.
    const length = lines === 0 ? filled : lines;
    const next = lines === 0 ? thread : (thread + 1) % threads;
    const rest = piece.slice(length, filled);
    send(reading, thread, { type: 'chunk', bytes: piece.subarray(0, length) }, piece);
    thread = next;
    piece = await room(reading, thread);
    piece.set(rest);
    filled = rest.length;
  }

  for await (const given of source) {
    check(reading);
    const chunk: Uint8Array = typeof given === 'string' ? Buffer.from(given) : given;
    count(reading, chunk.length);
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE - filled);
      piece.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled === PIECE) await pass();
    }
  }
  check(reading);
  if (filled > 0) send(reading, thread, { type: 'chunk', bytes: piece.subarray(0, filled) }, piece);
}

/** Gives each thread a part of the file. */
export async function share(reading: LogReading, path: string, bytes: number): Promise<void> {
  const threads = reading.workers.length;
  for (let thread = 0; thread < threads; thread += 1) {
    const [start, end] = [thread, thread + 1].map((part) => Math.floor((bytes * part) / threads));
    send(reading, thread, { type: 'file', path, start: start!, end: end! });
  }
}

/** Listens to the threads and the signal. Returns what ends that. */
function listen(reading: LogReading): () => void {
  const { workers, signal } = reading;
  const onMessage = workers.map((_, thread) => (message: FromLogWorker) => hear(reading, thread, message));
  const onError = (error: unknown) => fail(reading, error);
  const onExit = () => fail(reading, new Error('The thread that reads logs ended.'));
  const onAbort = () => fail(reading, signal?.reason);
  for (const [thread, worker] of workers.entries()) {
    worker.on('message', onMessage[thread]!).on('error', onError).on('exit', onExit);
    // An unreferenced worker would let the process end while it is being waited for.
    worker.ref();
  }
  signal?.addEventListener('abort', onAbort);
  return () => {
    for (const [thread, worker] of workers.entries()) {
      worker.off('message', onMessage[thread]!).off('error', onError).off('exit', onExit);
      worker.unref();
    }
    signal?.removeEventListener('abort', onAbort);
  };
}

function hear(reading: LogReading, thread: number, message: FromLogWorker): void {
  if (message.type === 'taken') reading.free[thread]!.push(message.bytes);
  else if (message.type === 'read') count(reading, message.bytes);
  else reading.summaries.push(message.summary);
  wake(reading);
}

function wake(reading: LogReading): void {
  reading.wake?.();
  reading.wake = undefined;
}

function fail(reading: LogReading, error: unknown): void {
  reading.failure ??= error ?? new Error('The log was not read to its end.');
  reading.stop(reading.failure instanceof Error ? reading.failure : undefined);
  wake(reading);
}

/** Throws when a thread failed or the log was cancelled. */
function check({ failure }: LogReading): void {
  if (failure !== undefined) throw failure;
}

/** Waits until a thread says something. */
async function news(reading: LogReading): Promise<void> {
  check(reading);
  await new Promise<void>((resolve) => {
    reading.wake = resolve;
  });
  check(reading);
}

/** So many more bytes were read. */
function count(reading: LogReading, bytes: number): void {
  reading.bytesRead += bytes;
  reading.progress?.(reading.bytesRead);
}

function send({ workers }: LogReading, thread: number, message: ToLogWorker, transfer?: Uint8Array): void {
  workers[thread]!.postMessage(message, transfer === undefined ? [] : [transfer.buffer as ArrayBuffer]);
}

/** A piece of memory for a thread that has not too many of them: waits for one to come back. */
async function room(reading: LogReading, thread: number): Promise<Uint8Array> {
  for (;;) {
    const kept = reading.free[thread]!.pop();
    if (kept !== undefined) return new Uint8Array(kept.buffer);
    if (reading.made[thread]! < PIECES) {
      reading.made[thread]! += 1;
      return new Uint8Array(PIECE);
    }
    await news(reading);
  }
}
