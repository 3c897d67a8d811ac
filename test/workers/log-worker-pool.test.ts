import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { createSummariser } from '../../src/logs/summariser.ts';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';
import { line } from '../logs/lines.ts';

const workers = createLogWorkers({ size: 1 });
const pair = createLogWorkers({ size: 2, perLog: 2 });
const folder = mkdtempSync(join(tmpdir(), 'edgewise-test-'));
afterAll(async () => {
  await Promise.all([workers.close(), pair.close()]);
  rmSync(folder, { recursive: true });
});

/** Some thousand lines of different lengths; one of them longer than any record, and the last without an end. */
const manyLines = Buffer.from(
  Array.from({ length: 12_000 }, (_, n) =>
    n === 5000
      ? 'x'.repeat(700_000)
      : line({ url: `https://a.example/${n % 700}`, agent: 'a'.repeat(n % 97), time: n * 1000 }),
  ).join('\n'),
);

function inChunks(log: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(log.length / size) }, (_, n) => log.subarray(n * size, (n + 1) * size));
}

function summarisedHere(log: Buffer) {
  const here = createSummariser('v1');
  here.push(log);
  return here.end();
}

test('a log is summarised on a thread as it would be here', async () => {
  const read: number[] = [];
  const chunks = inChunks(manyLines, 70_001);
  const there = await workers.summarise(Readable.from(chunks), 'v1', { progress: (bytes) => read.push(bytes) });
  expect(there).toEqual(summarisedHere(manyLines));
  expect(there).toMatchObject({ requests: 11_999, unreadable: 1 });
  expect(read.at(-1)).toBe(manyLines.length);
});

test('two threads come to the same as one, however the stream is cut', async () => {
  for (const size of [999, 262_144, 1_000_000]) {
    const there = await pair.summarise(Readable.from(inChunks(manyLines, size)), 'v1');
    expect(there).toEqual(summarisedHere(manyLines));
  }
});

test('a file is read by the threads themselves, each its part', async () => {
  const path = join(folder, 'day.log');
  const lines = manyLines.toString().split('\n');
  for (const log of [
    manyLines,
    Buffer.from(''),
    Buffer.from(line()),
    Buffer.from(`${lines.slice(4990, 5010).join('\n')}\n`),
  ]) {
    writeFileSync(path, log);
    const read: number[] = [];
    const there = await pair.summariseFile(path, 'v1', { progress: (bytes) => read.push(bytes) });
    expect(there).toEqual(summarisedHere(log));
    expect(read.at(-1) ?? 0).toBeLessThanOrEqual(log.length);
  }
  await expect(pair.summariseFile(join(folder, 'none.log'), 'v1')).rejects.toThrow('ENOENT');
});

test('a file that was shared at any place is read completely', async () => {
  const path = join(folder, 'cut.log');
  for (const extra of Array.from({ length: 12 }, (_, n) => n)) {
    const log = Buffer.from([line({ agent: 'b'.repeat(extra) }), line(), line(), line()].join('\n'));
    writeFileSync(path, log);
    await expect(pair.summariseFile(path, 'v1')).resolves.toMatchObject({ requests: 4, unreadable: 0 });
  }
});

test('several logs take turns on one thread', async () => {
  const logs = [1, 2, 3].map((times) => Readable.from([Array.from({ length: times }, () => line()).join('\n')]));
  const summaries = await Promise.all(logs.map((log) => workers.summarise(log, 'v1')));
  expect(summaries.map((summary) => summary.requests)).toEqual([1, 2, 3]);
});

test('a log that breaks off fails, and the next one is read all the same', async () => {
  async function* broken() {
    yield Buffer.from(line());
    throw new Error('the line went dead');
  }
  await expect(workers.summarise(Readable.from(broken()), 'v1')).rejects.toThrow('the line went dead');
  await expect(workers.summarise(Readable.from([line()]), 'v1')).resolves.toMatchObject({ requests: 1 });
});

test('stopping a log that never ends stops its reading', async () => {
  const controller = new AbortController();
  const endless = new Readable({
    read() {
      setImmediate(() => this.push(Buffer.alloc(100_000, 10)));
    },
  });
  const summary = workers.summarise(endless, 'v1', {
    signal: controller.signal,
    progress: (bytes) => bytes > 3_000_000 && controller.abort(new Error('cancelled')),
  });
  await expect(summary).rejects.toThrow('cancelled');
  expect(endless.destroyed).toBe(true);
});

test('a log that was stopped before its turn is not read', async () => {
  const source = Readable.from([line()]);
  await expect(workers.summarise(source, 'v1', { signal: AbortSignal.abort(new Error('cancelled')) })).rejects.toThrow(
    'cancelled',
  );
  expect(source.destroyed).toBe(true);
});
