import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { createSummariser } from '../../src/logs/summariser.ts';
import { createLogWorkers } from '../../src/workers/log-worker-pool.ts';
import { line } from '../logs/lines.ts';

const workers = createLogWorkers({ size: 1 });
afterAll(() => workers.close());

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
