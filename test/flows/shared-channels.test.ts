import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
roles:
  admins:
    allow: ['*']
  shop:
    people: [U0BEN000002]
    allow:
      - operations: [ssl force]
        where: { zone: shop }
approval:
  - operations: [ssl force]
    where: { zone: shop }
    approvers: { people: [U0BEN000002] }
    breakGlass: { channel: C0RELEASES2 }
  - operations: [ssl force]
    approvers: { people: [U0GUS000003] }
`;
const SHARED = /people of other organisations are in this channel/;

/** People of another organisation have come into a channel since something was asked there. */
describe('a channel that is shared by now', () => {
  let workspace: TestWorkspace;
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({ environment: { POLICY_FILE: join(folder, 'policy.yml') } });
  });
  afterEach(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  const person = (name: string) => workspace.slack.person(name);
  const ops = () => person('ada').in('#ops');
  function share(channel: string): void {
    const { workspace: all } = workspace.slack;
    all.channel(channel).members.add(all.user('eve').id);
  }
  const eves = (channel: string) =>
    person('eve')
      .in(channel)
      .messages.map(({ text }) => text)
      .join();

  /** Ada asks for a change that others approve; answers with what she has of it. */
  async function asked(host = 'shop.example.com') {
    await ops().type(`/edge ssl force ${host} on`);
    return ops().expectMessage(/🔒 Needs/u);
  }
  async function giveReason(title: string, field: string, reason: string): Promise<void> {
    const form = await person('ada').expectModal(title);
    await form.fill({ [field]: reason });
    await form.submit();
  }

  it('gets no answer that was given before', async () => {
    await ops().type('/edge zone list');
    await ops().expectMessage(/shop/);
    await ops().type('/edge audit list');
    const answer = await ops().expectMessage(/zone list/);
    share('#ops');
    await answer.click('Share');
    await ops().expectMessage(/^Not shared: people of other organisations are in this channel/);
    expect(eves('#ops')).toBe('');
    await workspace.slack.idle();
    expect(person('ada').in('@edgewise').messages).toEqual([]);
  });

  it('gets no card, and nobody is asked', async () => {
    const preview = await asked();
    share('#ops');
    await preview.click('Ask for approval …');
    await giveReason('Ask for approval', 'Why? The approvers read it.', 'the leak of Tuesday');
    await ops().expectMessage(SHARED);
    expect(eves('#ops')).toBe('');
    expect(person('ben').in('@edgewise').messages).toEqual([]);
  });

  it('reads no reason on a card that was there before, nor how it ended', async () => {
    const preview = await asked();
    await preview.click('Ask for approval …');
    await giveReason('Ask for approval', 'Why? The approvers read it.', 'the leak of Tuesday');
    const copy = await person('ben')
      .in('@edgewise')
      .expectMessage(/the leak of Tuesday/);
    share('#ops');
    await copy.click('Reject …');
    const form = await person('ben').expectModal('Reject');
    await form.fill({ 'Why? The requester reads it.': 'the customer complains' });
    await form.submit();
    await person('ada')
      .in('@edgewise')
      .expectMessage(/@ben rejected[\s\S]*the customer complains/);
    await expect.poll(() => eves('#ops')).toMatch(/A change is not shown here any more: people of other organisations/);
    expect(eves('#ops')).not.toMatch(/Tuesday|customer|shop/);
  });

  it('hears of nothing that is done without approval, so that it is not done', async () => {
    const preview = await asked();
    share('#releases');
    await preview.click('Break glass …');
    await giveReason('Break glass', 'Why without approval? Everybody reads it.', 'the leak of Tuesday');
    await ops().expectMessage(/It would be announced in #releases: people of other organisations are in this channel/);
    expect(eves('#releases')).toBe('');
    expect(workspace.platform.writes()).toEqual([]);
  });

  it('lists what waits to those alone who asked, who decide or who may do it', async () => {
    const preview = await asked('cdn.example.com');
    await preview.click('Ask for approval …');
    await giveReason('Ask for approval', 'Why? The approvers read it.', 'the leak of Tuesday');
    await ops().expectMessage(/⏳|asks to/u);
    await person('ben').in('#ops').type('/edge approval list');
    const list = await person('ben')
      .in('#ops')
      .expectMessage(/waits for an approval/);
    expect(list.text).not.toMatch(/cdn|Tuesday/);
    await ops().type('/edge approval list');
    await ops().expectMessage(/cdn\.example\.com[\s\S]*the leak of Tuesday/);
  });
});
