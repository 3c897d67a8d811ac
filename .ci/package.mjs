import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `npm run package`: the tarball for npm. Prints what `npm pack --json` does. */
const folder = mkdtempSync(join(tmpdir(), 'edgewise-package-'));
const run = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
try {
  // Chunks of older builds are of no use.
  rmSync('dist', { recursive: true, force: true });
  run('npm', 'run', 'build');
  run('npm', 'run', 'build:playground');
  const [{ filename }] = JSON.parse(run('npm', 'pack', '--json', '--pack-destination', folder));
  run('tar', '-xzf', join(folder, filename), '-C', folder);
  const inPackage = (name) => join(folder, 'package', name);
  const path = inPackage('package.json');
  const { scripts, devDependencies, knip, dependencies, ...manifest } = JSON.parse(readFileSync(path, 'utf8'));
  // All others are bundled.
  const { '@photostructure/sqlite': sqlite } = dependencies;
  const slim = {
    ...manifest,
    files: [...manifest.files, 'licences.txt'],
    dependencies: { '@photostructure/sqlite': sqlite },
  };
  writeFileSync(path, JSON.stringify(slim, undefined, 2));
  writeFileSync(inPackage('licences.txt'), run('node', '.ci/licences.mjs'));
  console.log(run('npm', 'pack', join(folder, 'package'), '--json'));
} finally {
  rmSync(folder, { recursive: true });
}
