import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { leftOut } from '../interaction.ts';
import { NOT_JSON, parseJson } from './bodies.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const NULL = Buffer.from('null');

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Neither a record nor the rest of an answer is longer than this (bytes): it is something else then. */
const LONGEST_STRETCH = 4 * 1024 * 1024;
/** So many records of another shape are no mistakes. */
const MOST_WRONG = 1_000;

/** Records of so many bytes are kept, about; what comes behind counts as more than was wanted. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Before the newest are sorted out there may be so many times more than wanted. */
const SPARE = 1.25;

/** Lists beside the wanted one that are looked at; each costs time. */
const MOST_LISTS = 1_000;

/** How far back the key of a list is looked for, in bytes. */
const KEY_REACH = 200;

/** An answer in which it is guessed wrong so often where records end is read byte by byte from then on. */
const MOST_WRONG_GUESSES = 4;

/** Small pieces are put together to so many bytes: to parse many records at once takes a fifth of the time. */
const PIECE = 64 * 1024;

/** So many `{` are looked at, from the end of a chunk, for the beginning of a record. */
const MOST_TRIES = 100;

/** The list holds something other than objects and nulls, or there is no list. */
export class NotRecords extends Error {
  override name = 'NotRecords';
}

/** Cuts the objects of one list out of a JSON answer as it comes in, so that a long answer is never held whole. */
export interface RecordSlicer {
  /** The objects that are complete with these bytes, parsed. Throws `SyntaxError` or `NotRecords`. */
  push(chunk: Uint8Array): unknown[];
  /** The answer so far without the objects of the list: `{"logs":[],…}`. */
  rest(): string;
  /** So many items of the list so far are null. */
  nulls(): number;
}

/** How far an answer has been read. */
interface Slicing {
  list: string;
  longest: number;
  depth: number;
  inString: boolean;
  escaped: boolean;
  inList: boolean;
  nulls: number;
  rest: Buffer[];
  restSize: number;
  /** How many other lists there were. */
  lists: number;
  /** The bytes of the record that has begun in an earlier chunk. */
  begun: Uint8Array[];
  sinceRecord: number;
  wrongGuesses: number;
}

/** Slices the list at the key `list` of the top-level object. Any chunking gives the same objects. */
export function createRecordSlicer(list: string, longest = LONGEST_STRETCH): RecordSlicer {
  const slicing: Slicing = {
    list,
    longest,
    depth: 0,
    inString: false,
    escaped: false,
    inList: false,
    nulls: 0,
    rest: [],
    restSize: 0,
    lists: 0,
    begun: [],
    sinceRecord: 0,
    wrongGuesses: 0,
  };
  return {
    push: (given) => push(slicing, Buffer.from(given.buffer, given.byteOffset, given.byteLength)),
    rest: () => Buffer.concat(slicing.rest).toString('utf8'),
    nulls: () => slicing.nulls,
  };
}

function push(slicing: Slicing, chunk: Buffer): unknown[] {
  const records: unknown[] = [];
  slicing.sinceRecord += chunk.length;
  let at = 0;
  if (slicing.wrongGuesses < MOST_WRONG_GUESSES) {
    if (!isBetween(slicing)) at = walk(slicing, chunk, 0, records, true);
    if (isBetween(slicing)) at = leap(slicing, chunk, at, records);
  }
  walk(slicing, chunk, at, records, false);
  if (slicing.sinceRecord > slicing.longest)
    throw new NotRecords(`There is no end of a record in the list “${slicing.list}”.`);
  return records;
}

/** It is read between two records of the list. */
const isBetween = ({ inList, depth }: Slicing) => inList && depth === 2;

/** Many small pieces become one, so that a rest of nothing else stays small. */
function keepInRest(slicing: Slicing, piece: Buffer): void {
  slicing.restSize += piece.length;
  if (slicing.restSize > slicing.longest) throw new NotRecords('There is too much around the list.');
  slicing.rest.push(piece);
  if (slicing.rest.length > 4096) slicing.rest = [Buffer.concat(slicing.rest)];
}

/** Tells if the list that begins here is the wanted one, by what stands before it. */
function isWantedList({ rest, list }: Slicing): boolean {
  let first = rest.length;
  for (let size = 0; first > 0 && size < KEY_REACH; size += (rest[first] as Buffer).length) first -= 1;
  const last = rest.slice(first).map((piece) => piece.subarray(-KEY_REACH));
  const before = Buffer.concat(last).subarray(-KEY_REACH, -1).toString('latin1').trimEnd();
  return before.endsWith(':') && before.slice(0, -1).trimEnd().endsWith(`"${list}"`);
}

/**
 * Reads byte by byte: to the end of the chunk, or with `toRecord` until it stands between two records. Returns where it
 * stopped.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a state machine over bytes.
function walk(slicing: Slicing, chunk: Buffer, from: number, records: unknown[], toRecord: boolean): number {
  /** Where the record or the stretch of `rest` under way begins. */
  let start = from;
  const keep = (end: number) => {
    if (end > start) keepInRest(slicing, Buffer.from(chunk.subarray(start, end)));
  };
  for (let index = from; index < chunk.length; index += 1) {
    const byte = chunk[index] as number;
    if (slicing.inString) {
      if (slicing.escaped) slicing.escaped = false;
      else if (byte === BACKSLASH) slicing.escaped = true;
      else if (byte === QUOTE) slicing.inString = false;
      continue;
    }
    if (isBetween(slicing) && (byte === COMMA || isSpace(byte))) {
      start = index + 1;
    } else if (isBetween(slicing) && NULL.includes(byte)) {
      if (byte === NULL[0]) slicing.nulls += 1;
    } else if (isBetween(slicing) && byte !== OPEN_BRACE && byte !== CLOSE_BRACKET) {
      throw new NotRecords(`The list “${slicing.list}” holds something other than objects.`);
    } else if (byte === QUOTE) {
      slicing.inString = true;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (isBetween(slicing)) start = index;
      slicing.depth += 1;
      if (byte === OPEN_BRACKET && slicing.depth === 2 && !slicing.inList) {
        keep(index + 1);
        start = index + 1;
        slicing.lists += 1;
        if (slicing.lists > MOST_LISTS) throw new NotRecords('There are too many other lists.');
        slicing.inList = isWantedList(slicing);
        if (slicing.inList && toRecord) return index + 1;
      }
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      slicing.depth -= 1;
      if (isBetween(slicing)) {
        slicing.begun.push(chunk.subarray(start, index + 1));
        records.push(JSON.parse(Buffer.concat(slicing.begun).toString('utf8')));
        slicing.begun = [];
        slicing.sinceRecord = 0;
        start = index + 1;
        if (toRecord) return index + 1;
      } else if (slicing.inList && slicing.depth === 1) {
        slicing.inList = false;
        start = index;
      }
    }
  }
  if (slicing.inList && slicing.depth > 2) slicing.begun.push(Buffer.from(chunk.subarray(start)));
  else if (!slicing.inList) keep(chunk.length);
  return chunk.length;
}

/**
 * From between two records to behind the last one of the chunk that seems to be complete, in one go. Where it ends is
 * guessed, and the guess is proved by parsing: what begins at a record and parses as a list of objects ends at one.
 * Returns how far that went: not at all when the guess was wrong.
 */
function leap(slicing: Slicing, chunk: Buffer, from: number, records: unknown[]): number {
  const end = guessedEnd(chunk, from);
  if (end === undefined) return from;
  let first = from;
  while (first < end && (chunk[first] === COMMA || isSpace(chunk[first] as number))) first += 1;
  let parsed: unknown[];
  try {
    parsed = JSON.parse(`[${chunk.toString('utf8', first, end)}]`);
  } catch {
    // The guess was wrong, or the answer is no JSON: walking finds out.
    slicing.wrongGuesses += 1;
    return from;
  }
  for (const record of parsed) {
    if (typeof record !== 'object' || Array.isArray(record)) {
      throw new NotRecords(`The list “${slicing.list}” holds something other than objects.`);
    }
    if (record === null) slicing.nulls += 1;
    else records.push(record);
  }
  slicing.sinceRecord = 0;
  return end;
}

/** Behind the last `}` that a comma and a `{` follow: there one record may end and another begin. */
function guessedEnd(chunk: Buffer, from: number): number | undefined {
  const before = (index: number) => {
    let at = index - 1;
    while (at > from && isSpace(chunk[at] as number)) at -= 1;
    return at;
  };
  let brace = chunk.length;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    brace = chunk.lastIndexOf(OPEN_BRACE, brace - 1);
    if (brace <= from) return undefined;
    const comma = before(brace);
    if (chunk[comma] !== COMMA) continue;
    const end = before(comma);
    if (chunk[end] === CLOSE_BRACE && end > from) return end + 1;
  }
  return undefined;
}

/** Which list of an answer is wanted, what its records are, and how many of them at the most. */
export interface WantedRecords<T> {
  list: string;
  schema: z.ZodType<T>;
  most: number;
  /** A record is no longer (bytes); 4 MiB. */
  longest?: number;
  /** Says of a record that has not been checked yet whether it is wanted at all: the others cost little, and don't count. */
  isWanted?: ((record: unknown) => boolean) | undefined;
  /** When a record is of, in Unix milliseconds: of more than `most` the newest are kept. Without it the first are. */
  timeOf?: ((record: T) => number) | undefined;
}

/** The records of the list and the rest of the answer: parsed, or `NOT_JSON`. */
export interface SlicedRecords<T> {
  records: T[];
  rest: unknown;
  /** There were more than wanted, or longer ones than the bot holds; the rest is then not known. */
  isCut: boolean;
}

/**
 * Reads a body to its end, or until it has more records than wanted where not the newest are. What is no such record is left out,
 * which people are told. Throws `ZodError` where none of many is one.
 */
export async function sliceRecords<T>(
  body: AsyncIterable<Buffer>,
  { list, schema, most, longest, isWanted = () => true, timeOf }: WantedRecords<T>,
): Promise<SlicedRecords<T>> {
  const slicer = createRecordSlicer(list, longest);
  let records: T[] = [];
  let held = 0;
  let sinceFound = 0;
  let isCut = false;
  const wrong: z.ZodError[] = [];
  const keepNewest = (count: number, timeOf: (record: T) => number) => {
    isCut = true;
    held *= count / records.length;
    records = newestOf(records, count, timeOf);
  };
  for await (const piece of pieces(body)) {
    sinceFound += piece.length;
    const found = slicer.push(piece);
    // A long answer must not keep the main thread from its other work.
    await setImmediate();
    const before = records.length;
    for (const record of found) {
      if (!isWanted(record)) continue;
      if (records.length === most && timeOf === undefined) return { records, rest: NOT_JSON, isCut: true };
      const read = schema.safeParse(record);
      if (read.success) records.push(read.data);
      else if (wrong.push(read.error) > MOST_WRONG) throw wrong[0];
    }
    if (found.length > 0) {
      held += (sinceFound * (records.length - before)) / found.length;
      sinceFound = 0;
    }
    if (held > MOST_BYTES && timeOf === undefined) return { records, rest: NOT_JSON, isCut: true };
    if (timeOf !== undefined && held > MOST_BYTES) keepNewest(Math.min(most, Math.ceil(records.length / 2)), timeOf);
    else if (timeOf !== undefined && records.length > SPARE * most) keepNewest(most, timeOf);
    await setImmediate();
  }
  if (records.length === 0 && wrong[0] !== undefined) throw wrong[0];
  const missing = slicer.nulls() + wrong.length;
  if (missing > 0) leftOut(missing);
  if (timeOf !== undefined && records.length > most) keepNewest(most, timeOf);
  return { records, rest: parseJson(slicer.rest()), isCut };
}

/** The newest of some records, in the order in which they came. */
function newestOf<T>(records: readonly T[], count: number, timeOf: (record: T) => number): T[] {
  const oldest = Float64Array.from(records, timeOf).sort().at(-count)!;
  let equal = count - records.filter((record) => timeOf(record) > oldest).length;
  return records.filter((record) => timeOf(record) > oldest || (timeOf(record) === oldest && equal-- > 0));
}

/** The same bytes in pieces of at least `PIECE`. */
async function* pieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    begun.push(chunk);
    size += chunk.length;
    if (size < PIECE) continue;
    yield begun.length === 1 ? chunk : Buffer.concat(begun);
    begun = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(begun);
}
