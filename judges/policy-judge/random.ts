/** Chance from a seed: the same seed, the same policies. */
export interface Chance {
  /** A whole number from 0, smaller than `below`. */
  below(below: number): number;
  /** True once in so many times. */
  once(times: number): boolean;
  /** One of them. */
  one<T>(list: readonly T[]): T;
  /** From `least` to `most` different ones of them. */
  some<T>(list: readonly T[], least: number, most: number): T[];
}

/** A generator of 32 bits (mulberry32): enough to vary, and nothing to install. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  return {
    below,
    one,
    once: (times) => below(times) === 0,
    some: (list, least, most) => {
      const left = [...list];
      const wanted = Math.min(left.length, least + below(most - least + 1));
      return Array.from({ length: wanted }, () => left.splice(below(left.length), 1)[0] as (typeof left)[number]);
    },
  };
}
