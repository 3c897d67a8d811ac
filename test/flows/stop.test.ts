import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { ASKED, CONFIRM } from '../support/changes.ts';
import { HAS_POSTGRES, somePostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** In more of a hurry than a deployment. */
const SOON = { reads: 0, changes: 50 };

describe('a bot that is told to stop', () => {
  let workspace: TestWorkspace;

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  afterEach(() => workspace.platform.clearFaults());

  const ops = () => workspace.slack.person('ada').in('#ops');
  const sent = () => workspace.platform.requests.filter(({ path }) => path.endsWith('/setForceSSL')).length;

  async function until(what: () => Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < 300; turn += 1) {
      if (await what()) return;
      await new Promise((next) => setTimeout(next, 10));
    }
    throw new Error('it did not come about');
  }

  async function stored(sql: string): Promise<unknown> {
    const client = byHand(workspace.storeFile);
    const { rows } = await client.execute(sql);
    client.close();
    return Object.values(rows[0] ?? {})[0];
  }
  const state = () => stored('SELECT state FROM confirmations ORDER BY created_at DESC LIMIT 1');
  const underWay = () => stored("SELECT count(*) FROM jobs WHERE kind = 'payload' AND holder IS NOT NULL");

  it('stops a long read with a word to its asker, and a button that starts it again', async () => {
    workspace.platform.fault('slow=60000@GET /pullzone');
    await ops().type('/edge zone list');
    await ops().expectMessage(/takes a moment/);
    await workspace.restart(SOON);
    workspace.platform.clearFaults();
    const told = await ops().expectMessage(/is being restarted, and stopped zone list\. Nothing was changed/);
    await told.click('Start it again');
    await ops().expectMessage(/shop/);
    expect(workspace.slack.problems).toEqual([]);
  });

  it('hands over what it had not begun', async () => {
    workspace.stall('written');
    await ops().type('/edge zone list');
    await until(async () => (await underWay()) === 1);
    await workspace.restart(SOON);
    await ops().expectMessage(/shop/);
  });

  it('hands over a change of which nothing was sent, and the next one does it once', async () => {
    await ops().type('/edge ssl force cdn.example.com on');
    const card = await ops().expectMessage(ASKED);
    workspace.platform.fault('slow=60000@GET /pullzone');
    await card.click(CONFIRM);
    await until(async () => (await state()) === 'claimed');
    const stopping = workspace.restart(SOON);
    await until(async () => (await state()) !== 'claimed');
    workspace.platform.clearFaults();
    await stopping;
    await ops().expectMessage(/switched force HTTPS .*on for/);
    await workspace.slack.idle();
    expect(sent()).toBe(1);
    expect(await state()).toBe('done');
    expect(workspace.slack.problems).toEqual([]);
  });

  it('is not ready at once, and takes Slack’s requests until the balancer has seen it', async () => {
    const { app } = workspace;
    const stopping = app.stop({ grace: 400 });
    const { status } = await fetch(`http://127.0.0.1:${app.port}/health/ready`);
    expect(status).toBe(503);
    await ops().type('/edge zone list');
    await ops().expectMessage(/shop/);
    await stopping;
    await expect(fetch(`http://127.0.0.1:${app.port}/health/ready`)).rejects.toThrow();
    await workspace.kill();
  });
});

describe.skipIf(!HAS_POSTGRES)(`a bot on a server that is told to stop${WITHOUT_POSTGRES}`, () => {
  it('logs no error: that the store is closed is no news then', { timeout: 60_000 }, async () => {
    const server = await somePostgres();
    const workspace = await startTestWorkspace({ environment: { STORE_URL: server.url } });
    while (!workspace.logged.some((line) => line.includes('the audit is intact')))
      await new Promise((next) => setTimeout(next, 10));
    await workspace.app.stop();
    expect(workspace.logged.filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
    await workspace.close();
    await server.close();
  });
});
