import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmed } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('a zone whose name looks like another one', () => {
  let workspace: TestWorkspace;

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());

  it.each([
    ['sh\u043ep', /the caches of sh\[U\+043E\]p \(308002\)/],
    ['shop\u2800', /the caches of shop\[U\+2800\] \(308002\)/],
    ['shop (1)', /the caches of “shop \(1\)” \(308002\)/],
    ['shop', /the caches of shop \(308002\)/],
  ])('is told apart where it is asked for: %j', async (name, shown) => {
    workspace.platform.account.zones.find(({ Id }) => Id === 308_002)!.Name = name;
    await workspace.restart();
    const ada = workspace.slack.person('ada');
    await ada.in('#ops').type('/edge cache clear 308002');
    const form = await ada.expectModal(/./);
    await form.expectChange(/Type the name/);
    expect(form.text).toMatch(shown);
    await form.close();
  });

  it('is told apart in what everybody reads afterwards', async () => {
    workspace.platform.account.zones.find(({ Id }) => Id === 308_002)!.Name = 'sh\u043ep';
    await workspace.restart();
    expect((await confirmed(workspace, 'cache clear 308002')).text).toMatch(/the caches of sh\[U\+043E\]p \(308002\)/);
  });
});
