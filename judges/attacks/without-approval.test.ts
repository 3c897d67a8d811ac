import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIRM } from '../../test/support/changes.ts';
import type { TestWorkspace } from '../../test/support/workspace.ts';
import { startUnder } from './under.ts';

const POLICY = `
roles:
  admins:
    allow: ['*']
approval:
  - operations: 'database execute'
    where: { database: shop }
    approvers: { people: [U0BEN000002] }
  - operations: ssl force
    where: { hostname: 'bücher.example' }
    approvers: { people: [U0BEN000002, U0CLEO00005] }
    count: 2
  - operations: ssl force
    where: { hostname: dl.example.com, state: 'off' }
    approvers: { people: [U0BEN000002] }
  - operations: block
    where: { whom: [AS64500, '2001:db8::1'] }
    approvers: { people: [U0BEN000002] }
  - operations: bot set
    where: { zone: 'trial-*' }
    approvers: { roles: [everybody] }
  - operations: bot set
    approvers: { people: [U0BEN000002, U0CLEO00005] }
    count: 2
`;

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('Somebody who wants to change what others have to approve, without them,', () => {
  let workspace: TestWorkspace;
  let ahead = 0;
  const ada = () => workspace.slack.person('ada');
  const ops = () => ada().in('#ops');
  const writes = () => workspace.platform.writes().length;
  const hostOf = (value: string) =>
    workspace.platform.account.zones.flatMap(({ Hostnames }) => Hostnames).find(({ Value }) => Value === value)!;

  beforeAll(async () => {
    workspace = await startUnder(POLICY, {
      now: () => new Date(Date.now() + ahead),
      socket: true,
      environment: ({ account }: TestWorkspace['platform']) => ({
        PLATFORM_DATABASE_URL: account.databases[0]!.url,
        PLATFORM_DATABASE_AUTH_TOKEN: account.databases[0]!.seeded.fullAccess,
      }),
    });
    await workspace.slack.connected();
    const shop = workspace.platform.account.zones.find(({ Name }) => Name === 'shop')!;
    shop.Hostnames.push({ ...shop.Hostnames[0]!, Value: 'xn--bcher-kva.example', ForceSSL: false });
  });
  afterAll(() => workspace.close());
  beforeEach(() => {
    hostOf('dl.example.com').ForceSSL = true;
    hostOf('xn--bcher-kva.example').ForceSSL = false;
  });

  it.each(['configured', 'CONFIGURED', ' configured'])(
    'runs a statement on an approval-only database by calling it “%s”',
    async (alias) => {
      await ops().type(`/edge database execute "${alias}" --force DELETE FROM orders WHERE id = 1`);
      const form = await ada().expectModal('Ask for approval', { ready: true });
      expect(form.text).toMatch(/🔒 Needs one approval/u);
      await form.close();
    },
  );

  it.each(['bücher.example', 'xn--bcher-kva.example', 'BÜCHER.example', 'XN--BCHER-KVA.EXAMPLE'])(
    'spells the hostname of the policy as %s',
    async (host) => {
      await ops().type(`/edge ssl force ${host} on`);
      await (await ops().expectMessage(/🔒 Needs 2 approvals/u)).click('Cancel');
    },
  );

  it.each(['AS64500', 'as00064500', '2001:DB8:0::1', '2001:db8::1/128'])(
    'spells the attacker of the policy as %s',
    async (whom) => {
      await ops().type(`/edge block add shop ${whom}`);
      await (await ops().expectMessage(/🔒 Needs one approval/u)).click('Cancel');
    },
  );

  it('switches on for a while what was off, so that the clock switches it off for them', async () => {
    hostOf('dl.example.com').ForceSSL = false;
    await ops().type('/edge ssl force dl.example.com on --for 24h');
    await (await ops().expectMessage(/🔒 Needs /u)).click('Cancel');
  });

  it('switches it on and presses Undo, so that it is off', async () => {
    hostOf('dl.example.com').ForceSSL = false;
    await ops().type('/edge ssl force dl.example.com on');
    const preview = await ops().expectMessage(/Force HTTPS: off → on/);
    await preview.click(CONFIRM);
    await preview.expectGone();
    const before = writes();
    await (await ops().expectMessage(/switched force HTTPS .*on for/)).click('Undo (needs approval) …');
    await (await ops().expectMessage(/Force HTTPS: on → off[\s\S]*🔒 Needs /u)).click('Cancel');
    expect(writes()).toBe(before);
    expect(hostOf('dl.example.com').ForceSSL).toBe(true);
  });

  it('waits until the platform does not say what a zone is called, so that a weaker entry is met', async () => {
    const { zones, shieldZones } = workspace.platform.account;
    const listed = zones.splice(0);
    ahead += 120_000;
    await ops().type(`/edge bot set shield:${shieldZones[0]!.shieldZoneId} social block`);
    await (await ops().expectMessage(/🔒 Needs 2 approvals/u)).click('Cancel');
    zones.push(...listed);
    ahead += 120_000;
  });
});

describe('Somebody who wants a policy to be met by a flag that is left out', () => {
  it.each([
    ['token create', 'full-access: true'],
    ['report subscribe', "zones: 'shop*'"],
    ['ssl force', "for: '*'"],
    ['database execute', 'force: true'],
  ])('finds no bot that starts with an approval of %s where %s', async (command, where) => {
    const policy = `approval:
  - operations: ${command}
    where: { ${where} }
    approvers: { people: [U0BEN000002] }
`;
    const started = startUnder(policy);
    await expect(started.then((workspace) => workspace.close())).rejects.toThrow(
      new RegExp(`line 3: ${command} can be run without .*: leave it out of \`where\``),
    );
  });
});
