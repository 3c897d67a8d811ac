/** Summarises a log in a process of its own: `log-engine-child <path> <engine|bot>`, by the engine alone or as the bot would. */
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { uniqueClients } from '../../src/logs/client-sketch.ts';
import { sizeQuantile } from '../../src/logs/size-sketch.ts';
import { createSummariser } from '../../src/logs/summariser.ts';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';
import type { Outcome } from './log-contenders.ts';
import { measuring } from './measuring.ts';

const [path = '', how = 'bot'] = process.argv.slice(2);
const PIECE = 256 * 1024;
const workers = createLogWorkers({ size: 1 });

/** On this thread, without a stream. */
function byEngine() {
  const summariser = createSummariser('v1');
  const file = openSync(path, 'r');
  const piece = Buffer.alloc(PIECE);
  for (let read = readSync(file, piece); read > 0; read = readSync(file, piece))
    summariser.push(piece.subarray(0, read));
  closeSync(file);
  return summariser.end();
}

const outcome: Outcome = await measuring(async () => {
  const summary =
    how === 'engine' ? byEngine() : await workers.summarise(createReadStream(path, { highWaterMark: PIECE }), 'v1');
  return {
    lines: summary.requests,
    bytes: summary.bytes,
    missing: summary.statuses['404'] ?? 0,
    clients: uniqueClients(summary.clients),
    median: sizeQuantile(summary.sizes, 0.5) ?? 0,
  };
});
await workers.close();
console.log(JSON.stringify(outcome));
