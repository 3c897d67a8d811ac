import { HOUR, MINUTE } from '../../time.ts';
import type { ReadHours, Window } from './counts.ts';
import { type Amount, RATES, type Rate, type Usual, type UsualHour, usualIn } from './usual.ts';

/** `traffic`: visitors stay away. Requests and bandwidth: far above the usual. */
export type Measure = 'traffic' | Amount | Rate;

export const isAmount = (measure: Measure): measure is Amount => measure === 'requests' || measure === 'bandwidth';

export interface JudgedWindow extends Window {
  usual: UsualHour;
  /** How far beyond what matters: 1 is just so. */
  excess: Readonly<Record<Measure, number>>;
}

export interface Finding {
  measure: Measure;
  since: number;
  to: number;
  until?: number;
  /** Shares from 0 to 1, ms, requests and bytes a minute; of `traffic` the requests since it began. */
  now: number;
  usual: number;
  detail?: string;
}

/** Between two looks. */
export interface ZoneWatch {
  read?: ReadHours;
  usual?: Usual | undefined;
  windows: readonly JudgedWindow[];
  findings: readonly Finding[];
  /** In ms. */
  lags?: readonly number[];
}

/** Ordinary excess, and how much more has to add up: two windows just beyond, or one far beyond. */
const ORDINARY: Readonly<Record<Measure, number>> = {
  traffic: 0.4,
  requests: 0.75,
  bandwidth: 0.75,
  '4xx': 0.75,
  '5xx': 0.75,
  hits: 0.75,
  response: 0.75,
};
/** Two windows below this part of what is ordinary are the end. */
const HEALTHY = 2 / 3;
const THERE = 0.72;

/** Below these nothing is said of shares. */
const FEW_REQUESTS = 20;
const FEW = 8;
/** Traffic may rise so much later, or fall so much earlier, than usual. */
const EARLY = 45 * MINUTE;

/** In the hours before, beside its usual; small numbers are drawn to 1, wrong windows and the last two left out. */
function paceOf(windows: readonly JudgedWindow[]): number {
  const usual = windows.slice(0, -2).filter(({ excess }) => excess.traffic < HEALTHY * ORDINARY.traffic);
  const sum = (value: (window: JudgedWindow) => number) => usual.reduce((total, window) => total + value(window), 0);
  const pace = (sum(({ counts }) => counts.requests) + 30) / (sum(({ usual }) => usual.requests) + 30);
  return Math.max(0.5, Math.min(2, pace));
}

/** Of the expected requests; undefined where too few are. */
export function presenceOf(window: Window, { usual, windows }: ZoneWatch): number | undefined {
  const expected = usual && usualIn(usual, window.from, window.to)?.requests;
  return expected === undefined || expected < FEW_REQUESTS
    ? undefined
    : window.counts.requests / (expected * paceOf(windows));
}

/** Three standard errors of a share. */
const chance = (share: number, of: number) => 3 * Math.sqrt((Math.min(0.5, share) + 0.01) / of);

function excessOf(
  { from, to, counts }: Window,
  hour: UsualHour,
  usual: Usual,
  given: { pace: number; others: number },
): JudgedWindow['excess'] {
  const { dip, off } = usual;
  const { requests, pulls } = counts;
  const moved = [-EARLY, EARLY].map((by) => usualIn(usual, from + by, to + by)?.requests ?? hour.requests);
  const steep = requests === 0 ? 1 : Math.min(hour.requests, ...moved) / Math.max(1, hour.requests);
  const expected = hour.requests * given.pace * Math.min(1, given.others);
  const certain = expected * steep * Math.min(1, dip / 0.35);
  // The log-likelihood ratio of visitors staying away to most of them coming.
  const left = Math.max(0.02, Math.min(0.2, requests / Math.max(1, certain)));
  const traffic = requests > 0.3 * certain ? 0 : ((THERE - left) * certain - Math.log(THERE / left) * requests) / 7.5;
  const failing = (rate: '4xx' | '5xx', errors: number, least: number) => {
    if (requests < FEW_REQUESTS || errors < FEW) return 0;
    const limit = Math.max(least, hour[rate] / 2, 2 * off[rate]);
    return (errors / requests - hour[rate]) / (limit + chance(hour[rate], requests));
  };
  // A burst of bots is not the fault of the cache.
  const considered = Math.min(requests, Math.max(FEW_REQUESTS, expected));
  const missed = hour.hits - Math.min(1, (requests - pulls) / considered);
  const slower = Math.log(RATES.response(counts) / hour.response);
  // All zones together are no flood of one.
  const many = (amount: Amount) => {
    const times = counts[amount] / (Math.max(1, hour[amount]) * Math.max(1, given.others));
    // Three requests a second wake nobody.
    return requests < { requests: 3000, bandwidth: 500 }[amount] || times <= 1
      ? 0
      : Math.log(times) / Math.log(Math.max(4, 1.5 * usual.rise[amount]));
  };
  return {
    traffic: Math.max(0, traffic),
    requests: many('requests'),
    bandwidth: many('bandwidth'),
    '4xx': failing('4xx', counts.errors4xx, 0.05),
    '5xx': failing('5xx', counts.errors5xx, 0.02),
    hits: requests < FEW_REQUESTS ? 0 : missed / (Math.max(0.15, 2 * off.hits) + chance(1 - hour.hits, considered)),
    response:
      pulls < FEW || !(hour.response > 0) || RATES.response(counts) - hour.response < 30
        ? 0
        : slower / (Math.max(Math.log(1.6), 2 * Math.log(Math.max(1, off.response))) + 0.7 / Math.sqrt(pulls)),
  };
}

interface Run {
  isOn: boolean;
  at: number;
}

function runOf(windows: readonly JudgedWindow[], measure: Measure, wasOn: boolean): Run {
  let score = 0;
  let isOn = wasOn;
  let at = 0;
  let healthy = 0;
  // One window of many is a burst: two are told.
  const most = isAmount(measure) ? 1.25 : 2;
  for (const [index, { excess }] of windows.entries()) {
    const now = excess[measure];
    const before = score;
    score = Math.max(0, score + Math.min(most, now) - ORDINARY[measure]);
    if (before === 0 && score > 0 && !isOn) at = index;
    if (score >= 0.6) isOn = true;
    healthy = now < HEALTHY * ORDINARY[measure] ? healthy + 1 : 0;
    if (isOn && healthy >= 2) {
      isOn = false;
      score = 0;
      at = index - 1;
    }
  }
  return { isOn, at };
}

/** The part of the window that has as much of it as those after. */
function beginningOf(windows: readonly JudgedWindow[], measure: Measure, at: number): number {
  const first = windows[at]!;
  const before = windows[at - 1];
  const length = first.to - first.from;
  const much = (window: JudgedWindow) => {
    if (measure === 'traffic') return Math.max(0, 1 - window.counts.requests / Math.max(1, window.usual.requests));
    if (isAmount(measure)) return Math.max(0, window.counts[measure] / Math.max(1, window.usual[measure]) - 1);
    return Math.max(0, window.excess[measure]);
  };
  const whole = Math.max(...windows.slice(at).map(much));
  const part = much(first) / whole;
  if (part < 0.85) return first.to - part * length;
  if (before !== undefined && before.to === first.from && much(before) > 0.2 * whole)
    return before.to - (much(before) / whole) * (before.to - before.from);
  // Of a single window nobody knows where in it.
  return at === windows.length - 1 ? first.from + length / 3 : first.from;
}

function valuesOf(windows: readonly JudgedWindow[], measure: Measure, open: Finding | undefined, since: number) {
  const last = windows.at(-1)!;
  if (isAmount(measure)) {
    const minutes = (last.to - last.from) / MINUTE;
    return { now: last.counts[measure] / minutes, usual: last.usual[measure] / minutes };
  }
  if (measure !== 'traffic') return { now: RATES[measure](last.counts), usual: last.usual[measure] };
  const isSilent = last.counts.requests === 0;
  const added = open === undefined ? windows.filter(({ to }) => to > since) : [last];
  return added.reduce(
    ({ now, usual }, { from, to, counts, usual: { requests } }) => {
      const before = (requests * Math.max(0, since - from)) / (to - from);
      // Where nobody comes any more, all of the first window came before it began.
      const mine = isSilent ? counts.requests - before : counts.requests * (1 - before / Math.max(1, requests));
      return { now: now + Math.max(0, Math.round(mine)), usual: usual + requests - before };
    },
    { now: open?.now ?? 0, usual: open?.usual ?? 0 },
  );
}

/** Pure. `others`: what the rest of the account has of its expected requests, from 0 to 1. */
export function judged(watch: ZoneWatch, window: Window, others: number): ZoneWatch {
  const { usual, windows: before } = watch;
  const hour = usual && usualIn(usual, window.from, window.to);
  if (usual === undefined || hour === undefined) return watch;
  const excess = excessOf(window, hour, usual, { pace: paceOf(before), others });
  // Of three hours.
  const windows = [...before, { ...window, usual: hour, excess }].slice(-12);
  const isIn = (measure: Measure) => {
    const wasOn = watch.findings.some((one) => one.measure === measure && isOpen(one));
    return runOf(windows, measure, wasOn).isOn;
  };
  const isGone = isIn('traffic');
  const isFlooded = isIn('requests');
  const findings = (['traffic', 'requests', 'bandwidth', '4xx', '5xx', 'hits', 'response'] as const).flatMap(
    (measure) => {
      const old = watch.findings.filter((finding) => finding.measure === measure);
      const open = old.find(isOpen);
      const { isOn, at } = runOf(windows, measure, open !== undefined);
      const past = old.filter((finding) => finding !== open && finding.to > window.to - 24 * HOUR);
      // Of hardly any visitors nothing else is said, and more requests take more bandwidth.
      if (!isOn || (isGone && measure !== 'traffic') || (isFlooded && measure === 'bandwidth'))
        return open === undefined ? past : [...past, { ...open, until: windows[at]?.from ?? window.from }];
      const since = open?.since ?? beginningOf(windows, measure, at);
      return [...past, { ...open, measure, since, to: window.to, ...valuesOf(windows, measure, open, since) }];
    },
  );
  return { ...watch, windows, findings };
}

/** Worse being more: a share from 0 to 1, or ms for `response`. */
export const sizeOf = ({ measure, now, usual }: Pick<Finding, 'measure' | 'now' | 'usual'>): number =>
  measure === 'traffic' ? 1 - now / Math.max(1, usual) : measure === 'hits' ? 1 - now : now;

export const isOpen = ({ until }: Pick<Finding, 'until'>): boolean => until === undefined;
