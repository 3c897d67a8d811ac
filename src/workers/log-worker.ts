import { parentPort, workerData } from 'node:worker_threads';
import { createSummariser } from '../logs/summariser.ts';

if (parentPort === null) throw new Error('log-worker runs as a worker thread only');

const summariser = createSummariser(workerData.format);
for await (const chunk of process.stdin) summariser.push(chunk);
parentPort.postMessage(summariser.end());
