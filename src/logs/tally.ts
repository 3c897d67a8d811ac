import { byRequests, type Counted } from './summary.ts';

export interface Tally {
  add(source: Buffer, start: number, end: number, bytes: number): void;
  /** Any other value was added at most `floor` times. */
  top(most: number): { counted: Counted[]; floor: number };
}

/** Longer values are counted by their beginning. */
const LONGEST_VALUE = 1024;

/** Odd and random, so that nobody can choose values that collide. */
const [HASH = 1, CHECK = 1] = crypto.getRandomValues(new Int32Array(2)).map((factor) => factor | 1);

/** Space-Saving in batches: exact up to `capacity` (a power of two), then wrong by at most 2/capacity of all. */
export function createTally(capacity: number): Tally {
  // Columns instead of objects, because millions of values come and go.
  let texts = Buffer.allocUnsafeSlow(64 * capacity);
  let used = 0;
  const starts = new Int32Array(capacity);
  const lengths = new Int32Array(capacity);
  const hashes = new Int32Array(capacity);
  const checks = new Int32Array(capacity);
  const requests = new Float64Array(capacity);
  const bytes = new Float64Array(capacity);
  const errors = new Float64Array(capacity);
  /** The value’s number plus one, at its hash or the next free place. */
  const places = new Uint16Array(4 * capacity);
  const last = places.length - 1;
  let count = 0;
  let floor = 0;

  function placeOf(hash: number, check: number): number {
    let place = hash & last;
    for (let number = places[place]!; number !== 0; number = places[place]!) {
      if (hashes[number - 1] === hash && checks[number - 1] === check) break;
      place = (place + 1) & last;
    }
    return place;
  }

  function forget(): void {
    floor = requests.slice().sort()[capacity / 2]!;
    places.fill(0);
    count = 0;
    used = 0;
    for (let number = 0; number < capacity; number += 1) {
      if (requests[number]! <= floor) continue;
      const [start, length] = [starts[number]!, lengths[number]!];
      texts.copyWithin(used, start, start + length);
      for (const column of [hashes, checks, requests, bytes, errors, lengths]) column[count] = column[number]!;
      starts[count] = used;
      used += length;
      places[placeOf(hashes[count]!, checks[count]!)] = count + 1;
      count += 1;
    }
  }

  return {
    add(source, start, whole, size) {
      const end = Math.min(whole, start + LONGEST_VALUE);
      // Two hashes replace a comparison of bytes.
      let hash = end - start;
      let check = hash;
      let at = start;
      for (; at + 4 <= end; at += 4) {
        const word = source[at]! | (source[at + 1]! << 8) | (source[at + 2]! << 16) | (source[at + 3]! << 24);
        hash = Math.imul(hash ^ word, HASH);
        hash ^= hash >>> 15;
        check = Math.imul(check ^ word, CHECK);
        check ^= check >>> 13;
      }
      for (; at < end; at += 1) {
        hash = Math.imul(hash ^ source[at]!, HASH);
        check = Math.imul(check ^ source[at]!, CHECK);
      }
      hash ^= hash >>> 15;
      let number = places[placeOf(hash, check)]! - 1;
      if (number < 0) {
        if (count === capacity) forget();
        number = count;
        count += 1;
        places[placeOf(hash, check)] = count;
        if (texts.length < used + LONGEST_VALUE) texts = Buffer.concat([texts], 2 * texts.length);
        starts[number] = used;
        lengths[number] = end - start;
        // Faster than a call, because there are few bytes.
        for (let byte = start; byte < end; byte += 1) texts[used++] = source[byte]!;
        hashes[number] = hash;
        checks[number] = check;
        requests[number] = floor;
        bytes[number] = 0;
        errors[number] = floor;
      }
      requests[number]! += 1;
      bytes[number]! += size;
    },

    top(most) {
      // Different invalid UTF-8 may decode to the same text.
      const read = new Map<string, Required<Counted>>();
      for (let number = 0; number < count; number += 1) {
        const value = texts.toString('utf8', starts[number]!, starts[number]! + lengths[number]!);
        const same = read.get(value) ?? { value, requests: 0, bytes: 0, error: 0 };
        read.set(value, same);
        same.requests += requests[number]!;
        same.bytes += bytes[number]!;
        same.error += errors[number]!;
      }
      const sorted = [...read.values()]
        .map(({ error, ...one }) => (error === 0 ? one : { ...one, error }))
        .sort(byRequests);
      return { counted: sorted.slice(0, most), floor: Math.max(floor, sorted[most]?.requests ?? 0) };
    },
  };
}
