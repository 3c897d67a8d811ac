import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { readLines } from '../../src/workers/log-file.ts';

/** Files that are open. */
const open = vi.hoisted(() => new Set<number>());
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return {
    ...real,
    openSync(path: string, how: string) {
      const file = real.openSync(path, how);
      open.add(file);
      return file;
    },
    closeSync(file: number) {
      real.closeSync(file);
      open.delete(file);
    },
  };
});

const folder = mkdtempSync(join(tmpdir(), 'edgewise-test-'));
const path = join(folder, 'day.log');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => open.clear());

/** What is read of a part of the file, in how large pieces, and what is told of it. */
function readPart(start: number, end: number, room = 64) {
  const pieces: string[] = [];
  const told: number[] = [];
  const fill = (read: (room: Buffer) => number) => {
    const given = Buffer.alloc(room);
    const length = read(given);
    pieces.push(given.toString('latin1', 0, length));
    return length;
  };
  readLines({ path, start, end }, { fill } as never, (bytes) => told.push(bytes));
  expect(open.size).toBe(0);
  return { text: pieces.join(''), sizes: pieces.map(({ length }) => length), told };
}

/** The lines that begin within the part. */
function linesOf(text: string, start: number, end: number): string {
  let at = 0;
  let taken = '';
  for (const line of text.split(/(?<=\n)/)) {
    if (at >= start && at < end) taken += line;
    at += line.length;
  }
  return taken;
}

it.each(['', 'one', 'one\n', 'one\ntwo\nthree', '\n\n\n', 'one\n\nthree\n'])(
  'of %j every part has the lines that begin in it, whole',
  (text) => {
    writeFileSync(path, text);
    for (let start = 0; start <= text.length; start += 1)
      for (let end = start; end <= text.length; end += 1)
        for (const room of [1, 3, 64])
          expect([start, end, readPart(start, end, room).text]).toEqual([start, end, linesOf(text, start, end)]);
  },
);

it('lines longer than what is looked through at once are not torn apart', () => {
  const lines = fc.array(fc.constantFrom(0, 1, 4094, 4095, 4096, 4097, 9000), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(lines, fc.nat(), fc.nat(), (lengths, one, other) => {
      const text = lengths.map((length) => 'x'.repeat(length)).join('\n');
      writeFileSync(path, text);
      const [start, end] = [one, other].map((at) => at % (text.length + 1)).sort((a, b) => a - b);
      expect(readPart(start!, end!, 5000).text === linesOf(text, start!, end!)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it('how far it is is told every eight megabytes, and at the end', () => {
  const MB = 1024 * 1024;
  writeFileSync(path, Buffer.alloc(17 * MB, 'line\n'));
  const { told, sizes } = readPart(0, 17 * MB, MB);
  expect(told).toEqual([8 * MB, 8 * MB, MB]);
  // A quarter of a megabyte at once, however much room there is.
  expect(new Set(sizes)).toEqual(new Set([MB / 4, ...sizes.slice(-1)]));
  expect(readPart(0, 8 * MB, MB).told).toEqual([8 * MB]);
});

it('a small part is told once it is read, and what reaches into the next part is none of it', () => {
  writeFileSync(path, 'one\ntwo\nthree\n');
  expect(readPart(0, 6, 4)).toEqual({ text: 'one\ntwo\n', sizes: [4, 2, 2], told: [6] });
});

it('a file that became shorter meanwhile is read to its end', () => {
  writeFileSync(path, 'one\ntwo\n');
  expect(readPart(0, 100).text).toBe('one\ntwo\n');
});

it('a file is closed also when what reads it fails', () => {
  writeFileSync(path, 'one\n');
  const fill = () => {
    throw new Error('no room');
  };
  expect(() => readLines({ path, start: 0, end: 4 }, { fill } as never, () => undefined)).toThrow('no room');
  expect(open.size).toBe(0);
});
