import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byHand } from '../../test/support/by-hand.ts';
import { ASKED, CONFIRM, confirmed } from '../../test/support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';

/** The whole file is genuine, and older than what the bot has posted. Over Socket Mode, because the clock is moved. */
describe('Somebody who puts the whole store back as it was, and waits for a restart', () => {
  let workspace: TestWorkspace;
  const more: Record<string, string> = {};
  const since = performance.now();
  let start = Date.parse('2026-11-20T09:30:00Z');
  let channel = '';
  const ops = () => workspace.slack.person('ada').in('#ops');
  const writes = () => workspace.platform.writes().length;
  let copies = 0;
  const copy = () => `${workspace.storeFile}.copy${copies}`;

  beforeAll(async () => {
    workspace = await startTestWorkspace({
      now: () => new Date(start + performance.now() - since),
      socket: true,
      prepare: (slack) => {
        channel = slack.workspace.channel('ops').id;
      },
      environment: () => ({ AUDIT_CHANNEL: channel, ...more }),
    });
    await workspace.slack.connected();
  });
  afterAll(() => workspace.close());

  async function restarted() {
    await workspace.restart();
    await workspace.slack.connected();
    await workspace.slack.idle();
  }

  /** Every row of every table, the head of the audit too. */
  async function putBack() {
    await workspace.app.stop();
    const client = byHand(workspace.storeFile);
    const schema = await client.execute('SELECT type, name FROM sqlite_schema');
    const named = (wanted: string) => schema.rows.flatMap(({ type, name }) => (type === wanted ? [String(name)] : []));
    await client.executeMultiple(
      [
        `ATTACH '${copy()}' AS old`,
        ...named('trigger').map((name) => `DROP TRIGGER ${name}`),
        ...named('table').map((name) => `DELETE FROM ${name}; INSERT INTO ${name} SELECT * FROM old.${name}`),
      ].join(';'),
    );
    client.close();
    await restarted();
  }

  it('has a change put back a second time', async () => {
    await confirmed(workspace, 'ssl force shop.example.com on --for 1h');
    const client = byHand(workspace.storeFile);
    await client.execute(`VACUUM INTO '${copy()}'`);
    client.close();
    start += 24 * 3_600_000;
    await restarted();
    await workspace.slack.idle();
    await ops().expectMessage(/The audit’s head after \d+ entries/);
    const host = workspace.platform.account.zones
      .flatMap(({ Hostnames }) => Hostnames)
      .find(({ Value }) => Value === 'shop.example.com')!;
    expect(host.ForceSSL).toBe(false);
    host.ForceSSL = true;
    const before = writes();
    await putBack();
    expect(writes()).toBe(before);
    expect(host.ForceSSL).toBe(true);
    host.ForceSSL = false;
  });

  it('has a new change go on top of it, and nobody is to notice', async () => {
    const before = writes();
    await ops().type('/edge ssl force shop.example.com on');
    const card = await ops().expectMessage(ASKED);
    await card.click(CONFIRM);
    await card.expectChange(/The bot’s store was changed by something other than Edgewise/);
    expect(writes()).toBe(before);
    await ops().type('/edge audit verify');
    await ops().expectMessage(/Entry \d+ (is missing, and everything after it|was changed)/);
  });

  it('is whoever runs the bot, who says so: then it goes on', async () => {
    more.EDGEWISE_STORE_ADOPT = 'on';
    await restarted();
    await ops().expectMessage(/The audit’s head after \d+ entries/);
    delete more.EDGEWISE_STORE_ADOPT;
    await restarted();
    await confirmed(workspace, 'ssl force shop.example.com on');
    await ops().type('/edge audit verify');
    await ops().expectMessage(/The audit is intact/);
  });

  it('is not helped by the newest head being deleted while an older one is there that the copy lacks', async () => {
    copies += 1;
    const client = byHand(workspace.storeFile);
    await client.execute(`VACUUM INTO '${copy()}'`);
    client.close();
    const heads = () =>
      (workspace.slack.workspace.messages.get(channel) ?? []).filter(
        ({ isDeleted, revisions }) => !isDeleted && /audit’s head/.test(revisions.at(-1)?.text ?? ''),
      );
    for (const state of ['off', 'on']) {
      await confirmed(workspace, `ssl force shop.example.com ${state}`);
      const before = heads().length;
      await restarted();
      await expect.poll(() => heads().length).toBe(before + 1);
    }
    const before = writes();
    heads().at(-1)!.isDeleted = true;
    await putBack();
    await ops().type('/edge ssl force shop.example.com off');
    const card = await ops().expectMessage(ASKED);
    await card.click(CONFIRM);
    await card.expectChange(/The bot’s store was changed by something other than Edgewise/);
    expect(writes()).toBe(before);
  });
});
