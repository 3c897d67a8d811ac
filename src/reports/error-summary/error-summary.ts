import { count, countOf, share } from '../../blocks/format.ts';
import { actions, message, note, section } from '../../blocks/message.ts';
import { clockOf, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { type ErrorEvent, type ErrorGroup, groupErrors, kindIdOf } from '../../logs/error-groups.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { errorTable } from '../../tables/errors.ts';
import { DAY, HOUR, MINUTE } from '../../time.ts';
import { isDismissed } from '../dismissed.ts';
import {
  type Doubt,
  defineReport,
  type FailuresBefore,
  isGrave,
  type ReportContext,
  type Seen,
  STATISTICS,
} from '../report.ts';
import { several } from '../several.ts';
import { isOpen, sizeOf } from '../statistics-watch/findings.ts';
import { failingOthers, type Watched, type ZoneFinding } from '../statistics-watch/watch.ts';
import { findingBriefly, findingsInWords, isNearUsual, lookButtons } from '../statistics-watch/words.ts';
import { FILLS, isFailing, isWorthTelling } from './decision.ts';
import { beyondLogs } from './log-quality.ts';
import { WINDOW } from './unhealthy-zones.ts';
import {
  buttonsOf,
  causeInWords,
  type Failures,
  failuresChart,
  inOneRegion,
  regionInWords,
  togetherInWords,
  totalsInWords,
  zoneInWords,
} from './words.ts';
import { lookAt, ofSource, shownOf, type UnhealthyZone, type ZoneLook } from './zone-look.ts';

const MOST_GROUPS = 15;
const MOST_IN_WORDS = 5;

interface Collected extends Failures {
  from: Date;
  known: Readonly<Record<string, number>>;
  /** Zones that were told and are well since `at`. */
  ended: { zone: number; name: string; at: number }[];
  unread: { zone: number; since: number }[];
  /** What statistics show: faults that go on, or ended in this window. */
  findings: readonly ZoneFinding[];
  /** Logs that could not be read completely, each with its zone. */
  notes: { zone?: number; words: string }[];
  /** See `Report.unread`. */
  missing: readonly string[];
  doubts: readonly Doubt[];
  /** See `Report.seen`. */
  seen: Readonly<Record<string, Seen>>;
}

function withoutDismissed(
  zone: UnhealthyZone | undefined,
  dismissed: ReportContext['dismissed'],
): UnhealthyZone | undefined {
  if (zone === undefined) return undefined;
  const isShown = (group: ErrorGroup) =>
    !isDismissed({ zone: zone.zone, kind: kindIdOf(group), size: zone.share }, dismissed);
  const groups = zone.groups.filter(isShown);
  return groups.length === 0 ? undefined : { ...zone, groups, earlier: [zone.earlier ?? []].flat().find(isShown) };
}

/** Why a zone that is not told does not look fine. */
function doubtOf({ Id, Name = String(Id) }: PullZone, look: ZoneLook, context: ReportContext): Doubt | undefined {
  const { unhealthy: less, fresh, events, failure, usual, notes } = look;
  const { from, to, dismissed } = context;
  const zone = String(Id);
  const failing = less === undefined ? fresh : less.isQuiet ? undefined : less;
  if (failing === undefined) {
    const often = less || !isGrave(usual) ? '' : `${Name}: ${share(usual, 1)} of requests usually fail`;
    const words = failure === undefined ? often : notes[0]!;
    return words === '' ? undefined : { zone, words };
  }
  const { failures, since, share: part } = failing;
  const [group] = shownOf(
    groupErrors(
      events.filter(({ time }) => time >= since),
      { byPath: false },
    ),
  );
  const all = part ? `${count(failures)} of about ${countOf(Math.round(failures / part), 'request')}` : '';
  const words = `${Name}: ${group ? `${causeInWords(group).replace(/^visitors get /, 'visitors got ')}, ` : ''}${all || countOf(failures, 'request')} failed`;
  if (less && withoutDismissed(less, dismissed) === undefined) return { zone, words, isDismissed: true, fails: true };
  // A subscription that looks every five minutes looks once more a minute later.
  const isNew = fresh?.isNew === true && to.getTime() - from.getTime() <= 5 * MINUTE;
  return { zone, words, since, isNew, fails: true };
}

const kindOfFinding = ({ measure }: ZoneFinding) => `${STATISTICS} ${measure}`;

/** Adds the failures of this window, each once. A week's weight: what is longer ago fades. */
function withFailures(
  { until, length, zones }: FailuresBefore,
  { from, to }: ReportContext,
  looked: readonly PullZone[],
  looks: readonly ZoneLook[],
): FailuresBefore {
  const since = Math.max(from.getTime(), until);
  const added = Math.max(0, to.getTime() - since);
  const left = Math.min(1, (7 * DAY) / (length + added));
  const failures = looked.map(({ Id }, index) => {
    const events = looks[index]!.events.filter(({ time }) => time >= since);
    const most = Math.max(ofSource(events, 'edge'), ofSource(events, 'origin'));
    return [Id, left * ((zones[Id] ?? 0) + most)] as const;
  });
  return {
    until: since + added,
    length: left * (length + added),
    zones: Object.fromEntries(failures.filter(([, sum]) => sum > 0)),
  };
}

/** Zones that fail more than usual, and why, by both logs. */
export const errorSummary = defineReport({
  name: 'error-summary',
  summary: 'Zones that fail much more than usual, since when, and why; one message per incident, kept up to date',
  schedule: 'every 5 minutes',
  args: { mostZones: 100, mostPages: 5, minErrors: 15 },
  window: { first: 15 * MINUTE, longest: DAY, lag: 0 },

  async collect(args, context: ReportContext): Promise<Collected> {
    const { from, to, failures: memory, known = {}, told = {}, dismissed } = context;
    const { mostZones } = args;
    const { items, missing } = await context.zones();
    if (missing !== undefined) throw new UsageError(`The pull zones to look through could not be listed: ${missing}.`);
    // The platform refuses logs of a disabled zone.
    const live = items.filter((zone) => zone.Suspended !== true && zone.Enabled !== false);
    const largest = live.sort((a, b) => (b.MonthlyBandwidthUsed ?? 0) - (a.MonthlyBandwidthUsed ?? 0));
    const looked = largest.filter(({ Id }, index) => index < mostZones || Id in known);
    const remembered = (await memory?.read()) ?? { until: 0, length: 0, zones: {} };
    const nothing: Watched = { findings: [], notes: [], unread: [] };
    const watching = context.watch?.(live) ?? Promise.resolve(nothing);
    /** For a zone without a log: when its failures ended, by statistics. */
    const endOf = async (id: number) =>
      (await watching).findings.findLast(({ zone, measure }) => zone === id && measure === '5xx')?.until;
    const [looks, watched] = await Promise.all([
      several(looked, 4, (zone) => {
        const failures = remembered.zones[zone.Id] ?? 0;
        return lookAt(zone, args, context, {
          remembered: (failures * MINUTE) / Math.max(HOUR, remembered.length),
          endOf,
        });
      }),
      watching,
    ]);
    const candidates = looks.flatMap((look) => withoutDismissed(look.unhealthy, dismissed) ?? []);
    const failing = await several(candidates, 4, async (one) => {
      if (one.zone in known || !isFailing(one, args.minErrors)) return one.zone in known;
      const part = one.surge < 2 ? 1 : await failingOthers(context.platform, one, context.signal);
      return isFailing({ ...one, failures: part * one.failures, share: one.share && part * one.share }, args.minErrors);
    });
    const unhealthy = candidates
      .filter((_, index) => failing[index])
      .sort((a, b) => Number(a.zone in known) - Number(b.zone in known) || b.failures - a.failures);
    const isUnhealthy = (id: number) => unhealthy.some(({ zone }) => zone === id);
    const isQuieted = (finding: ZoneFinding) =>
      isDismissed({ zone: finding.zone, kind: kindOfFinding(finding), size: sizeOf(finding) }, dismissed);
    const found = watched.findings.flatMap((finding) => {
      const look = looks[looked.findIndex(({ Id }) => Id === finding.zone)];
      // The logs tell more about it, and sooner.
      if (finding.measure === '5xx' && (isUnhealthy(finding.zone) || finding.since < (look?.ended?.at ?? 0))) return [];
      if (isQuieted(finding)) return [];
      const log = look?.times === undefined ? undefined : { ...look, times: look.times };
      return finding.until === undefined || finding.until > to.getTime() - HOUR ? (beyondLogs(finding, log) ?? []) : [];
    });
    const findings = await chosenFindings(found, args.minErrors, context);
    const failure = looks.every((look) => look.failure !== undefined) ? looks[0]?.failure : undefined;
    if (failure !== undefined && looks.every((look) => look.events.length === 0) && findings.length === 0)
      throw failure;
    await memory?.keep(withFailures(remembered, context, looked, looks));
    const shown = new Set(unhealthy.length > 0 ? unhealthy.map(({ zone }) => String(zone)) : Object.keys(known));
    const isAll = (shown.size === 0 && findings.length === 0) || isLong({ from, to });
    const chosen = looks.filter((_, index) => isAll || shown.has(String(looked[index]!.Id)));
    const events = chosen.flatMap((look) => look.events);
    const unseen = looked.filter(({ Id }, index) => Id in known && looks[index]!.failure && !looks[index]!.unhealthy);
    // What is switched off has not recovered.
    const off = items.filter((zone) => !live.includes(zone) && (told[zone.Id] ?? 'before') !== 'before');
    const unread = [...unseen, ...off].map(({ Id: zone }) => ({ zone, since: known[zone] ?? to.getTime() }));
    const general = [
      ...(live.length > mostZones
        ? [`The ${mostZones} zones with most traffic of ${live.length} were looked at.`]
        : []),
      ...watched.notes,
      ...watched.unread,
    ];
    return {
      from,
      to,
      ...inEvents(events, from),
      zones: looked.length,
      unhealthy,
      known,
      ended: looked.flatMap(({ Id: zone, Name }, index) => {
        const { ended } = looks[index]!;
        // If `at` is missing, what was read does not show when the incident ended.
        return ended === undefined ? [] : [{ zone, name: Name ?? '', at: ended.at ?? to.getTime() - WINDOW }];
      }),
      unread,
      // Symptoms of a failing zone are not news.
      findings: findings.filter(({ zone, measure }) => measure === '5xx' || !(isUnhealthy(zone) || zone in known)),
      unlogged: live.filter((zone) => zone.EnableLogging === false).map((zone) => zone.Id),
      notes: [
        ...general.map((words) => ({ words })),
        ...looks.flatMap((look, index) =>
          look.failure !== undefined || chosen.includes(look)
            ? look.notes.map((words) => ({ zone: looked[index]!.Id, words }))
            : [],
        ),
      ],
      missing: [...looks.flatMap((look) => (look.failure === undefined ? [] : look.notes)), ...watched.unread],
      doubts: [
        ...looks.flatMap((look, index) => {
          const zone = looked[index]!;
          return isUnhealthy(zone.Id) ? [] : (doubtOf(zone, look, context) ?? []);
        }),
        ...watched.findings
          .filter((finding) => isOpen(finding) && isQuieted(finding) && !isUnhealthy(finding.zone))
          .map((one) => ({ zone: String(one.zone), words: findingBriefly(one), isDismissed: true })),
        ...(watched.silent ?? []).map(({ zone, name, since, to, usual }) => ({
          ...{ zone: String(zone), since, to },
          words: `${name}: no requests (usually ${count(usual)} in that time)`,
          isAbout: true,
        })),
      ],
      seen: Object.fromEntries(looks.flatMap(({ seen }, index) => (seen ? [[looked[index]!.Id, seen]] : []))),
    };
  },

  unread: ({ missing }) => missing,
  doubts: ({ doubts }) => doubts,
  seen: ({ seen }) => seen,

  /** An unhealthy zone that cannot be read counts as unhealthy. */
  troubles: ({ unhealthy, known, ended, unread, findings, events, from, to }) => {
    if (isLong({ from, to }) && unhealthy.length === 0) return undefined;
    return [
      ...unhealthy.flatMap((one) => {
        const { zone, name, since, groups, share, last, seen, isQuiet, easing } = one;
        const begun = zone in known ? from.getTime() : since;
        const mine = events.filter(({ zoneId, time }) => zoneId === zone && time >= begun);
        const failures = Math.max(ofSource(mine, 'edge'), ofSource(mine, 'origin'));
        return groups.map((group, index) => ({
          kind: kindIdOf(group),
          zone: String(zone),
          name,
          since,
          words: `${name}: ${causeInWords(group)}`,
          size: share,
          ...{ last, seen, lately: isQuiet ? 0 : easing?.share },
          failures: index === 0 ? failures : 0,
        }));
      }),
      ...ended.map(({ zone, name, at }) => ({
        ...{ kind: '', zone: String(zone), name, since: known[zone]!, until: at },
      })),
      ...findings.map((finding) => ({
        ...{ kind: kindOfFinding(finding), zone: String(finding.zone), name: finding.name },
        ...{ since: finding.since, until: finding.until, size: sizeOf(finding) },
        ...{ words: findingBriefly(finding), last: finding.to, lately: isNearUsual(finding) ? 0 : undefined },
        ...{ isAbout: finding.isExact !== true, isUnlogged: finding.isUnlogged, isPlainHttp: finding.isPlainHttp },
      })),
      ...unread.map(({ zone, since }) => ({ kind: '', zone: String(zone), since })),
    ];
  },

  /** Without numbers, which always change. */
  fingerprint: ({ groups, unhealthy, findings }) =>
    [
      ...new Set([
        ...groups.map(kindIdOf),
        ...unhealthy.map(({ zone }) => String(zone)),
        ...findings.filter(isOpen).map(({ measure, name }) => `${name}: ${measure}`),
      ]),
    ]
      .sort()
      .join('\n'),

  of: (collected, zones) => {
    const isOf = ({ zone }: { zone?: number }) => zone === undefined || zones.has(String(zone));
    const { events, from, unhealthy, findings, notes } = collected;
    const mine = events.filter(({ zoneId }) => zones.has(String(zoneId)));
    return {
      ...{ ...collected, ...inEvents(mine, from) },
      ...{ unhealthy: unhealthy.filter(isOf), findings: findings.filter(isOf), notes: notes.filter(isOf) },
    };
  },

  render(collected, _, reading) {
    const { groups, unhealthy, notes, findings } = collected;
    if (groups.length === 0 && findings.length === 0) return undefined;
    const all = togetherInWords(collected, reading);
    const there = inOneRegion(unhealthy, all.length > 0 ? (2 / 3) * unhealthy.length : 2);
    const together = [...all, ...(there === undefined ? [] : [regionInWords(there.zones, there.region, reading)])];
    const others = unhealthy.filter((zone) => there?.zones.includes(zone) !== true);
    const zones = others.slice(0, MOST_IN_WORDS).map((zone, index) => zoneInWords(zone, reading, index >= 2));
    const [first, ...lines] = [...together, ...zones, ...findingsInWords(findings, reading, collected.to.getTime())];
    const more = others.length - MOST_IN_WORDS;
    return message(
      first ?? totalsInWords(collected, reading),
      lines.length > 0 && section(join(lines, '\n')),
      more > 0 && note(`${more} other ${more === 1 ? 'zone fails' : 'zones fail'} more than usual.`),
      unhealthy.some(({ isQuiet }) => !isQuiet) && failuresChart(collected),
      ...notes.slice(0, 5).map(({ words }) => note(words)),
      notes.length > 5 && note(`${notes.length - 5} more zones could not be read completely.`),
      actions(...buttonsOf({ ...collected, groups: shownOf(groups) }), ...lookButtons(findings)),
    );
  },

  details({ groups, totals, to }, _, reading) {
    if (groups.length === 0) return undefined;
    const shown = shownOf(groups);
    return message(
      errorTable(
        shown.slice(0, MOST_GROUPS),
        {
          caption:
            shown.length > MOST_GROUPS
              ? `The first ${MOST_GROUPS} of ${shown.length} kinds of errors`
              : 'Errors by kind',
          whole: ({ source }) => totals[source],
        },
        reading,
      ),
      note(mrkdwn`Counted up to ${clockOf(to, reading, to)}.`),
      shown.length < groups.length &&
        note('If an origin error caused visitors’ errors, they are counted in that origin error’s row.'),
    );
  },
});

/** Findings worth a message. Zones of an open incident are always told. */
async function chosenFindings(
  found: readonly ZoneFinding[],
  least: number,
  { told = {}, to, emptied }: ReportContext,
): Promise<ZoneFinding[]> {
  const chosen = await several(found, 4, async (finding) => {
    if ((told[finding.zone] ?? 'before') !== 'before') return true;
    // An echo of an incident, or what counts as usual after a day.
    if (!isOpen(finding) || told[finding.zone] === 'before' || finding.since <= to.getTime() - DAY) return false;
    const at = finding.measure === 'hits' ? await emptied?.(finding.zone, new Date(to.getTime() - FILLS)) : undefined;
    return isWorthTelling(finding, least, at);
  });
  return found.filter((_, index) => chosen[index]);
}

const inEvents = (events: ErrorEvent[], from: Date) => ({
  events,
  start: new Date(events.reduce((first, { time }) => Math.min(first, time), from.getTime())),
  groups: groupErrors(events),
  totals: { origin: ofSource(events, 'origin'), edge: ofSource(events, 'edge') },
});

// Whoever wants a summary of half a day wants it in any case.
const isLong = ({ from, to }: { from: Date; to: Date }) => to.getTime() - from.getTime() >= 12 * HOUR;
