import type { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import { type ReadingOptions, readOnThread } from './log-reading.ts';
import { startWorker } from './worker.ts';

/** How one log is summarised. */
interface SummariseOptions {
  signal?: AbortSignal | undefined;
  /** Called with the bytes read so far. */
  progress?: ((bytes: number) => void) | undefined;
}

/** Threads that summarise logs. */
export interface LogWorkers {
  /**
   * Reads the stream to its end, no faster than a thread keeps up. Rejects with the stream's error, the signal's reason,
   * or when the thread fails; the stream is then destroyed.
   */
  summarise(source: Readable, format: LogFormat, options?: SummariseOptions): Promise<LogSummary>;
  /** Threads at work and kept, and logs that wait for one. */
  counts(): { busy: number; idle: number; waiting: number };
  /** Ends the threads; what is being summarised fails. */
  close(): Promise<void>;
}

/** The threads, and who waits for them. */
interface Pool {
  size: number;
  idle: { worker: Worker; timer: NodeJS.Timeout }[];
  all: Set<Worker>;
  waiting: (() => void)[];
  busy: number;
}

/** Summarises logs, each on a thread of its own: `size` at the most, further logs wait for one. They start when they are needed. */
export function createLogWorkers({ size = 2 } = {}): LogWorkers {
  const pool: Pool = { size, idle: [], all: new Set(), waiting: [], busy: 0 };
  return {
    summarise(source, format, { signal, progress } = {}) {
      // Until then nobody reads it, and an error that nobody listens to would end the process: it is met by the reading.
      source.on('error', () => undefined);
      return onThread(pool, source, { format, signal, progress });
    },

    counts: () => ({ busy: pool.busy, idle: pool.idle.length, waiting: pool.waiting.length }),

    async close() {
      for (const { timer } of pool.idle.splice(0)) clearTimeout(timer);
      await Promise.all([...pool.all].map((worker) => worker.terminate()));
    },
  };
}

async function onThread(pool: Pool, source: Readable, options: ReadingOptions): Promise<LogSummary> {
  try {
    await acquire(pool, options.signal);
  } catch (error) {
    source.destroy();
    throw error;
  }
  const worker = take(pool);
  try {
    const summary = await readOnThread(worker, source, options);
    keep(pool, worker);
    return summary;
  } catch (error) {
    source.destroy();
    await worker.terminate();
    throw error;
  } finally {
    release(pool);
  }
}

/** Waits for the right to use one thread. */
async function acquire(pool: Pool, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (pool.busy < pool.size) {
    pool.busy += 1;
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const go = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      pool.waiting.splice(pool.waiting.indexOf(go), 1);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave);
    pool.waiting.push(go);
  });
}

/** Gives one thread back: to who waits longest, if anybody does. */
function release(pool: Pool): void {
  const next = pool.waiting.shift();
  if (next === undefined) pool.busy -= 1;
  else next();
}

function take({ idle, all }: Pool): Worker {
  const kept = idle.pop();
  if (kept !== undefined) {
    clearTimeout(kept.timer);
    return kept.worker;
  }
  // What a log comes to is in typed arrays, not there.
  const worker = startWorker('log-worker', { resourceLimits: { maxYoungGenerationSizeMb: 4 } });
  all.add(worker);
  worker.once('exit', () => all.delete(worker));
  worker.unref();
  return worker;
}

function keep({ idle }: Pool, worker: Worker): void {
  const timer = setTimeout(() => {
    // The last one is taken first, so the first one has been idle for longest.
    idle.shift();
    void worker.terminate();
  }, 30_000);
  timer.unref();
  idle.push({ worker, timer });
}
