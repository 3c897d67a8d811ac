import { DAY } from '../time.ts';
import { sparkline } from './chart.ts';
import { clock, count, type Reading, share, shortDay } from './format.ts';
import type { Part } from './message.ts';
import { numberCell, right, table } from './table.ts';

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
  /** Requests in equal parts of the time, oldest first. */
  course: readonly number[];
}

/** How groups of errors are shown. */
export interface ErrorTableOptions<G> {
  caption: string;
  /** The whole that a group's share is a part of. */
  whole(group: G): number;
  /** When the stretch begins: what was seen long before is shown with its day. */
  from: Date;
  /** All of one zone: it need not be named in each row. */
  oneZone?: boolean;
}

/** Groups of errors as a table, the same in answers and in reports; what is looked for first comes first. */
export function errorTable<G extends ShownErrors>(
  groups: readonly G[],
  options: ErrorTableOptions<G>,
  reading: Reading,
): Part {
  const { caption, whole, from, oneZone = false } = options;
  const seenAt = (at: number) =>
    at < from.getTime() - DAY ? shortDay(new Date(at), reading) : clock(new Date(at), reading);
  return table({
    caption,
    pageSize: 10,
    columns: [
      right('Errors'),
      'Course',
      'Error',
      'Message',
      'Path',
      ...(oneZone ? [] : ['Zones']),
      right('Share'),
      'First seen',
      'Last seen',
      'Regions',
    ],
    rows: groups.map((group) => [
      numberCell(group.requests, count, reading),
      sparkline(group.course),
      [group.status, group.code ?? 'failed request'].filter((part) => part !== undefined).join(' '),
      legible(group.words ?? '–'),
      legible(pathsOf(group)),
      ...(oneZone ? [] : [countsInWords(group.zones, reading)]),
      { value: (100 * group.requests) / whole(group), text: share(group.requests, whole(group), reading) },
      seenAt(group.since),
      seenAt(group.last),
      countsInWords(group.regions, reading),
    ]),
  });
}

/** A template as people write it: what varies is an ellipsis. */
export function legible(template: string): string {
  return template.replace(/<(?:\*|\w+)>/g, '…').replace(/…\.$/, '…');
}

/** `shop 12, api 3, docs 1, 2 more`. */
export function countsInWords(counts: readonly [string, number][], reading: Reading): string {
  const shown = counts.slice(0, 3).map(([name, requests]) => `${name} ${count(requests, reading)}`);
  return [...shown, ...(counts.length > 3 ? [`${counts.length - 3} more`] : [])].join(', ');
}

function pathsOf({ path, paths }: ShownErrors): string {
  if (path !== undefined) return path;
  const [most] = paths;
  return most === undefined ? '–' : [most[0], ...(paths.length > 1 ? [`and ${paths.length - 1} more`] : [])].join(' ');
}
