/** Takes a gzipped log from an address in a process of its own: `summarising-child <url> <unpack|bot>`. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createGunzip } from 'node:zlib';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';
import type { Outcome } from './log-contenders.ts';
import { measuring } from './measuring.ts';

const [url = '', how = 'bot'] = process.argv.slice(2);
const workers = createLogWorkers({ size: 1 });

const outcome: Outcome = await measuring(async () => {
  const [response] = (await once(request(url).end(), 'response')) as [IncomingMessage];
  const log = response.pipe(createGunzip({ chunkSize: 64 * 1024 }));
  if (how === 'bot') {
    const summary = await workers.summarise(log, 'v1');
    return { lines: summary.requests, bytes: summary.bytes, missing: summary.statuses['404'] ?? 0 };
  }
  let lines = 0;
  for await (const chunk of log) lines += (chunk as Buffer).length;
  return { lines };
});
await workers.close();
console.log(JSON.stringify(outcome));
