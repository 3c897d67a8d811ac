import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('an answer that is shared', () => {
  let workspace: TestWorkspace;
  beforeEach(async () => {
    workspace = await startTestWorkspace();
  });
  afterEach(() => workspace.close());
  const ada = () => workspace.slack.person('ada').in('#ops');
  const channel = () => workspace.slack.workspace.channel('#ops');
  const shared = () => ada().messages.filter(({ text, ephemeral }) => !ephemeral && /Shared by @ada/.test(text));
  async function answer() {
    await ada().type('/edge zone list');
    return ada().expectMessage(/shop/);
  }

  it('is posted once, however often it is pressed', async () => {
    const card = await answer();
    await Promise.all([card.click('Share'), card.click('Share')]);
    await ada().expectMessage(/^This was shared, or I no longer have it\.\nRepeat the command to share it\.$/);
    await expect.poll(() => shared().length).toBe(1);
  });

  it.each<[string, () => void]>([
    ['was left by the bot', () => void channel().members.delete(workspace.slack.workspace.user('edgewise').id)],
    ['was archived', () => void Object.assign(channel(), { isArchived: true })],
  ])('comes directly where the channel meanwhile %s', async (_, happens) => {
    const card = await answer();
    happens();
    await card.click('Share');
    await ada().expectMessage(/^I may not post in that channel, so I sent it to you directly\./);
    await workspace.slack.person('ada').in('@edgewise').expectMessage(/shop/);
    expect(shared()).toEqual([]);
  });
});
