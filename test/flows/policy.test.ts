import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const POLICY = `roles:
  shop:
    groups: ['@shop-team']
    allow:
      - operations: [ssl force, certificate *]
        where: { zone: shop* }
      - bot set
  lost:
    people: U0NOBODY001
    groups: ['@nowhere']
    allow: [app delete]
channels:
  '#ops':
    allow: ['*']
  '#releases':
    allow: [zone *, status]
  '#gone':
    allow: []
  C0GONE00009:
    allow: ['*']
approval:
  - operations: app delete
    approvers: { groups: ['@shop-team'] }
`;

describe('a policy in a file', () => {
  let workspace: TestWorkspace;
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
  const file = join(folder, 'policy.yml');

  beforeAll(async () => {
    writeFileSync(file, POLICY);
    workspace = await startTestWorkspace({
      environment: { POLICY_FILE: file },
      slack: { workspace: { userGroups: [{ handle: 'shop-team', members: ['ben'] }] } },
    });
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => expect(workspace.slack.problems).toEqual([]));

  const hostOf = (zone: string) =>
    workspace.platform.account.zones
      .find(({ Name }) => Name === zone)!
      .Hostnames.find(({ IsSystemHostname }) => !IsSystemHostname)!;

  it('lets a member of a group change what the group may', async () => {
    const host = hostOf('shop');
    const wanted = host.ForceSSL ? 'off' : 'on';
    const ops = workspace.slack.person('ben').in('#ops');
    await ops.type(`/edge ssl force ${host.Value} ${wanted}`);
    const preview = await ops.expectMessage(/Force HTTPS: .* → /);
    await preview.click(CONFIRM);
    await ops.expectMessage(new RegExp(`switched force HTTPS .*${wanted}`));
    expect(workspace.platform.writes()).toHaveLength(1);
    workspace.platform.requests.splice(0);
  });

  it('refuses another target with the rule and whom to ask, and sends nothing', async () => {
    const ops = workspace.slack.person('ben').in('#ops');
    const host = hostOf('main-site');
    await ops.type(`/edge ssl force ${host.Value} on`);
    const refusal = await ops.expectMessage(/You may not run ssl force on /);
    expect(refusal.text).toMatch(
      /the role shop may run ssl force, certificate \* only where zone is shop\* \(policy\.yml line 5\)/,
    );
    expect(refusal.text).toMatch(/Ask @ada\./);
    expect(refusal.ephemeral).toBe(true);
    expect(workspace.platform.writes()).toEqual([]);
  });

  it('refuses in a channel that does not allow it, and names those that do', async () => {
    const ada = workspace.slack.person('ada');
    await ada.in('#releases').type('/edge app list');
    const refusal = await ada.in('#releases').expectMessage(/You may not run app list/);
    expect(refusal.text).toMatch(/#releases allows only zone \* \(policy\.yml line 16\); status/);
    expect(refusal.text).toMatch(/You may in #ops/);
    await ada.in('#ops').type('/edge app list');
    await ada.in('#ops').expectMessage(/stock-api/);
  });

  it('decides again when it is confirmed: who has left the group meanwhile changes nothing', async () => {
    const host = hostOf('shop');
    const ops = workspace.slack.person('ben').in('#ops');
    await ops.type(`/edge ssl force ${host.Value} ${host.ForceSSL ? 'off' : 'on'}`);
    const preview = await ops.expectMessage(/Force HTTPS: .* → /);
    const group = [...workspace.slack.workspace.userGroups.values()].find(({ handle }) => handle === 'shop-team')!;
    const members = [...group.members];
    group.members.splice(0);
    await workspace.restart();
    await preview.click(CONFIRM);
    await preview.expectChange(/You may not run ssl force/);
    expect(workspace.platform.writes()).toEqual([]);
    group.members.push(...members);
    await workspace.restart();
  });

  it('answers can-i for the command, and for one target', async () => {
    const ops = workspace.slack.person('ben').in('#ops');
    await ops.type('/edge can-i ssl force');
    await ops.expectMessage(/Yes, you may run ssl force here: the role shop may run [\s\S]*It depends on the target/);
    await ops.type(`/edge can-i ssl force ${hostOf('shop').Value} on`);
    const yes = await ops.expectMessage(/Yes, you may run ssl force here/);
    expect(yes.text).not.toMatch(/depends/);
    await ops.type(`/edge can-i /edge ssl force ${hostOf('main-site').Value} on`);
    await ops.expectMessage(
      /No, you may not run ssl force here: the role shop may run .* only where [\s\S]*Ask @ada\./,
    );
    await ops.type('/edge can-i ssl');
    await ops.expectMessage(/“ssl” is not a complete command/);
    const ada = workspace.slack.person('ada').in('#ops');
    await ada.type('/edge can-i app delete mailer');
    await ada.expectMessage(/Yes, you may run app delete here: [\s\S]*It needs one approval: @ben/);
  });

  it('shows in help, in pickers and on the Home tab only what may be run', async () => {
    const ben = workspace.slack.person('ben');
    await ben.in('#ops').type('/edge help');
    const help = await ben.in('#ops').expectMessage(/Edgewise operates/);
    expect(help.buttons).toContain('ssl force');
    expect(help.buttons).not.toContain('app delete');
    await ben.in('#releases').type('/edge help');
    const narrow = await ben.in('#releases').expectMessage(/Edgewise operates/);
    expect(narrow.buttons).toContain('zone list');
    expect(narrow.buttons).not.toEqual(expect.arrayContaining(['ssl force']));
    expect(narrow.buttons).not.toContain('app list');
    await ben.in('#ops').type('/edge help app delete');
    const one = await ben.in('#ops').expectMessage(/Delete a container application/);
    expect(one.text).toMatch(/You may not run it here/);

    await ben.openHome();
    const home = await ben.expectHome(/Edgewise operates/);
    expect(home.buttons).toContain('ssl force');
    expect(home.buttons).not.toContain('app delete');

    await ben.in('#ops').type('/edge ssl force');
    const form = await ben.expectModal(/Force HTTPS/, { ready: true });
    await form.select('Hostname', hostOf('shop').Value);
    const asked = workspace.slack.deliveries.filter(({ payload }) => payload.type === 'block_suggestion').at(-1)!;
    const answer = await workspace.slack.signedRequest({ payload: { ...asked.payload, value: '' } });
    const { options } = JSON.parse(answer.text) as { options: { value: string }[] };
    const shop = workspace.platform.account.zones.filter(({ Name }) => /^shop/.test(Name ?? ''));
    expect(options.map(({ value }) => value).sort()).toEqual(
      shop.flatMap(({ Id, Hostnames }) => Hostnames.map(({ Value }) => `${Value}@${Id}`)).sort(),
    );
    await form.close();
  });

  it('says in status what cannot be found', async () => {
    const ada = workspace.slack.person('ada').in('#ops');
    await ada.type('/edge status');
    const status = await ada.expectMessage(/Something is wrong/);
    expect(status.text).toMatch(/policy\.yml: 4 roles, 4 places, 1 approval rule, 1 admin/);
    for (const name of ['@nowhere', '#gone', 'U0NOBODY001', 'C0GONE00009'])
      expect(status.text).toContain(`not found: ${name}`);
    expect(status.text).not.toMatch(/not found: (@shop-team|#ops|U0ADA)/);
  });

  it('stops the start with the line of a mistake', async () => {
    writeFileSync(file, 'roles:\n  shop:\n    people: U0BEN000002\n    allow:\n      - ssl froce\n');
    await expect(startTestWorkspace({ environment: { POLICY_FILE: file } })).rejects.toThrow(
      /POLICY_FILE: \S+policy\.yml line 5: there is no command “ssl froce”\. Did you mean “ssl force”\?/,
    );
    await expect(startTestWorkspace({ environment: { POLICY_FILE: `${file}.none` } })).rejects.toThrow(
      /POLICY_FILE: \S+\.none does not exist\. /,
    );
  });

  const approvalWhere = (where: string) =>
    `approval:\n  - operations: ssl force\n    where: ${where}\n    approvers: { groups: ['@shop-team'] }\n`;
  it.each([
    [
      'a value that the argument never has',
      approvalWhere('{ state: onn }'),
      /line 3: “onn” is not a value of “state”: on, off/,
    ],
    [
      'a switch in the words of another YAML',
      approvalWhere('{ state: yes }'),
      /line 3: “yes” is not a value of “state”/,
    ],
    [
      'a zone that is nothing',
      approvalWhere('{ zone: ~ }'),
      /line 3: “~” is not a value of “zone”: .*put it in quotes/,
    ],
    [
      'a zone that is a number to YAML',
      approvalWhere('{ zone: 01001 }'),
      /line 3: “01001” is not a value of “zone”: 01001 cannot be/,
    ],
    [
      'the address of a page',
      approvalWhere('{ hostname: https://shop.example.com/cart }'),
      /line 3: “https:\/\/shop\.example\.com\/cart” is not a value of “hostname”: write shop\.example\.com/,
    ],
    ['a switch that is no text', approvalWhere('{ state: true }'), /line 3: “true” is not a value of “state”/],
    ['one of two values', approvalWhere('{ state: [off, enabled] }'), /line 3: “enabled” is not a value of “state”/],
    [
      'a value with a line break at its end',
      approvalWhere('\n      state: |\n        off'),
      /line 4: .*state has to be one line of text/,
    ],
    ['another version of YAML', `%YAML 1.1\n---\n${approvalWhere('{ state: on }')}`, /line 1: /],
    [
      'a key that every object has',
      approvalWhere('{ state: off, __proto__: x }'),
      /line 3: “__proto__” cannot be a name here/,
    ],
    [
      'a list of roles under such a key',
      'roles:\n  constructor:\n    people: U0BEN000002\n    allow: []\n',
      /line 2: “constructor” cannot/,
    ],
    ['a merge key', `a: &a { state: off }\n${approvalWhere('{ <<: *a }')}`, /line 4: merge keys/],
    ['a tag', approvalWhere('{ state: !!binary b2Zm }'), /line 3: tags/],
    ['the same key twice', approvalWhere('{ state: off, "state": on }'), /line 3: Map keys must be unique/],
    ['a second document', `${approvalWhere('{ state: off }')}---\nroles: {}\n`, /line 5: .*several documents/i],
  ])('stops the start with the line of what would be read otherwise than it is written: %s', async (_, text, line) => {
    writeFileSync(file, text);
    await expect(startTestWorkspace({ environment: { POLICY_FILE: file } })).rejects.toThrow(line);
  });
});
