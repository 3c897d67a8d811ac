import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The quick tests of policy, runner and the way out. */
const FOLDERS = ['policy', 'runner', 'slack', 'flows'];

/**
 * What runs first, since the first test that fails ends a run: these are quick, and decide most. A mutant of what is read
 * when a file is loaded meets every test.
 */
const FIRST = [
  'policy/document',
  'policy/policy',
  'slack/secrets',
  'slack/fit',
  'slack/outgoing',
  ...FOLDERS.map((folder) => `${folder}/`),
  'hostile/leaks',
];

const placeOf = ({ moduleId }: TestSpecification) => FIRST.findIndex((start) => moduleId.includes(`/test/${start}`));

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.sort((a, b) => placeOf(a) - placeOf(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: [...FOLDERS.map((folder) => `test/${folder}/**/*.test.ts`), 'test/hostile/leaks.test.ts'],
    sequence: { sequencer: NearestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
