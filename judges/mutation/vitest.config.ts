import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The quick tests that are nearest to policy, changes, delivery and the way out, in the order in which they run: the first that fails
 * ends a run. What goes through the whole bot is left out: it kills little more, and takes a hundred times as long.
 */
const NEAREST_FIRST = [
  'pattern',
  'policy/document',
  'policy/policy',
  'policy/cases',
  'slack/out/secrets',
  'slack/out/known-values',
  'slack/out/fit',
  'slack/out/outgoing',
  'changes/',
  'delivery/',
  'workers/',
  'operations/grammar',
  'operations/catalogue',
  'operations/token/environment-file',
  'problem',
];

const placeOf = ({ moduleId }: TestSpecification) =>
  NEAREST_FIRST.findIndex((start) => moduleId.includes(`/test/${start}`));

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.sort((a, b) => placeOf(a) - placeOf(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

/** What puts something else in place of a file, and so has to load its files by itself. */
const ALONE = [
  'operations/token/environment-file',
  'workers/log-reading',
  'workers/log-worker-threads',
  'workers/definition-reader-threads',
].map((name) => `test/${name}.test.ts`);

const root = fileURLToPath(new URL('../..', import.meta.url));
const limits = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    sequence: { sequencer: NearestFirst },
    projects: [
      {
        test: {
          ...limits,
          name: 'together',
          root,
          include: NEAREST_FIRST.map((start) => `test/${start}${start.endsWith('/') ? '**/*' : ''}.test.ts`),
          exclude: ALONE,
          // Files are loaded once a run, not once a test file: a run is one mutant.
          isolate: false,
        },
      },
      { test: { ...limits, name: 'alone', root, include: ALONE } },
    ],
  },
});
