import { HOUR, MINUTE } from '../../time.ts';
import type { Places } from '../places.ts';
import { quantile } from '../quantile.ts';
import { type Amount, isAmount, RATES } from '../usual.ts';
import { type Counts, type ReadHours, sumOf, type Window } from './counts.ts';
import { type Measure, rowOf, type UsualDay, type UsualHour, usualIn } from './usual.ts';

export interface JudgedWindow extends Window {
  usual: UsualHour;
  /** Its usual requests at the level of all zones; then those of an hour earlier and later, in case clocks were changed. */
  clocks: readonly number[];
  /** The requests that the zone would have if it continued as in the hours before. */
  expected: number;
  /** The same, without allowing for clock changes and nights. */
  own: number;
  /** `others`: the rest of the account against the hours before; `level`: against its usual. */
  others: number;
  level: number;
  /** How much it matters: 1 is just enough. */
  excess: Readonly<Record<Measure, number>>;
}

export interface Finding {
  measure: Measure;
  since: number;
  to: number;
  until?: number;
  /** Shares from 0 to 1, milliseconds, or requests and bytes a minute. For `traffic`: the requests since `since`. */
  now: number;
  usual: number;
  detail?: string;
  /** A log shows when it began. Statistics come in steps of minutes. */
  isExact?: boolean;
  /** What still arrives is mostly that. */
  isPlainHttp?: boolean;
  /** Half of what is refused comes from robots, or from a handful of addresses. */
  isOfFew?: boolean;
  /** By a log: where most is refused, as many good answers are missing. */
  isInstead?: boolean;
  /** By a log. */
  where?: Places | undefined;
  /** The cache has more hits than at the look before. */
  isFilling?: boolean;
  /** It was so already in the first window that is known. */
  isEarlier?: boolean;
}

/** What is kept between two looks. */
export interface ZoneWatch {
  read?: ReadHours;
  /** Only for the account: a later reading. */
  glance?: ReadHours | undefined;
  usual?: UsualDay | undefined;
  windows: readonly JudgedWindow[];
  findings: readonly Finding[];
  /** In ms. */
  lags?: readonly number[];
}

/** Ordinary excess. What is above it adds up: two windows just above, or one far above, are enough. */
const ordinaryOf = (measure: Measure) => (measure === 'traffic' ? 0.4 : 0.75);
const THERE = 0.72;

/** With fewer, shares are not compared. */
const FEW_REQUESTS = 20;
const FEW = 8;
/** The time between two looks. This many looks show a slow loss, and this many before them how busy a zone is. */
const LOOK = 15 * MINUTE;
/**
 * A long loss is told if it is this large for this long, and exceeds that of an ordinary bad hour against two hours
 * before. In weeks 1, 2 and 170 of a model this found 4 of 12 losses of a third, after 73 to 116 minutes, and no
 * ordinary hour of nine weeks.
 */
const LONG_LOSS = 1.5 * HOUR;
/**
 * What a holiday leaves of an office’s visitors: between a fifth and a third in one model, a tenth in another. With 0.2
 * instead, not one incident more is found, nor any sooner, in weeks 1–8, 151, 162 and 170 of the first.
 */
const HOLIDAY = 0.05;
const sum = <T>(some: readonly T[], value: (one: T) => number) => some.reduce((total, one) => total + value(one), 0);

/** Without what is refused beyond the usual: scanners are not visitors. */
const wantedIn = ({ requests, errors4xx }: Counts, usual: UsualHour) =>
  requests - Math.max(0, errors4xx - usual['4xx'] * requests);

/** Without what misses the cache beyond the usual, too: crawlers are not visitors. */
const visitorsIn = (counts: Counts, usual: UsualHour) =>
  Math.min(wantedIn(counts, usual), counts.requests - counts.pulls + (1 - usual.hits) * counts.requests);

/**
 * Earlier windows against their usual: visitors who never came today are not missing. Too few requests show nothing, so
 * the pace is small then.
 */
function paceOf(windows: readonly JudgedWindow[], usually: (window: JudgedWindow) => number): number {
  if (windows.length === 0) return 1;
  const pace = sum(windows, ({ counts, usual }) => visitorsIn(counts, usual)) / (sum(windows, usually) + 30);
  return Math.max(HOLIDAY, pace);
}

/**
 * Requests at the earlier pace, by the clock that expects fewest. Visitors beyond the usual are not a loss when they
 * go.
 */
function expectedIn(windows: readonly Pick<JudgedWindow, 'clocks'>[], before: readonly JudgedWindow[]): number {
  const expected = windows.at(-1)!.clocks.map((_, clock) => {
    const pace = paceOf(before, ({ clocks }) => clocks[clock] ?? clocks[0]!);
    return sum(windows, ({ clocks }) => Math.min(clocks[0]!, pace * (clocks[clock] ?? clocks[0]!)));
  });
  return Math.min(...expected);
}

/** The share of the requests expected at the pace until half an hour before. Undefined: too few are expected. */
export function presenceOf(window: Window, { usual, windows }: ZoneWatch, before = window.from): number | undefined {
  const expected = usual && usualIn(usual, window.from, window.to)?.requests;
  if (expected === undefined || expected < FEW_REQUESTS) return undefined;
  const earlier = windows.filter(({ to }) => to <= Math.min(before, window.from - 2 * LOOK)).slice(-6);
  const pace = paceOf(earlier, ({ usual: { requests } }) => requests);
  return window.counts.requests / (expected * Math.min(1, pace));
}

/** Three standard errors of a share. */
const chance = (share: number, of: number) => 3 * Math.sqrt((Math.min(0.5, share) + 0.01) / of);

/** The cache is not to blame for a burst of bots, nor for what is refused. */
const consideredOf = (counts: Counts, own: number, usual: UsualHour) =>
  Math.max(1, Math.min(wantedIn(counts, usual), Math.max(FEW_REQUESTS, own)));

function excessOf(
  { from, to, counts }: Window,
  hour: UsualHour,
  { off }: UsualDay,
  given: { expected: number; own: number; mean: number; others: number },
): JudgedWindow['excess'] {
  const { requests, pulls } = counts;
  const looks = (to - from) / LOOK;
  const expected = given.expected * Math.min(1, given.others);
  const certain = expected * Math.min(1, Math.exp(-off.traffic) / 0.35);
  // The log-likelihood ratio of “visitors stay away” to “most of them come”.
  const left = Math.max(0.02, Math.min(0.3, requests / Math.max(1, certain)));
  const traffic = requests > 0.34 * certain ? 0 : ((THERE - left) * certain - Math.log(THERE / left) * requests) / 7.5;
  const failing = (rate: '4xx' | '5xx', errors: number, least: number) => {
    if (requests < FEW_REQUESTS || errors < FEW) return 0;
    const limit = Math.max(least, hour[rate] / 2, 2 * off[rate]);
    return (errors / requests - hour[rate]) / (limit + chance(hour[rate], requests));
  };
  const considered = consideredOf(counts, given.own, hour);
  const missed = hour.hits - Math.min(1, (requests - pulls) / considered);
  const slower = Math.log(RATES.response(counts) / hour.response);
  // A rise of all zones is not a flood of one. At night a zone can bear what it bears by day.
  const many = (amount: Amount) => {
    const usually = hour[amount] * Math.max(1, given.mean / Math.max(1, hour.requests), given.others);
    const { [amount]: counted = 0 } = counts;
    const times = counted / Math.max(1, usually);
    // Three requests a second are not worth waking anybody, nor is a scanner, nor a megabyte a minute, which costs a dollar a month.
    const few = counted < { requests: 3000, bandwidth: 15e6, shielded: 1000 }[amount] * looks;
    return few || (amount === 'bandwidth' && requests < 500 * looks) || times <= 1
      ? 0
      : Math.log(times) / Math.max(Math.log(4), Math.log(1.5) + off[amount]);
  };
  return {
    traffic: Math.max(0, traffic),
    requests: many('requests'),
    bandwidth: many('bandwidth'),
    shielded: many('shielded'),
    '4xx': failing('4xx', counts.errors4xx, 0.05),
    '5xx': failing('5xx', counts.errors5xx, 0.02),
    hits: requests < FEW_REQUESTS ? 0 : missed / (Math.max(0.15, 2 * off.hits) + chance(1 - hour.hits, considered)),
    response:
      pulls < FEW || !(hour.response > 0) || RATES.response(counts) - hour.response < 30
        ? 0
        : slower / (Math.max(Math.log(1.6), 2 * off.response) + 0.7 / Math.sqrt(pulls)),
  };
}

/** What has not come back yet, whether or not it stands out. */
const isFar = ({ counts, usual, expected, own }: JudgedWindow, measure: Measure): boolean =>
  measure === 'traffic'
    ? counts.requests < 0.6 * expected
    : measure === 'hits' &&
      RATES.hits(counts) < 0.8 * usual.hits &&
      // A few more visitors than expected are not bots.
      counts.requests - counts.pulls < 0.9 * usual.hits * consideredOf(counts, own, usual);

function runOf(windows: readonly JudgedWindow[], measure: Measure, wasOn: boolean): { isOn: boolean; at: number } {
  let score = 0;
  let isOn = wasOn;
  let at = 0;
  let healthy = 0;
  // One window of many requests is a burst. It takes two.
  const most = isAmount(measure) ? 1.25 : 2;
  for (const [index, window] of windows.entries()) {
    const { excess, counts, expected } = window;
    const now = excess[measure];
    const isWell = measure === 'traffic' ? counts.requests > 0.8 * expected : now < ordinaryOf(measure) / 4;
    const before = score;
    score = Math.max(0, score + Math.min(most, now) - ordinaryOf(measure));
    if (before === 0 && score > 0 && !isOn) at = index;
    if (score >= 0.6) isOn = true;
    // Two windows below this part of the ordinary excess are the end, or one far below.
    healthy = now < (2 / 3) * ordinaryOf(measure) && !isFar(window, measure) ? healthy + 1 : 0;
    if (isOn && (healthy >= 2 || (healthy === 1 && isWell))) {
      isOn = false;
      score = 0;
      at = index - Math.min(1, healthy - 1);
    }
  }
  return { isOn, at };
}

/** In which window it began: a small zone shows a share only after hours. */
function firstOf(windows: readonly JudgedWindow[], measure: Measure, found: number): number {
  if (measure === 'traffic' || isAmount(measure)) return found;
  const usual = windows.at(-1)!.usual[measure];
  const middle = (RATES[measure](sumOf(windows.slice(found).map(({ counts }) => counts))) + usual) / 2;
  let [at, far, farthest] = [found, 0, 0];
  for (let index = found - 1; index >= 0; index -= 1) {
    const { counts } = windows[index]!;
    const beyond = (RATES[measure](counts) - middle) * Math.sign(middle - usual);
    far += counts.requests * beyond || 0;
    if (far > farthest) [at, farthest] = [index, far];
  }
  return at;
}

/** Where in the first window the fault began, if it was as strong there as in the later ones. */
function beginningOf(windows: readonly JudgedWindow[], measure: Measure, found: number): number {
  let at = found;
  const much = (window: JudgedWindow) => {
    if (measure === 'traffic') return Math.max(0, 1 - window.counts.requests / Math.max(1, window.expected));
    if (isAmount(measure)) return Math.max(0, (window.counts[measure] ?? 0) / Math.max(1, window.usual[measure]) - 1);
    return Math.max(0, window.excess[measure]);
  };
  const whole = Math.max(...windows.slice(at).map(much));
  // A slow loss is found only at its end, so its beginning is looked for.
  while (measure === 'traffic' && at > 0 && much(windows[at - 1]!) > 0.75 * whole) at -= 1;
  const first = windows[at]!;
  const before = windows[at - 1];
  const length = first.to - first.from;
  const part = much(first) / whole;
  if (part < 0.85) return first.to - part * length;
  if (before !== undefined && before.to === first.from && much(before) > 0.2 * whole)
    return before.to - (much(before) / whole) * (before.to - before.from);
  if (at < windows.length - 1) return first.from;
  // A single window does not show where in it the fault began: what is left of it may all have come before.
  const left =
    measure === 'hits' ? RATES.hits(first.counts) / first.usual.hits : measure === 'traffic' ? 1 - much(first) : 1;
  return first.from + length * Math.min(1 / 3, left);
}

function valuesOf(windows: readonly JudgedWindow[], measure: Measure, open: Finding | undefined, since: number) {
  const last = windows.at(-1)!;
  if (isAmount(measure)) {
    const minutes = (last.to - last.from) / MINUTE;
    return { now: (last.counts[measure] ?? 0) / minutes, usual: last.usual[measure] / minutes };
  }
  if (measure !== 'traffic') return { now: RATES[measure](last.counts), usual: last.usual[measure] };
  const isSilent = last.counts.requests === 0;
  const added = open === undefined ? windows.filter(({ to }) => to > since) : [last];
  return added.reduce(
    ({ now, usual }, { from, to, counts, usual: { requests } }) => {
      const before = (requests * Math.max(0, since - from)) / (to - from);
      // If nobody comes any more, all requests of the first window came before it began.
      const mine = isSilent ? counts.requests - before : counts.requests * (1 - before / Math.max(1, requests));
      return { now: now + Math.max(0, Math.round(mine)), usual: usual + requests - before };
    },
    { now: open?.now ?? 0, usual: open?.usual ?? 0 },
  );
}

/** How much a long loss of a part of the visitors matters: 1 is just enough. */
function lossOf(windows: readonly JudgedWindow[], off: number, since?: number): number {
  const last = windows.at(-1)!;
  const recent = windows.filter(({ to }) => to > last.to - LONG_LOSS);
  // A loss of nearly everybody is not slow.
  if (last.to - recent[0]!.from < LONG_LOSS - LOOK || recent.some(({ excess }) => excess.traffic > 1)) return 0;
  const before = windows.filter(({ to }) => to <= (since ?? recent[0]!.from));
  const expected = expectedIn(recent, before);
  const lost = (some: readonly JudgedWindow[]) =>
    1 - sum(some, ({ counts }) => counts.requests) / Math.max(1, expectedIn(some, before));
  const limit = Math.max(0.3, 1 - Math.exp(-off)) + 3 / Math.sqrt(Math.max(1, expected));
  // At half of the limit it is over.
  return Math.min(1, 2 * (Math.min(lost(recent), lost(windows.slice(-1))) / limit) - 1);
}

/**
 * Pure. A look at few zones does not know `others` and `level`, so those of the last window hold. `fall`: what most zones lost at once,
 * which replaces the loss of the zone.
 */
export function judged(
  watch: ZoneWatch,
  window: Window,
  given: { others?: number; level?: number; fall?: number },
): ZoneWatch {
  const { usual, windows: before } = watch;
  const { others = 1, level = 1, fall } = { ...before.at(-1), ...given };
  const { from, to } = window;
  const hour = usual && usualIn(usual, from, to);
  if (usual === undefined || hour === undefined) return watch;
  const gone = watch.findings.find((one) => one.measure === 'traffic' && isOpen(one));
  const earlier = before.filter((one) => one.to <= (gone?.since ?? from - 2 * LOOK));
  const mean = (usual.mean * (to - from)) / HOUR;
  // Below this part of a mean hour the day has not begun, and may be a holiday. An office’s night has a fifth.
  const isNight = hour.requests < (1 / 3) * mean;
  // Clocks change by an hour.
  const hours = [0, -HOUR, HOUR].map((by) => usualIn(usual, from + by, to + by) ?? hour);
  // The end of an open loss is judged by the zone’s own clock.
  const clocks = (gone === undefined ? hours : [hour]).map(({ requests }) => requests * Math.min(1, level));
  // Visitors who came tonight until half an hour ago do not stay away for a holiday.
  const tonight =
    quantile(
      earlier.slice(-4).map(({ counts }) => counts.requests),
      0.5,
    ) || 0;
  const expected = isNight
    ? Math.max(HOLIDAY * clocks[0]!, Math.min(clocks[0]!, tonight / 5))
    : expectedIn([{ clocks }], earlier);
  // Whoever is refused instead of served is still expected.
  const refused = watch.findings.find((one) => /4xx|hits/.test(one.measure) && isOpen(one))?.since ?? from;
  const own = expectedIn(
    [{ clocks: clocks.slice(0, 1) }],
    earlier.filter((one) => one.to <= refused),
  );
  const all = hours.map((one) => excessOf(window, one, usual, { expected, own, mean, others }));
  const excess = { ...all[0]!, ...rowOf((figure) => Math.min(...all.map((one) => one[figure]))) };
  const judgedWindow = { ...window, usual: hour, excess, clocks, expected, own, others, level };
  // So many hours before show what kind of day it is.
  const windows: JudgedWindow[] = [...before, judgedWindow].filter((one) => one.to > to - 4 * HOUR);
  judgedWindow.excess = {
    ...excess,
    traffic:
      fall === undefined
        ? Math.max(excess.traffic, isNight ? 0 : lossOf(windows, usual.off.traffic, gone?.since))
        : Math.max(0, (fall - 0.25) / 0.25),
  };
  const runIn = (measure: Measure) => {
    const wasOn = watch.findings.some((one) => one.measure === measure && isOpen(one));
    return runOf(windows, measure, wasOn);
  };
  const isGone = runIn('traffic').isOn && window.counts.requests < 0.5 * expected;
  const isFlooded = runIn('requests').isOn;
  const isAttacked = isFlooded || runIn('shielded').isOn;
  const findings = (
    ['traffic', 'requests', 'bandwidth', 'shielded', '4xx', '5xx', 'hits', 'response'] as const
  ).flatMap((measure) => {
    const old = watch.findings.filter((finding) => finding.measure === measure);
    const open = old.find(isOpen);
    const { isOn, at } = runIn(measure);
    const past = old.filter((finding) => finding !== open && finding.to > window.to - 24 * HOUR);
    // With hardly any visitors nothing else counts. More requests explain what is stopped, and both explain more bandwidth.
    const isExplained = (isFlooded && measure === 'shielded') || (isAttacked && measure === 'bandwidth');
    if (!isOn || (isGone && measure !== 'traffic') || isExplained)
      return open === undefined ? past : [...past, { ...open, until: windows[at]?.from ?? window.from }];
    const first = firstOf(windows, measure, at);
    const [{ from: earliest }] = windows as [JudgedWindow];
    const isFirst = first === 0 && (at > 0 || windows.length === 1);
    const since = open?.since ?? (isFirst ? earliest : beginningOf(windows, measure, first));
    const begun = open ?? { isEarlier: since === earliest };
    const values = valuesOf(windows, measure, open, since);
    const last = before.at(-1);
    const isFilling = measure === 'hits' && last !== undefined && values.now > RATES.hits(last.counts) + 0.03;
    return [...past, { ...begun, measure, since, to: window.to, ...values, isFilling }];
  });
  return { ...watch, windows, findings };
}

/** The part of the good answers that is missing in these windows, and the requests that are refused beyond the usual, as such a part. */
function missingIn(windows: readonly JudgedWindow[]) {
  const { requests, errors4xx, errors5xx } = sumOf(windows.map(({ counts }) => counts));
  const { usual } = windows.at(-1)!;
  const own = sum(windows, (window) => window.own);
  const good = Math.max(1, own * (1 - usual['4xx'] - usual['5xx']));
  const missing = good - (requests - errors4xx - errors5xx);
  return { missing: missing / good, refused: (errors4xx - own * usual['4xx']) / good };
}

/** Few good answers are missing: what is refused does not replace them. Who is refused may ask again and again. */
export function isOnTop(windows: readonly JudgedWindow[]): boolean {
  const { missing, refused } = missingIn(windows);
  return missing < Math.max(0.2, Math.min(0.5, refused / 3));
}

export const isNothingMissing = (windows: readonly JudgedWindow[]): boolean => missingIn(windows).missing < 0.05;

/** Higher is worse: a share from 0 to 1, or milliseconds for `response`. */
export const sizeOf = ({ measure, now, usual }: Pick<Finding, 'measure' | 'now' | 'usual'>): number =>
  measure === 'traffic' ? 1 - now / Math.max(1, usual) : measure === 'hits' ? 1 - now : now;

export const isOpen = ({ until }: Pick<Finding, 'until'>): boolean => until === undefined;
