import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Card } from '../../playground/slack/people/person.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
approval:
  - operations: [database execute, variable add, ssl force]
    approvers: { people: [U0BEN000002] }
roles:
  admins:
    allow: ['*']
`;

/** Over Socket Mode. */
describe('the card of a change that others approve', () => {
  let workspace: TestWorkspace;
  let folder: string;
  const person = (name: string) => workspace.slack.person(name);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({ environment: { POLICY_FILE: join(folder, 'policy.yml') }, socket: true });
    await workspace.slack.connected();
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    await workspace.slack.idle();
    for (const place of ['#ops', '@edgewise']) person('ben').in(place).readAll();
  });

  /** Ada asks for it; the card in the channel as Ben sees it. */
  async function asked(line: string): Promise<Card> {
    const ada = person('ada');
    const ops = ada.in('#ops');
    await ops.type(`/edge ${line}`);
    if (line.startsWith('database')) await (await ada.expectModal('Ask for approval', { ready: true })).submit();
    else {
      await (await ops.expectMessage(/🔒 Needs/u)).click('Ask for approval …');
      await (await ada.expectModal('Ask for approval')).submit();
    }
    return person('ben')
      .in('#ops')
      .expectMessage(/wants to/);
  }

  async function closer(card: Card) {
    await card.click('Look closer');
    return person('ben').expectModal('Look closer', { ready: true });
  }

  it.each([
    ['a statement with a text', "database execute events UPDATE events SET kind = 'paid' WHERE id = id", /'paid'/],
    ['a statement with a number', 'database execute events DELETE FROM events WHERE id = 4711', /4711/],
    ['a statement with a remark', 'database execute shop DELETE /* all of them */ FROM orders', /all of them/],
    ['a value', 'variable add geo-redirect CACHE_MODE "from-the-desk"', /from-the-desk/],
    [
      'a value of many words',
      `variable add geo-redirect CACHE_LIST "${'stale '.repeat(490)}and so on to the-end"`,
      /the-end/,
    ],
  ])('has no Approve for %s, but in the view that shows it whole', async (_, line, whole) => {
    const card = await asked(line);
    expect(card.buttons).toEqual(['Reject …', 'Look closer']);
    expect(card.text).toMatch(/To see the whole change and approve it, press Look closer/);
    const copy = await person('ben')
      .in('@edgewise')
      .expectMessage(/wants to/);
    expect(copy.buttons).toEqual(card.buttons);
    const view = await closer(card);
    expect(view.text).toMatch(whole);
    expect(view.submitLabel).toBe('Approve');
    await view.submit();
    await card.expectChange(/✅ @ben approved[\s\S]*Approved\. @ada can run it/);
  });

  it.each(['database execute shop DELETE FROM orders', 'ssl force shop.example.com on'])(
    'has Approve where it shows all of it: %s',
    async (line) => {
      const card = await asked(line);
      expect(card.buttons).toEqual(['Approve', 'Reject …', 'Look closer']);
      expect(card.text).not.toMatch(/Not all of it/);
      await card.click('Reject …');
      await (await person('ben').expectModal('Reject')).submit();
    },
  );

  it('shows the value of a secret nowhere', async () => {
    const card = await asked('variable add geo-redirect API_TOKEN "hush-hush-hush"');
    expect(card.text).not.toContain('hush');
    const view = await closer(card);
    expect(view.text).not.toContain('hush');
    expect(view.text).toMatch(/••••/);
    await view.close();
  });

  it('is not approved by a press that it never offered: that looks closer', async () => {
    const card = await asked("database execute events UPDATE events SET kind = 'lost' WHERE id = 1");
    await (await closer(card)).close();
    const press = workspace.slack.deliveries.findLast(({ payload }) => payload.type === 'block_actions')!;
    const [action] = press.payload.actions as [object];
    const payload = { ...press.payload, trigger_id: 'forged.1', actions: [{ ...action, action_id: 'approve' }] };
    await workspace.slack.redeliver(1, { ...press, payload });
    await workspace.slack.idle();
    expect(card.text).toMatch(/Needs one approval: @ben/);
    expect(card.text).not.toMatch(/approved by|✅/);
  });
});
