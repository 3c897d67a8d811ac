import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { compileTo } from './compile.ts';
import { medianOf, type Report } from './figures.ts';
import { temporaryFolder } from './folder.ts';
import { contendersIn, OURS, type Outcome, UNPACKING } from './log-contenders.ts';
import { madeUpModel, modelOf, writeLog } from './log-model.ts';

/** How long it takes beside unpacking alone, bytes above an idle process, and milliseconds that hold the main thread. */
const MOST_TIMES = 1.25;
const MOST_MEMORY = 60e6;
const MOST_HELD = 50;

/** `1g`, `200m`, `5000` → bytes. Throws `RangeError` for anything else. */
export function parseSize(text: string): number {
  const found = /^(\d+)([kmg]?)$/i.exec(text);
  if (found === null) throw new RangeError(`“${text}” is no size such as 200m or 1g.`);
  return Number(found[1]) * 1000 ** ['', 'k', 'm', 'g'].indexOf((found[2] ?? '').toLowerCase());
}

export interface SummarisingOptions {
  /** Bytes of the log, unpacked. */
  size: number;
  /** A real log, of whose lines it is made; without it they are made up. */
  model: string | undefined;
  rounds: number;
}

/** From the gzipped log of an HTTP answer to its summary, beside unpacking alone and what else could read the log. */
export async function summarising({ size, model, rounds }: SummarisingOptions): Promise<Report> {
  const folder = temporaryFolder();
  const log = join(folder, 'day.log');
  await compileTo(folder, ['./summarising-child.ts', './log-duckdb-child.ts', '../../src/workers/log-worker.ts']);
  const lines = writeLog(log, size, model === undefined ? madeUpModel() : modelOf(model));
  await pipeline(createReadStream(log), createGzip(), createWriteStream(`${log}.gz`));
  rmSync(log);
  const server = createServer((_, response) => createReadStream(`${log}.gz`).pipe(response)).listen(0);
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const outcomes = new Map<string, Outcome[]>();
  const contenders = contendersIn(folder);
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const { name, missing, run } of contenders) {
        if (missing === undefined) outcomes.set(name, [...(outcomes.get(name) ?? []), await run(`${log}.gz`, url)]);
      }
    }
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const secondsOf = (name: string) => medianOf((outcomes.get(name) ?? []).map(({ seconds }) => seconds));
  const worst = (key: 'aboveIdle' | 'held') => Math.max(...(outcomes.get(OURS) ?? []).map((one) => one[key] ?? 0));
  const times = (name: string) => secondsOf(name) / secondsOf(UNPACKING);
  return {
    title: `Summarising a gzipped log of ${(size / 1e6).toFixed(0)} MB, ${lines} lines ${model === undefined ? '(made up)' : `made of ${model}`}`,
    columns: ['who', 'seconds', 'CPU seconds', '× unpacking', 'above idle MB', 'held max ms'],
    rows: contenders.map(({ name, missing }) => {
      const all = outcomes.get(name);
      if (all === undefined) return [name, `not installed: ${missing}`];
      const [{ aboveIdle, held } = {}] = all;
      return [
        name,
        secondsOf(name).toFixed(2),
        medianOf(all.map(({ cpu }) => cpu)).toFixed(2),
        times(name).toFixed(2),
        aboveIdle === undefined ? '–' : (aboveIdle / 1e6).toFixed(0),
        held === undefined ? '–' : held.toFixed(1),
      ];
    }),
    notes: [
      `${rounds} round${rounds === 1 ? '' : 's'}, each in turn, every one in a process of its own; medians.`,
      'The bot and unpacking alone take the log over HTTP; mawk, gawk and GoAccess from gunzip -c, DuckDB from the file.',
    ],
    verdicts: [
      {
        holds: times(OURS) <= MOST_TIMES,
        text: `the summary takes ${times(OURS).toFixed(2)} × unpacking alone (wanted: ${MOST_TIMES})`,
      },
      {
        holds: worst('aboveIdle') <= MOST_MEMORY,
        text: `${(worst('aboveIdle') / 1e6).toFixed(0)} MB above idle (wanted: ${MOST_MEMORY / 1e6})`,
      },
      {
        holds: worst('held') <= MOST_HELD,
        text: `the main thread was held ${worst('held').toFixed(1)} ms at most (wanted: ${MOST_HELD})`,
      },
      ...[...outcomes]
        .filter(([name, [one]]) => name !== UNPACKING && one?.lines !== lines)
        .map(([name, [one]]) => ({ holds: false, text: `${name} comes to other sums: ${JSON.stringify(one)}` })),
    ],
  };
}
