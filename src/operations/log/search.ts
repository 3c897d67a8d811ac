import type { Button } from '@slack/types';
import { commandButton, formButton } from '../../blocks/buttons.ts';
import { bytes, count, logTime, type Reading } from '../../blocks/format.ts';
import { actions, message, note, type Part } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { type Cell, numberCell, right, table } from '../../blocks/table.ts';
import { withoutQuery } from '../../logs/record.ts';
import { LOG_RETENTION_DAYS } from '../../platform/dates.ts';
import { meaningOf } from '../../platform/enums.ts';
import { ACCESS_LOG_BOUNDS, type AccessLogPage, type AccessLogRecord } from '../../platform/resources/access-logs.ts';
import { DAY } from '../../time.ts';
import { type Moment, moment } from '../arguments/dates.ts';
import { choice, flagged, number } from '../arguments/plain.ts';
import { pullZone, zoneName } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { filterArguments, filterQuery, filtersInWords, filterWords } from './filters.ts';

const [FEWEST, MOST] = ACCESS_LOG_BOUNDS.limit;

/** As many as a person reads, and as a message has room for. */
const USUAL = 25;

/** The end of a range: a day without a time of day is meant to its end, and nothing is there after now. */
function endOf(to: Moment | undefined, now: Date): Date | undefined {
  if (to === undefined) return undefined;
  const end = to.dateOnly ? new Date(to.instant.getTime() + DAY) : to.instant;
  return end > now ? undefined : end;
}

/** The meaning of each cache status of these records, from the platform's one table. */
function cacheLegend(statuses: Iterable<string>): Part | undefined {
  const known = [...new Set(statuses)].flatMap((status) => {
    const meaning = meaningOf(status);
    return meaning === undefined ? [] : [`${status}: ${meaning}`];
  });
  return known.length === 0 ? undefined : note(known.join(' · '));
}

function rowOf(record: AccessLogRecord, reading: Reading): (Cell | undefined)[] {
  const at = new Date(record.timestamp ?? Number.NaN);
  const { statusCode: status, bytesSent } = record;
  return [
    Number.isNaN(at.getTime()) ? record.timestamp : logTime(at),
    numberCell(status),
    record.cacheStatus,
    withoutQuery(record.url ?? record.path ?? '–'),
    numberCell(bytesSent, bytes, reading),
    record.countryCode,
    record.edgeLocation,
    record.remoteIp,
    record.userAgent,
    record.referer && withoutQuery(record.referer),
    record.requestId,
  ];
}

/** At most so many addresses have a button. */
const MOST_PURGED = 3;

/** Buttons that purge the addresses that most of these requests are for; without what follows the question mark. */
function purgeButtons(records: readonly AccessLogRecord[]): Button[] {
  const times = new Map<string, number>();
  for (const { url = '' } of records) {
    const { protocol, host, pathname } = URL.canParse(url) ? new URL(url) : { protocol: '', host: '', pathname: '*' };
    // A * would mean all that begins so.
    if (!/^https?:$/.test(protocol) || pathname.includes('*')) continue;
    const address = `${protocol}//${host}${pathname}`;
    times.set(address, (times.get(address) ?? 0) + 1);
  }
  const most = [...times].sort(([, one], [, other]) => other - one).slice(0, MOST_PURGED);
  return most.map(([address]) => commandButton(`Purge ${new URL(address).pathname}`, `cache purge ${address}`));
}

/** `GET {logging_url}/v2/pullzones/{pullZoneId}/logs`: the requests of visitors, as the platform logged them. */
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
      moment('From', { fromMessage: 'since', hint: `At most ${LOG_RETENTION_DAYS} days back; else the last 24 hours` }),
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

  target: ({ zone }) => zoneName(zone),

  async run({ zone, from, to, limit = USUAL, offset, order, ...filters }, { platform, now, signal }) {
    const end = endOf(to, now);
    const page: AccessLogPage = await platform.accessLogs.query(
      zone.Id,
      { ...filterQuery(filters), from: from?.instant, to: end, limit, offset, order },
      { signal },
    );
    // Later pages are of the same stretch, whatever has been logged since.
    const until = end ?? now;
    return { ...page, from: from?.instant ?? new Date(until.getTime() - DAY), to: until };
  },

  render(answer, { zone, limit = USUAL, offset = 0, order, from: _from, to: _to, ...filters }, reader) {
    const { data, nextOffset, from, to } = answer;
    const words = filterWords(filters);
    const next =
      nextOffset !== undefined &&
      [
        `log search ${zone.Id} --from ${from.toISOString()} --to ${to.toISOString()}`,
        words,
        `--limit ${limit} --offset ${nextOffset}`,
        order === undefined ? '' : `--order ${order}`,
      ]
        .filter((part) => part !== '')
        .join(' ');
    const range = `${logTime(from)} to ${logTime(to)} UTC`;
    const asked = [
      `log search ${zone.Id}`,
      _from === undefined ? '' : `--from ${from.toISOString()}`,
      _to === undefined ? '' : `--to ${to.toISOString()}`,
      words,
    ];
    const buttons = [
      ...(next === false ? [] : [commandButton('More', next)]),
      formButton('Narrow …', asked.filter((part) => part !== '').join(' ')),
      commandButton('Summarise today', `log summary ${zone.Id} ${words}`.trim()),
      ...purgeButtons(data),
    ];
    const more = buttons.length > 0 && actions(...buttons);
    if (data.length === 0) {
      return message(
        mrkdwn`${bold(zoneName(zone))}: no requests ${offset > 0 ? 'on this page' : 'found'}, ${range}.`,
        next !== false &&
          note('There are further pages: the platform applies some filters only after it has cut them.'),
        more,
        note(
          `Access logs are kept for ${LOG_RETENTION_DAYS} days.${words === '' ? '' : ` Filters: ${filtersInWords(filters)}`}`,
        ),
      );
    }
    const numbers = `${count(offset + 1, reader)} to ${count(offset + data.length, reader)}`;
    return message(
      mrkdwn`${bold(zoneName(zone))}: requests ${numbers}, ${order === 'asc' ? 'oldest' : 'latest'} first, ${range}.`,
      words !== '' && note(`Filters: ${filtersInWords(filters)}`),
      table({
        caption: 'Requests',
        columns: [
          'Time (UTC)',
          right('Status'),
          'Cache',
          'URL',
          right('Size'),
          'Country',
          'Edge',
          'IP',
          'User agent',
          'Referer',
          'Request id',
        ],
        rows: data.map((record) => rowOf(record, reader)),
      }),
      more,
      cacheLegend(data.map((record) => record.cacheStatus ?? '')),
      note('Addresses are shown without what follows the question mark: it may hold secrets.'),
    );
  },
});
