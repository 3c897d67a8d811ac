import type { AnyBlock, Block } from '@slack/types';
import { HOUR } from '../time.ts';
import { count, logTime } from './format.ts';
import { shorten } from './limits.ts';
import type { Part } from './message.ts';
import { section } from './message.ts';
import { mrkdwn, plain, visible } from './mrkdwn.ts';

interface Series {
  name: string;
  /** One for each category. Undefined: there is no figure. */
  values: readonly (number | undefined)[];
}

export interface ChartOptions {
  title: string;
  type: 'line' | 'bar' | 'area';
  categories: readonly string[];
  series: readonly Series[];
  unit?: string | undefined;
  /** The plural of a category: `days`. */
  counted?: string;
  /** If points are merged, values add up. Without it they are averaged. */
  isSum?: boolean;
  about?: string | undefined;
}

/** New in 2026-06, and missing in `@slack/types`. */
export interface ChartBlock extends Block {
  type: 'data_visualization';
  title: string;
  chart: {
    type: ChartOptions['type'];
    series: { name: string; data: { label: string; value: number }[] }[];
    axis_config: { categories: string[]; x_label?: string; y_label?: string };
  };
}

const MAX_TITLE = 50;
const MAX_LABEL = 20;
export function isChart(block: AnyBlock): block is ChartBlock {
  return block.type === 'data_visualization';
}

/** A chart with its text version. Above 20 points, neighbours are merged. A message takes at most two charts. */
export function chart(options: ChartOptions): Part {
  const title = labelText(options.title, MAX_TITLE);
  const fitted = axesOf(options);
  if (fitted === undefined) return section(mrkdwn`${options.title}: nothing to draw.`);
  const block: ChartBlock = { type: 'data_visualization', title, chart: fitted };
  return { blocks: [block], text: plain(chartAsText(block)) };
}

/** A sparkline for each series, on one scale. */
export function chartAsText({ title, chart: drawn }: ChartBlock): string {
  const { categories, x_label, y_label } = drawn.axis_config;
  const width = Math.max(...drawn.series.map((series) => series.name.length));
  const all = drawn.series.flatMap(({ data }) => data.map((point) => point.value));
  const lines = drawn.series.map(({ name, data }) => {
    const values = data.map((point) => point.value);
    const range = `${count(Math.min(...values))} to ${count(Math.max(...values))}`;
    // A bar begins at zero.
    const low = drawn.type === 'bar' ? Math.min(0, ...all) : Math.min(...all);
    return `  ${name.padEnd(width)}  ${sparkline(values, low, Math.max(...all))}  ${range}`;
  });
  const span = categories.length > 1 ? `${categories[0]} to ${categories.at(-1)}` : categories[0]!;
  const about = [span, x_label, y_label].filter((words) => words !== undefined).join(', ');
  return [`${title} (${about})`, ...lines].join('\n');
}

function sparkline(values: readonly number[], low: number, high: number): string {
  const bars = '▁▂▃▄▅▆▇█';
  const step = (high - low) / (bars.length - 1);
  return values.map((value) => bars[step === 0 ? 0 : Math.round((value - low) / step)]).join('');
}

function axesOf({ type, unit, counted = 'values', isSum, ...options }: ChartOptions): ChartBlock['chart'] | undefined {
  const step = Math.ceil(options.categories.length / 20);
  const all = options.categories.filter((_, at) => at % step === 0);
  const isKnown = (value: number | undefined): value is number => Number.isFinite(value);
  const drawn = (values: readonly (number | undefined)[], at: number) => {
    const some = values.slice(step * at, step * (at + 1)).filter(isKnown);
    const sum = some.reduce((one, other) => one + other, 0);
    return some.length === 0 ? undefined : Number((isSum ? sum : sum / some.length).toFixed(2));
  };
  const series = options.series
    .filter(({ values }) => values.some(isKnown))
    .map(({ name, values }) => ({ name, values: all.map((_, at) => drawn(values, at)) }));
  // Slack wants a value for each series and category.
  const known = [...all.keys()].filter((at) => series.every(({ values }) => isKnown(values[at])));
  if (known.length === 0 || series.length === 0) return undefined;
  const categories = unique(known.map((at) => all[at]!));
  const names = unique(series.map(({ name }) => name));
  const missing = all.length - known.length;
  const about = [
    step > 1 && (isSum ? `${step} ${counted} each` : `averages of ${step} ${counted}`),
    missing > 0 && `${step * missing} of ${options.categories.length} ${counted} without figures`,
    options.about,
  ].filter(Boolean);
  return {
    // A line would bridge missing values.
    type: missing > 0 ? 'bar' : type,
    series: series.map(({ values }, index) => ({
      name: names[index]!,
      data: known.map((at, place) => ({ label: categories[place]!, value: values[at]! })),
    })),
    axis_config: {
      categories,
      ...(about.length > 0 ? { x_label: labelText(about.join('; '), MAX_TITLE) } : {}),
      ...(unit === undefined ? {} : { y_label: labelText(unit, MAX_TITLE) }),
    },
  };
}

/** A day of the platform (UTC) up to now, with hours in the reader’s time zone. */
export function dayChart(
  title: string,
  name: string,
  day: string,
  counts: readonly (number | undefined)[],
  { now, timezone }: { now: Date; timezone: string },
): Part {
  const start = Date.parse(`${day}T00:00:00Z`);
  const label = (hour: number) => logTime(new Date(start + hour * HOUR), timezone).slice(11, 16);
  const isToday = now.toISOString().startsWith(day);
  const values = counts.slice(0, isToday ? now.getUTCHours() + 1 : undefined);
  return chart({
    title: `${title} by the hour (${timezone})`,
    type: 'bar',
    counted: 'hours',
    isSum: true,
    categories: values.map((_, hour) => label(hour)),
    series: [{ name, values }],
    about: isToday ? `${label(values.length - 1)} so far` : undefined,
  });
}

/** A second `shop` becomes `shop 2`. */
function unique(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let candidate = labelText(name, MAX_LABEL);
    for (let number = 2; taken.has(candidate); number += 1) {
      candidate = `${labelText(name, MAX_LABEL - ` ${number}`.length)} ${number}`;
    }
    taken.add(candidate);
    return candidate;
  });
}

/** On one line, and never empty. */
function labelText(text: string, length: number): string {
  const clean = visible(text.replace(/\s+/g, ' ').trim());
  if (clean === '') return '–';
  return clean.length <= length ? clean : shorten(clean, length).replace(/(?<!\s)\s+…$/, '…');
}
