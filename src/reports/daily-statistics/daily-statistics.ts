import { clock, day as dayWords, percent, type Reading } from '../../blocks/format.ts';
import { heading, message, note, section } from '../../blocks/message.ts';
import { bold, join, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { regionsTable } from '../../blocks/regions-table.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import type { Chart, StatisticsAnswer } from '../../platform/resources/statistics.ts';
import { isPlatforms } from '../platform-errors.ts';
import { defineReport, type ReportContext } from '../report.ts';
import { several } from '../several.ts';
import { type Cause, causeOf } from './attribution.ts';
import { type Change, type Course, changeInWords, changesOf, type Measure, usualOf } from './changes.ts';
import { type ReportDay, wholeDaysBefore } from './days.ts';
import { type Extras, extrasOf } from './extras.ts';
import { type DayFigures, type DaysQuery, daysQuery, figuresOf, together } from './figures.ts';
import { daysChart, extrasTable, totalTable, zonesTable } from './tables.ts';

/** Requests to the platform at the same time. */
const AT_ONCE = 4;
/** Yesterday, and back to the same weekday four weeks before: within the 30 days of hours and the 40 of a range. */
const DAYS = 29;
/** So many zones are asked one by one for where their traffic went, when the account as a whole is not what is meant. */
const FEW_ZONES = 20;

/** A change with where it comes from. */
interface Told {
  change: Change;
  /** Undefined: all zones together. */
  zone: string | undefined;
  /** The zone that has most of what is beyond the usual. */
  mostly: { zone: string; part: number } | undefined;
  cause: Cause | undefined;
}

interface Collected {
  days: readonly ReportDay[];
  timezone: string;
  total: Course;
  zones: Course[];
  extras: Extras[];
  regions: Chart;
  told: Told[];
  /** Why some or all zones are missing. */
  notes: string[];
}

type Read = { id: number; course: Course; regions: Chart };

const courseOf = (name: string, days: readonly ReportDay[], figures: readonly DayFigures[]): Course => ({
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
      const regions = withRegions ? await regionsOf(wanted.days.at(-1)!, hourly, zone.Id, context) : {};
      return { id: zone.Id, course: courseOf(name, wanted.days, figures), regions };
    } catch (error) {
      // One zone without figures takes nothing from the others.
      if (!isPlatforms(error)) throw error;
      unread.push(`${name}: ${error.message}`);
      return undefined;
    }
  });
  return { read: read.filter((zone) => zone !== undefined), unread };
}

/** The regions that the traffic of one day went to: the platform gives them of a whole range only. */
async function regionsOf(day: ReportDay, hourly: boolean, pullZone: number | undefined, context: ReportContext) {
  const range = hourly
    ? { dateFrom: day.from, dateTo: day.to, hourly, exactRange: true }
    : { dateFrom: day.from, dateTo: new Date(day.to.getTime() - 1000) };
  const answer = await context.platform.statistics.get({ ...range, pullZone }, background(context.signal));
  return answer.GeoTrafficDistribution ?? {};
}

const AMOUNTS: Record<Measure, (day: DayFigures) => number | undefined> = {
  '5xx': (day) => day.errors5xx,
  '4xx': (day) => day.errors4xx,
  'hit rate': (day) => (day.hitRate === undefined ? undefined : ((100 - day.hitRate) * (day.requests ?? 0)) / 100),
  'origin response': (day) => (day.originResponse ?? 0) * (day.pulled ?? day.requests ?? 0),
  requests: (day) => day.requests,
  bandwidth: (day) => day.bandwidth,
};

/** The zone that has most of what is beyond the usual, and how much of it. */
function mostlyOf({ measure, now, usual }: Change, zones: readonly Course[]) {
  const way = Math.sign(now - usual) * (measure === 'hit rate' ? -1 : 1);
  const beyond = zones.map((zone) => {
    const amount = zone.days.at(-1) === undefined ? undefined : AMOUNTS[measure](zone.days.at(-1)!);
    const expected = usualOf(zone, AMOUNTS[measure], true);
    return amount === undefined || expected === undefined ? 0 : Math.max(0, way * (amount - expected.median));
  });
  const whole = beyond.reduce((sum, value) => sum + value, 0);
  const most = beyond.indexOf(Math.max(...beyond));
  if (whole === 0 || most < 0 || beyond[most]! < whole / 2) return undefined;
  return { index: most, zone: zones[most]!.name, part: beyond[most]! / whole };
}

/** The few changes that matter, each told once: of all zones where they have it, of a single one where the others do not. */
function chosen(total: Course, read: readonly Read[], most: number) {
  const zones = read.map(({ course }) => course);
  const whole = total.days.at(-1)?.requests ?? 0;
  const ofAll = changesOf(total, -1);
  const covered = new Set<string>();
  const all = ofAll.map((change) => {
    const mostly = zones.length > 1 ? mostlyOf(change, zones) : undefined;
    if (mostly !== undefined) covered.add(`${mostly.index} ${change.measure}`);
    // Another zone than the day before is no “still”.
    const own = mostly && changesOf(zones[mostly.index]!, mostly.index).find((one) => one.measure === change.measure);
    return {
      change: own === undefined ? change : { ...change, still: own.still },
      index: mostly?.index ?? (zones.length === 1 ? 0 : undefined),
      zone: undefined,
      mostly,
      weight: 2 * change.weight,
    };
  });
  const single =
    zones.length < 2
      ? []
      : zones.flatMap((zone, index) =>
          changesOf(zone, index)
            .filter(({ measure }) => !covered.has(`${index} ${measure}`))
            .map((change) => {
              const part = whole === 0 ? 0 : (zone.days.at(-1)?.requests ?? 0) / whole;
              return { change, index, zone: zone.name, mostly: undefined, weight: change.weight * (0.3 + part) };
            }),
        );
  return [...all, ...single]
    .map((one) => ({ ...one, weight: one.change.still ? one.weight / 2 : one.weight }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most);
}

function causeInWords({ from, to, words }: Cause, reading: Reading): string[] {
  const when =
    from === undefined
      ? undefined
      : to === undefined
        ? `since ${clock(from, reading)}`
        : `${clock(from, reading)} to ${clock(to, reading)}`;
  const both = [words, when].filter((part) => part !== undefined).join(' ');
  return both === '' ? [] : [both];
}

function lineOf({ change, zone, mostly, cause }: Told, reading: Reading): Words {
  const words = [
    changeInWords(change, reading),
    ...(mostly === undefined ? [] : [`${percent(Math.round(100 * mostly.part), reading)} from ${mostly.zone}`]),
    ...(cause === undefined ? [] : causeInWords(cause, reading)),
  ].join(', ');
  return zone === undefined ? mrkdwn`• ${words}` : mrkdwn`• ${bold(zone)}: ${words}`;
}

/** The last whole day where the subscription is, against the day before and the same weekday of four weeks. */
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
        ? days.map((_, index) => together(read.map(({ course }) => course.days[index]!)))
        : days.map((one) => figuresOf(whole, one, hourly));
    const course = courseOf(context.whole ? 'All zones' : 'These zones', days, total);
    const told = await several(chosen(course, read, mostChanges), AT_ONCE, async ({ change, index, zone, mostly }) => {
      const part = ({ '5xx': 'Error5xxChart', '4xx': 'Error4xxChart' } as const)[change.measure as '5xx' | '4xx'];
      const found = index === undefined ? undefined : read[index];
      const cause = part === undefined || found === undefined ? undefined : await causeOf(found.id, day, part, context);
      return { change, zone, mostly, cause };
    });
    // Nobody waits for figures of a zone without traffic; when traffic stops, that is told as a change.
    const busy = read.filter(({ course: one }) => one.days.some(({ requests = 0 }) => requests > 0));
    const regions = context.whole
      ? await regionsOf(day, hourly, undefined, context)
      : added(read.map((one) => one.regions));
    return {
      days,
      timezone: hourly ? timezone : 'UTC',
      total: course,
      zones: busy
        .map((one) => one.course)
        .sort((a, b) => (b.days.at(-1)?.requests ?? 0) - (a.days.at(-1)?.requests ?? 0)),
      extras: await extrasOf(zones, wanted, context),
      regions,
      told,
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
  print: ({ total, told }) =>
    told
      .map(({ change, zone }) => `${zone ?? total.name} ${change.measure}`)
      .sort()
      .join('\n'),

  render({ days, timezone, total, zones, extras, regions, told, notes }, _, reading) {
    const there = { ...reading, timezone };
    const day = days.at(-1)!;
    const title = heading(`Statistics of ${dayWords(new Date((day.from.getTime() + day.to.getTime()) / 2), there)}`);
    const { hours: _hours, ...figures } = total.days.at(-1)!;
    if (Object.values(figures).every((value) => value === undefined)) {
      return message(title, 'The platform has no figures for this day yet.');
    }
    const only = zones.length === 1 && total.days.at(-1)?.requests === zones[0]?.days.at(-1)?.requests;
    return message(
      title,
      told.length > 0 && section(join([bold('What changed'), ...told.map((one) => lineOf(one, there))], '\n')),
      totalTable(only ? zones[0]! : total, there),
      daysChart('Requests a day', 'area', days, total, [['requests', 'Requests']]),
      daysChart('Failed requests (5xx) a day', 'bar', days, total, [['errors5xx', '5xx']]),
      !only && zonesTable(zones, there),
      extrasTable(extras, there),
      regionsTable(regions, there),
      ...notes.map((line) => note(line)),
      note(
        timezone === 'UTC'
          ? 'Days are from midnight to midnight in UTC. “Usual” is the median of the same weekday of the four weeks before.'
          : `Days are those of ${timezone}, by the platform’s hours. “Usual” is the median of the same weekday of the weeks before.`,
      ),
    );
  },
});

function added(charts: readonly Chart[]): Chart {
  const sum: Chart = {};
  for (const chart of charts) for (const [key, value] of Object.entries(chart)) sum[key] = (sum[key] ?? 0) + value;
  return sum;
}
