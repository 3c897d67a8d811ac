import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where a machine-readable report goes, when one is asked for. */
const report = process.env.EDGEWISE_TEST_REPORT;

/** Rooms whose tests start no process of their own: they share what is imported, which took longer than the tests. */
const ROOMS = [
  'blocks',
  'changes',
  'logs',
  'operations',
  'platform',
  'policy',
  'reports',
  'schedule',
  'slack',
  'store',
];
const inRooms = ROOMS.flatMap((room) =>
  readdirSync(`${root}/test/${room}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${room}/${name}`),
);
/** What replaces a module must not find it imported already. */
const together = inRooms.filter((name) => !readFileSync(`${root}/${name}`, 'utf8').includes('vi.mock('));

/** What the tests and the judges have in common. */
export const settings = {
  // Whole bots, browsers and processes start in some: a slow machine is no failure.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // Most of the time a test waits for a server or a browser: on two cores two at once are nearly twice as quick as one.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  reporters: report === undefined ? ['default'] : ['default', 'json'],
  ...(report === undefined ? {} : { outputFile: { json: report } }),
};

export default defineConfig({
  test: {
    root,
    ...settings,
    projects: [
      { extends: true, test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: together } },
      { extends: true, test: { name: 'together', include: together, isolate: false } },
    ],
  },
});
