/** Fields of a v1 line (docs/platform.md, Access log); extended logging adds BodyBytesSent|Range|Authorization. */
export const FIELD = {
  cache: 0,
  status: 1,
  time: 2,
  bytes: 3,
  zone: 4,
  ip: 5,
  referer: 6,
  url: 7,
  edge: 8,
  agent: 9,
  request: 10,
  country: 11,
};

const FIELD_COUNT = Object.keys(FIELD).length;

/** Start and end of each field, at `2 * field` and `2 * field + 1`. */
export type Spans = Int32Array;

export function createSpans(): Spans {
  return new Int32Array(2 * FIELD_COUNT);
}

/** In bytes. */
export const LONGEST_LINE = 256 * 1024;

/** A text with more pipes is not a line of a log. */
export const MAX_PIPES = 512;

/**
 * Referer, URL and agent of old lines may hold pipes, so the other fields are found from both ends. False: it is not a
 * line.
 */
export function splitLine(
  source: Buffer,
  start: number,
  end: number,
  pipes: Int32Array,
  count: number,
  spans: Spans,
): boolean {
  if (count < FIELD_COUNT - 1 || count > MAX_PIPES) return false;
  if (count === FIELD_COUNT - 1) {
    spans[0] = start;
    for (let pipe = 0; pipe < count; pipe += 1) {
      spans[2 * pipe + 1] = pipes[pipe]!;
      spans[2 * pipe + 2] = pipes[pipe]! + 1;
    }
    spans[2 * FIELD.country + 1] = end;
  } else {
    const startOf = (field: number) => (field === 0 ? start : pipes[field - 1]! + 1);
    const endOf = (field: number) => (field === count ? end : pipes[field]!);
    const set = (field: number, first: number, last: number) => {
      spans[2 * field] = startOf(first);
      spans[2 * field + 1] = endOf(last);
    };
    for (let field = FIELD.cache; field <= FIELD.ip; field += 1) set(field, field, field);
    const request = requestField(source, count, startOf, endOf);
    if (request === undefined) return false;
    set(FIELD.request, request, request);
    set(FIELD.country, request + 1, request + 1);
    let url = FIELD.url;
    while (url < request - 2 && !isAddress(source, startOf(url), endOf(url))) url += 1;
    if (url === request - 2 && !isAddress(source, startOf(url), endOf(url))) url = FIELD.url;
    set(FIELD.referer, FIELD.referer, url - 1);
    let edge = url + 1;
    while (edge < request - 1 && !isEdge(source, startOf(edge), endOf(edge))) edge += 1;
    if (edge === request - 1) edge = url + 1;
    set(FIELD.url, url, edge - 1);
    set(FIELD.edge, edge, edge);
    set(FIELD.agent, edge + 1, request - 1);
  }
  return (
    isDigits(source, spans, FIELD.status, 3, 3) &&
    isDigits(source, spans, FIELD.time, 1, 15) &&
    isDigits(source, spans, FIELD.bytes, 1, 15)
  );
}

/** Returns how many there are: at most MAX_PIPES + 1. */
export function findPipes(source: Buffer, start: number, end: number, pipes: Int32Array): number {
  let count = 0;
  for (let at = start; at < end; at += 1) {
    // A pipe.
    if (source[at] !== 0x7c) continue;
    if (count === MAX_PIPES) return MAX_PIPES + 1;
    pipes[count] = at;
    count += 1;
  }
  return count;
}

/** The first field after the agent that looks like an id, or has the extended fields after it. */
function requestField(
  source: Buffer,
  count: number,
  startOf: (field: number) => number,
  endOf: (field: number) => number,
): number | undefined {
  const text = (field: number) => source.toString('latin1', startOf(field), endOf(field));
  for (let field = FIELD.request; field < count; field += 1) {
    const country = text(field + 1);
    const id = text(field).replaceAll('-', '');
    if (country.length <= 2 && /^[\da-f]{32}$/i.test(id)) return field;
    // Extended fields: a number, then two of any kind.
    if (field + 4 <= count && /^(-|[a-z]*)$/i.test(country) && /^(-|\d*)$/.test(text(field + 2))) return field;
  }
  return count < FIELD_COUNT + 2 && /^(-|[a-z]{0,3})$/i.test(text(count)) ? count - 1 : undefined;
}

/** `http…` or `/…` */
function isAddress(source: Buffer, start: number, end: number): boolean {
  if (source[start] === 0x2f) return end > start;
  return end - start > 7 && source[start] === 0x68 && source[start + 1] === 0x74 && source[start + 2] === 0x74;
}

/** Two to four capitals or digits. */
function isEdge(source: Buffer, start: number, end: number): boolean {
  if (end - start < 2 || end - start > 4) return false;
  for (let at = start; at < end; at += 1) {
    const byte = source[at]!;
    if (!((byte >= 0x41 && byte <= 0x5a) || (byte >= 0x30 && byte <= 0x39))) return false;
  }
  return true;
}

function isDigits(source: Buffer, spans: Spans, field: number, least: number, most: number): boolean {
  const start = spans[2 * field]!;
  const end = spans[2 * field + 1]!;
  if (end - start < least || end - start > most) return false;
  for (let at = start; at < end; at += 1) {
    const byte = source[at]!;
    if (byte < 0x30 || byte > 0x39) return false;
  }
  return true;
}
