import { DAY } from '../time.ts';
import { clock, count, type Reading, share, shortDay } from './format.ts';
import type { Part } from './message.ts';
import { type Cell, type Column, numberCell, right, table } from './table.ts';

/** Errors that have the same thing wrong, as they are shown. */
export interface ShownErrors {
  code: string | undefined;
  status: number | undefined;
  /** Their message, with the parts that vary masked: `<*>`. */
  words: string | undefined;
  path: string | undefined;
  /** Kinds of paths, with their counts, most first: for when there is no one path. */
  paths: [template: string, requests: number][];
  requests: number;
  /** Unix milliseconds: when it was first and last seen. */
  since: number;
  last: number;
  zones: [name: string, requests: number][];
  regions: [name: string, requests: number][];
}

/** How groups of errors are shown. */
export interface ErrorTableOptions<G> {
  caption: string;
  /** The whole that a group's share is a part of. */
  whole(group: G): number;
  /** When the window begins: what was seen long before is shown with its day. */
  from: Date;
  /** All of one zone: it need not be named in each row. */
  oneZone?: boolean;
  /** Only how many, the cause, the status, where, and since when. */
  isShort?: boolean;
}

/** Groups of errors as a table, the same in answers and in reports; what is looked for first comes first. */
export function errorTable<G extends ShownErrors>(
  groups: readonly G[],
  options: ErrorTableOptions<G>,
  reading: Reading,
): Part {
  const { caption, whole, from, oneZone = false, isShort = false } = options;
  const seenAt = (at: number) =>
    at < from.getTime() - DAY ? shortDay(new Date(at), reading) : clock(new Date(at), reading);
  const columns: [label: string | Column, cellOf: (group: G) => Cell | undefined][] = [
    [right('Errors'), ({ requests }) => numberCell(requests, count, reading)],
    ['Cause', causeIn],
    ['Status', ({ status }) => status?.toString()],
    ...(oneZone ? [] : [['Zones', ({ zones }: G) => countsInWords(zones, reading)] as [string, (group: G) => Cell]]),
    ['Path', (group) => legible(pathsIn(group))],
    ['First seen', ({ since }) => seenAt(since)],
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
    caption: `${caption}, times in ${reading.timezone}`,
    pageSize: 10,
    columns: shown.map(([label]) => label),
    rows: groups.map((group) => shown.map(([, cellOf]) => cellOf(group))),
  });
}

/** The cause in words; the code of the error where there are none. */
export const causeIn = ({ words, code }: Pick<ShownErrors, 'words' | 'code'>): string =>
  legible(words ?? code ?? 'failed request');

/** A template as people write it: what varies is an ellipsis. */
export function legible(template: string): string {
  return template.replace(/<(?:\*|\w+)>/g, '…').replace(/…\.$/, '…');
}

/** `shop 12, api 3, docs 1, 2 more`. */
function countsInWords(counts: readonly [string, number][], reading: Reading): string {
  const shown = counts.slice(0, 3).map(([name, requests]) => `${name} ${count(requests, reading)}`);
  return [...shown, ...(counts.length > 3 ? [`${counts.length - 3} more`] : [])].join(', ');
}

/** The one path, or the first of several. */
export function pathsIn({ path, paths }: Pick<ShownErrors, 'path' | 'paths'>): string {
  if (path !== undefined) return path;
  const [most] = paths;
  return most === undefined ? '–' : [most[0], ...(paths.length > 1 ? [`and ${paths.length - 1} more`] : [])].join(' ');
}
