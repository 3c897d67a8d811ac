import { parseArgs } from 'node:util';
import { baselinePosts } from './baselines.ts';
import { groupByDrain, groupByMask, scoreGrouping } from './grouping.ts';
import { runOf } from './judge/run.ts';
import { printed } from './judge/table.ts';
import { judgeWeek, type WeekResult } from './judge.ts';
import { messages } from './messages.ts';
import { createModel } from './model.ts';
import { type Half, type Week, weeksOf } from './seeds.ts';

/** Prints what the baselines are worth: `--half tuning --weeks 6 --sigmas 3`, the weeks of each kind from the first on. */

function chosenWeeks(half: Half, most: number): Week[] {
  return [...weeksOf(half, 'quiet').slice(0, most), ...weeksOf(half, 'incidents').slice(0, most)];
}

/** What the two simple groupings make of a half's messages. */
function printGroupings(half: Half): void {
  const all = messages({ half, copies: 4 });
  for (const [name, group] of Object.entries({ 'masked numbers': groupByMask, Drain: groupByDrain })) {
    const groups = group(all.map(({ text }) => text));
    const score = scoreGrouping(
      all.map(({ kind }) => kind),
      groups,
    );
    const numbers = `FGA ${score.fga.toFixed(2)}, accuracy ${score.accuracy.toFixed(2)}`;
    console.log(`${name}: ${numbers}, ${score.mixed.length} groups mix kinds, ${score.split.length} kinds are split`);
  }
}

function main(): void {
  const { values } = parseArgs({
    options: {
      half: { type: 'string', default: 'tuning' },
      weeks: { type: 'string', default: '100' },
      sigmas: { type: 'string', default: '3' },
    },
  });
  const results: Record<string, WeekResult[]> = {};
  for (const week of chosenWeeks(values.half as Half, Number(values.weeks))) {
    const model = createModel(week);
    for (const [name, posts] of Object.entries(baselinePosts(model, Number(values.sigmas)))) {
      results[name] ??= [];
      results[name].push(judgeWeek(runOf(week, model, posts)));
    }
    process.stderr.write(`${week.kind} ${week.seed}\n`);
  }
  for (const [name, weeks] of Object.entries(results)) console.log(`${printed(name, weeks, 12)}\n`);
  printGroupings(values.half as Half);
}

main();
