import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkspace } from '../../support/workspace.ts';
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

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('Somebody who wants a message in a channel that may not have it', () => {
  let workspace: TestWorkspace;
  let ahead = 0;
  const ops = (name: string) => workspace.slack.person(name).in('#ops');
  const reporters = () =>
    [...workspace.slack.workspace.userGroups.values()].find(({ handle }) => handle === 'reporters')!;

  beforeAll(async () => {
    workspace = await startUnder(POLICY, {
      now: () => new Date(Date.now() + ahead),
      socket: true,
      slack: {
        workspace: {
          channels: [
            { name: 'quiet', members: ['ada', 'ben'] },
            { name: 'partners', members: ['ada', 'ben', 'eve'] },
            { name: 'reports', members: ['ada', 'ben'] },
          ],
          userGroups: [{ handle: 'reporters', members: ['ben'] }],
        },
      },
    });
    await workspace.slack.connected();
  });
  afterAll(() => workspace.close());

  const subscribed = async (channel: string) => {
    await ops('ben').type(`/edge report subscribe daily-statistics "every day at 9:00" --channel #${channel}`);
    const preview = await ops('ben').expectMessage(/The next 5 runs/);
    await preview.click('Confirm');
    await preview.expectChange(/Done\./);
  };
  const posts = (channel: string) =>
    (workspace.slack.workspace.messages.get(workspace.slack.workspace.channel(channel).id) ?? []).length;

  const aDayLater = async () => {
    ahead += 24 * 3_600_000;
    await workspace.restart();
    await workspace.app.tick();
  };

  it('subscribes a channel, which may only ask for the status, from elsewhere', async () => {
    await ops('ben').type('/edge report subscribe daily-statistics "every day at 9:00" --channel #quiet');
    await ops('ben').expectMessage(/You may not run report subscribe[\s\S]*#quiet allows only status/);
    await ops('ben').type('/edge can-i report subscribe daily-statistics "every day at 9:00" --channel #quiet');
    await ops('ben').expectMessage(/No, you may not run report subscribe/);
  });

  it('has people of other organisations read it, and nobody is told that they do', async () => {
    await ops('ben').type('/edge report subscribe daily-statistics "every day at 9:00" --channel #partners');
    const preview = await ops('ben').expectMessage(/The next 5 runs/);
    expect(preview.text).toMatch(/People of other organisations are in #partners: they read it too/);
    await preview.click('Cancel');
  });

  it('subscribes, as only an admin may, a channel that people of other organisations read', async () => {
    await ops('ada').type('/edge report subscribe daily-statistics "every day at 9:00" --channel #partners');
    await ops('ada').expectMessage(
      /You may not run report subscribe[\s\S]*people of other organisations are in this channel/i,
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
      .expectMessage(/daily-statistics for #reports .* does not work[\s\S]*You may not run report subscribe/);
    reporters().members.push('U0BEN000002');
    await aDayLater();
    expect(posts('reports')).toBeGreaterThan(before);
  });
});
