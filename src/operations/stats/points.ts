import { chart } from '../../blocks/chart.ts';
import { clock, countOf, logTime } from '../../blocks/format.ts';
import { fields, type Message, message, note, type Part } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { numberCell, table } from '../../blocks/table.ts';
import { toWireInstant } from '../../platform/dates.ts';
import type { Chart } from '../../platform/resources/statistics.ts';
import { offsetAt } from '../../schedule/offsets.ts';
import { DAY, HOUR } from '../../time.ts';
import type { Reader } from '../context.ts';
import type { Range } from './range.ts';

export interface Line {
  name: string;
  /** Undefined: the platform sent none. */
  points: Chart | undefined;
  show: (value: number) => string;
}

type Stretch = Range & Reader;

/** `2026-11-20`: a day of the platform, in UTC. `2026-11-20 14:00`: an hour in the reader’s time zone. */
const labelOf = (key: string, { hourly, timezone }: Stretch): string =>
  hourly ? logTime(new Date(key), timezone).slice(0, 16) : key.slice(0, 10);

/** Every day or hour of the range, or with a point. */
function startsOf(lines: readonly Pick<Line, 'points'>[], { from, to, hourly, now }: Stretch): string[] {
  const named = new Set(lines.flatMap(({ points = {} }) => Object.keys(points)));
  const sorted = [...named].sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const unit = hourly ? HOUR : DAY;
  const wholeBefore = (at: number) => Math.floor(at / unit) * unit;
  const end = (to?.end ?? now).getTime();
  const start = wholeBefore(Math.min(Date.parse(first), from?.instant.getTime() ?? Number.POSITIVE_INFINITY));
  const behind = Math.max(Date.parse(last) + 1, Math.min(end, now.getTime()));
  // At most the hours of a year.
  for (let at = start; at < behind && named.size < 366 * 24; at += unit) named.add(toWireInstant(new Date(at)));
  return [...named].sort();
}

/** Undefined: no point has a figure. The platform corrects what it counted by negative figures. */
export function sumOf(points: Chart = {}): number | undefined {
  const known = Object.values(points).filter((value) => value !== undefined && value >= 0) as number[];
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

/** `No figure for 2 of 7 days: 4xx, 5xx` */
export function gapsOf(missing: readonly (readonly [name: string, many: number])[], all: number, hourly: boolean) {
  const gaps = missing.filter(([, many]) => many > 0).sort(([, one], [, other]) => other - one);
  const counts = [...new Set(gaps.map(([, many]) => many))];
  if (counts.length === 0) return undefined;
  const isSame = counts.length === 1 && gaps.length === missing.length;
  const named = counts.map((most, at) => {
    const names = gaps.filter(([, many]) => many === most).map(([name]) => name);
    const words = at === 0 ? `for ${most} of ${countOf(all, hourly ? 'hour' : 'day')}` : `for ${most}`;
    return isSame ? words : `${words}: ${names.join(', ')}`;
  });
  return `No figure ${named.join('; ')}`;
}

function gapsIn(lines: readonly Line[], stretch: Stretch): string | undefined {
  const over = startsOf(lines, stretch).filter((start) => !goesOn(start, stretch));
  const missing = lines
    .filter(({ points }) => points !== undefined)
    .map(({ name, points = {} }) => [name, over.filter((start) => points[start] === undefined).length] as const);
  return gapsOf(missing, over.length, stretch.hourly);
}

/** `2026-10-21 to 2026-11-21 (so far), by the day, in UTC` */
function spanOf(lines: readonly Line[], stretch: Stretch): string | undefined {
  const { hourly, timezone } = stretch;
  const starts = startsOf(lines, stretch);
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const [from, to] = [labelOf(first, stretch), labelOf(last, stretch)];
  const end = goesOn(last, stretch) ? ' (so far)' : '';
  const midnight = clock(new Date(first), stretch);
  const days = `day, in UTC${offsetAt(timezone, Date.parse(first)) === 0 ? '' : `: from ${midnight} to ${midnight} for you`}`;
  return `${from}${first === last ? '' : ` to ${to}`}${end}, by the ${hourly ? `hour, in ${timezone}` : days}`;
}

/** An unfinished day or hour would look like a fall. */
function goesOn(start: string, { hourly, now }: Stretch): boolean {
  const length = hourly ? 13 : 10;
  return start.slice(0, length) === now.toISOString().slice(0, length);
}

/** The unit in which the largest value reads best. */
function byteUnit(largest: number): { unit: string; size: number } {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, largest)) / 3)));
  return { unit: units[step]!, size: 1000 ** step };
}

const knownOf = (lines: readonly Line[]) => lines.filter(({ points }) => sumOf(points) !== undefined);

/** Without unfinished points. `bytes` are scaled for the axis. */
export function linesChart(
  title: string,
  lines: readonly Line[],
  { type, ...rest }: { type: 'line' | 'bar' | 'area'; unit?: string },
  stretch: Stretch,
): Part | undefined {
  const values = lines.flatMap(({ points = {} }) => Object.values(points));
  const largest = values.reduce<number>((most, value = 0) => Math.max(most, value), 0);
  const { unit, size } = rest.unit === 'bytes' ? byteUnit(largest) : { ...rest, size: 1 };
  const known = knownOf(lines);
  const starts = startsOf(known, stretch).filter((start) => !goesOn(start, stretch));
  if (starts.length < 3) return undefined;
  const scaled = (value: number | undefined) => (value === undefined ? undefined : value / size);
  return chart({
    type,
    unit,
    title,
    counted: stretch.hourly ? 'hours' : 'days',
    categories: starts.map((start) => labelOf(start, stretch).replace(/^\d+-(?=.* )/, '')),
    series: known.map(({ name, points }) => ({ name, values: starts.map((start) => scaled(points?.[start])) })),
  });
}

/** Newest first. */
function linesTable(lines: readonly Line[], stretch: Stretch): Part | undefined {
  const { hourly, timezone } = stretch;
  const known = knownOf(lines);
  const starts = startsOf(known, stretch).reverse();
  if (starts.length === 0) return undefined;
  if (starts.length > 80) {
    return note(`The ${starts.length} hours one by one are too many for a table: ask for three days or less.`);
  }
  return table({
    pageSize: 7,
    caption: `By the ${hourly ? `hour (${timezone})` : 'day (UTC)'}, latest first`,
    columns: [hourly ? 'Hour' : 'Day', ...known.map(({ name }) => ({ label: name, align: 'right' as const }))],
    rows: starts.map((start) => [
      `${labelOf(start, stretch).replace(/^\d+-(?=.* )/, '')}${goesOn(start, stretch) ? ' (so far)' : ''}`,
      ...known.map(({ points, show }) => numberCell(points?.[start], show)),
    ]),
  });
}

/** A chart needs three points. */
export function statsMessage(
  title: string,
  lines: readonly Line[],
  figures: readonly (readonly [label: string, value: number | undefined, show: Line['show']])[],
  charts: readonly (Part | undefined)[],
  stretch: Stretch,
): Message {
  const isKnown = knownOf(lines).length > 0 || figures.some(([, value]) => value !== undefined);
  const nothing = `The platform sent no ${isKnown ? 'points' : 'figures'} for this range.`;
  const gaps = isKnown ? gapsIn(lines, stretch) : undefined;
  const isCorrected = lines.some(({ points = {} }) => Object.values(points).some((value = 0) => value < 0));
  return message(
    mrkdwn`${bold(title)}\n${(isKnown && spanOf(lines, stretch)) || nothing}`,
    fields(figures.map(([label, value, show]) => [label, value === undefined ? undefined : show(value)])),
    ...charts,
    linesTable(lines, stretch),
    gaps !== undefined && note(`${gaps}.`),
    isCorrected && note('The platform sent negative figures, which are corrections. The sums leave them out.'),
  );
}
