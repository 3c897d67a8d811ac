import type { AnyBlock, Block } from '@slack/types';
import { count, percent } from './format.ts';
import { shorten } from './limits.ts';
import type { Part } from './message.ts';
import { section } from './message.ts';
import { mrkdwn, plain, visible } from './mrkdwn.ts';

/** The values of one line, area or colour of bars. */
export interface Series {
  name: string;
  /** One value per category, in the same order. */
  values: readonly number[];
}

/** A piece of a pie. */
export interface Segment {
  label: string;
  value: number;
}

/** Makes one point of several where there are more than Slack draws: their sum, their average, or the largest. */
export type Together = 'sum' | 'average' | 'largest';

/** A chart before it is built. */
export type ChartOptions =
  | {
      title: string;
      type: 'line' | 'bar' | 'area';
      categories: readonly string[];
      series: readonly Series[];
      unit?: string;
      together?: Together;
      /** The plural of a category: `days`. */
      counted?: string;
    }
  | { title: string; type: 'pie'; segments: readonly Segment[]; unit?: string };

interface Point {
  label: string;
  value: number;
}

/** Slack's chart block (since 2026-06), which `@slack/types` does not know yet. */
export interface ChartBlock extends Block {
  type: 'data_visualization';
  title: string;
  chart:
    | { type: 'pie'; segments: Point[] }
    | {
        type: 'line' | 'bar' | 'area';
        series: { name: string; data: Point[] }[];
        axis_config: { categories: string[]; x_label?: string; y_label?: string };
      };
}

const MAX_TITLE = 50;
const MAX_LABEL = 20;
const MAX_SERIES = 6;
const MAX_CATEGORIES = 20;

/** Tells a chart among a message's blocks. */
export function isChart(block: AnyBlock): block is ChartBlock {
  return block.type === 'data_visualization';
}

/**
 * A native chart with a twin in text. Too many points become neighbours taken together, too many series or segments the
 * largest five and the others; long names are shortened and stay unique. At most two charts go into one message.
 */
export function chart(options: ChartOptions): Part {
  const title = labelText(options.title, MAX_TITLE);
  const fitted = options.type === 'pie' ? pieOf(options) : axesOf(options);
  if (fitted === undefined) return section(mrkdwn`${options.title}: nothing to draw.`);
  const block: ChartBlock = { type: 'data_visualization', title, chart: fitted };
  return { blocks: [block], text: plain(chartAsText(block)) };
}

/** The chart as lines of text: a sparkline per series, or a line per segment. */
export function chartAsText({ title, chart: drawn }: ChartBlock): string {
  if (drawn.type === 'pie') {
    const whole = drawn.segments.reduce((sum, segment) => sum + segment.value, 0);
    const lines = drawn.segments.map(
      ({ label, value }) => `  ${label}: ${count(value)} (${percent((100 * value) / whole)})`,
    );
    return [title, ...lines].join('\n');
  }
  const { categories, x_label, y_label } = drawn.axis_config;
  const width = Math.max(...drawn.series.map((series) => series.name.length));
  const lines = drawn.series.map(({ name, data }) => {
    const values = data.map((point) => point.value);
    const range = `${count(Math.min(...values))} to ${count(Math.max(...values))}`;
    return `  ${name.padEnd(width)}  ${sparkline(values)}  ${range}`;
  });
  const span = categories.length > 1 ? `${categories[0]} to ${categories.at(-1)}` : categories[0]!;
  const about = [span, x_label, y_label].filter((words) => words !== undefined).join(', ');
  return [`${title} (${about})`, ...lines].join('\n');
}

const BARS = '▁▂▃▄▅▆▇█';

/** Numbers as one line of bars, from zero (or the smallest, when negative) to the largest. */
export function sparkline(values: readonly number[]): string {
  const known = values.map((value) => (Number.isFinite(value) ? value : 0));
  const low = Math.min(0, ...known);
  const high = Math.max(0, ...known);
  const step = (high - low) / (BARS.length - 1);
  return known.map((value) => BARS[step === 0 ? 0 : Math.round((value - low) / step)]).join('');
}

function pieOf({ segments }: { segments: readonly Segment[] }): ChartBlock['chart'] | undefined {
  const positive = segments.filter((segment) => segment.value > 0).sort((a, b) => b.value - a.value);
  if (positive.length === 0) return undefined;
  const kept = positive.length > MAX_SERIES ? positive.slice(0, MAX_SERIES - 1) : positive;
  const others = positive.slice(kept.length).reduce((sum, segment) => sum + segment.value, 0);
  const shown = others > 0 ? [...kept, { label: 'Others', value: others }] : kept;
  const labels = unique(shown.map((segment) => segment.label));
  return { type: 'pie', segments: shown.map(({ value }, index) => ({ label: labels[index]!, value })) };
}

function axesOf(options: Exclude<ChartOptions, { type: 'pie' }>): ChartBlock['chart'] | undefined {
  const { type, unit, together = 'sum', counted = 'values' } = options;
  if (options.categories.length === 0 || options.series.length === 0) return undefined;
  const size = Math.ceil(options.categories.length / MAX_CATEGORIES);
  const labels: string[] = [];
  for (let start = 0; start < options.categories.length; start += size) labels.push(options.categories[start]!);
  const categories = unique(labels);
  const series = fewest(options.series, together).map(({ name, values }) => ({
    name,
    values: categories.map((_, index) => joined(values.slice(index * size, (index + 1) * size), together)),
  }));
  const names = unique(series.map(({ name }) => name));
  const several = `${size} ${counted}`;
  const wording = {
    sum: `${several} added up`,
    average: `the average of ${several}`,
    largest: `the largest of ${several}`,
  }[together];
  return {
    type,
    series: series.map(({ values }, index) => ({
      name: names[index]!,
      data: categories.map((label, at) => ({ label, value: values[at]! })),
    })),
    axis_config: {
      categories,
      ...(size > 1 ? { x_label: `each ${type === 'bar' ? 'bar' : 'point'} is ${wording}` } : {}),
      ...(unit === undefined ? {} : { y_label: labelText(unit, MAX_TITLE) }),
    },
  };
}

/** The largest five and all the others in one, when there are more than six. */
function fewest(series: readonly Series[], together: Together): readonly Series[] {
  if (series.length <= MAX_SERIES) return series;
  const weight = ({ values }: Series) => values.reduce((sum, value) => sum + Math.abs(finite(value)), 0);
  const sorted = [...series].sort((a, b) => weight(b) - weight(a));
  const others = sorted.slice(MAX_SERIES - 1);
  const length = Math.max(...others.map(({ values }) => values.length));
  const values = Array.from({ length }, (_, at) =>
    joined(
      others.map((one) => one.values[at] ?? 0),
      together,
    ),
  );
  return [...sorted.slice(0, MAX_SERIES - 1), { name: 'Others', values }];
}

function joined(values: readonly number[], together: Together): number {
  const known = values.map(finite);
  if (known.length === 0) return 0;
  if (together === 'largest') return Math.max(...known);
  const sum = known.reduce((total, value) => total + value, 0);
  return together === 'average' ? Math.round((1000 * sum) / known.length) / 1000 : sum;
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** Names within Slack's length, each another: the second `shop` is `shop 2`. */
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
