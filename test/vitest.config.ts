import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Where a machine-readable report goes, when one is asked for. */
const report = process.env.EDGEWISE_TEST_REPORT;

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.test.ts'],
    // Whole bots, browsers and processes start in some: a slow machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most of the time a test waits for a server or a browser: on two cores two at once are nearly twice as quick as one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: report === undefined ? ['default'] : ['default', 'json'],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
  },
});
