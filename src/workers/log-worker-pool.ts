import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Worker } from 'node:worker_threads';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import { startWorker } from './worker.ts';

interface SummariseOptions {
  signal?: AbortSignal | undefined;
  /** Bytes so far. */
  progress?: ((bytes: number) => void) | undefined;
}

export interface LogWorkers {
  /** As fast as a thread reads. Rejects with the stream's error, the signal's reason or the thread's failure; destroys the stream. */
  summarise(source: Readable, format: LogFormat, options?: SummariseOptions): Promise<LogSummary>;
  /** How many threads are busy, and how many logs wait. */
  counts(): { busy: number; waiting: number };
  /** What is under way fails. */
  close(): Promise<void>;
}

/** A thread for each log, at most `size` at a time. */
export function createLogWorkers({ size = 2 } = {}): LogWorkers {
  const threads = new Set<Worker>();
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

  async function readOnThread(source: Readable, format: LogFormat, { signal, progress }: SummariseOptions) {
    const worker = startWorker('log-worker', {
      stdin: true,
      workerData: { format },
      // Its data are in typed arrays.
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    threads.add(worker);
    const gone = new AbortController();
    worker.on('error', (error) => gone.abort(error));
    worker.on('exit', () => gone.abort(new Error('The thread that reads logs ended.')));
    const ended = AbortSignal.any([gone.signal, ...(signal === undefined ? [] : [signal])]);
    async function* told(chunks: AsyncIterable<Buffer>) {
      let read = 0;
      for await (const chunk of chunks) {
        read += chunk.length;
        progress?.(read);
        yield chunk;
      }
    }
    try {
      const [[summary]] = await Promise.all([
        once(worker, 'message', { signal: ended }),
        pipeline(source, told, worker.stdin!, { signal: ended }),
      ]);
      return summary as LogSummary;
    } catch (error) {
      throw ended.aborted ? ended.reason : error;
    } finally {
      threads.delete(worker);
      await worker.terminate();
    }
  }

  return {
    async summarise(source, format, options = {}) {
      // An error before it is read would end the process.
      source.on('error', () => undefined);
      try {
        await acquire(options.signal);
        try {
          return await readOnThread(source, format, options);
        } finally {
          // The log that has waited longest.
          const next = waiting.shift();
          if (next === undefined) busy -= 1;
          else next();
        }
      } finally {
        source.destroy();
      }
    },

    counts: () => ({ busy, waiting: waiting.length }),

    async close() {
      await Promise.all([...threads].map((worker) => worker.terminate()));
    },
  };
}
