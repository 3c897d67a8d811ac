import type { Button } from '@slack/types';
import { commandButton } from '../../blocks/buttons.ts';
import { chart } from '../../blocks/chart.ts';
import { count, countOf, duration, percent, type Reading } from '../../blocks/format.ts';
import type { Part } from '../../blocks/message.ts';
import { bold, clockOf, join, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import type { ErrorEvent, ErrorGroup } from '../../logs/error-groups.ts';
import { legible } from '../../tables/errors.ts';
import { isoDay, MINUTE } from '../../time.ts';
import { dominant } from '../dominant.ts';
import { placesInWords } from '../places.ts';
import { isGrave } from '../report.ts';
import { WINDOW } from './unhealthy-zones.ts';
import { ofSource, type UnhealthyZone } from './zone-look.ts';

const MOST_PLACES = 3;

export interface Failures {
  to: Date;
  start: Date;
  events: ErrorEvent[];
  groups: ErrorGroup[];
  unhealthy: UnhealthyZone[];
  /** How many zones were looked at. */
  zones: number;
  /** Failures in each log. One failed request may be in both. */
  totals: Record<ErrorEvent['source'], number>;
  /** Zones without an access log: only their origin errors can be shown. */
  unlogged: number[];
}

/** `origin refuses connections (502)`, or what visitors get if the cause is unknown. */
export function causeInWords({ cause, code, status, words }: Omit<ErrorGroup, 'id'>): string {
  if (cause !== undefined) return `${inSentence(cause.means)}${status === undefined ? '' : ` (${status})`}`;
  const got = status === undefined ? 'requests fail' : `visitors get ${status}`;
  const said = words ?? code;
  return said === undefined ? got : `${got}: ${legible(said)}`;
}

/** Lower case, unless the text begins with a name. */
const inSentence = (means: string): string =>
  means
    .replace(/^The (?=origin\b)/, '')
    .replace(/^(?!Redis\b)[A-Z](?=[a-z’-]*(?:\s|$))/, (letter) => letter.toLowerCase());

const markOf = ({ isDown, share }: UnhealthyZone): string =>
  isDown ? '🔴 Down' : isGrave(share) ? '🔴 Degraded' : '🟠 Look';

const partOf = (value: number, reading: Reading) =>
  percent(value >= 0.1 ? Math.round(100 * Math.min(1, value)) : 100 * value, reading);

/** `🔴 Down · shop: origin refuses connections (502), 43% of requests fail (usually 0.2%), since 8:10 AM UTC`, and what else, unless it is short. */
export function zoneInWords(zone: UnhealthyZone, reading: Reading, isShort = false): Words {
  const { name, since, to, share, usual, surge, failures, last, after, isQuiet, easing, isAgain } = zone;
  const [cause = '', ...others] = new Set(zone.groups.map(causeInWords));
  const at = (moment: number) => clockOf(new Date(moment), reading, new Date(to));
  if (isQuiet) {
    const until = zone.watchedUntil === undefined ? '' : mrkdwn` until ${at(zone.watchedUntil)}`;
    const failed = after === 0 ? 'No failures in the log' : `${countOf(after, 'request', reading)} failed`;
    return mrkdwn`🟡 Getting better · ${bold(name)}: ${cause}, since ${at(since)}. ${failed} from ${at(last)} to ${at(to)}; watching${until}.`;
  }
  const isPast = to - last >= 2 * MINUTE;
  const part = (value: number) => partOf(value, reading);
  const much = easing
    ? `${part(easing.share)} of requests failed in the last 5 min (${part(easing.before)} before)`
    : share === undefined || share <= usual
      ? `${countOf(failures, 'request', reading)} failed`
      : `${part(share)} of requests ${isPast ? 'failed' : 'fail'} (usually ${part(usual)})`;
  const few = after === 0 ? 'last failure seen at' : `only ${count(after, reading)} since`;
  const seen = isPast ? mrkdwn`, ${few} ${at(last)}` : '';
  const flood = surge >= 2 ? `, at ${count(Math.round(surge), reading)} times the usual requests` : '';
  const further = [
    ...(others.length === 0 ? [] : [`Also: ${others.slice(0, 3).join('; ')}`]),
    ...(zone.earlier === undefined ? [] : [mrkdwn`Until ${at(zone.earlier.last)}: ${causeInWords(zone.earlier)}`]),
  ];
  const look =
    zone.groups.find((group) => group.cause !== undefined)?.cause?.look ??
    'what does the log of the application say? Was it just deployed?';
  const lines = [
    mrkdwn`${easing ? markOf(zone).replace(/ .*/, ' Getting better') : markOf(zone)} · ${bold(name)}: ${cause}, ${much}${flood}${seen} · ${duration(Math.max(MINUTE, to - since), reading)}, ${isAgain ? 'again ' : ''}since ${at(since)}`,
    ...further,
    ...whereInWords(zone),
    mrkdwn`${bold('Check first:')} ${look}`,
  ];
  return join(isShort ? lines.slice(0, 1) : lines, '\n');
}

/** If most zones fail at once, the cause is not in the zones. */
export function togetherInWords({ unhealthy, zones, totals, to }: Failures, reading: Reading): Words[] {
  if (unhealthy.length < 3 || 3 * unhealthy.length < 2 * zones) return [];
  const since = clockOf(new Date(Math.min(...unhealthy.map((one) => one.since))), reading, to);
  const logged =
    totals.edge > 0
      ? `\nThe origins logged ${count(totals.origin, reading)} of ${countOf(totals.edge, 'failed request', reading)}.`
      : '';
  return [
    mrkdwn`🔴 ${unhealthy.some(({ isDown }) => isDown) ? 'Down' : 'Degraded'} · ${bold('All zones')}: ${unhealthy.length} of ${zones} failing together since ${since}. Check the platform and its DNS before any origin${logged}`,
  ];
}

/** At least this many zones that fail together, and in one region only. Undefined: there are fewer. */
export function inOneRegion(
  unhealthy: readonly UnhealthyZone[],
  least: number,
): { region: string; zones: UnhealthyZone[] } | undefined {
  const regionOf = ({ where, isQuiet, easing }: UnhealthyZone) =>
    isQuiet || easing !== undefined || where?.regions?.length !== 1 ? undefined : where.regions[0];
  const region = dominant(unhealthy, regionOf, 0);
  const zones = unhealthy.filter((one) => region !== undefined && regionOf(one) === region);
  return region === undefined || zones.length < least ? undefined : { region, zones };
}

/** `🔴 Degraded · NY: 5 zones are failing there: portal (17% of its requests), apiserver (10%) … · 5 min, since 7:00 AM EST`, and what to check. */
export function regionInWords(unhealthy: readonly UnhealthyZone[], region: string, reading: Reading): Words {
  const [since, to] = [Math.min(...unhealthy.map((one) => one.since)), new Date(unhealthy[0]!.to)];
  const worst = [...unhealthy].sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
  const zones = worst.slice(0, 5).map(({ name, share, failures }, index) => {
    const much = share === undefined ? countOf(failures, 'request', reading) : partOf(share, reading);
    return `${name} (${much}${index === 0 && share !== undefined ? ' of its requests' : ''})`;
  });
  if (worst.length > 5) zones.push(`${worst.length - 5} more`);
  const causes = new Set(worst.flatMap(({ groups }) => groups.slice(0, 1).map(causeInWords)));
  return mrkdwn`${markOf(worst[0]!)} · ${bold(region)}: ${worst.length} zones are failing there: ${zones.join(', ')} · ${duration(Math.max(MINUTE, to.getTime() - since), reading)}, since ${clockOf(new Date(since), reading, to)}
Few failures in other regions. Symptom: ${[...causes].slice(0, 3).join('; ')}
${bold('Check first:')} the edge in ${region} and its route to the origins, not the origins themselves: other regions reach them`;
}

/** If too few failed, or only the failures are known: all places that are known. */
function whereInWords({ where, groups }: Pick<UnhealthyZone, 'where' | 'groups'>): string[] {
  if (where !== undefined) return [placesInWords(where, 'failures')];
  const regions = added(groups.map((group) => group.regions));
  const paths = added(groups.map((group) => group.paths)).map(legible);
  const few = (names: readonly string[], all: string) =>
    names.length > MOST_PLACES ? `several ${all}` : names.join(', ');
  const places = [
    regions.length > 0 && `in ${few(regions, 'regions')}`,
    paths.length > 0 && `on ${few(paths, 'pages')}`,
  ];
  const line = places.filter((part) => part !== false).join(', ');
  return line === '' ? [] : [line[0]!.toUpperCase() + line.slice(1)];
}

function added(all: readonly (readonly [string, number])[][]): string[] {
  const sum = new Map<string, number>();
  for (const [name, many] of all.flat()) sum.set(name, (sum.get(name) ?? 0) + many);
  return [...sum].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** Covers only the minutes that were read. Nothing is known of the time before and after. */
export function failuresChart({ unhealthy, events, to }: Failures): Part | undefined {
  const begun = Math.min(...unhealthy.map(({ since }) => since));
  const isOrigin = ofSource(events, 'origin') > ofSource(events, 'edge');
  // A log may be a minute and a half late: a minute that is not complete would look like the end.
  const complete = Math.floor((to.getTime() - 1.5 * MINUTE - begun) / MINUTE);
  const times = events.flatMap(({ source, time }) => (isOrigin === (source === 'origin') ? time : []));
  const read = times.reduce((earliest, time) => Math.min(earliest, time), to.getTime());
  const first = Math.max(0, Math.floor((Math.max(to.getTime() - WINDOW, read) - begun) / MINUTE));
  const counts: number[] = [];
  for (const time of times) {
    const minute = Math.floor((time - begun) / MINUTE) - first;
    if (minute >= 0 && first + minute < complete) counts[minute] = (counts[minute] ?? 0) + 1;
  }
  if (counts.length < 3) return undefined;
  const values = Array.from(counts, (failed = 0) => failed);
  return chart({
    ...{ title: 'Failed requests a minute', type: 'bar', counted: 'minutes', about: 'since it began' },
    categories: values.map((_, minute) => `${first + minute} min`),
    series: [{ name: 'Failed', values }],
  });
}

/** `No zone fails more than usual: 90 failed requests of visitors (5xx) and 44 errors between the edge and the origin in …`. */
export function totalsInWords({ totals, start, to }: Failures, reading: Reading): Words {
  const parts = [
    totals.edge > 0 &&
      mrkdwn`*${count(totals.edge, reading)} failed ${totals.edge === 1 ? 'request' : 'requests'}* of visitors (5xx)`,
    totals.origin > 0 &&
      mrkdwn`*${count(totals.origin, reading)} ${totals.origin === 1 ? 'error' : 'errors'}* between the edge and the origin`,
  ].filter((part) => part !== false);
  const length = duration(to.getTime() - start.getTime(), reading);
  return mrkdwn`No zone is failing more than usual: ${join(parts, ' and ')} in the ${length} up to ${clockOf(to, reading, to)}.`;
}

function fixedPartOf(path: string | undefined): string | undefined {
  const [longest] = (path ?? '').split(/<\w+>/).sort((a, b) => b.length - a.length);
  return longest !== undefined && /^[\w./-]{3,}$/.test(longest) ? longest : undefined;
}

/** The log search, or the origin errors of a zone without an access log. */
function commandOf(
  { zone, status, path, last }: { zone: number; status?: number | undefined; path?: string | undefined; last: number },
  { start, to, unlogged }: Failures,
): string {
  if (unlogged.includes(zone)) return `errors show ${zone} ${isoDay(new Date(last))}`;
  const url = fixedPartOf(path);
  return [
    `log search ${zone} --status ${status !== undefined && status >= 400 && status < 600 ? status : '5xx'}`,
    ...(url === undefined ? [] : [`--url ${url}`]),
    `--from ${start.toISOString()} --to ${to.toISOString()}`,
  ].join(' ');
}

/** The first failing zone with origin errors, else the zone of the most frequent one. */
function originErrorsOf({ groups, unhealthy }: Failures): { zone: number; name: string; last: number } | undefined {
  const isOrigin = ({ source }: ErrorGroup) => source === 'origin';
  const zone = unhealthy.find((one) => one.groups.some(isOrigin));
  if (zone !== undefined) return { ...zone, last: Math.max(...zone.groups.filter(isOrigin).map(({ last }) => last)) };
  const group = groups.find(isOrigin);
  return group && { zone: group.worst, name: group.zones[0]?.[0] ?? '', last: group.last };
}

/** If no zone is unhealthy, the one with the most frequent errors. */
export function buttonsOf(failures: Failures): Button[] {
  const { groups, unhealthy, totals, to } = failures;
  const targets = [
    ...unhealthy.map(({ zone, name }) => ({ name, zone, last: to.getTime() - 1 })),
    ...(unhealthy.length > 0 ? [] : groups.slice(0, 1)).map(
      ({ worst: zone, status, path, last, zones: [[name] = ['']] }) => ({ name, zone, status, path, last }),
    ),
  ].slice(0, 3);
  const labelled = (label: string, name: string) => (targets.length > 1 ? `${label}: ${name}` : label);
  const origin = originErrorsOf(failures);
  return [
    ...targets.map((target) => commandButton(labelled('Failing requests', target.name), commandOf(target, failures))),
    ...(totals.origin > 0 && origin !== undefined
      ? [
          commandButton(
            labelled('Origin errors', origin.name),
            `errors show ${origin.zone} ${isoDay(new Date(origin.last))}`,
          ),
        ]
      : []),
  ];
}
