import { chart } from '../../blocks/chart.ts';
import { errorTable } from '../../blocks/error-table.ts';
import { count, logTime, share } from '../../blocks/format.ts';
import { message, note, type Part, section } from '../../blocks/message.ts';
import { bold, join, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { type Cell, table } from '../../blocks/table.ts';
import { type ErrorEvent, type ErrorGroup, groupErrors } from '../../logs/error-groups.ts';
import type { OriginError, OriginErrorDay } from '../../platform/resources/origin-errors.ts';
import { DAY, isoDay } from '../../time.ts';
import { day } from '../arguments/dates.ts';
import { optional } from '../arguments/plain.ts';
import { pullZone, type ZoneRef, zoneName } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { withoutQueries } from './redaction.ts';

/** Two tables share a message's 10,000 characters. */
const LATEST = 20;
const MOST_GROUPS = 20;
/** Causes in words above the tables. */
const MOST_CAUSES = 3;

/** The day's records as the report's summary groups them: by what is wrong, not by their text. */
export function groupsOf(errors: readonly OriginError[], zone: ZoneRef, day: string): ErrorGroup[] {
  const from = new Date(`${day}T00:00:00Z`);
  const events = errors.map(
    ({ at, error, labels }): ErrorEvent => ({
      source: 'origin',
      time: (at ?? from).getTime(),
      zone: zoneName(zone),
      zoneId: zone.Id,
      code: error.ErrorCode,
      status: error.StatusCode,
      message: error.Message && withoutQueries(error.Message),
      address: error.RequestUrl,
      region: labels?.ServerZone,
    }),
  );
  return groupErrors(events, from, new Date(from.getTime() + DAY));
}

/** Bullets that say what is wrong and what to look at, where that is known. */
function causesIn(groups: readonly ErrorGroup[], whole: number): Words[] {
  return groups
    .slice(0, MOST_CAUSES)
    .flatMap(({ cause, requests }) =>
      cause === undefined ? [] : [mrkdwn`• ${bold(cause.means)}: ${share(requests, whole)}. To look at: ${cause.look}`],
    );
}

function latestRow({ at, error, labels }: OriginError): (Cell | undefined)[] {
  return [
    at && logTime(at),
    error.ErrorCode,
    error.StatusCode?.toString(),
    labels?.ServerZone,
    error.RequestUrl && withoutQueries(error.RequestUrl),
    error.Message && withoutQueries(error.Message),
  ];
}

/** The hours of a UTC day, those without an error too. */
function errorsChart(logs: readonly OriginError[], day: string): Part {
  const hours = new Array<number>(24).fill(0);
  for (const { at } of logs) if (at?.toISOString().startsWith(day)) hours[at.getUTCHours()]! += 1;
  return chart({
    title: 'Errors by the hour (UTC)',
    type: 'bar',
    categories: hours.map((_, hour) => `${String(hour).padStart(2, '0')}:00`),
    series: [{ name: 'Errors', values: hours }],
    counted: 'hours',
  });
}

export const showErrors = defineOperation({
  name: 'errors show',
  summary: 'Show a day’s errors between the edge and the origin',
  synonyms: {
    verbs: 'wrong, broken, failing, fails, failed, happened, go wrong, going on, whats up, how many',
    nouns:
      'error, failures, failure, origin errors, problems, problem, outage, timeout, timeouts, down, issues, issue, trouble',
  },
  effect: 'read',
  args: { zone: pullZone(), date: optional(day('Date')) },
  examples: ['errors show shop-assets', 'errors show shop-assets yesterday', 'errors show 1001 11-20-2026'],
  toTry: 'Show a zone’s errors',

  target: ({ zone }) => zoneName(zone),

  async run({ zone, date }, { platform, now, signal }): Promise<OriginErrorDay & { day: string; assumed: boolean }> {
    const answer = await platform.originErrors.get(zone.Id, date?.instant ?? now, { signal });
    return { ...answer, day: date?.text ?? isoDay(now), assumed: date === undefined };
  },

  render({ logs, hasMoreData, isCut, day, assumed }, { zone }, reader) {
    const when = assumed ? `${day} (today in UTC, since no date was given)` : `${day} (UTC)`;
    const more = isCut
      ? note(
          `There are more records of this day: Edgewise reads ${count(logs.length, reader)} at most, in the platform’s order.`,
        )
      : hasMoreData &&
        note('There are more records of this day than these; the platform has no known way to ask for them.');
    if (logs.length === 0) {
      return message(
        mrkdwn`${zoneName(zone)}: no origin errors on ${when}.`,
        more,
        note('The platform keeps recent days only, and does not say how many.'),
      );
    }
    const groups = groupsOf(logs, zone, day);
    const causes = causesIn(groups, logs.length);
    const latest = [...logs].sort((a, b) => (b.at?.getTime() || 0) - (a.at?.getTime() || 0)).slice(0, LATEST);
    return message(
      mrkdwn`${bold(zoneName(zone))}: ${count(logs.length, reader)} origin ${logs.length === 1 ? 'error' : 'errors'} on ${when}.`,
      causes.length > 0 && section(join(causes, '\n')),
      errorTable(
        groups.slice(0, MOST_GROUPS).map((group) => ({ ...group, since: group.first })),
        {
          caption:
            groups.length > MOST_GROUPS
              ? `The ${MOST_GROUPS} most frequent of ${count(groups.length, reader)} kinds`
              : 'By kind',
          whole: () => logs.length,
          from: new Date(`${day}T00:00:00Z`),
          oneZone: true,
        },
        { ...reader, timezone: 'UTC' },
      ),
      errorsChart(logs, day),
      table({
        caption: logs.length > LATEST ? `The latest ${LATEST}` : 'Latest first',
        columns: ['Time (UTC)', 'Error', 'Status', 'Region', 'Address', 'Message'],
        rows: latest.map(latestRow),
      }),
      more,
      note('Addresses are shown without what follows the question mark: it may hold secrets.'),
    );
  },
});
