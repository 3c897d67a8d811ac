import { Readable } from 'node:stream';
import { commandButton } from '../../blocks/buttons.ts';
import { dayChart } from '../../blocks/chart.ts';
import { bytes, count, countOf, percent, share } from '../../blocks/format.ts';
import { shorten } from '../../blocks/limits.ts';
import { actions, fields, type Message, message, note, type Part } from '../../blocks/message.ts';
import { bold, join, moment, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { insteadOf } from '../../errors.ts';
import { type Counted, hitRate, type ListName, type LogSummary, statusClasses } from '../../logs/summary.ts';
import { checkLogDay, LOG_RETENTION_DAYS } from '../../platform/dates.ts';
import { CACHE_STATUSES } from '../../platform/enums.ts';
import { PlatformError } from '../../platform/errors.ts';
import type { AccessLogPage, AccessLogQuery } from '../../platform/resources/access-logs.ts';
import { DAY, HOUR, isoDay, MINUTE } from '../../time.ts';
import { day, startOfDay } from '../arguments/dates.ts';
import { choice, flag, flagged } from '../arguments/plain.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { pullZone } from '../arguments/resources/zones.ts';
import type { Context, Reader } from '../context.ts';
import { defineOperation } from '../operation.ts';
import { filterArguments, filterQuery, filtersInWords, filterWords, keptAddress } from './filters.ts';
import { addressPart } from './search.ts';
import { sentencesOf } from './sentences.ts';

const TOP = 10;
/** Six tables and more: each shows this many rows a page. */
const PAGE_SIZE = 5;

export interface DaySummary {
  summary: LogSummary;
  day: string;
  /** The file of the whole day, or single records, filtered or not. */
  source: 'file' | 'records';
  /** Says that there are more records than were read. */
  part?: Words | false;
  /** The platform’s logs begin at this moment. */
  keptFrom?: Date | undefined;
  /** Requests of the day, whatever the filters. */
  whole?: number | undefined;
}

/** Undefined: statistics do not say, so the filtered requests are shown without their share. */
async function requestsOf(pullZone: number, dateFrom: Date, { platform, now, signal }: Context) {
  const dateTo = new Date(Math.min(dateFrom.getTime() + DAY, now.getTime()));
  const query = { pullZone, dateFrom, dateTo, hourly: true, exactRange: true };
  const read = await platform.statistics.get(query, { signal }).catch(() => undefined);
  return read?.TotalRequestsServed;
}

/** With filters, or if there is no file. */
async function fromRecords(zone: number, start: Date, filters: AccessLogQuery, context: Context): Promise<DaySummary> {
  const { platform, now, signal, progress } = context;
  // The platform applies its retention when the request arrives.
  const oldest = now.getTime() - LOG_RETENTION_DAYS * DAY + MINUTE;
  const from = new Date(Math.max(start.getTime(), oldest));
  const to = new Date(Math.min(start.getTime() + DAY, now.getTime()));
  let readUpTo: Words = '';
  let isPart = false;
  /** JSON lines, page by page. */
  async function* records() {
    let read = 0;
    for (let offset: number | undefined = 0; offset !== undefined && offset < 200_000; ) {
      // This may take 35 seconds at the rate limit.
      const query: AccessLogQuery = { ...filters, from, to, limit: 2000, offset, order: 'asc' };
      const page: AccessLogPage = await platform.accessLogs.query(zone, query, { signal, priority: 'background' });
      read += page.data.length;
      offset = page.nextOffset;
      progress(read, undefined, 'records');
      isPart = offset !== undefined;
      const last = page.data.at(-1)?.timestamp;
      if (last !== undefined) readUpTo = mrkdwn`, up to ${moment(new Date(last))}`;
      yield Buffer.from(page.data.map((record) => `${JSON.stringify(record)}\n`).join(''));
    }
  }
  const summary = await context.summariseLog(Readable.from(records(), { objectMode: false }), 'v2');
  return {
    summary,
    day: isoDay(start),
    source: 'records',
    part: isPart && mrkdwn`Only part of the day was read${readUpTo}.`,
    keptFrom: from > start ? from : undefined,
  };
}

/** Undefined: there is no file. */
async function fromFile(zone: number, start: Date, context: Context): Promise<DaySummary | undefined> {
  const isNone = (error: unknown) =>
    error instanceof PlatformError && error.status === 404 && error.key !== 'logging_disabled';
  const reading = context.platform.accessLogs.download(zone, start, { signal: context.signal });
  const file = await reading.catch(insteadOf(isNone, undefined));
  return file && { summary: await context.summariseLog(file, 'v1'), day: isoDay(start), source: 'file' };
}

const TOPS = {
  address: ['Busiest addresses', 'Address', 'topClients'],
  path: ['Most requested paths', 'Path', 'topPaths'],
  agent: ['User agents', 'User agent', 'topAgents'],
  country: ['Countries', 'Country', 'topCountries'],
} as const;

/** With an uncertainty if the list had to forget values. */
function topTable(
  caption: string,
  label: string,
  summary: Pick<LogSummary, ListName>,
  list: ListName,
  reader: Reader,
): Part | undefined {
  const top: Counted[] = summary[list].slice(0, TOP);
  if (top.length === 0) return undefined;
  const uncertain = Math.max(...top.map((one) => one.error ?? 0));
  const whole = caption + (summary[list].length > TOP ? `: the first ${TOP}` : '');
  return table({
    pageSize: PAGE_SIZE,
    caption: uncertain === 0 ? whole : `${whole} (each may be up to ${count(uncertain, reader)} too high)`,
    columns: [label, right('Requests'), right('Traffic')],
    rows: top.map((one) => [
      // All tables share Slack's 10,000 characters.
      shorten(one.value, 110),
      numberCell(one.requests, count, reader),
      numberCell(one.bytes, bytes, reader),
    ]),
  });
}

function sharesTable(
  caption: string,
  label: string,
  counts: Record<string, number>,
  whole: number,
  reader: Reader,
  meanings?: Readonly<Record<string, string>>,
) {
  const rows = Object.entries(counts).sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
  return table({
    pageSize: PAGE_SIZE,
    caption,
    columns: [label, right('Requests'), right('Share'), ...(meanings ? ['Meaning'] : [])],
    rows: rows.map(([name, requests]) => [
      name,
      numberCell(requests, count, reader),
      { value: (100 * requests) / whole, text: share(requests, whole, reader) },
      ...(meanings ? [meanings[name] ?? 'not in the platform’s table'] : []),
    ]),
  });
}

function hoursChart(summary: LogSummary, day: string, reader: Reader, of: 'requests' | 'errors'): Part {
  const start = Date.parse(`${day}T00:00:00Z`);
  const byHour = new Map(summary.hours.map((hour) => [hour.start, hour[of]]));
  const counts = Array.from({ length: 24 }, (_, index) => byHour.get(start + index * HOUR) ?? 0);
  const [title, name] = of === 'errors' ? ['Failed requests (5xx)', 'Failed'] : ['Requests', 'Requests'];
  return dayChart(title, name, day, counts, reader);
}

/** The first ten. For addresses, also whether one stands out, with a way to block the first. */
function busiest(zone: number, summary: LogSummary, top: keyof typeof TOPS, reader: Reader): Message {
  const topClients = summary.topClients.flatMap((one) => {
    const value = keptAddress(one.value);
    return value === undefined ? [] : [{ ...one, value }];
  });
  const [{ value, requests: most } = { value: '', requests: 0 }] = topClients.length > 0 ? summary.topClients : [];
  const isCut = top === 'address' && most > 0 && keptAddress(value) !== value;
  const [caption, label] = isCut ? ['Busiest networks', 'Network'] : TOPS[top];
  const all = summary.requests;
  return message(
    top === 'address' &&
      most > 0 &&
      `${10 * most < all ? 'Nobody stands out: the' : 'The'} busiest ${label.toLowerCase()} sent ${share(most, all, reader)} of the requests.`,
    top === 'address' && most > 1 && addressPart(zone, value, [most, all], reader),
    topTable(caption, label, { ...summary, topClients }, TOPS[top][2], reader) ??
      note('The log of this zone keeps none of them.'),
  );
}

export const summariseLog = defineOperation({
  name: 'log summary',
  summary: 'Sum up a day of a zone’s access log',
  synonyms: {
    verbs:
      'summarise, summarize, sum up, summed, overview, resume of, hammers, hammering, flooding, hit most, hits most',
    nouns: 'logs, access log, top, recap, digest, ip, ips',
  },
  effect: 'read',
  args: {
    zone: pullZone(),
    date: flagged(day('Date')),
    ...filterArguments(),
    top: flagged(
      choice('Top', [
        { value: 'address', also: ['addresses', 'which ip', 'what ip', 'top ip', 'ips', 'clients'] },
        { value: 'path', also: ['paths', 'pages', 'urls'] },
        { value: 'agent', also: ['agents', 'user agents', 'browsers'] },
        { value: 'country', also: ['countries'] },
      ]),
    ),
    all: flag('All tables'),
  },
  examples: [
    'log summary shop-assets --date yesterday',
    'log summary shop-assets --date yesterday --country DE',
    'log summary shop-assets --top address',
  ],
  toTry: 'Sum up a log',

  async run({ zone, date, all: _, top: __, ...filters }, context): Promise<DaySummary> {
    const start = date?.instant ?? startOfDay(context.now);
    checkLogDay(start, context.now);
    const isFiltered = filterWords(filters) !== '';
    const file = isFiltered ? undefined : await fromFile(zone.Id, start, context);
    if (file !== undefined) return file;
    const [records, whole] = await Promise.all([
      fromRecords(zone.Id, start, filterQuery(filters), context),
      isFiltered ? requestsOf(zone.Id, start, context) : undefined,
    ]);
    // Statistics are later than the log.
    const isWhole = !records.part && whole !== undefined && whole >= records.summary.requests;
    return { ...records, whole: isWhole ? whole : undefined };
  },

  render({ summary, day, source, part = false, keptFrom, whole }, { zone, date: _, all, top, ...filters }, reader) {
    const words = filterWords(filters);
    const when = day === isoDay(reader.now) ? `${day} (today in UTC, so far)` : `${day} (UTC)`;
    const about = [
      source === 'records' &&
        words === '' &&
        'The platform has no file for the whole day; its records were read one by one.',
      part,
      keptFrom !== undefined && mrkdwn`The log of this day starts at ${moment(keptFrom)}.`,
      summary.unreadable > 0 && `Not counted: ${countOf(summary.unreadable, 'line', reader)} that could not be read.`,
    ];
    const ofAll = whole ? `, ${share(summary.requests, whole, reader)} of ${count(whole, reader)}` : '';
    const matching = words === '' ? '' : ` with ${filtersInWords(filters, summary.topClients[0]?.value)}${ofAll}`;
    const notes = about.map((line) => line !== false && note(line));
    if (summary.requests === 0) {
      return message(
        mrkdwn`${bold(nameWithId(zone))}, ${when}: ${summary.unreadable > 0 ? 'nothing in the log could be read' : `no requests${matching}${part ? ' in what was read' : ''}`}.`,
        ...notes,
      );
    }
    const title = mrkdwn`${bold(nameWithId(zone))}, ${when}: ${countOf(summary.requests, 'request', reader)}${matching}.`;
    if (top !== undefined) {
      const whole = commandButton('Summary', `log summary ${zone.Id} --date ${day} ${words}`.trim());
      return message(title, ...notes, busiest(zone.Id, summary, top, reader), actions(whole));
    }
    if (all) {
      return message(
        title,
        ...notes,
        hoursChart(summary, day, reader, 'requests'),
        topTable('Failing paths (5xx)', 'Path', summary, 'topErrors', reader),
        topTable('Missing paths (404)', 'Path', summary, 'topMissing', reader),
        sharesTable('Status codes', 'Status', summary.statuses, summary.requests, reader),
        topTable('Most requested paths', 'Path', summary, 'topPaths', reader),
        sharesTable('Cache', 'Cache status', summary.cache, summary.requests, reader, CACHE_STATUSES),
        topTable('User agents', 'User agent', summary, 'topAgents', reader),
        topTable('Countries', 'Country', summary, 'topCountries', reader),
      );
    }
    const hasFailed = Object.keys(summary.statuses).some((status) => status.startsWith('5'));
    const rate = hitRate(summary);
    const classes = statusClasses(summary);
    const start = Date.parse(`${day}T00:00:00Z`);
    const sentences = sentencesOf(summary, filters, reader);
    const oldest = reader.now.getTime() - LOG_RETENTION_DAYS * DAY;
    const from = new Date(Math.max(start, oldest + MINUTE)).toISOString();
    const ofDay = (at: string, more = '') => `log summary ${zone.Id} --date ${at} ${words}`.trim() + more;
    return message(
      title,
      sentences.length > 0 && join(sentences, ' '),
      ...notes,
      fields([
        ['Traffic', bytes(summary.bytes, reader)],
        ['Cache hit rate', rate === undefined ? 'no request used the cache' : percent(rate, reader)],
        ...['4xx', '5xx'].map((name): [string, string] => [
          name,
          `${count(classes[name] ?? 0, reader)} (${share(classes[name] ?? 0, summary.requests, reader)})`,
        ]),
      ]),
      hoursChart(summary, day, reader, hasFailed ? 'errors' : 'requests'),
      actions(
        hasFailed &&
          words === '' &&
          commandButton('Failing requests', `log search ${zone.Id} --status 5xx --from ${from} --to ${day}`),
        commandButton('More', ofDay(day, ' --all')),
        commandButton('Origin errors', `errors show ${zone.Id} ${day}`),
        start > oldest && commandButton('The day before', ofDay(isoDay(new Date(start - DAY)))),
      ),
    );
  },
});
