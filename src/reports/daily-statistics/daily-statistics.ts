import { commandButton } from '../../blocks/buttons.ts';
import { clock, countOf, day as dayWords, percent, type Reading, time } from '../../blocks/format.ts';
import { heading, message, note, type Part, section, sectionWith } from '../../blocks/message.ts';
import { bold, clockOf, join, link, moment, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { regionsTable } from '../../blocks/regions-table.ts';
import type { Changed } from '../../changed.ts';
import { groupErrors } from '../../logs/error-groups.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { HOUR, isoDay } from '../../time.ts';
import { causeInWords } from '../error-summary/words.ts';
import { errorsOf } from '../error-summary/zone-errors.ts';
import { isPlatforms } from '../platform-errors.ts';
import { defineReport, type ReportContext } from '../report.ts';
import { several } from '../several.ts';
import { requestsOf } from '../usual.ts';
import { ACCOUNT, WEEKS } from '../zone-hours.ts';
import { type Attacked, attackParts, attacksOn, stands } from './attacks.ts';
import { type Change, changesOf, movedTogether, usualFigure } from './changes.ts';
import { type ReportDay, wholeDaysBefore } from './days.ts';
import { addedHours, figuresOf, type Series, seriesOf } from './figures.ts';
import { dayFigures, errorsChart, zonesTable } from './tables.ts';
import { changeInWords, incidentInWords, type PastIncident } from './words.ts';

/** In the words of *Look*. Undefined: it cannot be read, or no cause has most of the errors. */
async function causeOf(zone: PullZone, from: Date, to: Date, context: ReportContext): Promise<string | undefined> {
  const { events } = await errorsOf(zone, 'origin', 1, { ...context, from, to });
  const [most] = groupErrors(events, { byPath: false });
  // Fewer errors do not show the cause of most.
  const isMost = most !== undefined && most.requests >= Math.max(10, events.length / 2);
  return isMost ? causeInWords(most) : undefined;
}

/** What was changed that day, whoever did it, and what others said that they did, newest first. */
async function changedOn({ from, to }: ReportDay, zones: readonly PullZone[], { timeLine }: ReportContext) {
  const { changes = [], unread } = (await timeLine?.({ from, to })) ?? {};
  const isOf = (one: Changed) => zones.some(({ Id }) => one.zones.includes(Id));
  const marks = changes.flatMap((one) =>
    one.by === 'mark' && (one.zones.length === 0 || isOf(one)) ? mrkdwn`${one.words}, ${moment(one.at, '{time}')}` : [],
  );
  const more = marks.length > MOST_MARKS ? [`and ${marks.length - MOST_MARKS} more`] : [];
  const said = join([...marks.slice(0, MOST_MARKS), ...more], '; ');
  const made = changes.filter((one) => one.by !== 'mark' && isOf(one));
  const elsewhere = made.filter(({ by }) => by !== 'bot').length;
  const many = `${countOf(made.length, 'change')} on these zones that day`;
  return [
    marks.length > 0 && mrkdwn`${bold(`${countOf(marks.length, 'mark')}:`)} ${said}.`,
    made.length > 0 && (unread === undefined ? `${many}, ${elsewhere} made elsewhere.` : `${many} by Edgewise.`),
  ].filter((one) => one !== false);
}

/** Zones whose incident goes on as this is posted, the gravest and then the longest first, and then what is quiet. */
async function brokenNow(zones: readonly PullZone[], { broken, whole }: ReportContext) {
  const names = new Map(zones.map((one) => [String(one.Id), nameOf(one)]));
  if (whole) names.set(String(ACCOUNT), 'all zones');
  const found = ((await broken?.()) ?? [])
    .flatMap(({ troubles, address }) => troubles.map((one) => ({ ...one, address, name: names.get(one.zone) ?? '' })))
    .filter(({ name }) => name !== '')
    .sort((a, b) => rankOf(a) - rankOf(b) || a.since.getTime() - b.since.getTime());
  return found.filter((one, at) => found.findIndex(({ zone }) => zone === one.zone) === at);
}

const rankOf = ({ lately, isMinor = false }: { lately?: number | undefined; isMinor?: boolean }) =>
  lately === 0 ? 2 : Number(isMinor);

const AT_ONCE = 4;
const MOST_INCIDENTS = 5;
const MOST_MARKS = 5;

/** In bytes. */
type Regions = Readonly<Record<string, number>>;

interface Told {
  change: Change;
  zone: PullZone | undefined;
  cause: string | undefined;
}

interface Collected {
  days: readonly ReportDay[];
  timezone: string;
  total: Series;
  zones: Series[];
  regions: Regions;
  told: Told[];
  /** The zone of a failure that is told, if there is one. */
  failing: Series | undefined;
  /** Incidents of that day that were told at the time. */
  incidents: readonly PastIncident[];
  /** Incidents that began after it and are over, the newest first. */
  later: readonly PastIncident[];
  broken: Awaited<ReturnType<typeof brokenNow>>;
  now: Date;
  attacks: readonly Attacked[];
  /** The factor by which all zones moved, as on a holiday. */
  together: number;
  /** Set if the platform has not counted the whole day. */
  countedUntil: Date | undefined;
  /** How many zones have incomplete figures of the day. */
  lacking: number;
  notes: Words[];
}

interface Read {
  zone: PullZone;
  series: Series;
  /** Empty if they were not asked for. */
  regions: Regions;
}

const background = (signal: AbortSignal) => ({ signal, priority: 'background' }) as const;

const nameOf = ({ Id, Name }: PullZone) => Name ?? String(Id);

function named(names: readonly string[]): string {
  return names.slice(0, 5).join('; ') + (names.length > 5 ? `; and ${names.length - 5} more` : '');
}

/** `ACCOUNT`: all zones together. */
async function daysOf(zone: number, name: string, days: readonly ReportDay[], { hours, to, signal }: ReportContext) {
  const from = Math.floor(days[0]!.from.getTime() / HOUR) * HOUR;
  // What was read before the day was over lacks its end.
  const age = Math.min(HOUR, to.getTime() - days.at(-1)!.to.getTime());
  const read = await hours(zone, { from, to: to.getTime(), age, signal });
  return seriesOf(name, read.hours, days);
}

async function zonesOf(
  zones: readonly PullZone[],
  days: readonly ReportDay[],
  withRegions: boolean,
  context: ReportContext,
) {
  const unread: string[] = [];
  const read = await several(zones, AT_ONCE, async (zone): Promise<Read | undefined> => {
    const name = nameOf(zone);
    try {
      const series = await daysOf(zone.Id, name, days, context);
      return { zone, series, regions: withRegions ? await regionsOf(days.at(-1)!, zone.Id, context) : {} };
    } catch (error) {
      // A zone without figures does not stop the others.
      if (!isPlatforms(error)) throw error;
      unread.push(`${name}: ${error.message}`);
      return undefined;
    }
  });
  return { read: read.filter((zone) => zone !== undefined), unread };
}

/** The platform gives regions only for a whole range. */
async function regionsOf({ from, to }: ReportDay, pullZone: number | undefined, context: ReportContext) {
  const query = { dateFrom: from, dateTo: to, hourly: true, exactRange: true, pullZone };
  const answer = await context.platform.statistics.get(query, background(context.signal));
  return answer.GeoTrafficDistribution ?? {};
}

/** Up to which hour there are requests. Undefined: the day is whole, or it cannot be told. */
function countedUntil(series: Series, { from, to, hours }: ReportDay): Date | undefined {
  // From 1,000 requests an hour on, even the quietest hour has some.
  if ((usualFigure(series, 'requests') ?? 0) < 1000 * hours) return undefined;
  const counted = series.days.at(-1)!.findLastIndex((hour) => (hour?.requests ?? 0) > 0) + 1;
  return counted < hours ? new Date(Math.min(from.getTime() + counted * HOUR, to.getTime())) : undefined;
}

/** Undefined: the day is counted completely. */
function lackOf({ name, days }: Series): string | undefined {
  const day = days.at(-1)!;
  const missing = day.filter((hour) => hour === undefined).length;
  if (missing === 0) return undefined;
  return missing === day.length ? name : `${missing} of ${day.length} hours of ${name}`;
}

function chosen(total: Series, read: readonly Read[], isEach: boolean, together: number, most: number) {
  const whole = requestsOf(total.days.at(-1) ?? []);
  const single = read.flatMap(({ series }, index) =>
    changesOf(series, index, together).map((change) => {
      const part = whole === 0 ? 0 : requestsOf(series.days.at(-1)!) / whole;
      return { change, weight: change.weight * (0.3 + part) };
    }),
  );
  // Zones that were not read count only in the total.
  const all = isEach ? [] : changesOf(total, -1, together);
  const rest = all.filter(({ measure }) => !single.some(({ change }) => change.measure === measure));
  const hoursOf = ({ of, span }: Change) => `${of} ${span?.from} ${span?.to}`;
  const failing = new Set(single.flatMap(({ change }) => (change.measure === '5xx' ? hoursOf(change) : [])));
  // A zone that failed in the same hours explains these changes.
  const isSymptom = (change: Change) =>
    /^(?:hit rate|response time)$/.test(change.measure) && failing.has(hoursOf(change));
  return [...rest.map((change) => ({ change, weight: 2 * change.weight })), ...single]
    .filter(({ change }) => !isSymptom(change))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most)
    .map(({ change }) => change);
}

/** `from 2:00 AM to 8:00 AM UTC`, or since when if it went on. */
function hoursInWords({ span }: Change, { from, to }: ReportDay, reading: Reading): string | undefined {
  if (span === undefined) return undefined;
  const [start, end] = [span.from, span.to].map((hour) => new Date(from.getTime() + hour * HOUR));
  return end! >= to ? `since ${time(start!, reading)}` : `from ${clock(start!, reading)} to ${time(end!, reading)}`;
}

function lineOf({ change, zone, cause }: Told, total: Series, day: ReportDay, reading: Reading): Words {
  const words = [changeInWords(change, reading), cause, hoursInWords(change, day, reading)]
    .filter((part) => part !== undefined)
    .join(', ');
  return zone === undefined ? mrkdwn`${total.name}: ${words}` : mrkdwn`${bold(nameOf(zone))}: ${words}`;
}

function commandOf({ measure, span }: Change, zone: number, { from, to, hours }: ReportDay): string {
  const range = `--from ${from.toISOString()} --to ${to.toISOString()}`;
  // The platform’s days are in UTC: the one with most of these hours.
  const middle = new Date(from.getTime() + ((span?.from ?? 0) + (span?.to ?? hours)) * (HOUR / 2));
  if (measure === '5xx') return `errors show ${zone} ${isoDay(middle)}`;
  return measure === '4xx' ? `log search ${zone} --status 4xx ${range}` : `stats show ${zone} ${range} --hourly`;
}

/** `🟡 Sun, Sep 27, 2026: 2 of 14 zones need a look`. */
function titleOf(
  { told, incidents, later, zones, attacks, lacking, countedUntil: until }: Collected,
  day: string,
  reading: Reading,
): string {
  if (until !== undefined) return `⚪ ${day}: not complete`;
  const needing = new Set(told.flatMap(({ zone }) => (zone === undefined ? [] : [zone.Id])));
  const said = [
    incidents.length > 0 && countOf(incidents.length, 'incident', reading),
    attacks.some(stands) && `${countOf(attacks.filter(stands).length, 'zone', reading)} attacked`,
    needing.size > 0
      ? `${needing.size} of ${zones.length} ${zones.length === 1 ? 'zone' : 'zones'} ${needing.size === 1 ? 'needs' : 'need'} a look`
      : told.length > 0 && 'the total needs a look',
  ].filter((part) => part !== false);
  if (said.length > 0) return `🟡 ${day}: ${said.join(', ')}`;
  if (lacking > 0) return `⚪ ${day}: figures of ${countOf(lacking, 'zone')} are missing`;
  return later.length > 0
    ? `🟡 ${day}: nothing stands out, ${countOf(later.length, 'incident', reading)} today`
    : `🟢 ${day}: nothing stands out`;
}

function incidentLines(incidents: readonly PastIncident[], { now, days }: Collected, reading: Reading): string {
  const day = days.at(-1)!;
  const shown = incidents.slice(0, MOST_INCIDENTS).map((one) => incidentInWords(one, { now, day }, reading));
  if (incidents.length > MOST_INCIDENTS) shown.push(`and ${incidents.length - MOST_INCIDENTS} more`);
  return shown.join('\n');
}

function linesOf({ told, total, together, countedUntil: until, days }: Collected, reading: Reading): Part[] {
  if (until !== undefined)
    return [section(`The platform has counted this day only up to ${time(until, reading)}, so nothing is compared.`)];
  const moved = percent(Math.abs(Math.round(100 * (together - 1))), reading);
  const sign = together > 1 ? '+' : '−';
  return [
    ...(together === 1
      ? []
      : [section(`${total.name} together: requests ${sign}${moved} compared with usual, as on a holiday`)]),
    ...told.map((one) => {
      const { change, zone } = one;
      const day = days.at(-1)!;
      const words = lineOf(one, total, day, reading);
      if (zone === undefined) return section(words);
      return sectionWith(words, commandButton('Look', commandOf(change, zone.Id, day)));
    }),
  ];
}

/** `🔴 Broken now: shop since 8:40 AM, 🟠 blog since 8:55 AM, api since 8:40 AM (quiet since 8:52 AM, being watched).` */
function brokenLine({ broken, now }: Collected, reading: Reading): Words {
  const mark = broken.every((one) => rankOf(one) > 0) ? '🟠' : '🔴';
  const shown = broken.slice(0, MOST_INCIDENTS).map(({ name, since, isAbout, lately, last, asOf, address, ...one }) => {
    const zone = mrkdwn`${one.isMinor && lately !== 0 && mark === '🔴' ? '🟠 ' : ''}${address === undefined ? bold(name) : link(address, name)}`;
    const at = (date: Date) => clockOf(date, reading, now);
    const quiet = mrkdwn`${last ? mrkdwn`quiet since ${at(last)}` : 'getting better'}, being watched`;
    const failing = last ? mrkdwn`last failure seen at ${at(last)}` : asOf && mrkdwn`as of ${at(asOf)}`;
    const seen = lately === 0 ? quiet : failing;
    return mrkdwn`${zone} since ${isAbout ? 'about ' : ''}${at(since)}${seen ? mrkdwn` (${seen})` : ''}`;
  });
  const more = broken.length > shown.length ? [`and ${broken.length - shown.length} more`] : [];
  const title = broken.some(({ last, lately }) => last === undefined && lately !== 0)
    ? `${mark} Broken now`
    : '🟡 Not over yet';
  return mrkdwn`${title}: ${join([...shown, ...more], ', ')}.`;
}

/** The last whole day in the subscription’s time zone. Each zone is compared with its own usual. */
export const dailyStatistics = defineReport({
  name: 'daily-statistics',
  summary: 'Yesterday’s traffic, cache and errors, in total and per zone',
  schedule: 'daily at 9:00',
  args: { mostZones: 100, mostChanges: 5 },

  async collect({ mostZones, mostChanges }, context: ReportContext): Promise<Collected> {
    const { to, timezone = 'UTC' } = context;
    // Back to the same weekday four weeks ago.
    const days = wholeDaysBefore(to, 29, timezone).filter(({ from }) => to.getTime() - from.getTime() <= WEEKS);
    const day = days.at(-1)!;
    const { items, missing } = await context.zones();
    const largest = [...items].sort((a, b) => (b.MonthlyBandwidthUsed ?? 0) - (a.MonthlyBandwidthUsed ?? 0));
    const zones = largest.slice(0, mostZones);
    const whole = context.whole ? await daysOf(ACCOUNT, 'All zones', days, context) : undefined;
    // Regions take one more request for each zone, so only for up to twenty zones.
    const { read, unread } = await zonesOf(zones, days, whole === undefined && zones.length <= 20, context);
    const each = read.map(({ series }) => series);
    const total = whole ?? addedHours(each, 'These zones', days.length);
    const regions =
      whole === undefined ? added(read.map((one) => one.regions)) : await regionsOf(day, undefined, context);
    const until = countedUntil(total, day);
    const together = until === undefined ? movedTogether(each) : 1;
    const isEach = missing === undefined && read.length === items.length;
    const changes = until === undefined ? chosen(total, read, isEach, together, mostChanges) : [];
    const told = await several(changes, AT_ONCE, async (change): Promise<Told> => {
      const zone = read[change.of]?.zone;
      const hours = change.span ?? { from: 0, to: day.hours };
      const [from, end] = [hours.from, hours.to].map((hour) => new Date(day.from.getTime() + hour * HOUR));
      const isFailing = change.measure === '5xx' && zone !== undefined;
      return { change, zone, cause: isFailing ? await causeOf(zone, from!, end!, context) : undefined };
    });
    const broken = await brokenNow(items, context);
    const posted = (await context.incidents?.()) ?? [];
    const begun = [...posted, ...broken.map(({ zone, since }) => ({ zone: Number(zone), from: since.getTime() }))];
    const all = posted
      .filter(({ zone }) => (zone === ACCOUNT ? context.whole : items.some(({ Id }) => Id === zone)))
      .map((one) => ({
        ...one,
        isFine: !begun.some(({ zone, from }) => zone === one.zone && from > one.to),
        isMinor: broken.find(({ zone }) => Number(zone) === one.zone)?.isMinor,
      }));
    const incidents = all.filter((one) => one.from < day.to.getTime() && one.to >= day.from.getTime());
    const later = all.filter((one) => one.isOver && one.from >= day.to.getTime()).reverse();
    const failing =
      told.find(({ change }) => change.measure === '5xx')?.zone?.Id ??
      incidents.find(({ zone }) => zone !== ACCOUNT)?.zone;
    const changed = await changedOn(day, items, context);
    const attacks = await attacksOn(day, items, context);
    const off = items.filter(({ Suspended, Enabled }) => Suspended === true || Enabled === false);
    // A zone without traffic lacks nothing. If traffic stops, that is told as a change.
    const lacking = each.flatMap((series) => lackOf(series) ?? []);
    const busy = each.filter((series) => series.days.some((one) => requestsOf(one) > 0));
    return {
      days,
      timezone,
      total,
      zones: busy.sort((a, b) => requestsOf(b.days.at(-1)!) - requestsOf(a.days.at(-1)!)),
      regions,
      told,
      failing: read.find(({ zone }) => zone.Id === failing)?.series,
      incidents,
      later,
      broken,
      attacks,
      now: to,
      together,
      countedUntil: until,
      lacking: lacking.length + unread.length,
      notes: [
        ...changed,
        ...(missing === undefined ? [] : [`There are no figures per zone: ${missing}.`]),
        ...(off.length > 0
          ? [
              `${items.length - off.length} of ${items.length} zones: ${off.length} ${off.length === 1 ? 'is' : 'are'} switched off.`,
            ]
          : []),
        ...(items.length > mostZones ? [`The ${mostZones} zones with most traffic of ${items.length}.`] : []),
        ...(unread.length > 0 ? [`No figures for ${named(unread)}.`] : []),
        ...(lacking.length > 0 && until === undefined ? [`The platform sent no figures for ${named(lacking)}.`] : []),
        ...(day.hours === 24
          ? []
          : [`This day had ${day.hours} hours: the clocks were changed. It is compared hour by hour.`]),
      ],
    };
  },

  /** Without sizes: on days without changes all messages are alike. */
  fingerprint: ({ total, told, attacks, incidents, later, broken, together, lacking, countedUntil: until }) =>
    [
      ...broken.map(({ name }) => `${name} broken`),
      ...[...incidents, ...later].flatMap(({ words }) => words),
      ...told.map(({ change, zone }) => `${zone === undefined ? total.name : nameOf(zone)} ${change.measure}`),
      ...attacks.filter(stands).map(({ zone }) => `${nameOf(zone)} attacked`),
      ...(together === 1 ? [] : ['all zones together']),
      ...(until === undefined ? [] : ['not complete']),
      ...(lacking === 0 ? [] : ['figures are missing']),
    ]
      .sort()
      .join('\n'),

  render(collected, _, reading) {
    const { days, timezone, total, failing, notes, incidents, later } = collected;
    const there = { ...reading, timezone };
    const day = days.at(-1)!;
    const date = dayWords(new Date((day.from.getTime() + day.to.getTime()) / 2), there);
    const isComplete = collected.countedUntil === undefined;
    const broken = collected.broken.length > 0 && section(brokenLine(collected, there));
    const isThere = figuresOf(total.days.at(-1)!, total).requests !== undefined;
    return message(
      broken,
      later.length > 0 && section(incidentLines(later, collected, there)),
      heading(isThere ? titleOf(collected, date, there) : `⚪ ${date}: no figures yet`),
      incidents.length > 0 && section(incidentLines(incidents, collected, there)),
      ...(isThere ? linesOf(collected, there) : [section('The platform has not counted this day yet.')]),
      ...attackParts(collected.attacks, there),
      dayFigures(total, isComplete, there),
      isComplete && errorsChart(days, failing ?? total),
      ...notes.map((line) => note(line)),
      timezone === 'UTC' && note('This day is counted in UTC.'),
    );
  },

  details({ timezone, zones, regions, countedUntil: until }, _, reading) {
    const there = { ...reading, timezone };
    return message(
      zonesTable(zones, until === undefined, there),
      regionsTable(regions, there),
      note(
        `Days are in ${timezone}${timezone === 'UTC' ? '' : ', by the platform’s hours'}. “Usual” is the same hours on other days (for requests and bandwidth, on the same weekday), scaled to last week’s level.`,
      ),
    );
  },
});

function added(charts: readonly Regions[]): Regions {
  const sum: Record<string, number> = {};
  for (const chart of charts) for (const [key, value] of Object.entries(chart)) sum[key] = (sum[key] ?? 0) + value;
  return sum;
}
