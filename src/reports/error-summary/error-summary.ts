import { errorTable } from '../../blocks/error-table.ts';
import { actions, message, note, section } from '../../blocks/message.ts';
import { join } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { groupErrors, kindIdOf, symptomOf } from '../../logs/error-groups.ts';
import { templateId } from '../../logs/template.ts';
import { DAY, HOUR, MINUTE } from '../../time.ts';
import { isDismissed } from '../dismissed.ts';
import { defineReport, type ReportContext, STATISTICS } from '../report.ts';
import { several } from '../several.ts';
import { isAmount, isOpen, sizeOf } from '../statistics-watch/findings.ts';
import type { Watched, ZoneFinding } from '../statistics-watch/watch.ts';
import { findingsInWords, findingTitle, lookButton } from '../statistics-watch/words.ts';
import { beyondLogs, lagOfLogs } from './log-quality.ts';
import { buttonsOf, causeInWords, type Failures, totalsInWords, zoneInWords } from './words.ts';
import { lookAt, ofSource, shownOf, type UnhealthyZone } from './zone-look.ts';

const LATE = 4 * MINUTE;

const MOST_GROUPS = 15;
const MOST_IN_WORDS = 5;

interface Collected extends Failures {
  from: Date;
  known: readonly string[];
  unread: { zone: number; since: number }[];
  /** From statistics: what is wrong now, and what was over in this window. */
  findings: readonly ZoneFinding[];
  /** Logs that could not be read whole. */
  notes: string[];
  /** See `Report.unread`. */
  missing: readonly string[];
}

function withoutDismissed(
  zone: UnhealthyZone | undefined,
  dismissed: ReportContext['dismissed'],
): UnhealthyZone | undefined {
  const groups = zone?.groups.filter(
    (group) => !isDismissed({ zone: zone.zone, kind: kindIdOf(group), size: zone.share }, dismissed),
  );
  return zone === undefined || groups === undefined || groups.length === 0 ? undefined : { ...zone, groups };
}

const kindOfFinding = ({ measure }: ZoneFinding) => `${STATISTICS} ${measure}`;

const idOfZone = (zone: number) => templateId('zone', zone);

/** Zones that fail more than is usual, and what fails in them, from both logs. */
export const errorSummary = defineReport({
  name: 'error-summary',
  summary: 'Zones of which much more fails than usual, since when and why; one message an incident, kept up to date',
  schedule: '*/5 * * * *',
  args: { mostZones: 100, mostPages: 5, minErrors: 5 },
  window: { first: 15 * MINUTE, longest: DAY, lag: 0 },

  async collect(args, context: ReportContext): Promise<Collected> {
    const { from, to, memory, known = {}, dismissed } = context;
    const { mostZones } = args;
    const { items, missing } = await context.zones();
    if (missing !== undefined) throw new UsageError(`There is no list of pull zones to look through: ${missing}.`);
    // Logs of a zone that is off are refused.
    const live = items.filter((zone) => zone.Suspended !== true && zone.Enabled !== false);
    const largest = live.sort((a, b) => (b.MonthlyBandwidthUsed ?? 0) - (a.MonthlyBandwidthUsed ?? 0));
    const looked = largest.slice(0, mostZones);
    const remembered = await memory?.recall(from);
    const nothing: Watched = { findings: [], notes: [], unread: [] };
    const [looks, watched] = await Promise.all([
      several(looked, 4, (zone) => {
        const failures = remembered?.groups.get(idOfZone(zone.Id))?.requests ?? 0;
        return lookAt(zone, args, context, (failures * MINUTE) / Math.max(HOUR, remembered?.looked ?? 0));
      }),
      context.watch?.(live) ?? nothing,
    ]);
    const findings = watched.findings.flatMap((finding) => {
      if (isDismissed({ zone: finding.zone, kind: kindOfFinding(finding), size: sizeOf(finding) }, dismissed))
        return [];
      const look = looks[looked.findIndex(({ Id }) => Id === finding.zone)];
      const log = look?.times === undefined ? undefined : { ...look, times: look.times };
      if (log !== undefined && look?.unhealthy !== undefined && finding.measure === '5xx') return [];
      return finding.until === undefined || finding.until > from.getTime() ? (beyondLogs(finding, log) ?? []) : [];
    });
    const failure = looks.every((look) => look.failure !== undefined) ? looks[0]?.failure : undefined;
    if (failure !== undefined && looks.every((look) => look.events.length === 0) && findings.length === 0)
      throw failure;
    await memory?.remember?.(
      { from, to },
      looked.flatMap((zone, index) => {
        const events = looks[index]!.events.filter((event) => event.time >= from.getTime());
        const requests = Math.max(ofSource(events, 'edge'), ofSource(events, 'origin'));
        const seen = { whole: false, words: zone.Name ?? '', first: from.getTime(), last: to.getTime() };
        return requests === 0 ? [] : [{ ...seen, id: idOfZone(zone.Id), requests }];
      }),
    );
    const unhealthy = looks
      .flatMap((look) => withoutDismissed(look.unhealthy, dismissed) ?? [])
      .sort((a, b) => Number(a.zone in known) - Number(b.zone in known) || b.failures - a.failures);
    const shown = new Set(unhealthy.length > 0 ? unhealthy.map(({ zone }) => String(zone)) : Object.keys(known));
    const isAll = (shown.size === 0 && findings.length === 0) || isLong({ from, to });
    const chosen = looks.filter((_, index) => isAll || shown.has(String(looked[index]!.Id)));
    const events = chosen.flatMap((look) => look.events);
    const unread = looked.flatMap((zone, index) => {
      const since = known[zone.Id];
      return since === undefined || looks[index]!.failure === undefined || looks[index]!.unhealthy
        ? []
        : [{ zone: zone.Id, since }];
    });
    const newest = looks.reduce((last, { times = [] }) => Math.max(last, ...times.slice(0, 1)), 0);
    const isTold = unhealthy.length + unread.length + findings.length > 0;
    const lag = isTold && to.getTime() - newest > LATE ? await lagOfLogs(looked, context) : undefined;
    return {
      from,
      to,
      start: new Date(events.reduce((first, { time }) => Math.min(first, time), from.getTime())),
      groups: groupErrors(events),
      unhealthy,
      known: Object.keys(known),
      unread,
      findings,
      unlogged: live.filter((zone) => zone.EnableLogging === false).map((zone) => zone.Id),
      totals: { origin: ofSource(events, 'origin'), edge: ofSource(events, 'edge') },
      notes: [
        ...(live.length > mostZones
          ? [`The ${mostZones} zones with most traffic of ${live.length} were looked at.`]
          : []),
        ...(lag !== undefined && lag > LATE ? [`Access logs are ${Math.round(lag / MINUTE)} minutes late.`] : []),
        ...watched.notes,
        ...watched.unread,
        ...looks.filter((look) => look.failure !== undefined || chosen.includes(look)).flatMap((look) => look.notes),
      ],
      missing: [...looks.flatMap((look) => (look.failure === undefined ? [] : look.notes)), ...watched.unread],
    };
  },

  unread: ({ missing }) => missing,

  /** A zone that was unhealthy and cannot be read is so still. */
  troubles: ({ unhealthy, known, unread, findings, from, to }, { minErrors }) => {
    if (isLong({ from, to }) && unhealthy.length === 0) return undefined;
    const open = findings.filter(isOpen);
    return [
      ...unhealthy.flatMap(({ zone, name, since, groups, share }) => {
        const all = groups.reduce((sum, group) => sum + group.requests, 0);
        return groups.map((group) => ({
          kind: kindIdOf(group),
          symptom: symptomOf(group),
          zone: String(zone),
          since,
          // Smaller kinds are told without being news.
          isNews: group.requests >= Math.max(0.5 * all, minErrors),
          words: `${name}: ${causeInWords(group)}`,
          size: share,
        }));
      }),
      ...open.map((finding) => ({
        kind: kindOfFinding(finding),
        zone: String(finding.zone),
        since: finding.since,
        isNews: isNewsBeside(finding, known, open),
        words: `${finding.name}: ${findingTitle(finding)}`,
        size: sizeOf(finding),
      })),
      ...unread.map(({ zone, since }) => ({ kind: '', zone: String(zone), since, isNews: false })),
    ];
  },

  /** Not how many. */
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

  render(collected, _, reading) {
    const { groups, unhealthy, notes, findings } = collected;
    if (groups.length === 0 && findings.length === 0) return undefined;
    const zones = unhealthy.slice(0, MOST_IN_WORDS).map((zone) => zoneInWords(zone, reading));
    const [first, ...others] = [...zones, ...findingsInWords(findings, reading)];
    const more = unhealthy.length - MOST_IN_WORDS;
    return message(
      first ?? totalsInWords(collected, reading),
      others.length > 0 && section(join(others, '\n')),
      more > 0 && note(`${more} more ${more === 1 ? 'zone fails' : 'zones fail'} more than usual.`),
      first !== undefined && groups.length > 0 && note(totalsInWords(collected, reading)),
      ...notes.slice(0, 5).map((line) => note(line)),
      notes.length > 5 && note(`${notes.length - 5} more zones could not be read whole.`),
      actions(...buttonsOf({ ...collected, groups: shownOf(groups) }), lookButton(findings)),
    );
  },

  details({ groups, totals, start }, _, reading) {
    if (groups.length === 0) return undefined;
    const shown = shownOf(groups);
    return message(
      errorTable(
        shown.slice(0, MOST_GROUPS).map((group) => ({ ...group, since: group.first })),
        {
          caption:
            shown.length > MOST_GROUPS
              ? `The first ${MOST_GROUPS} of ${shown.length} kinds of errors`
              : 'Errors by kind',
          whole: ({ source }) => totals[source],
          from: start,
        },
        reading,
      ),
      shown.length < groups.length &&
        note('What visitors got because of an error of the origin is in the row of that error.'),
    );
  },
});

/** In a failing zone, slowness or a cold cache is no other cause, nor are more requests. */
function isNewsBeside({ zone, measure }: ZoneFinding, known: readonly string[], open: readonly ZoneFinding[]): boolean {
  if (measure === 'traffic') return true;
  const isBeside = isAmount(measure) && open.some((one) => one.zone === zone && !isAmount(one.measure));
  return !isBeside && !known.includes(String(zone));
}

// A summary of half a day is wanted for itself.
const isLong = ({ from, to }: { from: Date; to: Date }) => to.getTime() - from.getTime() >= 12 * HOUR;
