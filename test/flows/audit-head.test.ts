import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPlatformSimulator } from '../../playground/platform/simulator.ts';
import { startSlackEmulator } from '../../playground/slack/emulator.ts';
import { type App, startApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { byHand } from '../support/by-hand.ts';
import { ASKED, CONFIRM, confirmed } from '../support/changes.ts';
import { HAS_POSTGRES, type Postgres, somePostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const HEAD = /The audit’s head after \d+ entries/;

describe('the head of the audit', () => {
  let workspace: TestWorkspace;
  let settings: Record<string, string> = {};
  /** How late its clock is, in milliseconds: the store is older than a moment by the first restart. */
  let late = 4 * 60_000;
  const ops = () => workspace.slack.person('ada').in('#ops');
  const idOf = (name: string) => workspace.slack.workspace.channel(name).id;
  const writes = () => workspace.platform.writes().length;
  const heads = () =>
    workspace.slack.outgoing.filter(
      ({ method, body }) => method === 'chat.postMessage' && HEAD.test(JSON.stringify(body)),
    );

  beforeAll(async () => {
    workspace = await startTestWorkspace({
      now: () => new Date(Date.now() - late),
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
    late = 0;
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

describe.skipIf(!HAS_POSTGRES)(`two replicas that find an empty store${WITHOUT_POSTGRES}`, () => {
  let store: Postgres;
  beforeAll(async () => {
    store = await somePostgres();
  });
  afterAll(() => store.close());

  async function world() {
    const platform = await startPlatformSimulator();
    const slack = await startSlackEmulator();
    const audit = slack.workspace.channel('releases').id;
    const config = parseConfig({
      ...platform.environment,
      ...slack.environment,
      PORT: '0',
      LOG_LEVEL: 'silent',
      STORE_URL: await store.fresh(),
      AUDIT_CHANNEL: audit,
      // Its subscriptions are the first entries.
      REPORT_CHANNEL: slack.workspace.channel('ops').id,
      EDGEWISE_ADMINS: slack.workspace.user('ada').id,
      EDGEWISE_ENCRYPTION_KEY: 'a key for this test only',
    });
    const bots: App[] = [];
    return {
      ...{ slack, config, bots },
      start: async () => void bots.push(await startApp(config)),
      posted: () =>
        slack
          .person('ada')
          .in(audit)
          .messages.map(({ text }) => text),
      async close() {
        await Promise.all(bots.map((bot) => bot.stop()));
        await slack.close();
        await platform.close();
      },
    };
  }

  it.each([
    ['at the same moment', true],
    ['one before the other has posted a head', false],
  ])('%s both believe it, and the audit is intact', async (_, isAtOnce) => {
    const { slack, bots, start, posted, close } = await world();
    if (isAtOnce) await Promise.all([start(), start()]);
    else {
      const mended = slack.fault('chat.postMessage=hang:1*1');
      for (const _ of [1, 2]) await start();
      mended();
    }
    await expect.poll(() => posted().filter((text) => HEAD.test(text)), { timeout: 15_000 }).toHaveLength(2);
    expect(posted().join()).not.toMatch(/Somebody else|can’t tell/);
    const ops = slack.person('ada').in('#ops');
    for (const [at, state] of ['on', 'off'].entries()) {
      slack.deliverTo({ eventsUrl: `http://127.0.0.1:${bots[at]!.port}/slack/events` });
      await ops.type(`/edge ssl force shop.example.com ${state}`);
      const card = await ops.expectMessage(ASKED);
      await card.click(CONFIRM);
      await ops.expectMessage(/switched force HTTPS/);
      await ops.type('/edge audit verify');
      await ops.expectMessage(/The audit is intact/);
    }
    await close();
  });

  it('post a head at a start although somebody else wrote that all work is another’s, for ever', async () => {
    const { config, start, posted, bots, close } = await world();
    await start();
    await expect.poll(() => posted().filter((text) => HEAD.test(text)), { timeout: 15_000 }).toHaveLength(1);
    await bots.pop()!.stop();
    const client = new pg.Client({ connectionString: config.STORE_URL.reveal() });
    await client.connect();
    await client.query(
      `INSERT INTO jobs (key, kind, run_at, holder, lease_until, epoch, body)
       SELECT kind, kind, 9e15, 'nobody', 9e15, 9, '' FROM (VALUES ('head'), ('expiry'), ('retention')) AS kinds (kind)
       ON CONFLICT (key) DO UPDATE SET run_at = 9e15, holder = 'nobody', lease_until = 9e15`,
    );
    await client.end();
    await start();
    await expect.poll(() => posted().filter((text) => HEAD.test(text)), { timeout: 15_000 }).toHaveLength(2);
    await close();
  });
});
