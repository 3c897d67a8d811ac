/**
 * `npm run check -- nodes [--only 22,24] [rooms]`: the tests on each Node that the bot is for, one after the other. The registry
 * brings the bare binaries, which run no script when they are installed. Exit code 1: a test failed on one of them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const ALL = '20,22,24,26';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: ALL } },
});
const folder = mkdtempSync(join(tmpdir(), 'edgewise-nodes-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const told: string[] = [];
let hasFailed = false;
for (const version of values.only.split(',')) {
  const prefix = join(folder, version);
  const wanted = `node-${process.platform}-${process.arch}@${version}`;
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', prefix];
  execFileSync('npm', ['install', ...flags, wanted], { stdio: 'inherit' });
  const node = join(prefix, 'node_modules', wanted.slice(0, wanted.lastIndexOf('@')), 'bin/node');
  // What is started by its name is this one too.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...positionals];
  const { status } = spawnSync(node, vitest, { env, stdio: 'inherit' });
  const name = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  told.push(`${name.padEnd(10)} ${status === 0 ? 'passes' : 'FAILS'}`);
  hasFailed ||= status !== 0;
  rmSync(prefix, { recursive: true });
}
console.log(told.join('\n'));
process.exit(hasFailed ? 1 : 0);
