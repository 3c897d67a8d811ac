import { HOUR } from '../time.ts';
import { createSpans, FIELD, LONGEST_LINE, MAX_PIPES, splitLine } from './line.ts';
import { emptySummary, LISTS, type ListName, type LogFormat, type LogSummary } from './summary.ts';
import { createTally, type Tally } from './tally.ts';

export interface Summariser {
  /** The chunk may end anywhere. Its buffer is free afterwards. */
  push(chunk: Uint8Array): void;
  end(): LogSummary;
}

const NEWLINE = 0x0a;
const SLASH = 0x2f;

/** One pass in constant memory. */
export function createSummariser(format: LogFormat): Summariser {
  const room = Buffer.alloc(2 * LONGEST_LINE + 4);
  const counter = createCounter(format === 'v1' ? room : Buffer.alloc(LONGEST_LINE));
  const words = new Int32Array(room.buffer, room.byteOffset, room.length / 4);
  const pipes = new Int32Array(MAX_PIPES);

  /** Bytes of the unfinished line. */
  let begun = 0;
  /** The unfinished line is too long. */
  let isSkipping = false;

  function line(start: number, end: number, count: number): void {
    const last = end > start && room[end - 1] === 0x0d ? end - 1 : end;
    if (last === start) return;
    if (end - start > LONGEST_LINE) counter.unreadable();
    else if (format === 'v2') counter.record(parsed(room.toString('utf8', start, last)));
    else if (splitLine(room, start, last, pipes, count, counter.spans)) counter.line();
    else counter.unreadable();
  }

  /** The first `length` bytes are whole lines. */
  function readLines(length: number): void {
    let start = 0;
    let count = 0;
    for (let word = 0; 4 * word < length; word += 1) {
      // Checks four bytes at once: only a zero byte gets its highest bit set.
      const pipe = words[word]! ^ 0x7c7c7c7c;
      const newline = words[word]! ^ 0x0a0a0a0a;
      if (((((pipe - 0x01010101) & ~pipe) | ((newline - 0x01010101) & ~newline)) & 0x80808080) === 0) continue;
      for (let at = 4 * word; at < 4 * word + 4 && at < length; at += 1) {
        // A pipe.
        if (room[at] === 0x7c) {
          pipes[count] = at;
          count += 1;
        } else if (room[at] === NEWLINE) {
          line(start, at, count);
          start = at + 1;
          count = 0;
        }
      }
    }
  }

  function arrived(length: number): void {
    let from = begun;
    let to = begun + length;
    if (isSkipping) {
      const end = room.subarray(0, to).indexOf(NEWLINE) + 1;
      if (end === 0) return;
      isSkipping = false;
      room.copyWithin(0, end, to);
      from = 0;
      to -= end;
    }
    const lines = from + room.subarray(from, to).lastIndexOf(NEWLINE) + 1;
    begun = to;
    if (lines > from) {
      readLines(lines);
      room.copyWithin(0, lines, to);
      begun = to - lines;
    }
    if (begun <= LONGEST_LINE) return;
    counter.unreadable();
    begun = 0;
    isSkipping = true;
  }

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        // One byte is reserved for a missing final newline.
        const part = chunk.subarray(at, at + room.length - 1 - begun);
        room.set(part, begun);
        at += part.length;
        arrived(part.length);
      }
    },
    end() {
      room[begun] = NEWLINE;
      if (begun > 0) readLines(begun + 1);
      return counter.summary();
    },
  };
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

const isLetter = (byte = 0) => ((byte | 0x20) - 0x61) >>> 0 < 26;

/** Works on bytes, because a string for each field would double the time. */
function createCounter(room: Buffer) {
  const spans = createSpans();
  const summary = emptySummary();
  const statuses = new Float64Array(1000);
  const hours = new Map<number, LogSummary['hours'][number]>();
  const caches = createTally(256);
  const failure = Buffer.alloc(1024 + 32);
  const tallies = {} as Record<ListName, Tally>;
  for (const name of Object.keys(LISTS) as ListName[]) tallies[name] = createTally(4 * LISTS[name]);
  const { topPaths, topMissing, topErrors, failures, topAgents, topCountries, topClients } = tallies;

  const startOf = (field: number) => spans[2 * field]!;
  const endOf = (field: number) => spans[2 * field + 1]!;

  function numberIn(field: number): number {
    let number = 0;
    for (let at = startOf(field); at < endOf(field); at += 1) number = 10 * number + (room[at]! - 0x30);
    return number;
  }

  function addField(tally: Tally, field: number, bytes: number): void {
    const start = startOf(field);
    const end = endOf(field);
    if (end - start > 1 || (end > start && room[start] !== 0x2d)) tally.add(room, start, end, bytes);
  }

  function addHour(status: number, time: number, bytes: number): void {
    const start = time - (time % HOUR);
    let hour = hours.get(start);
    if (hour === undefined) {
      // The hours of a leap year.
      if (hours.size === 8784) return;
      hour = { start, requests: 0, errors: 0, bytes: 0 };
      hours.set(start, hour);
    }
    hour.requests += 1;
    hour.bytes += bytes;
    if (status >= 500) hour.errors += 1;
  }

  function addPath(status: number, time: number, bytes: number): void {
    let start = startOf(FIELD.url);
    let end = start;
    let slash = -1;
    for (const last = endOf(FIELD.url); end < last; end += 1) {
      const byte = room[end];
      // The query or the fragment.
      if (byte === 0x3f || byte === 0x23) break;
      if (byte === SLASH && slash < 0) slash = end;
    }
    if (slash > start && room[slash - 1] === 0x3a && slash + 1 < end && room[slash + 1] === SLASH) {
      // Skips scheme and host.
      for (start = slash + 2; start < end && room[start] !== SLASH; ) start += 1;
    }
    const source = start === end ? Buffer.from('/') : room;
    if (start === end) [start, end] = [0, 1];
    topPaths.add(source, start, end, bytes);
    if (status === 404) topMissing.add(source, start, end, bytes);
    if (status < 500) return;
    topErrors.add(source, start, end, bytes);
    const text = `${String(status).padStart(3, '0')} ${Math.floor(time / HOUR)} `;
    failures.add(failure, 0, failure.write(text) + source.copy(failure, text.length, start, end), bytes);
  }

  function add(status: number, time: number, bytes: number): void {
    summary.requests += 1;
    summary.bytes += bytes;
    summary.from = Math.min(time, summary.from ?? time);
    summary.to = Math.max(time, summary.to ?? time);
    statuses[status]! += 1;
    addHour(status, time, bytes);
    addPath(status, time, bytes);
    caches.add(room, startOf(FIELD.cache), endOf(FIELD.cache), bytes);
    addField(topAgents, FIELD.agent, bytes);
    addField(topClients, FIELD.ip, bytes);
    const country = startOf(FIELD.country);
    if (endOf(FIELD.country) === country + 2 && isLetter(room[country]) && isLetter(room[country + 1]))
      topCountries.add(room, country, country + 2, bytes);
  }

  function unreadable(): void {
    summary.unreadable += 1;
  }

  return {
    spans,
    unreadable,

    line: () => add(numberIn(FIELD.status), numberIn(FIELD.time), numberIn(FIELD.bytes)),

    /** docs/platform.md, Access log. */
    record(record: Readonly<Record<string, unknown>>) {
      const [time, status] = [Date.parse(String(record.timestamp)), Number(record.statusCode)];
      if (Number.isNaN(time) || !(status >= 100 && status < 1000)) return unreadable();
      let at = 0;
      const put = (field: number, value: unknown) => {
        spans[2 * field] = at;
        at += room.write(String(value ?? '-'), at);
        spans[2 * field + 1] = at;
      };
      // The room suffices, because JSON is longer than its values.
      put(FIELD.cache, record.cacheStatus);
      put(FIELD.ip, record.remoteIp);
      put(FIELD.url, record.url ?? record.path ?? '');
      put(FIELD.agent, record.userAgent);
      put(FIELD.country, record.countryCode);
      add(Math.trunc(status), time, Math.trunc(Number(record.bytesSent ?? 0)));
    },

    summary(): LogSummary {
      for (const [status, seen] of statuses.entries()) if (seen > 0) summary.statuses[String(status)] = seen;
      // A platform has about ten.
      for (const { value, requests } of caches.top(64).counted) {
        const name = value === '' ? '-' : value;
        summary.cache[name] = (summary.cache[name] ?? 0) + requests;
      }
      for (const name of Object.keys(LISTS) as ListName[]) {
        const { counted, floor } = tallies[name].top(LISTS[name]);
        summary[name] = counted;
        summary.floors[name] = floor;
      }
      summary.hours = [...hours.values()].sort((a, b) => a.start - b.start);
      return summary;
    },
  };
}
