import { afterEach, describe, expect, it } from 'vitest';
import { buildManifest } from '../../src/manifest.ts';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const NAME = 'mpdm-ada--ben--edgewise-1';
const { oauth_config, settings } = buildManifest('socket');
const SCOPES = oauth_config.scopes.bot;
const EVENTS: string[] = settings.event_subscriptions.bot_events;

describe('a group direct message', () => {
  let workspace: TestWorkspace | undefined;
  afterEach(() => workspace?.close());

  async function start({ scopes = SCOPES, events = EVENTS }: { scopes?: string[]; events?: string[] } = {}) {
    const channels = [{ name: NAME, members: ['ada', 'ben'], isMpim: true }];
    workspace = await startTestWorkspace({ slack: { scopes, events, workspace: { channels } } });
    const { slack } = workspace;
    return { slack, group: slack.person('ada').in(`#${NAME}`), id: slack.workspace.channel(NAME).id };
  }
  const posts = ({ outgoing }: { outgoing: readonly { method: string }[] }) =>
    outgoing.filter(({ method }) => method.startsWith('chat.post')).length;

  it.each([
    ['a mention', EVENTS.filter((event) => event !== 'message.mpim')],
    ['a message', EVENTS.filter((event) => event !== 'app_mention')],
    ['both', EVENTS],
  ])('takes a command once that Slack tells of as %s', async (_, events) => {
    const { slack, group } = await start({ events });
    await group.type('nothing for @ben');
    await group.type('@edgewise zone list');
    await group.expectMessage(/main-site/);
    await slack.idle();
    expect(posts(slack)).toBe(1);
  });

  it('is called what it is, and gets reports', async () => {
    const { slack, group } = await start();
    await group.type('/edge report subscribe daily-statistics "weekdays at 9:00"');
    const preview = await group.expectMessage(/Channel: group direct messages|group direct messages/i);
    await preview.click(CONFIRM);
    await group.expectMessage(/subscribed group direct messages to /);
    expect(slack.problems).toEqual([]);
  });

  it.each(['mpim:read', 'mpim:history'])('is promised nothing without %s: the next step is said', async (scope) => {
    const { group, slack } = await start({ scopes: SCOPES.filter((one) => one !== scope) });
    await group.type('/edge report subscribe daily-statistics "weekdays at 9:00"');
    const told = await group.expectMessage(new RegExp(`lacks the scope ${scope}`));
    expect(told.text).toMatch(/add it to the app’s manifest and reinstall the app/);
    expect(told.buttons.filter((label) => CONFIRM.test(label))).toEqual([]);
    expect(slack.problems.every((problem) => problem.includes(scope))).toBe(true);
  });

  it('answers other commands without those scopes', async () => {
    const { group } = await start({ scopes: SCOPES.filter((one) => !one.startsWith('mpim:')) });
    await group.type('/edge zone list');
    await group.expectMessage(/main-site/);
  });
});
