import { parentPort } from 'node:worker_threads';
import { createSummariser, type Summariser } from '../logs/summariser.ts';
import { type LogFormat, type LogSummary, mergeSummaries } from '../logs/summary.ts';
import { readLines } from './log-file.ts';

/** To the thread: begin a log, the next bytes of it, a part of a file as the whole of it, its end; what to put together. */
export type ToLogWorker =
  | { type: 'start'; format: LogFormat }
  | { type: 'chunk'; bytes: Uint8Array }
  | { type: 'file'; path: string; start: number; end: number }
  | { type: 'end' }
  | { type: 'merge'; summaries: LogSummary[] };

/** From the thread: a chunk is done with (its memory comes back), so many bytes were read, or what the log came to. */
export type FromLogWorker =
  | { type: 'taken'; bytes: Uint8Array }
  | { type: 'read'; bytes: number }
  | { type: 'summary'; summary: LogSummary };

const port = parentPort;
if (port === null) throw new Error('log-worker runs as a worker thread only');

const tell = (message: FromLogWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

let summariser: Summariser | undefined;

port.on('message', (message: ToLogWorker) => {
  if (message.type === 'start') {
    summariser = createSummariser(message.format);
  } else if (message.type === 'merge') {
    tell({ type: 'summary', summary: message.summaries.reduce(mergeSummaries) });
  } else if (summariser === undefined) {
    throw new Error('a log has to begin first');
  } else if (message.type === 'chunk') {
    summariser.push(message.bytes);
    tell({ type: 'taken', bytes: message.bytes }, [message.bytes.buffer as ArrayBuffer]);
  } else if (message.type === 'file') {
    readLines(message, summariser, (bytes) => tell({ type: 'read', bytes }));
  } else {
    tell({ type: 'summary', summary: summariser.end() });
    summariser = undefined;
  }
});
