import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { confirmed } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const MINUTE = 60_000;

/** What docs/operating.md says, measured. Over Socket Mode: the clock that is moved here would make every signature stale. */
describe.each([20, 500])('what the platform is asked an hour for what was changed, with %i zones', (count) => {
  let workspace: TestWorkspace;
  let at = Date.parse('2026-11-24T09:00:30Z');
  const now = () => new Date(at);
  let from = 0;
  /** Of the list of zones. */
  const pages = Math.ceil(count / 200);

  beforeAll(async () => {
    workspace = await startTestWorkspace({ now, socket: true, platform: { elapsed: () => at } });
    await workspace.slack.connected();
    const { zones } = workspace.platform.account;
    const [last] = zones.slice(-1);
    while (zones.length < count) {
      const Id = 400_000 + zones.length;
      zones.push({ ...last!, Id, Name: `more-${Id}`, Hostnames: [] });
    }
  });
  afterAll(() => workspace.close());
  beforeEach(() => {
    from = workspace.platform.requests.length;
  });

  async function pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      at += MINUTE;
      await workspace.app.tick();
      await workspace.app.idle();
    }
    await workspace.slack.idle();
  }
  /** How often each endpoint was asked since the test began, or since the last call. */
  function asked(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { method, path } of workspace.platform.requests.slice(from)) {
      const what = `${method} ${path.replace(/\/\d{4}-[^/]*$/, '/{date}').replace(/\/\d+(?=\/|$)/g, '/{id}')}`;
      counts[what] = (counts[what] ?? 0) + 1;
    }
    from = workspace.platform.requests.length;
    return counts;
  }

  it('is nothing while nobody subscribes, whatever is changed elsewhere', async () => {
    workspace.platform.byHand();
    await pass(60);
    expect(asked()).toEqual({});
  });

  it.each([
    ['off', { logs: 2, statistics: 2, lists: 3 }],
    ['on --watch', { logs: 12, statistics: 7, lists: 8 }],
  ])(
    'is the same for the quarter of an hour after a change of any zone: %s',
    async (rest, { logs, statistics, lists }) => {
      await confirmed(workspace, `ssl force shop.example.com ${rest}`);
      await pass(16);
      expect(asked()).toEqual({
        'POST /pullzone/{id}/setForceSSL': 1,
        'GET /v2/pullzones/{id}/logs': logs,
        'GET /statistics': statistics,
        'GET /pullzone': lists * pages,
      });
    },
  );

  it('is two for the releases of a script', async () => {
    const ops = workspace.slack.person('ada').in('#ops');
    await ops.type('/edge script releases ab-testing');
    await ops.expectMessage(/releases/);
    expect(asked()).toEqual({ 'GET /compute/script': 1, 'GET /compute/script/{id}/releases': 1 });
  });

  it('is the audit every five minutes for a subscription, and the zones that its owner may see', async () => {
    await confirmed(workspace, 'report subscribe changes "every 5 minutes"');
    await pass(35);
    asked();
    await pass(60);
    expect(asked()).toEqual({ 'GET /user/audit/{date}': 12, 'GET /pullzone': 12 * pages });
    workspace.platform.byHand();
    await pass(60);
    expect(asked()).toEqual({ 'GET /user/audit/{date}': 12, 'GET /pullzone': 12 * pages });
  });
});
