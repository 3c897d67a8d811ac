import { HOUR, MINUTE } from '../../time.ts';
import { type Amount, isAmount, RATES } from '../usual.ts';
import type { ReadHours, Window } from './counts.ts';
import { type Measure, type UsualDay, type UsualHour, usualIn } from './usual.ts';

export interface JudgedWindow extends Window {
  usual: UsualHour;
  /** Its usual requests where all zones have so many; the same an hour earlier and later, should clocks have been changed. */
  clocks: readonly number[];
  /** Requests of a zone that goes on as it did in the hours before. */
  expected: number;
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
  /** Of the account alone, since. */
  glance?: ReadHours | undefined;
  usual?: UsualDay | undefined;
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
/** Two windows below this part of what is ordinary are the end, or one far below. */
const HEALTHY = 2 / 3;
const WELL = 1 / 4;
const THERE = 0.72;

/** Below these nothing is said of shares. */
const FEW_REQUESTS = 20;
const FEW = 8;
/** Between two looks; a slow loss shows in so many, and so many before say how busy a zone is. */
const LOOK = 15 * MINUTE;
const LONG = 6;
/**
 * A loss that is told: so much for so long, and more than an ordinary bad hour loses beside two hours before. On the weeks 1, 2 and
 * 170 of a model 4 of 12 losses of a third were told so, after 73 to 116 minutes, and no ordinary hour of nine weeks.
 */
const LONG_LOSS = 1.5 * HOUR;
const LOSS = 0.3;
/** Clocks are changed by an hour. */
const EARLY = HOUR;
/** What a holiday leaves of an office's visitors: between a fifth and a third on the model's weeks 151 and 162. */
const HOLIDAY = 0.2;
/** Of the requests of a mean hour: with fewer a day has not begun, and nobody knows yet what day it is. An office's night has a fifth. */
const NIGHT = 1 / 3;
/** So long the hours before say what day it is. */
const BEFORE = 4 * HOUR;

const sum = <T>(some: readonly T[], value: (one: T) => number) => some.reduce((total, one) => total + value(one), 0);
type Clocked = Pick<JudgedWindow, 'clocks'>;

/** Of the windows before, beside their usual: who did not come today has not gone. Small numbers are drawn to 1. */
function paceOf(windows: readonly JudgedWindow[], usually: (window: JudgedWindow) => number): number {
  const pace = (sum(windows, ({ counts }) => counts.requests) + 30) / (sum(windows, usually) + 30);
  return Math.max(HOLIDAY, pace);
}

/** Requests at the pace before, by the clock that expects fewest; who came on top of the usual is no loss when he goes. */
function expectedIn(windows: readonly Clocked[], before: readonly JudgedWindow[]): number {
  const expected = windows.at(-1)!.clocks.map((_, clock) => {
    const pace = paceOf(before, ({ clocks }) => clocks[clock] ?? clocks[0]!);
    return sum(windows, ({ clocks }) => Math.min(clocks[0]!, pace * (clocks[clock] ?? clocks[0]!)));
  });
  return Math.min(...expected);
}

/** Of the requests that it would have at the pace of half an hour and more before; undefined where too few are expected. */
export function presenceOf(window: Window, { usual, windows }: ZoneWatch, before = window.from): number | undefined {
  const expected = usual && usualIn(usual, window.from, window.to)?.requests;
  if (expected === undefined || expected < FEW_REQUESTS) return undefined;
  const earlier = windows.filter(({ to }) => to <= Math.min(before, window.from - 2 * LOOK)).slice(-LONG);
  const pace = paceOf(earlier, ({ usual: { requests } }) => requests);
  return window.counts.requests / (expected * Math.min(2, pace));
}

/** Three standard errors of a share. */
const chance = (share: number, of: number) => 3 * Math.sqrt((Math.min(0.5, share) + 0.01) / of);

function excessOf(
  { counts }: Window,
  hour: UsualHour,
  { off }: UsualDay,
  given: { expected: number; mean: number; others: number },
): JudgedWindow['excess'] {
  const { requests, pulls } = counts;
  const expected = given.expected * Math.min(1, given.others);
  const certain = expected * Math.min(1, Math.exp(-off.traffic) / 0.35);
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
  // All zones together are no flood of one, and by night a zone bears what it bears by day.
  const many = (amount: Amount) => {
    const usually = hour[amount] * Math.max(1, given.mean / Math.max(1, hour.requests), given.others);
    const times = counts[amount] / Math.max(1, usually);
    // Three requests a second wake nobody.
    return requests < { requests: 3000, bandwidth: 500 }[amount] || times <= 1
      ? 0
      : Math.log(times) / Math.max(Math.log(4), Math.log(1.5) + off[amount]);
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
        : slower / (Math.max(Math.log(1.6), 2 * off.response) + 0.7 / Math.sqrt(pulls)),
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
  for (const [index, { excess, counts, expected }] of windows.entries()) {
    const now = excess[measure];
    const isWell = measure === 'traffic' ? counts.requests > 0.8 * expected : now < WELL * ORDINARY[measure];
    const before = score;
    score = Math.max(0, score + Math.min(most, now) - ORDINARY[measure]);
    if (before === 0 && score > 0 && !isOn) at = index;
    if (score >= 0.6) isOn = true;
    healthy = now < HEALTHY * ORDINARY[measure] ? healthy + 1 : 0;
    if (isOn && (healthy >= 2 || (healthy === 1 && isWell))) {
      isOn = false;
      score = 0;
      at = index - Math.min(1, healthy - 1);
    }
  }
  return { isOn, at };
}

/** The part of the window that has as much of it as those after. */
function beginningOf(windows: readonly JudgedWindow[], measure: Measure, found: number): number {
  let at = found;
  const much = (window: JudgedWindow) => {
    if (measure === 'traffic') return Math.max(0, 1 - window.counts.requests / Math.max(1, window.expected));
    if (isAmount(measure)) return Math.max(0, window.counts[measure] / Math.max(1, window.usual[measure]) - 1);
    return Math.max(0, window.excess[measure]);
  };
  const whole = Math.max(...windows.slice(at).map(much));
  // A slow loss is found by its end.
  while (measure === 'traffic' && at > 0 && much(windows[at - 1]!) > 0.75 * whole) at -= 1;
  const first = windows[at]!;
  const before = windows[at - 1];
  const length = first.to - first.from;
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

/** A part of the visitors stays away for long: beside 1, which is just too many. */
function lossOf(windows: readonly JudgedWindow[], off: number, since?: number): number {
  const last = windows.at(-1)!;
  const recent = windows.filter(({ to }) => to > last.to - LONG_LOSS);
  // Where nearly all stayed away it is not slow.
  if (last.to - recent[0]!.from < LONG_LOSS - LOOK || recent.some(({ excess }) => excess.traffic > 1)) return 0;
  const before = windows.filter(({ to }) => to <= (since ?? recent[0]!.from));
  const expected = expectedIn(recent, before);
  const lost = (some: readonly JudgedWindow[]) =>
    1 - sum(some, ({ counts }) => counts.requests) / Math.max(1, expectedIn(some, before));
  const limit = Math.max(LOSS, 1 - Math.exp(-off)) + 3 / Math.sqrt(Math.max(1, expected));
  // Half of it is the end.
  return Math.min(1, 2 * (Math.min(lost(recent), lost(windows.slice(-1))) / limit) - 1);
}

/**
 * Pure. `others`: what the rest of the account has beside the hours before, and as a `level` beside its usual; `fall`: what most
 * zones lost at once, instead of its own.
 */
export function judged(
  watch: ZoneWatch,
  window: Window,
  { others = 1, level = 1, fall }: { others?: number; level?: number; fall?: number },
): ZoneWatch {
  const { usual, windows: before } = watch;
  const { from, to } = window;
  const hour = usual && usualIn(usual, from, to);
  if (usual === undefined || hour === undefined) return watch;
  const gone = watch.findings.find((one) => one.measure === 'traffic' && isOpen(one));
  const earlier = before.filter((one) => one.to <= (gone?.since ?? from - 2 * LOOK));
  const mean = (usual.mean * (to - from)) / HOUR;
  const isNight = hour.requests < NIGHT * mean;
  // What has fallen is over by its own clock.
  const clocks = (gone === undefined ? [0, -EARLY, EARLY] : [0]).map(
    (by) => (usualIn(usual, from + by, to + by)?.requests ?? hour.requests) * Math.min(1, level),
  );
  const expected = isNight ? HOLIDAY * clocks[0]! : expectedIn([{ clocks }], earlier);
  const excess = excessOf(window, hour, usual, { expected, mean, others });
  const judgedWindow = { ...window, usual: hour, excess, clocks, expected };
  const windows: JudgedWindow[] = [...before, judgedWindow].filter((one) => one.to > to - BEFORE);
  judgedWindow.excess = {
    ...excess,
    traffic:
      fall === undefined
        ? Math.max(excess.traffic, isNight ? 0 : lossOf(windows, usual.off.traffic, gone?.since))
        : Math.max(0, (fall - 0.25) / 0.25),
  };
  const isIn = (measure: Measure) => {
    const wasOn = watch.findings.some((one) => one.measure === measure && isOpen(one));
    return runOf(windows, measure, wasOn).isOn;
  };
  const isGone = isIn('traffic') && window.counts.requests < 0.5 * expected;
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
