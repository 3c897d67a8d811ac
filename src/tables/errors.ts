import { clock, count, type Reading, share, shortDay } from '../blocks/format.ts';
import type { Part } from '../blocks/message.ts';
import { type Cell, type Column, numberCell, right, table } from '../blocks/table.ts';
import type { ErrorGroup } from '../logs/error-groups.ts';
import { DAY } from '../time.ts';

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
export function errorTable<G extends ErrorGroup>(
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
export const causeIn = ({ words, code }: Pick<ErrorGroup, 'words' | 'code'>): string =>
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
export function pathsIn({ path, paths }: Pick<ErrorGroup, 'path' | 'paths'>): string {
  if (path !== undefined) return path;
  const [most] = paths;
  return most === undefined ? '–' : [most[0], ...(paths.length > 1 ? [`and ${paths.length - 1} more`] : [])].join(' ');
}
