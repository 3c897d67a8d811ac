/**
 * `npm run check -- slots`: our slots beside the naive walker's, over ten years, forty expressions and every time zone, one
 * process a core. Zones named on the command line are the only ones; `--from 2026` begins with another year.
 */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Comparison, compare } from '../schedule/comparing.ts';
import { EXPRESSIONS } from '../schedule/expressions.ts';

const YEARS = 10;

interface Task {
  zone: string;
  from: number;
}

const spanOf = (year: number) =>
  [new Date(Date.UTC(year, 0, 1)), new Date(Date.UTC(year + YEARS, 0, 1))] as [Date, Date];

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { from: { type: 'string' } }, allowPositionals: true });
  const from = Number(values.from ?? 2016);
  const zones = positionals.length > 0 ? positionals : Intl.supportedValuesOf('timeZone');
  const left = [...zones];
  const start = performance.now();
  let done = 0;
  let slots = 0;
  const differences: string[] = [];

  const worker = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(fileURLToPath(import.meta.url), ['--', 'child'], { execArgv: ['--import', 'tsx'] });
      const next = () => {
        const zone = left.shift();
        if (zone === undefined) child.disconnect();
        else child.send({ zone, from } satisfies Task);
      };
      child.on('message', (result: Comparison) => {
        done += 1;
        slots += result.slots;
        differences.push(...result.differences);
        if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${zones.length} zones`);
        next();
      });
      child.on('error', reject);
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`))));
      next();
    });
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), zones.length) }, worker));
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(
    `\n${EXPRESSIONS.length} expressions, ${zones.length} zones, ${from} to ${from + YEARS}: ${slots.toLocaleString('en-US')} slots compared in ${seconds} s, ${differences.length} differences.`,
  );
  for (const difference of differences) console.log(`  ${difference}`);
  if (differences.length > 0) process.exitCode = 1;
}

if (process.send === undefined) await main();
else {
  process.on('message', ({ zone, from }: Task) => process.send?.(compare(EXPRESSIONS, zone, ...spanOf(from))));
}
