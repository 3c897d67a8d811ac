import { commandButton } from '../../blocks/buttons.ts';
import { clock, day as dayWords, percent, type Reading, time } from '../../blocks/format.ts';
import { heading, message, note, type Part, section, sectionWith } from '../../blocks/message.ts';
import { bold, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { regionsTable } from '../../blocks/regions-table.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import type { Chart, StatisticsAnswer } from '../../platform/resources/statistics.ts';
import { HOUR } from '../../time.ts';
import { isPlatforms } from '../platform-errors.ts';
import { defineReport, type ReportContext } from '../report.ts';
import { several } from '../several.ts';
import { type Cause, causeOf } from './attribution.ts';
import { type Change, changeInWords, changesOf, type Measure, movedTogether, type Series, usualOf } from './changes.ts';
import { type ReportDay, wholeDaysBefore } from './days.ts';
import { type Extras, extrasOf } from './extras.ts';
import { type DayFigures, type DaysQuery, daysQuery, figuresOf, pointsWithin, together as sumOf } from './figures.ts';
import { dayFigures, errorsChart, extrasTable, zonesTable } from './tables.ts';

/** Requests to the platform at the same time. */
const AT_ONCE = 4;
/** Yesterday, and back to the same weekday four weeks before: within the 30 days of hours and the 40 of a range. */
const DAYS = 29;
/** Requests of an hour, on the average of a day, of which even the quietest hour has some. */
const EACH_HOUR = 1000;
/** So many zones are asked one by one for where their traffic went, when the account as a whole is not what is meant. */
const FEW_ZONES = 20;

/** A change, whose it is, and why. */
interface Told {
  change: Change;
  /** Undefined: all zones together. */
  zone: { id: number; name: string } | undefined;
  cause: Cause | undefined;
}

interface Collected {
  days: readonly ReportDay[];
  timezone: string;
  total: Series;
  zones: Series[];
  extras: Extras[];
  regions: Chart;
  told: Told[];
  /** The factor by which the requests of all zones moved, as on a holiday; 1 where they did not. */
  together: number;
  /** Until when the platform has counted the day, where that is not its end. */
  countedUntil: Date | undefined;
  /** Why some or all zones are missing. */
  notes: string[];
}

/** Where the traffic of a day went, and its requests by the hour. */
interface Hours {
  regions: Chart;
  requests: Chart;
}

type Read = { id: number; series: Series } & Hours;

const seriesOf = (name: string, days: readonly ReportDay[], figures: readonly DayFigures[]): Series => ({
  name,
  days: figures.map((one, index) => ({ ...one, hours: days[index]!.hours })),
});

const background = (signal: AbortSignal) => ({ signal, priority: 'background' }) as const;

/** A few names, and how many more. */
function named(names: readonly string[]): string {
  return names.slice(0, 5).join('; ') + (names.length > 5 ? `; and ${names.length - 5} more` : '');
}

async function zonesOf(zones: readonly PullZone[], wanted: DaysQuery, withRegions: boolean, context: ReportContext) {
  const { platform, signal } = context;
  const hourly = wanted.query.hourly === true;
  const unread: string[] = [];
  const read = await several(zones, AT_ONCE, async (zone): Promise<Read | undefined> => {
    const name = zone.Name ?? String(zone.Id);
    try {
      const answer = await platform.statistics.get({ ...wanted.query, pullZone: zone.Id }, background(signal));
      const figures = wanted.days.map((day) => figuresOf(answer, day, hourly));
      const day = wanted.days.at(-1)!;
      const hours = withRegions ? await hoursOf(day, zone.Id, context) : { regions: {}, requests: {} };
      return { id: zone.Id, series: seriesOf(name, wanted.days, figures), ...hours };
    } catch (error) {
      // One zone without figures takes nothing from the others.
      if (!isPlatforms(error)) throw error;
      unread.push(`${name}: ${error.message}`);
      return undefined;
    }
  });
  return { read: read.filter((zone) => zone !== undefined), unread };
}

/** The platform gives regions of a whole range only, so the day is asked for by itself. */
async function hoursOf(day: ReportDay, pullZone: number | undefined, context: ReportContext): Promise<Hours> {
  const query = { dateFrom: day.from, dateTo: day.to, hourly: true, exactRange: true, pullZone };
  const answer = await context.platform.statistics.get(query, background(context.signal));
  return { regions: answer.GeoTrafficDistribution ?? {}, requests: answer.RequestsServedChart ?? {} };
}

/** Where each hour has requests, the end of the last one that has; undefined when that is the day's, or nobody can tell. */
function countedUntil(series: Series, requests: Chart, day: ReportDay): Date | undefined {
  const usual = usualOf(series, (one) => one.requests, true)?.median ?? 0;
  if (usual < EACH_HOUR * day.hours) return undefined;
  const points = pointsWithin(requests, day, true);
  const last = Math.max(
    day.from.getTime(),
    ...points.flatMap(([at, value]) => (value > 0 ? [Date.parse(at) + HOUR] : [])),
  );
  return last < day.to.getTime() ? new Date(last) : undefined;
}

/** The few changes that matter most, by how far beyond the usual they are and how large their zone is. */
function chosen(total: Series, read: readonly Read[], isEach: boolean, together: number, most: number) {
  const whole = total.days.at(-1)?.requests ?? 0;
  const single = read.flatMap(({ series }, index) =>
    changesOf(series, index, together).map((change) => {
      const part = whole === 0 ? 0 : (series.days.at(-1)?.requests ?? 0) / whole;
      return { change, weight: change.weight * (0.3 + part) };
    }),
  );
  // Zones that were not read show in the total alone.
  const all = isEach ? [] : changesOf(total, -1, together);
  const rest = all.filter(({ measure }) => !single.some(({ change }) => change.measure === measure));
  return [...rest.map((change) => ({ change, weight: 2 * change.weight })), ...single]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most)
    .map(({ change }) => change);
}

function causeInWords({ from, to, words }: Cause, reading: Reading): string[] {
  const when =
    from === undefined
      ? undefined
      : to === undefined
        ? `since ${time(from, reading)}`
        : `${clock(from, reading)} to ${time(to, reading)}`;
  const both = [words, when].filter((part) => part !== undefined).join(' ');
  return both === '' ? [] : [both];
}

function lineOf({ change, zone, cause }: Told, reading: Reading): Words {
  const words = [changeInWords(change, reading), ...(cause === undefined ? [] : causeInWords(cause, reading))].join(
    ', ',
  );
  return zone === undefined ? mrkdwn`All zones: ${words}` : mrkdwn`${bold(zone.name)}: ${words}`;
}

/** The command that shows a zone's change closer. */
function commandOf(measure: Measure, zone: number, { date, from, to }: ReportDay): string {
  const range = `--from ${from.toISOString()} --to ${to.toISOString()}`;
  if (measure === '5xx') return `errors show ${zone} ${date}`;
  return measure === '4xx' ? `log search ${zone} --status 4xx ${range}` : `stats show ${zone} ${range} --hourly`;
}

/** `🟡 Sun, Sep 27, 2026: 2 of 14 zones need a look`. */
function titleOf({ told, zones, countedUntil: until }: Collected, day: string): string {
  if (until !== undefined) return `⚪ ${day}: not complete`;
  const names = new Set(told.flatMap(({ zone }) => (zone === undefined ? [] : [zone.name])));
  if (names.size === 0) return told.length > 0 ? `🟡 ${day}: the total needs a look` : `🟢 ${day}: nothing stands out`;
  return `🟡 ${day}: ${names.size} of ${zones.length} ${zones.length === 1 ? 'zone' : 'zones'} ${names.size === 1 ? 'needs' : 'need'} a look`;
}

/** A line for each change, with the button that shows it closer. */
function linesOf({ told, together, countedUntil: until, days }: Collected, reading: Reading): Part[] {
  if (until !== undefined)
    return [section(`The platform has counted this day until ${time(until, reading)}. Nothing is compared.`)];
  const moved = percent(Math.abs(Math.round(100 * (together - 1))), reading);
  const sign = together > 1 ? '+' : '−';
  return [
    ...(together === 1 ? [] : [section(`All zones together: requests ${sign}${moved} against usual, as on a holiday`)]),
    ...told.map((one) => {
      const { change, zone } = one;
      const words = lineOf(one, reading);
      if (zone === undefined) return section(words);
      return sectionWith(words, commandButton('Look', commandOf(change.measure, zone.id, days.at(-1)!)));
    }),
  ];
}

/** The last whole day where the subscription is, each zone beside its own usual. */
export const dailyStatistics = defineReport({
  name: 'daily-statistics',
  summary: 'Yesterday’s traffic, cache and errors, in total and per zone',
  schedule: '0 9 * * *',
  args: { mostZones: 100, mostChanges: 5 },

  async collect({ mostZones, mostChanges }, context: ReportContext): Promise<Collected> {
    const { platform, signal, to, timezone = 'UTC' } = context;
    const wanted = daysQuery(wholeDaysBefore(to, DAYS, timezone), timezone, to);
    const { days, query } = wanted;
    const hourly = query.hourly === true;
    const day = days.at(-1)!;
    const { items, missing } = await context.zones();
    const largest = [...items].sort((a, b) => (b.MonthlyBandwidthUsed ?? 0) - (a.MonthlyBandwidthUsed ?? 0));
    const zones = largest.slice(0, mostZones);
    const whole: StatisticsAnswer | undefined = context.whole
      ? await platform.statistics.get(query, background(signal))
      : undefined;
    const { read, unread } = await zonesOf(zones, wanted, !context.whole && zones.length <= FEW_ZONES, context);
    const total =
      whole === undefined
        ? days.map((_, index) => sumOf(read.map(({ series }) => series.days[index]!)))
        : days.map((one) => figuresOf(whole, one, hourly));
    const series = seriesOf(context.whole ? 'All zones' : 'These zones', days, total);
    const { regions, requests } = context.whole
      ? await hoursOf(day, undefined, context)
      : { regions: added(read.map((one) => one.regions)), requests: added(read.map((one) => one.requests)) };
    const isAsked = context.whole || zones.length <= FEW_ZONES;
    const until = isAsked ? countedUntil(series, requests, day) : undefined;
    const together = until === undefined ? movedTogether(read.map((one) => one.series)) : 1;
    const isEach = missing === undefined && read.length === items.length;
    const changes = until === undefined ? chosen(series, read, isEach, together, mostChanges) : [];
    const told = await several(changes, AT_ONCE, async (change): Promise<Told> => {
      const found = read[change.of];
      const part = ({ '5xx': 'Error5xxChart', '4xx': 'Error4xxChart' } as const)[change.measure as '5xx' | '4xx'];
      const cause =
        part === undefined || found === undefined
          ? undefined
          : await causeOf(found.id, day, part, change.usual, context);
      return { change, zone: found && { id: found.id, name: found.series.name }, cause };
    });
    // Nobody waits for figures of a zone without traffic; when traffic stops, that is told as a change.
    const busy = read.filter(({ series: one }) => one.days.some(({ requests = 0 }) => requests > 0));
    return {
      days,
      timezone: hourly ? timezone : 'UTC',
      total: series,
      zones: busy
        .map((one) => one.series)
        .sort((a, b) => (b.days.at(-1)?.requests ?? 0) - (a.days.at(-1)?.requests ?? 0)),
      extras: await extrasOf(zones, wanted, context),
      regions,
      told,
      together,
      countedUntil: until,
      notes: [
        ...(missing === undefined ? [] : [`There are no figures per zone: ${missing}.`]),
        ...(items.length > mostZones ? [`The ${mostZones} zones with most traffic of ${items.length}.`] : []),
        ...(unread.length > 0 ? [`No figures for ${named(unread)}.`] : []),
        ...(day.hours === 24
          ? []
          : [`This day had ${day.hours} hours: the clocks were changed. Counts are compared per hour.`]),
      ],
    };
  },

  /** The measures that stand out, not by how much: without any, tomorrow’s message is like today’s. */
  fingerprint: ({ total, told, together, countedUntil: until }) =>
    [
      ...told.map(({ change, zone }) => `${zone?.name ?? total.name} ${change.measure}`),
      ...(together === 1 ? [] : ['all zones together']),
      ...(until === undefined ? [] : ['not complete']),
    ]
      .sort()
      .join('\n'),

  render(collected, _, reading) {
    const { days, timezone, total, notes } = collected;
    const there = { ...reading, timezone };
    const day = days.at(-1)!;
    const date = dayWords(new Date((day.from.getTime() + day.to.getTime()) / 2), there);
    const isComplete = collected.countedUntil === undefined;
    const { hours: _hours, ...figures } = total.days.at(-1)!;
    if (Object.values(figures).every((value) => value === undefined))
      return message(heading(`⚪ ${date}: no figures yet`), 'The platform has not counted this day.');
    return message(
      heading(titleOf(collected, date)),
      ...linesOf(collected, there),
      dayFigures(total, isComplete, there),
      isComplete && errorsChart(days, total),
      ...notes.map((line) => note(line)),
    );
  },

  details({ timezone, zones, extras, regions, countedUntil: until }, _, reading) {
    const there = { ...reading, timezone };
    return message(
      zonesTable(zones, until === undefined, there),
      extrasTable(extras, there),
      regionsTable(regions, there),
      note(
        `Days are those of ${timezone}${timezone === 'UTC' ? '' : ', by the platform’s hours'}. Usual: the same weekday at the level of the last week; for shares the median of ten days.`,
      ),
    );
  },
});

function added(charts: readonly Chart[]): Chart {
  const sum: Chart = {};
  for (const chart of charts) for (const [key, value] of Object.entries(chart)) sum[key] = (sum[key] ?? 0) + value;
  return sum;
}
