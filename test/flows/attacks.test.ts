import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPlatformSimulator } from '../../playground/platform/simulator.ts';
import { startSlackEmulator } from '../../playground/slack/emulator.ts';
import { startApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { HAS_POSTGRES, somePostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const [ADA, BEN] = ['U0ADA000001', 'U0BEN000002'];

const POLICY = `
approval:
  - operations: [block, limit, attack]
    approvers: { people: [${ADA}] }
roles:
  admins:
    allow: ['*']
  on-call:
    people: [${BEN}]
    allow:
      - operations: [block, limit, attack]
        where: { zone: shop }
`;

/** Each with what its approver reads. */
const CHANGES = [
  ['block', 'block add shop 203.0.113.77', /wants to block 203\.0\.113\.77 on shop/],
  ['limit', 'limit add shop /login 10 1m', /wants to limit \/login on shop \(308002\) to 10 requests in 1m/],
  ['attack', 'attack on shop', /wants to switch attack mode on for shop/],
] as const;

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('what keeps attackers off', () => {
  let workspace: TestWorkspace;
  let folder: string;
  let ahead = 0;
  const ada = () => workspace.slack.person('ada');
  const ben = () => workspace.slack.person('ben').in('#ops');
  const shield = () => workspace.platform.account.shieldZones.find(({ pullZoneId }) => pullZoneId === 308002)!;
  const state = () => ({
    block: shield().accessLists.flatMap(({ content }) => content.split('\n')),
    limit: shield().rateLimits.length,
    attack: shield().sensitivity,
  });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
    writeFileSync(join(folder, 'policy.yml'), POLICY);
    workspace = await startTestWorkspace({
      environment: { POLICY_FILE: join(folder, 'policy.yml') },
      now: () => new Date(Date.now() + ahead),
      socket: true,
    });
    await workspace.slack.connected();
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });

  it.each(CHANGES)('%s is what the policy says, and can-i knows it', async (name, line) => {
    await ben().type(`/edge can-i ${line}`);
    expect((await ben().expectMessage(new RegExp(`Yes, you may run ${name} here`))).text).toMatch(
      /needs .*approval|approval/,
    );
    const elsewhere = line.replace('shop', 'api');
    await ben().type(`/edge can-i ${elsewhere}`);
    await ben().expectMessage(new RegExp(`No, you may not run ${name} here`));
    await ben().type(`/edge ${elsewhere}`);
    await ben().expectMessage(new RegExp(`You may not run ${name} on api`));
    await workspace.slack.person('gus').in('#ops').type(`/edge ${line}`);
    await workspace.slack
      .person('gus')
      .in('#ops')
      .expectMessage(new RegExp(`You may not run ${name}`));
    expect(workspace.platform.writes()).toEqual([]);
  });

  it.each(CHANGES)(
    '%s is done once another has approved it, and --for puts back exactly that',
    async (name, line, title) => {
      const before = state();
      await ben().type(`/edge ${line} --for 30m`);
      await (await ben().expectMessage(/🔒 Needs/u)).click('Ask for approval …');
      const form = await workspace.slack.person('ben').expectModal('Ask for approval');
      await form.fill({ 'Why? The approvers read it.': 'bots' });
      await form.submit();
      const card = await ada()
        .in('@edgewise')
        .expectMessage(/@ben wants to/);
      expect(state()).toEqual(before);
      await card.click('Approve');
      const ready = await ben().expectMessage(/\[Run\]/);
      expect(ready.text).toMatch(title);
      await ready.click('Run');
      await ben().expectMessage(/@ben (blocked|limited|switched attack mode)/);
      expect(state()[name]).not.toEqual(before[name]);
      // What others add meanwhile stays.
      if (name === 'block') shield().accessLists[0]!.content += '\n192.0.2.9/32';
      ahead += 31 * 60_000;
      await workspace.restart();
      await workspace.slack
        .person('ben')
        .in('@edgewise')
        .expectMessage(/Time’s up: I /);
      expect(state()).toEqual({ ...before, ...(name === 'block' && { block: ['192.0.2.9/32'] }) });
      shield().accessLists = [];
    },
  );
});

it('a key that may not read shields has the bot without them, and the status says so', async () => {
  const workspace = await startTestWorkspace();
  const ops = workspace.slack.person('ada').in('#ops');
  const end = workspace.platform.fault('status=403@GET shield/shield-zones');
  await ops.type('/edge status');
  await ops.expectMessage(/Shields\n✅ off: the platform refused it \(Simulated fault: 403/u);
  end();
  await workspace.close();
});

it.skipIf(!HAS_POSTGRES)(
  `two replicas that write to a list at the same moment lose nothing${WITHOUT_POSTGRES}`,
  async () => {
    const [store, platform, slack] = [await somePostgres(), await startPlatformSimulator(), await startSlackEmulator()];
    const config = parseConfig({
      ...platform.environment,
      ...slack.environment,
      PORT: '0',
      LOG_LEVEL: 'silent',
      STORE_URL: await store.fresh(),
      EDGEWISE_ADMINS: slack.workspace.user('ada').id,
      EDGEWISE_ENCRYPTION_KEY: 'a key for this test only',
    });
    const bots = [await startApp(config), await startApp(config)];
    const by = (bot: number) => slack.deliverTo({ eventsUrl: `http://127.0.0.1:${bots[bot % 2]!.port}/slack/events` });
    const ops = slack.person('ada').in('#ops');
    const lists = () => platform.account.shieldZones.find(({ pullZoneId }) => pullZoneId === 308002)!.accessLists;
    /** Whoever writes has read long before. */
    async function atOnce(action: string, verb: string, done: string, whom: readonly string[]) {
      platform.clearFaults();
      by(0);
      const previews = [];
      for (const one of whom) {
        await ops.type(`/edge block ${action} shop ${one}`);
        previews.push(await ops.expectMessage(new RegExp(`^${verb} ${one} on`)));
      }
      for (const method of ['POST', 'PATCH', 'DELETE']) platform.fault(`slow=400@${method} shield`);
      for (const [at, preview] of previews.entries()) {
        by(at);
        await preview.click(verb);
      }
      for (const one of whom) await ops.expectMessage(new RegExp(`@ada ${done} ${one} on`));
    }
    const whom = ['203.0.113.77', '198.51.100.8', 'AS64500', '203.0.113.9'];
    await atOnce('add', 'Block', 'blocked', whom);
    const listed = lists().map(({ content }) => content.split('\n').sort());
    expect(listed.sort()).toEqual([['198.51.100.8/32', '203.0.113.77/32', '203.0.113.9/32'], ['64500']]);
    await atOnce('remove', 'Let in', 'let in', whom);
    expect(lists()).toEqual([]);
    await Promise.all(bots.map((bot) => bot.stop()));
    await Promise.all([slack.close(), platform.close(), store.close()]);
  },
);
