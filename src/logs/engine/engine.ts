import { ENGINE } from './engine-binary.ts';

/** The tables of values that the engine keeps, by the names that engine.c gives them. */
type TableName =
  | 'caches'
  | 'topPaths'
  | 'topMissing'
  | 'topErrors'
  | 'failures'
  | 'topAgents'
  | 'topCountries'
  | 'topReferers'
  | 'edgeLocations'
  | 'topClients';

/** A global of the module: where something stands in its memory. */
interface Address {
  value: number;
}

/** What the C exports: functions, and where its figures stand. */
type Exports = Record<TableName | 'totals' | 'statuses' | 'sizes' | 'registers' | 'hours' | 'given', Address> & {
  memory: { buffer: ArrayBuffer };
  begin(seed: bigint): void;
  input(): number;
  inputSize(): number;
  longestLine(): number;
  scan(length: number): void;
  count(status: number, time: number, bytes: number): void;
  unreadable(): void;
};

/** As much of it as is used here: Node has it, its types don't say so. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: Exports };
};

/** One entry of a table. */
interface Entry {
  /** As UTF-8: different bytes that are none may read the same. */
  value: string;
  requests: number;
  bytes: number;
  /** How many of the requests may be others'. */
  error: number;
}

/** The most frequent entries of a table. */
export interface TopEntries {
  entries: Entry[];
  /** How often a value that is not among them may have been seen at most. */
  floor: number;
}

/** One instance of the engine, with memory of its own. What it shows are views: valid until the next call. */
export interface Engine {
  /** Where the log's bytes are to be written. */
  input: Buffer;
  /** A line longer than this many bytes is no record. */
  longestLine: number;
  /** Counts the lines in the first `length` bytes of the input; the last byte ends a line. */
  scan(length: number): void;
  /** Counts one line that is no record. */
  unreadable(): void;
  /** Where the texts of a record that the host has read are told: start and length in the input, for each field. */
  given: Uint32Array;
  /** Where the input begins in the engine's memory: what `given` counts from. */
  inputAt: number;
  /** Counts the record whose texts are `given`. Unix milliseconds. */
  count(status: number, time: number, bytes: number): void;
  /** Requests, bytes, unreadable lines, first and last time, number of hours. */
  totals(): Float64Array;
  /** How often each status was seen. */
  statuses(): Float64Array;
  /** How many sizes fell into each bucket (size-sketch.ts). */
  sizes(): Float64Array;
  /** The registers of the sketch of different clients (client-sketch.ts). */
  registers(): Uint8Array;
  /** Start, requests, errors, bytes of each hour, in no order. */
  hours(): Float64Array;
  /** At most so many entries of a table, those with the most requests; absent values (`-` and nothing) only on demand. */
  top(table: TableName, most: number, withAbsent?: boolean): TopEntries;
}

// Sizes in bytes of what engine.h, tally.h and engine.c lay out.
const TOTALS = 6;
const STATUSES = 1000;
const SIZES = 64 + 64 * 44;
const REGISTERS = 2 ** 14;
const HOUR = 4;
const FIELDS = 12;

const DASH = 0x2d;

let compiled: object | undefined;

/** A new engine, which has counted nothing. */
export function createEngine(): Engine {
  compiled ??= new WebAssembly.Module(Buffer.from(ENGINE, 'base64'));
  const { exports: engine } = new WebAssembly.Instance(compiled);
  const { buffer } = engine.memory;
  const memory = Buffer.from(buffer);
  const words = new Uint32Array(buffer);
  const figures = new Float64Array(buffer);
  const floats = (at: Address, length: number) => new Float64Array(buffer, at.value, length);
  // Makes nobody able to choose values that collide; changes no figure.
  engine.begin(crypto.getRandomValues(new BigUint64Array(1))[0]!);

  return {
    input: Buffer.from(buffer, engine.input(), engine.inputSize()),
    inputAt: engine.input(),
    longestLine: engine.longestLine(),
    scan: engine.scan,
    count: engine.count,
    unreadable: engine.unreadable,
    given: new Uint32Array(buffer, engine.given.value, 2 * FIELDS),
    totals: () => floats(engine.totals, TOTALS),
    statuses: () => floats(engine.statuses, STATUSES),
    sizes: () => floats(engine.sizes, SIZES),
    registers: () => new Uint8Array(buffer, engine.registers.value, REGISTERS),
    hours: () => floats(engine.hours, HOUR * floats(engine.totals, TOTALS)[5]!),
    top(table, most, withAbsent = false) {
      const tally = engine[table].value;
      const [entries = 0, errors = 0, count = 0] = words.subarray(tally / 4);
      const requestsOf = (index: number) => figures[entries / 8 + index * 4 + 2]!;
      const keyAt = (index: number) => words[entries / 4 + index * 8 + 2]!;
      const keyEnd = (index: number) => keyAt(index) + words[entries / 4 + index * 8 + 3]!;
      const wanted: number[] = [];
      for (let index = 0; index < count; index += 1) {
        const length = keyEnd(index) - keyAt(index);
        if (withAbsent || length > 1 || (length === 1 && memory[keyAt(index)] !== DASH)) wanted.push(index);
      }
      const counts = Float64Array.from(wanted, requestsOf).sort();
      // The first that is left out; all with more requests do, and of those with as many the first in the order of bytes.
      const first = counts[counts.length - 1 - most] ?? 0;
      const chosen = wanted.filter((index) => requestsOf(index) > first);
      if (first > 0) {
        const equal = wanted.filter((index) => requestsOf(index) === first);
        equal.sort((a, b) => memory.compare(memory, keyAt(b), keyEnd(b), keyAt(a), keyEnd(a)));
        chosen.push(...equal.slice(0, most - chosen.length));
      }
      return {
        entries: chosen.map((index) => ({
          value: memory.toString('utf8', keyAt(index), keyEnd(index)),
          requests: requestsOf(index),
          bytes: figures[entries / 8 + index * 4 + 3]!,
          error: figures[errors / 8 + index]!,
        })),
        floor: Math.max(figures[tally / 8 + 2]!, first),
      };
    },
  };
}
