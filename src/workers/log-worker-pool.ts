import type { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import { readOnThread } from './log-reading.ts';
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
