import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
approval:
  - operations: [ssl force]
    approvers: { people: [U0BEN000002, U0ADA000001] }
    expires: 30m
    breakGlass: { channel: C0RELEASES2 }
  - operations: [app delete]
    approvers: { people: [U0BEN000002] }
    expires: 30m
    reason: required
    breakGlass: { channel: C0RELEASES2 }
  - operations: [bot set]
    approvers: { groups: ['@leads'] }
    count: 2
roles:
  admins:
    allow: ['*']
  members:
    people: [U0BEN000002]
    allow: [ssl force]
  shop:
    groups: ['@shop-team']
    allow: [bot set]
`;

const SECRET = 'xoxb-1234567890-abcdefghijklmnop';

/** Over Socket Mode. */
describe('a change that somebody else has to approve', () => {
  let workspace: TestWorkspace;
  let folder: string;
  let ahead = 0;
  const later = (minutes: number) => {
    ahead += minutes * 60_000;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      now: () => new Date(Date.now() + ahead),
      slack: {
        workspace: {
          users: [
            { name: 'cleo', id: 'U0CLEO00005' },
            { name: 'dora', id: 'U0DORA00006' },
          ],
          channels: [{ name: 'ops', members: ['ada', 'ben', 'gus', 'cleo', 'dora'] }],
          userGroups: [
            { handle: 'shop-team', members: ['cleo'] },
            { handle: 'leads', members: ['ada', 'ben', 'dora'] },
          ],
        },
      },
      // A clock that is moved would make every signature stale.
      socket: true,
    });
    await workspace.slack.connected();
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => later(60));

  const host = () =>
    workspace.platform.account.zones
      .flatMap((zone) => zone.Hostnames)
      .find(({ Value }) => Value === 'shop.example.com')!;
  /** The bot's direct messages with somebody. */
  const direct = (name: string) => workspace.slack.person(name).in('@edgewise');
  const other = () => (host().ForceSSL ? 'off' : 'on');
  const writes = () => workspace.platform.writes().length;

  /** Ada asks; answers with the card in the channel, as Ben sees it, and what Ada has under her preview. */
  async function asked(reason = 'The certificate is there') {
    const ada = workspace.slack.person('ada');
    const ops = ada.in('#ops');
    await ops.type(`/edge ssl force shop.example.com ${other()}`);
    const preview = await ops.expectMessage(/🔒 Needs/u);
    await preview.click('Ask for approval …');
    const form = await ada.expectModal('Ask for approval');
    await form.fill({ 'Why? The approvers read it.': reason });
    await form.submit();
    const card = await workspace.slack
      .person('ben')
      .in('#ops')
      .expectMessage(/wants to/);
    return { ada, ops, card };
  }

  it('waits for another person, then runs once when the requester says so, and the audit knows who agreed', async () => {
    const before = writes();
    const { ops, card } = await asked();
    expect(card.ephemeral).toBe(false);
    expect(card.text).toMatch(/The certificate is there/);
    expect(writes()).toBe(before);
    await ops.type('/edge approval list');
    const list = await ops.expectMessage(
      /^Waiting for approval: 1[\s\S]*Switch force HTTPS on for shop\.example\.com[^\n]*\nada asked [\s\S]*The certificate is there/,
    );
    await list.click('Look closer');
    const closer = await workspace.slack.person('ada').expectModal('Look closer', { ready: true });
    expect(closer.text).toMatch(/Force HTTPS: off → on/);
    expect([closer.submitLabel, ...closer.buttons]).toEqual([undefined]);
    await closer.close();

    await card.click('Approve');
    await card.expectChange(/Approved/);
    expect(writes()).toBe(before);
    await ops.type('/edge approval list');
    await ops.expectMessage(/Nothing is waiting for approval/);
    const told = await direct('ada').expectMessage(/approved: Switch force HTTPS/);
    await told.click('Run');
    await card.expectChange(/✅ Done by @ada, .*\d:\d\d/);
    expect(writes()).toBe(before + 1);

    await ops.type('/edge audit list --command "ssl force"');
    const audit = await ops.expectMessage(/approved by ben/);
    expect(audit.text).toMatch(/asked for approval of ssl force/);
  });

  it('stays approved if the platform cannot be read when it is run', async () => {
    const before = writes();
    const { ops, card } = await asked();
    await card.click('Approve');
    const told = await direct('ada').expectMessage(/approved: Switch force HTTPS/);
    const end = workspace.platform.fault('status=502@GET pullzone');
    await told.click('Run');
    await told.expectChange(/^Not done: Switch force HTTPS[\s\S]*502/);
    end();
    expect(told.buttons).toEqual(['Run']);
    await ops.type('/edge approval list');
    await ops.expectMessage(/Approved, waiting for you[\s\S]*Switch force HTTPS/);
    expect(writes()).toBe(before);
    await told.click('Run');
    await card.expectChange(/✅ Done by @ada/);
    expect(writes()).toBe(before + 1);
  });

  it('is one message for its requester where they ask alone with the bot, from its preview to its end', async () => {
    const mine = direct('ada');
    await mine.type(`/edge ssl force shop.example.com ${other()}`);
    const wait = await mine.expectMessage(/🔒 Needs/u);
    await wait.click('Ask for approval …');
    const form = await workspace.slack.person('ada').expectModal('Ask for approval');
    await form.submit();
    await wait.expectChange(/⏳ Switch force HTTPS .*needs one approval: @ben/);
    const waits = () => direct('ben').messages.findLast(({ buttons }) => buttons.includes('Approve'));
    await expect.poll(() => waits()?.text).toMatch(/@ada wants to switch force HTTPS/);
    expect(mine.messages.filter(({ buttons }) => buttons.includes('Approve'))).toEqual([]);
    await waits()!.click('Approve');
    await wait.expectChange(/Approved\. @ada can run it/);
    expect(wait.buttons).toEqual(['Run']);
    const told = await mine.expectMessage(/approved: Switch force HTTPS/);
    await wait.click('Run');
    for (const message of [wait, told]) await message.expectChange(/✅ Done/);
    expect([wait.buttons, told.buttons]).toEqual([[], []]);
  });

  it('is not approved by the requester, by a guest, or by somebody of another workspace', async () => {
    const { card, ops } = await asked();
    const mine = ops.messages.find(({ ts }) => ts === card.ts)!;
    await mine.click('Approve');
    await ops.expectMessage(/nobody approves their own request/);
    const press = workspace.slack.deliveries.at(-1)!;
    for (const [name, team] of [
      ['gus', 'T0SHOP00001'],
      ['eve', 'T0PARTNER01'],
    ] as const) {
      const { id } = workspace.slack.person(name);
      const payload = { ...press.payload, trigger_id: `forged.${name}`, user: { id, username: name, team_id: team } };
      await workspace.slack.redeliver(1, { ...press, payload, envelopeId: `forged-${name}` });
    }
    await workspace.slack.idle();
    expect(card.text).toMatch(/Needs/);
    // Who may not decide it is not asked why not either.
    await mine.click('Reject …');
    await ops.expectMessage(/nobody approves their own request/);
    await card.click('Reject …');
    const ben = workspace.slack.person('ben');
    const form = await ben.expectModal('Reject');
    await form.fill({ 'Why? The requester reads it.': 'Not on a Friday' });
    await form.submit();
    await direct('ada').expectMessage(/rejected[\s\S]*Not on a Friday/);
    await card.expectChange(/Rejected/);
  });

  it('may be looked at closer by its requester, whom the audit does not accuse of trying to approve it', async () => {
    const { ada, ops, card } = await asked();
    await ops.messages.find(({ ts }) => ts === card.ts)!.click('Look closer');
    const closer = await ada.expectModal('Look closer', { ready: true });
    expect(closer.submitLabel).toBeUndefined();
    await closer.close();
    await ops.type('/edge audit list --limit 5');
    const audit = await ops.expectMessage(/asked for approval of ssl force/);
    expect(audit.text.split('asked for approval of')[0]).not.toMatch(/tried|forbidden/);
    await card.click('Approve');
    await card.expectChange(/Approved/);
    await direct('ada').expectMessage(/approved: Switch force HTTPS/);
  });

  it('ends, and says so, when nobody answers in time', async () => {
    const before = writes();
    const { card } = await asked();
    later(31);
    await card.click('Approve');
    await workspace.slack
      .person('ben')
      .in('#ops')
      .expectMessage(/Expired: not approved in time\. Nothing was done/);
    await workspace.restart();
    await direct('ada').expectMessage(/not approved in time/);
    expect(writes()).toBe(before);
  });

  it('is done without approval only with a reason that everybody reads', async () => {
    const before = writes();
    const ada = workspace.slack.person('ada');
    const ops = ada.in('#ops');
    await ops.type(`/edge ssl force shop.example.com ${other()}`);
    const told = await ops.expectMessage(/🔒 Needs/u);
    await told.click('Break glass …');
    const form = await ada.expectModal('Break glass');
    await form.fill({ 'Why without approval? Everybody reads it.': 'Checkout is down' });
    await form.submit();
    const releases = workspace.slack.person('ben').in('#releases');
    const announced = await releases.expectMessage(/without approval[\s\S]*: \w+ → \w+[\s\S]*Checkout is down/);
    // Once the reason is there for everybody it is done: nothing else is to be pressed.
    await told.expectGone();
    expect(writes()).toBe(before + 1);
    await announced.expectChange(/without approval[\s\S]*Checkout is down[\s\S]*✅ Done by @ada, /);
    await ops.expectMessage(/@ada switched force HTTPS .*, without approval\nWhy: Checkout is down/);
    await ops.type('/edge audit list --command "ssl force"');
    await ops.expectMessage(/break-glass/);
  });

  it('is planned without approval, and the announcement does not say that it is being done', async () => {
    const before = writes();
    const ada = workspace.slack.person('ada');
    const ops = ada.in('#ops');
    await ops.type(`/edge ssl force shop.example.com ${other()} --at "in 60m"`);
    await (await ops.expectMessage(/🔒 Needs/u)).click('Break glass …');
    const form = await ada.expectModal('Break glass');
    await form.fill({ 'Why without approval? Everybody reads it.': 'The checkout moves tonight' });
    await form.submit();
    const releases = workspace.slack.person('ben').in('#releases');
    const announced = await releases.expectMessage(/🚨 @ada plans this without approval: /u);
    await announced.expectChange(/🚨 @ada plans this without approval: [\s\S]*Planned for /u);
    await (await ops.expectMessage(/Planned for /)).click('Cancel');
    await announced.expectChange(/🚨 @ada wanted to do this without approval: [\s\S]*Nothing was done/u);
    expect(writes()).toBe(before);
  });

  it('is done without approval in one form where a name has to be typed', async () => {
    const before = writes();
    const ada = workspace.slack.person('ada');
    const ops = ada.in('#ops');
    await ops.type('/edge app delete mailer');
    const asking = await ada.expectModal('Ask for approval', { ready: true });
    expect(asking.text).toMatch(/Delete the application mailer[\s\S]*🔒 Needs /u);
    await asking.click('Break glass …');
    const form = await ada.expectModal('Break glass');
    expect(form.text).toMatch(/^Delete the application mailer \(\w+\)\?/);
    await form.fill({
      'Why without approval? Everybody reads it.': 'It sends spam',
      'Type the name to confirm': 'mail',
    });
    await form.submit();
    expect(Object.values(form.errors).join()).toMatch(/That is not the name\. Type exactly: mailer/);
    expect(writes()).toBe(before);
    await form.fill({ 'Type the name to confirm': 'mailer' });
    await form.submit();
    await ops.expectMessage(/@ada marked the application mailer \(\w+\) for deletion/);
    expect(ops.messages.filter(({ text }) => /mailer/.test(text)).flatMap(({ buttons }) => buttons)).not.toContain(
      'Run',
    );
    expect(writes()).toBe(before + 1);
  });

  it('asks for the typed name all the same when it is destructive', async () => {
    const ada = workspace.slack.person('ada');
    const ops = ada.in('#ops');
    await ops.type('/edge app delete stock-api');
    const form = await ada.expectModal('Ask for approval', { ready: true });
    await form.submit();
    expect(Object.values(form.errors).join()).toMatch(/required/);
    await form.fill({ 'Why? The approvers read it.': `The key is ${SECRET}` });
    await form.submit();
    expect(Object.values(form.errors).join()).toMatch(/a token or a password in it/);
    await form.fill({ 'Why? The approvers read it.': 'Moved elsewhere' });
    await form.submit();
    await (
      await workspace.slack
        .person('ben')
        .in('#ops')
        .expectMessage(/wants to[\s\S]*stock-api/)
    ).click('Approve');
    const approved = await direct('ada').expectMessage(/approved: Delete the application/);
    await approved.click('Run');
    const confirm = await ada.expectModal('App delete', { ready: true });
    await confirm.fill({ 'Type the name to confirm': 'stock-api' });
    await confirm.submit();
    // Its button means nothing any more.
    await approved.expectChange(/^Done, and posted in #/);
    await workspace.slack
      .person('ben')
      .in('#ops')
      .expectMessage(/for deletion|gone/);
  });

  it('refuses to run when the state has changed since it was approved', async () => {
    const before = writes();
    const { card } = await asked();
    await card.click('Approve');
    const told = await direct('ada').expectMessage(/approved: Switch force HTTPS/);
    host().ForceSSL = !host().ForceSSL;
    await told.click('Run');
    await told.expectChange(/Force HTTPS is already/);
    expect(writes()).toBe(before);
  });

  describe('by two of a group', () => {
    const group = (handle: string) =>
      [...workspace.slack.workspace.userGroups.values()].find((one) => one.handle === handle)!;
    let category = 0;
    // The clock was moved on: the groups are read again.
    beforeEach(() => workspace.restart());

    /** Cleo asks for something that two leads have to approve. */
    async function waiting() {
      const zone = ['SEO', 'Tool', 'AITool', 'Ads', 'Preview', 'Social'][category++];
      const cleo = workspace.slack.person('cleo');
      const ops = cleo.in('#ops');
      await ops.type(`/edge bot set shop ${zone} block`);
      const mine = await ops.expectMessage(new RegExp(`${zone}`, 'i'));
      expect(mine.text).toMatch(/🔒 Needs 2 approvals: @ada, @ben or @dora/u);
      await mine.click('Ask for approval …');
      await (await cleo.expectModal('Ask for approval')).submit();
      const told = await workspace.slack
        .person('dora')
        .in('@dora')
        .expectMessage(/wants to/);
      await mine.expectChange(/: needs 2 approvals: @ada, @ben or @dora/);
      return { ops, told };
    }
    const cardOf = (name: string) =>
      workspace.slack
        .person(name)
        .in('#ops')
        .expectMessage(/wants to/);

    it('counts down on the cards, is decided in a direct message as well, and names everybody who agreed', async () => {
      const before = writes();
      const { told } = await waiting();
      const adas = workspace.slack.person('ada').in('@ada').messages.at(-1)!;
      expect(adas.buttons).toContain('Approve');
      await told.click('Approve');
      await told.expectChange(/Noted: Set .* As of \d\d:\d\d UTC it still needs one more approval: @ada or @ben/);
      await adas.expectChange(/✅ @dora approved[\s\S]*Needs one more approval: @ada or @ben, until/);
      const card = await cardOf('ben');
      expect(card.text).toMatch(/✅ @dora approved/);
      expect(card.text).toMatch(/Needs one more approval: @ada or @ben, until/);
      await card.click('Approve');
      const run = await direct('cleo').expectMessage(/@dora and @ben approved: Set /);
      expect(writes()).toBe(before);
      expect(adas.text).toMatch(/✅ @ben approved/);
      expect(adas.text).toMatch(/Also in #ops/);
      expect(adas.buttons).toEqual([]);
      await run.click('Run');
      await card.expectChange(/Done/);
      expect(writes()).toBe(before + 1);
    });

    it('shows all that is worth knowing to those who decide, and to nobody else', async () => {
      await waiting();
      const card = await cardOf('ben');
      await card.click('Look closer');
      const shown = await workspace.slack.person('ben').expectModal('Look closer', { ready: true });
      expect(shown.text).toMatch(/logged requests?|log/i);
      expect(shown.text).toMatch(/Why: [^\n]+ \(@cleo\)/);
      expect([shown.submitLabel, ...shown.buttons]).toEqual(['Approve', 'Reject …']);
      const gus = workspace.slack.person('gus');
      await gus
        .in('#ops')
        .messages.findLast(({ text }) => /wants to/.test(text))!
        .click('Look closer');
      const refused = await gus.expectModal('Look closer', { ready: true });
      expect(refused.text).toMatch(/You can’t decide this/);
      expect([refused.submitLabel, ...refused.buttons]).toEqual([undefined]);
    });

    it('says so beforehand when there are too few who could approve it', async () => {
      const { members } = group('leads');
      group('leads').members = ['U0ADA000001'];
      await workspace.restart();
      const ops = workspace.slack.person('cleo').in('#ops');
      await ops.type('/edge can-i bot set shop tool block');
      await ops.expectMessage(/2 approvals from @leads \(besides you there is only @ada: too few\)/);
      group('leads').members = [];
      await workspace.restart();
      await ops.type('/edge bot set shop tool block');
      await ops.expectMessage(/2 approvals from @leads \(besides you there is nobody: too few\)/);
      group('leads').members = members;
      await workspace.restart();
    });

    it('is not approved for somebody who has lost the right meanwhile', async () => {
      const before = writes();
      await waiting();
      const { members } = group('shop-team');
      group('shop-team').members = [];
      later(1);
      await workspace.restart();
      const card = await cardOf('ben');
      await card.click('Approve');
      await workspace.slack
        .person('ben')
        .in('#ops')
        .expectMessage(/@cleo may not run bot set on .* any more/);
      expect(writes()).toBe(before);
      group('shop-team').members = members;
      await workspace.restart();
    });

    it('is not run when one of those who approved it could not approve it any more', async () => {
      const before = writes();
      const { told } = await waiting();
      await told.click('Approve');
      await (await cardOf('ben')).click('Approve');
      const run = await direct('cleo').expectMessage(/@dora and @ben approved: Set /);
      const { members } = group('leads');
      group('leads').members = members.filter((id) => id !== 'U0DORA00006');
      await workspace.restart();
      await run.click('Run');
      await run.expectChange(/This now needs 2 approvals from @leads/);
      expect(writes()).toBe(before);
      group('leads').members = members;
      await workspace.restart();
    });

    it('is decided once by two who press at the same moment, each with an entry of their own or none', async () => {
      const { told } = await waiting();
      const [adas, bens] = ['ada', 'ben'].map(
        (name) => direct(name).messages.findLast(({ buttons }) => buttons.includes('Approve'))!,
      );
      await adas!.click('Approve');
      await told.expectChange(/Needs one more/);
      const heard = workspace.slack.outgoing.length;
      await Promise.all([bens!.click('Approve'), told.click('Approve')]);
      await direct('cleo').expectMessage(/@ada and @(ben|dora) approved: Set /);
      await workspace.slack.idle();
      expect(JSON.stringify(workspace.slack.outgoing.slice(heard))).not.toMatch(/it still needs 0/i);
    });
  });
});
