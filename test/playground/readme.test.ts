import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { usage } from '../../playground/launcher/flags.ts';

const root = new URL('../../', import.meta.url);
const readme = readFileSync(new URL('playground/README.md', root), 'utf8');

it('the README of the playground lists the flags that the help lists', () => {
  const flagsIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, flag]) => flag).sort();
  expect(flagsIn(readme, /^\| `(--[a-z-]+)/gm)).toEqual(flagsIn(usage, /^ {2}(--[a-z-]+)/gm));
});

it('the README of the playground names files that are there', () => {
  const paths = [...readme.matchAll(/`((?:\w[\w-]*\/)+[\w.-]+\.(?:tsx?|css))`/g)].map(([, path]) => path ?? '');
  expect(paths.length).toBeGreaterThan(20);
  // The example of a Slack method that is not there yet.
  const named = paths.filter((path) => !path.includes('pins'));
  const missing = named.filter((path) => ['', 'playground/'].every((at) => !existsSync(new URL(at + path, root))));
  expect(missing).toEqual([]);
});
