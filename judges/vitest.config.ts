import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import { settings } from '../test/vitest.config.ts';

/** The judges' own tests, and some runs of each judge. */
export default mergeConfig(
  defineConfig({ test: settings }),
  defineConfig({ test: { root: fileURLToPath(new URL('..', import.meta.url)), include: ['judges/**/*.test.ts'] } }),
);
