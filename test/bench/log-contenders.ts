import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What one of them made of a log, and what it took. */
export interface Outcome {
  lines: number;
  bytes?: number;
  /** Requests with the status 404. */
  missing?: number;
  seconds: number;
  /** Seconds of processor time. */
  cpu: number;
  /** Bytes of memory at most; undefined where the system does not tell. */
  peak?: number | undefined;
  aboveIdle?: number;
  /** The longest that the main thread was held, milliseconds. */
  held?: number;
}

/** One that summarises a log. */
export interface Contender {
  name: string;
  /** Why it can't take part: what is not installed. */
  missing?: string | undefined;
  /** The gzipped log's path, and where HTTP has it. */
  run(path: string, url: string): Promise<Outcome>;
}

const isInstalled = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

/** Runs a command to its end and watches what it takes: to some 10 ms, and where there is a /proc. */
async function watched(
  command: string,
  args: readonly string[],
  env = {},
): Promise<{ text: string } & Omit<Outcome, 'lines'>> {
  const start = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  let peak: number | undefined;
  let ticks = 0;
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024 || peak;
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      ticks = Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended, or this system has no /proc: what is known stays.
    }
  }, 10);
  const [status] = await once(child, 'close');
  clearInterval(look);
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
  return { text, seconds: (performance.now() - start) / 1000, cpu: ticks / 100, peak };
}

/** A command that reads the unpacked log. */
const unpacked = (path: string, command: string, args: readonly string[], env = {}) =>
  watched('sh', ['-c', 'log=$0; gunzip -c "$log" | "$@"', path, command, ...args], env);

/** One of our own processes, which measures itself. */
export async function measured(script: string, args: readonly string[], env = {}): Promise<Outcome> {
  const { text, peak } = await watched(process.execPath, [script, ...args], env);
  const outcome = JSON.parse(text) as Outcome;
  return { ...outcome, peak: Math.max(peak ?? 0, outcome.peak ?? 0) };
}

/** The same summary in awk. It is exact, and keeps everything for that. */
const AWK = String.raw`{
  status[$2]++; cache[$1]++; hour[int($3 / 3600000)]++; sum += $4; size[$4]++
  path = $8; sub(/[?#].*/, "", path); sub(/^[^\/]*:\/\/[^\/]*/, "", path); if (path == "") path = "/"
  paths[path]++; if ($2 == 404) missing[path]++; else if ($2 >= 500) failing[path]++
  referer = $7; sub(/[?#].*/, "", referer)
  if (referer != "" && referer != "-") referers[referer]++
  agents[$10]++; countries[$12]++; edges[$9]++; addresses[$6]++
} END { printf "%d %.0f %d\n", NR, sum, status[404] }`;

function awk(name: string): Contender {
  return {
    name: `${name}, the same summary`,
    missing: isInstalled(name) ? undefined : name,
    async run(path) {
      // Latin-1: no character takes more than a byte, as for us.
      const { text, ...taken } = await unpacked(path, name, ['-F|', AWK], { LC_ALL: 'C' });
      const [lines = 0, bytes = 0, missing = 0] = text.trim().split(' ').map(Number);
      return { lines, bytes, missing, ...taken };
    },
  };
}

/** How a package is to be installed that is missing; undefined when it is there. It is no dependency: only the bench has it. */
export function missingTool(name: string): string | undefined {
  try {
    createRequire(join(process.env.BENCH_TOOLS ?? process.cwd(), 'package.json')).resolve(name);
    return undefined;
  } catch {
    // Not installed: the report says so.
    return `${name} (npm i --prefix DIR ${name}, then BENCH_TOOLS=DIR)`;
  }
}

function duckDb(threads: number, script: string): Contender {
  return {
    name: `DuckDB, ${threads} thread${threads === 1 ? '' : 's'}`,
    missing: missingTool('@duckdb/node-api'),
    run: (path) => measured(script, [path, String(threads)]),
  };
}

/** The names by which the report finds them again. */
export const UNPACKING = 'unpacking alone';
export const OURS = 'Edgewise';

/** All that are compared. `folder` has our compiled children. */
export function contendersIn(folder: string): Contender[] {
  const child = join(folder, 'summarising-child.js');
  return [
    { name: UNPACKING, run: (_, url) => measured(child, [url, 'unpack']) },
    { name: OURS, run: (_, url) => measured(child, [url, 'bot']) },
    awk('mawk'),
    awk('gawk'),
    duckDb(1, join(folder, 'log-duckdb-child.js')),
    duckDb(2, join(folder, 'log-duckdb-child.js')),
    {
      name: 'GoAccess',
      missing: isInstalled('goaccess') ? undefined : 'goaccess',
      async run(path) {
        const report = join(folder, 'goaccess.json');
        const { text: _, ...taken } = await unpacked(path, 'goaccess', [
          '-',
          '--log-format=%^|%s|%x|%b|%^|%h|%R|%U|%^|%u|%^|%^',
          ...['--datetime-format=%*', '--date-format=%*', '--time-format=%*'],
          ...['--no-global-config', '--no-progress', '-o', report],
        ]);
        const { general } = JSON.parse(readFileSync(report, 'utf8')) as {
          general: { valid_requests: number; bandwidth: number };
        };
        return { lines: general.valid_requests, bytes: general.bandwidth, ...taken };
      },
    },
  ];
}
