import { createSpans, FIELD, findPipes, MAX_PIPES, splitLine } from '../../src/logs/line.ts';

/** `-` becomes undefined. */
export interface LogRecord {
  cache: string;
  status: number;
  time: number;
  bytes: number;
  zone: number | undefined;
  ip: string | undefined;
  referer: string | undefined;
  url: string;
  edge: string | undefined;
  agent: string | undefined;
  requestId: string | undefined;
  country: string | undefined;
}

/** One v1 line (docs/platform.md, Access log), with what a test cares about. */
export function line(given: Partial<Record<string, string | number>> = {}): string {
  const fields = {
    cache: 'HIT',
    status: 200,
    time: Date.UTC(2026, 4, 20, 10, 15),
    bytes: 100,
    zone: 1337,
    ip: '203.0.113.0',
    referer: '-',
    url: 'https://cdn.example.com/a.png',
    edge: 'DE',
    agent: 'Mozilla/5.0',
    request: '322b688bd63fb63f2babe9de30a5d262',
    country: 'FR',
    ...given,
  };
  return Object.values(fields).join('|');
}

/** One line of the v1 log as a record; undefined when it is none. Extended fields (an authorization!) are left out. */
export function parseLine(line: string): LogRecord | undefined {
  const source = Buffer.from(line.replace(/\r?\n?$/, ''));
  const spans = createSpans();
  const pipes = new Int32Array(MAX_PIPES);
  const count = findPipes(source, 0, source.length, pipes);
  if (!splitLine(source, 0, source.length, pipes, count, spans)) return undefined;
  const text = (field: number) => source.toString('utf8', spans[2 * field]!, spans[2 * field + 1]!);
  const given = (field: number) => {
    const read = text(field);
    return read === '' || read === '-' ? undefined : read;
  };
  return {
    cache: given(FIELD.cache) ?? '-',
    status: Number(text(FIELD.status)),
    time: Number(text(FIELD.time)),
    bytes: Number(text(FIELD.bytes)),
    zone: /^\d+$/.test(text(FIELD.zone)) ? Number(text(FIELD.zone)) : undefined,
    ip: given(FIELD.ip),
    referer: given(FIELD.referer),
    url: text(FIELD.url),
    edge: given(FIELD.edge),
    agent: given(FIELD.agent),
    requestId: given(FIELD.request),
    country: given(FIELD.country),
  };
}
