import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Card, Form } from '../../playground/slack/people/person.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
approval:
  - operations: [ssl force]
    approvers: { people: [U0BEN000002] }
roles:
  admins:
    allow: ['*']
  members:
    people: [U0BEN000002]
    allow: [approval list]
`;

describe('what waits for an approval', () => {
  let workspace: TestWorkspace;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({ environment: { POLICY_FILE: join(folder, 'policy.yml') } });
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  const person = (name: string) => workspace.slack.person(name);

  /** Ada asks; the card in the channel, as Ben sees it. */
  async function asked() {
    const ops = person('ada').in('#ops');
    await ops.type('/edge ssl force shop.example.com on');
    await (await ops.expectMessage(/🔒 Needs/u)).click('Ask for approval …');
    await (await person('ada').expectModal('Ask for approval')).submit();
    return person('ben')
      .in('#ops')
      .expectMessage(/wants to/);
  }

  it('is decided in views that close by themselves, and the card alone says so where it is', async () => {
    const ben = person('ben');
    const closer = async (card: Card) => {
      await card.click('Look closer');
      return ben.expectModal('Look closer', { ready: true });
    };
    const closed = async (form: Form, card: Card, end: RegExp) => {
      await form.submit();
      await card.expectChange(end);
      await ben.expectNoModal();
      await ben.in('#ops').expectNothing();
    };
    const looked = await asked();
    await closed(await closer(looked), looked, /✅ @ben approved[\s\S]*Approved\. @ada can run it/);
    const pressed = await asked();
    await pressed.click('Approve');
    await pressed.expectChange(/✅ @ben approved/);
    await ben.in('#ops').expectNothing();
    for (const isCloser of [false, true]) {
      const card = await asked();
      if (isCloser) await (await closer(card)).click('Reject …');
      else await card.click('Reject …');
      const form = await ben.expectModal('Reject');
      await form.fill({ 'Why? The requester reads it.': 'Not today' });
      await closed(form, card, /❌ @ben rejected: Not today[\s\S]*Rejected\. Nothing was done/);
    }
  });

  it('says what was decided in one line where its card is not, and how it stands when somebody was quicker', async () => {
    const ben = person('ben');
    const card = await asked();
    const releases = ben.in('#releases');
    await releases.type('/edge approval list');
    await (await releases.expectMessage(/^Waiting for approval: 1/)).click('Look closer');
    const form = await ben.expectModal('Look closer', { ready: true });
    await form.submit();
    await ben.expectNoModal();
    const told = await releases.expectMessage(/^Approved: Switch force HTTPS/);
    expect(told.text).toMatch(/^Approved: .*\. I’ve told @ada\.$/);
    await card.expectChange(/Approved/);

    const next = await asked();
    await next.click('Look closer');
    const late = await ben.expectModal('Look closer', { ready: true });
    await next.click('Approve');
    await next.expectChange(/✅ @ben approved/);
    await late.submit();
    await ben.expectNoModal();
    await ben.in('#ops').expectMessage(/^Switch force HTTPS .*\.\nApproved\. @ada can run it until/);
  });
});
