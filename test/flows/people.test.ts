import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** A line for each operation that is complete, so that nothing but the person decides. */
const lines: Record<string, string> = {
  'ssl force': 'cdn.example.com on',
  'certificate request': 'cdn.example.com',
  'certificate complete': 'cdn.example.com',
  'bot set': 'shop seo block',
  'variable add': 'geo-redirect X 1',
  'app delete': 'mailer',
  'database query': 'shop SELECT 1',
  'database execute': 'shop DELETE FROM orders',
  'token create': 'shop',
  'token regenerate': 'shop',
  'token invalidate': 'shop',
  'log download': 'main-site yesterday',
};
const adminReads = ['key list', 'database query', 'log download', 'audit list', 'changes list', 'balance show'];
const forAdmins = operations.filter(({ name, effect }) => effect !== 'read' || adminReads.includes(name));

describe('who may do what', () => {
  let workspace: TestWorkspace;

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  afterEach(() => {
    expect(workspace.slack.problems).toEqual([]);
    expect(workspace.platform.writes()).toEqual([]);
  });

  for (const { name } of forAdmins) {
    it(`refuses ${name} to a member, with the rule and whom to ask`, async () => {
      const ben = workspace.slack.person('ben').in('#ops');
      workspace.platform.requests.splice(0);
      await ben.type(`@edgewise ${name} ${lines[name] ?? ''}`);
      const refusal = await ben.expectMessage(/[\s\S]/);
      expect(refusal.text).toMatch(new RegExp(`You may not run ${name}: `));
      expect(refusal.text).toMatch(/Ask @ada\./);
      expect(refusal.ephemeral).toBe(true);
      expect(workspace.platform.requests).toEqual([]);
    });
  }

  it('opens no form to a member who may not fill it in', async () => {
    const ben = workspace.slack.person('ben');
    for (const line of ['app delete mailer', 'guardian upload']) {
      await ben.in('#ops').type(`/edge ${line}`);
      const form = await ben.expectModal(/App delete|Guardian upload/, { ready: true });
      await form.expectChange(/You may not run/);
      expect(form.fields).toEqual([]);
      await form.close();
    }
  });

  it.each([
    ['zone list', /main-site/],
    ['stats show', /Whole account/],
    ['errors show main-site', /main-site/],
    ['log search main-site --limit 2', /main-site/],
    ['app list', /stock-api/],
    ['audit list --limit 1', /You may not/],
    ['status', /(healthy|wrong)[\s\S]*Running since[\s\S]*20\d\d, \d+:\d\d [AP]M [A-Z]/],
  ])('answers a member’s %s', async (line, shown) => {
    const ben = workspace.slack.person('ben').in('#ops');
    await ben.type(`/edge ${line}`);
    const card = await ben.expectMessage(shown);
    expect(card.ephemeral).toBe(true);
  });

  it.each(['gus', 'eve'])('lets %s do nothing, not even read or see help', async (name) => {
    const place = workspace.slack.person(name).in(name === 'eve' ? '#partners' : '#ops');
    workspace.platform.requests.splice(0);
    for (const line of ['zone list', 'help', 'status', 'can-i zone list', 'ssl force cdn.example.com on', '']) {
      await place.type(`/edge ${line}`);
      const refusal = await place.expectMessage(/^You may not/);
      expect(refusal.text).toMatch(
        name === 'gus' ? /a guest needs a role with guests: true/ : /people of other workspaces may not run anything/,
      );
      expect(refusal.text).not.toMatch(/@ada|EDGEWISE_ADMINS/);
    }
    expect(workspace.platform.requests).toEqual([]);
  });

  it('shows in help what one may run, and no more', async () => {
    const ben = workspace.slack.person('ben').in('#ops');
    await ben.type('/edge help');
    const menu = await ben.expectMessage(/Edgewise operates/);
    expect(menu.buttons).toContain('zone list');
    await menu.click('All commands');
    const shown = (await ben.expectMessage(/zone list \| List the pull zones/)).text;
    for (const { name } of forAdmins) {
      expect(menu.buttons).not.toContain(name);
      expect(shown).not.toMatch(new RegExp(`^${name} \\|`, 'm'));
    }
    expect(shown).toMatch(/\d+ more commands? (is|are) /);

    const ada = workspace.slack.person('ada').in('#ops');
    await ada.type('/edge');
    await (await ada.expectMessage(/Edgewise operates/)).click('All commands');
    const all = (await ada.expectMessage(/zone list \| List the pull zones/)).text;
    for (const { name } of operations) expect(all).toMatch(new RegExp(`^${name} `, 'm'));
  });

  it('says whether one may', async () => {
    const ben = workspace.slack.person('ben').in('#ops');
    await ben.type('/edge can-i ssl force');
    await ben.expectMessage(/No, you may not run ssl force here: [^\n]*\nAsk @ada\./);
    await ben.type('/edge can-i zone list');
    await ben.expectMessage(/Yes, you may run zone list here/);
    await ben.type('/edge can-i fly');
    await ben.expectMessage(/There is no command “fly”\./);
  });

  it('shows on the Home tab what one may run', async () => {
    const ben = workspace.slack.person('ben');
    await ben.openHome();
    const home = await ben.expectHome(/Edgewise operates/);
    expect(home.buttons).toContain('zone list');
    expect(home.buttons).not.toContain('ssl force');
    const gus = workspace.slack.person('gus');
    await gus.openHome();
    expect((await gus.expectHome(/may not use/)).buttons).toEqual([]);
  });
});

describe('the first run', () => {
  let workspace: TestWorkspace;

  beforeAll(async () => {
    workspace = await startTestWorkspace({ environment: { EDGEWISE_ADMINS: '' } });
  });
  afterAll(() => workspace.close());

  it('tells the first one who wants to change something how to be listed', async () => {
    const ada = workspace.slack.person('ada');
    const ops = ada.in('#ops');
    await ops.type('/edge ssl force cdn.example.com on');
    const told = await ops.expectMessage(/You may not run ssl force/);
    expect(told.text).toContain(`EDGEWISE_ADMINS=${ada.id}`);
    expect(told.text).toMatch(/No admins are set yet/);
    await ops.type('/edge zone list');
    await ops.expectMessage(/main-site/);
    await ops.type('/edge can-i ssl force');
    await ops.expectMessage(/No, you may not/);
  });
});
