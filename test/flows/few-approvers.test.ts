import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
approval:
  - operations: [ssl force]
    approvers: { people: [U0LEFT00001] }
    breakGlass: { channel: C0RELEASES2 }
  - operations: [variable add]
    approvers: { groups: ['@helpers'] }
  - operations: [bot set]
    approvers: { groups: ['@leads'] }
  - operations: [app delete]
    approvers: { groups: ['@nowhere'] }
  - operations: [cache clear]
    approvers: { people: [U0HOOK00001] }
  - operations: [database execute]
    approvers: { people: [U0LEFT00001, U0BEN000002] }
    count: 2
  - operations: [cache purge]
    approvers: { people: [U0LEFT00001, U0BEN000002] }
  - operations: [token create]
    approvers: { roles: [everybody] }
roles:
  admins:
    allow: ['*']
`;

describe('a change that too few are left to approve', () => {
  let workspace: TestWorkspace;
  let folder: string;
  const ops = () => workspace.slack.person('ada').in('#ops');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      slack: {
        workspace: {
          users: [
            { name: 'lou', id: 'U0LEFT00001', isDeleted: true },
            { name: 'hook', id: 'U0HOOK00001', isBot: true },
          ],
          userGroups: [
            { handle: 'helpers', members: ['gus', 'lou'] },
            { handle: 'leads', members: ['ada'] },
          ],
        },
      },
    });
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['somebody who has left', 'ssl force', 'You can break glass, and whoever runs Edgewise can change the policy'],
    ['a guest, and somebody who has left', 'variable add', 'Whoever runs Edgewise can change the policy'],
    ['the requester alone', 'bot set', 'Whoever runs Edgewise can change the policy'],
    ['a group that is gone', 'app delete', 'Whoever runs Edgewise can change the policy'],
    ['a bot', 'cache clear', 'Whoever runs Edgewise can change the policy'],
  ])('is said to be one before it is asked for, with the way out: %s', async (_, command, way) => {
    await ops().type(`/edge can-i ${command}`);
    await ops().expectMessage(new RegExp(`besides you there is nobody: too few\\)\\. ${way}\\.`));
  });

  it('is said to be one where one of two is left, and by name', async () => {
    await ops().type('/edge can-i database execute');
    await ops().expectMessage(
      /2 approvals from 2 named people \(besides you there is only @ben: too few\)\. Whoever runs/,
    );
  });

  it('is not, where enough are left, who alone are named, or where every member can', async () => {
    await ops().type('/edge can-i cache purge');
    await ops().expectMessage(/one approval: @ben\./);
    await ops().type('/edge can-i token create');
    await ops().expectMessage(/one approval from all members\./);
  });

  it('is said to be one in the preview, beside the button that is left', async () => {
    await ops().type('/edge ssl force shop.example.com on');
    const preview = await ops().expectMessage(
      /🔒 Needs one approval from 1 named person \(besides you there is nobody: too few\)\. You can break glass/u,
    );
    expect(preview.buttons).toContain('Break glass …');
    await ops().type('/edge cache clear shop');
    const form = await workspace.slack.person('ada').expectModal('Ask for approval', { ready: true });
    expect(form.text).toMatch(/nobody: too few\)\. Whoever runs Edgewise can change the policy/);
    await form.close();
  });

  it('is one as soon as the last of them has left', async () => {
    const ben = workspace.slack.workspace.users.get('U0BEN000002')!;
    ben.isDeleted = true;
    await workspace.restart();
    await ops().type('/edge can-i cache purge');
    await ops().expectMessage(/one approval from 2 named people \(besides you there is nobody: too few\)/);
    ben.isDeleted = false;
    await workspace.restart();
  });

  it('makes status say so, rule by rule', async () => {
    await ops().type('/edge status');
    const { text } = await ops().expectMessage(/Something is wrong/);
    for (const command of ['variable add', 'app delete', 'cache clear'])
      expect(text).toMatch(new RegExp(`${command} \\(policy\\.yml line \\d+\\) needs an approval: nobody can give it`));
    expect(text).toMatch(
      /ssl force \(policy\.yml line \d+\) needs an approval: nobody can give it, but whoever asks can break glass/,
    );
    expect(text).toMatch(/database execute \(policy\.yml line \d+\) needs an approval: only 1 of 2 can give it/);
    expect(text).not.toMatch(/(bot set|cache purge|token create) \(/);
  });
});
