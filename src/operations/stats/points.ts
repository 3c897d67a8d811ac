import { chart } from '../../blocks/chart.ts';
import { fields, type Message, message, note, type Part } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { numberCell, table } from '../../blocks/table.ts';
import type { Chart } from '../../platform/resources/statistics.ts';

/** One line of a chart or column of a table, over the same points. */
export interface Line {
  name: string;
  /** Absent when the platform sent none. */
  points: Chart | undefined;
  show: (value: number) => string;
}

/** More rows than a table in Slack has are of no use in one. */
const MOST_ROWS = 80;

/** Fewer points are read from the table. */
const FEWEST_POINTS = 3;

/** `2026-11-20`, or `11-20 14:00` for hours; in UTC, as the platform counts. Keys of another form stay as they are. */
function labelOf(key: string, hourly: boolean): string {
  const parts = /^(\d{4}-(\d{2}-\d{2}))(?:T(\d{2}:\d{2}))?/.exec(key);
  if (parts === null) return key;
  return hourly ? `${parts[2]} ${parts[3] ?? '00:00'}` : parts[1]!;
}

/** Every instant that some line has a point for, in order of time. */
function startsOf(lines: readonly Pick<Line, 'points'>[]): string[] {
  return [...new Set(lines.flatMap(({ points }) => Object.keys(points ?? {})))].sort();
}

/** Adds up a chart; undefined for one that did not come. */
export function sumOf(points: Chart | undefined): number | undefined {
  return points === undefined ? undefined : Object.values(points).reduce((sum, value) => sum + value, 0);
}

/** `2026-10-21 to 2026-11-21 (so far), by the day, in UTC`; undefined when nothing came. */
function spanOf(lines: readonly Pick<Line, 'points'>[], hourly: boolean, now: Date): string | undefined {
  const starts = startsOf(lines);
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const words = (key: string) => {
    const [day, hour] = [labelOf(key, false), labelOf(key, true)];
    return hourly && day !== key ? `${day} ${hour.slice(6)}` : day;
  };
  const span = first === last ? words(first) : `${words(first)} to ${words(last)}`;
  return `${span}${goesOn(last, hourly, now) ? ' (so far)' : ''}, by the ${hourly ? 'hour' : 'day'}, in UTC`;
}

/** A point is of a day or an hour that goes on: nobody should take it for a fall. */
function goesOn(start: string, hourly: boolean, now: Date): boolean {
  const length = hourly ? 13 : 10;
  return start.slice(0, length) === now.toISOString().slice(0, length);
}

const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** The unit of bytes in which the largest value reads best, and how many bytes it has. */
function byteUnit(largest: number): { unit: string; size: number } {
  const step = Math.min(BYTE_UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, largest)) / 3)));
  return { unit: BYTE_UNITS[step]!, size: 1000 ** step };
}

/** The lines as one chart of what is over, `bytes` in a unit that an axis can show; nothing when the platform sent none of them. */
export function linesChart(
  title: string,
  lines: readonly Line[],
  options: { type: 'line' | 'bar' | 'area'; unit?: string; hourly: boolean; now: Date },
): Part | undefined {
  const { hourly, now, ...rest } = options;
  const values = lines.flatMap(({ points }) => Object.values(points ?? {}));
  const { unit, size } =
    rest.unit === 'bytes' ? byteUnit(values.reduce((most, value) => Math.max(most, value), 0)) : { ...rest, size: 1 };
  const known = lines.filter((line) => line.points !== undefined);
  const starts = startsOf(known).filter((start) => !goesOn(start, hourly, now));
  if (starts.length < FEWEST_POINTS) return undefined;
  return chart({
    ...rest,
    unit,
    title,
    counted: hourly ? 'hours' : 'days',
    categories: starts.map((start) => labelOf(start, hourly)),
    series: known.map(({ name, points }) => ({
      name,
      values: starts.map((start) => (points?.[start] ?? 0) / size),
    })),
  });
}

/** The lines as a table with a row per point, newest first; too many points are named instead. */
function linesTable(lines: readonly Line[], hourly: boolean, now: Date): Part | undefined {
  const known = lines.filter((line) => line.points !== undefined);
  const starts = startsOf(known).reverse();
  if (starts.length === 0) return undefined;
  if (starts.length > MOST_ROWS) {
    return note(`The ${starts.length} hours one by one are too many for a table: ask for three days or less.`);
  }
  return table({
    pageSize: 7,
    caption: hourly ? 'By the hour (UTC), latest first' : 'By the day (UTC), latest first',
    columns: [hourly ? 'Hour' : 'Day', ...known.map(({ name }) => ({ label: name, align: 'right' as const }))],
    rows: starts.map((start) => [
      `${labelOf(start, hourly)}${goesOn(start, hourly, now) ? ' (so far)' : ''}`,
      ...known.map(({ points, show }) => numberCell(points?.[start], show)),
    ]),
  });
}

/** An answer with statistics: its stretch, its figures as far as the platform sent them, its charts from three points on, and every point. */
export function statsMessage(
  title: string,
  lines: readonly Line[],
  figures: readonly (readonly [label: string, value: number | undefined, show: Line['show']])[],
  charts: readonly (Part | undefined)[],
  { hourly, now }: { hourly: boolean; now: Date },
): Message {
  const span = spanOf(lines, hourly, now) ?? 'The platform has no points for this range.';
  return message(
    mrkdwn`${bold(title)}\n${span}`,
    fields(figures.map(([label, value, show]) => [label, value === undefined ? undefined : show(value)])),
    ...charts,
    linesTable(lines, hourly, now),
  );
}
