import type { Platform } from '../platform/client.ts';
import { PlatformError } from '../platform/errors.ts';
import type { AccessLogRecord } from '../platform/resources/access-logs.ts';
import { DAY, HOUR, MINUTE } from '../time.ts';
import { isPlatforms, readOr } from './platform-errors.ts';
import { quantile } from './quantile.ts';
import { type Counts, type ReadHours, sumOf, windowOf } from './statistics-watch/counts.ts';
import { type UsualHour, usualDayOf, usualIn } from './statistics-watch/usual.ts';
import { isRobot } from './statistics-watch/watch.ts';
import type { HoursReader } from './zone-hours.ts';

/* Whether a zone is worse since a change. The method, with its figures on a model of an account, is in docs/commands.md. */

/** The stretch that is looked at before a change and after it. */
export const TEN = 10 * MINUTE;
/** After this long the ten minutes are in the log, which may be late by a minute and a half. */
export const IN_LOG = TEN + 90_000;
/** How far back failures show what the zone’s ordinary ten minutes do. One hour told 112 in place of 111 of 120. */
const ORDINARY = 3 * HOUR;

const FEW = 30;

type Minutes = Awaited<ReturnType<typeof minutesOf>>;

export type WorseFigure = '5xx' | 'response' | 'hits' | 'requests' | 'redirects' | 'refusals';

export interface Seen {
  before: Minutes;
  after: Minutes;
  usual?: UsualHour | undefined;
  /** The origin’s mean time, in milliseconds, where statistics show it. */
  response?: { before: number; after: number } | undefined;
  worse: readonly WorseFigure[];
  isFew: boolean;
}

interface Reading {
  platform: Pick<Platform, 'accessLogs'>;
  hours: HoursReader;
  signal: AbortSignal;
}

export interface Asked {
  zone: number;
  /** When it was changed, in Unix milliseconds. */
  at: number;
  now: number;
  /** The hours as statistics showed them at the change. */
  first?: ReadHours | undefined;
  emptiesCache?: boolean | undefined;
  keepsOut?: boolean | undefined;
  /** How sure failures have to be, in standard errors. */
  least?: number;
}

/** The last hours, to keep at the change. Undefined: statistics do not show them. */
export async function hoursAt({ hours, signal }: Reading, zone: number, now: number): Promise<ReadHours | undefined> {
  return readOr(undefined, hours(zone, { from: now - (now % HOUR) - 2 * HOUR, to: now, age: MINUTE, signal }));
}

/** The newest records between two moments. */
function recordsOf({ platform, signal }: Reading, zone: number, from: number, to: number, status?: string[]) {
  const query = { from: new Date(from), to: new Date(to), status, limit: 5_000, order: 'desc' } as const;
  return platform.accessLogs.query(zone, query, { signal, priority: 'background' });
}

async function minutesOf(reading: Reading, zone: number, from: number, to: number) {
  const { data, hasMore } = await recordsOf(reading, zone, from, to);
  // A log may hold a record twice.
  const records = [...new Map(data.map((record, index) => [record.requestId ?? index, record])).values()];
  const times = records.map(timeOf).filter(Number.isFinite);
  const first = hasMore ? Math.min(to, ...times) : from;
  const answers = (hundred: number) => records.filter(({ statusCode = 0 }) => Math.floor(statusCode / 100) === hundred);
  const failures = answers(5);
  const asked = records.filter(({ cacheStatus = '-', statusCode = 0 }) => cacheStatus !== '-' && statusCode < 400);
  return {
    /** In ten minutes. All others are of the records that were read. */
    requests: (records.length * TEN) / Math.max(1000, to - first),
    read: records.length,
    failed: failures.length,
    failedLately: failedLately(records),
    redirected: answers(3).filter(({ statusCode }) => statusCode !== 304).length,
    /** Not robots, whom a change may be meant to refuse. */
    refused: answers(4).filter((one) => !isRobot(one)).length,
    cached: asked.filter(({ cacheStatus }) => cacheStatus === 'HIT').length,
    /** That asked the cache, and neither failed nor were refused. */
    cacheable: asked.length,
    /** When the last one came, in Unix milliseconds. */
    newest: Math.max(0, ...times),
  };
}

const timeOf = ({ timestamp }: AccessLogRecord) => Date.parse(timestamp ?? '');

/**
 * How bad it already was: the highest share of failures of a stretch that ends with the change, beyond chance. In 3,600 random worlds
 * chance hid 1.5% of harmful changes, and 9 in 10 outages that were 20 s older than the change were not blamed on it.
 */
function failedLately(newestFirst: readonly AccessLogRecord[]): number {
  const isFailed = ({ statusCode = 0 }: AccessLogRecord) => statusCode >= 500;
  const all = share(newestFirst.filter(isFailed).length, newestFirst.length);
  let [read, failed, most] = [0, 0, 0];
  for (const record of newestFirst) {
    read += 1;
    if (isFailed(record)) failed += 1;
    if (failed >= 3 && failed / read - all >= 3.5 * Math.sqrt(all / read)) most = Math.max(most, failed / read);
  }
  return most;
}

/** Records of each ten minutes of the three hours before, the last ones first, of which the newest `whole` are known. */
async function countsBefore(reading: Reading, zone: number, at: number, status?: string[]) {
  const { data, hasMore } = await recordsOf(reading, zone, at - ORDINARY, at, status);
  const backs = data.map((one) => Math.floor((at - timeOf(one)) / TEN));
  const counts = new Array<number>(ORDINARY / TEN).fill(0);
  for (const back of backs) if (back in counts) counts[back]! += 1;
  return { counts, whole: hasMore ? backs.reduce((most, back) => (back > most ? back : most), 0) : counts.length };
}

const share = (part: number, of: number) => (of === 0 ? 0 : part / of);

type Kind = 'failed' | 'redirected' | 'refused';

const shareOf = (kind: Kind, minutes: Minutes) => share(minutes[kind], minutes.read);

/** How far their shares are apart, in standard errors. */
function apart(kind: Kind, one: Minutes, other: Minutes): number {
  const both = (one[kind] + other[kind]) / Math.max(1, one.read + other.read);
  const part = 1 / Math.max(1, one.read) + 1 / Math.max(1, other.read);
  return (shareOf(kind, one) - shareOf(kind, other)) / Math.sqrt(Math.max(1e-9, both * (1 - both) * part));
}

/**
 * Whether so many fail now that no ordinary ten minutes of this zone explain it. On 400 harmless and 320 harmful
 * changes of the model, 3 errors and 12 failures found 2 and 293 worse; 4 errors 1 and 288; 8 failures 2 and 297, but
 * on another 200 and 160 they found 3 harmless ones worse in place of 1.
 */
async function failsMore(reading: Reading, asked: Asked, before: Minutes, after: Minutes, usual: Usual) {
  const { zone, at, least = 3 } = asked;
  const now = shareOf('failed', after);
  const known = Math.max(shareOf('failed', before), usual.hour?.['5xx'] ?? 0);
  const sureness = apart('failed', after, before);
  if (after.failed < (now > 0.5 ? 8 : 12) || sureness < least) return false;
  if (now < known + (sureness < 5 ? 0.015 : 0.004)) return false;
  // It had begun before the change.
  if (before.failedLately > now / 2) return false;
  const { counts } = await countsBefore(reading, zone, at, ['5xx']);
  const shares = counts.map((failed, back) => {
    const then = at - (back + 0.5) * TEN;
    const requests = then > at - HOUR ? before.requests : usual.tenOf(then, before.requests);
    return failed / Math.max(failed, FEW, requests);
  });
  // A zone whose ten minutes mostly have this share of failures fails in bursts. Without this, 2 in place of 1 of 200
  // were told falsely.
  const most = Math.max(...shares) * (quantile(shares, 0.5) > 0.01 ? 2.5 : 1.5);
  return now > Math.max(1.5 * known, most);
}

type Usual = Awaited<ReturnType<typeof usualOf>>;

async function usualOf({ hours, signal }: Reading, { zone, at, now }: Asked) {
  const weeks = { from: now - (now % DAY) - 28 * DAY, to: now, age: MINUTE, signal };
  const read = await readOr(undefined, hours(zone, weeks));
  const day = read && usualDayOf(read.hours, at);
  /** Requests in ten minutes, by the statistics of that hour. */
  const tenOf = (then: number, instead: number) => (read?.hours[then - (then % HOUR)]?.requests ?? 6 * instead) / 6;
  return { read, day, hour: day && usualIn(day, at, at + TEN), tenOf };
}

export type Looked = Seen | { unread: Error };

export async function minutesAfter(reading: Reading, asked: Asked): Promise<Looked> {
  const { zone, at, now } = asked;
  try {
    const after = await minutesOf(reading, zone, at, Math.min(now, at + TEN));
    const before = await minutesOf(reading, zone, at - TEN, at);
    const usual = await usualOf(reading, asked);
    const worse = new Set<WorseFigure>();
    if (await failsMore(reading, asked, before, after, usual)) worse.add('5xx');
    const grown = asked.first && usual.read && windowOf(asked.first, usual.read, 0).counts;
    // A crowd that has left is not a loss.
    const { requests } = before;
    const expected = Math.min(requests, usual.hour?.requests ?? requests, usual.tenOf(at - HOUR, requests));
    if (turnsAway('redirected', before, after, usual)) worse.add('redirects');
    if (turnsAway('refused', before, after, usual)) worse.add('refusals');
    if (worse.size === 0 && (await comesLess(reading, asked, after, expected))) {
      // A log that has the last minute is up to date. Otherwise it is late if statistics went on counting.
      const isThere = after.newest > Math.min(now, at + TEN) - MINUTE;
      const counted = grown && grown.requests / Math.max(1, (usual.read!.at - at) / TEN);
      const isCounted = counted === undefined || counted > 0.5 * expected;
      if (!isThere && isCounted) return { unread: new Error('the log is late') };
      worse.add('requests');
    }
    if (!asked.emptiesCache && worse.size === 0 && cachesLess(before, after, usual)) {
      // What expires each hour expires now, too.
      const hourAgo = await minutesOf(reading, zone, at - HOUR, at - HOUR + TEN);
      if (cachesLess(hourAgo, after, usual)) worse.add('hits');
    }
    const response = responseOf(asked.first, grown);
    if (response !== undefined && isSlower(response, grown!, usual)) worse.add('response');
    const isFew = worse.size === 0 && Math.max(after.requests, before.requests) < FEW;
    const told = [...worse].filter((one) => !asked.keepsOut || ['5xx', 'hits', 'response'].includes(one));
    return { before, after, usual: usual.hour, response, worse: told, isFew };
  } catch (error) {
    if (!isPlatforms(error)) throw error;
    return { unread: error };
  }
}

const servedIn = ({ requests, read, failed, redirected, refused }: Minutes) =>
  requests * share(read - failed - redirected - refused, read);

/** Far more answers of this kind, in place of good ones: what robots get comes on top. */
function turnsAway(kind: 'redirected' | 'refused', before: Minutes, after: Minutes, { hour }: Usual): boolean {
  const known = Math.max(shareOf(kind, before), kind === 'refused' ? (hour?.['4xx'] ?? 0) : 0);
  return (
    after[kind] >= 20 &&
    shareOf(kind, after) > known + 0.1 &&
    apart(kind, after, before) > 6 &&
    servedIn(after) < 0.8 * Math.min(servedIn(before), hour?.requests ?? Number.POSITIVE_INFINITY)
  );
}

/** Fewer than in any ten minutes of the three hours before, as far as the newest records show them. */
async function comesLess(reading: Reading, { zone, at }: Asked, after: Minutes, expected: number) {
  const isLess = (than: number) =>
    after.requests < 0.6 * than && (than - after.requests) / Math.sqrt(Math.max(1, than)) > 3.5;
  if (!isLess(expected)) return false;
  const { counts, whole } = await countsBefore(reading, zone, at);
  return isLess(Math.min(expected, ...counts.slice(0, whole)));
}

/** The cache is not to blame for requests that came on top. */
function cachesLess(before: Minutes, after: Minutes, { hour, day }: Usual): boolean {
  const scale = share(after.read, after.requests);
  const requests = Math.max(before.requests, hour?.requests ?? 0);
  const of = Math.min(after.cacheable, share(before.cacheable, before.read) * requests * scale);
  const isMany = before.cacheable >= FEW;
  if (of < FEW || (!isMany && hour === undefined)) return false;
  const now = Math.min(1, after.cached / of);
  const known = Math.min(isMany ? share(before.cached, before.cacheable) : 1, hour?.hits ?? 1);
  const chance = 3 * Math.sqrt((known * (1 - known) + 0.01) / (isMany ? Math.min(of, before.cacheable) : of));
  return known - now > Math.max(0.1 + chance, 2 * (day?.off.hits ?? 0) + chance);
}

function responseOf(first: ReadHours | undefined, grown: Counts | undefined): Seen['response'] {
  const was = sumOf(Object.values(first?.hours ?? {}));
  if (grown === undefined || Math.min(was.pulls, grown.pulls) < 8) return undefined;
  return { before: was.waited / was.pulls, after: grown.waited / grown.pulls };
}

function isSlower({ before, after }: NonNullable<Seen['response']>, { pulls }: Counts, { hour, day }: Usual): boolean {
  const known = Math.max(before, hour?.response ?? 0);
  if (known <= 0 || after - known < 30) return false;
  return Math.log(after / known) > Math.max(Math.log(1.6), 2 * (day?.off.response ?? 0)) + 0.7 / Math.sqrt(pulls);
}

export const isUnlogged = (error: Error): boolean => error instanceof PlatformError && error.key === 'logging_disabled';
