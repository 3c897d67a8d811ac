/** `npm run check -- simulate --seeds N`: many replica-days of the bot in virtual time, with everything going wrong. */
import { parseArgs } from 'node:util';
import { simulateSeed } from './seeds.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    actions: { type: 'string', default: '120' },
    trace: { type: 'boolean', default: false },
  },
});

const started = performance.now();
const sums = { replicaDays: 0, changes: 0, crashes: 0, faults: 0, made: 0, taken: 0, told: 0 };
const failed: number[] = [];
const first = Number(values.from);
for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
  const { problems, trace, replicaDays, counts } = await simulateSeed(seed, Number(values.actions));
  sums.replicaDays += replicaDays;
  for (const key of ['changes', 'crashes', 'faults', 'made', 'taken', 'told'] as const) sums[key] += counts[key];
  if (values.trace) console.log(trace.join('\n'));
  if (problems.length === 0) continue;
  failed.push(seed);
  console.log(`seed ${seed}:\n  ${problems.slice(0, 5).join('\n  ')}`);
}
const { replicaDays, ...rest } = sums;
const counted = Object.entries(rest).map(([name, count]) => `${count} ${name}`);
console.log(
  `${values.seeds} seeds, ${Math.round(replicaDays)} replica-days in ${Math.round((performance.now() - started) / 1000)} s: ${counted.join(', ')}; ${failed.length} failed${failed.length === 0 ? '' : `: ${failed.join(', ')}`}`,
);
process.exit(failed.length === 0 ? 0 : 1);
