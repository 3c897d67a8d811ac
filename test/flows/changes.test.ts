import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmed } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('what was changed', () => {
  let workspace: TestWorkspace;
  const ops = (person = 'ada') => workspace.slack.person(person).in('#ops');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
    await confirmed(workspace, 'ssl force shop.example.com on');
  });
  afterAll(() => workspace.close());

  it('is listed in sentences, with a way back where there is one', async () => {
    await ops().type('/edge changes list shop');
    const shown = await ops().expectMessage(/Changes on/);
    expect(shown.text).toMatch(/ada switched force HTTPS off → on for shop\.example\.com on shop \(308002\)/);
    expect(shown.buttons).toContain('Undo');
  });

  it('is listed for one zone and one time', async () => {
    await ops().type('/edge changes list video --since 2h');
    await ops().expectMessage(/Nothing was changed on video \(\d+\) in that time/);
  });

  it('is not shown to people who may not read the audit', async () => {
    await ops('ben').type('/edge changes list shop');
    await ops('ben').expectMessage(/You may not run changes list/);
  });
});
