import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ByHand, byHand } from '../../test/support/by-hand.ts';
import { confirmed } from '../../test/support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';

/** The rows are genuine: the bot itself has written each of them, once. Over Socket Mode, because the clock is moved. */
describe('Somebody who puts a row of the store back as it once was', () => {
  let workspace: TestWorkspace;
  const since = performance.now();
  let start = Date.parse('2026-11-20T09:30:00Z');
  const ops = () => workspace.slack.person('ada').in('#ops');
  const posts = () =>
    workspace.slack.outgoing.filter(
      ({ method, body }) => method === 'chat.postMessage' && JSON.stringify(body).includes(', 2026: '),
    ).length;

  beforeAll(async () => {
    workspace = await startTestWorkspace({ now: () => new Date(start + performance.now() - since), socket: true });
    await workspace.slack.connected();
  });
  afterAll(() => workspace.close());

  async function inStore<T>(work: (client: ByHand) => Promise<T>): Promise<T> {
    const client = byHand(workspace.storeFile);
    try {
      return await work(client);
    } finally {
      client.close();
    }
  }

  async function whileStopped(...statements: string[]): Promise<void> {
    await workspace.app.stop();
    await inStore((client) => client.executeMultiple(statements.join(';')));
    await workspace.restart();
    await workspace.slack.connected();
  }

  const aDayLater = async () => {
    start += 24 * 3_600_000;
    await workspace.app.tick();
  };
  const verified = async (said: RegExp) => {
    await ops().type('/edge audit verify');
    return (await ops().expectMessage(said)).text;
  };

  it('has a report that was ended come again', async () => {
    await confirmed(workspace, 'report subscribe daily-statistics "every day at 9:00"');
    await inStore((client) => client.execute('CREATE TABLE kept AS SELECT * FROM subscriptions'));
    await aDayLater();
    expect(posts()).toBe(1);
    await confirmed(workspace, 'report unsubscribe 1');
    await whileStopped('DELETE FROM subscriptions', 'INSERT INTO subscriptions SELECT * FROM kept');
    const asked = workspace.platform.requests.length;
    await aDayLater();
    expect(posts()).toBe(1);
    expect(workspace.platform.requests.slice(asked).filter(({ path }) => path.startsWith('/statistics'))).toEqual([]);
    await workspace.slack
      .person('ada')
      .in('@edgewise')
      .expectMessage(/subscription 1 has ended, as the audit says[\s\S]*report unsubscribe 1 ends it/);
    await verified(/In subscriptions: 1 has ended, as the audit says/);
    await confirmed(workspace, 'report unsubscribe 1');
    await verified(/The audit is intact/);
  });

  it('has a report that is muted speak', async () => {
    await confirmed(workspace, 'report subscribe daily-statistics "every day at 9:00"');
    await inStore((client) =>
      client.executeMultiple('DROP TABLE kept; CREATE TABLE kept AS SELECT * FROM subscriptions'),
    );
    await confirmed(workspace, 'report mute 2 7d');
    await whileStopped(
      'DELETE FROM subscriptions WHERE id = 2',
      'INSERT INTO subscriptions SELECT * FROM kept WHERE id = 2',
    );
    const before = posts();
    await aDayLater();
    expect(posts()).toBe(before);
    await verified(/In subscriptions: 2 is older than the audit says/);
  });
});
