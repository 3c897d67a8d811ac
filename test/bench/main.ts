/** `npm run bench`: each subject measured and printed as one table; names on the command line choose among them. */
import { acknowledging } from './acknowledging.ts';
import { linesOf, type Report } from './figures.ts';
import { reports } from './reports.ts';
import { summarising } from './summarising.ts';
import { templates } from './templates.ts';

const subjects: Record<string, () => Promise<Report>> = { acknowledging, summarising, templates, reports };

const chosen = process.argv.slice(2);
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
