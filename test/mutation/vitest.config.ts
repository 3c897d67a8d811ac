import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The quick tests of policy, runner and the way out, those that are nearest first: the first that fails ends a run. */
const NEAREST_FIRST = ['policy', 'runner', 'slack', 'flows'];

const folderOf = ({ moduleId }: TestSpecification) =>
  NEAREST_FIRST.findIndex((folder) => moduleId.includes(`/test/${folder}/`));

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.sort((a, b) => folderOf(a) - folderOf(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: NEAREST_FIRST.map((folder) => `test/${folder}/**/*.test.ts`),
    sequence: { sequencer: NearestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
