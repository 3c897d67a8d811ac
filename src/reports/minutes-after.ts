import type { Platform } from '../platform/client.ts';
import { PlatformError } from '../platform/errors.ts';
import type { AccessLogQuery, AccessLogRecord } from '../platform/resources/access-logs.ts';
import { DAY, HOUR, MINUTE } from '../time.ts';
import { isPlatforms, readOr } from './platform-errors.ts';
import { quantile } from './quantile.ts';
import { type Counts, type ReadHours, sumOf, windowOf } from './statistics-watch/counts.ts';
import { type UsualHour, usualDayOf, usualIn } from './statistics-watch/usual.ts';
import { isRobot } from './statistics-watch/watch.ts';
import type { HoursReader } from './zone-hours.ts';

/*
 * Whether a zone is worse since a change. The method, with its figures on a model of an account, is in docs/commands.md.
 * Ten minutes of the log after the change are compared with ten minutes before it, with the failures of the three hours before,
 * and with the usual of that hour.
 */

/** What is looked at before and after a change. */
export const TEN = 10 * MINUTE;
/** A log may be late by this much. */
export const LOG_LATE = 90_000;
/** How far back failures show what the zone’s ordinary ten minutes do. One hour told 112 in place of 111 of 120. */
const ORDINARY = 3 * HOUR;
/** Of so many records of each ten minutes, the newest. */
const SAMPLE = 5_000;

const FEW = 30;
export interface Minutes {
  /** In ten minutes. */
  requests: number;
  /** Of the records that were read. */
  read: number;
  failed: number;
  /** The share of failures since the first one. */
  failedSince: number;
  redirected: number;
  /** Not robots, whom a change may be meant to refuse. */
  refused: number;
  cached: number;
  /** That asked the cache, and neither failed nor were refused. */
  cacheable: number;
  /** When the last one came, in Unix milliseconds. */
  newest: number;
}

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
  /** A lower hit rate is expected. */
  emptiesCache?: boolean;
  /** Fewer requests, and more that are turned away, are what it is for. */
  keepsOut?: boolean;
  /** It will not be looked at again. */
  isLast?: boolean;
  /** What a finding is for. */
  sure?: keyof typeof ERRORS;
}

/** The last hours, to keep at the change. Undefined: statistics do not show them. */
export async function hoursAt({ hours, signal }: Reading, zone: number, now: number): Promise<ReadHours | undefined> {
  return readOr(undefined, hours(zone, { from: now - (now % HOUR) - 2 * HOUR, to: now, age: MINUTE, signal }));
}

async function minutesOf({ platform, signal }: Reading, zone: number, from: number, to: number): Promise<Minutes> {
  const query: AccessLogQuery = { from: new Date(from), to: new Date(to), limit: SAMPLE, order: 'desc' };
  const { data, hasMore } = await platform.accessLogs.query(zone, query, { signal, priority: 'background' });
  // A log may hold a record twice.
  const records = [...new Map(data.map((record, index) => [record.requestId ?? index, record])).values()];
  const times = records.map(timeOf).filter(Number.isFinite);
  const first = hasMore ? Math.min(to, ...times) : from;
  const isOf = ({ statusCode = 0 }: AccessLogRecord, hundred: number) =>
    Math.floor(statusCode / 100) === hundred && statusCode !== 304;
  const failures = records.filter(({ statusCode = 0 }) => statusCode >= 500);
  const firstFailure = Math.min(to, ...failures.map(timeOf));
  const asked = records.filter(({ cacheStatus = '-', statusCode = 0 }) => cacheStatus !== '-' && statusCode < 400);
  return {
    requests: (records.length * TEN) / Math.max(1000, to - first),
    read: records.length,
    failed: failures.length,
    failedSince: share(failures.length, records.filter((one) => timeOf(one) >= firstFailure).length),
    redirected: records.filter((one) => isOf(one, 3)).length,
    refused: records.filter((one) => isOf(one, 4) && !isRobot(one)).length,
    cached: asked.filter(({ cacheStatus }) => cacheStatus === 'HIT').length,
    cacheable: asked.length,
    newest: Math.max(0, ...times),
  };
}

const timeOf = ({ timestamp }: AccessLogRecord) => Date.parse(timestamp ?? '');

/** Records of each ten minutes of the three hours before, the last ones first, of which the newest `whole` are known. */
async function countsBefore({ platform, signal }: Reading, zone: number, at: number, status?: string[]) {
  const stretch = { from: new Date(at - ORDINARY), to: new Date(at) };
  const query: AccessLogQuery = { ...stretch, ...(status && { status }), limit: SAMPLE, order: 'desc' };
  const { data, hasMore } = await platform.accessLogs.query(zone, query, { signal, priority: 'background' });
  const backs = data.map((one) => Math.floor((at - timeOf(one)) / TEN));
  const counts = new Array<number>(ORDINARY / TEN).fill(0);
  for (const back of backs) if (back in counts) counts[back]! += 1;
  return { counts, whole: hasMore ? backs.reduce((most, back) => (back > most ? back : most), 0) : counts.length };
}

/** The share of failures that the zone’s ten minutes may have, by those of the three hours before. */
async function mostOrdinary(reading: Reading, zone: number, at: number, requests: (at: number) => number) {
  const { counts: failures } = await countsBefore(reading, zone, at, ['5xx']);
  const shares = failures.map((failed, back) => failed / Math.max(failed, FEW, requests(at - (back + 0.5) * TEN)));
  // A zone whose ten minutes mostly have this share of failures fails in bursts. Without it 2 in place of 1 of 200 were told falsely.
  return Math.max(...shares) * (quantile(shares, 0.5) > 0.01 ? 2.5 : 1.5);
}

const share = (part: number, of: number) => (of === 0 ? 0 : part / of);

/** Two proportions, in standard errors. */
function apart(a: number, ofA: number, b: number, ofB: number): number {
  const both = (a + b) / Math.max(1, ofA + ofB);
  return (
    (share(a, ofA) - share(b, ofB)) /
    Math.sqrt(Math.max(1e-9, both * (1 - both) * (1 / Math.max(1, ofA) + 1 / Math.max(1, ofB))))
  );
}

/**
 * How sure it has to be, in standard errors, with at least 12 failures. On 400 harmless and 320 harmful changes of the model these
 * told 2 and 293; with 4 errors 1 and 288; with 8 failures 2 and 297, but of another 200 and 160 then 3 and 148 in place of 1 and 148.
 * To take a change back it has to be surer.
 */
const ERRORS = { told: 3, undone: 4 } as const;

/** Whether so many fail now that no ordinary ten minutes of this zone explain it. */
async function failsMore(
  reading: Reading,
  { zone, at, sure = 'told' }: Asked,
  before: Minutes,
  after: Minutes,
  usual: Usual,
): Promise<boolean> {
  const now = share(after.failed, after.read);
  const known = Math.max(share(before.failed, before.read), usual.hour?.['5xx'] ?? 0);
  const sureness = apart(after.failed, after.read, before.failed, before.read);
  if (after.failed < (now > 0.5 ? 8 : 12) || sureness < ERRORS[sure]) return false;
  if (now < known + (sureness < 5 ? 0.015 : 0.004)) return false;
  // It had begun before the change.
  if (before.failed >= 3 && before.failedSince > now / 2) return false;
  const requests = (then: number) => {
    const counted = usual.hours?.[then - (then % HOUR)]?.requests;
    return then > at - HOUR || counted === undefined ? before.requests : counted / 6;
  };
  return now > Math.max(1.5 * known, await mostOrdinary(reading, zone, at, requests));
}

type Usual = Awaited<ReturnType<typeof usualOf>>;

async function usualOf({ hours, signal }: Reading, { zone, at, now }: Asked) {
  const weeks = { from: now - (now % DAY) - 28 * DAY, to: now, age: MINUTE, signal };
  const read = await readOr(undefined, hours(zone, weeks));
  const day = read && usualDayOf(read.hours, at);
  return { at: read?.at ?? now, hours: read?.hours, day, hour: day && usualIn(day, at, at + TEN) };
}

/** `late`: the log has not come yet. `unread`: it cannot be read. */
const toldOf = ({ keepsOut }: Asked, worse: Iterable<WorseFigure>): WorseFigure[] =>
  [...worse].filter((one) => !keepsOut || !['redirects', 'refusals', 'requests'].includes(one));

export type Looked = Seen | 'late' | { unread: Error };

export async function minutesAfter(reading: Reading, asked: Asked): Promise<Looked> {
  const { zone, at, now } = asked;
  try {
    const after = await minutesOf(reading, zone, at, Math.min(now, at + TEN));
    const before = await minutesOf(reading, zone, at - TEN, at);
    const usual = await usualOf(reading, asked);
    const worse = new Set<WorseFigure>();
    if (await failsMore(reading, asked, before, after, usual)) worse.add('5xx');
    const grown = asked.first && usual.hours && windowOf(asked.first, { at: usual.at, hours: usual.hours }, 0).counts;
    const expected = expectedOf(before, usual, at);
    if (turnsAway('redirected', before, after, usual)) worse.add('redirects');
    if (turnsAway('refused', before, after, usual)) worse.add('refusals');
    if (worse.size === 0 && (await comesLess(reading, asked, after, expected))) {
      // A log that has the last minute is there. Else statistics that went on to count show that it is late.
      const isThere = after.newest > Math.min(now, at + TEN) - MINUTE;
      const counted = grown && grown.requests / Math.max(1, (usual.at - at) / TEN);
      const isCounted = counted === undefined || counted > 0.5 * expected;
      if (!isThere && isCounted) return asked.isLast === true ? { unread: new Error('the log is late') } : 'late';
      worse.add('requests');
    }
    if (!asked.emptiesCache && worse.size === 0 && cachesLess(before, after, usual)) {
      // What expires each hour does so now.
      const hourAgo = await minutesOf(reading, zone, at - HOUR, at - HOUR + TEN);
      if (cachesLess(hourAgo, after, usual)) worse.add('hits');
    }
    const response = responseOf(asked.first, grown);
    if (response !== undefined && isSlower(response, grown!, usual)) worse.add('response');
    const isFew = worse.size === 0 && Math.max(after.requests, before.requests) < FEW;
    return { before, after, usual: usual.hour, response, worse: toldOf(asked, worse), isFew };
  } catch (error) {
    if (!isPlatforms(error)) throw error;
    return { unread: error };
  }
}

/** Requests in ten minutes as before, without a crowd that went. */
function expectedOf(before: Minutes, { hours, hour }: Usual, at: number): number {
  const last = hours?.[at - (at % HOUR) - HOUR]?.requests;
  return Math.min(
    before.requests,
    hour?.requests ?? Number.POSITIVE_INFINITY,
    last === undefined ? Number.POSITIVE_INFINITY : last / 6,
  );
}

const servedIn = ({ requests, read, failed, redirected, refused }: Minutes) =>
  requests * share(read - failed - redirected - refused, read);

/** Far more answers of this kind, in place of good ones: what robots get comes on top. */
function turnsAway(kind: 'redirected' | 'refused', before: Minutes, after: Minutes, { hour }: Usual): boolean {
  const known = Math.max(share(before[kind], before.read), kind === 'refused' ? (hour?.['4xx'] ?? 0) : 0);
  return (
    after[kind] >= 20 &&
    share(after[kind], after.read) > known + 0.1 &&
    apart(after[kind], after.read, before[kind], before.read) > 6 &&
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
  if (first === undefined || grown === undefined || grown.pulls < 8) return undefined;
  const { waited, pulls } = sumOf(Object.values(first.hours));
  return pulls < 8 ? undefined : { before: waited / pulls, after: grown.waited / grown.pulls };
}

function isSlower({ before, after }: NonNullable<Seen['response']>, { pulls }: Counts, { hour, day }: Usual): boolean {
  const known = Math.max(before, hour?.response ?? 0);
  if (known <= 0 || after - known < 30) return false;
  return Math.log(after / known) > Math.max(Math.log(1.6), 2 * (day?.off.response ?? 0)) + 0.7 / Math.sqrt(pulls);
}

export const isUnlogged = (error: Error): boolean => error instanceof PlatformError && error.key === 'logging_disabled';
