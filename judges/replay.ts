/**
 * `npm run check -- replay`: a week of the simulator’s traffic with three incidents, through both reports as a new installation has
 * them, error summaries every quarter of an hour. `--seed 3 --week 2` is another week with other incidents, and
 * `--weeks 12` as many of them, a line each.
 */
import { parseArgs } from 'node:util';
import { falseAlarms, foundIn, replayWeek, sayingLines, weekLine } from '../test/reports/replaying.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, week: { type: 'string' }, weeks: { type: 'string' } },
});
const seed = Number(values.seed ?? 7);
const week = Number(values.week ?? 0);
const weeks = Number(values.weeks ?? 1);

let [missed, wrong, noisy] = [0, 0, 0];
for (let index = 0; index < weeks; index += 1) {
  const options = { seed: seed + index, week: week + index };
  const replayed = await replayWeek(options);
  if (weeks === 1) console.log(`${sayingLines(replayed.sayings).join('\n')}\n`);
  console.log(weekLine(options, replayed));
  const alarms = falseAlarms(replayed.sayings);
  for (const line of sayingLines(alarms)) console.log(`  false: ${line}`);
  missed += replayed.incidents.filter((incident) => foundIn(incident, replayed.sayings) === undefined).length;
  wrong += alarms.length;
  if (alarms.length > 1) noisy += 1;
}
console.log(
  `${weeks} weeks, ${3 * weeks} incidents: ${missed} missed, ${wrong} false alarms, ${noisy} weeks with more than one.`,
);
if (missed > 0 || noisy > 0) process.exitCode = 1;
