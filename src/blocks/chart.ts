import type { AnyBlock, Block } from '@slack/types';
import { count } from './format.ts';
import { shorten } from './limits.ts';
import type { Part } from './message.ts';
import { section } from './message.ts';
import { mrkdwn, plain, visible } from './mrkdwn.ts';

/** The values of one line, area or colour of bars. */
interface Series {
  name: string;
  /** One value per category, in the same order. */
  values: readonly number[];
}

/** Makes one point of several where there are more than Slack draws: their sum, or the largest. */
export type Together = 'sum' | 'largest';

/** A chart before it is built. Slack draws six series at the most. */
export interface ChartOptions {
  title: string;
  type: 'line' | 'bar' | 'area';
  categories: readonly string[];
  series: readonly Series[];
  unit?: string | undefined;
  together?: Together;
  /** The plural of a category: `days`. */
  counted?: string;
}

interface Point {
  label: string;
  value: number;
}

/** Slack's chart block (since 2026-06), which `@slack/types` does not know yet. */
export interface ChartBlock extends Block {
  type: 'data_visualization';
  title: string;
  chart: {
    type: ChartOptions['type'];
    series: { name: string; data: Point[] }[];
    axis_config: { categories: string[]; x_label?: string; y_label?: string };
  };
}

const MAX_TITLE = 50;
const MAX_LABEL = 20;
const MAX_CATEGORIES = 20;

/** Tells a chart among a message's blocks. */
export function isChart(block: AnyBlock): block is ChartBlock {
  return block.type === 'data_visualization';
}

/**
 * A native chart with a twin in text. Too many points become neighbours taken together; long names are shortened and stay
 * unique. At most two charts go into one message.
 */
export function chart(options: ChartOptions): Part {
  const title = labelText(options.title, MAX_TITLE);
  const fitted = axesOf(options);
  if (fitted === undefined) return section(mrkdwn`${options.title}: nothing to draw.`);
  const block: ChartBlock = { type: 'data_visualization', title, chart: fitted };
  return { blocks: [block], text: plain(chartAsText(block)) };
}

/** The chart as lines of text: a sparkline per series, all on the scale from the least to the most. */
export function chartAsText({ title, chart: drawn }: ChartBlock): string {
  const { categories, x_label, y_label } = drawn.axis_config;
  const width = Math.max(...drawn.series.map((series) => series.name.length));
  const all = drawn.series.flatMap(({ data }) => data.map((point) => point.value));
  const lines = drawn.series.map(({ name, data }) => {
    const values = data.map((point) => point.value);
    const range = `${count(Math.min(...values))} to ${count(Math.max(...values))}`;
    return `  ${name.padEnd(width)}  ${sparkline(values, Math.min(...all), Math.max(...all))}  ${range}`;
  });
  const span = categories.length > 1 ? `${categories[0]} to ${categories.at(-1)}` : categories[0]!;
  const about = [span, x_label, y_label].filter((words) => words !== undefined).join(', ');
  return [`${title} (${about})`, ...lines].join('\n');
}

const BARS = '▁▂▃▄▅▆▇█';

/** Numbers as one line of bars, from zero (or the smallest, when negative) to the largest, unless the scale is given. */
export function sparkline(values: readonly number[], least?: number, most?: number): string {
  const known = values.map(finite);
  const low = least ?? Math.min(0, ...known);
  const high = most ?? Math.max(0, ...known);
  const step = (high - low) / (BARS.length - 1);
  return known.map((value) => BARS[step === 0 ? 0 : Math.round((value - low) / step)]).join('');
}

function axesOf(options: ChartOptions): ChartBlock['chart'] | undefined {
  const { type, unit, together = 'sum', counted = 'values' } = options;
  if (options.categories.length === 0 || options.series.length === 0) return undefined;
  const size = Math.ceil(options.categories.length / MAX_CATEGORIES);
  const labels: string[] = [];
  for (let start = 0; start < options.categories.length; start += size) labels.push(options.categories[start]!);
  const categories = unique(labels);
  const names = unique(options.series.map(({ name }) => name));
  const several = `${size} ${counted}`;
  const wording = together === 'sum' ? `${several} added up` : `the largest of ${several}`;
  return {
    type,
    series: options.series.map(({ values }, index) => ({
      name: names[index]!,
      data: categories.map((label, at) => ({
        label,
        value: joined(values.slice(at * size, (at + 1) * size), together),
      })),
    })),
    axis_config: {
      categories,
      ...(size > 1 ? { x_label: `each ${type === 'bar' ? 'bar' : 'point'} is ${wording}` } : {}),
      ...(unit === undefined ? {} : { y_label: labelText(unit, MAX_TITLE) }),
    },
  };
}

function joined(values: readonly number[], together: Together): number {
  const known = values.map(finite);
  if (together === 'largest') return known.length === 0 ? 0 : Math.max(...known);
  return known.reduce((total, value) => total + value, 0);
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

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
