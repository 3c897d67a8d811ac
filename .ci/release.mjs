import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm run release -- 0.1.0` tries a release in a clone, and keeps nothing. With `--really` the commit and the tag come here,
 * and the tarball and its SBOM, too. Nothing is pushed or published.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { really: { type: 'boolean' } } });
const [version = ''] = positionals;
const folder = mkdtempSync(join(tmpdir(), 'edgewise-release-'));
const run = (command, ...args) => execFileSync(command, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
const here = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();

function rewrite(name, pattern, text) {
  const path = join(folder, name);
  const before = readFileSync(path, 'utf8');
  if (!pattern.test(before)) throw new Error(`${name} has nothing like ${pattern}.`);
  writeFileSync(path, before.replace(pattern, text));
}

try {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Usage: npm run release -- VERSION [--really]');
  if (here('status', '--porcelain') !== '') throw new Error('There are uncommitted changes. Commit them first.');
  if (here('tag', '--list', `v${version}`) !== '') throw new Error(`The tag v${version} exists.`);
  run('git', 'clone', '--quiet', process.cwd(), '.');
  run('npm', 'ci', '--no-audit', '--no-fund', '--prefer-offline');
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
  rewrite('Dockerfile', /^ARG VERSION=.*$/m, `ARG VERSION=${version}`);
  rewrite('deploy/kubernetes/kustomization.yaml', /^( *newTag: ).*$/m, `$1${version}`);
  for (const name of ['deploy/compose.yml', 'docs/operating.md'])
    rewrite(name, /\bedgewise:\d+\.\d+\.\d+/g, `edgewise:${version}`);
  // What stands between the heading and the first list is about what is not released yet.
  const heading = `## [Unreleased]\n\n## [${version}] - ${new Date().toISOString().slice(0, 10)}\n\n### `;
  rewrite('CHANGELOG.md', /^## \[Unreleased\]\n[^#]*### /m, heading);
  const [{ filename, size, files }] = JSON.parse(run('npm', 'run', '--silent', 'package'));
  const sbom = filename.replace('.tgz', '.cdx.json');
  writeFileSync(join(folder, sbom), run(process.execPath, '.ci/sbom.mjs'));
  run('git', 'commit', '--quiet', '--all', '--message', `chore: release ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `Edgewise ${version}`);
  console.log(run('git', 'show', '--stat', '--format=%s', 'HEAD'));
  console.log(`${filename}: ${files.length} files, ${Math.round(size / 1000)} kB`);
  if (values.really) {
    here('pull', '--quiet', '--ff-only', '--tags', folder, 'HEAD');
    for (const name of [filename, sbom]) copyFileSync(join(folder, name), name);
    console.log(`v${version} is here. To publish it: git push --follow-tags, npm publish ${filename}`);
  } else console.log('Nothing was kept. The same with --really makes the release.');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
