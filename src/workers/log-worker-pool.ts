import type { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import { type ReadingOptions, readOnThread } from './log-reading.ts';
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

interface Pool {
  size: number;
  idle: { worker: Worker; timer: NodeJS.Timeout }[];
  all: Set<Worker>;
  waiting: (() => void)[];
  busy: number;
}

/** At most `size` threads, started on demand. */
export function createLogWorkers({ size = 2 } = {}): LogWorkers {
  const pool: Pool = { size, idle: [], all: new Set(), waiting: [], busy: 0 };
  return {
    summarise(source, format, { signal, progress } = {}) {
      // An error before it is read would end the process.
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

/** To who waits longest. */
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
  // Its data are in typed arrays.
  const worker = startWorker('log-worker', { resourceLimits: { maxYoungGenerationSizeMb: 4 } });
  all.add(worker);
  worker.once('exit', () => all.delete(worker));
  worker.unref();
  return worker;
}

function keep({ idle }: Pool, worker: Worker): void {
  const timer = setTimeout(() => {
    // The last one is taken first, so the first has been idle longest.
    idle.shift();
    void worker.terminate();
  }, 30_000);
  timer.unref();
  idle.push({ worker, timer });
}
