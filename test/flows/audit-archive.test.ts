import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
const since = performance.now();
let start = Date.parse('2025-03-20T09:30:00Z');
const ops = () => workspace.slack.person('ada').in('#ops');

/** Over Socket Mode, because the clock is moved. */
beforeAll(async () => {
  workspace = await startTestWorkspace({ now: () => new Date(start + performance.now() - since), socket: true });
  await workspace.slack.connected();
});
afterAll(() => workspace.close());

async function verify(file: string, key: string, ...more: string[]): Promise<string> {
  const args = ['--import', 'tsx', 'src/commands/verify-archive.ts', file, ...more];
  const env = { ...process.env, EDGEWISE_ENCRYPTION_KEY: key };
  return promisify(execFile)(process.execPath, args, { env }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

it('what was done more than 400 days ago goes to a file, which is proven with the audit and without', async () => {
  await ops().type('/edge zone show shop');
  await ops().expectMessage(/308002/);
  start = Date.parse('2026-11-20T09:30:00Z');
  await ops().type('/edge zone show main-site');
  await ops().expectMessage(/main-site/);
  await workspace.restart();
  await workspace.slack.connected();
  // It is done once the bot is ready, and nobody waits for it.
  await expect.poll(() => workspace.logged.some((line) => line.includes('the audit were archived'))).toBe(true);
  await ops().type('/edge audit list');
  const { text: list } = await ops().expectMessage(/Audit, newest first/);
  expect(list).toContain('main-site');
  expect(list).not.toContain('308002');
  await ops().type('/edge audit verify');
  const { text } = await ops().expectMessage(/The audit is whole/);
  expect(text).toMatch(/Entries up to 1 are in the archive; its last file is audit-2025-03-from-1\.jsonl/);
  const folder = join(dirname(workspace.storeFile), 'audit');
  expect(await readdir(folder)).toEqual(['audit-2025-03-from-1.jsonl']);
  const head = /with the head ([0-9a-f]{64})/.exec(text)?.[1] ?? '';
  const file = join(folder, 'audit-2025-03-from-1.jsonl');
  expect(await verify(file, 'a key for this test only', '--head', head)).toMatch(
    new RegExp(`entries 1 to 1 are whole, and written by the bot; head ${head}[\\s\\S]*The head is in audit-2025-03`),
  );
  expect(await verify(file, 'a key of somebody else’s')).toMatch(/entry 1 was not written by the bot/);
});
