import { type ErrorEvent, type ErrorGroup, groupErrors } from '../../logs/error-groups.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { nextSlots } from '../../schedule/cron.ts';
import { HOUR, MINUTE } from '../../time.ts';
import { type Placed, type Places, placesOf } from '../places.ts';
import { readOr } from '../platform-errors.ts';
import type { ReportContext, Seen } from '../report.ts';
import { compareLog, sampleLog } from './log-quality.ts';
import {
  type Baseline,
  beginOfRun,
  isApart,
  LATE,
  minutesOf,
  ofRequests,
  readBaseline,
  unhealthySince,
  usualFailures,
  WINDOW,
} from './unhealthy-zones.ts';
import { errorsOf, oldestFailures, type ZoneErrors } from './zone-errors.ts';

/**
 * The time between two looks. A failure is over after this long, or twice its longest pause, without failures beyond
 * the usual.
 */
const LOOK = 5 * MINUTE;

export interface UnhealthyZone {
  zone: number;
  name: string;
  since: number;
  failures: number;
  /** How many five-minute looks have failures. */
  looks: number;
  /** The share of its requests in at most 45 minutes, from 0 to 1. Undefined: they are not counted. */
  share: number | undefined;
  /** Three of ten failed at a look, and a fifth still do: a share that varies around the bound keeps one word. */
  isDown: boolean;
  usual: number;
  planned: number;
  /** Requests as a multiple of the usual; 0 if unknown. */
  surge: number;
  to: number;
  /** All requests a minute. Undefined: they are not counted. */
  requests: number | undefined;
  /** When its last failure beyond the usual was. */
  last: number;
  /** Its last failure of all. */
  seen: number;
  /** The look that will tell its end, if nothing fails until then. */
  watchedUntil: number | undefined;
  /** For some minutes after that nothing failed: the log shows visitors, or the zone was told before. */
  isQuiet: boolean;
  /** Failures since `last`, which are no more than usual. */
  after: number;
  /** It was told, and the share of the last look is less than half of the one before, beyond chance. */
  easing: { share: number; before: number } | undefined;
  /** It was told, and recovered a short while ago. */
  isAgain: boolean;
  /** Errors of the last five minutes, or ten, if enough failed in them. */
  groups: ErrorGroup[];
  /** What many failed by before these minutes. */
  earlier: ErrorGroup | undefined;
  /** The regions and the paths with nearly all failures. Undefined: they are not known. */
  where: Places | undefined;
}

export interface ZoneLook {
  events: ErrorEvent[];
  unhealthy?: UnhealthyZone | undefined;
  /** All failures, before any filter. Undefined: the zone has no log. */
  times: readonly number[] | undefined;
  /** `times` is complete from here on, in Unix milliseconds. */
  from?: number | undefined;
  /** The share of its requests that usually fails, and some do. */
  usual: number;
  /** The zone of an incident is well. `at`: since when, if failures of the last 45 minutes show it. */
  ended?: { at: number | undefined } | undefined;
  /** It has just begun to fail. */
  fresh?: (Pick<UnhealthyZone, 'since' | 'failures' | 'share'> & { isNew: boolean }) | undefined;
  /** Undefined: its log could not be read, or it has none. */
  seen?: Seen | undefined;
  notes: string[];
  failure?: Error | undefined;
}

export function ofSource(events: readonly ErrorEvent[], source: ErrorEvent['source']): number {
  return events.filter((event) => event.source === source).length;
}

/** Leaves out visitors’ errors that an origin error shown here explains. */
export function shownOf<G extends ErrorGroup>(groups: readonly G[]): G[] {
  const origin = groups.filter(({ source }) => source === 'origin');
  return groups.filter(
    ({ source, status, path, requests }) =>
      source === 'origin' ||
      !origin.some(
        (group) =>
          group.status === status &&
          // A few origin errors do not explain thousands of visitors’ errors.
          (path === undefined ? 5 * group.requests >= requests : group.paths.some(([one]) => one === path)),
      ),
  );
}

/** Reads the origin’s errors if visitors see failures, or their requests are unknown. */
export async function lookAt(
  zone: PullZone,
  { mostPages, minErrors }: { mostPages: number; minErrors: number },
  context: ReportContext,
  { remembered, endOf }: { remembered: number; endOf(zone: number): Promise<number | undefined> },
): Promise<ZoneLook> {
  const { from, to, known, ended: { [zone.Id]: ended = 0 } = {} } = context;
  const since = known?.[zone.Id];
  // What the end of an incident has told is not counted again.
  const begin = Math.max(Math.min(from.getTime(), to.getTime() - WINDOW), ended + 1);
  const window = { ...context, from: new Date(begin) };
  const edge = zone.EnableLogging === false ? undefined : await errorsOf(zone, 'edge', mostPages, window);
  let baseline: Baseline | undefined;
  let logged: Logged = { oneIn: 1 };
  let last: ReturnType<typeof lastFailing> = { at: undefined, pause: 0 };
  let usual = 0;
  const judge = async (
    { events, isCut, from: readFrom }: Pick<ZoneErrors, 'events' | 'isCut' | 'from'>,
    source: ErrorEvent['source'],
  ) => {
    const times = events.map((event) => event.time);
    const first = Math.max(window.from.getTime(), edge?.from ?? 0, readFrom);
    const enough = isCut ? Math.floor((to.getTime() - first) / MINUTE) : undefined;
    const range = { from: first, to: to.getTime(), enough };
    const beganBy = (usual: Baseline) => since ?? unhealthySince(times, range, usual);
    const read = async (isSuspect: boolean) => {
      const known = await readBaseline(zone.Id, { remembered, since, isSuspect }, context);
      usual = known.share;
      return known;
    };
    if (since === undefined && (times.length < minErrors || beganBy(await read(false)) === undefined)) return undefined;
    baseline = await read(true);
    const begun = beganBy(baseline);
    if (begun === undefined) return undefined;
    if (edge?.failure === undefined && logged.rate === undefined)
      logged = await compareLog(zone, { from: Math.max(first, begun), times }, baseline, context);
    const scaled = inLog(baseline, logged, source);
    const found = beganBy(scaled);
    if (found === undefined) return undefined;
    const seen = lastFailing(times, { from: Math.max(first, found), to: to.getTime() }, scaled);
    if ((seen.at ?? 0) >= (last.at ?? 0)) last = seen;
    const isWhole = since !== undefined || logged.rate === undefined || !isCut || found >= first + LOOK;
    return isWhole ? found : ((await beginningOf(zone, scaled, window)) ?? found);
  };
  let began = await judge(edge ?? { events: [], isCut: false, from: 0 }, 'edge');
  // Once an hour it also looks for failures that visitors do not notice.
  const isHour = Math.floor(from.getTime() / HOUR) < Math.floor(to.getTime() / HOUR);
  const isWanted = isHour || edge?.failure !== undefined || edge === undefined;
  const origin =
    isWanted || began !== undefined || since !== undefined
      ? await originErrorsOf(zone, mostPages, window, last)
      : undefined;
  if (origin !== undefined) {
    const byOrigin = await judge(origin, 'origin');
    began = began === undefined || byOrigin === undefined ? (began ?? byOrigin) : Math.min(began, byOrigin);
  }
  const all = [...(edge?.events ?? [])];
  for (const event of origin?.events ?? []) all.push(event);
  const looks = [edge, origin].filter((one) => one !== undefined);
  const failure = looks.find((one) => one.failure !== undefined)?.failure;
  const notes = looks.flatMap((one) => one.notes);
  const name = zone.Name ?? String(zone.Id);
  if (logged.oneIn > 1 && began !== undefined)
    notes.push(`${name}: the access log shows about 1 in ${logged.oneIn} of the requests that statistics count`);
  const { times, from: readFrom } = edge ?? {};
  const recent = all.filter((event) => event.time >= from.getTime());
  const fresh = await freshIn(zone.Id, times, remembered, context);
  const seen = await seenIn(zone.Id, edge, remembered, context);
  const look = { events: recent, times, from: readFrom, notes, failure, fresh, seen, usual };
  // A log that cannot be read does not show an end.
  if (began === undefined || baseline === undefined || (failure !== undefined && last.at === undefined)) return look;
  began = Math.max(began, newestOf(zone, last, context));
  const at = last.at ?? began;
  const end = at + Math.max(watchedFor(zone, context), 2 * last.pause);
  const served = await servedUntil(zone, edge, { ...last, at }, context, endOf);
  if (since !== undefined && served !== undefined && served >= end) return { ...look, ended: { at: last.at } };
  const events = all.filter((event) => event.time >= Math.min(began, from.getTime()));
  // The log shows it a minute and a half later, and the look after that tells it.
  const watchedUntil = nextLook(context, end + 1.5 * MINUTE - 1);
  const found = { ...logged, from: readFrom, since: began, last: at, watchedUntil, isQuiet: served !== undefined };
  const until = origin?.at ?? to.getTime();
  const unhealthy = unhealthyOf(zone, { events, until }, found, baseline, context);
  return { ...look, events, unhealthy: { ...unhealthy, easing: await easingOf(unhealthy, events, found, context) } };
}

/** What came back may come and go. Each end and return is a reply that everybody reads. */
const watchedFor = ({ Id }: PullZone, { told }: ReportContext) => (told?.[Id] === 'again' ? 30 * MINUTE : LOOK);

/** While what came back is watched, people have read that nothing fails. */
const newestOf = ({ Id }: PullZone, { begun = 0 }: ReturnType<typeof lastFailing>, { told }: ReportContext) =>
  told?.[Id] === 'again' ? begun : 0;

const nextLook = ({ to, cron, timezone = 'UTC' }: ReportContext, after: number): number | undefined =>
  cron === undefined ? undefined : nextSlots(cron, timezone, Math.max(to.getTime(), after), 1)[0];

async function seenIn(zone: number, edge: ZoneErrors | undefined, remembered: number, context: ReportContext) {
  if (edge === undefined || edge.failure !== undefined) return undefined;
  const failed = edge.times.filter((at) => at >= context.to.getTime() - LOOK).length;
  if (failed === 0) return { failed };
  const { requests } = await readBaseline(zone, { remembered, isSuspect: false }, context);
  return { failed, of: requests && Math.max(failed, Math.round((requests * LOOK) / MINUTE)) };
}

/** Set if most failures are of the last look, and a good part of all requests fail since the first of these. */
async function freshIn(zone: number, times: readonly number[] = [], remembered: number, context: ReportContext) {
  const to = context.to.getTime();
  const fresh = times.filter((at) => at >= to - LOOK);
  if (zone in (context.known ?? {}) || fresh.length < 3 || 2 * fresh.length < times.length) return undefined;
  const first = fresh.reduce((first, at) => Math.min(first, at));
  // Statistics are of an hour that may have been busier.
  const { rate } = (await sampleLog(zone, { from: first, to }, context)) ?? { rate: Number.POSITIVE_INFINITY };
  const shareOf = (failures: number, from: number, each = rate) =>
    failures / Math.max(failures, (each * (to - from)) / MINUTE);
  const share = shareOf(fresh.length, first);
  if (share < 0.15) return undefined;
  // It may have begun before these minutes.
  const minutes = minutesOf(times, to - WINDOW, to);
  const usual = usualFailures(ofRequests(await readBaseline(zone, { remembered, isSuspect: false }, context), rate));
  const begin = to - WINDOW + MINUTE * beginOfRun(minutes, usual, (fresh.length * MINUTE) / (to - first));
  const since = times.reduce((least, at) => (at >= begin && at < least ? at : least), to);
  const failures = times.filter((at) => at >= since).length;
  // Before, more or fewer may have come.
  const all = since < first ? await sampleLog(zone, { from: since, to }, context) : undefined;
  return { since, failures, share: shareOf(failures, since, all?.rate), isNew: share >= 0.3 };
}

/** Scales the usual to the requests that this log shows. */
function inLog(baseline: Baseline, { rate, oneIn }: Logged, source: ErrorEvent['source']): Baseline {
  return rate === undefined ? baseline : ofRequests(baseline, source === 'edge' ? rate : rate * oneIn);
}

interface Kept extends ZoneErrors {
  at: number;
}

const keptErrors = new WeakMap<object, Map<number, Kept>>();

/** `last`: by the access log. */
async function originErrorsOf(
  zone: PullZone,
  mostPages: number,
  window: ReportContext,
  last: ReturnType<typeof lastFailing>,
): Promise<Kept> {
  const { originErrors } = window.platform;
  const zones = keptErrors.get(originErrors) ?? new Map<number, Kept>();
  keptErrors.set(originErrors, zones);
  const at = window.to.getTime();
  const known = zones.get(zone.Id);
  // The origin’s log is read by the day. While visitors see the incident, it is read again only at every second look.
  const isAgain = zone.Id in (window.known ?? {}) && (last.at ?? 0) >= at - LOOK;
  const oldest = Math.max(at - 2 * LOOK + MINUTE, newestOf(zone, last, window));
  if (isAgain && known !== undefined && at >= known.at && known.at > oldest) return known;
  const read = { at, ...(await errorsOf(zone, 'origin', mostPages, window)) };
  zones.delete(zone.Id);
  if (read.events.length > 0) zones.set(zone.Id, read);
  const [first] = zones.keys();
  if (zones.size > 20 && first !== undefined) zones.delete(first);
  return read;
}

/** Until when the log shows served visitors after the last failure. A log may be late. */
async function servedUntil(
  zone: PullZone,
  edge: ZoneErrors | undefined,
  { at: last, pause }: { at: number; pause: number },
  { platform, to, signal, known }: ReportContext,
  endOf: (zone: number) => Promise<number | undefined>,
): Promise<number | undefined> {
  // In a model of steady failures, 1.5 a minute and more, 7 of 100 incidents had such a pause.
  const from = last + (known?.[zone.Id] === undefined ? LOOK : Math.min(LOOK, 2 * MINUTE + pause));
  if (to.getTime() <= from || edge?.failure !== undefined) return undefined;
  // After this long the log is not just late, and the failure is over even if no log shows served visitors.
  const silent = to.getTime() - last >= 22 * MINUTE ? to.getTime() : undefined;
  if (edge === undefined) return ((await endOf(zone.Id)) ?? 0) > last - 2 * LOOK ? to.getTime() : silent;
  const query = { from: new Date(from), to, limit: 1, order: 'desc' as const };
  const read = platform.accessLogs.query(zone.Id, query, { signal, priority: 'background' });
  const page = await readOr(undefined, read);
  const newest = Date.parse(page?.data[0]?.timestamp ?? '');
  return newest >= from ? newest : page && silent;
}

/** By the oldest failures. Undefined: they do not show it. */
async function beginningOf(zone: PullZone, baseline: Baseline, window: ReportContext): Promise<number | undefined> {
  const times = await readOr([], oldestFailures(zone, window));
  const to = times.reduce((last, at) => Math.max(last, at), window.from.getTime()) + 1;
  return unhealthySince(times, { from: window.from.getTime(), to, enough: 1 }, baseline);
}

function unhealthyOf(
  zone: PullZone,
  { events: all, until }: { events: readonly ErrorEvent[]; until: number },
  {
    from = 0,
    since,
    rate,
    oneIn,
    requests,
    last,
    ...ending
  }: Logged & Pick<UnhealthyZone, 'since' | 'last' | 'watchedUntil' | 'isQuiet'>,
  { requests: counted, share, usualRequests, planned }: Baseline,
  { to, known, told }: ReportContext,
): Omit<UnhealthyZone, 'easing'> {
  // An incident may have begun earlier in another zone.
  const events = all.filter(({ time }) => time >= since);
  // The origin’s errors are known until then.
  const explained = events.filter(({ time }) => time < until);
  const within = (span: number) => explained.filter(({ time }) => time >= until - span);
  const span = [LOOK, 2 * LOOK].find((one) => within(one).length >= 10) ?? Number.POSITIVE_INFINITY;
  const groups = mostOf(shownOf(groupErrors(within(span))));
  const [edge, origin] = [ofSource(events, 'edge'), ofSource(events, 'origin')];
  const source = edge >= origin ? 'edge' : 'origin';
  const judged = events.filter((event) => event.source === source);
  const window = { from: Math.max(from, since), rate: rate ?? counted, oneIn };
  // Visitors still get its status, and nothing else explains that.
  const goesOn = ({ status, last: at }: ErrorGroup) =>
    !groups.some((one) => one.status === status) && events.some((one) => one.status === status && one.time > at);
  const isTold = known?.[zone.Id] !== undefined;
  const looks = Array.from({ length: WINDOW / LOOK }, (_, index) => to.getTime() - index * LOOK);
  const shares = looks.map((at) => shareOf(events, window, at));
  return {
    zone: zone.Id,
    name: zone.Name ?? String(zone.Id),
    since,
    failures: Math.max(edge, origin),
    looks: new Set(judged.map(({ time }) => Math.floor(time / LOOK))).size,
    share: shares[0],
    isDown: (shares[0] ?? 1) >= 0.2 && shares.some((one = 1) => one >= 0.3),
    usual: share,
    planned,
    surge: usualRequests === undefined ? 0 : (rate ?? counted ?? 0) / usualRequests,
    to: to.getTime(),
    requests: rate ?? counted,
    ...ending,
    last,
    seen: events.reduce((latest, { time }) => Math.max(latest, time), last),
    // What is older is not told in the present.
    isQuiet: ending.isQuiet || (isTold && last > since && to.getTime() - last >= LOOK),
    after: judged.filter(({ time }) => time > last).length,
    isAgain: (told?.[zone.Id] ?? 'now') !== 'now',
    groups,
    earlier: mostOf(shownOf(groupErrors(explained))).find(
      (one) => one.last < until - Math.min(span, 2 * LOOK) && !goesOn(one),
    ),
    where: requests && placesOf(judged, requests),
  };
}

/** A minute, since `from`; the log has one request of `oneIn`. */
interface Logged {
  from?: number | undefined;
  rate?: number | undefined;
  requests?: readonly Placed[] | undefined;
  oneIn: number;
}

function shareOf(all: readonly ErrorEvent[], { from = 0, rate, oneIn }: Logged, to: number): number | undefined {
  if (rate === undefined) return undefined;
  const begun = Math.max(from, to - WINDOW);
  const events = all.filter(({ time }) => time >= begun && time < to);
  const failed = Math.max(ofSource(events, 'edge'), ofSource(events, 'origin') / oneIn);
  // A log may be late: the minute of its last failure is the last that is known.
  const last = events.reduce((latest, { time }) => Math.max(latest, time), Math.max(begun, to - LATE));
  const end = Math.min(to, Math.ceil(last / MINUTE) * MINUTE);
  const requests = rate * Math.max(1, (end - begun) / MINUTE);
  return failed / Math.max(failed, requests);
}

async function easingOf(
  { zone, since, last, requests: rate }: Pick<UnhealthyZone, 'zone' | 'since' | 'last' | 'requests'>,
  events: readonly ErrorEvent[],
  { from = 0, oneIn }: Logged,
  context: ReportContext,
): Promise<UnhealthyZone['easing']> {
  const to = context.to.getTime();
  const begun = to - LOOK;
  const window = { from: Math.max(from, since), oneIn };
  const before = window.from < begun ? (shareOf(events, { ...window, rate }, begun) ?? 0) : 0;
  const shareBy = (rate: number | undefined) => shareOf(events, { ...window, from: begun, rate }, to) ?? 1;
  // The minutes after its last failure may be late.
  if (!(zone in (context.known ?? {})) || to - last >= 2 * MINUTE || shareBy(rate) >= before / 2) return undefined;
  // Visitors may just be fewer than before.
  const end = Math.min(to, Math.ceil(last / MINUTE) * MINUTE);
  const { rate: now } = (await sampleLog(zone, { from: begun, to: end }, context)) ?? { rate: 0 };
  const share = shareBy(now);
  const requests = (now * (end - begun)) / MINUTE;
  // A visitor fails several times, say four, which doubles the standard deviation of chance: these are three of it.
  const isSure = requests * (before - share) > 6 * Math.sqrt(requests * before);
  return isSure && share < before / 2 ? { share, before } : undefined;
}

function mostOf(groups: readonly ErrorGroup[]): ErrorGroup[] {
  const all = groups.reduce((sum, { requests }) => sum + requests, 0);
  // Smaller kinds are not told.
  return groups.filter(({ requests }, index) => index === 0 || requests >= 0.1 * all);
}

/**
 * The last failure that is more likely of the incident, at its own rate, than usual (the likeliest change point), the
 * longest pause between minutes with more than usual, and what `begun` after the last ten quiet ones. Unix milliseconds.
 */
function lastFailing(
  times: readonly number[],
  { from, to }: { from: number; to: number },
  baseline: Baseline,
): { at: number | undefined; pause: number; begun?: number | undefined } {
  const minutes = Array.from({ length: Math.ceil((to - from) / MINUTE) }, (): number[] => []);
  for (const time of times) if (time >= from && time < to) minutes[Math.floor((time - from) / MINUTE)]!.push(time);
  const usual = usualFailures(baseline);
  const now = minutes.flat().length / minutes.length;
  if (!(now > 1.5 * usual)) return { at: undefined, pause: 0 };
  const [weight, less] = [Math.log(now / usual), now - usual];
  let [sum, most, at, before, longest, pause] = [0, Number.NEGATIVE_INFINITY, 0, -1, 0, 0];
  let [run, begun] = [undefined as number | undefined, undefined as number | undefined];
  for (const [minute, some] of minutes.entries()) {
    const more = some.length * weight - less;
    sum += more;
    if (some.length === 0 || more <= 0) continue;
    const quiet = before < 0 ? 0 : minute - before - 1;
    longest = Math.max(longest, quiet);
    if (isApart(quiet, less)) run = some.reduce((first, time) => Math.min(first, time));
    before = minute;
    if (sum > most) [most, at, pause, begun] = [sum, some.reduce((last, time) => Math.max(last, time)), longest, run];
  }
  return { at: at === 0 ? undefined : at, pause: pause * MINUTE, begun: begun && begun - (begun % MINUTE) };
}
