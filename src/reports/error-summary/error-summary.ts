import { commandButton } from '../../blocks/buttons.ts';
import { countsInWords, errorTable, legible } from '../../blocks/error-table.ts';
import { clock, count, dayAndTime, duration, percent, type Reading } from '../../blocks/format.ts';
import { actions, message, note, section } from '../../blocks/message.ts';
import { bold, join, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { type ErrorEvent, type ErrorGroup, groupErrors, kindIdOf, kindOf, seenIn } from '../../logs/error-groups.ts';
import type { KnownGroup } from '../../logs/group-memory.ts';
import { DAY, HOUR, isoDay, MINUTE } from '../../time.ts';
import { defineReport, type ReportContext } from '../report.ts';
import { several } from '../several.ts';
import { isOpen } from '../statistics-watch/findings.ts';
import type { Watched, ZoneFinding } from '../statistics-watch/watch.ts';
import { findingParts } from '../statistics-watch/words.ts';
import { type AilingZone, ailingZones, seenOfZones } from './ailing-zones.ts';
import { goneIn, isNews, knownOf, type Novelty, noveltyOf } from './novelty.ts';
import { errorsOf, fieldsOf } from './zone-errors.ts';

const AT_ONCE = 4;

/** A summary of so long is wanted for itself: it is told whether or not anything in it is new. */
const LONG = 12 * HOUR;

/** Groups in the table, in words above it, and zones with buttons of their own. */
const MOST_GROUPS = 15;
const MOST_IN_WORDS = 5;
const MOST_BUTTONS = 3;

/** A group beside the days before. */
interface JudgedGroup extends ErrorGroup {
  novelty: Novelty;
  /** When it was first seen in these days, in Unix milliseconds. */
  since: number;
}

interface Collected {
  from: Date;
  to: Date;
  groups: JudgedGroup[];
  /** Zones of which much more fails than is usual. */
  ailing: AilingZone[];
  /** From statistics: everything that is wrong now, and that was over in this stretch. */
  findings: readonly ZoneFinding[];
  /** Something was looked at before. */
  remembers: boolean;
  /** Kinds that there were until now and are no more. */
  gone: KnownGroup[];
  /** Errors from each of the two logs. One failed request may be in both. */
  totals: Record<ErrorEvent['source'], number>;
  /** Zones whose requests are not logged: of those only the origin errors can be shown. */
  unlogged: number[];
  /** Logs that could not be read, or not whole. */
  notes: string[];
}

function ofSource(events: readonly ErrorEvent[], source: ErrorEvent['source']): number {
  return events.filter((event) => event.source === source).length;
}

/** A fixed part of a path template, to look for: `/items/<n>/a` → `/items/`. */
function fixedPartOf(path: string | undefined): string | undefined {
  const [longest] = (path ?? '').split(/<\w+>/).sort((a, b) => b.length - a.length);
  return longest !== undefined && /^[\w./-]{3,}$/.test(longest) ? longest : undefined;
}

/** The command that shows requests that failed: the log search with its filters, or the origin errors where nothing is logged. */
function commandOf(
  { zone, status, path, last }: { zone: number; status?: number | undefined; path?: string | undefined; last: number },
  { from, to, unlogged }: Collected,
): string {
  if (unlogged.includes(zone)) return `errors show ${zone} ${isoDay(new Date(last))}`;
  const url = fixedPartOf(path);
  return [
    `log search ${zone} --status ${status !== undefined && status >= 400 && status < 600 ? status : '5xx'}`,
    ...(url === undefined ? [] : [`--url ${url}`]),
    `--from ${from.toISOString()} --to ${to.toISOString()}`,
  ].join(' ');
}

/** Buttons for zones that ail, then for news elsewhere; where there is neither, for the most frequent group. */
function buttonsOf(collected: Collected, shown: readonly JudgedGroup[], minErrors: number) {
  const { groups, ailing, totals, unlogged, to } = collected;
  const elsewhere = shown.filter((group) => !ailing.some(({ zone }) => zone === group.worst));
  const news = elsewhere.filter((group) => isNews(group, minErrors));
  const chosen = ailing.length + news.length === 0 ? shown.slice(0, 1) : news;
  const targets = [
    ...ailing.map(({ zone, name }) => ({ name, zone, last: to.getTime() - 1 })),
    ...chosen.map(({ worst, status, path, last, zones: [[name] = ['']] }) => ({
      name: status === undefined ? name : `${status} on ${name}`,
      zone: worst,
      status,
      path,
      last,
    })),
  ].slice(0, MOST_BUTTONS);
  const labelled = (label: string, name: string) => (targets.length > 1 ? `${label}: ${name}` : label);
  const origin = groups.find(({ source }) => source === 'origin');
  return actions(
    ...targets.map((target) =>
      commandButton(labelled('Show me the requests', target.name), commandOf(target, collected)),
    ),
    ...targets
      .filter(({ zone }) => !unlogged.includes(zone))
      .map((target) =>
        commandButton(labelled('Two samples', target.name), `${commandOf(target, collected)} --limit 2`),
      ),
    totals.origin > 0 &&
      origin !== undefined &&
      commandButton('Show the origin errors', `errors show ${origin.worst} ${isoDay(new Date(origin.last))}`),
  );
}

const NOVELTY: Record<Exclude<Novelty, undefined>, string> = {
  new: 'new',
  growing: 'growing',
  recurring: 'as before',
};

/** Without what visitors got because of errors that are there themselves: the same told twice is noise. */
function shownOf<G extends ErrorGroup>(groups: readonly G[]): G[] {
  const origin = groups.filter(({ source }) => source === 'origin');
  return groups.filter(
    ({ source, status, path }) =>
      source === 'origin' ||
      !origin.some(
        (group) => group.status === status && (group.path === path || group.paths.some(([one]) => one === path)),
      ),
  );
}

/** New and growing kinds, and those that are gone: what is always there is in the table. */
function newsOf({ groups, gone, ailing }: Collected, minErrors: number, reading: Reading): Words[] {
  const line = (group: ErrorGroup, word: string) => {
    const [[only = ''] = [], ...others] = group.zones;
    const errors = count(group.requests, reading);
    const where = others.length === 0 ? `${errors} on ${only}` : `${errors}: ${countsInWords(group.zones, reading)}`;
    const path = group.path === undefined || group.words === undefined ? '' : `, ${legible(group.path)}`;
    return mrkdwn`• ${bold(word)}: ${legible(kindOf(group))}, ${where}${path}`;
  };
  const news = shownOf(groups).filter((group) => isNews(group, minErrors));
  const lines = [
    ...ailing
      .slice(0, MOST_IN_WORDS)
      .map(
        ({ name, failures, part }) =>
          mrkdwn`• ${bold(name)}: ${count(failures, reading)} failed, ${percent(Math.round(part), reading)} of the requests in these hours`,
      ),
    ...news.slice(0, MOST_IN_WORDS).map((group) => line(group, group.novelty === 'new' ? 'New' : 'Growing')),
    ...(news.length > MOST_IN_WORDS ? [mrkdwn`• and ${news.length - MOST_IN_WORDS} more that are new or growing`] : []),
    ...gone
      .slice(0, MOST_IN_WORDS)
      .map(
        ({ words, last }) => mrkdwn`• ${bold('Gone')}: ${legible(words)}, last at ${clock(new Date(last), reading)}`,
      ),
  ];
  return lines;
}

/** The errors of both logs since the last summary, by kind. */
export const errorSummary = defineReport({
  name: 'error-summary',
  summary: 'What is new or growing among the errors of the logs, by kind; one message a storm, kept up to date',
  schedule: '*/15 * * * *',
  args: { mostZones: 100, mostPages: 5, minErrors: 5 },
  stretch: { first: 15 * MINUTE, longest: DAY, lag: MINUTE },

  async collect({ mostZones, mostPages, minErrors }, context: ReportContext): Promise<Collected> {
    const { from, to, filter, memory, calm = from } = context;
    const { items, missing } = await context.zones();
    if (missing !== undefined) throw new UsageError(`There is no list of pull zones to look through: ${missing}.`);
    // The logs of a zone that is off are refused, and there is nothing new in them.
    const live = items.filter((zone) => zone.Suspended !== true && zone.Enabled !== false);
    const largest = live.sort((a, b) => (b.MonthlyBandwidthUsed ?? 0) - (a.MonthlyBandwidthUsed ?? 0));
    const looked = largest.slice(0, mostZones);
    const read = async (given: ReportContext) => {
      const zones = await several(looked, AT_ONCE, (zone) => errorsOf(zone, mostPages, given));
      return { zones, events: zones.flatMap((zone) => zone.events).filter((event) => filter(fieldsOf(event))) };
    };
    const nothing: Watched = { findings: [], notes: [] };
    const [{ zones, events }, watched] = await Promise.all([read(context), context.watch?.(live) ?? nothing]);
    const findings = watched.findings.filter(({ until }) => until === undefined || until > from.getTime());
    const failure = zones.every((zone) => zone.failure !== undefined) ? zones[0]?.failure : undefined;
    if (failure !== undefined && events.length === 0 && findings.length === 0) throw failure;
    const remember = async (stretch: { from: Date; to: Date }, seen: readonly ErrorEvent[]) =>
      memory?.remember?.(stretch, [...seenOfZones(seen, stretch), ...seenIn(seen, stretch.from, stretch.to)]);
    let known = (await memory?.recall(calm)) ?? { looked: 0, groups: new Map() };
    if (known.looked === 0 && memory?.remember !== undefined) {
      // The first time: the logs of the day before say what is usual.
      const before = { from: new Date(calm.getTime() - DAY), to: calm };
      await remember(before, (await read({ ...context, ...before })).events);
      known = await memory.recall(calm);
    }
    await remember({ from, to }, events);
    const groups = groupErrors(events, from, to);
    return {
      from,
      to,
      groups: groups.map((group) => ({
        ...group,
        novelty: noveltyOf(group, known, to.getTime() - from.getTime()),
        since: Math.min(group.first, knownOf(group, known.groups)?.first ?? group.first),
      })),
      findings,
      remembers: known.looked > 0,
      ailing: await ailingZones(events, known, minErrors, context),
      // An error of a log that could not be read may still be there.
      gone: zones.some((zone) => zone.failure !== undefined)
        ? []
        : goneIn(known, new Set(groups.map(kindIdOf)), { from, to }),
      unlogged: live.filter((zone) => zone.EnableLogging === false).map((zone) => zone.Id),
      totals: { origin: ofSource(events, 'origin'), edge: ofSource(events, 'edge') },
      notes: [
        ...(live.length > mostZones
          ? [`The ${mostZones} zones with most traffic of ${live.length} were looked at.`]
          : []),
        ...watched.notes,
        ...zones.flatMap((zone) => zone.notes),
      ],
    };
  },

  /** New and growing kinds, and zones that ail. The usual is told in long summaries only. */
  troubles: ({ groups, ailing, findings, remembers, from, to }, { minErrors }) => {
    const length = to.getTime() - from.getTime();
    if (!remembers || length >= LONG) return undefined;
    const hourly = (errors: number) => (errors * HOUR) / length;
    return [
      ...groups
        .filter((group) => isNews(group, minErrors))
        .map((group) => ({ kind: kindIdOf(group), zone: String(group.worst), hourly: hourly(group.requests) })),
      ...ailing.map(({ id, zone, failures }) => ({ kind: id, zone: String(zone), hourly: hourly(failures) })),
      ...findings
        .filter(isOpen)
        .map(({ measure, zone }) => ({ kind: `statistics ${measure}`, zone: String(zone), hourly: 1 })),
    ];
  },

  /** The kinds of errors, not how often and where: an incident that goes on is no news. */
  print: ({ groups, gone, ailing, findings }) => {
    return [
      ...new Set([
        ...groups.map(kindIdOf),
        ...ailing.map(({ id }) => id),
        ...findings.filter(isOpen).map(({ measure, name }) => `${name}: ${measure}`),
        ...gone.map(({ words }) => `gone: ${words}`),
      ]),
    ]
      .sort()
      .join('\n');
  },

  render(collected, { minErrors }, reading) {
    const { from, to, groups, gone, totals, notes, findings } = collected;
    if (groups.length === 0 && gone.length === 0 && findings.length === 0) return undefined;
    const length = duration(to.getTime() - from.getTime(), reading);
    const until = dayAndTime(to, reading);
    const parts = [
      totals.edge > 0 &&
        mrkdwn`*${count(totals.edge, reading)} failed ${totals.edge === 1 ? 'request' : 'requests'}* of visitors (5xx)`,
      totals.origin > 0 &&
        mrkdwn`*${count(totals.origin, reading)} ${totals.origin === 1 ? 'error' : 'errors'}* between the edge and the origin`,
    ].filter((part) => part !== false);
    const news = newsOf(collected, minErrors, reading);
    // News come first; the order is that of the frequencies otherwise.
    const rank = (group: JudgedGroup) => (isNews(group, minErrors) ? 0 : 1);
    const shown = shownOf(groups).sort((a, b) => rank(a) - rank(b));
    const watched = findingParts(findings, reading);
    const told = news.length > 0 && section(join(news, '\n'));
    if (groups.length === 0) {
      const calm = mrkdwn`No errors any more in the ${length} up to ${until}.`;
      return message(...watched, gone.length > 0 && calm, told, ...notes.slice(0, 5).map((line) => note(line)));
    }
    return message(
      ...watched,
      mrkdwn`${join(parts, ' and ')} in the ${length} up to ${until}.`,
      told,
      errorTable(
        shown.slice(0, MOST_GROUPS).map((group) => ({
          ...group,
          novelty: group.novelty === undefined ? undefined : NOVELTY[group.novelty],
        })),
        {
          caption:
            shown.length > MOST_GROUPS
              ? `The first ${MOST_GROUPS} of ${count(shown.length, reading)} kinds`
              : 'By kind',
          whole: ({ source }) => totals[source],
          from,
        },
        reading,
      ),
      buttonsOf(collected, shown, minErrors),
      shown.length < groups.length &&
        note('What visitors got because of an error of the origin is in the row of that error.'),
      ...notes.slice(0, 5).map((line) => note(line)),
      notes.length > 5 && note(`${notes.length - 5} more zones could not be read whole.`),
    );
  },
});
