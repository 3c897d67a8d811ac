import { byRequests, type Counted } from './summary.ts';

/** Longer values are counted by their beginning. */
const MAX_KEY = 1024;

/**
 * Counts byte strings in bounded memory, most frequent first. Exact while there are no more than `capacity` different ones;
 * beyond that the rarer half is forgotten now and then, and what comes anew starts with what it may have missed as its
 * error (Space-Saving in batches). Keys are bytes in one buffer of its own: no string is made before `list`, and no chunk
 * of the log is kept alive by a slice of it.
 */
export class Tally {
  readonly #capacity: number;
  readonly #mask: number;
  /** Hash slot → entry number + 1. */
  readonly #slots: Int32Array;
  readonly #hashes: Int32Array;
  readonly #starts: Int32Array;
  readonly #lengths: Int32Array;
  readonly #requests: Float64Array;
  readonly #bytes: Float64Array;
  readonly #errors: Float64Array;
  #keys = new Uint8Array(4096);
  #used = 0;
  #entries = 0;
  #floor = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    const slots = 2 ** Math.ceil(Math.log2(capacity * 2));
    this.#mask = slots - 1;
    this.#slots = new Int32Array(slots);
    this.#hashes = new Int32Array(capacity);
    this.#starts = new Int32Array(capacity);
    this.#lengths = new Int32Array(capacity);
    this.#requests = new Float64Array(capacity);
    this.#bytes = new Float64Array(capacity);
    this.#errors = new Float64Array(capacity);
  }

  /** How often a value that is not listed may have been added at most. */
  get floor(): number {
    return this.#floor;
  }

  /** Counts the value that stands in `source` from `start` to before `end`. */
  add(source: Buffer, start: number, end: number, bytes: number): void {
    const length = Math.min(end - start, MAX_KEY);
    const hash = hashOf(source, start, length);
    let slot = hash & this.#mask;
    for (let entry = this.#slots[slot]!; entry !== 0; entry = this.#slots[slot]!) {
      if (this.#hashes[entry - 1] === hash && this.#isKey(entry - 1, source, start, length)) {
        this.#requests[entry - 1]! += 1;
        this.#bytes[entry - 1]! += bytes;
        return;
      }
      slot = (slot + 1) & this.#mask;
    }
    if (this.#entries === this.#capacity) {
      this.#forgetTheRare();
      this.#insert(hash, source, start, length, bytes);
    } else {
      this.#put(slot, hash, source, start, length, bytes);
    }
  }

  list(): Counted[] {
    const listed: Counted[] = [];
    for (let entry = 0; entry < this.#entries; entry += 1) {
      const start = this.#starts[entry]!;
      const value = Buffer.from(this.#keys.buffer, start, this.#lengths[entry]!).toString('utf8');
      const error = this.#errors[entry]!;
      listed.push({
        value,
        requests: this.#requests[entry]!,
        bytes: this.#bytes[entry]!,
        ...(error === 0 ? {} : { error }),
      });
    }
    return listed.sort(byRequests);
  }

  #isKey(entry: number, source: Buffer, start: number, length: number): boolean {
    if (this.#lengths[entry] !== length) return false;
    const keys = this.#keys;
    const from = this.#starts[entry]!;
    for (let at = 0; at < length; at += 1) {
      if (keys[from + at] !== source[start + at]) return false;
    }
    return true;
  }

  #insert(hash: number, source: Buffer, start: number, length: number, bytes: number): void {
    let slot = hash & this.#mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#put(slot, hash, source, start, length, bytes);
  }

  #put(slot: number, hash: number, source: Buffer, start: number, length: number, bytes: number): void {
    if (this.#used + length > this.#keys.length) {
      const grown = new Uint8Array(Math.max(2 * this.#keys.length, this.#used + length));
      grown.set(this.#keys.subarray(0, this.#used));
      this.#keys = grown;
    }
    const entry = this.#entries;
    this.#keys.set(source.subarray(start, start + length), this.#used);
    this.#starts[entry] = this.#used;
    this.#lengths[entry] = length;
    this.#hashes[entry] = hash;
    this.#requests[entry] = this.#floor + 1;
    this.#errors[entry] = this.#floor;
    this.#bytes[entry] = bytes;
    this.#slots[slot] = entry + 1;
    this.#used += length;
    this.#entries += 1;
  }

  /** Keeps what was seen more often than the median, and remembers the median as what the others may have had. */
  #forgetTheRare(): void {
    const sorted = this.#requests.slice(0, this.#entries).sort();
    this.#floor = sorted[this.#entries >> 1]!;
    this.#slots.fill(0);
    let kept = 0;
    let used = 0;
    for (let entry = 0; entry < this.#entries; entry += 1) {
      if (this.#requests[entry]! <= this.#floor) continue;
      const start = this.#starts[entry]!;
      const length = this.#lengths[entry]!;
      this.#keys.copyWithin(used, start, start + length);
      this.#starts[kept] = used;
      this.#lengths[kept] = length;
      this.#hashes[kept] = this.#hashes[entry]!;
      this.#requests[kept] = this.#requests[entry]!;
      this.#bytes[kept] = this.#bytes[entry]!;
      this.#errors[kept] = this.#errors[entry]!;
      let slot = this.#hashes[kept]! & this.#mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = kept + 1;
      used += length;
      kept += 1;
    }
    this.#entries = kept;
    this.#used = used;
  }
}

/** FNV-1a over groups of four bytes, with a last mix so that the low bits depend on all of them. */
function hashOf(source: Buffer, start: number, length: number): number {
  let hash = 0x811c9dc5 ^ length;
  const end = start + length;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = source[at]! | (source[at + 1]! << 8) | (source[at + 2]! << 16) | (source[at + 3]! << 24);
    hash = Math.imul(hash ^ word, 0x01000193);
    hash ^= hash >>> 15;
  }
  for (; at < end; at += 1) hash = Math.imul(hash ^ source[at]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
