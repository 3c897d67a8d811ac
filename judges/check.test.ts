import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const NAMES = [
  'tests',
  'endpoints',
  'doubling',
  'life',
  'kill',
  'simulate',
  'replicas',
  'power-cut',
  'store',
  'replay',
  'live',
  'policy',
  'patterns',
  'texts',
  'image',
  'nodes',
  'plain-words',
  'mcp',
  'picture',
  'signal',
  'chaos',
  'rolling',
  'soak',
  'mutate',
];

function check(...args: string[]) {
  const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', 'tsx', 'judges/main.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stderr, stdout };
}

it('called alone or with a name that it does not know, the door to the long checks lists them, a sentence each', () => {
  const alone = check();
  expect(alone.status).toBe(2);
  const listed = [...alone.stderr.matchAll(/^ {2}([\w-]+) +[A-Z].*\.$/gm)].map(([, name]) => name);
  expect(listed).toEqual(NAMES);
  for (const unknown of ['burn', 'toString']) {
    expect(check(unknown)).toMatchObject({ status: 2, stderr: `There is no check ${unknown}.\n${alone.stderr}` });
  }
});

it('a check gets the rest of the arguments, and its exit code is the door’s', () => {
  expect(check('simulate', '--seeds', '0')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^0 seeds, 0 /) });
  expect(check('simulate', '--no-such-flag').status).toBe(1);
});
