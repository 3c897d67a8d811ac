import type { ChartBlock } from './chart.ts';
import { count } from './format.ts';

/** Pixels, before the picture is drawn twice as large. */
const SIZE = { width: 720, height: 320 };
const PLOT = { left: 64, top: 52, right: 16, bottom: 62 };
/** As Slack's own charts: told apart by those who see colours differently, too. */
const COLOURS = ['#0b7a75', '#e07a1f', '#3f5fb8', '#b5367a', '#7a8b2c', '#6b6b6b'];
const GRID_LINES = 4;
const INK = '#1d1c1d';
const PALE = '#d6d6d6';

/** A chart as a picture, for where Slack's own charts cannot go. The text in it is escaped; it names no other file. */
export function chartAsSvg({ title, chart }: ChartBlock): string {
  const { width, height } = SIZE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="DejaVu Sans" font-size="12" fill="${INK}">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    label(16, 24, title, 'font-size="16" font-weight="bold"'),
    ...axes(chart),
    '</svg>',
  ].join('\n');
}

function axes(chart: ChartBlock['chart']): string[] {
  const { series, axis_config } = chart;
  const { categories } = axis_config;
  const values = series.flatMap(({ data }) => data.map(({ value }) => value));
  const high = roundUp(Math.max(0, ...values));
  const low = -roundUp(Math.max(0, ...values.map((value) => -value)));
  const [left, right] = [PLOT.left, SIZE.width - PLOT.right];
  const [top, bottom] = [PLOT.top, SIZE.height - PLOT.bottom];
  const span = high - low || 1;
  const y = (value: number) => bottom - ((value - low) / span) * (bottom - top);
  const step = (right - left) / categories.length;
  const middle = (index: number) => left + (index + 0.5) * step;
  const grid = Array.from({ length: GRID_LINES + 1 }, (_, index) => low + (index * span) / GRID_LINES).flatMap((at) => [
    `<line x1="${left}" x2="${right}" y1="${y(at)}" y2="${y(at)}" stroke="${at === 0 ? INK : PALE}"/>`,
    label(left - 8, y(at) + 4, count(Math.round(100 * at) / 100), 'text-anchor="end"'),
  ]);
  // Labels that would run into one another are left out.
  const every = Math.ceil((8 * Math.max(...categories.map((name) => name.length)) + 8) / step);
  const names = categories.flatMap((name, index) =>
    index % every === 0 ? [label(middle(index), bottom + 18, name, 'text-anchor="middle"')] : [],
  );
  const drawn = series.flatMap(({ data }, at) => {
    const colour = COLOURS[at % COLOURS.length]!;
    if (chart.type === 'bar') {
      const width = Math.max(1, (0.8 * step) / series.length);
      return data.map(({ value }, index) => {
        const x = middle(index) - 0.4 * step + at * width;
        return `<rect x="${x}" y="${Math.min(y(value), y(0))}" width="${width}" height="${Math.abs(y(value) - y(0))}" fill="${colour}"/>`;
      });
    }
    const points = data.map(({ value }, index) => `${middle(index)},${y(value)}`).join(' ');
    const line = `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"/>`;
    if (chart.type === 'line') return [line];
    const area = `${middle(0)},${y(0)} ${points} ${middle(data.length - 1)},${y(0)}`;
    return [`<polygon points="${area}" fill="${colour}" fill-opacity="0.2"/>`, line];
  });
  const about = [axis_config.y_label, axis_config.x_label].filter((words) => words !== undefined).join('; ');
  return [...grid, ...names, ...drawn, label(left, top - 10, about), ...legend(series.map(({ name }) => name))];
}

function legend(names: readonly string[]): string[] {
  let x = PLOT.left;
  return names.flatMap((name, index) => {
    const at = x;
    x += 32 + 8 * name.length;
    const y = SIZE.height - 20;
    const colour = COLOURS[index % COLOURS.length]!;
    return [`<rect x="${at}" y="${y}" width="12" height="12" fill="${colour}"/>`, label(at + 18, y + 10, name)];
  });
}

function label(x: number, y: number, text: string, more = ''): string {
  const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return `<text x="${x}" y="${y}" ${more}>${escaped}</text>`;
}

/** The next of 1, 2, 4, 5 and 8 times a power of ten, so that the lines of the grid have round numbers. */
function roundUp(value: number): number {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 5, 8, 10].find((step) => step * power >= value) ?? 10);
}
