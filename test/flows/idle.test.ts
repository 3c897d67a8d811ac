import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { METRICS_TOKEN, metricsAt } from '../support/metrics.ts';
import { startTestWorkspace } from '../support/workspace.ts';

const MINUTE = 60_000;
const POLICY = `
roles:
  shop:
    groups: ['@shop']
    allow: ['*']
channels:
  '#ops': { allow: ['*'] }
`;

describe('An hour in which nobody asks for anything', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    vi.useRealTimers();
    for (const close of closing.splice(0).reverse()) await close();
  });

  it('costs no call of Slack and no request to the platform, and the store what docs/operating.md says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'edgewise-idle-'));
    closing.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'policy.yml');
    writeFileSync(file, POLICY);
    // Requests are signed with the time of the machine: when somebody types, it is that.
    let now = Date.now() - 60 * MINUTE;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const workspace = await startTestWorkspace({
      now: () => new Date(now),
      environment: { POLICY_FILE: file, METRICS_TOKEN },
      slack: { workspace: { userGroups: [{ handle: 'shop', members: ['ben'] }] } },
    });
    closing.push(() => workspace.close());
    const { slack, platform, app } = workspace;
    const statements = async () => {
      const text = await metricsAt(app.port);
      const lines = text
        .split('\n')
        .filter((line) => line.startsWith('edgewise_store_statement_duration_seconds_count'));
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };
    const asked = slack.outgoing.map(({ method }) => method);
    expect(asked, 'the start reads what the policy names').toContain('usergroups.list');
    const before = { slack: asked.length, platform: platform.requests.length, store: await statements() };
    for (let passed = 0; passed < 60; passed += 1) {
      // As often as the quickest timer, which else would begin once in place of several times.
      for (let step = 0; step < 4; step += 1) {
        now += MINUTE / 4;
        vi.advanceTimersByTime(MINUTE / 4);
        // The store of this test answers before the next turn of the loop.
        await new Promise((turn) => setImmediate(turn));
        await new Promise((turn) => setImmediate(turn));
      }
      await app.tick();
    }
    expect(slack.outgoing.slice(before.slack).map(({ method }) => method)).toEqual([]);
    expect(platform.requests.length - before.platform).toBe(0);
    const store = (await statements()) - before.store;
    const said =
      /embedded store runs ([\d,]+) statements an hour/.exec(readFileSync('docs/operating.md', 'utf8'))?.[1] ?? '';
    const ratio = store / Number(said.replaceAll(',', ''));
    expect(Math.abs(ratio - 1), `${store} statements`).toBeLessThan(0.25);
    await slack.person('ben').in('#ops').type('/edge can-i zone list');
    const read = () => slack.outgoing.slice(before.slack).filter(({ method }) => method === 'usergroups.list').length;
    await vi.waitUntil(() => read() > 0);
    expect(read()).toBe(1);
  });
});
