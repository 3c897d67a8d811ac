import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
let events = 0;

beforeEach(async () => {
  workspace = await startTestWorkspace();
});
afterEach(() => workspace.close());

const ops = () => workspace.slack.person('ada').in('#ops');

/** Slack tells of something. */
async function happens(event: object): Promise<void> {
  const { slack } = workspace;
  events += 1;
  const body = { type: 'event_callback', team_id: slack.workspace.team.id, event_id: `Ev0GONE${events}`, event };
  expect((await slack.signedRequest(JSON.stringify(body))).status).toBe(200);
}

async function subscribe(): Promise<void> {
  await ops().type('/edge report subscribe daily-statistics "daily at 16:00" --channel #releases');
  const preview = await ops().expectMessage(/#releases/);
  await preview.click(CONFIRM);
  await preview.expectGone();
}

const fatal = () => workspace.logged.filter((line) => JSON.parse(line).level === 60);

describe('what is gone', () => {
  it.each(['channel_archive', 'channel_deleted', 'group_archive', 'group_deleted'])(
    'ends with %s: subscriptions and what waits there, with a word to their owner',
    async (type) => {
      await subscribe();
      const releases = workspace.slack.person('ada').in('#releases');
      await releases.type('/edge ssl force cdn.example.com on');
      const preview = await releases.expectMessage(/Force HTTPS/);
      await happens({
        type,
        channel: workspace.slack.workspace.channel('#releases').id,
        user: 'U0ANYBODY',
        is_moved: 0,
      });
      const direct = workspace.slack.person('ada').in('@edgewise');
      await direct.expectMessage(
        /A subscription has ended: the channel was archived or deleted\.[\s\S]*daily-statistics/,
      );
      await preview.click(CONFIRM);
      await releases.expectMessage(/Not done: [\s\S]*its channel was archived or deleted\./);
      await ops().type('/edge report list');
      await ops().expectMessage(/Nobody has subscribed/);
      expect(workspace.platform.writes()).toEqual([]);
    },
  );

  it('ends with the app: nothing that waited can be run later, and the log says what to do', async () => {
    await subscribe();
    await ops().type('/edge ssl force cdn.example.com on');
    const preview = await ops().expectMessage(/Force HTTPS/);
    await happens({ type: 'tokens_revoked', tokens: { oauth: ['U0ADA'], bot: [] } });
    await happens({ type: 'tokens_revoked', tokens: { bot: ['U0OTHERBOT'] } });
    await ops().type('/edge report list');
    await ops().expectMessage(/daily-statistics/);
    expect(fatal()).toEqual([]);
    await happens({ type: 'app_uninstalled' });
    await expect.poll(fatal).toHaveLength(1);
    await preview.click(CONFIRM);
    await ops().expectMessage(/Not done: [\s\S]*the app was uninstalled\./);
    expect(workspace.platform.writes()).toEqual([]);
  });
});
