import type { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { FromLogWorker, ToLogWorker } from './log-worker.ts';

/** Bounds memory, with the number of pieces. */
const PIECE = 256 * 1024;

export interface ReadingOptions {
  format: LogFormat;
  signal: AbortSignal | undefined;
  /** Bytes so far. */
  progress: ((bytes: number) => void) | undefined;
}

interface LogReading {
  worker: Worker;
  /** Stopped where it fails: it may wait for bytes that never come. */
  source: Readable;
  /** Pieces that came back, and how many were made. */
  free: Uint8Array[];
  made: number;
  summary: LogSummary | undefined;
  wake: (() => void) | undefined;
  failure: unknown;
}

/** Throws when the thread fails or the log is cancelled. */
export async function readOnThread(
  worker: Worker,
  source: Readable,
  { format, signal, progress }: ReadingOptions,
): Promise<LogSummary> {
  const reading: LogReading = {
    worker,
    source,
    free: [],
    made: 0,
    summary: undefined,
    wake: undefined,
    failure: undefined,
  };
  const endListening = listen(reading, signal);
  try {
    if (signal?.aborted) fail(reading, signal.reason);
    check(reading);
    send(reading, { type: 'start', format });
    await feed(reading, progress);
    send(reading, { type: 'end' });
    while (reading.summary === undefined) await news(reading);
    return reading.summary;
  } finally {
    endListening();
  }
}

async function feed(reading: LogReading, progress: ReadingOptions['progress']): Promise<void> {
  let piece = await room(reading);
  let filled = 0;
  let bytesRead = 0;
  for await (const given of reading.source) {
    check(reading);
    const chunk: Uint8Array = typeof given === 'string' ? Buffer.from(given) : given;
    bytesRead += chunk.length;
    progress?.(bytesRead);
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE - filled);
      piece.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < PIECE) continue;
      send(reading, { type: 'chunk', bytes: piece }, piece);
      piece = await room(reading);
      filled = 0;
    }
  }
  check(reading);
  if (filled > 0) send(reading, { type: 'chunk', bytes: piece.subarray(0, filled) }, piece);
}

/** Returns what ends it. */
function listen(reading: LogReading, signal: AbortSignal | undefined): () => void {
  const { worker } = reading;
  const onMessage = (message: FromLogWorker) => {
    if (message.type === 'taken') reading.free.push(message.bytes);
    else reading.summary = message.summary;
    wake(reading);
  };
  const onError = (error: unknown) => fail(reading, error);
  const onExit = () => fail(reading, new Error('The thread that reads logs ended.'));
  const onAbort = () => fail(reading, signal?.reason);
  worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  // Keeps the process alive while it is waited for.
  worker.ref();
  signal?.addEventListener('abort', onAbort);
  return () => {
    worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    worker.unref();
    signal?.removeEventListener('abort', onAbort);
  };
}

function wake(reading: LogReading): void {
  reading.wake?.();
  reading.wake = undefined;
}

function fail(reading: LogReading, error: unknown): void {
  reading.failure ??= error ?? new Error('The log was not read to its end.');
  reading.source.destroy(reading.failure instanceof Error ? reading.failure : undefined);
  wake(reading);
}

function check({ failure }: LogReading): void {
  if (failure !== undefined) throw failure;
}

async function news(reading: LogReading): Promise<void> {
  check(reading);
  await new Promise<void>((resolve) => {
    reading.wake = resolve;
  });
  check(reading);
}

function send({ worker }: LogReading, message: ToLogWorker, transfer?: Uint8Array): void {
  worker.postMessage(message, transfer === undefined ? [] : [transfer.buffer as ArrayBuffer]);
}

/** Waits until a piece comes back. */
async function room(reading: LogReading): Promise<Uint8Array> {
  for (;;) {
    const kept = reading.free.pop();
    if (kept !== undefined) return new Uint8Array(kept.buffer);
    if (reading.made < 3) {
      reading.made += 1;
      return new Uint8Array(PIECE);
    }
    await news(reading);
  }
}
