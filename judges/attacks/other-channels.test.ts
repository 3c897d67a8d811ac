import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { byHand } from '../../test/support/by-hand.ts';
import { CONFIRM, confirmed } from '../../test/support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';
import { startUnder } from './under.ts';

const POLICY = `
roles:
  admins:
    allow: ['*']
  reporters:
    groups: ['@reporters']
    allow: ['report *', zone list]
channels:
  '#quiet':
    allow: [status]
`;

/** Over Socket Mode: the clock that is moved here would make every signature stale. It
 * starts at the same moment of the same day each time. */
describe('Somebody who wants a message in a channel that may not have it', () => {
  let workspace: TestWorkspace;
  const since = performance.now();
  let start = Date.parse('2026-11-23T10:30:00Z');
  const ops = (name: string) => workspace.slack.person(name).in('#ops');
  const reporters = () =>
    [...workspace.slack.workspace.userGroups.values()].find(({ handle }) => handle === 'reporters')!;

  beforeAll(async () => {
    workspace = await startUnder(POLICY, {
      now: () => new Date(start + performance.now() - since),
      socket: true,
      slack: {
        workspace: {
          channels: [
            { name: 'quiet', members: ['ada', 'ben'] },
            { name: 'reports', members: ['ada', 'ben'] },
            { name: 'shared-later', members: ['ada', 'ben'] },
          ],
          userGroups: [{ handle: 'reporters', members: ['ben'] }],
        },
      },
    });
    await workspace.slack.connected();
  });
  afterAll(() => workspace.close());

  const subscribed = async (channel: string) => {
    await ops('ben').type(
      `/edge report subscribe daily-statistics "every day at 9:00" --timezone UTC --channel #${channel}`,
    );
    const preview = await ops('ben').expectMessage(/Next runs: /);
    await preview.click(CONFIRM);
    await preview.expectGone();
  };
  const posts = (channel: string) =>
    (workspace.slack.workspace.messages.get(workspace.slack.workspace.channel(channel).id) ?? []).length;

  const aDayLater = async () => {
    start += 24 * 3_600_000;
    await workspace.restart();
    await workspace.app.tick();
  };

  it('subscribes a channel, which may only ask for the status, from elsewhere', async () => {
    await ops('ben').type(
      '/edge report subscribe daily-statistics "every day at 9:00" --timezone UTC --channel #quiet',
    );
    await ops('ben').expectMessage(/You may not run report subscribe[\s\S]*#quiet allows only status/);
    await ops('ben').type(
      '/edge can-i report subscribe daily-statistics "every day at 9:00" --timezone UTC --channel #quiet',
    );
    await ops('ben').expectMessage(/No, you may not run report subscribe/);
  });

  it('has people of other organisations read it, and nobody is told that they do', async () => {
    await ops('ben').type(
      '/edge report subscribe daily-statistics "every day at 9:00" --timezone UTC --channel #partners',
    );
    const preview = await ops('ben').expectMessage(/Next runs: /);
    expect(preview.text).toMatch(/People from other organisations can read #partners/);
    await preview.click('Cancel');
  });

  it('subscribes, as only an admin may, a channel that people of other organisations read', async () => {
    await ops('ada').type(
      '/edge report subscribe daily-statistics "every day at 9:00" --timezone UTC --channel #partners',
    );
    await ops('ada').expectMessage(
      /You may not run report subscribe[\s\S]*people from other organisations are in this channel/i,
    );
  });

  it('goes on getting a report there after they lost every right', async () => {
    await subscribed('reports');
    await aDayLater();
    const before = posts('reports');
    expect(
      before,
      workspace.logged
        .filter((line) => /report|slot/.test(line))
        .slice(-4)
        .join('\n'),
    ).toBeGreaterThan(0);
    reporters().members.splice(0);
    await aDayLater();
    expect(posts('reports')).toBe(before);
    await workspace.slack
      .person('ben')
      .in('@edgewise')
      .expectMessage(/daily-statistics for #reports .* is not working[\s\S]*You may not run report subscribe/);
    reporters().members.push('U0BEN000002');
    await aDayLater();
    expect(posts('reports')).toBeGreaterThan(before);
  });

  it('has their channel shared with another organisation, and goes on getting there what only an admin may subscribe', async () => {
    await ops('ada').type(
      '/edge report subscribe daily-statistics "every day at 9:00" --timezone UTC --channel #shared-later',
    );
    const preview = await ops('ada').expectMessage(/Next runs: /);
    await preview.click(CONFIRM);
    await preview.expectGone();
    await aDayLater();
    const before = posts('shared-later');
    expect(before).toBeGreaterThan(0);
    const { members } = workspace.slack.workspace.channel('shared-later');
    members.add('U0EVE000004');
    await aDayLater();
    expect(posts('shared-later')).toBe(before);
    await workspace.slack
      .person('ada')
      .in('@edgewise')
      .expectMessage(
        /daily-statistics for #shared-later .* is not working[\s\S]*people from other organisations are in this/,
      );
    members.delete('U0EVE000004');
    await aDayLater();
    expect(posts('shared-later')).toBeGreaterThan(before);
  });
});

const IN_COMPANY = `
roles:
  admins:
    allow: ['*']
  blockers:
    people: [U0BEN000002]
    allow: [bot set]
`;

describe('Somebody of another organisation who wants to see or set off what an admin does', () => {
  let workspace: TestWorkspace;
  const person = (name: string) => workspace.slack.person(name);
  const writes = () => workspace.platform.writes().length;
  const ops = () => workspace.slack.workspace.channel('ops').members;

  beforeAll(async () => {
    workspace = await startUnder(IN_COMPANY);
  });
  afterAll(() => workspace.close());
  afterEach(() => void ops().delete('U0EVE000004'));

  it.each(['ssl force dl.example.com on', 'key list', 'report subscribe daily-statistics "every day at 9:00"'])(
    'shares a channel in which an admin types %s',
    async (line) => {
      const here = person('ada').in('#partners');
      await here.type(`/edge ${line}`);
      const refusal = await here.expectMessage(/^You may not run/);
      expect(refusal.text).toMatch(/people from other organisations are in this channel, so admin commands are off/);
      expect(refusal.text).toMatch(/You may in a direct message to me/);
      await here.type(`/edge can-i ${line}`);
      await here.expectMessage(/^No, you may not/);
    },
  );

  it('is named in the preview of what others may do there, and reads what all members may', async () => {
    const here = person('ben').in('#partners');
    await here.type('/edge bot set main-site social block');
    const preview = await here.expectMessage(/Action: /);
    expect(preview.text).toMatch(/People from other organisations can read this channel/);
    await preview.click('Cancel');
    await here.type('/edge zone list');
    await here.expectMessage(/main-site/);
  });

  it('comes into the channel between the preview and the press', async () => {
    await person('ada').in('#ops').type('/edge ssl force dl.example.com on');
    const preview = await person('ada')
      .in('#ops')
      .expectMessage(/Force HTTPS: /);
    expect(preview.text).not.toMatch(/other organisations/);
    ops().add('U0EVE000004');
    const before = writes();
    await preview.click(CONFIRM);
    await preview.expectChange(/people from other organisations are in this channel/);
    expect(writes()).toBe(before);
  });

  it('waits until Slack says nothing of the channel', async () => {
    const here = person('ada').in('#releases');
    const over = workspace.slack.fault('conversations.info=internal_error');
    await here.type('/edge ssl force dl.example.com on');
    const refusal = await here.expectMessage(/^You may not run/);
    expect(refusal.text).toMatch(
      /Slack doesn’t say whether people from other organisations are in this channel.*Slack had a fault of its own: try again/,
    );
    await person('ben').in('#releases').type('/edge bot set main-site social block');
    await (
      await person('ben')
        .in('#releases')
        .expectMessage(/Action: /)
    ).click('Cancel');
    over();
    // The next one is not refused for what Slack did not say before.
    await here.type('/edge ssl force dl.example.com on');
    await (await here.expectMessage(/Force HTTPS: /)).click('Cancel');
  });

  it('is in a private channel that the bot cannot see', async () => {
    const { channels } = workspace.slack.workspace;
    const private_ = {
      ...workspace.slack.workspace.channel('random'),
      id: 'C0PRIVATE01',
      name: 'deals',
      isPrivate: true,
    };
    channels.set(private_.id, private_);
    const here = person('ada').in('#deals');
    await here.type('/edge ssl force dl.example.com on');
    await here.expectMessage(/are in this channel[\s\S]*invite me with[\s\S]*direct message to me/);
  });
});

describe('Somebody of another organisation who waits in a channel', () => {
  let workspace: TestWorkspace;
  let client: ReturnType<typeof byHand>;
  let ahead = 0;
  beforeAll(async () => {
    const now = () => new Date(Date.parse('2026-11-24T18:00:00Z') + ahead + performance.now() - started);
    const started = performance.now();
    workspace = await startTestWorkspace({ now, socket: true, platform: { elapsed: () => now().getTime() } });
    await workspace.slack.connected();
    client = byHand(workspace.storeFile);
  });
  afterAll(async () => {
    client.close();
    await workspace.close();
  });

  async function pass(minutes: number): Promise<void> {
    const held = async () => (await client.execute('SELECT key FROM jobs WHERE holder IS NOT NULL')).rows.length;
    for (let minute = 0; minute < minutes; minute += 1) {
      ahead += 60_000;
      await workspace.app.tick();
      await expect.poll(held, { timeout: 20_000, interval: 20 }).toBe(0);
      await workspace.slack.idle();
    }
  }

  it('reads neither what the zone did after a change of an admin, nor the change when its Undo goes', async () => {
    const { zones } = workspace.platform.account;
    const ops = workspace.slack.person('ada').in('#ops');
    zones.flatMap(({ Hostnames }) => Hostnames).find(({ Value }) => Value === 'shop.example.com')!.ForceSSL = false;
    await confirmed(workspace, 'ssl force shop.example.com on');
    await workspace.slack.idle();
    const said = () => ops.messages.findLast(({ text }) => /force HTTPS|A change/.test(text))!.text;
    expect(said()).toMatch(/switched force HTTPS/);
    workspace.slack.workspace.channel('ops').members.add('U0EVE000004');
    await pass(14);
    expect(said()).toMatch(/^A change is hidden here/);
    await pass(25);
    expect(said()).toMatch(/^A change is hidden here/);
  });
});
