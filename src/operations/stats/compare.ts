import { chart } from '../../blocks/chart.ts';
import { bytes, count, countOf, percent, type Reading } from '../../blocks/format.ts';
import { type Message, message, note, type Part } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { type Cell, numberCell, right, table } from '../../blocks/table.ts';
import { UsageError } from '../../errors.ts';
import type { Chart, StatisticsAnswer, StatisticsQuery } from '../../platform/resources/statistics.ts';
import { DAY, HOUR } from '../../time.ts';
import { startOfDay } from '../arguments/dates.ts';
import { sumOf } from './points.ts';
import type { Range } from './range.ts';

/** Two stretches of the same length and the same days of the week; each ends before `to`. */
export interface Stretches {
  now: { from: Date; to: Date };
  before: { from: Date; to: Date };
}

/** Both stretches with their statistics. */
export interface Compared {
  stretches: Stretches;
  now: StatisticsAnswer;
  before: StatisticsAnswer;
}

const WEEK = 7 * DAY;

/**
 * The whole days (or hours) of a range, a week when none was typed, and the same a week before: as many weeks as it has. A
 * day that goes on is left out, since it would look like a fall. Undefined: the range has no whole one.
 */
export function stretchesOf({ from, to, hourly }: Range, now: Date): Stretches | undefined {
  const unit = hourly ? HOUR : DAY;
  const wholeBefore = (at: Date) => Math.floor(at.getTime() / unit) * unit;
  const typedEnd = to === undefined ? now : new Date(to.instant.getTime() + (to.dateOnly ? DAY : 0));
  const end = wholeBefore(typedEnd < now ? typedEnd : now);
  const start = wholeBefore(from?.instant ?? new Date(startOfDay(now).getTime() - WEEK));
  if (start >= end) return undefined;
  const back = Math.ceil((end - start) / WEEK) * WEEK;
  const stretch = (shift: number) => ({ from: new Date(start - shift), to: new Date(end - shift) });
  return { now: stretch(0), before: stretch(back) };
}

/** The statistics of both stretches. Throws UsageError where there is nothing to compare. */
export async function readBoth(
  range: Range,
  now: Date,
  read: (query: StatisticsQuery) => Promise<StatisticsAnswer>,
): Promise<Compared> {
  const stretches = stretchesOf(range, now);
  if (stretches === undefined) {
    throw new UsageError(`There is no whole ${range.hourly ? 'hour' : 'day'} in this range to compare.`, {
      hint: range.hourly ? 'Let `--from` be earlier.' : 'Let `--from` be earlier, or add `--hourly`.',
      argument: 'from',
    });
  }
  const of = ({ from, to }: Stretches['now']) =>
    // The platform goes on to the end of the day in which a range ends.
    read({ dateFrom: from, dateTo: new Date(to.getTime() - 1000), hourly: range.hourly });
  const [before, current] = await Promise.all([of(stretches.before), of(stretches.now)]);
  return { stretches, before, now: current };
}

/** The points of a chart within a stretch, in order of time. */
function within(points: Chart | undefined, { from, to }: Stretches['now']): Chart | undefined {
  if (points === undefined) return undefined;
  const isIn = (key: string) => {
    const at = Date.parse(key);
    return at >= from.getTime() && at < to.getTime();
  };
  return Object.fromEntries(Object.entries(points).filter(([key]) => isIn(key)));
}

const FIGURES: [name: string, chart: keyof StatisticsAnswer, show: (value: number, reading: Reading) => string][] = [
  ['Requests', 'RequestsServedChart', count],
  ['Not from cache', 'PullRequestsPulledChart', count],
  ['Bandwidth', 'BandwidthUsedChart', bytes],
  ['Origin traffic', 'OriginTrafficChart', bytes],
  ['4xx', 'Error4xxChart', count],
  ['5xx', 'Error5xxChart', count],
];

/** `▲ 12%`, `▼ 3%`, `=`; undefined where there is nothing to compare with. */
export function changeOf(now: number | undefined, before: number | undefined, reading: Reading): string | undefined {
  if (now === undefined || before === undefined || before === 0) return undefined;
  const change = Math.round((100 * (now - before)) / before);
  return change === 0 ? '=' : `${change > 0 ? '▲' : '▼'} ${percent(Math.abs(change), reading)}`;
}

/** The two stretches as figures side by side, and the requests as two lines. */
export function comparison(
  title: string,
  { stretches, ...answers }: Compared,
  { hourly, reading }: { hourly: boolean; reading: Reading },
): Message {
  const unit = hourly ? HOUR : DAY;
  const length = (stretches.now.to.getTime() - stretches.now.from.getTime()) / unit;
  const weeks = Math.round((stretches.now.from.getTime() - stretches.before.from.getTime()) / WEEK);
  const earlier = weeks === 1 ? 'a week before' : `${weeks} weeks before`;
  const figures = FIGURES.map(([name, key, show]) => {
    const sums = (['now', 'before'] as const).map((which) =>
      sumOf(within(answers[which][key] as Chart | undefined, stretches[which])),
    );
    return { name, show, now: sums[0], before: sums[1] };
  });
  const [requests] = figures;
  const change = changeOf(requests?.now, requests?.before, reading);
  const counted = requests?.now === undefined ? '' : `: ${countOf(requests.now, 'request', reading)}`;
  return message(
    mrkdwn`${bold(`${title}${counted}`)}${change === undefined ? '' : `, ${change === '=' ? 'as many as' : `${change} against`} ${earlier}`}\n${wordsOf(stretches.now, hourly)} (${countOf(length, hourly ? 'whole hour' : 'whole day', reading)}), compared with ${wordsOf(stretches.before, hourly)}, in UTC`,
    table({
      caption: `Against ${earlier}`,
      columns: ['Figure', right('Change'), right('Now'), right('Before')],
      rows: figures.map(({ name, show, now, before }): (Cell | undefined)[] => [
        name,
        changeOf(now, before, reading),
        numberCell(now, show, reading),
        numberCell(before, show, reading),
      ]),
    }),
    requestsChart(answers, stretches, hourly),
    note('Days or hours that are not over are left out.'),
  );
}

function requestsChart(answers: Omit<Compared, 'stretches'>, stretches: Stretches, hourly: boolean): Part {
  const [now, before] = (['now', 'before'] as const).map(
    (which) => within(answers[which].RequestsServedChart, stretches[which]) ?? {},
  );
  const starts = Object.keys(now!);
  const earlier = Object.values(before!);
  return chart({
    title: 'Requests',
    type: 'line',
    categories: starts.map((key) => (hourly ? key.slice(5, 16).replace('T', ' ') : key.slice(5, 10))),
    series: [
      { name: 'Now', values: starts.map((key) => now![key] ?? 0) },
      { name: 'Before', values: starts.map((_, at) => earlier[at] ?? 0) },
    ],
    counted: hourly ? 'hours' : 'days',
  });
}

/** `2026-11-14 to 2026-11-20`, or `2026-11-20 08:00 to 2026-11-20 12:00` by the hour. */
function wordsOf({ from, to }: Stretches['now'], hourly: boolean): string {
  const shown = (at: Date) =>
    at
      .toISOString()
      .slice(0, hourly ? 16 : 10)
      .replace('T', ' ');
  const last = hourly ? to : new Date(to.getTime() - DAY);
  return shown(from) === shown(last) ? shown(from) : `${shown(from)} to ${shown(last)}`;
}
