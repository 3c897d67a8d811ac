import { parseArgs } from 'node:util';
import { groupErrors, kindIdOf } from '../../src/logs/error-groups.ts';
import { baselinePosts } from './baselines.ts';
import { driveWeek, SERVED } from './bot.ts';
import { tryFaults } from './faults.ts';
import { groupByDrain, groupByMask, scoreGrouping } from './grouping.ts';
import { type DailyResult, judgeDaily, printedDaily } from './judge/daily.ts';
import { runOf } from './judge/run.ts';
import { printed } from './judge/table.ts';
import { judgeWeek, type Post, type WeekResult } from './judge.ts';
import { messages } from './messages.ts';
import { createModel } from './model.ts';
import { type Half, type Week, weeksOf } from './seeds.ts';

/**
 * Prints what the bot and the baselines are worth: `--half tuning --weeks 6 --sigmas 3`, the weeks of each kind from the first
 * on, or from `--from 3`; `--kind quiet` takes one kind. `--only error-summary,daily-statistics` names the reports that are driven, none for the
 * baselines alone; `--faults` tries the faults of logs and statistics instead, `--scenario late` those with that in their names; `--days 2` cuts weeks, `--posts` prints what was posted, `--lags logs=3,origin=3,statistics=10` shows things later.
 */

const KINDS = ['quiet', 'incidents', 'daily'] as const;

function chosenWeeks(half: Half, kinds: string, first: number, most: number): Week[] {
  return KINDS.filter((kind) => kinds.split(',').includes(kind)).flatMap((kind) =>
    weeksOf(half, kind).slice(first, first + most),
  );
}

const printPost = ({ at, channel, text, edits = [] }: Post) => {
  for (const [index, one] of [{ at, text }, ...edits].entries())
    console.log(`--- ${new Date(one.at).toISOString()} ${index > 0 ? 'edit' : channel}\n${one.text}`);
};

/** `logs=3,origin=3` → minutes by service. */
const lagsOf = (text: string): Record<string, number> =>
  Object.fromEntries(
    text
      .split(',')
      .flatMap((one) => (one === '' ? [] : [one.split('=')]))
      .map(([name, minutes]) => [name, Number(minutes)]),
  );

/** The bot's own grouping: the kind of each message, as an error of the origin. */
const groupByBot = (texts: readonly string[]): string[] =>
  texts.map((message) => {
    const nothing = { zone: 'zone', zoneId: 1, code: undefined, status: undefined, address: undefined };
    const [group] = groupErrors([{ source: 'origin', time: 0, message, region: undefined, ...nothing }]);
    return kindIdOf(group!);
  });

/** What the bot's and the two simple groupings make of a half's messages. */
function printGroupings(half: Half): void {
  const all = messages({ half, copies: 4 });
  if (all.length === 0) return;
  const groupings = { 'the bot': groupByBot, 'masked numbers': groupByMask, Drain: groupByDrain };
  for (const [name, group] of Object.entries(groupings)) {
    const groups = group(all.map(({ text }) => text));
    const score = scoreGrouping(
      all.map(({ kind }) => kind),
      groups,
    );
    const numbers = `FGA ${score.fga.toFixed(2)}, accuracy ${score.accuracy.toFixed(2)}`;
    console.log(`${name}: ${numbers}, ${score.mixed.length} groups mix kinds, ${score.split.length} kinds are split`);
    if (name === 'the bot') for (const { kinds } of score.mixed) console.log(`  mixed: ${kinds.join(', ')}`);
  }
}

/** Each fault in a line, what was said below it, and how many were lost or late without a word. */
async function printFaults(scenario: string, isWhole: boolean): Promise<void> {
  let tried = 0;
  let bad = 0;
  for await (const { scenario: name, truth, verdict, isGood, said } of tryFaults(scenario)) {
    tried += 1;
    if (!isGood) bad += 1;
    console.log(`${isGood ? 'good' : 'BAD '}  ${name} | ${truth} | ${verdict}`);
    for (const line of isWhole ? said : said.slice(0, 4)) console.log(`        ${line}`);
  }
  console.log(`${bad} of ${tried} scenarios are lost, late or wrong without a word (tuning weeks).`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      half: { type: 'string', default: 'tuning' },
      kind: { type: 'string', default: 'quiet,incidents' },
      from: { type: 'string', default: '0' },
      weeks: { type: 'string', default: '100' },
      days: { type: 'string', default: '7' },
      sigmas: { type: 'string', default: '3' },
      only: { type: 'string', default: SERVED.join(',') },
      lags: { type: 'string', default: '' },
      posts: { type: 'boolean', default: false },
      faults: { type: 'boolean', default: false },
      scenario: { type: 'string', default: '' },
    },
  });
  if (values.faults) {
    await printFaults(values.scenario, values.posts);
    return;
  }
  const half = values.half as Half;
  const days = Number(values.days);
  const results: Record<string, WeekResult[]> = {};
  const mornings: DailyResult[] = [];
  for (const week of chosenWeeks(half, values.kind, Number(values.from), Number(values.weeks))) {
    const since = performance.now();
    const said: string[] = [];
    const model = createModel({ ...week, days });
    if (values.only !== '') {
      const service = { lags: lagsOf(values.lags), days };
      const { result, posts, requests } = await driveWeek(week, { service, only: values.only.split(',') });
      results['the bot'] = [...(results['the bot'] ?? []), result];
      if (values.posts) posts.forEach(printPost);
      if (week.kind === 'daily') {
        const morning = posts.filter(({ isDaily }) => isDaily);
        mornings.push(judgeDaily({ ...runOf(week, model, morning), posts: morning, changes: model.dayLabels() }));
      }
      said.push(`${posts.length} posts`, ...Object.entries(requests).map(([name, count]) => `${count} ${name}`));
    }
    for (const [name, posts] of Object.entries(baselinePosts(model, Number(values.sigmas)))) {
      results[name] ??= [];
      results[name].push(judgeWeek(runOf(week, model, posts)));
    }
    const seconds = Math.round((performance.now() - since) / 1000);
    process.stderr.write(`${[`${week.kind} ${week.seed}`, `${seconds} s`, ...said].join(', ')}\n`);
  }
  for (const [name, weeks] of Object.entries(results)) console.log(`${printed(name, weeks, 12)}\n`);
  if (mornings.length > 0) console.log(`${printedDaily('morning reports', mornings)}\n`);
  printGroupings(half);
}

await main();
