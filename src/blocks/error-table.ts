import { DAY } from '../time.ts';
import { clock, count, type Reading, share, shortDay } from './format.ts';
import type { Part } from './message.ts';
import { type Cell, type Column, numberCell, right, table } from './table.ts';

export interface ShownErrors {
  code: string | undefined;
  status: number | undefined;
  /** Variable parts are masked: `<*>`. */
  words: string | undefined;
  path: string | undefined;
  /** Most frequent first, if there is not only one path. */
  paths: [template: string, requests: number][];
  requests: number;
  /** The first and the last time, in Unix milliseconds. */
  first: number;
  last: number;
  zones: [name: string, requests: number][];
  regions: [name: string, requests: number][];
}

export interface ErrorTableOptions<G> {
  caption: string;
  whole(group: G): number;
  /** Without it no times are shown: a cell cannot show each reader their own. */
  from?: Date;
  /** One zone for all rows, so the table does not name it. */
  oneZone?: boolean;
  /** Only count, cause, status, place and since when. */
  isShort?: boolean;
}

/** The most wanted columns come first. */
export function errorTable<G extends ShownErrors>(
  groups: readonly G[],
  options: ErrorTableOptions<G>,
  reading: Reading,
): Part {
  const { caption, whole, from, oneZone = false, isShort = false } = options;
  const seenAt = (at: number) =>
    from && (at < from.getTime() - DAY ? shortDay(new Date(at), reading) : clock(new Date(at), reading));
  const columns: [label: string | Column, cellOf: (group: G) => Cell | undefined][] = [
    [right('Errors'), ({ requests }) => numberCell(requests, count, reading)],
    ['Cause', causeIn],
    ['Status', ({ status }) => status?.toString()],
    ['Zones', ({ zones }) => (oneZone ? undefined : countsInWords(zones, reading))],
    ['Path', (group) => legible(pathsIn(group))],
    ['First seen', ({ first }) => seenAt(first)],
  ];
  const further: typeof columns = [
    ['Last seen', ({ last }) => seenAt(last)],
    [
      right('Share'),
      (group) => ({ value: (100 * group.requests) / whole(group), text: share(group.requests, whole(group), reading) }),
    ],
    ['Regions', ({ regions }) => countsInWords(regions, reading)],
    ['Error', ({ code }) => code],
  ];
  const shown = isShort ? columns : [...columns, ...further];
  return table({
    caption: from === undefined ? caption : `${caption}, times in ${reading.timezone}`,
    pageSize: 10,
    columns: shown.map(([label]) => label),
    rows: groups.map((group) => shown.map(([, cellOf]) => cellOf(group))),
  });
}

/** The words of the error, or its code if it has none. */
export const causeIn = ({ words, code }: Pick<ShownErrors, 'words' | 'code'>): string =>
  legible(words ?? code ?? 'failed request');

export function legible(template: string): string {
  return template.replace(/<(?:\*|\w+)>/g, '…').replace(/…\.$/, '…');
}

/** `shop 12, api 3, docs 1, 2 more`. */
function countsInWords(counts: readonly [string, number][], reading: Reading): string {
  const shown = counts.slice(0, 3).map(([name, requests]) => `${name} ${count(requests, reading)}`);
  return [...shown, ...(counts.length > 3 ? [`${counts.length - 3} more`] : [])].join(', ');
}

/** The only path, or the first of several. */
export function pathsIn({ path, paths }: Pick<ShownErrors, 'path' | 'paths'>): string {
  if (path !== undefined) return path;
  const [most] = paths;
  return most === undefined ? '–' : [most[0], ...(paths.length > 1 ? [`and ${paths.length - 1} more`] : [])].join(' ');
}
