/** Reads an origin-log day in a process of its own: `origin-log-child <path> <records|quarter|streamparser> <start of the day>`. */
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createRecordSlicer, sliceRecords } from '../../src/platform/record-slicer.ts';
import { createOriginErrors } from '../../src/platform/resources/origin-errors.ts';
import type { Transport } from '../../src/platform/transport.ts';
import { measuring } from './measuring.ts';

/** As much of `@streamparser/json` as is used here: it is no dependency. */
interface StreamParser {
  JSONParser: new (options: object) => { write(chunk: Uint8Array): void; onValue: (found: { value: unknown }) => void };
}

/** What both add up, so that both have to have read everything. */
interface Read {
  lines: number;
  bytes: number;
}

const QUARTER = 900_000;

const [path = '', how = '', day = '0'] = process.argv.slice(2);

/** The file in pieces as large as those that come over a network, at next to no cost: it is the parsers that are compared. */
async function* chunks(): AsyncGenerator<Buffer> {
  const file = openSync(path, 'r');
  const room = Buffer.alloc(64 * 1024);
  try {
    for (;;) {
      const read = readSync(file, room, 0, room.length, null);
      if (read === 0) return;
      yield room.subarray(0, read);
      await setImmediate();
    }
  } finally {
    closeSync(file);
  }
}

const lengthOf = (record: unknown) => (record as { log: string }).log.length;

async function everyRecord(): Promise<Read> {
  const slicer = createRecordSlicer('logs');
  const read = { lines: 0, bytes: 0 };
  for await (const chunk of chunks()) {
    for (const record of slicer.push(chunk)) {
      read.lines += 1;
      read.bytes += lengthOf(record);
    }
  }
  return read;
}

async function byStreamParser(): Promise<Read> {
  const tools = createRequire(join(process.env.BENCH_TOOLS ?? process.cwd(), 'package.json'));
  const { JSONParser } = tools('@streamparser/json') as StreamParser;
  const parser = new JSONParser({ paths: ['$.logs.*'], keepStack: false });
  const read = { lines: 0, bytes: 0 };
  parser.onValue = ({ value }) => {
    read.lines += 1;
    read.bytes += lengthOf(value);
  };
  for await (const chunk of chunks()) parser.write(chunk);
  return read;
}

/** As the error summary does. */
async function aQuarter(): Promise<Read> {
  const readRecords: Transport['readRecords'] = async (_call, wanted) => {
    const { rest, ...sliced } = await sliceRecords(createReadStream(path), wanted);
    return { ...sliced, rest: wanted.rest.parse(rest) };
  };
  const originErrors = createOriginErrors({ readRecords } as Transport);
  const from = new Date(Number(day) + 50 * QUARTER);
  const { logs } = await originErrors.get(1, from, {
    from,
    to: new Date(from.getTime() + QUARTER),
  });
  return { lines: logs.length, bytes: logs.reduce((sum, { error }) => sum + (error.Message ?? '').length, 0) };
}

const WAYS: Record<string, () => Promise<Read>> = {
  records: everyRecord,
  quarter: aQuarter,
  streamparser: byStreamParser,
};

console.log(JSON.stringify(await measuring(WAYS[how] ?? everyRecord)));
