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

/** Throws when the thread fails or the log is cancelled. */
export async function readOnThread(
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
