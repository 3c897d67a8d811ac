/** Summarises a log in a process of its own, as the bot would: `log-engine-child <path> <threads> <file|stream>`. */
import { createReadStream } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { uniqueClients } from '../../src/logs/client-sketch.ts';
import { sizeQuantile } from '../../src/logs/size-sketch.ts';
import { createLogWorkers } from '../../src/runner/log-worker-pool.ts';
import type { Outcome } from './log-contenders.ts';

const [path = '', threads = '1', how = 'file'] = process.argv.slice(2);
const perLog = Number(threads);
const workers = createLogWorkers({ size: perLog, perLog });

// What a process takes that has nothing to do, once it is through with its start.
await setTimeout(300);
const idle = process.memoryUsage.rss();
let peak = idle;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 10);
const RESOLUTION = 2;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
delay.enable();
const before = process.cpuUsage();
const start = performance.now();
const summary =
  how === 'file' ? await workers.summariseFile(path, 'v1') : await workers.summarise(createReadStream(path), 'v1');
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(before);
await setTimeout(20);
delay.disable();
clearInterval(watch);
await workers.close();

const outcome: Outcome = {
  lines: summary.requests,
  bytes: summary.bytes,
  missing: summary.statuses['404'] ?? 0,
  clients: uniqueClients(summary.clients),
  median: sizeQuantile(summary.sizes, 0.5) ?? 0,
  seconds,
  cpu: (user + system) / 1e6,
  peak,
  aboveIdle: peak - idle,
  // The histogram holds the time between two ticks: the resolution is part of it.
  held: Math.max(0, delay.max / 1e6 - RESOLUTION),
};
console.log(JSON.stringify(outcome));
