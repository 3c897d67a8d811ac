import { chart } from '../blocks/chart.ts';
import { bytes, count, day as dayWords, duration, percent, type Reading } from '../blocks/format.ts';
import { heading, message, note, type Part, section } from '../blocks/message.ts';
import { bold, join, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import { type Cell, table } from '../blocks/table.ts';
import { UsageError } from '../errors.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from '../platform/errors.ts';
import type { PullZone, StatisticsAnswer } from '../platform/types.ts';
import { type Change, type Compared, changesOf, changeWords, pointsWords } from './changes.ts';
import { type DayFigures, daysBefore, type Figure, figuresOf, rateOf, sumOf } from './day-figures.ts';
import { defineReport, type ReportContext } from './report.ts';
import { several } from './several.ts';

/** Requests to the platform at the same time. */
const AT_ONCE = 4;

/** One day, and the days before it. */
interface Days extends Compared {
  /** Oldest first, as `days`. */
  all: DayFigures[];
}

interface Collected {
  /** Oldest first; the last is the one that the report is about. */
  days: Date[];
  total: Days;
  zones: Days[];
  /** Why some or all zones are missing. */
  notes: string[];
}

function daysOf(name: string, answer: StatisticsAnswer, days: readonly Date[]): Days {
  const all = days.map((day) => figuresOf(answer, day));
  return { name, all, day: all.at(-1)!, before: all.at(-2)!, week: all[0]! };
}

/** The zones that a subscription is about, as one. */
function together(zones: readonly Days[], days: readonly Date[]): Days {
  const all = days.map((_, index) => sumOf(zones.map((zone) => zone.all[index]!)));
  return { name: 'These zones', all, day: all.at(-1)!, before: all.at(-2)!, week: all[0]! };
}

async function zonesOf(zones: readonly PullZone[], days: readonly Date[], { platform, signal }: ReportContext) {
  const unread: string[] = [];
  const read = await several(zones, AT_ONCE, async (zone) => {
    const name = zone.Name ?? String(zone.Id);
    try {
      const range = { dateFrom: days[0], dateTo: days.at(-1), pullZone: zone.Id };
      return daysOf(name, await platform.statistics.get(range, { signal, priority: 'background' }), days);
    } catch (error) {
      // One zone without figures takes nothing from the others.
      if (!isPlatforms(error)) throw error;
      unread.push(`${name}: ${error.message}`);
      return undefined;
    }
  });
  return { read: read.filter((zone) => zone !== undefined), unread };
}

/** A few names, and how many more. */
function named(names: readonly string[]): string {
  return names.slice(0, 5).join('; ') + (names.length > 5 ? `; and ${names.length - 5} more` : '');
}

function isPlatforms(error: unknown): error is Error {
  return (
    error instanceof PlatformError ||
    error instanceof PlatformConnectionError ||
    error instanceof PlatformShapeError ||
    // The settings may switch statistics of single zones off.
    error instanceof UsageError
  );
}

/** Where the words do not matter. */
const PLAIN: Reading = { locale: 'en-US', timezone: 'UTC' };

interface Row {
  label: string;
  value: (figures: DayFigures) => number | undefined;
  show: (value: number, reading: Reading) => string;
  /** Percentages are compared in points. */
  points?: boolean;
}

const ROWS: readonly Row[] = [
  { label: 'Requests', value: (day) => day.requests, show: count },
  { label: 'Bandwidth', value: (day) => day.bandwidth, show: bytes },
  { label: 'Cache hit rate', value: (day) => day.hitRate, show: percent, points: true },
  { label: 'Origin traffic', value: (day) => day.originTraffic, show: bytes },
  { label: 'Origin response', value: (day) => day.originResponse, show: duration },
  { label: '3xx', value: (day) => day.errors3xx, show: count },
  { label: '4xx', value: (day) => day.errors4xx, show: count },
  { label: '5xx', value: (day) => day.errors5xx, show: count },
  { label: '5xx of requests', value: (day) => rateOf(day, 'errors5xx'), show: percent, points: true },
];

function cellOf(value: number | undefined, show: Row['show'], reading: Reading): Cell {
  return value === undefined ? '–' : { value, text: show(value, reading) };
}

function totalTable({ name, day, before, week }: Days, reading: Reading): Part {
  return table({
    caption: `${name} together`,
    columns: [
      { label: 'Figure' },
      { label: 'Day', align: 'right' },
      { label: 'Day before', align: 'right' },
      { label: 'Against it', align: 'right' },
      { label: 'A week before', align: 'right' },
      { label: 'Against that', align: 'right' },
    ],
    rows: ROWS.filter(({ value }) => value(day) !== undefined).map(({ label, value, show, points }) => {
      const change = points ? pointsWords : changeWords;
      return [
        label,
        cellOf(value(day), show, reading),
        cellOf(value(before), show, reading),
        change(value(day), value(before), reading),
        cellOf(value(week), show, reading),
        change(value(day), value(week), reading),
      ];
    }),
  });
}

function zonesTable(zones: readonly Days[], reading: Reading): Part | undefined {
  if (zones.length === 0) return undefined;
  return table({
    caption: 'By zone, most requests first',
    pageSize: 15,
    columns: [
      { label: 'Zone' },
      { label: 'Requests', align: 'right' },
      { label: 'Day before', align: 'right' },
      { label: 'A week before', align: 'right' },
      { label: 'Bandwidth', align: 'right' },
      { label: 'Hit rate', align: 'right' },
      { label: 'Origin response', align: 'right' },
      { label: '4xx', align: 'right' },
      { label: '5xx', align: 'right' },
    ],
    rows: zones.map(({ name, day, before, week }) => [
      name,
      cellOf(day.requests, count, reading),
      changeWords(day.requests, before.requests, reading),
      changeWords(day.requests, week.requests, reading),
      cellOf(day.bandwidth, bytes, reading),
      cellOf(day.hitRate, percent, reading),
      cellOf(day.originResponse, duration, reading),
      cellOf(day.errors4xx, count, reading),
      cellOf(day.errors5xx, count, reading),
    ]),
  });
}

function daysChart(
  title: string,
  type: 'area' | 'bar',
  days: readonly Date[],
  all: readonly DayFigures[],
  figures: [Figure, string][],
) {
  const present = figures.filter(([figure]) => all.some((day) => day[figure] !== undefined));
  if (present.length === 0) return undefined;
  return chart({
    title,
    type,
    categories: days.map((day) => day.toISOString().slice(5, 10)),
    series: present.map(([figure, name]) => ({ name, values: all.map((day) => day[figure] ?? 0) })),
  });
}

/** The most important first, no more than a person reads in the morning. */
function inWords({ total, zones }: Collected, most: number, reading: Reading): Words | undefined {
  const changes: Change[] = [total, ...zones].flatMap((one) => changesOf(one, total.day, reading));
  const top = changes.sort((a, b) => b.weight - a.weight).slice(0, most);
  if (top.length === 0) return undefined;
  return join([bold('What changed'), ...top.map(({ words }) => mrkdwn`• ${words}`)], '\n');
}

/** Rows 7: the last whole UTC day, against the day before and the same weekday of the week before. */
export const dailyStatistics = defineReport({
  name: 'daily-statistics',
  summary: 'Yesterday’s traffic, cache and errors, in total and per zone',
  schedule: '0 9 * * *',
  args: { mostZones: 100, mostChanges: 5 },

  async collect({ mostZones }, context): Promise<Collected> {
    const days = daysBefore(context.to);
    const range = { dateFrom: days[0], dateTo: days.at(-1) };
    const whole = context.whole
      ? await context.platform.statistics.get(range, { signal: context.signal, priority: 'background' })
      : undefined;
    const { items, missing } = await context.zones();
    const largest = [...items].sort((a, b) => (b.MonthlyBandwidthUsed ?? 0) - (a.MonthlyBandwidthUsed ?? 0));
    const { read, unread } = await zonesOf(largest.slice(0, mostZones), days, context);
    const silent = read.filter(({ all }) => all.every(({ requests }) => requests === 0)).map(({ name }) => name);
    const notes = [
      ...(missing === undefined ? [] : [`There are no figures per zone: ${missing}.`]),
      ...(items.length > mostZones ? [`The ${mostZones} zones with most traffic of ${items.length}.`] : []),
      ...(silent.length > 0 ? [`No requests in these days: ${named(silent)}.`] : []),
      ...(unread.length > 0 ? [`No figures for ${named(unread)}.`] : []),
    ];
    return {
      days,
      total: whole === undefined ? together(read, days) : daysOf('All zones', whole, days),
      zones: read
        .filter(({ name }) => !silent.includes(name))
        .sort((a, b) => (b.day.requests ?? 0) - (a.day.requests ?? 0)),
      notes,
    };
  },

  print: ({ total, zones }) =>
    [total, ...zones].flatMap((one) => changesOf(one, total.day, PLAIN).map(({ kind }) => kind)).join('\n'),

  render(collected, { mostChanges }, reading) {
    const { days, total, zones, notes } = collected;
    const known = Object.values(total.day).some((value) => value !== undefined);
    const date = dayWords(days.at(-1)!, { ...reading, timezone: 'UTC' });
    if (!known) {
      return message(heading(`Statistics of ${date}`), 'The platform has no figures for this day yet.');
    }
    const words = inWords(collected, mostChanges, reading);
    return message(
      heading(`Statistics of ${date}`),
      words !== undefined && section(words),
      totalTable(total, reading),
      daysChart('Requests a day', 'area', days, total.all, [['requests', 'Requests']]),
      daysChart('Errors a day', 'bar', days, total.all, [
        ['errors4xx', '4xx'],
        ['errors5xx', '5xx'],
      ]),
      zonesTable(zones, reading),
      ...notes.map((line) => note(line)),
      note('Days are the platform’s: midnight to midnight in UTC.'),
    );
  },
});
