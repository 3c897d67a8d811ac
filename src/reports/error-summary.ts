import { sparkline } from '../blocks/chart.ts';
import { count, dayAndTime, duration, type Reading, share, time } from '../blocks/format.ts';
import { shorten } from '../blocks/limits.ts';
import { actions, commandButton, message, note, section } from '../blocks/message.ts';
import { code, join, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import { table } from '../blocks/table.ts';
import { UsageError } from '../errors.ts';
import type { RecordFields } from '../logs/record-filter.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from '../platform/errors.ts';
import type { PullZone } from '../platform/types.ts';
import { type ErrorEvent, type ErrorGroup, type ErrorSample, groupErrors } from './error-groups.ts';
import { defineReport, type ReportContext } from './report.ts';
import { dayKey } from './report-days.ts';
import { several } from './several.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const AT_ONCE = 4;
const PAGE = 1000;

/** Groups in the table, and groups of which samples are shown. */
const MOST_GROUPS = 15;
const MOST_SAMPLED = 3;
const LONGEST_SAMPLE = 200;

interface Collected {
  from: Date;
  to: Date;
  groups: ErrorGroup[];
  /** Errors from each of the two logs. One failed request may be in both. */
  totals: Record<ErrorEvent['source'], number>;
  /** The zone with most errors: where the buttons lead. */
  worst: { id: number; requests: number } | undefined;
  /** What could not be read, or not whole. */
  notes: string[];
}

interface ZoneErrors {
  id: number;
  events: ErrorEvent[];
  notes: string[];
  /** Why a log of it could not be read. */
  failure?: Error;
}

/** Row 14 for each day that the stretch touches. */
async function originErrors(
  zone: PullZone,
  name: string,
  { platform, from, to, signal }: ReportContext,
): Promise<ErrorEvent[]> {
  const events: ErrorEvent[] = [];
  for (let day = from.getTime() - (from.getTime() % DAY); day < to.getTime(); day += DAY) {
    const iso = dayKey(new Date(day));
    const { logs } = await platform.originErrors.get(zone.Id, `${iso.slice(5)}-${iso.slice(0, 4)}`, {
      signal,
      priority: 'background',
    });
    for (const { at, error, labels } of logs) {
      if (at === undefined || at < from || at >= to) continue;
      events.push({
        source: 'origin',
        time: at.getTime(),
        zone: name,
        code: error.ErrorCode,
        status: error.StatusCode,
        message: error.Message,
        address: error.RequestUrl,
        region: labels?.ServerZone,
      });
    }
  }
  return events;
}

/** Row 15: failures that visitors got. `whole` is false when there are more than were read. */
async function edgeErrors(
  zone: PullZone,
  name: string,
  mostPages: number,
  { platform, from, to, signal }: ReportContext,
) {
  const events: ErrorEvent[] = [];
  let offset: number | undefined = 0;
  for (let page = 0; page < mostPages && offset !== undefined; page += 1) {
    const query = { from, to, status: ['5xx'], limit: PAGE, offset, order: 'asc' as const };
    const answer: Awaited<ReturnType<typeof platform.accessLogs.query>> = await platform.accessLogs.query(
      zone.Id,
      query,
      {
        signal,
        priority: 'background',
      },
    );
    for (const record of answer.data) {
      const at = Date.parse(record.timestamp ?? '');
      if (Number.isNaN(at) || (record.statusCode ?? 0) < 500) continue;
      events.push({
        source: 'edge',
        time: at,
        zone: name,
        code: undefined,
        status: record.statusCode,
        message: undefined,
        address: record.path ?? record.url,
        region: record.edgeLocation,
      });
    }
    offset = answer.nextOffset;
  }
  return { events, whole: offset === undefined };
}

async function errorsOf(zone: PullZone, mostPages: number, context: ReportContext): Promise<ZoneErrors> {
  const name = zone.Name ?? String(zone.Id);
  const found: ZoneErrors = { id: zone.Id, events: [], notes: [] };
  const attempt = async (what: string, read: () => Promise<void>) => {
    try {
      await read();
    } catch (error) {
      // A zone without a log has nothing to tell; one that cannot be read is named, and takes nothing from the others.
      if (error instanceof PlatformError && error.key === 'logging_disabled') return;
      if (
        !(
          error instanceof PlatformError ||
          error instanceof PlatformConnectionError ||
          error instanceof PlatformShapeError
        )
      )
        throw error;
      found.failure = error;
      found.notes.push(`${name}: the ${what} could not be read (${error.message})`);
    }
  };
  await attempt('origin errors', async () => {
    found.events.push(...(await originErrors(zone, name, context)));
  });
  if (zone.EnableLogging !== false) {
    await attempt('access log', async () => {
      const { events, whole } = await edgeErrors(zone, name, mostPages, context);
      found.events.push(...events);
      if (!whole) found.notes.push(`${name}: only the first ${count(events.length)} failed requests were read`);
    });
  }
  return found;
}

/** What filters may ask for. */
function fieldsOf({ zone, status, code: name, message: words, address, region, source }: ErrorEvent): RecordFields {
  const path = address?.replace(/^https?:\/\/[^/]+/, '');
  return { zone, status, code: name, message: words, path, region, source };
}

function ofSource(events: readonly ErrorEvent[], source: ErrorEvent['source']): number {
  return events.filter((event) => event.source === source).length;
}

function sampleWords({ time: at, zone, region, address, message: words }: ErrorSample, reading: Reading): Words {
  const where = [zone, ...(region === undefined ? [] : [region])].join(', ');
  return mrkdwn`• ${time(new Date(at), reading)}, ${where}: ${address === undefined ? '' : code(shorten(address, LONGEST_SAMPLE))} ${shorten(words ?? '', LONGEST_SAMPLE)}`;
}

function samplesOf(groups: readonly ErrorGroup[], reading: Reading): Words {
  return join(
    groups
      .slice(0, MOST_SAMPLED)
      .flatMap((group) => [mrkdwn`*${kindOf(group)}*`, ...group.samples.map((sample) => sampleWords(sample, reading))]),
    '\n',
  );
}

function kindOf({ code: name, status, message: words, path }: ErrorGroup): string {
  return [name ?? 'failed request', status === undefined ? '' : String(status), words ?? path ?? '']
    .filter((word) => word !== '')
    .join(' · ');
}

function listed(counts: [string, number][], reading: Reading): string {
  const shown = counts.slice(0, 3).map(([name, requests]) => `${name} ${count(requests, reading)}`);
  return [...shown, ...(counts.length > 3 ? [`${counts.length - 3} more`] : [])].join(', ');
}

/** Rows 14 and 15: what went wrong since the last summary, by what is wrong. */
export const errorSummary = defineReport({
  name: 'error-summary',
  summary: 'What went wrong in the logs since the last time, by kind of error',
  schedule: '*/15 * * * *',
  args: { mostZones: 100, mostPages: 5, minErrors: 1 },
  stretch: { first: 15 * MINUTE, longest: DAY, lag: MINUTE },

  async collect({ mostZones, mostPages }, context): Promise<Collected> {
    const { items, missing } = await context.zones();
    if (missing !== undefined) throw new UsageError(`There is no list of pull zones to look through: ${missing}.`);
    // The logs of a zone that is off are refused, and there is nothing new in them.
    const live = items.filter((zone) => zone.Suspended !== true && zone.Enabled !== false);
    const largest = live.sort((a, b) => (b.MonthlyBandwidthUsed ?? 0) - (a.MonthlyBandwidthUsed ?? 0));
    const read = await several(largest.slice(0, mostZones), AT_ONCE, (zone) => errorsOf(zone, mostPages, context));
    const zones = read.map((zone) => ({
      ...zone,
      events: zone.events.filter((event) => context.filter(fieldsOf(event))),
    }));
    const events = zones.flatMap((zone) => zone.events);
    const failure = zones.every((zone) => zone.failure !== undefined) ? zones[0]?.failure : undefined;
    if (failure !== undefined && events.length === 0) throw failure;
    const [worst] = zones
      .map(({ id, events: own }) => ({ id, requests: own.length }))
      .sort((a, b) => b.requests - a.requests);
    return {
      from: context.from,
      to: context.to,
      groups: groupErrors(events, context.from, context.to),
      totals: { origin: ofSource(events, 'origin'), edge: ofSource(events, 'edge') },
      worst: worst === undefined || worst.requests === 0 ? undefined : worst,
      notes: [
        ...(live.length > mostZones
          ? [`The ${mostZones} zones with most traffic of ${live.length} were looked at.`]
          : []),
        ...zones.flatMap((zone) => zone.notes),
      ],
    };
  },

  print: ({ groups }) => groups.map(kindOf).sort().join('\n'),

  render({ from, to, groups, totals, worst, notes }, { minErrors }, reading) {
    if (worst === undefined || totals.origin + totals.edge < minErrors) return undefined;
    const parts = [
      totals.edge > 0 &&
        mrkdwn`*${count(totals.edge, reading)} failed ${totals.edge === 1 ? 'request' : 'requests'}* of visitors (5xx)`,
      totals.origin > 0 &&
        mrkdwn`*${count(totals.origin, reading)} ${totals.origin === 1 ? 'error' : 'errors'}* between the edge and the origin`,
    ].filter((part) => part !== false);
    const range = `--from ${from.toISOString()} --to ${to.toISOString()}`;
    return message(
      mrkdwn`${join(parts, ' and ')} in the ${duration(to.getTime() - from.getTime(), reading)} up to ${dayAndTime(to, reading)}.`,
      table({
        caption:
          groups.length > MOST_GROUPS
            ? `The ${MOST_GROUPS} most frequent of ${count(groups.length, reading)} kinds`
            : 'By kind',
        pageSize: 10,
        columns: [
          { label: 'Errors', align: 'right' },
          { label: 'Share', align: 'right' },
          { label: 'Error' },
          { label: 'Status' },
          { label: 'Message' },
          { label: 'Path' },
          { label: 'Zones' },
          { label: 'Regions' },
          { label: 'First' },
          { label: 'Last' },
          { label: 'Course' },
        ],
        rows: groups.slice(0, MOST_GROUPS).map((group) => [
          { value: group.requests, text: count(group.requests, reading) },
          {
            value: (100 * group.requests) / totals[group.source],
            text: share(group.requests, totals[group.source], reading),
          },
          group.code ?? 'failed request',
          group.status === undefined ? '–' : String(group.status),
          group.message ?? '–',
          group.path ?? '–',
          listed(group.zones, reading),
          listed(group.regions, reading),
          time(new Date(group.first), reading),
          time(new Date(group.last), reading),
          sparkline(group.course),
        ]),
      }),
      section(samplesOf(groups, reading)),
      actions(
        commandButton('Show me the requests', `log search ${worst.id} --status 5xx ${range}`),
        totals.origin > 0 &&
          commandButton('Show the origin errors', `errors show ${worst.id} ${dayKey(new Date(to.getTime() - 1))}`),
      ),
      ...notes.slice(0, 5).map((line) => note(line)),
      notes.length > 5 && note(`${notes.length - 5} more zones could not be read whole.`),
    );
  },
});
