import { UsageError } from '../../errors.ts';
import { agentName } from '../../logs/agent.ts';
import { pathTemplate } from '../../logs/template.ts';
import type { Platform } from '../../platform/client.ts';
import { PlatformError } from '../../platform/errors.ts';
import type { AccessLogRecord } from '../../platform/resources/access-logs.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { type Anchors, WATCH } from '../../store/anchors.ts';
import { DAY, HOUR, MINUTE } from '../../time.ts';
import { dominant } from '../dominant.ts';
import { isThere, lostOf, type Places, placedOf, placesOf } from '../places.ts';
import { isPlatforms, readOr } from '../platform-errors.ts';
import { quantile } from '../quantile.ts';
import { several } from '../several.ts';
import { ACCOUNT, type HoursReader } from '../zone-hours.ts';
import { lagOf, type ReadHours, type Window, windowOf } from './counts.ts';
import { type Finding, isOpen, type JudgedWindow, judged, presenceOf, type ZoneWatch } from './findings.ts';
import { usualDayOf, usualIn } from './usual.ts';

const MOST_RECORDS = 500;
/** This part of the records has to agree. */
const MOSTLY = 0.5;
/** The log of these last minutes decides whether visitors stay away. */
const RECENT = 10 * MINUTE;

type Logs = Pick<Platform, 'accessLogs'>;

const newestIn =
  ({ accessLogs }: Logs, zone: number, signal: AbortSignal) =>
  async (from: number, to: number, limit: number, status?: readonly string[]) => {
    const query = { from: new Date(from), to: new Date(to), status, limit, order: 'desc' as const };
    const { data } = await accessLogs.query(zone, query, { signal, priority: 'background' });
    return data;
  };

/** Adds what `GET {logging_url}/v2/pullzones/{pullZoneId}/logs` shows, if it can be read. Undefined: statistics are late. */
async function withEvidence(
  platform: Logs,
  zone: number,
  finding: Finding,
  now: number,
  signal: AbortSignal,
): Promise<Finding | undefined> {
  const newest = newestIn(platform, zone, signal);
  try {
    if (finding.measure === 'traffic') {
      const { since, to, usual } = finding;
      const rate = usual / (to - since);
      // In a busy zone the last seconds fill a page.
      const recent = Math.min(to - since, RECENT, (2 * MOST_RECORDS) / rate);
      const half = Math.ceil(Math.max(1, (rate * recent) / 2));
      const records = await newest(since - RECENT, to, half);
      const after = (from: number) => records.filter(({ timestamp }) => Date.parse(timestamp ?? '') >= from);
      if (after(to - recent).length >= half) return undefined;
      const missed = after(since);
      const last = Date.parse(records[0]?.timestamp ?? '');
      // The log shows to the second when the last visitor came. Statistics may count some of those before as later ones.
      if (last < (finding.now === 0 ? to : since)) return { ...finding, since: last, isExact: true };
      const scheme = dominant(missed, ({ url = '' }) => url.split(':')[0], MOSTLY);
      const before = (limit: number) => newest(since - HOUR, since - RECENT, limit);
      const where = await lostPlaces(missed, finding.now / usual, before);
      // As when the certificate has expired.
      return { ...finding, where, ...(missed.length >= 5 && scheme === 'http' && { isPlainHttp: true }) };
    }
    if (finding.measure === 'requests') {
      const records = await newest(Math.max(finding.since, now - RECENT), now, MOST_RECORDS);
      const most = (read: (record: (typeof records)[number]) => string | undefined) => dominant(records, read, MOSTLY);
      const [country, agent] = [most(({ countryCode }) => countryCode), most(({ userAgent }) => userAgent)];
      const path = most(({ path: asked = '/' }) => pathTemplate(asked));
      const words = [country && `from ${country}`, agent && `by ${agentName(agent)}`, path && `on ${path}`];
      const detail = words.filter(Boolean).join(', ');
      return detail === '' ? finding : { ...finding, detail };
    }
    const since = Math.max(finding.since, now - 30 * MINUTE);
    if (finding.measure !== '4xx' && finding.measure !== 'hits') return finding;
    const all = await newest(since, now, MOST_RECORDS);
    const before = await newest(finding.since - HOUR, finding.since - RECENT, MOST_RECORDS);
    if (finding.measure === 'hits') {
      const many = Math.min(before.length, all.length);
      const isHit = ({ cacheStatus }: AccessLogRecord) => cacheStatus === 'HIT';
      const hits = (some: typeof all) => some.slice(0, many).filter(isHit).map(placedOf);
      return { ...finding, where: placesOf(lostOf(hits(before), hits(all)), hits(before)) };
    }
    const records = await newest(since, now, MOST_RECORDS, ['4xx']);
    const status = dominant(records, ({ statusCode }) => statusCode, MOSTLY);
    const path = dominant(records, ({ path = '/' }) => pathTemplate(path), MOSTLY);
    const words = [status, path !== undefined && `on ${path}`].filter(Boolean).join(' ');
    const where = placesOf(records.map(placedOf), all.map(placedOf));
    const isOfFew = fewOf(records, { all, before }, finding.now) !== undefined;
    const few = { isOfFew, isInstead: areInstead(all, before) };
    return { ...finding, ...(words === '' ? {} : { detail: words }), ...few, where };
  } catch (error) {
    if (!isPlatforms(error)) throw error;
    return finding;
  }
}

/** `left`: the requests of this part of the visitors. */
async function lostPlaces(
  left: readonly AccessLogRecord[],
  part: number,
  read: (limit: number) => Promise<readonly AccessLogRecord[]>,
): Promise<Places | undefined> {
  const some = left.slice(0, Math.ceil(2 * MOST_RECORDS * part)).map(placedOf);
  if (some.length === 0) return undefined;
  const before = (await read(Math.ceil(some.length / part))).map(placedOf);
  return placesOf(lostOf(before, some), before);
}

export const isRobot = ({ userAgent }: { userAgent?: string | undefined }): boolean =>
  /compatible;|bot\b|crawler|spider/i.test(userAgent ?? '');

const isServed = ({ statusCode = 0 }: AccessLogRecord): boolean => statusCode < 400;

/**
 * Whose half of what is refused (`share` of all requests) is: robots who had less than half of what was served `before`,
 * or few addresses who had less than half as many good answers as are refused.
 */
function fewOf(
  refused: readonly AccessLogRecord[],
  { all, before }: Record<'all' | 'before', readonly AccessLogRecord[]>,
  share: number,
): ((record: AccessLogRecord) => boolean) | undefined {
  // Where all is refused, or was, nothing tells customers from others.
  if (refused.length === 0 || [all, before].some((some) => some.length > 0 && !some.some(isServed))) return undefined;
  const requests = new Map<string, number>();
  for (const { remoteIp } of refused) if (remoteIp) requests.set(remoteIp, (requests.get(remoteIp) ?? 0) + 1);
  // One address for all: the log hides who they are, or a proxy does.
  const isHidden = requests.size === 1 && all.every(({ remoteIp = '' }) => requests.has(remoteIp));
  const few = isHidden ? 0 : Math.min(5, Math.floor(refused.length / 10));
  const busiest = [...requests].sort(([, a], [, b]) => b - a).slice(0, few);
  const addresses = new Set(busiest.map(([address]) => address));
  const served = before.filter(isServed);
  const areMost = (isOne: (record: AccessLogRecord) => boolean, least: number) =>
    refused.filter(isOne).length >= MOSTLY * refused.length && served.filter(isOne).length < least * served.length + 1;
  const isAmong = ({ remoteIp = '' }: AccessLogRecord) => addresses.has(remoteIp);
  return areMost(isRobot, 1 / 2) ? isRobot : areMost(isAmong, share / 2) ? isAmong : undefined;
}

/** The part of the failures since then that is not of such robots or addresses. All count where nobody else is served, or a log cannot be read. */
export async function failingOthers(
  platform: Logs,
  { zone, since, to, share = 0 }: { zone: number; since: number; to: number; share: number | undefined },
  signal: AbortSignal,
): Promise<number> {
  const newest = newestIn(platform, zone, signal);
  const reads = [
    newest(since, to, MOST_RECORDS, ['5xx']),
    newest(since, to, MOST_RECORDS),
    // Long enough ago: they may have begun before the first failure that is read.
    newest(to - 3 * HOUR, to - 2 * HOUR, MOST_RECORDS),
  ];
  const [failed = [], all = [], before] = await readOr([], Promise.all(reads));
  const isOne = before && fewOf(failed, { all, before }, share);
  if (isOne === undefined || all.filter((one) => isServed(one) && !isOne(one)).length < 5) return 1;
  return failed.filter((one) => !isOne(one)).length / failed.length;
}

/** Most of what is refused is where good answers are missing, of as many as `before`. */
function areInstead(all: readonly AccessLogRecord[], before: readonly AccessLogRecord[]): boolean {
  const many = Math.min(all.filter(isServed).length, before.filter(isServed).length);
  const served = (some: typeof all) => some.filter(isServed).slice(0, many).map(placedOf);
  const refused = all.filter((one) => !isServed(one)).map(placedOf);
  return isThere(refused, lostOf(served(before), served(all)));
}

/** A look is used again for `FRESH`. Two looks that are further apart than `TOO_FAR` are not compared. */
const FRESH = 14 * MINUTE;
const TOO_FAR = 3 * HOUR;
/** Statistics may lag by one and a half hours, so hours are read again for longer. */
const BEHIND = 3 * HOUR;
/** The platform keeps events of shields for three days. This long are the whole hours of them before the last two. */
const KEPT = 69 * HOUR;
/** Between looks at zones only the account is read, to see a fall of all zones at once. */
const GLANCE = 4 * MINUTE;
/**
 * `MOST`: this part of the zones has to fall. `LEFT`: at most this part of their requests is left then. In weeks 1–3 of
 * a model this found all nine outages of DNS, after 6 to 12 minutes, and no ordinary day.
 */
const MOST = 0.6;
const LEFT = 0.5;
export interface ZoneFinding extends Finding {
  zone: number;
  name: string;
  isUnlogged?: boolean;
  window?: JudgedWindow | undefined;
  /** Windows of a quarter of an hour. One of five minutes may have the requests of three or of seven. */
  windows?: readonly JudgedWindow[];
}

export interface Watched {
  findings: readonly ZoneFinding[];
  /** Zones that had no request since then, though some are usual, and are not found yet. */
  silent?: readonly { zone: number; name: string; since: number; to: number; usual: number }[];
  /** What is late, or not watched at all. */
  notes: readonly string[];
  /** What the platform did not answer. */
  unread: readonly string[];
}

export type WatchZones = (zones: readonly PullZone[], whole: boolean, signal: AbortSignal) => Promise<Watched>;

export interface WatchServices {
  platform: Platform;
  anchors: Pick<Anchors, 'named' | 'set' | 'setAll'>;
  hours: HoursReader;
  now: () => Date;
  /** Per second. Without it there is no limit. */
  perSecond?: number | undefined;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Monotonic, in milliseconds. */
  elapsed(): number;
}

type Target = { id: number; name: string; busy: number; isLogged: boolean; watch: ZoneWatch };

/** One look at a time, shared by all subscriptions. `isTrial` only reads what is stored. */
export function createWatch(services: WatchServices, { isTrial = false } = {}): WatchZones {
  let looking: Promise<unknown> = Promise.resolve();
  let isReadingOn = false;
  let failure: Error | undefined;
  const pace = createPace(services);
  const lookOnce = async (wanted: Parameters<typeof look>[3]) => {
    // Nobody waited for the rest of the last look, so this look reports its failure.
    const failed = failure;
    failure = undefined;
    if (failed !== undefined) throw failed;
    const { watched, rest } = await look(services, pace, isTrial || isReadingOn, wanted);
    if (rest !== undefined) {
      isReadingOn = true;
      rest()
        .catch((error: Error) => {
          failure = error;
        })
        .finally(() => {
          isReadingOn = false;
        });
    }
    return watched;
  };
  return (zones, whole, signal) => {
    const mine = looking.then(() => lookOnce({ zones, whole, signal }));
    looking = mine.catch(() => undefined);
    return mine;
  };
}

/** Halves its speed after each 429. */
function createPace({ perSecond, wait, elapsed }: WatchServices) {
  let next = 0;
  let slower = 1;
  return {
    async turn(signal: AbortSignal) {
      if (perSecond === undefined) return;
      const at = Math.max(next, elapsed());
      next = at + (1000 * slower) / perSecond;
      if (at > elapsed()) await wait(at - elapsed(), signal);
    },
    answered(isTooMany: boolean) {
      slower = isTooMany ? Math.min(64, slower * 2) : Math.max(1, slower / 2);
    },
  };
}

async function look(
  services: WatchServices,
  pace: ReturnType<typeof createPace>,
  isTrial: boolean,
  { zones, whole, signal }: { zones: readonly PullZone[]; whole: boolean; signal: AbortSignal },
): Promise<{ watched: Watched; rest?: () => Promise<void> }> {
  const stored = await services.anchors.named<ZoneWatch>(WATCH);
  const targetOf = (
    id: number,
    name: string,
    { MonthlyBandwidthUsed = 0, EnableLogging }: Partial<PullZone>,
  ): Target => {
    const watch = stored.get(id) ?? { windows: [], findings: [] };
    return { id, name, watch, busy: MonthlyBandwidthUsed ?? 0, isLogged: id !== ACCOUNT && EnableLogging !== false };
  };
  const account = targetOf(ACCOUNT, 'All zones', {});
  const all = zones.map((zone) => targetOf(zone.Id, zone.Name ?? String(zone.Id), zone));
  const now = services.now().getTime();
  const unread: string[] = [];
  let isAccountAlone = false;
  const age = ({ watch: { read } }: Target) => (read === undefined ? TOO_FAR : now - read.at);
  const isFalling =
    !isTrial && age(account) >= GLANCE && age(account) < FRESH && (await hasFallen(services, account, signal));
  // An open finding is looked at more often, to see its end, and what may become one.
  const isFollowed = ({ watch: { findings, windows } }: Target) => {
    const last = windows.at(-1);
    if (last === undefined) return false;
    const rate = last.usual.requests / (last.to - last.from);
    const isBeginning = Object.values(last.excess).some((one) => one > 1);
    // With fewer requests in five minutes a look may only seem to be the end.
    return findings.some(isOpen) ? rate * 5 * MINUTE >= 100 : isBeginning && rate * 15 * MINUTE >= 100;
  };
  const isDue = (target: Target) => age(target) >= (isFalling || isFollowed(target) ? GLANCE : FRESH);
  const due = all
    .filter(isDue)
    // Zones that were left out come first, then the busiest.
    .sort((a, b) => Math.round((age(b) - age(a)) / FRESH) || b.busy - a.busy);
  const perSecond = services.perSecond ?? 10;
  const chosen = isTrial ? [] : [...(isDue(account) ? [account] : []), ...due].slice(0, 240 * perSecond);
  const readAndJudge = async (targets: readonly Target[]) => {
    const { shieldZones } = services.platform;
    const mapping = targets.length === 0 ? [] : shieldZones.mapping({ signal, priority: 'background' });
    const shields = new Map((await readOr([], mapping)).map((one) => [one.pullZoneId, one.shieldZoneId]));
    const read = await several(targets, 4, async (target) => {
      if (isAccountAlone) return undefined;
      await pace.turn(signal);
      try {
        const wanted = { from: firstHourOf(target, now), to: now, age: MINUTE, signal };
        const hours = await services.hours(target.id, wanted);
        pace.answered(false);
        const shield = shields.get(target.id);
        const seen = shield === undefined ? undefined : await shieldedIn(services, shield, target, hours, signal);
        if (isWhole(target, hours)) return { target, hours, ...seen };
        unread.push(`${target.name}: the platform no longer sends figures for an hour that it had figures for`);
        return undefined;
      } catch (error) {
        if (!isPlatforms(error)) throw error;
        pace.answered(error instanceof PlatformError && error.status === 429);
        // The settings switch statistics of single zones off.
        if (error instanceof UsageError && target.id !== ACCOUNT) isAccountAlone = true;
        else unread.push(`${target.name}: statistics could not be read (${error.message})`);
        return undefined;
      }
    });
    const fresh = read.filter((one) => one !== undefined);
    // Within five minutes they may only be late.
    if (!(await judge(services, account, fresh, signal)) && age(account) >= FRESH)
      unread.push('Statistics have stopped: the platform is not counting requests.');
    await services.anchors.setAll(WATCH, new Map(fresh.map(({ target: { id, watch } }) => [id, watch])));
  };
  // A summary waits for one minute. Reading continues in the background.
  const awaited = Math.ceil(60 * perSecond);
  if (!isTrial) await readAndJudge(chosen.slice(0, awaited));
  const told = isAccountAlone ? (whole ? [{ ...account, name: 'The account' }] : []) : all;
  const findingsOf = ({ id, name, watch, isLogged }: Target): ZoneFinding[] =>
    watch.findings.map((finding) => ({
      ...{ ...finding, zone: id, name, isUnlogged: !isLogged, window: watch.windows.at(-1) },
      windows: watch.windows.filter(({ to }) => to > watch.windows.at(-1)!.to - FRESH),
    }));
  const falls = whole && !isAccountAlone ? findingsOf(account).filter(({ measure }) => measure === 'traffic') : [];
  // What comes a day after a fall is no part of it.
  const isPart = ({ measure, since }: Finding) =>
    measure === 'traffic' &&
    falls.some((fall) => since > fall.since - HOUR && since < Math.min(fall.until ?? now, fall.since + DAY));
  const findings = [...falls, ...told.flatMap(findingsOf).filter((finding) => !isPart(finding))];
  const silent = isAccountAlone ? [] : all.flatMap(silenceOf);
  const watched = { findings, silent, notes: notesOf(told, account, { now, isAccountAlone }), unread };
  const left = isAccountAlone ? [] : chosen.slice(awaited);
  return left.length > 0 ? { watched, rest: () => readAndJudge(left) } : { watched };
}

function silenceOf({ id: zone, name, watch: { windows, findings } }: Target): NonNullable<Watched['silent']> {
  if (findings.some(isOpen)) return [];
  const none = windows.slice(windows.findLastIndex(({ counts: { requests } }) => requests > 0) + 1);
  const usual = Math.round(none.reduce((sum, { usual: { requests } }) => sum + requests, 0));
  return usual < 10 ? [] : [{ zone, name, since: none[0]!.from, to: none.at(-1)!.to, usual }];
}

const isUsualDue = ({ usual }: ZoneWatch, now: number) => usual === undefined || now >= usual.from + 22 * HOUR;

/** A little before the last look, or once a day four weeks back. */
function firstHourOf({ watch }: Target, now: number): number {
  const { read } = watch;
  const since = isUsualDue(watch, now) ? now - 29 * DAY : Math.max(now - DAY, (read?.at ?? now) - BEHIND);
  return Math.floor(since / HOUR) * HOUR;
}

/** Hours that have vanished would make the growth since the last look wrong. */
function isWhole({ watch: { read } }: Target, { hours }: ReadHours): boolean {
  const known = Object.keys(read?.hours ?? {}).map(Number);
  return known.every((hour) => hour < read!.at - BEHIND || hours[hour] !== undefined);
}

type Fresh = { target: Target; hours: ReadHours; shielded?: number | undefined };

/** The account comes first, because it shows how late statistics are. False: they have stopped, so nothing is judged. */
async function judge(services: WatchServices, account: Target, fresh: readonly Fresh[], signal: AbortSignal) {
  const looked = fresh.map(({ target, hours, shielded }) => {
    const { read } = target.watch;
    const isFar = read === undefined || hours.at - read.at > TOO_FAR;
    if (target === account && !isFar) {
      const lag = lagOf(read, hours);
      if (lag !== undefined) target.watch.lags = [...(target.watch.lags ?? []), lag].slice(-6);
    }
    if (isFar) return { target, hours, window: undefined };
    const window = windowOf(read, hours, lagOfAll(account));
    return { target, hours, window: { ...window, counts: { ...window.counts, shielded } } };
  });
  const fall = account.watch.findings.find((finding) => finding.measure === 'traffic' && isOpen(finding));
  const zones = looked.flatMap(({ target, window }) => {
    if (window === undefined || target === account) return [];
    const part = presenceOf(window, target.watch, fall?.since);
    if (part === undefined) return [];
    return { target, window, part, usual: usualIn(target.watch.usual!, window.from, window.to)!.requests };
  });
  const present = zones.map(({ part }) => part);
  const whole = looked.find(({ target }) => target === account)?.window?.counts.requests;
  // Fewer zones cannot stand for all.
  const isMany = present.length >= 3;
  const left = isMany ? quantile(present, MOST) : 1;
  // Less than a tenth of the usual counts as nothing.
  const isNothing = left < 0.1 || whole === 0;
  // If all zones fall at once, statistics are late or visitors stay away. A log shows which.
  const isSuspect = isNothing || (left <= LEFT && fall === undefined);
  if (isSuspect && (await isLogged(services, zones, isNothing, signal))) return false;
  // A sudden fall is not a holiday.
  const isCommon = left <= LEFT || fall !== undefined;
  const levels = zones.map(({ window, usual }) => window.counts.requests / usual);
  const level = isCommon ? { others: 1, level: 1 } : { others: quantile(present, 0.5), level: quantile(levels, 0.5) };
  for (const { target, hours, window } of looked) {
    const { watch } = target;
    if (isUsualDue(watch, hours.at)) watch.usual = usualDayOf(hours.hours, hours.at) ?? watch.usual;
    watch.read = recentOf(hours);
    if (window === undefined) {
      watch.windows = [];
      continue;
    }
    const before = watch.findings;
    const isOfAll = target === account && fresh.length > 1;
    Object.assign(watch, judged(watch, window, isOfAll ? { fall: isCommon ? 1 - left : 0 } : isMany ? level : {}));
    watch.findings = isOfAll ? counted(watch.findings, present) : await examined(services, target, before, signal);
  }
  return true;
}

/** What a shield saw since the last look, and once a day what it saw in the hours that the platform keeps. */
async function shieldedIn(
  { platform: { security } }: WatchServices,
  shield: number,
  { watch }: Target,
  { at, hours }: ReadHours,
  signal: AbortSignal,
): Promise<Partial<Fresh>> {
  const search = async (from: number, to: number, buckets: number) => {
    const asked = { from: new Date(from), to: new Date(to), groupBy: 'action', buckets, pageSize: 20 } as const;
    return readOr(undefined, security.events(shield, asked, { signal, priority: 'background' }));
  };
  const isDue = isUsualDue(watch, at);
  // Without a usual nothing is judged.
  if (((isDue ? usualDayOf(hours, at) : undefined) ?? watch.usual) === undefined) return {};
  const since = Math.max(watch.read?.at ?? at, at - TOO_FAR);
  const groups = since < at ? await search(since, at, 0) : [];
  // If it is not known, the last figure holds.
  const shielded = groups?.reduce((all, one) => all + one.count, 0) ?? watch.windows.at(-1)?.counts.shielded;
  if (!isDue) return { shielded };
  const end = at - (at % HOUR) - 2 * HOUR;
  const begin = end - KEPT;
  const past = (await search(begin, end, KEPT / HOUR)) ?? [];
  const known = Object.entries(hours).map(([hour, counts]) => {
    const index = (Number(hour) - begin) / HOUR;
    const seen = past.reduce((all, { sparkline }) => all + (sparkline[index] ?? 0), 0);
    return [hour, index >= 0 && index < KEPT / HOUR ? { ...counts, shielded: seen } : counts];
  });
  return { shielded, hours: { at, hours: Object.fromEntries(known) } };
}

const recentOf = ({ at, hours }: ReadHours): ReadHours => ({
  at,
  hours: Object.fromEntries(Object.entries(hours).filter(([hour]) => Number(hour) >= at - BEHIND - HOUR)),
});

const counted = (findings: readonly Finding[], present: readonly number[]): Finding[] =>
  findings.map((finding) => {
    const fallen = present.filter((part) => part <= MOST).length;
    const detail = `${fallen} of ${present.length} zones`;
    return isOpen(finding) && finding.measure === 'traffic' && fallen > 0 ? { ...finding, detail } : finding;
  });

/** Whether the busiest zone’s log has the missing requests, so that statistics are late. Without a log: only if all are missing. */
async function isLogged(
  { platform, now }: WatchServices,
  zones: readonly { target: Target; window: Window; usual: number }[],
  isNothing: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const logged = zones.filter(({ target: { isLogged } }) => isLogged);
  const [busiest] = logged.sort((a, b) => b.target.busy - a.target.busy);
  if (busiest === undefined) return isNothing;
  const { target, window, usual } = busiest;
  // In a busy zone the last seconds fill a page.
  const length = Math.min(window.to - window.from, ((window.to - window.from) * 2 * MOST_RECORDS) / usual);
  const limit = isNothing ? 1 : Math.max(1, Math.ceil((LEFT * usual * length) / (window.to - window.from)));
  const to = isNothing ? now().getTime() : window.to;
  const read = newestIn(platform, target.id, signal)(isNothing ? to - 30 * MINUTE : to - length, to, limit);
  const records = await readOr(undefined, read);
  return records === undefined ? isNothing : records.length >= limit;
}

/** The account has far fewer requests than half an hour ago. */
async function hasFallen(
  { hours, anchors, now }: WatchServices,
  account: Target,
  signal: AbortSignal,
): Promise<boolean> {
  const { watch } = account;
  const to = now().getTime();
  const wanted = { from: firstHourOf(account, to), to, age: MINUTE, signal };
  // The look at the zones reports an error.
  const read = await readOr(undefined, hours(ACCOUNT, wanted));
  if (read === undefined) return false;
  const before = [watch.glance, watch.read].find((one) => one !== undefined && to - one.at < FRESH);
  const window = before && windowOf(before, read, lagOfAll(account));
  watch.glance = recentOf(read);
  await anchors.set(ACCOUNT, WATCH, watch);
  // If the account has at most this part of its requests, all zones are looked at.
  return window !== undefined && (presenceOf(window, watch) ?? 1) <= 0.75;
}

const lagOfAll = ({ watch: { lags = [] } }: Target) => (lags.length === 0 ? 0 : quantile(lags, 0.5));

async function examined(
  { platform, now }: WatchServices,
  { id, isLogged, watch }: Target,
  before: readonly Finding[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const examinedOnes = watch.findings.map(async (finding) => {
    const isKnown = before.some((one) => one.measure === finding.measure && isOpen(one));
    if (!isOpen(finding) || isKnown || !isLogged) return finding;
    return withEvidence(platform, id, finding, now().getTime(), signal);
  });
  return (await Promise.all(examinedOnes)).filter((finding) => finding !== undefined);
}

function notesOf(
  targets: readonly Target[],
  account: Target,
  { now, isAccountAlone }: { now: number; isAccountAlone: boolean },
): string[] {
  const stale = targets.filter(({ watch: { read } }) => read !== undefined && now - read.at > 35 * MINUTE);
  const lag = Math.round(lagOfAll(account) / MINUTE);
  return [
    ...(isAccountAlone ? ['Statistics of single zones are switched off: only those of the account are watched.'] : []),
    ...(stale.length > 0
      ? [`Statistics of ${stale.length} ${stale.length === 1 ? 'zone' : 'zones'} were not read in the last half hour.`]
      : []),
    ...(lag >= 8 ? [`Statistics are ${lag} minutes late.`] : []),
  ];
}
