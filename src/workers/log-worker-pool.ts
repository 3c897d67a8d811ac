import type { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { FromLogWorker, ToLogWorker } from './log-worker.ts';
import { startWorker } from './worker.ts';

interface SummariseOptions {
  signal?: AbortSignal | undefined;
  /** Bytes so far. */
  progress?: ((bytes: number) => void) | undefined;
}

export interface LogWorkers {
  /** As fast as a thread reads. Rejects with the stream's error, the signal's reason or the thread's failure; destroys the stream. */
  summarise(source: Readable, format: LogFormat, options?: SummariseOptions): Promise<LogSummary>;
  /** Of threads, and of waiting logs. */
  counts(): { busy: number; idle: number; waiting: number };
  /** What is under way fails. */
  close(): Promise<void>;
}

/** At most `size` threads, started on demand. */
export function createLogWorkers({ size = 2 } = {}): LogWorkers {
  const idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  const all = new Set<Worker>();
  const waiting: (() => void)[] = [];
  let busy = 0;

  async function acquire(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (busy < size) {
      busy += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(go), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave);
      waiting.push(go);
    });
  }

  function take(): Worker {
    const kept = idle.pop();
    if (kept !== undefined) {
      clearTimeout(kept.timer);
      return kept.worker;
    }
    // Its data are in typed arrays.
    const worker = startWorker('log-worker', { resourceLimits: { maxYoungGenerationSizeMb: 4 } });
    all.add(worker);
    worker.once('exit', () => all.delete(worker));
    worker.unref();
    return worker;
  }

  function keep(worker: Worker): void {
    const timer = setTimeout(() => {
      // The last one is taken first, so the first has been idle longest.
      idle.shift();
      void worker.terminate();
    }, 30_000);
    timer.unref();
    idle.push({ worker, timer });
  }

  return {
    async summarise(source, format, { signal, progress } = {}) {
      // An error before it is read would end the process.
      source.on('error', () => undefined);
      await acquire(signal).catch((error: unknown) => {
        source.destroy();
        throw error;
      });
      const worker = take();
      try {
        const summary = await readOnThread(worker, source, { format, signal, progress });
        keep(worker);
        return summary;
      } catch (error) {
        source.destroy();
        await worker.terminate();
        throw error;
      } finally {
        // To who waits longest.
        const next = waiting.shift();
        if (next === undefined) busy -= 1;
        else next();
      }
    },

    counts: () => ({ busy, idle: idle.length, waiting: waiting.length }),

    async close() {
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

/** Bounds memory, with the number of pieces. */
const PIECE = 256 * 1024;

interface ReadingOptions {
  format: LogFormat;
  signal: AbortSignal | undefined;
  /** Bytes so far. */
  progress: ((bytes: number) => void) | undefined;
}

/** Throws when the thread fails or the log is cancelled. */
async function readOnThread(
  worker: Worker,
  source: Readable,
  { format, signal, progress }: ReadingOptions,
): Promise<LogSummary> {
  /** Pieces that came back. */
  const free: Uint8Array[] = [];
  let made = 0;
  let summary: LogSummary | undefined;
  let failure: unknown;
  let wake = () => {};

  const onMessage = (message: FromLogWorker) => {
    if (message.type === 'taken') free.push(message.bytes);
    else summary = message.summary;
    wake();
  };
  const fail = (error: unknown) => {
    failure ??= error ?? new Error('The log was not read to its end.');
    // It may wait for bytes that never come.
    source.destroy(failure instanceof Error ? failure : undefined);
    wake();
  };
  const onExit = () => fail(new Error('The thread that reads logs ended.'));
  const onAbort = () => fail(signal?.reason);

  const check = () => {
    if (failure !== undefined) throw failure;
  };
  const news = async () => {
    check();
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    check();
  };
  const send = (message: ToLogWorker, transfer?: Uint8Array) =>
    worker.postMessage(message, transfer === undefined ? [] : [transfer.buffer as ArrayBuffer]);
  /** Waits until a piece comes back. */
  const room = async (): Promise<Uint8Array> => {
    for (;;) {
      const kept = free.pop();
      if (kept !== undefined) return new Uint8Array(kept.buffer);
      if (made < 3) {
        made += 1;
        return new Uint8Array(PIECE);
      }
      await news();
    }
  };

  async function feed(): Promise<void> {
    let piece = await room();
    let filled = 0;
    let bytesRead = 0;
    for await (const given of source) {
      check();
      const chunk: Uint8Array = typeof given === 'string' ? Buffer.from(given) : given;
      bytesRead += chunk.length;
      progress?.(bytesRead);
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + PIECE - filled);
        piece.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < PIECE) continue;
        send({ type: 'chunk', bytes: piece }, piece);
        piece = await room();
        filled = 0;
      }
    }
    check();
    if (filled > 0) send({ type: 'chunk', bytes: piece.subarray(0, filled) }, piece);
  }

  worker.on('message', onMessage).on('error', fail).on('exit', onExit);
  // Keeps the process alive while it is waited for.
  worker.ref();
  signal?.addEventListener('abort', onAbort);
  try {
    if (signal?.aborted) fail(signal.reason);
    check();
    send({ type: 'start', format });
    await feed();
    send({ type: 'end' });
    while (summary === undefined) await news();
    return summary;
  } finally {
    worker.off('message', onMessage).off('error', fail).off('exit', onExit);
    worker.unref();
    signal?.removeEventListener('abort', onAbort);
  }
}
