import { commandButton } from '../../blocks/buttons.ts';
import { dayChart } from '../../blocks/chart.ts';
import { count, countOf, logTime } from '../../blocks/format.ts';
import { shorten } from '../../blocks/limits.ts';
import { actions, message, note, nothing, type Part, section, sectionWith } from '../../blocks/message.ts';
import { bold, join, moment, mrkdwn } from '../../blocks/mrkdwn.ts';
import { table } from '../../blocks/table.ts';
import { UsageError } from '../../errors.ts';
import { type ErrorEvent, type ErrorGroup, groupErrors } from '../../logs/error-groups.ts';
import { LOG_RETENTION_DAYS } from '../../platform/dates.ts';
import type { OriginError } from '../../platform/resources/origin-errors.ts';
import { causeIn, errorTable, legible, pathsIn } from '../../tables/errors.ts';
import { DAY, isoDay, MINUTE } from '../../time.ts';
import { day, moment as momentArgument, startOfDay } from '../arguments/dates.ts';
import { flag, flagged, optional } from '../arguments/plain.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { pullZone, type ZoneRef } from '../arguments/resources/zones.ts';
import type { Reader } from '../context.ts';
import { quoted } from '../grammar.ts';
import { troubleOf } from '../now.ts';
import { defineOperation } from '../operation.ts';

/** Removes credentials, query and fragment of an address. Other words stay. */
function withoutQuery(word: string): string {
  const scheme = word.indexOf('://');
  const slash = word.indexOf('/', scheme < 0 ? 0 : scheme + 3);
  const authority = scheme < 0 ? '' : word.slice(scheme + 3, slash < 0 ? undefined : slash);
  const at = authority.lastIndexOf('@');
  const bare = at < 0 ? word : word.slice(0, scheme + 3) + word.slice(scheme + 3 + at + 1);
  const end = bare.search(/[?#]/);
  const isAddress = end >= 0 && bare.slice(0, end).includes('/');
  return isAddress && end < bare.length - 1 ? `${bare.slice(0, end)}?…` : bare;
}

/** Credentials and queries may hold secrets. */
export const withoutQueries = (text: string): string => text.replace(/[^\s"'<>]+/g, withoutQuery);

/** Two tables share a message's 10,000 characters. */
const LATEST = 20;
const MOST_GROUPS = 20;
/** How many kinds get a row of their own. The others become a table. */
const MOST_ROWS = 3;
/** In characters. */
const LONGEST_PATH = 120;

export function groupsOf(errors: readonly OriginError[], zone: ZoneRef): ErrorGroup[] {
  const events = errors.map(
    ({ at, error, labels }): ErrorEvent => ({
      source: 'origin',
      time: at.getTime(),
      zone: nameWithId(zone),
      zoneId: zone.Id,
      code: error.ErrorCode,
      status: error.StatusCode,
      message: error.Message && withoutQueries(error.Message),
      address: error.RequestUrl,
      region: labels?.ServerZone,
    }),
  );
  return groupErrors(events, { byPath: false });
}

function requestsButton({ status, path, first, last }: ErrorGroup, zone: ZoneRef, now: Date) {
  const oldest = now.getTime() - LOG_RETENTION_DAYS * DAY + MINUTE;
  if (last < oldest) return undefined;
  const isOne = path !== undefined && !path.includes('<') && path.length <= LONGEST_PATH;
  return commandButton(
    'Requests',
    [
      `log search ${zone.Id} --status ${status !== undefined && status >= 400 ? status : '5xx'}`,
      ...(isOne ? [`--url ${quoted(path)}`] : []),
      `--from ${new Date(Math.max(first, oldest)).toISOString()} --to ${new Date(last + MINUTE).toISOString()}`,
    ].join(' '),
  );
}

/** Count, cause, status, place, time, and what to look at. */
function rowOf(group: ErrorGroup, zone: ZoneRef, reader: Reader): Part {
  const { requests, status, cause, first, last } = group;
  // A day may end on the next one of the reader.
  const clock = (time: number) => moment(new Date(time), last - first < DAY / 2 ? '{time}' : undefined);
  const isMinute = Math.floor(first / MINUTE) === Math.floor(last / MINUTE);
  const what = bold(mrkdwn`${count(requests, reader)} × ${shorten(causeIn(group), LONGEST_PATH)}`);
  const where = [
    String(status ?? '–'),
    shorten(legible(pathsIn(group)), LONGEST_PATH),
    isMinute ? mrkdwn`at ${clock(first)}` : mrkdwn`${clock(first)} to ${clock(last)}`,
  ];
  const look = cause === undefined ? [] : [mrkdwn`Check: ${cause.look}`];
  const lines = [
    what,
    join(
      where.filter((part) => part !== '–'),
      ' · ',
    ),
    ...look,
  ];
  return sectionWith(join(lines, '\n'), requestsButton(group, zone, reader.now));
}

function latestTable(logs: readonly OriginError[], { timezone }: Reader): Part {
  const latest = [...logs].sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, LATEST);
  return table({
    caption: logs.length > LATEST ? `The latest ${LATEST}` : 'Latest first',
    columns: [`Time (${timezone})`, 'Status', 'Address', 'Message', 'Region', 'Error'],
    rows: latest.map(({ at, error, labels }) => [
      logTime(at, timezone),
      error.StatusCode?.toString(),
      error.RequestUrl && withoutQueries(error.RequestUrl),
      error.Message && withoutQueries(error.Message),
      labels?.ServerZone,
      error.ErrorCode,
    ]),
  });
}

export const showErrors = defineOperation({
  name: 'errors show',
  summary: 'Show a day’s errors between the edge and the origin',
  synonyms: {
    verbs:
      'wrong, failing, fails, failed, happened, go wrong, going on, what is up, how many, sum up, summarise, summarize',
    nouns:
      'error, errs, err, break, broken, broke, failures, failure, origin errors, problems, problem, outage, timeout, timeouts, down, issues, issue, trouble, fixed, start failing, bad, better, worse, resolved, recovered, who is on',
  },
  effect: 'read',
  args: {
    zone: pullZone(),
    date: optional(day('Date')),
    since: flagged(momentArgument('Since', { fromMessage: 'since' })),
    all: flag('All columns, and the latest errors'),
  },
  examples: ['errors show shop-assets', 'errors show shop-assets yesterday', 'errors show shop-assets --since 2h'],
  toTry: 'Show a zone’s errors',

  async run({ zone, date, since }, context) {
    const { platform, now, signal } = context;
    if (date !== undefined && since !== undefined) throw new UsageError('Give a date or `--since`, not both.');
    // Four days at once. How many the platform keeps is not known.
    const oldest = startOfDay(now).getTime() - 3 * DAY;
    const from = since && (since.instant.getTime() < oldest ? new Date(oldest) : since.instant);
    const first = startOfDay(from ?? now).getTime();
    const days = date === undefined ? Math.max(1, Math.ceil((now.getTime() - first) / DAY)) : 1;
    const read = await Promise.all(
      Array.from({ length: days }, (_, index) =>
        platform.originErrors.get(zone.Id, date?.instant ?? new Date(first + index * DAY), { signal, from }),
      ),
    );
    const isToday = date === undefined || date.text === isoDay(now);
    const names = { zone: isToday ? [[String(zone.Id)]] : [] };
    return {
      logs: read.flatMap(({ logs }) => logs),
      hasMoreData: read.some((one) => one.hasMoreData),
      isCut: read.some((one) => one.isCut),
      day: date?.text ?? isoDay(now),
      from,
      trouble: await troubleOf(names, context),
    };
  },

  render(
    { logs, hasMoreData, isCut, day, from, trouble: { parts: trouble, since: began } },
    { zone, date, since, all },
    reader,
  ) {
    const start = Date.parse(`${day}T00:00:00Z`);
    const isKept = start + DAY > reader.now.getTime() - LOG_RETENTION_DAYS * DAY;
    const range = from === undefined ? day : `--since ${from.toISOString()}`;
    const leads = [
      isKept && commandButton('Log summary', `log summary ${zone.Id} --date ${day}`),
      commandButton('The day before', `errors show ${zone.Id} ${isoDay(new Date(start - DAY))}`),
    ];
    const when =
      from !== undefined
        ? mrkdwn`since ${moment(from)}${from === since?.instant ? '' : ' (four days at most)'}`
        : `on ${day} (${date === undefined ? 'today in UTC' : 'UTC'})`;
    const more = isCut
      ? note(
          `This day has more records. These are the newest ${count(logs.length, reader)}, the most that Edgewise holds.`,
        )
      : hasMoreData && note('The platform has more records of this day, but no way to get them.');
    if (logs.length === 0) {
      return nothing(
        mrkdwn`${nameWithId(zone)}: no origin errors ${when}.`,
        ...trouble,
        more,
        note('The platform keeps only recent days.'),
        actions(...leads),
      );
    }
    const groups = groupsOf(logs, zone);
    const kinds = countOf(groups.length, 'kind', reader);
    const title = mrkdwn`${bold(nameWithId(zone))}: ${countOf(logs.length, 'origin error', reader)} of ${kinds} ${when}.`;
    const asTable = (isShort: boolean) =>
      errorTable(
        groups.slice(isShort ? MOST_ROWS : 0, MOST_GROUPS),
        {
          caption:
            groups.length > MOST_GROUPS
              ? `The ${MOST_GROUPS} most frequent kinds`
              : isShort
                ? 'The other kinds'
                : 'By kind',
          whole: () => logs.length,
          from: from ?? new Date(start),
          oneZone: true,
          isShort,
        },
        reader,
      );
    if (all) {
      return message(title, asTable(false), latestTable(logs, reader), more, actions(...leads));
    }
    const hours = new Array<number>(24).fill(0);
    for (const { at } of logs) if (at.toISOString().startsWith(day)) hours[at.getUTCHours()]! += 1;
    const isBefore = began !== undefined && !hasMoreData && logs.every(({ at }) => at < began);
    return message(
      ...trouble,
      isBefore && section(mrkdwn`No origin error since ${moment(began)}: these came before.`),
      title,
      ...groups.slice(0, MOST_ROWS).map((group) => rowOf(group, zone, reader)),
      groups.length > MOST_ROWS && asTable(true),
      from === undefined && dayChart('Errors', 'Errors', day, hours, reader),
      more,
      actions(commandButton('More', `errors show ${zone.Id} ${range} --all`), ...leads),
    );
  },
});
