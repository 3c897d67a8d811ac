import { type ErrorEvent, type ErrorGroup, groupErrors } from '../../logs/error-groups.ts';
import { pathTemplate } from '../../logs/template.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { DAY, HOUR, MINUTE } from '../../time.ts';
import { dominant } from '../dominant.ts';
import { isPlatforms } from '../platform-errors.ts';
import type { ReportContext } from '../report.ts';
import { compareLog } from './log-quality.ts';
import { type Baseline, LATE, OFTEN, ofRequests, readBaseline, unhealthySince, WINDOW } from './unhealthy-zones.ts';
import { errorsOf, newestFailures, oldestFailures, type ZoneErrors } from './zone-errors.ts';

interface Part {
  isIn(event: ErrorEvent): boolean;
  /** Of the zone's failures, from 0 to 1. */
  usual: number;
}

type Read = (event: Pick<ErrorEvent, 'region' | 'address' | 'status'>) => string | number | undefined;

const READS: readonly Read[] = [
  ({ region }) => region,
  ({ address }) => address && pathTemplate(address).split('/').slice(0, 3).join('/'),
  ({ status }) => status,
];

interface Kept {
  at: number;
  failures: Promise<readonly ErrorEvent[]>;
}

const kept = new WeakMap<object, Map<number, Kept>>();

function pastFailures(zone: PullZone, context: ReportContext): Promise<readonly ErrorEvent[]> {
  const { platform, to } = context;
  const zones = kept.get(platform.accessLogs) ?? new Map<number, Kept>();
  kept.set(platform.accessLogs, zones);
  const known = zones.get(zone.Id);
  const at = to.getTime();
  if (known !== undefined && at >= known.at && at - known.at < 6 * HOUR) return known.failures;
  const until = at - HOUR;
  const failures = newestFailures(zone, { ...context, from: new Date(until - DAY), to: new Date(until) });
  zones.delete(zone.Id);
  zones.set(zone.Id, { at, failures });
  const [oldest] = zones.keys();
  if (zones.size > 500 && oldest !== undefined) zones.delete(oldest);
  failures.catch(() => zones.delete(zone.Id));
  return failures;
}

/** The part with most of the last failures, and usually far fewer. Undefined: none, or nobody knows what is usual. */
async function partOf(
  zone: PullZone,
  events: readonly ErrorEvent[],
  context: ReportContext,
): Promise<Part | undefined> {
  const recent = events.filter(({ time }) => time >= context.to.getTime() - 20 * MINUTE);
  if (recent.length < 8) return undefined;
  const found = READS.flatMap((read) => {
    const value = dominant(recent, read, 0.5);
    return value === undefined ? [] : [{ read, value }];
  });
  if (found.length === 0) return undefined;
  try {
    const past = await pastFailures(zone, context);
    if (past.length < 30) return undefined;
    const parts = found.map(({ read, value }): Part & { now: number } => {
      const isIn: Part['isIn'] = (event) => read(event) === value;
      // A part that never failed counts as one of so many failures.
      const before = (past.filter(isIn).length + 1) / (past.length + 20);
      return { isIn, usual: before, now: recent.filter(isIn).length / recent.length };
    });
    const most = parts.reduce((first, one) => (one.now / one.usual > first.now / first.usual ? one : first));
    // A burst of everything has no place of its own.
    return most.now >= 2 * most.usual ? most : undefined;
  } catch (error) {
    if (!isPlatforms(error)) throw error;
    return undefined;
  }
}

function ofPart({ usual }: Part, baseline: Baseline): Baseline {
  const { requests = 0 } = baseline;
  const high = baseline.high * Math.max(0.1, usual);
  return { ...baseline, high, unhealthy: Math.max(2.5 * high, high + 0.004 * requests) };
}

const placesOf = (events: readonly ErrorEvent[]): string[] =>
  [({ region }: ErrorEvent) => region, placeOf].flatMap((read) => dominant(events, read, 0.7) ?? []);

/** `/api/v2/items/7` → `/api/v2`. */
const placeOf = ({ address }: ErrorEvent): string | undefined =>
  /^(?:https?:\/\/[^/]+)?(\/[^/?#]+(?:\/[^/?#]+)?)/.exec(address ?? '')?.[1];

export interface UnhealthyZone {
  zone: number;
  name: string;
  since: number;
  failures: number;
  /** Of its requests of 45 min at most, from 0 to 1; undefined where they are not counted. */
  share: number | undefined;
  usual: number;
  /** Requests as a multiple of the usual; 0 where unknown. */
  surge: number;
  to: number;
  groups: ErrorGroup[];
  /** The region or the path that has nearly all of them. */
  where: string[];
}

export interface ZoneLook {
  events: ErrorEvent[];
  unhealthy?: UnhealthyZone | undefined;
  /** All failures, filtered or not; undefined where it has none. */
  times: readonly number[] | undefined;
  /** All of them from then on, in Unix milliseconds: a log may have more. */
  from?: number | undefined;
  notes: string[];
  failure?: Error | undefined;
}

export function ofSource(events: readonly ErrorEvent[], source: ErrorEvent['source']): number {
  return events.filter((event) => event.source === source).length;
}

/** Without what visitors got because of errors shown here: told twice is noise. */
export function shownOf<G extends ErrorGroup>(groups: readonly G[]): G[] {
  const origin = groups.filter(({ source }) => source === 'origin');
  return groups.filter(
    ({ source, status, path }) =>
      source === 'origin' ||
      !origin.some(
        (group) => group.status === status && (group.path === path || group.paths.some(([one]) => one === path)),
      ),
  );
}

/** The origin's errors are read where visitors see failures, or their requests are not known. */
export async function lookAt(
  zone: PullZone,
  { mostPages, minErrors }: { mostPages: number; minErrors: number },
  context: ReportContext,
  remembered: number,
): Promise<ZoneLook> {
  const { from, to, known } = context;
  const since = known?.[zone.Id];
  const { edge, window } = await visitorErrors(zone, { mostPages, minErrors, remembered }, context);
  let baseline: Baseline | undefined;
  let logged = { rate: undefined as number | undefined, oneIn: 1 };
  const judge = async (
    { events, isCut, from: readFrom }: Pick<ZoneErrors, 'events' | 'isCut' | 'from'>,
    source: ErrorEvent['source'],
    part?: Part,
  ) => {
    const scaledTo = (whole: Baseline) => (part === undefined ? whole : ofPart(part, whole));
    const times = events.map((event) => event.time);
    const first = Math.max(window.from.getTime(), edge?.from ?? 0, readFrom);
    const enough = isCut ? Math.floor((to.getTime() - first) / MINUTE) : undefined;
    // It may be in a pause of so long.
    const range = {
      from: first,
      to: to.getTime(),
      enough,
      again: Math.max(from.getTime(), to.getTime() - 10 * MINUTE),
    };
    if (since === undefined && times.length < minErrors) return undefined;
    const beganBy = async (isSuspect: boolean) => {
      baseline = await readBaseline(zone.Id, { remembered, since, isSuspect }, context);
      return unhealthySince(times, range, scaledTo(baseline), since);
    };
    if (since === undefined && (await beganBy(false)) === undefined) return undefined;
    const began = await beganBy(true);
    if (began === undefined || baseline === undefined) return undefined;
    if (edge?.failure === undefined && logged.rate === undefined)
      logged = await compareLog(zone, { ...range, times }, baseline, context);
    if (logged.rate === undefined) return began;
    // Failures are a share of what the same log has.
    const rate = source === 'edge' ? logged.rate : logged.rate * logged.oneIn;
    const scaled = scaledTo(ofRequests(baseline, rate));
    const found = unhealthySince(times, range, scaled, since);
    if (found === undefined || since !== undefined || !isCut) return found;
    return (await beginningOf(zone, scaled, window)) ?? found;
  };
  let began = await judge(edge ?? { events: [], isCut: false, from: 0 }, 'edge');
  // Failures that visitors do not notice are looked for once an hour.
  const isHour = Math.floor(from.getTime() / HOUR) < Math.floor(to.getTime() / HOUR);
  const isWanted = isHour || edge?.failure !== undefined || edge === undefined;
  const origin =
    isWanted || began !== undefined || since !== undefined
      ? await errorsOf(zone, 'origin', mostPages, window)
      : undefined;
  if (origin !== undefined) {
    const byOrigin = await judge(origin, 'origin');
    began = began === undefined || byOrigin === undefined ? (began ?? byOrigin) : Math.min(began, byOrigin);
  }
  // A region or a path may fail without showing in the whole.
  const isLost = began === undefined && edge !== undefined && (baseline?.share ?? 0) >= OFTEN;
  const part = isLost ? await partOf(zone, edge.events, window) : undefined;
  if (part !== undefined) began = await judge({ ...edge!, events: edge!.events.filter(part.isIn) }, 'edge', part);
  const all = [...(edge?.events ?? [])];
  for (const event of origin?.events ?? []) all.push(event);
  const looks = [edge, origin].filter((one) => one !== undefined);
  const failure = looks.find((one) => one.failure !== undefined)?.failure;
  const notes = looks.flatMap((one) => one.notes);
  const name = zone.Name ?? String(zone.Id);
  if (logged.oneIn > 1 && began !== undefined)
    notes.push(`${name}: the access log shows about 1 in ${logged.oneIn} of the requests that statistics count`);
  const { times, from: readFrom } = edge ?? {};
  if (began === undefined || baseline === undefined)
    return { events: all.filter((event) => event.time >= from.getTime()), times, from: readFrom, notes, failure };
  const events = all.filter((event) => event.time >= Math.min(began, from.getTime()));
  return {
    events,
    times,
    from: readFrom,
    notes,
    failure,
    unhealthy: unhealthyOf(zone, events, { ...logged, from: readFrom, since: began, part }, baseline, context),
  };
}

async function visitorErrors(
  zone: PullZone,
  { mostPages, minErrors, remembered }: { mostPages: number; minErrors: number; remembered: number },
  context: ReportContext,
) {
  const { from, to, known } = context;
  const read = async (length: number) => {
    const window = { ...context, from: new Date(Math.min(from.getTime(), to.getTime() - length)) };
    const edge = zone.EnableLogging === false ? undefined : await errorsOf(zone, 'edge', mostPages, window);
    return { edge, window };
  };
  const short = await read(WINDOW);
  const failures = short.edge?.events.length ?? 0;
  if (failures === 0 || failures >= minErrors || known?.[zone.Id] !== undefined) return short;
  const { requests } = await readBaseline(zone.Id, { remembered, isSuspect: false }, context);
  // With fewer requests a minute, failures are far apart.
  return requests !== undefined && requests < 1 ? read(3 * HOUR) : short;
}

/** By its oldest failures. Undefined: these do not say it. */
async function beginningOf(zone: PullZone, baseline: Baseline, window: ReportContext): Promise<number | undefined> {
  try {
    const times = await oldestFailures(zone, window);
    const to = times.reduce((last, at) => Math.max(last, at), window.from.getTime()) + 1;
    return unhealthySince(times, { from: window.from.getTime(), to, enough: 1 }, baseline);
  } catch (error) {
    if (!isPlatforms(error)) throw error;
    return undefined;
  }
}

function unhealthyOf(
  zone: PullZone,
  all: readonly ErrorEvent[],
  { from = 0, since, rate, oneIn, part }: Logged & { since: number; part: Part | undefined },
  { requests: counted, share, usualRequests }: Baseline,
  { to }: ReportContext,
): UnhealthyZone {
  // An incident may have begun in another zone before.
  const events = all.filter(({ time }) => time >= since);
  const [edge, origin] = [ofSource(events, 'edge'), ofSource(events, 'origin')];
  const source = edge >= origin ? 'edge' : 'origin';
  // The cause is that of the unusual part.
  const causing = part === undefined ? events : events.filter(part.isIn);
  const judged = causing.filter((event) => event.source === source);
  return {
    zone: zone.Id,
    name: zone.Name ?? String(zone.Id),
    since,
    failures: Math.max(edge, origin),
    share: shareOf(events, { from: Math.max(from, since), rate: rate ?? counted, oneIn }, to.getTime()),
    usual: share,
    surge: usualRequests === undefined ? 0 : (rate ?? counted ?? 0) / usualRequests,
    to: to.getTime(),
    groups: mostOf(shownOf(groupErrors(causing))),
    where: placesOf(judged),
  };
}

/** A minute, since `from`; the log has one request of `oneIn`. */
interface Logged {
  from?: number | undefined;
  rate: number | undefined;
  oneIn: number;
}

function shareOf(all: readonly ErrorEvent[], { from = 0, rate, oneIn }: Logged, to: number): number | undefined {
  if (rate === undefined) return undefined;
  const begun = Math.max(from, to - WINDOW);
  const events = all.filter(({ time }) => time >= begun);
  const failed = Math.max(ofSource(events, 'edge'), ofSource(events, 'origin') / oneIn);
  // A log may be late: the minute of its last failure is the last that is known.
  const last = events.reduce((latest, { time }) => Math.max(latest, time), Math.max(begun, to - LATE));
  const end = Math.min(to, Math.ceil(last / MINUTE) * MINUTE);
  const requests = rate * Math.max(1, (end - begun) / MINUTE);
  return failed / Math.max(failed, requests);
}

function mostOf(groups: readonly ErrorGroup[]): ErrorGroup[] {
  const all = groups.reduce((sum, { requests }) => sum + requests, 0);
  // Smaller kinds are not told.
  return groups.filter(({ requests }, index) => index === 0 || requests >= 0.1 * all);
}
