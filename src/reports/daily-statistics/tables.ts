import { chart, sparkline } from '../../blocks/chart.ts';
import { bytes, count, duration, percent, type Reading } from '../../blocks/format.ts';
import type { Part } from '../../blocks/message.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { type Course, changeWords, pointsWords, usualOf } from './changes.ts';
import type { ReportDay } from './days.ts';
import type { Beside, Extras } from './extras.ts';
import { type DayFigures, type Figure, rateOf } from './figures.ts';

/** Days in a chart and in a sparkline. */
const SHOWN = 14;

interface Row {
  label: string;
  value: (figures: DayFigures) => number | undefined;
  show: (value: number, reading: Reading) => string;
  /** Percentages are compared in points. */
  points?: boolean;
  /** It grows with the length of the day. */
  counted?: boolean;
}

const whole = (value: number, reading: Reading) => count(Math.round(value), reading);

const ROWS: readonly Row[] = [
  { label: 'Requests', value: (day) => day.requests, show: whole, counted: true },
  { label: 'Bandwidth', value: (day) => day.bandwidth, show: bytes, counted: true },
  { label: 'Cache hit rate', value: (day) => day.hitRate, show: percent, points: true },
  { label: 'Origin traffic', value: (day) => day.originTraffic, show: bytes, counted: true },
  { label: 'Origin response', value: (day) => day.originResponse, show: duration },
  { label: '3xx', value: (day) => day.errors3xx, show: whole, counted: true },
  { label: '4xx', value: (day) => day.errors4xx, show: whole, counted: true },
  { label: '5xx', value: (day) => day.errors5xx, show: whole, counted: true },
  { label: '5xx of requests', value: (day) => rateOf(day, 'errors5xx'), show: percent, points: true },
];

function lineOf({ days }: Course, value: Row['value']): string {
  return sparkline(days.slice(-SHOWN).map((day) => value(day) ?? 0));
}

/** Every figure of a day, with how it compares to the day before and to what is usual, whether it matters or not. */
export function totalTable(course: Course, reading: Reading): Part {
  const [before, day] = [course.days.at(-2), course.days.at(-1)!];
  return table({
    caption: course.name,
    columns: ['Figure', right('Day'), right('Against day before'), right('Against usual'), 'Two weeks'],
    rows: ROWS.filter(({ value }) => value(day) !== undefined).map(({ label, value, show, points, counted }) => {
      const against = points ? pointsWords : changeWords;
      const then = before === undefined ? undefined : value(before);
      const usual = usualOf(course, value, counted)?.median;
      return [
        label,
        numberCell(value(day), show, reading),
        against(value(day), then, reading),
        against(value(day), usual, reading),
        lineOf(course, value),
      ];
    }),
  });
}

/** All figures of each zone; those that are looked for first come first, since a table is cut at the right of a screen. */
export function zonesTable(zones: readonly Course[], reading: Reading): Part | undefined {
  if (zones.length === 0) return undefined;
  return table({
    caption: 'By zone, most requests first',
    pageSize: 15,
    columns: [
      'Zone',
      right('Requests'),
      right('Against usual'),
      right('5xx'),
      '5xx, two weeks',
      right('Hit rate'),
      right('Bandwidth'),
      right('Origin response'),
      right('Origin traffic'),
      right('4xx'),
      right('3xx'),
      right('Against day before'),
    ],
    rows: zones.map((zone) => {
      const day = zone.days.at(-1)!;
      const { requests } = day;
      return [
        zone.name,
        numberCell(requests, count, reading),
        changeWords(requests, usualOf(zone, (one) => one.requests, true)?.median, reading),
        numberCell(day.errors5xx, count, reading),
        lineOf(zone, (one) => one.errors5xx),
        numberCell(day.hitRate, percent, reading),
        numberCell(day.bandwidth, bytes, reading),
        numberCell(day.originResponse, duration, reading),
        numberCell(day.originTraffic, bytes, reading),
        numberCell(day.errors4xx, count, reading),
        numberCell(day.errors3xx, count, reading),
        changeWords(requests, zone.days.at(-2)?.requests, reading),
      ];
    }),
  });
}

/** Figures of the optimizer, the origin shield and SafeHop, for zones that use them. */
export function extrasTable(extras: readonly Extras[], reading: Reading): Part | undefined {
  const used = (figure: keyof Omit<Extras, 'zone'>) => extras.some((zone) => zone[figure] !== undefined);
  const columns: [keyof Omit<Extras, 'zone'>, string, Row['show']][] = [
    ['optimized', 'Optimized', whole],
    ['saved', 'Traffic saved', bytes],
    ['queued', 'Queued at the shield', whole],
    ['retried', 'SafeHop retries', whole],
    ['rescued', 'SafeHop saves', whole],
  ];
  const shown = columns.filter(([figure]) => used(figure));
  if (shown.length === 0) return undefined;
  const cell = ({ now, before }: Partial<Beside> = {}, show: Row['show']) =>
    numberCell(now, (value) => {
      const change = changeWords(value, before, reading);
      return `${show(value, reading)}${change === '–' ? '' : ` (${change})`}`;
    });
  return table({
    caption: 'Optimizer, origin shield and SafeHop, against the day before',
    columns: ['Zone', ...shown.map(([, label]) => right(label))],
    rows: extras.map((zone) => [zone.zone, ...shown.map(([figure, , show]) => cell(zone[figure], show))]),
  });
}

/** The last two weeks as a chart; nothing when the platform sent none of it. */
export function daysChart(
  title: string,
  type: 'area' | 'bar',
  days: readonly ReportDay[],
  { days: all }: Course,
  figures: [Figure, string][],
): Part | undefined {
  const shown = all.slice(-SHOWN);
  const present = figures.filter(([figure]) => shown.some((day) => day[figure] !== undefined));
  if (present.length === 0) return undefined;
  return chart({
    title,
    type,
    categories: days.slice(-SHOWN).map(({ date }) => date.slice(5)),
    series: present.map(([figure, name]) => ({ name, values: shown.map((day) => day[figure] ?? 0) })),
  });
}
