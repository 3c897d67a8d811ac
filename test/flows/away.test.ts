import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `
approval:
  - operations: [ssl force, app delete]
    approvers: { people: [U0BEN000002] }
    expires: 2d
roles:
  admins:
    allow: ['*']
  members:
    people: [U0BEN000002]
    allow: [approval list]
`;

const HOUR = 60;
const DAY = 24 * HOUR;

/** Over Socket Mode: a clock that is moved would make every signature stale. */
describe('an approval that comes while its requester is away', () => {
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
      socket: true,
    });
    await workspace.slack.connected();
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => later(30 * DAY));

  const ada = () => workspace.slack.person('ada');
  const ben = () => workspace.slack.person('ben');
  const host = () =>
    workspace.platform.account.zones
      .flatMap((zone) => zone.Hostnames)
      .find(({ Value }) => Value === 'shop.example.com')!;
  const writes = () => workspace.platform.writes().length;
  const ephemerals = () => workspace.slack.outgoing.filter(({ method }) => method === 'chat.postEphemeral').length;

  /** Ada asks in #ops, and goes home. Answers with the card as Ben has it. */
  async function asked(line = `ssl force shop.example.com ${host().ForceSSL ? 'off' : 'on'}`) {
    const ops = ada().in('#ops');
    await ops.type(`/edge ${line}`);
    // A command that wants its name typed has its form, which asks for the reason.
    const preview = line.startsWith('ssl') ? await ops.expectMessage(/🔒 Needs/u) : undefined;
    await preview?.click('Ask for approval …');
    const form = await ada().expectModal('Ask for approval', { ready: true });
    await form.fill({ 'Why? The approvers read it.': 'The certificate is there' });
    await form.submit();
    await (preview === undefined
      ? ops.expectMessage(/: needs one approval/)
      : preview.expectChange(/: needs one approval/));
    // Whatever is for her eyes only is lost from here on.
    ada().goAway();
    return ben()
      .in('#ops')
      .expectMessage(/wants to/);
  }

  const PLACES = {
    'the direct message': async (words: RegExp) => ada().in('@edgewise').expectMessage(words),
    'the card': async (_?: RegExp) =>
      ada()
        .in('#ops')
        .messages.findLast(({ text }) => /wants to/.test(text))!,
    'the list': async (_?: RegExp) => {
      await ada().in('#ops').type('/edge approval list');
      return ada()
        .in('#ops')
        .expectMessage(/Nothing is waiting for approval/);
    },
  };
  type Place = keyof typeof PLACES;
  const others = (place: Place) => (Object.keys(PLACES) as Place[]).filter((other) => other !== place);

  it.each(Object.keys(PLACES) as Place[])('is run a day later from %s, once, and the others say so', async (place) => {
    const [before, sent] = [writes(), ephemerals()];
    const card = await asked();
    later(HOUR);
    await card.click('Approve');
    await card.expectChange(/\*?Approved\.\*? @ada can run it until/);
    expect(ephemerals(), 'nothing that may be lost').toBe(sent);
    await workspace.slack.idle();
    later(DAY);
    await workspace.restart();
    await workspace.slack.connected();
    ada().comeBack();
    ada().reload();
    const found = {
      'the direct message': await PLACES['the direct message'](/@ben approved: Switch force HTTPS/),
      'the card': await PLACES['the card'](),
      'the list': await PLACES['the list'](),
    };
    expect(found['the direct message'].ephemeral).toBe(false);
    for (const where of Object.keys(found) as Place[]) expect(found[where].buttons, where).toContain('Run');
    expect(found['the list'].text).toMatch(
      /Approved, waiting for you[\s\S]*Switch force HTTPS (on|off) for shop\.example\.com/,
    );
    // Somebody else is told whose it is.
    await card.click('Run');
    await ben()
      .in('#ops')
      .expectMessage(/Only @ada can run this/);
    expect(writes()).toBe(before);

    await found[place].click('Run');
    await card.expectChange(/✅ Done/);
    expect(writes()).toBe(before + 1);
    await workspace.slack.idle();
    // Nothing else in the direct message says what was done.
    if (place === 'the direct message')
      await found[place].expectChange(/Done[\s\S]*You switched force HTTPS .* for .*shop\.example\.com/);
    for (const other of others(place)) {
      if (other !== 'the list') {
        await found[other].expectChange(/✅ Done/);
        expect(found[other].buttons).toEqual([]);
        continue;
      }
      await found[other].click('Run');
      await ada()
        .in('#ops')
        .expectMessage(/I (didn’t do it again|won’t do it twice)/);
    }
    expect(writes()).toBe(before + 1);
    expect((await PLACES['the list']()).text).not.toMatch(/waiting for you|expired/);
  });

  it.each(Object.keys(PLACES) as Place[])(
    'is asked for again by one press in %s when it was too late',
    async (place) => {
      const before = writes();
      const card = await asked();
      later(HOUR);
      await card.click('Approve');
      await card.expectChange(/can run it until/);
      await workspace.slack.idle();
      later(2 * DAY + 1);
      await workspace.restart();
      await workspace.slack.connected();
      await card.expectChange(/Expired: approved, and not run in time/);
      await card.click('Ask again');
      await ben()
        .in('#ops')
        .expectMessage(/@ada asked for this, and can ask again/);
      later(DAY);
      ada().comeBack();
      ada().reload();
      const told = await PLACES['the direct message'](/^Expired: Switch [^\n]*: approved, and not run in time/);
      const from = place === 'the direct message' ? told : await PLACES[place](/.*/);
      const was = host().ForceSSL;
      await from.click('Ask again');
      const where = place === 'the direct message' ? ada().in('@edgewise') : ada().in('#ops');
      const preview = await where.expectMessage(
        new RegExp(`Force HTTPS: ${was ? 'on' : 'off'} → ${was ? 'off' : 'on'}[\\s\\S]*🔒 Needs`, 'u'),
      );
      await preview.click('Ask for approval …');
      await (await ada().expectModal('Ask for approval')).submit();
      const another = await ben()
        .in('#ops')
        .expectMessage(/wants to[\s\S]*Needs/);
      expect(another.ts).not.toBe(card.ts);
      expect(writes()).toBe(before);
      await ada().in('#ops').type('/edge approval list');
      const list = await ada()
        .in('#ops')
        .expectMessage(/Waiting for approval/);
      expect(list.text, 'it is not offered once more').not.toMatch(/expired/);
    },
  );

  it('is said in the channel where Slack lets nobody write to the requester', async () => {
    const card = await asked();
    const end = workspace.slack.fault('chat.postMessage=messages_tab_disabled*1');
    await card.click('Approve');
    const told = await ben()
      .in('#ops')
      .expectMessage(/@ada, Slack does not let me write to you directly\.\n@ben approved: Switch force HTTPS/);
    end();
    expect(told.ephemeral).toBe(false);
    expect(told.buttons).toContain('Run');
    ada().comeBack();
    const mine = ada()
      .in('#ops')
      .messages.find(({ ts }) => ts === told.ts)!;
    await mine.click('Run');
    await card.expectChange(/✅ Done/);
  });

  it('is not undone by Cancel under the wait that nobody could edit: that says how it stands, and leads on', async () => {
    const before = writes();
    const waited = async (end: string) => {
      const card = await asked();
      await card.click(end);
      if (end === 'Reject …') {
        const form = await ben().expectModal('Reject');
        await form.fill({ 'Why? The requester reads it.': 'Not today' });
        await form.submit();
      }
      await card.expectChange(/Approved|Rejected/);
      ada().comeBack();
      return ada()
        .in('#ops')
        .messages.findLast(({ text, ephemeral }) => ephemeral && /: needs one approval/.test(text))!;
    };
    const approved = await waited('Approve');
    await approved.click('Cancel');
    await approved.expectChange(/^Switch force HTTPS [\s\S]*@ada can run it until/);
    expect(approved.buttons).toEqual(['Run', 'Cancel']);
    await approved.click('Cancel');
    await approved.expectChange(/^Cancelled: /);
    const rejected = await waited('Reject …');
    await rejected.click('Cancel');
    await rejected.expectChange(/^Rejected: [\s\S]*Ask again/);
    expect(writes()).toBe(before);
  });

  it('wants the name typed all the same, and leaves the card where it is', async () => {
    const card = await asked('app delete stock-api');
    await card.click('Approve');
    await card.expectChange(/can run it until/);
    await workspace.slack.idle();
    later(DAY);
    ada().comeBack();
    const mine = await PLACES['the card']();
    await mine.click('Run');
    const confirm = await ada().expectModal('App delete', { ready: true });
    await confirm.fill({ 'Type the name to confirm': 'stock-api' });
    await confirm.submit();
    await card.expectChange(/wants to[\s\S]*✅ Done/);
  });
});
