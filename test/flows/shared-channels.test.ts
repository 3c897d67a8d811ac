import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
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
const SHARED = /people from other organisations are in this channel/;

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

  it('is not told of a change while Slack says nothing of it, and nobody is told that the change was not made', async () => {
    await ops().type('/edge bot set main-site social block');
    const preview = await ops().expectMessage(/Action: /);
    workspace.platform.fault('slow=1000@PUT shield');
    const looks = () => workspace.slack.outgoing.filter(({ method }) => method === 'users.info').length;
    const before = looks();
    await preview.click(CONFIRM);
    await expect.poll(looks).toBe(before + 1);
    for (const method of ['conversations.info', 'users.info']) workspace.slack.fault(`${method}=internal_error`);
    const told = () =>
      person('ada')
        .in('@edgewise')
        .messages.map(({ text }) => text)
        .join();
    await expect.poll(told).toMatch(/It was not posted in the channel: Slack did not say who may read it\.$/m);
    expect(told()).not.toMatch(/Nothing was done/);
  });

  it('gets no answer that was given before', async () => {
    await ops().type('/edge zone list');
    await ops().expectMessage(/shop/);
    await ops().type('/edge audit list --reads');
    const answer = await ops().expectMessage(/zone list/);
    share('#ops');
    await answer.click('Share');
    await ops().expectMessage(/^Not shared: people from other organisations are in this channel/);
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
    await expect.poll(() => eves('#ops')).toMatch(/A change is hidden here: people from other organisations/);
    expect(eves('#ops')).not.toMatch(/Tuesday|customer|shop/);
  });

  it('hears of nothing that is done without approval, so that it is not done', async () => {
    const preview = await asked();
    share('#releases');
    await preview.click('Break glass …');
    await giveReason('Break glass', 'Why without approval? Everybody reads it.', 'the leak of Tuesday');
    await ops().expectMessage(
      /I have to post it in #releases, and people from other organisations are in this channel/,
    );
    expect(eves('#releases')).toBe('');
    expect(workspace.platform.writes()).toEqual([]);
  });

  it('lists what waits to those alone who asked, who decide or who may do it', async () => {
    const preview = await asked('cdn.example.com');
    await preview.click('Ask for approval …');
    await giveReason('Ask for approval', 'Why? The approvers read it.', 'the leak of Tuesday');
    await ops().expectMessage(/⏳|wants to/u);
    await person('ben').in('#ops').type('/edge approval list');
    const list = await person('ben')
      .in('#ops')
      .expectMessage(/is waiting for approval/);
    expect(list.text).not.toMatch(/cdn|Tuesday/);
    await ops().type('/edge approval list');
    await ops().expectMessage(/cdn\.example\.com[\s\S]*the leak of Tuesday/);
  });
});

/** Only admins may read, so that what leaves for a channel hangs on who else is in it. */
const ADMINS_READ = `
roles:
  far:
    people: [U0EVE000004]
    allow: [bot set]
  admins:
    allow: ['*']
  everybody:
    allow: [status]
  shop:
    people: [U0BEN000002]
    allow: [ssl force]
approval:
  - operations: [ssl force]
    where: { hostname: shop.example.com }
    approvers: { people: [U0EVE000004, U0GUS000003, U0BEN000002] }
    breakGlass: { channel: C0RELEASES2 }
`;
const HIDDEN = /A change is hidden here: people from other organisations/;

describe('what leaves for a channel', () => {
  let workspace: TestWorkspace;
  let folder: string;
  let ahead: number;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), ADMINS_READ);
    ahead = 0;
    // The clock that is moved would make every signature stale.
    workspace = await startTestWorkspace({
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      socket: true,
      now: () => new Date(Date.now() + ahead),
    });
    await workspace.slack.connected();
  });
  afterEach(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  const person = (name: string) => workspace.slack.person(name);
  const ada = () => person('ada').in('#ops');
  const channelOf = (name: string) => workspace.slack.workspace.channel(name);
  /** What everybody in the channel has of it. */
  const open = (channel: string) =>
    (workspace.slack.workspace.messages.get(channelOf(channel).id) ?? [])
      .filter(({ ephemeralTo, isDeleted }) => ephemeralTo === undefined && !isDeleted)
      .map(({ revisions }) => revisions.at(-1)?.text)
      .join('\n');
  async function giveReason(title: string, field: string): Promise<void> {
    const form = await person('ada').expectModal(title);
    await form.fill({ [field]: 'the leak of Tuesday' });
    await form.submit();
  }
  async function asked() {
    await ada().type('/edge ssl force shop.example.com on');
    return ada().expectMessage(/🔒 Needs/u);
  }

  async function subscribed(): Promise<void> {
    await ada().type('/edge report subscribe daily-statistics "every day at 9:00" --timezone UTC');
    const preview = await ada().expectMessage(/Next runs: /);
    await preview.click(CONFIRM);
    await preview.expectGone();
  }
  /** Five minutes after the report was due: hours later it would only be missed. */
  async function aDayLater(): Promise<void> {
    ahead = new Date(Date.now() + ahead).setUTCHours(24 + 9, 5, 0, 0) - Date.now();
    await workspace.app.tick();
  }

  const says = (sharing: Record<string, unknown>) => (channel: string) => {
    channelOf(channel).sharing = sharing;
  };
  const OTHERS = 'T0OTHER0001';
  const SHARED_NOW: [string, (channel: string) => void][] = [
    ['is shared with another organisation', (channel) => void channelOf(channel).members.add('U0EVE000004')],
    [
      'was private, and is shared by now',
      (channel) => {
        channelOf(channel).isPrivate = true;
        says({ is_shared: true, is_ext_shared: true, connected_team_ids: [OTHERS] })(channel);
      },
    ],
    ['is about to be shared', says({ is_pending_ext_shared: true })],
    ['another organisation was invited to', says({ pending_shared: [OTHERS] })],
    ['another organisation has accepted an invitation to', says({ pending_connected_team_ids: [OTHERS] })],
    ['is shared, and Slack does not say with whom', says({ is_shared: true })],
    [
      'workspaces of the organisation share with another one',
      says({ is_shared: true, is_org_shared: true, is_ext_shared: true }),
    ],
    [
      'a stranger to the organisation shares with its workspaces',
      says({ is_shared: true, is_org_shared: true, connected_team_ids: [OTHERS] }),
    ],
    ...['channel_not_found', 'missing_scope', 'ratelimited', 'internal_error', 'no_permission', 'drop'].map(
      (code): [string, () => void] => [
        `Slack says ${code} of`,
        () => void workspace.slack.fault(`conversations.info=${code}`),
      ],
    ),
  ];

  describe.each(SHARED_NOW)('that %s', (_, share) => {
    it('is no answer that was given before, and no report that is asked for', async () => {
      await ada().type('/edge zone list');
      const answer = await ada().expectMessage(/shop/);
      share('#ops');
      await answer.click('Share');
      await ada().expectMessage(/^Not shared: /);
      await ada().type('/edge report run daily-statistics --to channel');
      await ada().expectMessage(/Nothing was posted|You may not run report run/);
      expect(open('#ops')).toBe('');
    });

    it('is no card and no end of a change, and nothing is let through without approval', async () => {
      const preview = await asked();
      share('#ops');
      await preview.click('Ask for approval …');
      await giveReason('Ask for approval', 'Why? The approvers read it.');
      await ada().expectMessage(/may not run .* any more[\s\S]*Nobody was asked/);
      expect(open('#ops')).toBe('');
      expect(person('ben').in('@edgewise').messages).toEqual([]);
      share('#releases');
      await preview.click('Break glass …');
      await giveReason('Break glass', 'Why without approval? Everybody reads it.');
      await ada().expectMessage(/any more: |I have to post it in/);
      expect(open('#releases')).toBe('');
      expect(workspace.platform.writes()).toEqual([]);
    });

    it('is no report that is due', async () => {
      await subscribed();
      const before = open('#ops');
      share('#ops');
      await aDayLater();
      await workspace.slack.idle();
      expect(open('#ops')).toBe(before);
      expect(workspace.logged.join('')).toMatch(/other organisations are in this channel/);
    });

    it('is nothing of a card that was there before', async () => {
      const preview = await asked();
      await preview.click('Ask for approval …');
      await giveReason('Ask for approval', 'Why? The approvers read it.');
      const copy = await person('ben')
        .in('@edgewise')
        .expectMessage(/the leak of Tuesday/);
      expect(open('#ops')).toMatch(/the leak of Tuesday/);
      share('#ops');
      await copy.click('Reject …');
      const form = await person('ben').expectModal('Reject');
      await form.fill({ 'Why? The requester reads it.': 'the customer complains' });
      await form.submit();
      await person('ada')
        .in('@edgewise')
        .expectMessage(/the customer complains/);
      await expect.poll(() => open('#ops')).toMatch(HIDDEN);
      expect(open('#ops')).not.toMatch(/Tuesday|customer|shop/);
    });
  });

  it('is all of it where workspaces of one organisation share the channel', async () => {
    says({ is_shared: true, is_org_shared: true, shared_team_ids: ['T0EDGEWISE', 'T0SISTER001'] })('#ops');
    await ada().type('/edge zone list');
    await (await ada().expectMessage(/shop/)).click('Share');
    await expect.poll(() => open('#ops')).toMatch(/Shared by/);
    await ada().type('/edge report run daily-statistics --to channel');
    await ada().expectMessage(/The report is in the channel/);
    const before = open('#ops').length;
    await subscribed();
    await aDayLater();
    await expect.poll(() => open('#ops').length).toBeGreaterThan(before);
    const preview = await asked();
    await preview.click('Ask for approval …');
    await giveReason('Ask for approval', 'Why? The approvers read it.');
    await expect.poll(() => open('#ops')).toMatch(/the leak of Tuesday/);
  });

  it('is no report that others have joined for since it was seen who is there', async () => {
    await ada().type('/edge zone list');
    await ada().expectMessage(/shop/);
    channelOf('#ops').members.add('U0EVE000004');
    await ada().type('/edge report run daily-statistics --to channel');
    await ada().expectMessage(/^Nothing was posted: people from other organisations are in this channel/);
    expect(open('#ops')).toBe('');
  });

  it('has no rule of the policy in it, where its requester has lost the right too', async () => {
    const ben = person('ben').in('#ops');
    await ben.type('/edge ssl force shop.example.com on');
    const preview = await ben.expectMessage(/🔒 Needs/u);
    await preview.click('Ask for approval …');
    const form = await person('ben').expectModal('Ask for approval');
    await form.fill({ 'Why? The approvers read it.': 'the leak of Tuesday' });
    await form.submit();
    await expect.poll(() => open('#ops')).toMatch(/the leak of Tuesday/);
    await preview.expectChange(/The decision comes as a direct message/);
    channelOf('#ops').members.add('U0EVE000004');
    workspace.slack.workspace.user('ben').isRestricted = true;
    await preview.click('Cancel');
    await expect.poll(() => open('#ops')).not.toMatch(/Tuesday/);
    expect(open('#ops')).toMatch(HIDDEN);
    expect(open('#ops')).not.toMatch(/policy|guest|role/);
  });

  it('goes by no direct message to people of other organisations whom the policy names', async () => {
    const preview = await asked();
    await preview.click('Ask for approval …');
    await giveReason('Ask for approval', 'Why? The approvers read it.');
    await person('ben')
      .in('@edgewise')
      .expectMessage(/the leak of Tuesday/);
    await workspace.slack.idle();
    expect(person('eve').in('@edgewise').messages).toEqual([]);
    await person('ben').in('#ops').type('/edge bot set shop seo block');
    const refusal = await person('ben')
      .in('#ops')
      .expectMessage(/You may not run bot set/);
    await refusal.click('Ask eve to do it');
    await person('ben')
      .in('#ops')
      .expectMessage(/There’s nobody to ask any more: you may be allowed to run it now/);
    expect(person('eve').in('@edgewise').messages).toEqual([]);
    await person('eve').in('#partners').type('/edge ssl force shop.example.com on');
    await person('eve')
      .in('#partners')
      .expectMessage(/people of other workspaces may not run anything/);
  });
});
