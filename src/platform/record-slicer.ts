import { StringDecoder } from 'node:string_decoder';
import { setImmediate } from 'node:timers/promises';
import { Assembler } from 'stream-json/core/assembler.js';
import { jsonParser } from 'stream-json/core/parser.js';
import type { z } from 'zod';
import { leftOut } from '../interaction.ts';
import { NOT_JSON } from './bodies.ts';

/** Approximate. Records beyond it count as too many. */
const MOST_BYTES = 32 * 1024 * 1024;

/** It is not JSON, or its list has something other than objects and nulls. */
export class NotRecords extends Error {
  override name = 'NotRecords';
}

/**
 * Takes the objects of one list out of a JSON stream, without holding the whole. `list`: a key of the top-level object. `longest`: in
 * bytes, of a record and between two records.
 */
export function createRecordSlicer(list: string, longest = 4 * 1024 * 1024) {
  const decoder = new StringDecoder('utf8');
  const parse = jsonParser({ packValues: true, streamValues: false });
  const assembler = new Assembler();
  let sinceRecord = 0;
  let around = 0;
  let nulls = 0;
  const tokensOf = (text: string) => {
    try {
      const found = parse(text);
      return typeof found === 'symbol' ? [] : found.values;
    } catch (error) {
      throw new NotRecords('The answer is no JSON.', { cause: error });
    }
  };
  /** Taken out of the list. */
  const completed = (): object | null | undefined => {
    const { current, stack } = assembler;
    if (stack[1] !== list) around += 1;
    // Held in memory, so it has to be small.
    if (around > 100_000) throw new NotRecords('There is too much around the list.');
    // Deeper JSON would overflow the stack when it is serialised.
    if (stack.length > 2 * 100) throw new NotRecords('The answer is nested too deep.');
    if (stack.length !== 2 || stack[1] !== list || !Array.isArray(current) || current.length === 0) return undefined;
    const record: unknown = current.pop();
    if (typeof record !== 'object' || Array.isArray(record))
      throw new NotRecords(`The list “${list}” holds something other than objects.`);
    return record;
  };
  return {
    /** Returns the objects that these bytes complete. Throws `NotRecords`. */
    push(chunk: Uint8Array) {
      const records: unknown[] = [];
      for (const token of tokensOf(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))) {
        assembler.consume(token);
        const record = completed();
        if (record === null) nulls += 1;
        else if (record !== undefined) records.push(record);
      }
      sinceRecord = records.length > 0 ? 0 : sinceRecord + chunk.length;
      if (sinceRecord > longest) throw new NotRecords(`There is no end of a record in the list “${list}”.`);
      return records;
    },
    /** Everything but the list’s objects. `NOT_JSON` until it is complete; `done` is also true before it begins. */
    rest: () => (assembler.done && assembler.current !== null ? assembler.current : NOT_JSON),
    nulls: () => nulls,
  };
}

export interface WantedRecords<T> {
  list: string;
  schema: z.ZodType<T>;
  most: number;
  /** In bytes; 4 MiB without it. */
  longest?: number;
  /** Called before the check. Unwanted records do not count. */
  isWanted?: ((record: unknown) => boolean) | undefined;
  /** In Unix milliseconds. With it the newest records are kept, without it the first. */
  timeOf?: ((record: T) => number) | undefined;
}

/** `rest` is parsed, or `NOT_JSON`. */
export interface SlicedRecords<T> {
  records: T[];
  rest: unknown;
  /** There were more than wanted, so `rest` is unknown. */
  isCut: boolean;
}

/** Leaves out invalid records, and people are told so. Throws `ZodError` if all are invalid. */
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
  const isTooMuch = () => held > MOST_BYTES || records.length > 1.25 * most;
  const keepNewest = (timeOf: (record: T) => number) => {
    const count = held > MOST_BYTES ? Math.min(most, Math.ceil(records.length / 2)) : most;
    isCut = true;
    held *= count / records.length;
    records = newestOf(records, count, timeOf);
  };
  for await (const piece of pieces(body)) {
    sinceFound += piece.length;
    const found = slicer.push(piece);
    // Lets other work of the main thread run.
    await setImmediate();
    const before = records.length;
    for (const record of found.filter(isWanted)) {
      const read = schema.safeParse(record);
      if (read.success) records.push(read.data);
      else if (wrong.push(read.error) > 1_000) throw wrong[0];
    }
    held += (sinceFound * (records.length - before)) / Math.max(1, found.length);
    if (found.length > 0) sinceFound = 0;
    if (timeOf === undefined && (records.length > most || held > MOST_BYTES))
      return { records: records.slice(0, most), rest: NOT_JSON, isCut: true };
    if (timeOf !== undefined && isTooMuch()) keepNewest(timeOf);
    await setImmediate();
  }
  if (records.length === 0 && wrong[0] !== undefined) throw wrong[0];
  const missing = slicer.nulls() + wrong.length;
  if (missing > 0) leftOut(missing);
  if (timeOf !== undefined && records.length > most) keepNewest(timeOf);
  return { records, rest: slicer.rest(), isCut };
}

/** Keeps their order. */
function newestOf<T>(records: readonly T[], count: number, timeOf: (record: T) => number): T[] {
  const oldest = Float64Array.from(records, timeOf).sort().at(-count)!;
  let equal = count - records.filter((record) => timeOf(record) > oldest).length;
  return records.filter((record) => timeOf(record) > oldest || (timeOf(record) === oldest && equal-- > 0));
}

/** Larger pieces are faster. */
async function* pieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    begun.push(chunk);
    size += chunk.length;
    if (size < 64 * 1024) continue;
    yield begun.length === 1 ? chunk : Buffer.concat(begun);
    begun = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(begun);
}
