/** A 32-bit hash of the parts (FNV-1a over their text, mixed): the root of everything that is seeded. */
export function hashOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    const text = String(part);
    for (let index = 0; index < text.length; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
    hash = Math.imul(hash ^ 0x1f, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A number in [0, 1) that depends on the parts alone. */
export function fractionOf(...parts: readonly (string | number)[]): number {
  return hashOf(...parts) / 0x1_0000_0000;
}

/** A stream of pseudo-random numbers; the same parts give the same stream. */
export interface Random {
  /** The next number in [0, 1). */
  next(): number;
  /** The next integer in [low, high], both included. */
  integer(low: number, high: number): number;
  /** One of the choices. */
  pick<T>(choices: readonly T[]): T;
  /** `length` characters of the alphabet. */
  text(length: number, alphabet?: string): string;
}

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Starts a stream (mulberry32) from the parts. */
export function createRandom(...parts: readonly (string | number)[]): Random {
  let state = hashOf(...parts);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  return {
    next,
    integer: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: <T>(choices: readonly T[]): T => {
      const choice = choices[Math.floor(next() * choices.length)];
      if (choice === undefined) {
        throw new RangeError('Nothing to pick from.');
      }
      return choice;
    },
    text: (length, alphabet = ALPHANUMERIC) => {
      let text = '';
      for (let index = 0; index < length; index++) {
        text += alphabet[Math.floor(next() * alphabet.length)];
      }
      return text;
    },
  };
}

/** A UUID (version 4 in form) that depends on the stream alone. */
export function uuidOf(random: Random): string {
  const hex = random.text(32, '0123456789abcdef');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The cumulative weights 1/1, 1/2, 1/3 … of `count` ranks, for `rankOf`. */
export function zipfWeights(count: number, exponent = 1): Float64Array {
  const cumulative = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + 1) ** exponent;
    cumulative[rank] = sum;
  }
  return cumulative.map((value) => value / sum);
}

/** The first rank whose cumulative weight reaches `fraction` (binary search). */
export function rankOf(cumulative: Float64Array, fraction: number): number {
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulative[middle] ?? 1) < fraction) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
