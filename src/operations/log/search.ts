import { isIP } from 'node:net';
import { commandButton, formButton } from '../../blocks/buttons.ts';
import { bytes, clock, count, countOf, day, logTime, shortDay } from '../../blocks/format.ts';
import {
  type AttachedFile,
  actions,
  message,
  note,
  nothing,
  type Part,
  section,
  sectionWith,
} from '../../blocks/message.ts';
import { bold, code, moment as momentWords, mrkdwn, visible } from '../../blocks/mrkdwn.ts';
import { type Cell, fileName, numberCell, right, table, tableAsCsv } from '../../blocks/table.ts';
import { agentName } from '../../logs/agent.ts';
import { withoutQuery } from '../../logs/record.ts';
import { LOG_RETENTION_DAYS } from '../../platform/dates.ts';
import { ACCESS_LOG_LIMIT, type AccessLogPage, type AccessLogRecord } from '../../platform/resources/access-logs.ts';
import { DAY, isoDay } from '../../time.ts';
import { type Moment, moment } from '../arguments/dates.ts';
import { choice, flag, flagged, number } from '../arguments/plain.ts';
import { nameWithId, typeable } from '../arguments/resources/look-up.ts';
import { pullZone, type ZoneRef } from '../arguments/resources/zones.ts';
import { blockMenu } from '../block.ts';
import type { Reader } from '../context.ts';
import { quoted } from '../grammar.ts';
import { defineOperation } from '../operation.ts';
import { filterArguments, filterQuery, filtersInWords, filterWords, keptAddress } from './filters.ts';

const [FEWEST, MOST] = ACCESS_LOG_LIMIT;

/** As many as a person reads and a message holds. */
const USUAL = 25;

function rowOf(record: AccessLogRecord, reader: Reader): (Cell | undefined)[] {
  const { timestamp, statusCode: status, bytesSent } = record;
  return [
    timestamp && logTime(new Date(timestamp), reader.timezone),
    numberCell(status),
    withoutQuery(record.url ?? record.path ?? '–'),
    record.cacheStatus,
    record.countryCode,
    record.remoteIp,
    record.userAgent,
    numberCell(bytesSent, bytes, reader),
    record.edgeLocation,
    record.referer && withoutQuery(record.referer),
    record.requestId,
  ];
}

/** The important ones first, because a phone shows three or four. */
const COLUMNS = [
  right('Status'),
  'URL',
  'Cache',
  'Country',
  'IP',
  'User agent',
  right('Size'),
  'Edge',
  'Referer',
  'Request id',
];

/** For the addresses that most of these requests came from. */
function addressParts(zone: number, records: readonly AccessLogRecord[], reader: Reader): Part[] {
  const times = new Map<string, number>();
  for (const { remoteIp = '' } of records) times.set(remoteIp, (times.get(remoteIp) ?? 0) + 1);
  const isOne = times.size === 1;
  const most = [...times].sort(([, one], [, other]) => other - one).filter(([, many]) => isOne || many > 1);
  return most
    .flatMap(([logged, many]) => addressPart(zone, logged, [many, records.length], reader, !isOne) ?? [])
    .slice(0, 3);
}

/** A row of a table takes no buttons. Undefined: the log keeps no addresses. */
export function addressPart(
  zone: number,
  logged: string,
  [many, all]: readonly [number, number],
  reader: Reader,
  isOfMore = true,
): Part | undefined {
  const address = isIP(logged) === 0 ? undefined : keptAddress(logged);
  if (address === undefined) return undefined;
  const part = `: ${count(many, reader)} of these ${countOf(all, 'request', reader)}`;
  const words = mrkdwn`${code(address)}${all === 1 ? '' : part}`;
  return sectionWith(words, blockMenu(zone, address, isOfMore && `log search ${zone} --ip ${logged}`));
}

/** `GET {logging_url}/v2/pullzones/{pullZoneId}/logs` */
export const searchLog = defineOperation({
  name: 'log search',
  summary: 'Search a zone’s access log of the last three days',
  synonyms: {
    verbs: 'find, grep, calling, calls, hitting, requested, came, come, look up, lookup',
    nouns: 'logs, access log, requests, request, hits, traffic log, log lines, entries, misses, cache misses',
  },
  effect: 'read',
  args: {
    zone: pullZone(),
    from: flagged(
      moment('From', {
        fromMessage: 'since',
        hint: `At most ${LOG_RETENTION_DAYS} days back; by default the last 24 hours`,
      }),
    ),
    to: flagged(moment('To', { fromMessage: 'until' })),
    ...filterArguments(),
    limit: flagged(
      number('Requests at once', {
        minimum: FEWEST,
        maximum: MOST,
        hint: `${USUAL} when not given`,
        also: ['last', 'latest', 'first', 'requests', 'lines', 'entries'],
      }),
    ),
    csv: flag('As a CSV file', {
      hint: `Every column, and up to ${count(MOST)} requests, in a direct message to you`,
      also: ['csv', 'spreadsheet'],
    }),
    all: flag('All columns'),
    offset: flagged(number('Skip', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    order: flagged(
      choice('Order', [
        { value: 'desc', label: 'Latest first', also: ['latest first', 'newest first', 'descending'] },
        { value: 'asc', label: 'Oldest first', also: ['oldest first', 'oldest', 'ascending'] },
      ]),
    ),
  },
  examples: [
    'log search shop-assets --status 5xx',
    'log search shop-assets --from 6h --cache miss --url /images/ --limit 50',
  ],

  async run(
    { zone, from, to, csv, all: _, limit = csv ? MOST : USUAL, offset, order, ...filters },
    { platform, now, signal },
  ) {
    // A day lasts to its end, but not beyond now.
    const typedEnd = to?.end;
    const end = typedEnd !== undefined && typedEnd <= now ? typedEnd : undefined;
    const page: AccessLogPage = await platform.accessLogs.query(
      zone.Id,
      { ...filterQuery(filters), from: from?.instant, to: end, limit, offset, order },
      { signal },
    );
    // Later pages cover the same time.
    const until = end ?? now;
    return { ...page, from: from?.instant ?? new Date(until.getTime() - DAY), to: until };
  },

  render(answer, { zone, csv, all, limit = csv ? MOST : USUAL, offset = 0, order, from, to, ...filters }, reader) {
    const { data, nextOffset } = answer;
    const words = filterWords(filters);
    const about = { zone: zone.Id, words, answer };
    const next = nextOffset === undefined ? undefined : lineOf(about, order, `--limit ${limit} --offset ${nextOffset}`);
    const page = `--limit ${limit} --offset ${offset}`;
    const begin = momentWords(answer.from);
    const range = to === undefined ? mrkdwn`since ${begin}` : mrkdwn`${begin} to ${momentWords(answer.to)}`;
    const asked = [
      // People see it in a form, and know the name.
      `log search ${quoted(typeable(zone))}`,
      from && `--from ${typedTime(from)}`,
      to && `--to ${typedTime(to)}`,
      words,
    ];
    const last = isoDay(new Date(answer.to.getTime() - 1));
    const isToday = last === isoDay(reader.now);
    const isWhole = all || data.length === 1;
    const buttons = actions(
      next !== undefined && commandButton('More', `${next}${csv ? ' --csv' : ''}${all ? ' --all' : ''}`),
      data.length > 0 && !csv && commandButton('CSV', lineOf(about, order, '--csv')),
      data.length > 0 && !csv && !isWhole && commandButton('All columns', lineOf(about, order, `${page} --all`)),
      formButton('Narrow …', asked.filter(Boolean).join(' ')),
      commandButton(
        isToday ? 'Summarise today' : `Summarise ${last}`,
        ['log summary', zone.Id, isToday ? '' : `--date ${last}`, words].filter((part) => part !== '').join(' '),
      ),
    );
    const where = mrkdwn`${bold(nameWithId(zone))}${words === '' ? '' : `, ${filtersInWords(filters, data[0]?.remoteIp)}`}, ${range}`;
    if (data.length === 0) {
      return nothing(
        mrkdwn`${offset > 0 ? 'No requests on this page' : 'No requests found'}: ${where}.`,
        nextOffset !== undefined && note('Later pages may have matches: the platform filters after paging.'),
        buttons,
        note(`Access logs are kept for ${LOG_RETENTION_DAYS} days.`),
      );
    }
    const title = mrkdwn`${bold(countWords(answer, offset, order, reader))}: ${where}.`;
    if (csv) return message({ ...section(title), files: [fileOf(data, zone, reader)] }, buttons);
    return message(title, requestsTable(data, isWhole, reader), ...addressParts(zone.Id, data, reader), buttons);
  },
});

/** A moment on a button, as people write it. */
const typedTime = ({ text, instant }: Moment): string =>
  quoted(text.includes('T') && text.endsWith('Z') ? `${logTime(instant).replace(/:00$/, '')}Z` : text);

type Answer = AccessLogPage & { from: Date; to: Date };

function lineOf(
  { zone, words, answer }: { zone: number; words: string; answer: Answer },
  order: string | undefined,
  more: string,
): string {
  const range = `log search ${zone} --from ${answer.from.toISOString()} --to ${answer.to.toISOString()}`;
  return [range, words, more, order === undefined ? '' : `--order ${order}`].filter((part) => part !== '').join(' ');
}

/** `7 requests`, `The newest 25 requests`, `Requests 26 to 50`, `Request 51` */
function countWords({ data, nextOffset }: Answer, offset: number, order: string | undefined, reader: Reader): string {
  const first = count(offset + 1, reader);
  if (offset > 0)
    return data.length === 1 ? `Request ${first}` : `Requests ${first} to ${count(offset + data.length, reader)}`;
  const many = countOf(data.length, 'request', reader);
  return nextOffset === undefined ? many : `The ${order === 'asc' ? 'oldest' : 'newest'} ${many.replace(/^1 /, '')}`;
}

function requestsTable(data: readonly AccessLogRecord[], isWhole: boolean, reader: Reader): Part {
  const times = data.flatMap(({ timestamp }) => (timestamp === undefined ? [] : new Date(timestamp)));
  const days = new Set(times.map((time) => day(time, reader)));
  const isOneDay = days.size === 1;
  const caption = isOneDay ? `Requests of ${[...days].join('')}` : 'Requests';
  if (!isWhole) return table({ caption, columns: ['Request'], rows: linesOf(data, isOneDay, reader) });
  const columns = [`Time (${reader.timezone})`, ...COLUMNS];
  return table({ caption, columns, rows: data.map((record) => rowOf(record, reader)) });
}

/** A phone has room for one column: `11:32 PM · 502 · / · DE · Chrome on Windows` */
function linesOf(data: readonly AccessLogRecord[], isOneDay: boolean, reader: Reader): string[][] {
  return data.map(({ timestamp, statusCode, url, path = url ?? '–', countryCode, userAgent }) => {
    const time = timestamp === undefined ? undefined : new Date(timestamp);
    const parts = [
      time && (isOneDay ? clock(time, reader) : `${shortDay(time, reader)}, ${clock(time, reader)}`),
      statusCode,
      withoutQuery(url ?? path).replace(/^https?:\/\/[^/]+(?=\/)/, ''),
      countryCode,
      userAgent && agentName(userAgent),
    ];
    return [parts.filter((part) => part !== undefined && part !== '').join(' · ')];
  });
}

function fileOf(data: readonly AccessLogRecord[], zone: ZoneRef, reader: Reader): AttachedFile {
  const title = visible(`Requests of ${nameWithId(zone)}`);
  const rows = data.map((record) => rowOf(record, { ...reader, timezone: 'UTC' }).map((cell) => cell ?? ''));
  const columns = ['Time (UTC)', ...COLUMNS].map((column) => (typeof column === 'string' ? { label: column } : column));
  return { name: `${fileName(title)}.csv`, title, content: tableAsCsv({ caption: title, columns, rows }) };
}
