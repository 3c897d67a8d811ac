import { DAY, HOUR, MINUTE } from '../../time.ts';
import { readOr } from '../platform-errors.ts';
import { quantile } from '../quantile.ts';
import type { ReportContext } from '../report.ts';
import type { Counts, ReadHours } from '../statistics-watch/counts.ts';
import { type DayOfHours, daysUpTo, figuresIn, medianOf, usualOf } from '../usual.ts';

/** The stretch that each run weighs minute by minute. It overlaps earlier ones, so late records count, too. */
export const WINDOW = 45 * MINUTE;
/** The log may be late by this, so the last minutes without failures prove nothing. */
export const LATE = 22 * MINUTE;
/** The sum (a logarithm of odds) that alarms. */
const ALARM = 12;
const TIMES = 2.5;
export interface Baseline {
  /** Requests a minute, now. Undefined if the platform does not count them by zone. */
  requests: number | undefined;
  /** Requests a minute, at this time of day. */
  usualRequests?: number | undefined;
  share: number;
  /** How much more than in other hours may fail in a job that runs each day about this time, in minutes of all requests. */
  planned: number;
  /** Failures a minute: a high number, and that of an unhealthy zone (`unhealthy`). */
  high: number;
  unhealthy: number;
  /** The last hour that is surely counted whole. It begins `at`, in Unix milliseconds. */
  hour?: { at: number; requests: number } | undefined;
}

const quantileOf = (values: readonly number[], below: number) => quantile(values, below) || 0;

/** From the hours before `since`. A level that lasted most of the last day is usual, too. */
function baselineOf({ at: readAt, hours: counts }: ReadHours, to: number, since = to): Baseline | undefined {
  const now = to - (to % HOUR);
  const end = Math.floor(Math.min(now, since) / HOUR) * HOUR - HOUR;
  const thisHour = ((now - end) / HOUR) % 24;
  const days = daysUpTo(counts, end);
  // An hour with fewer requests has no share.
  const shareOf = ({ requests, errors5xx }: Counts) => (requests < 30 ? undefined : errors5xx / requests);
  const shares = (some: readonly DayOfHours[]) =>
    some.flatMap((day) => day.flatMap((one) => (one && shareOf(one)) ?? []));
  const lastDay = shares(days.slice(-1));
  const adopted = lastDay.length >= 12 ? quantileOf(lastDay, 0.5) : 0;
  const { expected = [] } = usualOf(figuresIn(days, shareOf), { isWeekly: false, least: 2 }) ?? {};
  const atThisHour = expected[thisHour] ?? 0;
  const middle = quantileOf(shares(days), 0.5);
  const share = Math.max(atThisHour, middle, adopted);
  // Clocks change by an hour. A few days show no habit.
  const isKnown = days.filter((day) => day.some((one) => one !== undefined)).length >= 7;
  const about = [-1, 0, 1].map((by) => (isKnown && expected[(thisHour + by + 24) % 24]) || 0);
  // A lower share troubles nobody.
  const usual = Math.max(0.002, share);
  // With few requests, chance alone can make an hour bad, so the part of chance is subtracted.
  const bad = days.flat().flatMap((one) => {
    const above = Math.max(0, ((one && shareOf(one)) ?? Number.NaN) - usual);
    return Number.isNaN(above) ? [] : usual + Math.sqrt(Math.max(0, above ** 2 - (4 * usual) / one!.requests));
  });
  // What is planned does not last a whole hour.
  const high = Math.min(4 * usual, Math.max(quantileOf(bad, 0.98), usual, 1.25 * adopted, 1.5 * atThisHour));
  const aMinute = (at: number) =>
    ((counts[at]?.requests ?? 0) * MINUTE) / Math.min(HOUR, Math.max(5 * MINUTE, readAt - at));
  // Statistics lag, so the current hour may have too few requests.
  const requests = Math.max(...[0, 1, 2].map((hours) => aMinute(now - hours * HOUR))) || aMinute(now - DAY);
  if (requests === 0) return undefined;
  const unhealthy = Math.max(TIMES * high, high + 0.015);
  const usualRequests = medianOf(days.slice(-7).map((day) => day[thisHour]?.requests)) ?? 0;
  const counted = counts[now - 2 * HOUR];
  return {
    requests,
    usualRequests: (usualRequests * MINUTE) / HOUR || undefined,
    share,
    // A job fails in some minutes of its hour. Up to twice the middle is chance, and two minutes of all requests are
    // not a job.
    planned: Math.min(2, 1.5 * (HOUR / MINUTE) * Math.max(0, Math.max(...about) - 2 * middle)),
    high: requests * high,
    unhealthy: requests * unhealthy,
    hour: counted && { at: now - 2 * HOUR, requests: counted.requests },
  };
}

/** Before `since` (Unix ms). From remembered failures if statistics have none. `isSuspect`: figures must be recent. */
export async function readBaseline(
  zone: number,
  { remembered, since, isSuspect }: { remembered: number; since?: number | undefined; isSuspect: boolean },
  context: ReportContext,
): Promise<Baseline> {
  const to = context.to.getTime();
  const [age, mostAge] = [isSuspect ? 14 * MINUTE : HOUR, 6 * HOUR];
  const wanted = { from: to - (to % DAY) - 28 * DAY, to, age, mostAge, signal: context.signal };
  const hours = await readOr(undefined, context.hours(zone, wanted));
  const known = hours && baselineOf(hours, to, since);
  if (known !== undefined) return known;
  const high = Math.max(0.2, 1.5 * remembered);
  return { requests: undefined, share: 0, planned: 0, high, unhealthy: Math.max(TIMES * high, high + 1) };
}

export function ofRequests(baseline: Baseline, requests: number): Baseline {
  if (baseline.requests === undefined) return baseline;
  const times = requests / baseline.requests;
  return { ...baseline, requests, high: times * baseline.high, unhealthy: times * baseline.unhealthy };
}

/** How many failed in each minute. */
export function minutesOf(times: readonly number[], from: number, to: number): number[] {
  const minutes = new Array<number>(Math.max(0, Math.ceil((to - from) / MINUTE))).fill(0);
  for (const at of times.filter((one) => one >= from && one < to)) minutes[Math.floor((at - from) / MINUTE)]! += 1;
  return minutes;
}

/** CUSUM (Page 1954), Poisson: `unhealthy` against `high` failures a minute. `enough` minutes can alarm. Unix ms. */
export function unhealthySince(
  times: readonly number[],
  { from, to, enough }: { from: number; to: number; enough?: number | undefined },
  baseline: Baseline,
): number | undefined {
  const { high, unhealthy, share } = baseline;
  const minutes = minutesOf(times, from, to);
  const last = minutes.findLastIndex((failures) => failures > 0) + 1;
  const end = Math.max(last, minutes.length - LATE / MINUTE);
  const weight = Math.log(unhealthy / high);
  // A zone whose usual share of failures is this high fails in bursts.
  const isBursty = share >= 0.01;
  // The most that a minute subtracts, so that failures every few minutes add up.
  const mostBack = isBursty ? Number.POSITIVE_INFINITY : ALARM / 12;
  const least = enough === undefined ? 0 : ALARM / Math.max(1, enough);
  const mostOf = (failures: number) => {
    // The standard deviation of the logarithm of failures in a minute.
    const far = Math.log(Math.max(1, failures / high)) / 0.7;
    return isBursty
      ? Math.max(least, ALARM / 8, Math.min(ALARM / 3, far ** 2 / 2))
      : // One minute alone is a blip.
        Math.max(least, ALARM / 4);
  };
  let began: number | undefined;
  let candidate = from;
  let sum = 0;
  for (const [minute, failures] of minutes.slice(0, Math.max(0, end)).entries()) {
    if (sum === 0) candidate = from + minute * MINUTE;
    const added = Math.max(-mostBack, failures * weight - (unhealthy - high));
    sum = Math.min(2 * ALARM, Math.max(0, sum + Math.min(mostOf(failures), added)));
    if (sum === 0) began = undefined;
    else if (sum >= ALARM) began ??= candidate;
  }
  if (began === undefined) return undefined;
  const begin = began + beginOfRun(minutes.slice((began - from) / MINUTE, last), usualFailures(baseline)) * MINUTE;
  // These minutes are not those of the clock, which people read.
  const first = times.reduce((least, at) => (at >= begin ? Math.min(least, at) : least), begin + MINUTE);
  return Math.max(begin, first - (first % MINUTE));
}

/** Failures a minute. */
export const usualFailures = ({ share, requests, high }: Baseline): number =>
  Math.max(0.01, requests === undefined ? high : share * requests);

/**
 * After ten quiet minutes, or more where few fail, failures stand apart. `less`: failures a minute beyond the usual.
 */
export const isApart = (quiet: number, less: number): boolean => quiet * Math.min(less, ALARM / 10) >= ALARM;

/**
 * The minute from which on failures are most likely of the incident, at its own rate, rather than usual (the likeliest
 * change point). A failure apart from the others begins nothing, and nothing before ten quiet minutes belongs to it.
 */
export function beginOfRun(minutes: readonly number[], known: number, rate?: number): number {
  const now = rate ?? minutes.reduce((all, one) => all + one, 0) / minutes.length;
  // One in twenty minutes is usual anywhere.
  const usual = Math.max(0.05, known);
  if (!(now > 1.5 * usual)) return 0;
  const [weight, less] = [Math.log(now / usual), now - usual];
  let [sum, most, begin, quiet] = [0, Number.NEGATIVE_INFINITY, 0, 0];
  for (let minute = minutes.length - 1; minute >= 0 && !isApart(quiet, less); minute -= 1) {
    const more = minutes[minute]! * weight - less;
    sum += more;
    quiet = more > 0 ? 0 : quiet + 1;
    if (sum > most) [most, begin] = [sum, minute];
  }
  return begin;
}
