import { clientSketchOf } from './client-sketch.ts';
import { createEngine, type Engine, type TopEntries } from './engine/engine.ts';
import { AGENT, CACHE, COUNTRY, EDGE, IP, REFERER, URL } from './line.ts';
import { createLineBuffer, type LineBuffer } from './line-buffer.ts';
import { type LogRecord, recordOf } from './record.ts';
import { sizeSketchOf } from './size-sketch.ts';
import {
  byRequests,
  type Counted,
  emptySummary,
  LISTS,
  type ListName,
  type LogFormat,
  type LogSummary,
} from './summary.ts';

/** Takes a log in pieces of any size and says what it comes to. */
export interface Summariser {
  /** The next bytes; cut anywhere, even within a character. The buffer is free for other use afterwards. */
  push(chunk: Uint8Array): void;
  /** No more comes. */
  end(): LogSummary;
}

const NEWLINE = 0x0a;

/** A platform has about ten. */
const MOST_CACHES = 64;

const PATHS: ReadonlySet<ListName> = new Set(['topPaths', 'topMissing', 'topErrors', 'failures']);

/** Summarises a log in constant memory, one pass: how the bytes are cut into pieces changes nothing. */
export function createSummariser(format: LogFormat): Summariser {
  const engine = createEngine();
  const lines = format === 'v1' ? createLines(engine) : createJsonLines(engine);
  return {
    push: lines.push,
    end() {
      lines.end();
      return summaryOf(engine);
    },
  };
}

function createLines(engine: Engine): LineBuffer {
  const { longestLine, scan, unreadable } = engine;
  return createLineBuffer(engine.input, { lines: scan, tooLong: unreadable, longestLine });
}

/** Each line is a record of its own; what the engine wants to know of it is written where it looks for a v1 line. */
function createJsonLines(engine: Engine): LineBuffer {
  const { longestLine, unreadable } = engine;
  const room = Buffer.alloc(engine.input.length);

  function line(start: number, end: number): void {
    const text = room.toString('utf8', start, end);
    if (text.trim() === '') return;
    const record = end - start > longestLine ? undefined : parsedRecord(text);
    if (record === undefined) unreadable();
    else countRecord(engine, record);
  }

  return createLineBuffer(room, {
    lines(length) {
      for (let start = 0; start < length; ) {
        const end = room.indexOf(NEWLINE, start);
        line(start, end);
        start = end + 1;
      }
    },
    tooLong: unreadable,
    longestLine,
  });
}

function countRecord(engine: Engine, record: LogRecord): void {
  const texts: [number, string][] = [
    [CACHE, record.cache],
    [IP, record.ip ?? '-'],
    [REFERER, record.referer ?? '-'],
    [URL, record.url],
    [EDGE, record.edge ?? '-'],
    [AGENT, record.agent ?? '-'],
    [COUNTRY, record.country ?? '-'],
  ];
  let at = 0;
  for (const [field, text] of texts) {
    // All of them were one line of JSON, which is shorter than the room. A pipe ends each, as in a v1 line.
    const length = engine.input.write(`${text}|`, at) - 1;
    engine.given[2 * field] = engine.inputAt + at;
    engine.given[2 * field + 1] = length;
    at += length + 1;
  }
  engine.count(Math.trunc(record.status), record.time, Math.trunc(record.bytes));
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

function summaryOf(engine: Engine): LogSummary {
  const [requests = 0, bytes = 0, unreadable = 0, from = 0, to = 0] = engine.totals();
  const summary: LogSummary = {
    ...emptySummary(),
    requests,
    bytes,
    ...(requests > 0 ? { from, to } : {}),
    unreadable,
    hours: hoursOf(engine),
    clients: clientSketchOf(engine.registers()),
    sizes: sizeSketchOf(engine.sizes()),
  };
  for (const [status, seen] of engine.statuses().entries()) if (seen > 0) summary.statuses[String(status)] = seen;
  for (const { value, requests: seen } of listOf(engine.top('caches', MOST_CACHES, true))) {
    const name = value === '' ? '-' : value;
    summary.cache[name] = (summary.cache[name] ?? 0) + seen;
  }
  for (const name of Object.keys(LISTS) as ListName[]) {
    // A path is never absent: `-` is a path then.
    const top = engine.top(name, LISTS[name], PATHS.has(name));
    summary[name] = listOf(top);
    summary.floors[name] = top.floor;
  }
  return summary;
}

function hoursOf(engine: Engine): LogSummary['hours'] {
  const figures = engine.hours();
  const hours: LogSummary['hours'] = [];
  for (let at = 0; at < figures.length; at += 4) {
    const [start = 0, requests = 0, errors = 0, bytes = 0] = figures.subarray(at, at + 4);
    hours.push({ start, requests, errors, bytes });
  }
  return hours.sort((a, b) => a.start - b.start);
}

/** The entries as text. Different bytes that are no UTF-8 may read the same: they are one value then. */
function listOf({ entries }: TopEntries): Counted[] {
  const values = new Map<string, Required<Counted>>();
  for (const { value, requests, bytes, error } of entries) {
    const known = values.get(value);
    if (known === undefined) values.set(value, { value, requests, bytes, error });
    else {
      known.requests += requests;
      known.bytes += bytes;
      known.error += error;
    }
  }
  return [...values.values()]
    .map(({ error, ...rest }): Counted => (error === 0 ? rest : { ...rest, error }))
    .sort(byRequests);
}
