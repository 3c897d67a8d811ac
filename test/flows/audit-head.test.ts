import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { ASKED, CONFIRM, confirmed } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const HEAD = /The audit’s head after \d+ entries/;

describe('the head of the audit', () => {
  let workspace: TestWorkspace;
  let settings: Record<string, string> = {};
  const ops = () => workspace.slack.person('ada').in('#ops');
  const idOf = (name: string) => workspace.slack.workspace.channel(name).id;
  const writes = () => workspace.platform.writes().length;
  const heads = () =>
    workspace.slack.outgoing.filter(
      ({ method, body }) => method === 'chat.postMessage' && HEAD.test(JSON.stringify(body)),
    );

  beforeAll(async () => {
    workspace = await startTestWorkspace({
      slack: {
        workspace: {
          channels: [
            { name: 'ops', members: ['ada', 'ben'] },
            { name: 'proofs', members: ['ada'] },
          ],
        },
      },
      environment: () => settings,
    });
    await confirmed(workspace, 'ssl force shop.example.com on');
  });
  afterAll(() => workspace.close());

  async function restarted(more: Record<string, string>) {
    settings = more;
    await workspace.restart();
    await workspace.slack.idle();
  }

  async function inStore(...statements: string[]): Promise<void> {
    await workspace.app.stop();
    const client = byHand(workspace.storeFile);
    for (const sql of statements) await client.execute(sql);
    client.close();
  }

  /** Somebody presses the button of a change. */
  async function refused(said: RegExp, state = 'off'): Promise<void> {
    const before = writes();
    await ops().type(`/edge ssl force shop.example.com ${state}`);
    const card = await ops().expectMessage(ASKED);
    await card.click(CONFIRM);
    await card.expectChange(said);
    expect(writes()).toBe(before);
  }

  it('is wanted: without one in the channel nothing is changed, and channel, log and answer say so', async () => {
    await restarted({ AUDIT_CHANNEL: idOf('ops') });
    await ops().expectMessage(/no head of the audit was found[\s\S]*EDGEWISE_STORE_ADOPT=on/);
    await refused(/I can’t tell whether my store is the newest copy/);
    await ops().type('/edge audit verify');
    await ops().expectMessage(/I can’t tell whether my store is the newest copy/);
    expect(workspace.logged.join('')).toMatch(/no head of the audit was found/);
    expect(heads()).toEqual([]);
  });

  it('is still wanted at the next start', async () => {
    await restarted({ AUDIT_CHANNEL: idOf('ops') });
    await refused(/I can’t tell whether my store is the newest copy/);
    expect(heads()).toEqual([]);
  });

  it('is posted where whoever runs the bot takes the store as it is, and from then on at each start, the same day too', async () => {
    await restarted({ AUDIT_CHANNEL: idOf('ops'), EDGEWISE_STORE_ADOPT: 'on' });
    await ops().expectMessage(HEAD);
    for (const _ of [2, 3]) {
      await restarted({ AUDIT_CHANNEL: idOf('ops') });
      await ops().expectMessage(HEAD);
    }
    await confirmed(workspace, 'ssl force shop.example.com off');
  });

  it('is posted whatever a row says that somebody else has written', async () => {
    await inStore(
      `INSERT INTO approvals (confirmation, approver, verdict, reason, at) VALUES ('x', 'U1', 'approved', '', 1)`,
    );
    await restarted({ AUDIT_CHANNEL: idOf('ops') });
    await ops().expectMessage(/Somebody else has written to the bot’s store[\s\S]*The audit’s head/);
    await inStore(`UPDATE audit_head SET number = number + 100`);
    await restarted({ AUDIT_CHANNEL: idOf('ops') });
    await ops().expectMessage(/Somebody else has written to the bot’s store[\s\S]*The audit’s head/);
    await inStore(`UPDATE audit_head SET number = number - 100`, `DELETE FROM approvals WHERE confirmation = 'x'`);
  });

  it('is asked for until Slack answers, and nothing is changed before', async () => {
    const mended = workspace.slack.fault('conversations.history=internal_error');
    await restarted({ AUDIT_CHANNEL: idOf('ops') });
    await refused(/I can’t tell whether my store is the newest copy: .*could not be read back/, 'on');
    mended();
    await confirmed(workspace, 'ssl force shop.example.com on');
  });
});
