import { chart } from '../../blocks/chart.ts';
import { bytes, count, countOf, logTime, percent, type Reading } from '../../blocks/format.ts';
import { type Message, message, note } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { type Cell, numberCell, right, table } from '../../blocks/table.ts';
import { UsageError } from '../../errors.ts';
import { toWireInstant } from '../../platform/dates.ts';
import type { Chart, StatisticsAnswer, StatisticsQuery } from '../../platform/resources/statistics.ts';
import { DAY, HOUR } from '../../time.ts';
import { startOfDay } from '../arguments/dates.ts';
import { gapsOf, sumOf } from './points.ts';
import type { Range } from './range.ts';

/** Both have the same length and days of the week. `to` is excluded. */
export interface Stretches {
  now: { from: Date; to: Date };
  before: { from: Date; to: Date };
}

export interface Compared {
  stretches: Stretches;
  now: StatisticsAnswer;
  before: StatisticsAnswer;
}

const WEEK = 7 * DAY;

/** The whole days (or hours) of the range, a week without one, and the same some weeks earlier. Undefined: no day is whole. */
export function stretchesOf({ from, to, hourly }: Range, now: Date): Stretches | undefined {
  const unit = hourly ? HOUR : DAY;
  const wholeBefore = (at: Date) => Math.floor(at.getTime() / unit) * unit;
  const typedEnd = to?.end ?? now;
  const end = wholeBefore(typedEnd < now ? typedEnd : now);
  const start = wholeBefore(from?.instant ?? new Date(startOfDay(now).getTime() - WEEK));
  if (start >= end) return undefined;
  const back = Math.ceil((end - start) / WEEK) * WEEK;
  const stretch = (shift: number) => ({ from: new Date(start - shift), to: new Date(end - shift) });
  return { now: stretch(0), before: stretch(back) };
}

/** Throws UsageError if there is nothing to compare. */
export async function readBoth(
  range: Range,
  now: Date,
  read: (query: StatisticsQuery) => Promise<StatisticsAnswer>,
): Promise<Compared> {
  const stretches = stretchesOf(range, now);
  if (stretches === undefined) {
    throw new UsageError(`This range has no whole ${range.hourly ? 'hour' : 'day'} to compare.`, {
      hint: range.hourly ? 'Use an earlier `--from`.' : 'Use an earlier `--from`, or add `--hourly`.',
      argument: 'from',
    });
  }
  const of = ({ from, to }: Stretches['now']) =>
    // The platform extends the range to the end of the last day.
    read({ dateFrom: from, dateTo: new Date(to.getTime() - 1000), hourly: range.hourly });
  const [before, current] = await Promise.all([of(stretches.before), of(stretches.now)]);
  return { stretches, before, now: current };
}

const FIGURES: [
  name: string,
  chart: `${string}Chart` & keyof StatisticsAnswer,
  show: (value: number, reading: Reading) => string,
][] = [
  ['Requests', 'RequestsServedChart', count],
  ['Not from cache', 'PullRequestsPulledChart', count],
  ['Bandwidth', 'BandwidthUsedChart', bytes],
  ['Origin traffic', 'OriginTrafficChart', bytes],
  ['4xx', 'Error4xxChart', count],
  ['5xx', 'Error5xxChart', count],
];

/** `▲ 12%`, `▼ 3%`, `=`. Undefined: there is no earlier figure. */
function changeOf(now: number | undefined, before: number | undefined, reading: Reading): string | undefined {
  if (now === undefined || before === undefined || before === 0) return undefined;
  const change = Math.round((100 * (now - before)) / before);
  return change === 0 ? '=' : `${change > 0 ? '▲' : '▼'} ${percent(Math.abs(change), reading)}`;
}

export function comparison(
  title: string,
  { stretches, ...answers }: Compared,
  { hourly, reading }: { hourly: boolean; reading: Reading },
): Message {
  const { now: current, before: past } = stretches;
  const timezone = hourly ? reading.timezone : 'UTC';
  const unit = hourly ? HOUR : DAY;
  // The keys of the platform’s charts.
  const key = (from: Date, at: number) => toWireInstant(new Date(from.getTime() + at * unit));
  const pairs = Array.from(
    { length: (current.to.getTime() - current.from.getTime()) / unit },
    (_, at) => [key(current.from, at), key(past.from, at)] as const,
  );
  const weeks = Math.round((current.from.getTime() - past.from.getTime()) / WEEK);
  const earlier = weeks === 1 ? 'a week before' : `${weeks} weeks before`;
  const figures = FIGURES.map(([name, key, show]) => {
    const { now, before } = { now: answers.now[key], before: answers.before[key] };
    const both = pairs.filter(([one, other]) => (now?.[one] ?? -1) >= 0 && (before?.[other] ?? -1) >= 0);
    const sum = (points: Chart | undefined, side: 0 | 1) =>
      sumOf(Object.fromEntries(both.map((pair) => [pair[side], points?.[pair[side]]])));
    const isSent = now !== undefined || before !== undefined;
    return { name, show, now: sum(now, 0), before: sum(before, 1), missing: isSent ? pairs.length - both.length : 0 };
  });
  const [requests] = figures;
  const change = changeOf(requests?.now, requests?.before, reading);
  const counted = requests?.now === undefined ? '' : `: ${countOf(requests.now, 'request', reading)}`;
  const sent = figures.filter(({ now, missing }) => now !== undefined || missing > 0);
  const gaps = gapsOf(
    sent.map(({ name, missing }) => [name, missing]),
    pairs.length,
    hourly,
  );
  const whole = countOf(pairs.length, hourly ? 'whole hour' : 'whole day', reading);
  const compared = requests?.missing ? `${pairs.length - requests.missing} of ${whole}` : whole;
  return message(
    mrkdwn`${bold(`${title}${counted}`)}${change === undefined ? '' : `, ${change === '=' ? 'as many as' : `${change} against`} ${earlier}`}\n${wordsOf(current, timezone, hourly)} (${compared}), compared with ${wordsOf(past, timezone, hourly)}, in ${timezone}`,
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
    chart({
      title: 'Requests',
      type: 'line',
      categories: pairs.map(([now]) => logTime(new Date(now), timezone).slice(5, hourly ? 16 : 10)),
      series: [
        { name: 'Now', values: pairs.map(([now]) => answers.now.RequestsServedChart?.[now]) },
        { name: 'Before', values: pairs.map(([, before]) => answers.before.RequestsServedChart?.[before]) },
      ],
      counted: hourly ? 'hours' : 'days',
    }),
    gaps !== undefined && note(`${gaps}, now or before. I compare only what has figures for both.`),
    note('Days and hours still running are left out.'),
  );
}

/** `2026-11-14 to 2026-11-20`, or `2026-11-20 08:00 to 2026-11-20 12:00` by the hour. */
function wordsOf({ from, to }: Stretches['now'], timezone: string, hourly: boolean): string {
  const shown = (at: Date) => logTime(at, timezone).slice(0, hourly ? 16 : 10);
  const last = hourly ? to : new Date(to.getTime() - DAY);
  return shown(from) === shown(last) ? shown(from) : `${shown(from)} to ${shown(last)}`;
}
