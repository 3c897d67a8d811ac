import { parentPort } from 'node:worker_threads';
import { createSummariser, type Summariser } from '../logs/summariser.ts';
import type { LogFormat, LogSummary } from '../logs/summary.ts';

export type ToLogWorker = { type: 'start'; format: LogFormat } | { type: 'chunk'; bytes: Uint8Array } | { type: 'end' };

/** `taken`: the chunk's memory comes back. */
export type FromLogWorker = { type: 'taken'; bytes: Uint8Array } | { type: 'summary'; summary: LogSummary };

const port = parentPort;
if (port === null) throw new Error('log-worker runs as a worker thread only');

const tell = (message: FromLogWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

let summariser: Summariser | undefined;

port.on('message', (message: ToLogWorker) => {
  if (message.type === 'start') {
    summariser = createSummariser(message.format);
  } else if (summariser === undefined) {
    throw new Error('a log has to begin first');
  } else if (message.type === 'chunk') {
    summariser.push(message.bytes);
    tell({ type: 'taken', bytes: message.bytes }, [message.bytes.buffer as ArrayBuffer]);
  } else {
    tell({ type: 'summary', summary: summariser.end() });
    summariser = undefined;
  }
});
