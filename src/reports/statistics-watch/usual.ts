import { DAY, HOUR } from '../../time.ts';
import { median, quantile } from '../quantile.ts';
import type { Counts, Hours } from './counts.ts';

export const RATES = {
  '4xx': ({ errors4xx, requests }: Counts) => errors4xx / requests,
  '5xx': ({ errors5xx, requests }: Counts) => errors5xx / requests,
  hits: ({ requests, pulls }: Counts) => 1 - pulls / requests,
  response: ({ waited, pulls }: Counts) => waited / pulls,
} as const;
/** Shares from 0 to 1; `response` in ms. */
export type Rate = keyof typeof RATES;
/** `bandwidth` in bytes. */
export type Amount = 'requests' | 'bandwidth';
const AMOUNTS: readonly Amount[] = ['requests', 'bandwidth'];

export interface UsualHour extends Record<Rate | Amount, number> {}

/** For the day after it was worked out. */
export interface Usual {
  from: number;
  hours: readonly UsualHour[];
  /** By which factor an ordinary bad hour is below. */
  dip: number;
  /** By which factor an ordinary good hour is above. */
  rise: Readonly<Record<Amount, number>>;
  /** Of an ordinary bad hour, in the figure's own unit; for `response` a factor. */
  off: Readonly<Record<Rate, number>>;
}

/** Fewer requests have no shares worth comparing. */
const FEW = 30;
/** The last two may not be counted whole. */
const UNCOUNTED = 2 * HOUR;

type Value = (counts: Counts) => number | undefined;

const AMOUNT_OF: Readonly<Record<Amount, Value>> = {
  requests: ({ requests }) => requests,
  bandwidth: ({ bandwidth }) => bandwidth,
};
const rateOf =
  (rate: Rate): Value =>
  (counts) =>
    counts.requests >= FEW && (rate !== 'response' || counts.pulls >= FEW / 3) ? RATES[rate](counts) : undefined;

/** The median of the same hour of the days before; `isAmount`: of the weeks, where there are two. */
function expected(hours: Hours, at: number, value: Value, isAmount: boolean): number | undefined {
  const known: number[] = [];
  const weekly: number[] = [];
  for (let days = 1; days <= 28; days += 1) {
    const counts = hours[at - days * DAY];
    const found = counts === undefined ? undefined : value(counts);
    if (found === undefined) continue;
    const isWeekday = days % 7 === 0;
    if (isWeekday) weekly.push(found);
    // The same weekday counts for so many other days.
    for (let times = 0; times < (isWeekday ? 4 : 1); times += 1) known.push(found);
  }
  const chosen = isAmount && weekly.length >= 2 ? weekly : known;
  return median(chosen);
}

/** Robust: incidents are in these weeks too. A shifted level is usual after most of a day. Undefined before two days. */
export function usualOf(hours: Hours, now: number): Usual | undefined {
  const end = now - UNCOUNTED;
  const all = Object.keys(hours)
    .map(Number)
    .sort((a, b) => a - b);
  const birth = all.find((at) => hours[at]!.requests > 0) ?? end;
  const past = all.filter((at) => at >= birth && at + HOUR <= end);
  // A younger zone has no usual.
  if (past.length < 48) return undefined;
  const lived: Hours = Object.fromEntries(past.map((at) => [at, hours[at]!]));
  const pairsOf = (value: Value, isAmount = false) =>
    past.flatMap((at) => {
      const real = value(lived[at]!);
      const usual = expected(lived, at, value, isAmount);
      return real === undefined || usual === undefined || usual <= 0 ? [] : [{ at, real, usual }];
    });
  const levelOf = (pairs: ReturnType<typeof pairsOf>) => {
    const last = pairs.filter(({ at }) => at >= end - DAY).map(({ real, usual }) => real / usual);
    return last.length < 12 ? 1 : Math.max(0.3, Math.min(3, quantile(last, 0.5)));
  };
  const first = now - (now % HOUR) - UNCOUNTED;
  const aheadOf = (value: Value, level: number, otherwise: number, isAmount = false) =>
    Array.from(
      // A day, and some hours for who comes late.
      { length: 30 },
      (_, hour) => (expected(lived, first + hour * HOUR, value, isAmount) ?? otherwise) * level,
    );
  const ahead = {} as Record<Amount, number[]>;
  const rise = {} as Record<Amount, number>;
  const amounts = { requests: pairsOf(AMOUNT_OF.requests, true), bandwidth: pairsOf(AMOUNT_OF.bandwidth, true) };
  for (const amount of AMOUNTS) {
    const pairs = amounts[amount];
    ahead[amount] = aheadOf(AMOUNT_OF[amount], levelOf(pairs), 0, true);
    rise[amount] =
      quantile(
        pairs.map(({ real, usual }) => real / usual),
        0.99,
      ) || 1;
  }
  const visits = amounts.requests;
  const usuals = new Map(visits.map(({ at, usual }) => [at, usual]));
  // Where traffic rises or falls steeply, an hour early or late is no dip.
  const dips = visits.map(({ at, real, usual }) => {
    const near = [at - HOUR, at + HOUR].map((one) => usuals.get(one) ?? usual);
    return real / Math.min(usual, ...near);
  });
  const off: Partial<Record<Rate, number>> = {};
  const rates = {} as Record<Rate, number[]>;
  for (const rate of Object.keys(RATES) as Rate[]) {
    const value = rateOf(rate);
    const pairs = pairsOf(value);
    const middle =
      quantile(
        past.flatMap((at) => value(lived[at]!) ?? []),
        0.5,
      ) || 0;
    rates[rate] = aheadOf(value, levelOf(pairs), middle).map((one) => (rate === 'response' ? one : Math.min(1, one)));
    const bad = pairs.map(({ real, usual }) =>
      rate === 'response' ? real / usual : rate === 'hits' ? usual - real : real - usual,
    );
    off[rate] = bad.length === 0 ? 0 : quantile(bad, 0.96);
  }
  return {
    from: first,
    hours: ahead.requests.map((requests, hour) => ({
      requests,
      bandwidth: ahead.bandwidth[hour]!,
      '4xx': rates['4xx'][hour]!,
      '5xx': rates['5xx'][hour]!,
      hits: rates.hits[hour]!,
      response: rates.response[hour]!,
    })),
    dip: quantile(dips, 0.03) || 0,
    rise,
    off: off as Record<Rate, number>,
  };
}

/** Undefined beyond what was worked out. */
export function usualIn({ from: first, hours }: Usual, from: number, to: number): UsualHour | undefined {
  const sum: UsualHour = { requests: 0, bandwidth: 0, '4xx': 0, '5xx': 0, hits: 0, response: 0 };
  for (let hour = Math.floor((from - first) / HOUR); first + hour * HOUR < to; hour += 1) {
    const usual = hours[hour];
    if (usual === undefined) return undefined;
    const begin = first + hour * HOUR;
    const part = (Math.min(to, begin + HOUR) - Math.max(from, begin)) / HOUR;
    for (const amount of AMOUNTS) sum[amount] += part * usual[amount];
    for (const rate of Object.keys(RATES) as Rate[]) sum[rate] += ((part * HOUR) / (to - from)) * usual[rate];
  }
  return sum;
}
