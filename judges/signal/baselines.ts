import type { Post } from './judge.ts';
import { DAY, MINUTE_MS, WEEK } from './model/calendar.ts';
import { pullsOf, type Totals } from './model/totals.ts';
import type { Model, Zone } from './model.ts';

/** Rules that anybody would write first, on the same numbers that `GET /statistics` gives, looked at every quarter of an hour. */

const QUARTER = 15;
const QUARTERS_A_DAY = DAY / QUARTER;
/** A series of a zone that was told is not told again until it was quiet for so many quarters. */
const PAUSE = 4;

const SERIES = {
  requests: (totals: Totals) => totals.requests,
  '5xx share': (totals: Totals) => totals.serverErrors / Math.max(1, totals.requests),
  '4xx share': (totals: Totals) => totals.clientErrors / Math.max(1, totals.requests),
  'hit rate': (totals: Totals) => totals.hits / Math.max(1, totals.requests),
  'response time': (totals: Totals) => totals.waited / Math.max(1, pullsOf(totals)),
} as const;
type Series = keyof typeof SERIES;
const NAMES = Object.keys(SERIES) as Series[];

/** Quarters of a zone, the four weeks before the judged one first. */
interface Quarters {
  zone: Zone;
  values: Record<Series, Float64Array>;
  /** Index of the first judged quarter. */
  first: number;
}

const HISTORY = 4 * WEEK;

function quartersOf(model: Model, zone: Zone): Quarters {
  const begin = model.world.from - HISTORY;
  const length = (model.world.to - begin) / QUARTER;
  const values = Object.fromEntries(NAMES.map((name) => [name, new Float64Array(length)])) as Quarters['values'];
  for (let i = 0; i < length; i++) {
    const totals = model.totals(zone, begin + i * QUARTER, begin + (i + 1) * QUARTER);
    for (const name of NAMES) values[name][i] = SERIES[name](totals);
  }
  return { zone, values, first: HISTORY / QUARTER };
}

/** Which series of a zone are strange in a quarter. */
type Rule = (quarters: Quarters) => (at: number) => Series[];

const share5xx: Rule =
  ({ values }) =>
  (at) =>
    values['5xx share'][at]! > 0.01 ? ['5xx share'] : [];

/** How fast it forgets: half of it in about two hours. */
const ALPHA = 0.08;
const ewma =
  (sigmas: number): Rule =>
  ({ values, first }) => {
    const strange = NAMES.map((name) => {
      const flags: boolean[] = [];
      let mean = values[name][first - 4 * QUARTERS_A_DAY]!;
      let variance = 0;
      for (let i = first - 4 * QUARTERS_A_DAY; i < values[name].length; i++) {
        const off = values[name][i]! - mean;
        flags[i] = i >= first && Math.abs(off) > sigmas * Math.sqrt(variance) && variance > 0;
        variance = (1 - ALPHA) * (variance + ALPHA * off * off);
        mean += ALPHA * off;
      }
      return flags;
    });
    return (at) => NAMES.filter((_, i) => strange[i]![at]);
  };

const zScore =
  (sigmas: number): Rule =>
  ({ values }) =>
  (at) =>
    NAMES.filter((name) => {
      const all = values[name];
      const same: number[] = [];
      const hour = at - (at % 4);
      for (let weeks = 1; weeks <= 4; weeks++) {
        for (let i = 0; i < 4; i++) {
          const before = all[hour + i - weeks * 7 * QUARTERS_A_DAY];
          if (before !== undefined) same.push(before);
        }
      }
      const mean = same.reduce((sum, value) => sum + value, 0) / same.length;
      const variance = same.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (same.length - 1);
      return variance > 0 && Math.abs(all[at]! - mean) > sigmas * Math.sqrt(variance);
    });

const baselines = (sigmas: number): Readonly<Record<string, Rule>> => ({
  '5xx > 1 %': share5xx,
  [`EWMA, ${sigmas} sigma`]: ewma(sigmas),
  [`z-score by weekday and hour, ${sigmas} sigma`]: zScore(sigmas),
});

function textOf(quarters: Quarters, strange: readonly Series[], at: number, begin: number): string {
  const [name] = strange as [Series];
  const value = quarters.values[name][at]!;
  const said = /share|rate/.test(name) ? `${(value * 100).toFixed(1)} %` : value.toFixed(0);
  const since = new Date(begin).toISOString().slice(11, 16);
  return `${quarters.zone.name}: ${name} ${said}${strange.length > 1 ? `, also ${strange.slice(1).join(', ')}` : ''}, since ${since} UTC`;
}

function postsOf(model: Model, quarters: Quarters, rule: Rule): Post[] {
  const strangeAt = rule(quarters);
  const posts: Post[] = [];
  const pausedUntil = new Map<Series, number>();
  for (let at = quarters.first; at < quarters.values.requests.length; at++) {
    const strange = strangeAt(at);
    const fresh = strange.filter((name) => at >= (pausedUntil.get(name) ?? 0));
    for (const name of strange) pausedUntil.set(name, at + PAUSE);
    if (fresh.length === 0) continue;
    const begin = model.from + (at - quarters.first) * QUARTER * MINUTE_MS;
    posts.push({ at: begin + QUARTER * MINUTE_MS, channel: 'alerts', text: textOf(quarters, fresh, at, begin) });
  }
  return posts;
}

/** What each baseline posts in a model's week. Three sigma is what everybody takes; with more they call less often. */
export function baselinePosts(model: Model, sigmas = 3): Record<string, Post[]> {
  const all = model.zones.map((zone) => quartersOf(model, zone));
  return Object.fromEntries(
    Object.entries(baselines(sigmas)).map(([name, rule]) => [
      name,
      all.flatMap((quarters) => postsOf(model, quarters, rule)).sort((a, b) => a.at - b.at),
    ]),
  );
}
