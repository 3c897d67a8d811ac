import {
  AGENT,
  BYTES,
  CACHE,
  COUNTRY,
  createSpans,
  EDGE,
  MAX_PIPES,
  REFERER,
  STATUS,
  splitLine,
  TIME,
  URL,
} from './line.ts';
import { type LogRecord, recordOf } from './record.ts';
import { emptySummary, LISTS, type ListName, type LogFormat, type LogSummary } from './summary.ts';
import { Tally } from './tally.ts';

/** Takes a log in pieces of any size and says what it comes to. */
export interface Summariser {
  /** The next bytes; cut anywhere, even within a character. The buffer is free for other use afterwards. */
  push(chunk: Uint8Array): void;
  /** No more comes. */
  end(): LogSummary;
}

/** A longer line is no record; it is skipped and counted as unreadable. */
const MAX_LINE = 256 * 1024;

/** More different hours than this (a year's) are no access log: further ones are in the sums only. */
const MAX_HOURS = 8784;

const HOUR = 3_600_000;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const PIPE = 0x7c;
const DASH = 0x2d;
const SLASH = 0x2f;
const HASH = 0x23;
const QUESTION = 0x3f;
const COLON = 0x3a;

/** Summarises a log in constant memory, one pass, without a string per line. */
export function createSummariser(format: LogFormat): Summariser {
  const count = createCount();
  const lines = format === 'v1' ? createLines(count) : createJsonLines(count);
  const carry = Buffer.alloc(MAX_LINE);
  let carried = 0;
  let tooLong = false;

  function lastPieceOf(chunk: Buffer, start: number, end: number): void {
    if (tooLong || carried + (end - start) > MAX_LINE) tooLong = true;
    else {
      carry.set(chunk.subarray(start, end), carried);
      carried += end - start;
    }
  }

  function finishCarried(): void {
    if (tooLong) count.unreadable();
    else if (carried > 0) lines(carry, 0, carried);
    carried = 0;
    tooLong = false;
  }

  return {
    push(given) {
      // One class of array everywhere (code that meets two is slower), and the one with a native search.
      const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      let start = 0;
      if (carried > 0 || tooLong) {
        const end = chunk.indexOf(NEWLINE);
        lastPieceOf(chunk, 0, end < 0 ? chunk.length : end);
        if (end < 0) return;
        finishCarried();
        start = end + 1;
      }
      const end = chunk.lastIndexOf(NEWLINE);
      if (end >= start) lines(chunk, start, end);
      lastPieceOf(chunk, Math.max(start, end + 1), chunk.length);
    },
    end() {
      finishCarried();
      return count.summary();
    },
  };
}

type Count = ReturnType<typeof createCount>;

/** Reads whole lines: from `start` to before `end`, where the last one ends. */
type Lines = (source: Buffer, start: number, end: number) => void;

function createLines(count: Count): Lines {
  const pipes = new Int32Array(MAX_PIPES + 1);
  const spans = createSpans();

  function line(source: Buffer, start: number, end: number, pipeCount: number): void {
    const last = end > start && source[end - 1] === RETURN ? end - 1 : end;
    if (last === start) return;
    if (splitLine(source, start, last, pipes, pipeCount, spans)) count.record(source, spans);
    else count.unreadable();
  }

  return (source, from, to) => {
    let pipe = source.indexOf(PIPE, from);
    for (let start = from; start <= to; ) {
      const found = source.indexOf(NEWLINE, start);
      const end = found < 0 || found > to ? to : found;
      let pipeCount = 0;
      while (pipe >= 0 && pipe < end) {
        if (pipeCount < MAX_PIPES) pipes[pipeCount] = pipe;
        pipeCount += 1;
        pipe = source.indexOf(PIPE, pipe + 1);
      }
      line(source, start, end, pipeCount);
      start = end + 1;
    }
  };
}

function createJsonLines(count: Count): Lines {
  const spans = createSpans();
  let scratch = Buffer.alloc(64 * 1024);

  function write(record: LogRecord): void {
    const texts: [number, string][] = [
      [CACHE, record.cache],
      [STATUS, String(record.status)],
      [TIME, String(record.time)],
      [BYTES, String(record.bytes)],
      [REFERER, record.referer ?? '-'],
      [URL, record.url],
      [EDGE, record.edge ?? '-'],
      [AGENT, record.agent ?? '-'],
      [COUNTRY, record.country ?? '-'],
    ];
    const length = texts.reduce((sum, [, text]) => sum + 3 * text.length, 0);
    if (length > scratch.length) scratch = Buffer.alloc(2 * length);
    let at = 0;
    for (const [field, text] of texts) {
      spans[2 * field] = at;
      at += scratch.write(text, at);
      spans[2 * field + 1] = at;
    }
  }

  return (source, from, to) => {
    for (let start = from; start <= to; ) {
      const found = source.indexOf(NEWLINE, start);
      const end = found < 0 || found > to ? to : found;
      const text = source.toString('utf8', start, end);
      if (text.trim() !== '') {
        const record = parsedRecord(text);
        if (record === undefined) count.unreadable();
        else {
          write(record);
          count.record(scratch, spans);
        }
      }
      start = end + 1;
    }
  };
}

function parsedRecord(line: string): LogRecord | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? recordOf(parsed) : undefined;
  } catch {
    // No JSON: counted as unreadable, and said.
    return undefined;
  }
}

/** The sums, fed with the spans of one record after another. */
function createCount() {
  const statuses = new Float64Array(1000);
  const caches = new Tally(256);
  const tallies = Object.fromEntries(
    Object.entries(LISTS).map(([name, capacity]) => [name, new Tally(capacity)]),
  ) as Record<ListName, Tally>;
  const { topPaths, topMissing, topErrors, topAgents, topCountries, topReferers, edgeLocations } = tallies;
  const hours = new Map<number, LogSummary['hours'][number]>();
  let hour: LogSummary['hours'][number] | undefined;
  let requests = 0;
  let bytes = 0;
  let unreadable = 0;
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;

  function inHour(time: number, size: number, failed: boolean): void {
    const start = time - (time % HOUR);
    if (hour?.start !== start) {
      const known = hours.get(start);
      if (known === undefined && hours.size === MAX_HOURS) return;
      hour = known ?? { start, requests: 0, errors: 0, bytes: 0 };
      hours.set(start, hour);
    }
    hour.requests += 1;
    hour.bytes += size;
    if (failed) hour.errors += 1;
  }

  function inPath(source: Buffer, start: number, end: number, status: number, size: number): void {
    topPaths.add(source, start, end, size);
    if (status === 404) topMissing.add(source, start, end, size);
    else if (status >= 500) topErrors.add(source, start, end, size);
  }

  return {
    unreadable() {
      unreadable += 1;
    },

    record(source: Buffer, spans: Int32Array) {
      const status = numberAt(source, spans, STATUS);
      const time = numberAt(source, spans, TIME);
      const size = numberAt(source, spans, BYTES);
      requests += 1;
      bytes += size;
      if (time < from) from = time;
      if (time > to) to = time;
      statuses[status]! += 1;
      inHour(time, size, status >= 500);
      caches.add(source, spans[2 * CACHE]!, spans[2 * CACHE + 1]!, size);
      addPresent(topCountries, source, spans, COUNTRY, size);
      addPresent(edgeLocations, source, spans, EDGE, size);
      addPresent(topAgents, source, spans, AGENT, size);
      const referer = 2 * REFERER;
      const refererEnd = queryStart(source, spans[referer]!, spans[referer + 1]!);
      if (!isEmpty(source, spans[referer]!, refererEnd)) topReferers.add(source, spans[referer]!, refererEnd, size);
      const end = queryStart(source, spans[2 * URL]!, spans[2 * URL + 1]!);
      const start = pathStart(source, spans[2 * URL]!, end);
      if (start < end) inPath(source, start, end, status, size);
      else inPath(ROOT, 0, 1, status, size);
    },

    summary(): LogSummary {
      const summary: LogSummary = {
        ...emptySummary(),
        requests,
        bytes,
        ...(requests > 0 ? { from, to } : {}),
        unreadable,
        hours: [...hours.values()].sort((a, b) => a.start - b.start),
      };
      for (let status = 0; status < 1000; status += 1) {
        if (statuses[status]! > 0) summary.statuses[String(status)] = statuses[status]!;
      }
      for (const { value, requests: seen } of caches.list()) {
        const name = value === '' ? '-' : value;
        summary.cache[name] = (summary.cache[name] ?? 0) + seen;
      }
      for (const name of Object.keys(LISTS) as ListName[]) {
        summary[name] = tallies[name].list();
        summary.floors[name] = tallies[name].floor;
      }
      return summary;
    },
  };
}

/** The path of an address that has none. */
const ROOT = Buffer.of(SLASH);

function addPresent(tally: Tally, source: Buffer, spans: Int32Array, field: number, size: number): void {
  const start = spans[2 * field]!;
  const end = spans[2 * field + 1]!;
  if (!isEmpty(source, start, end)) tally.add(source, start, end, size);
}

function isEmpty(source: Buffer, start: number, end: number): boolean {
  return end <= start || (end - start === 1 && source[start] === DASH);
}

function numberAt(source: Buffer, spans: Int32Array, field: number): number {
  const end = spans[2 * field + 1]!;
  let value = 0;
  for (let at = spans[2 * field]!; at < end; at += 1) value = value * 10 + (source[at]! - 0x30);
  return value;
}

/** Where the query or fragment begins, or the end. */
function queryStart(source: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at += 1) {
    if (source[at] === QUESTION || source[at] === HASH) return at;
  }
  return end;
}

/** Behind `scheme://host`; the start when it is a path already, the end when there is no path. */
function pathStart(source: Buffer, start: number, end: number): number {
  for (let at = start; at < end && source[at] !== SLASH; at += 1) {
    if (source[at] !== COLON || source[at + 1] !== SLASH || source[at + 2] !== SLASH) continue;
    let path = at + 3;
    while (path < end && source[path] !== SLASH) path += 1;
    return path;
  }
  return start;
}
