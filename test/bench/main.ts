/**
 * `npm run bench`: each subject measured and printed as one table; names on the command line choose among them. For the
 * summary: `--size 1g`, `--log FILE` (a real log to make it of), `--rounds 3`; for the
 * origin log: `--size 600m,2g`, `--rounds 3`; for the templates: `--sets FOLDER` (labelled logs); for the
 * flood and the store: `--seconds 60`.
 */
import { parseArgs } from 'node:util';
import { acknowledging } from './acknowledging.ts';
import { linesOf, type Report } from './figures.ts';
import { flood } from './flood.ts';
import { names } from './names.ts';
import { originLog } from './origin-log.ts';
import { reports } from './reports.ts';
import { store } from './store.ts';
import { parseSize, summarising } from './summarising.ts';
import { templates } from './templates.ts';

const { values: given, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string' },
    log: { type: 'string' },
    rounds: { type: 'string' },
    sets: { type: 'string' },
    seconds: { type: 'string' },
  },
});
const subjects: Record<string, () => Promise<Report>> = {
  acknowledging,
  summarising: () =>
    summarising({ size: parseSize(given.size ?? '300m'), model: given.log, rounds: Number(given.rounds ?? 3) }),
  'origin-log': () =>
    originLog({ sizes: (given.size ?? '200m').split(',').map(parseSize), rounds: Number(given.rounds ?? 1) }),
  templates: () => templates(given.sets),
  names,
  reports,
  store: () => store(Number(given.seconds ?? 3)),
  flood: () => flood(Number(given.seconds ?? 60)),
};

// What was written for the bench goes with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const unknown = chosen.filter((name) => subjects[name] === undefined);
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}, but ${Object.keys(subjects).join(', ')}.`);
  process.exit(2);
}
for (const [name, measure] of Object.entries(subjects)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const report = await measure();
  console.log(linesOf(report).join('\n'));
  if (report.verdicts.some(({ holds }) => !holds)) process.exitCode = 1;
}
