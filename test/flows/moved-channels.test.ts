import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const OLD = 'C0RELEASES2';
const NEW = 'C0MOVED0009';
const POLICY = `
roles:
  team: { people: [U0ADA000001], allow: ['*'] }
channels:
  ${OLD}: { allow: [{ effect: read }] }
  C0OPS000001: { allow: ['*'] }
  other: { allow: ['*'] }
`;
const LINE = '/edge ssl force cdn.example.com on';
const CLOSED = /You may not run ssl force: [\s\S]*allows only commands that read/;

/** As when it is made private or public, or shared with another organisation. */
describe('a channel to which Slack gives another id', () => {
  let workspace: TestWorkspace;
  let folder: string;
  let events = 0;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      slack: {
        workspace: { channels: [{ name: 'hidden', members: ['ada'], bot: false, isPrivate: true }] },
      },
    });
  });
  afterEach(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });

  const at = (channel: string) => workspace.slack.person('ada').in(channel);

  async function happens(event: object): Promise<void> {
    events += 1;
    const { slack } = workspace;
    const body = { type: 'event_callback', team_id: slack.workspace.team.id, event_id: `Ev0MOVED${events}`, event };
    expect((await slack.signedRequest(JSON.stringify(body))).status).toBe(200);
    await slack.idle();
  }

  /** Slack has the channel under another id, with all that is in it. */
  function renumber(name: string, after: string): string {
    const { channels, messages, channel: called } = workspace.slack.workspace;
    const channel = called(name);
    const before = channel.id;
    channels.delete(before);
    channels.set(after, Object.assign(channel, { id: after }));
    const all = messages.get(before) ?? [];
    messages.delete(before);
    messages.set(after, all);
    for (const message of all) message.channel = after;
    return before;
  }
  async function moved(name: string, after: string): Promise<void> {
    const before = renumber(name, after);
    const ts = `${events + 1}.0`;
    await happens({ type: 'channel_id_changed', old_channel_id: before, new_channel_id: after, event_ts: ts });
  }
  async function closed(channel = '#releases'): Promise<void> {
    await at(channel).type(LINE);
    await at(channel).expectMessage(CLOSED);
  }
  async function open(channel: string): Promise<void> {
    await at(channel).type(LINE);
    await at(channel).expectMessage(/Force HTTPS/);
  }
  it('keeps its restriction, and others have theirs', async () => {
    await closed();
    await moved('#releases', NEW);
    await closed();
    await open('#ops');
  });

  it('keeps it over two moves, and when it has its first id again', async () => {
    await moved('#releases', NEW);
    await moved('#releases', 'G0MOVED0010');
    await closed();
    await moved('#releases', OLD);
    await closed();
  });

  it('keeps it over a restart', async () => {
    await moved('#releases', NEW);
    await workspace.restart();
    await closed();
  });

  it('leaves an entry in the audit', async () => {
    await moved('#releases', NEW);
    await at('#ops').type('/edge audit list --limit 3');
    await at('#ops').expectMessage(new RegExp(`channel moved[\\s\\S]*${OLD} → ${NEW}`));
  });

  it('loses no change that waits in it', async () => {
    await at('#ops').type(LINE);
    const preview = await at('#ops').expectMessage(/Force HTTPS/);
    await moved('#ops', NEW);
    const same = at('#ops').messages.find(({ ts }) => ts === preview.ts)!;
    await same.click(CONFIRM);
    await expect.poll(() => workspace.platform.writes()).toHaveLength(1);
  });

  it('is moved by nobody who can only write to the store', async () => {
    await closed();
    const client = byHand(workspace.storeFile);
    await client.execute(`INSERT INTO channel_moves (old_id, new_id, at) VALUES ('${OLD}', '${NEW}', 1)`);
    client.close();
    await workspace.restart();
    await closed();
    await at('#ops').type('/edge audit verify');
    await at('#ops').expectMessage(new RegExp(`channel_moves: ${OLD} was not written like this by the bot`));
  });

  it('is not moved by an event that lacks an id, or names the same one twice', async () => {
    await happens({ type: 'channel_id_changed', old_channel_id: OLD });
    await happens({ type: 'channel_id_changed', old_channel_id: OLD, new_channel_id: OLD });
    await closed();
  });

  it('is missed where Slack told nobody: status says so, and what Slack does not name is as narrow', async () => {
    await open('#hidden');
    renumber('#releases', NEW);
    await workspace.restart();
    await at('#ops').type('/edge status');
    await at('#ops').expectMessage(new RegExp(`not found: ${OLD}`));
    expect(workspace.logged.join()).toMatch(new RegExp(`"channels":\\["${OLD}"\\]`));
    await closed('#hidden');
    await open('#ops');
  });
});

describe('what was subscribed in a channel that has another id', () => {
  let workspace: TestWorkspace;
  beforeEach(async () => {
    workspace = await startTestWorkspace();
  });
  afterEach(() => workspace.close());
  const ops = () => workspace.slack.person('ada').in('#ops');

  it('goes on there, and ends with it', async () => {
    await ops().type('/edge report subscribe daily-statistics "daily at 16:00" --channel #releases');
    const preview = await ops().expectMessage(/#releases/);
    await preview.click(CONFIRM);
    await preview.expectGone();
    const { slack } = workspace;
    const channel = slack.workspace.channel('#releases');
    slack.workspace.channels.delete(OLD);
    slack.workspace.channels.set(NEW, Object.assign(channel, { id: NEW }));
    let event = 0;
    const happens = async (fields: object) => {
      event += 1;
      const body = {
        type: 'event_callback',
        team_id: slack.workspace.team.id,
        event_id: `Ev0SUB${event}`,
        event: fields,
      };
      expect((await slack.signedRequest(JSON.stringify(body))).status).toBe(200);
      await slack.idle();
    };
    await happens({ type: 'channel_id_changed', old_channel_id: OLD, new_channel_id: NEW });
    const releases = workspace.slack.person('ada').in('#releases');
    await releases.type('/edge report list --here');
    await releases.expectMessage(/daily-statistics[\s\S]*#releases/);
    await happens({ type: 'channel_archive', channel: NEW, user: 'U0ANYBODY' });
    await workspace.slack
      .person('ada')
      .in('@edgewise')
      .expectMessage(/A subscription has ended: the channel was archived or deleted\./);
  });
});
