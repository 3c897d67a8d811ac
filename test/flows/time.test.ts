import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const MINUTE = 60_000;

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('as time goes by, over Socket Mode', () => {
  let workspace: TestWorkspace;
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const ops = () => workspace.slack.person('ada').in('#ops');
  const sent = () => workspace.platform.requests.filter(({ method }) => method !== 'GET').length;

  beforeAll(async () => {
    workspace = await startTestWorkspace({ now, socket: true });
    await workspace.slack.connected();
  });
  afterAll(() => workspace.close());

  it('does the whole of a change', async () => {
    await ops().type('/edge ssl force dl.example.com on');
    const preview = await ops().expectMessage(/Force HTTPS: off → on/);
    await preview.click(CONFIRM);
    await preview.expectGone();
    await ops().expectMessage(/switched force HTTPS .*on for dl\.example\.com/);
    await workspace.slack.redeliver(20);
    await workspace.slack.idle();
    expect(sent()).toBe(1);
  });

  it('opens forms and suggests in them', async () => {
    const ada = workspace.slack.person('ada');
    await ops().type('/edge zone show');
    const form = await ada.expectModal('Zone show', { ready: true });
    await form.fill({ Zone: 'docs' });
    await form.submit();
    await ops().expectMessage(/docs\.example\.com/);
    await form.close();
  });

  it('lets a confirmation expire after a quarter of an hour, and says so', async () => {
    const before = sent();
    await ops().type('/edge ssl force dl.example.com off');
    const preview = await ops().expectMessage(/Force HTTPS: on → off/);
    ahead += 16 * MINUTE;
    await preview.click(CONFIRM);
    await preview.expectChange(/^Expired: .*Nothing was done\.\n.*Ask again/);
    await preview.click(CONFIRM, { stale: true });
    await ops().expectMessage(/^Expired: .*dl\.example\.com.*Nothing was done\.\n.*Ask again/);
    expect(sent()).toBe(before);
  });

  it('says in direct messages where the preview stands that it has expired, unasked and once', async () => {
    const direct = workspace.slack.person('ada').in('@edgewise');
    await direct.type('/edge ssl force cdn.example.com on');
    const preview = await direct.expectMessage(/Force HTTPS: off → on/);
    ahead += 16 * MINUTE;
    await workspace.restart();
    await workspace.slack.connected();
    await preview.expectChange(/^Expired: .*Nothing was done\.\n.*Ask again/);
    expect(direct.messages.filter(({ text }) => /^Expired: .*cdn\.example\.com/.test(text)).length).toBe(1);
  });

  it('lets the confirmation of a form expire too', async () => {
    const ada = workspace.slack.person('ada');
    await ops().type('/edge app delete mailer');
    const form = await ada.expectModal('App delete');
    await form.expectChange(/Type the name/);
    ahead += 16 * MINUTE;
    await form.fill({ 'Type the name to confirm': 'mailer' });
    await form.submit();
    await ops().expectMessage(/Expired: .*Nothing was done\.\n.*Ask again/);
    expect(workspace.platform.account.apps.find(({ name }) => name === 'mailer')?.deletedAt).toBeUndefined();
  });

  it('keeps an answer for an hour, to be shared', async () => {
    await ops().type('/edge zone show docs');
    const answer = await ops().expectMessage(/docs\.example\.com/);
    ahead += 59 * MINUTE;
    await answer.click('Share');
    const shared = await workspace.slack
      .person('ben')
      .in('#ops')
      .expectMessage(/Shared by @ada/);
    expect(shared.text).toMatch(/docs\.example\.com/);
    ahead += 2 * MINUTE;
    await answer.click('Share');
    await ops().expectMessage(/I no longer have it[\s\S]*Repeat the command/);
  });

  it('answers by the Web API when the response URL of a form has expired', async () => {
    const ada = workspace.slack.person('ada');
    await ops().type('/edge zone show');
    const form = await ada.expectModal('Zone show', { ready: true });
    await form.fill({ Zone: 'video' });
    ahead += 31 * MINUTE;
    const known = workspace.slack.outgoing.length;
    await form.submit();
    const answer = await ops().expectMessage(/video\.example\.com/);
    expect(answer.ephemeral).toBe(true);
    expect(workspace.slack.outgoing.slice(known).map(({ method }) => method)).toContain('chat.postEphemeral');
    expect(workspace.slack.problems).toEqual(['response_url: expired_url']);
  });
});
