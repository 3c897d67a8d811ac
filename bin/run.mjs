/**
 * `npm run doctor` and the like: runs a command of `src/commands`, from the sources in a checkout, and compiled in an image,
 * which has no others.
 */
import { existsSync } from 'node:fs';

const [, , name, ...rest] = process.argv;
process.argv = [process.argv[0], name, ...rest];
if (existsSync(new URL('../src', import.meta.url))) {
  const { register } = await import('tsx/esm/api');
  register();
  await import(`../src/commands/${name}.ts`);
} else await import(`../dist/${name}.js`);
