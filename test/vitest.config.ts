import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where a machine-readable report goes, when one is asked for. */
const report = process.env.TEST_REPORT;

/**
 * These have a process of their own: they put something in place of a module, read the environment, or count threads and connections.
 * All others share what is imported, which took longer than the tests.
 */
const alone = readdirSync(`${root}/test`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`)
  .filter(
    (name) =>
      /^test\/(workers\/|flows\/store)/.test(name) ||
      /\bvi\.(mock|stubEnv)\(/.test(readFileSync(`${root}/${name}`, 'utf8')),
  );

/** What the tests and the judges have in common. */
export const settings = {
  // Whole bots, browsers and processes start in some: a slow machine is no failure.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  // Half of the time a test waits for a server or a browser, so two cores bear three at once.
  maxWorkers: Math.max(3, availableParallelism() - 1),
  reporters: report === undefined ? ['default'] : ['default', 'json'],
  ...(report === undefined ? {} : { outputFile: { json: report } }),
};

export default defineConfig({
  test: {
    root,
    ...settings,
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      { extends: true, test: { name: 'together', include: ['test/**/*.test.ts'], exclude: alone, isolate: false } },
    ],
  },
});
