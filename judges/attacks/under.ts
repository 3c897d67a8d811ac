import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestWorkspace, type TestWorkspace, type TestWorkspaceOptions } from '../../test/support/workspace.ts';

/** A whole workspace under a policy; `close` takes the policy's file away too. */
export async function startUnder(policy: string, options: TestWorkspaceOptions = {}): Promise<TestWorkspace> {
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-attack-'));
  const file = join(folder, 'policy.yml');
  writeFileSync(file, policy);
  const remove = () => rmSync(folder, { recursive: true });
  const { environment } = options;
  try {
    const workspace = await startTestWorkspace({
      ...options,
      environment: (platform) => ({
        ...(typeof environment === 'function' ? environment(platform) : environment),
        POLICY_FILE: file,
      }),
    });
    const close = async () => {
      await workspace.close();
      remove();
    };
    return new Proxy(workspace, { get: (whole, key) => (key === 'close' ? close : Reflect.get(whole, key)) });
  } catch (error) {
    remove();
    throw error;
  }
}
