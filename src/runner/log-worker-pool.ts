import type { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { FromLogWorker, ToLogWorker } from './log-worker.ts';
import { startWorker } from './worker.ts';

/** Bytes that travel to the thread at once, and how many such pieces there are for one log: what bounds its memory. */
const PIECE = 256 * 1024;
const PIECES = 4;

/** How long an idle thread is kept, in ms. */
const IDLE = 30_000;

export interface SummariseOptions {
  signal?: AbortSignal | undefined;
  /** Called with the bytes read so far. */
  progress?: ((bytes: number) => void) | undefined;
}

/** Threads that summarise logs, one log each. */
export interface LogWorkers {
  /**
   * Reads the stream to its end, no faster than the thread keeps up. Rejects with the stream's error, the signal's reason,
   * or when the thread fails; the stream is then destroyed.
   */
  summarise(source: Readable, format: LogFormat, options?: SummariseOptions): Promise<LogSummary>;
  /** Ends the threads; what is being summarised fails. */
  close(): Promise<void>;
}

/** At most `size` logs are read at the same time; further ones wait for their turn. Threads start when they are needed. */
export function createLogWorkers({ size = 2 }: { size?: number } = {}): LogWorkers {
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
    const worker = startWorker('log-worker');
    all.add(worker);
    worker.once('exit', () => all.delete(worker));
    worker.unref();
    return worker;
  }

  function keep(worker: Worker): void {
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((one) => one.worker === worker),
        1,
      );
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
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(turn);
    });
  }

  return {
    async summarise(source, format, options = {}) {
      try {
        await place(options.signal);
      } catch (error) {
        source.destroy();
        throw error;
      }
      let worker: Worker | undefined;
      try {
        worker = take();
        const summary = await feed(worker, source, format, options);
        keep(worker);
        return summary;
      } catch (error) {
        source.destroy();
        await worker?.terminate();
        throw error;
      } finally {
        const next = waiting.shift();
        if (next === undefined) busy -= 1;
        else next();
      }
    },

    async close() {
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

async function feed(
  worker: Worker,
  source: Readable,
  format: LogFormat,
  { signal, progress }: SummariseOptions,
): Promise<LogSummary> {
  const free: Uint8Array[] = [];
  let made = 0;
  let wake: (() => void) | undefined;
  let failure: unknown;
  let result: LogSummary | undefined;

  const awake = () => {
    wake?.();
    wake = undefined;
  };
  const fail = (error: unknown) => {
    failure ??= error ?? new Error('The log was not read to its end.');
    // The stream may be waiting for bytes that never come.
    source.destroy(failure instanceof Error ? failure : undefined);
    awake();
  };
  const onMessage = (message: FromLogWorker) => {
    if (message.type === 'taken') free.push(message.bytes);
    else result = message.summary;
    awake();
  };
  const onExit = () => fail(new Error('The thread that reads logs ended.'));
  const onAbort = () => fail(signal?.reason);
  worker.on('message', onMessage).on('error', fail).on('exit', onExit);
  signal?.addEventListener('abort', onAbort, { once: true });
  // An unreferenced worker would let the process end while it is being waited for.
  worker.ref();

  const send = (message: ToLogWorker, transfer: Uint8Array[] = []) =>
    worker.postMessage(
      message,
      transfer.map((bytes) => bytes.buffer as ArrayBuffer),
    );
  const news = async () => {
    if (failure === undefined) await new Promise<void>((resolve) => (wake = resolve));
    if (failure !== undefined) throw failure;
  };
  async function room(): Promise<Uint8Array> {
    for (;;) {
      const kept = free.pop();
      if (kept !== undefined) return new Uint8Array(kept.buffer);
      if (made < PIECES) {
        made += 1;
        return new Uint8Array(PIECE);
      }
      await news();
    }
  }

  try {
    if (signal?.aborted) onAbort();
    if (failure !== undefined) throw failure;
    send({ type: 'start', format });
    let read = 0;
    let piece = await room();
    let filled = 0;
    for await (const given of source) {
      if (failure !== undefined) throw failure;
      const chunk: Uint8Array = typeof given === 'string' ? Buffer.from(given) : given;
      read += chunk.length;
      progress?.(read);
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + PIECE - filled);
        piece.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < PIECE) continue;
        send({ type: 'chunk', bytes: piece }, [piece]);
        piece = await room();
        filled = 0;
      }
    }
    if (failure !== undefined) throw failure;
    if (filled > 0) send({ type: 'chunk', bytes: piece.subarray(0, filled) }, [piece]);
    send({ type: 'end' });
    while (result === undefined) await news();
    return result;
  } finally {
    worker.off('message', onMessage).off('error', fail).off('exit', onExit);
    signal?.removeEventListener('abort', onAbort);
    worker.unref();
  }
}
