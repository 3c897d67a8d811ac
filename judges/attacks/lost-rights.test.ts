import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIRM } from '../../test/support/changes.ts';
import type { TestWorkspace } from '../../test/support/workspace.ts';
import { startUnder } from './under.ts';

const POLICY = `
roles:
  admins:
    allow: ['*']
  leads:
    groups: ['@leads']
    allow: [bot set, approval list]
approval:
  - operations: ssl force
    approvers: { people: [U0BEN000002, U0CLEO00005], groups: ['@leads'] }
    breakGlass: { channel: C0RELEASES2 }
`;

/** Whatever Slack said a moment ago is in the bot's memory when the attack begins. */
describe('Somebody who wants to go on with a right that was taken from them', () => {
  let workspace: TestWorkspace;
  const person = (name: string) => workspace.slack.person(name);
  const ops = (name: string) => person(name).in('#ops');
  const user = (name: string) => workspace.slack.workspace.user(name);
  const leads = () => [...workspace.slack.workspace.userGroups.values()].find(({ handle }) => handle === 'leads')!;
  const writes = () => workspace.platform.writes().length;
  const host = () =>
    workspace.platform.account.zones
      .flatMap(({ Hostnames }) => Hostnames)
      .find(({ Value }) => Value === 'dl.example.com')!;
  let before = 0;

  beforeAll(async () => {
    workspace = await startUnder(POLICY, {
      slack: {
        workspace: {
          users: [{ name: 'cleo', id: 'U0CLEO00005' }],
          channels: [{ name: 'ops', members: ['ada', 'ben', 'cleo'] }],
          userGroups: [{ handle: 'leads', members: ['ben'] }],
        },
      },
    });
  });
  afterAll(() => workspace.close());
  beforeEach(async () => {
    host().ForceSSL = false;
    before = writes();
    await workspace.restart();
    for (const name of ['ada', 'ben', 'cleo']) {
      await ops(name).type('/edge help can-i');
      await ops(name).expectMessage(/Say whether you may/);
    }
  });
  afterEach(() => {
    for (const name of ['ada', 'ben', 'cleo']) user(name).isDeleted = false;
    leads().members.splice(0, 9, user('ben').id);
    user('ben').isRestricted = false;
  });

  async function asked() {
    await ops('ada').type('/edge ssl force dl.example.com on');
    await (await ops('ada').expectMessage(/🔒 Needs/u)).click('Ask for approval …');
    const form = await person('ada').expectModal('Ask for approval');
    await form.fill({ 'Why? The approvers read it.': 'it is time' });
    await form.submit();
    return ops('ada').expectMessage(/wants to/);
  }
  const cardOf = (name: string, ts: string) => ops(name).messages.find((one) => one.ts === ts)!;

  it('has it approved by somebody who is deactivated before it is run', async () => {
    const card = await asked();
    await cardOf('cleo', card.ts).click('Approve');
    const told = await person('ada')
      .in('@edgewise')
      .expectMessage(/approved: Switch force HTTPS/);
    user('cleo').isDeleted = true;
    await told.click('Run');
    await told.expectChange(/This now needs one approval from .*/);
    expect(writes()).toBe(before);
  });

  it('approves within the minutes in which Slack’s last word on them is believed', async () => {
    const card = await asked();
    user('cleo').isDeleted = true;
    await cardOf('cleo', card.ts).click('Approve');
    await ops('cleo').expectMessage(/You cannot decide this/);
    expect(cardOf('ada', card.ts).text).toMatch(/Needs/);
    user('ben').isDeleted = true;
    await cardOf('ben', card.ts).click('Approve');
    await ops('ben').expectMessage(/You cannot decide this/);
    expect(cardOf('ada', card.ts).text).toMatch(/Needs/);
  });

  it('has it approved after they were deactivated themselves', async () => {
    const card = await asked();
    user('ada').isDeleted = true;
    await cardOf('cleo', card.ts).click('Approve');
    await ops('cleo').expectMessage(/may not run ssl force .* any more[\s\S]*I did not count your approval/);
    expect(writes()).toBe(before);
  });

  it('breaks the glass after they were deactivated', async () => {
    const card = await asked();
    const mine = ops('ada').messages.findLast(({ text }) => /^⏳ [^\n]*: needs /u.test(text))!;
    await mine.click('Break glass …');
    const form = await person('ada').expectModal('Break glass');
    await form.fill({ 'Why without approval? Everybody reads it.': 'it burns' });
    user('ada').isDeleted = true;
    await form.submit();
    await workspace.slack.idle();
    expect(cardOf('cleo', card.ts).text).not.toMatch(/without approval/);
    expect(writes()).toBe(before);
  });

  it('asks within the minute in which their user group is believed', async () => {
    leads().members.splice(0);
    await ops('ben').type('/edge bot set main-site social block');
    await ops('ben').expectMessage(/You may not run bot set/);
  });

  it('confirms within the minute in which their user group is believed', async () => {
    await ops('ben').type('/edge bot set main-site social block');
    const preview = await ops('ben').expectMessage(/Action: /);
    leads().members.splice(0);
    await preview.click(CONFIRM);
    await preview.expectChange(/You may not run bot set/);
    expect(writes()).toBe(before);
  });

  it('waits until Slack says nothing any more of who is in a group', async () => {
    await ops('ben').type('/edge bot set main-site social block');
    const preview = await ops('ben').expectMessage(/Action: /);
    const over = workspace.slack.fault('usergroups.list=internal_error');
    await preview.click(CONFIRM);
    await preview.expectChange(/Slack did not say who may do this now/);
    await ops('ben').type('/edge bot set main-site social block');
    await ops('ben').expectMessage(/Slack did not say who may do this now/);
    over();
    expect(writes()).toBe(before);
  });

  it('waits until Slack says nothing any more of who they are', async () => {
    await ops('ben').type('/edge bot set main-site social block');
    const preview = await ops('ben').expectMessage(/Action: /);
    const over = workspace.slack.fault('users.info=internal_error');
    await preview.click(CONFIRM);
    await preview.expectChange(/Slack did not say who may do this now/);
    over();
    expect(writes()).toBe(before);
  });
});
