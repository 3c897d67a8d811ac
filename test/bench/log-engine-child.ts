/** Summarises a log in a process of its own, as the bot would: `log-engine-child <path>`. */
import { createReadStream } from 'node:fs';
import { uniqueClients } from '../../src/logs/client-sketch.ts';
import { sizeQuantile } from '../../src/logs/size-sketch.ts';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';
import type { Outcome } from './log-contenders.ts';
import { measuring } from './measuring.ts';

const [path = ''] = process.argv.slice(2);
const workers = createLogWorkers({ size: 1 });

const outcome: Outcome = await measuring(async () => {
  const summary = await workers.summarise(createReadStream(path, { highWaterMark: 256 * 1024 }), 'v1');
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
