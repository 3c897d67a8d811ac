import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CLIENTS_ERROR } from '../../src/logs/client-sketch.ts';
import { compileTo } from './compile.ts';
import type { Report } from './figures.ts';
import { temporaryFolder } from './folder.ts';
import { type Contender, contendersIn, GOACCESS, OURS, type Outcome } from './log-contenders.ts';
import { madeUpModel, modelOf, writeLog } from './log-model.ts';

/** What the engine has to be, per core: ahead of DuckDB, twice mawk, a hundred times GoAccess. */
const WANTED = { 'DuckDB, 1 thread': 1, 'mawk, the same summary': 2, [GOACCESS]: 100 };
/** Bytes above what an idle process takes, and milliseconds that nothing holds the main thread longer than. */
const MOST_MEMORY = 64e6;
const MOST_HELD = 50;

/**
 * Lines that the slow ones read at most: the whole of a gigabyte. GoAccess slows down with each line, so a part flatters it:
 * half of them by a third.
 */
const PART = 4_000_000;

/** Each runs so long in a round, but no more than so often. */
const LEAST_SECONDS = 5;
const MOST_RUNS = 5;

export interface LogEngineOptions {
  /** Bytes of the log. */
  size: number;
  /** A real log, of whose lines it is made; without it they are made up. */
  model: string | undefined;
  rounds: number;
  /** Only those whose name has this in it. */
  only: string;
}

/** `1g`, `200m`, `5000` → bytes. Throws `RangeError` for anything else. */
export function parseSize(text: string): number {
  const found = /^(\d+)([kmg]?)$/i.exec(text);
  if (found === null) throw new RangeError(`“${text}” is no size such as 200m or 1g.`);
  return Number(found[1]) * 1000 ** ['', 'k', 'm', 'g'].indexOf((found[2] ?? '').toLowerCase());
}

async function writePart(from: string, to: string, most: number): Promise<number> {
  const out = createWriteStream(to, { encoding: 'latin1' });
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(from, 'latin1') })) {
    if (lines === most) break;
    lines += 1;
    out.write(`${line}\n`);
  }
  await new Promise<void>((resolve) => out.end(resolve));
  return lines;
}

/** The log engine beside what else could read the log. */
export async function logEngine({ size, model, rounds, only }: LogEngineOptions): Promise<Report> {
  const folder = temporaryFolder();
  try {
    const log = join(folder, 'day.log');
    const part = join(folder, 'part.log');
    await compileTo(folder, ['./log-engine-child.ts', './log-duckdb-child.ts', '../../src/workers/log-worker.ts']);
    const lines = writeLog(log, size, model === undefined ? madeUpModel() : modelOf(model));
    const contenders = contendersIn(folder, folder).filter(({ name }) => name.includes(only));
    const isPartRead = contenders.some(({ partOnly, missing }) => partOnly === true && missing === undefined);
    const partLines = isPartRead ? await writePart(log, part, Math.min(PART, lines)) : 0;
    const outcomes = new Map<Contender, Outcome[]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const contender of contenders) {
        if (contender.missing !== undefined) continue;
        const all = outcomes.get(contender) ?? [];
        outcomes.set(contender, all);
        // What takes a moment only is disturbed by a moment: it gets several.
        for (let seconds = 0, runs = 0; runs === 0 || (seconds < LEAST_SECONDS && runs < MOST_RUNS); runs += 1) {
          const outcome = await contender.run(contender.partOnly ? part : log);
          all.push(outcome);
          seconds += outcome.seconds;
        }
      }
    }
    return reportOf({ contenders, outcomes, lines, partLines, size, rounds, model });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Found {
  contenders: readonly Contender[];
  outcomes: ReadonlyMap<Contender, Outcome[]>;
  lines: number;
  partLines: number;
  size: number;
  rounds: number;
  model: string | undefined;
}

const megabytes = (bytes: number | undefined) => (bytes === undefined ? '?' : (bytes / 1e6).toFixed(0));

function reportOf({ contenders, outcomes, lines, partLines, size, rounds, model }: Found): Report {
  const perCore = new Map<string, number>();
  const medians = new Map<string, Outcome>();
  for (const [contender, all] of outcomes) {
    perCore.set(contender.name, Math.max(...all.map((one) => one.lines / one.cpu)));
    const middle = [...all].sort((a, b) => a.seconds - b.seconds)[Math.floor(all.length / 2)];
    if (middle !== undefined) medians.set(contender.name, middle);
  }
  const ours = perCore.get(OURS.engine) ?? Number.NaN;
  const first = medians.get(OURS.engine);
  const verdicts: Report['verdicts'] = Object.entries(WANTED)
    .filter(([name]) => perCore.has(name))
    .map(([name, wanted]) => {
      const ratio = ours / (perCore.get(name) ?? Number.NaN);
      return {
        holds: ratio >= wanted,
        text: `per core the engine reads ${ratio.toFixed(1)} times as many lines a second as ${name} (wanted: ${wanted})`,
      };
    });
  const all = [...outcomes].find(([{ name }]) => name === OURS.bot)?.[1];
  if (all !== undefined) {
    const memory = Math.max(...all.map((one) => one.aboveIdle ?? 0));
    const held = Math.max(...all.map((one) => one.held ?? 0));
    verdicts.push(
      {
        holds: memory <= MOST_MEMORY,
        text: `${OURS.bot}: ${megabytes(memory)} MB above idle (wanted: ${MOST_MEMORY / 1e6})`,
      },
      {
        holds: held <= MOST_HELD,
        text: `${OURS.bot}: the main thread was held ${held.toFixed(1)} ms at most (wanted: ${MOST_HELD})`,
      },
    );
  }
  for (const [{ name, partOnly }, [one]] of outcomes) {
    if (one === undefined) continue;
    const agrees =
      one.lines === (partOnly ? partLines : lines) &&
      (partOnly || one.bytes === undefined || one.bytes === first?.bytes) &&
      (one.missing === undefined || one.missing === first?.missing);
    if (!agrees) verdicts.push({ holds: false, text: `${name} comes to other sums: ${JSON.stringify(one)}` });
  }
  const exact = medians.get('mawk, the same summary')?.clients ?? medians.get('gawk, the same summary')?.clients;
  if (exact !== undefined && first?.clients !== undefined) {
    const error = first.clients / exact - 1;
    verdicts.push({
      holds: Math.abs(error) <= 3 * CLIENTS_ERROR,
      text: `${first.clients} different clients are estimated, ${(100 * error).toFixed(2)} % off ${exact} (wanted: within ${(300 * CLIENTS_ERROR).toFixed(1)} %)`,
    });
  }
  return {
    title: `Summarising a v1 log of ${(size / 1e6).toFixed(0)} MB, ${lines} lines ${model === undefined ? '(made up)' : `made of ${model}`}`,
    columns: ['who', 'M lines/s', 'M lines/CPU-s', 'engine per core is', 'peak MB', 'above idle', 'held max ms'],
    rows: contenders.map((contender) => {
      const one = medians.get(contender.name);
      if (one === undefined) return [contender.name, `not installed: ${contender.missing}`];
      const core = perCore.get(contender.name) ?? Number.NaN;
      return [
        contender.name,
        (one.lines / one.seconds / 1e6).toFixed(3),
        (core / 1e6).toFixed(3),
        `${(ours / core).toFixed(2)}×`,
        megabytes(one.peak),
        one.aboveIdle === undefined ? '–' : megabytes(one.aboveIdle),
        one.held === undefined ? '–' : one.held.toFixed(1),
      ];
    }),
    notes: [
      `${rounds} round${rounds === 1 ? '' : 's'}, each in turn, the short ones several times; medians, per core the best, which the machine disturbed least.`,
      'Every one in a process of its own, the file in the page cache.',
      'All count statuses, caches, hours, bytes, sizes, paths (all, 404, 5xx), agents, countries, referers, edges, addresses;',
      `awk exactly, DuckDB with its approximate aggregates, wc lines only, GoAccess its own report of ${partLines} lines.`,
      'What bounds the engine: instructions, some 1,000 a line (a fifth of them finds the fields, a third are the tables).',
      'In the bot a log comes over the network at a tenth of that: one thread is enough.',
    ],
    verdicts,
  };
}
