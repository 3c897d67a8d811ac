import { chart } from '../../blocks/chart.ts';
import { bytes, count, duration, percent, type Reading } from '../../blocks/format.ts';
import { fields, type Part } from '../../blocks/message.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { type Measure, usualFigure } from './changes.ts';
import type { ReportDay } from './days.ts';
import { type DayFigures, figuresOf, rateOf, type Series } from './figures.ts';
import { changeWords, pointsWords } from './words.ts';

const SHOWN = 14;

type Show = (value: number, reading: Reading) => string;

interface Figure {
  label: string;
  measure: Measure;
  value: (figures: DayFigures) => number | undefined;
  show: Show;
  /** Percentages are compared in points. */
  points?: boolean;
}

const whole: Show = (value, reading) => count(Math.round(value), reading);

const FIGURES: readonly Figure[] = [
  { label: 'Requests', measure: 'requests', value: (day) => day.requests, show: whole },
  { label: 'Bandwidth', measure: 'bandwidth', value: (day) => day.bandwidth, show: bytes },
  { label: 'Cache hit rate', measure: 'hit rate', value: (day) => day.hitRate, show: percent, points: true },
  { label: '5xx of requests', measure: '5xx', value: (day) => rateOf(day, 'errors5xx'), show: percent, points: true },
];

/** Without a comparison if the day is incomplete. */
export function dayFigures(series: Series, isComplete: boolean, reading: Reading): Part {
  const day = figuresOf(series.days.at(-1)!, series);
  return fields(
    FIGURES.map(({ label, measure, value, show, points }) => {
      const now = value(day);
      if (now === undefined) return [label, undefined];
      const usual = isComplete ? usualFigure(series, measure) : undefined;
      const words = (points ? pointsWords : changeWords)(now, usual, reading);
      const arrow = words.startsWith('+') ? '▲ ' : words.startsWith('−') ? '▼ ' : '';
      return [label, `${show(now, reading)}${words === '–' ? '' : ` ${arrow}${words}`}`];
    }),
  );
}

/** The most wanted columns come first, because a screen cuts a table at the right. */
export function zonesTable(zones: readonly Series[], isComplete: boolean, reading: Reading): Part | undefined {
  if (zones.length === 0) return undefined;
  const columns: [string, Figure['value'], Show][] = [
    ['5xx', (day) => day.errors5xx, whole],
    ['Hit rate', (day) => day.hitRate, percent],
    ['Bandwidth', (day) => day.bandwidth, bytes],
    ['Origin response', (day) => day.originResponse, duration],
    ['4xx', (day) => day.errors4xx, whole],
  ];
  const all = zones.map((zone) => ({ zone, day: figuresOf(zone.days.at(-1)!, zone) }));
  const shown = columns.filter(([, value]) => all.some(({ day }) => value(day) !== undefined));
  return table({
    caption: 'By zone, most requests first',
    pageSize: 15,
    columns: [
      'Zone',
      right('Requests'),
      ...(isComplete ? [right('Against usual')] : []),
      ...shown.map(([label]) => right(label)),
    ],
    rows: all.map(({ zone, day }) => {
      const usual = isComplete ? [usualFigure(zone, 'requests')] : [];
      return [
        zone.name,
        numberCell(day.requests, count, reading),
        ...usual.map((median) => changeWords(day.requests, median, reading)),
        ...shown.map(([, value, show]) => numberCell(value(day), show, reading)),
      ];
    }),
  });
}

export function errorsChart(days: readonly ReportDay[], series: Series): Part | undefined {
  const values = series.days.slice(-SHOWN).map((day) => figuresOf(day, series).errors5xx);
  if (values.every((value = 0) => value === 0)) return undefined;
  return chart({
    title: `Failed requests (5xx) a day: ${series.name}`,
    type: 'bar',
    counted: 'days',
    categories: days.slice(-SHOWN).map(({ date }) => date.slice(5)),
    series: [{ name: '5xx', values }],
  });
}
