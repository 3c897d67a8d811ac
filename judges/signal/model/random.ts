/** A stream of numbers from 0 to 1. The same seed gives the same stream, so a week can be made again anywhere. */
export type Random = () => number;

/** Two numbers stirred into one of 32 bits. What is asked for in any order is drawn from this, never from a running stream. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x5bd1e995, 0x85ebca6b) ^ Math.imul((b + 0x9e3779b9) | 0, 0xc2b2ae35);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  h ^= h >>> 12;
  h = Math.imul(h, 0x297a2d39);
  h ^= h >>> 15;
  return h >>> 0;
}

/** A number from 0 to 1 that belongs to the key. */
export const unit = (seed: number, key: number): number => mix(seed, key) / 4_294_967_296;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const between = (random: Random, least: number, most: number): number => least + (most - least) * random();

/** Spread evenly over orders of magnitude, as sizes and durations are. */
export const logBetween = (random: Random, least: number, most: number): number =>
  least * Math.exp(Math.log(most / least) * random());

export const wholeBetween = (random: Random, least: number, most: number): number =>
  Math.floor(between(random, least, most + 1));

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.min(choices.length - 1, Math.floor(random() * choices.length))]!;
}

export function shuffled<T>(random: Random, values: readonly T[]): T[] {
  const all = [...values];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all;
}

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** How many arrive when `mean` are expected. */
export function poisson(random: Random, mean: number): number {
  if (mean <= 0) return 0;
  if (mean > 40) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const least = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > least; product *= random()) count++;
  return count;
}

/** How many of `n` it happens to, when it happens to each with the probability `p`. */
export function binomial(random: Random, n: number, p: number): number {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - binomial(random, n, 1 - p);
  const mean = n * p;
  if (mean > 25) {
    const drawn = Math.round(mean + Math.sqrt(mean * (1 - p)) * normal(random));
    return Math.max(0, Math.min(n, drawn));
  }
  // The gaps between two hits are drawn instead of every single one: few hits among many stay quick.
  const scale = Math.log(1 - p);
  let count = -1;
  let place = 0;
  do {
    place += Math.floor(Math.log(1 - random()) / scale) + 1;
    count++;
  } while (place <= n);
  return count;
}

/** `n` dealt to the weights; what is left goes to the last. */
export function deal(random: Random, n: number, weights: readonly number[]): number[] {
  const counts: number[] = [];
  let left = n;
  let weightLeft = 0;
  for (const weight of weights) weightLeft += weight;
  for (let i = 0; i < weights.length; i++) {
    const count = i === weights.length - 1 ? left : binomial(random, left, weights[i]! / weightLeft);
    counts.push(count);
    left -= count;
    weightLeft -= weights[i]!;
  }
  return counts;
}

/** About normal, from one hash: the sum of its four bytes. */
function knot(seed: number, key: number): number {
  const h = mix(seed, key);
  return ((h & 255) + ((h >>> 8) & 255) + ((h >>> 16) & 255) + (h >>> 24) - 510) / 147.8;
}

/** Noise that drifts: neighbours resemble each other within `period`, and every moment can be asked for alone. */
export function wave(seed: number, at: number, period: number): number {
  const place = at / period;
  const before = Math.floor(place);
  const part = place - before;
  const smooth = part * part * (3 - 2 * part);
  return knot(seed, before) * (1 - smooth) + knot(seed, before + 1) * smooth;
}

/** A magnitude with a heavy tail: mostly near `least`, now and then many times that. */
export const pareto = (random: Random, least: number, tail: number, most: number): number =>
  Math.min(most, least * (1 - random()) ** (-1 / tail));
