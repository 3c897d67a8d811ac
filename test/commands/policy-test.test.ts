import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../src/commands/policy-test.ts', import.meta.url));
const LOADER = import.meta.resolve('tsx');

const CASES = 'people:\n  ada: U0ADA0001\ncases:\n  - [ada, direct, zone list, denied]\n';
const POLICY = 'roles:\n  everybody:\n    allow: [help]\n';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edgewise-policy-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function policyTest(files: Readonly<Record<string, string>>): Promise<{ code: number; said: string }> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const options = { env: { PATH: process.env.PATH }, cwd: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', LOADER, COMMAND, 'cases.yml'], options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: `${stdout}${stderr}` }),
    );
  });
}

describe('policy-test', () => {
  it('tests the policy that .env names', async () => {
    const files = { 'cases.yml': CASES, 'policy.yml': POLICY, '.env': 'POLICY_FILE="policy.yml"\n' };
    const { code, said } = await policyTest(files);
    expect(said).toMatch(/^1 case against policy\.yml, all as expected$/m);
    expect(code).toBe(0);
  });

  it('says that it tests the built-in policy where no other is named', async () => {
    const { said } = await policyTest({ 'cases.yml': CASES });
    expect(said).toMatch(/^1 case against the built-in policy, 1 not as expected$/m);
  });
});
