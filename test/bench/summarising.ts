import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';
import type { Report } from './figures.ts';

/** Nothing holds the main thread for longer, in milliseconds. */
const MOST_HELD = 50;
const LINES = 400_000;

/** Made-up v1 lines: time, status, bytes, zone and the rest, each a little different from the last. */
function* lines(count: number): Generator<Buffer> {
  const statuses = ['HIT', 'HIT', 'HIT', 'MISS', 'EXPIRED', '-'];
  let batch = '';
  for (let index = 0; index < count; index += 1) {
    const status = index % 41 === 0 ? 404 : index % 197 === 0 ? 502 : 200;
    const at = 1_790_000_000_000 + index * 37;
    batch += `${statuses[index % 6]}|${status}|${at}|${(index * 7919) % 65_536}|1001|10.0.${index % 250}.${(index * 7) % 250}|-|https://cdn.example.com/path/${index % 5_000}/file.js|DE|Mozilla/5.0 (X11; Linux) ${index % 90}|id-${index}|DE\n`;
    if (batch.length < 60_000) continue;
    yield Buffer.from(batch);
    batch = '';
  }
  yield Buffer.from(batch);
}

/** How long the main thread is held while a worker thread reads a big log. */
export async function summarising(): Promise<Report> {
  const chunks = [...lines(LINES)];
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const workers = createLogWorkers();
  const rows: string[][] = [];
  let worst = 0;
  try {
    for (const run of ['first (the thread starts)', 'second']) {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const start = performance.now();
      const summary = await workers.summarise(Readable.from(chunks), 'v1');
      const elapsed = performance.now() - start;
      delay.disable();
      // What the histogram holds is the time between two ticks: the resolution is part of it.
      const held = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - 5);
      worst = Math.max(worst, held(delay.max));
      rows.push([
        run,
        String(summary.requests),
        (size / 1e6).toFixed(0),
        (elapsed / 1_000).toFixed(2),
        (size / 1e3 / elapsed).toFixed(0),
        held(delay.percentile(50)).toFixed(1),
        held(delay.percentile(99)).toFixed(1),
        held(delay.max).toFixed(1),
      ]);
    }
  } finally {
    await workers.close();
  }
  return {
    title: 'Summarising a log: how long the main thread is held',
    columns: ['run', 'lines', 'MB', 'seconds', 'MB/s', 'held p50 ms', 'p99 ms', 'max ms'],
    rows,
    notes: [],
    verdicts: [
      {
        holds: worst <= MOST_HELD,
        text: `the main thread was held ${worst.toFixed(1)} ms at most (wanted: ${MOST_HELD})`,
      },
    ],
  };
}
