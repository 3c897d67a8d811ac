/** `npm run check -- image`: the tests of the image, with its packages installed by npm as the Dockerfile says it. */
import { spawnSync } from 'node:child_process';

const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'judges/vitest.config.ts',
  'judges/image/image.test.ts',
];
const env = { ...process.env, EDGEWISE_IMAGE: 'npm' };
process.exit(spawnSync(process.execPath, vitest, { env, stdio: 'inherit' }).status ?? 1);
