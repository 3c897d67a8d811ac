import { type FailingShare, type SaidShare, sharesSaid } from './judge/shares.ts';
import {
  type Facts,
  factsOf,
  isAboutReading,
  isOver,
  newFacts,
  partAbout,
  startsSaid,
  zonesNamed,
} from './judge/words.ts';
import type { WeekKind } from './model/background.ts';
import type { Happening, Label } from './model.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A message this long after the end still belongs to an incident. */
const GRACE_MS = HOUR_MS;
/** That it is over may be said this long after the end. */
const OVER_GRACE_MS = 3 * HOUR_MS;
const RIGHT_START_MS = 10 * MINUTE_MS;

/** Something that the bot posted. */
export interface Post {
  id?: string;
  at: number;
  channel: string;
  text: string;
  /** The id of the post that it answers to. */
  thread?: string;
  /** The morning report and the like are judged apart. */
  isDaily?: boolean;
  edits?: readonly { at: number; text: string }[];
}

/** One week of a bot, and what was true of it. */
export interface Run {
  seed: number;
  kind: WeekKind;
  from: number;
  to: number;
  posts: readonly Post[];
  labels: readonly Label[];
  zones: readonly string[];
  happenings: (zone: string, at: number, before?: number) => Happening[];
  /** When the platform shows an incident first. */
  shownAt: (label: Label) => number;
  /** What really fails. */
  failing?: FailingShare;
  /** Whether a service was late, sampled or refused at a moment; then a message that says so is right. */
  isFaulty?: (at: number) => boolean;
  /** Whose clock times the words are in; UTC unless said. */
  timeZone?: string;
}

export interface IncidentResult {
  label: Label;
  seed: number;
  toldAt?: number;
  /** Milliseconds from when the platform shows it. */
  delay?: number;
  /** Posts and replies about it; edits are none. */
  messages: number;
  start: 'right' | 'wrong' | 'not said';
  isCauseNamed: boolean;
  isCauseNamedEver: boolean;
  /** Only where a region or a path dominates. */
  isPlaceNamed?: boolean;
  isToldBeforeMorning: boolean;
  /** Of a miss. */
  reason?: string;
}

export type Verdict = 'tells' | 'says nothing new' | 'false' | 'neutral';

export interface PostResult {
  post: Post;
  seed: number;
  verdict: Verdict;
  incidents: string[];
  /** A zone without an incident stands before the ones with. */
  isHeadWrong: boolean;
  reason: string;
}

export interface WeekResult {
  seed: number;
  kind: WeekKind;
  weeks: number;
  incidents: IncidentResult[];
  posts: PostResult[];
  /** Of the same incidents moved by days, to where nothing was, so many would count as told. */
  chance: { told: number; of: number };
  /** The shares of failing requests that were said, beside what was true. */
  shares: SaidShare[];
}

interface Utterance {
  post: Post;
  at: number;
  text: string;
  zones: string[];
}

function utterancesOf(run: Run, post: Post): Utterance[] {
  const parent = post.thread === undefined ? undefined : run.posts.find(({ id }) => id === post.thread);
  return [{ at: post.at, text: post.text }, ...(post.edits ?? [])].map(({ at, text }) => {
    const named = zonesNamed(text, run.zones);
    const zones = named.length > 0 || parent === undefined ? named : zonesNamed(parent.text, run.zones);
    return { post, at, text, zones };
  });
}

function isWithin(label: Label, { at, text }: Utterance): boolean {
  return at >= label.start && at <= label.end + (isOver(text) ? OVER_GRACE_MS : GRACE_MS);
}

const isAbout = (label: Label, utterance: Utterance): boolean =>
  utterance.zones.some((zone) => label.zones.includes(zone)) && isWithin(label, utterance);

function startIn(run: Run, label: Label, said: Utterance): IncidentResult['start'] {
  const zone = said.zones.find((name) => label.zones.includes(name))!;
  const starts = startsSaid(partAbout(said.text, zone, run.zones), said.at, run.timeZone);
  if (starts.length === 0) return 'not said';
  const least = label.start - RIGHT_START_MS;
  const most = Math.max(label.firstSeen, label.noticeable) + RIGHT_START_MS;
  return starts.some((at) => at >= least && at <= most) ? 'right' : 'wrong';
}

function isCauseIn(run: Run, label: Label, said: Utterance): boolean {
  const zone = said.zones.find((name) => label.zones.includes(name))!;
  return label.accept.test(partAbout(said.text, zone, run.zones));
}

function isPlaceIn(label: Label, text: string): boolean {
  const isRegion = label.region === undefined || new RegExp(`\\b${label.region}\\b`).test(text);
  // The first two parts of a path name it.
  const path = label.path?.split('/').slice(0, 3).join('/').replace(/\/$/, '');
  return isRegion && (path === undefined || text.includes(path));
}

/** Ten in the morning after the incident began, in UTC. */
function morningAfter(label: Label): number {
  const midnight = Math.floor(label.start / (24 * HOUR_MS)) * 24 * HOUR_MS;
  const ten = midnight + 10 * HOUR_MS;
  return ten > label.start ? ten : ten + 24 * HOUR_MS;
}

function whyMissed(label: Label, about: readonly Utterance[], posts: number): string {
  const [zone = ''] = label.zones;
  const shares = label.shares[zone] ?? [];
  const peak = Math.max(0, ...shares);
  const late = about.find(({ at }) => at > label.end);
  const told =
    late === undefined ? 'never told' : `first told ${Math.round((late.at - label.end) / MINUTE_MS)} min after its end`;
  return `${told}; ${shares.length} min long, at most ${(peak * 100).toFixed(1)} % of the minute's requests; ${posts} posts about other zones meanwhile`;
}

function judgeIncident(run: Run, label: Label, utterances: readonly Utterance[]): IncidentResult {
  const about = utterances.filter((one) => !one.post.isDaily && isAbout(label, one));
  const first = about[0];
  const posts = new Set(about.filter((one) => one.at === one.post.at).map(({ post }) => post));
  const named = utterances.filter(
    (one) => one.zones.some((zone) => label.zones.includes(zone)) && one.at >= label.start,
  );
  const place =
    label.region === undefined && label.path === undefined
      ? undefined
      : about.some(({ text }) => isPlaceIn(label, text));
  const shared = {
    label,
    seed: run.seed,
    messages: posts.size,
    isToldBeforeMorning: named.some(({ at }) => at <= morningAfter(label)),
    isCauseNamedEver: about.some((one) => isCauseIn(run, label, one)),
    ...(place !== undefined && { isPlaceNamed: place }),
  };
  if (first === undefined) {
    const others = utterances.filter(({ at }) => at >= label.start && at <= label.end).length;
    const reason = whyMissed(label, named, others);
    return { ...shared, start: 'not said', isCauseNamed: false, reason };
  }
  return {
    ...shared,
    toldAt: first.at,
    delay: Math.max(0, first.at - run.shownAt(label)),
    start: startIn(run, label, first),
    isCauseNamed: isCauseIn(run, label, first),
  };
}

/** Why a post is false: what went on in the zones that it names. */
function whyFalse(run: Run, { at, zones }: Utterance): string {
  if (zones.length === 0) return 'names no zone';
  const reasons = zones.slice(0, 3).map((zone) => {
    const past = run.labels.filter(
      (label) => label.zones.includes(zone) && label.end <= at && label.end > at - 12 * HOUR_MS,
    );
    const ended = past.at(-1);
    if (ended !== undefined)
      return `${zone}: its ${ended.kind} ended ${Math.round((at - ended.end) / MINUTE_MS)} min before`;
    const [happening] = run
      .happenings(zone, at, HOUR_MS)
      .filter(({ kind, start }) => kind !== 'level shift' || start > at - 26 * HOUR_MS)
      .sort((a, b) => b.start - a.start);
    return `${zone}: ${happening === undefined ? 'only its noise' : `${happening.kind}, ${happening.words}`}`;
  });
  return reasons.join('; ');
}

/** A lasting change may be told once, within a day. */
function lastingChange(run: Run, { at, zones }: Utterance, told: Set<string>): string | undefined {
  for (const zone of zones) {
    for (const happening of run.happenings(zone, at)) {
      const key = `${happening.kind} ${zone} ${happening.start}`;
      if (!happening.isTellableOnce || told.has(key) || at > happening.start + 26 * HOUR_MS) continue;
      told.add(key);
      return `${happening.kind}: ${happening.words}`;
    }
  }
  return undefined;
}

function judgePosts(run: Run, utterances: readonly Utterance[]): PostResult[] {
  const toldBefore = new Map<string, Facts[]>();
  const lasting = new Set<string>();
  const results: PostResult[] = [];
  for (const one of utterances) {
    const { post, at, text } = one;
    if (post.isDaily) continue;
    const labels = run.labels.filter((label) => isAbout(label, one));
    const facts = factsOf(text, run.zones, at, run.timeZone);
    const keys = labels.length > 0 ? labels.map(({ id }) => id) : [`none ${one.zones[0] ?? ''}`];
    const news = keys.flatMap((key) => newFacts(facts, toldBefore.get(key) ?? []));
    for (const key of keys) toldBefore.set(key, [...(toldBefore.get(key) ?? []), facts]);
    // An edit rewrites a message that stands there already: nobody is called by it.
    if (at !== post.at) continue;
    const isHeadWrong = labels.length > 0 && !labels.some((label) => label.zones.includes(one.zones[0]!));
    const result = { post, seed: run.seed, incidents: labels.map(({ id }) => id), isHeadWrong };
    if (labels.length > 0) {
      const verdict = news.length > 0 ? 'tells' : 'says nothing new';
      results.push({ ...result, verdict, reason: news.join(', ') });
      continue;
    }
    if (run.isFaulty?.(at) && isAboutReading(text)) {
      const verdict = news.length > 0 ? 'neutral' : 'says nothing new';
      results.push({ ...result, verdict, reason: 'a service did not answer as it should' });
      continue;
    }
    const change = lastingChange(run, one, lasting);
    if (change !== undefined) results.push({ ...result, verdict: 'neutral', reason: change });
    else results.push({ ...result, verdict: 'false', reason: whyFalse(run, one) });
  }
  return results;
}

/** What a bot's week was worth. */
export function judgeWeek(run: Run): WeekResult {
  const utterances = run.posts.flatMap((post) => utterancesOf(run, post)).sort((a, b) => a.at - b.at);
  return {
    seed: run.seed,
    kind: run.kind,
    weeks: (run.to - run.from) / (7 * 24 * HOUR_MS),
    incidents: run.labels.filter(({ isAsked }) => isAsked).map((label) => judgeIncident(run, label, utterances)),
    posts: judgePosts(run, utterances),
    chance: toldByChance(run, utterances),
    shares: sharesOf(run, utterances),
  };
}

const sharesOf = ({ failing, zones, timeZone }: Run, utterances: readonly Utterance[]): SaidShare[] =>
  failing === undefined
    ? []
    : utterances
        .filter(({ post }) => !post.isDaily)
        .flatMap(({ text, at }) => sharesSaid(text, at, { zones, failing, timeZone }));

/**
 * How much would be told by chance: the same incidents a day or two earlier or later, where nothing was. Who posts all the
 * time tells these too.
 */
function toldByChance(run: Run, utterances: readonly Utterance[]): WeekResult['chance'] {
  let told = 0;
  let of = 0;
  for (const label of run.labels) {
    for (const days of [-2, -1, 1, 2]) {
      const moved = { ...label, start: label.start + days * 24 * HOUR_MS, end: label.end + days * 24 * HOUR_MS };
      const isFree = !run.labels.some(
        (other) =>
          other.zones.some((zone) => label.zones.includes(zone)) &&
          moved.start < other.end + OVER_GRACE_MS &&
          moved.end + GRACE_MS > other.start,
      );
      if (!isFree || moved.start < run.from || moved.end + GRACE_MS > run.to) continue;
      of++;
      if (utterances.some((one) => !one.post.isDaily && isAbout(moved, one))) told++;
    }
  }
  return { told, of };
}
