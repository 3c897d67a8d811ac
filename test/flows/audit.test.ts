import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { confirmed } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('the audit', () => {
  let workspace: TestWorkspace;
  let ops0 = '';

  beforeAll(async () => {
    workspace = await startTestWorkspace({
      slack: {
        workspace: {
          users: [{ name: 'ada', id: 'U0ADAM00005' }],
          channels: [{ name: 'ops', members: ['U0ADA000001', 'ben', 'gus', 'U0ADAM00005'] }],
        },
      },
      prepare: (slack) => {
        ops0 = slack.workspace.channel('ops').id;
      },
      environment: () => ({ EDGEWISE_ADMINS: 'U0ADA000001,U0BEN000002,U0ADAM00005', AUDIT_CHANNEL: ops0 }),
    });
    await confirmed(workspace, 'ssl force shop.example.com on');
    for (const [name, line] of [
      ['ben', 'zone show shop'],
      ['ben', 'key list'],
      ['gus', 'zone show shop'],
      ['ada', 'zone show main-site'],
    ] as const) {
      await workspace.slack.person(name).in('#ops').type(`/edge ${line}`);
      await workspace.slack.person(name).in('#ops').expectMessage(/./);
    }
    await workspace.slack.person('ben').in('@ben').type('/edge script list');
    await workspace.slack
      .person('ben')
      .in('@ben')
      .expectMessage(/scripts/);
  });
  afterAll(() => workspace.close());

  const ops = () => workspace.slack.person('ada').in('#ops');
  async function audit(line: string, shown = /Audit[^\n]*: .*, newest first/) {
    await ops().type(`/edge audit ${line}`);
    return (await ops().expectMessage(shown)).text;
  }

  it('says who did what and when, in sentences', async () => {
    const text = await audit('list --reads');
    expect(text).toMatch(/^[^\n]* \d+:\d\d [AP]M GMT[^\n]* · ben ran zone show on shop \(308002\)$/m);
    expect(text).toMatch(/· gus tried zone show: forbidden/);
    expect(text).not.toMatch(/U0BEN000002/);
  });

  it('leaves out what was only read, until that is asked for, and has one form of time', async () => {
    await ops().type('/edge audit list');
    const first = await ops().expectMessage(/^Audit, without reads: everything, newest first/);
    expect(first.text).toMatch(/ada switched force HTTPS off → on for shop\.example\.com/);
    expect(first.text).not.toMatch(/zone show|key list/);
    await first.click('With reads');
    const all = await ops().expectMessage(/^Audit: everything, newest first/);
    expect(all.text).toMatch(/· ben ran zone show on shop[\s\S]*ada switched force HTTPS/);
    expect(await audit('list --target docs', /^No changes or decisions match\./)).not.toMatch(/ran/);
  });

  it('is of a day, or of a stretch of time', async () => {
    expect(await audit('list --day today --command "zone show"')).toMatch(/on today|on 20\d\d-/);
    await audit('list --day yesterday', /^No changes or decisions match\./);
    await audit('list --until yesterday --reads', /^No entries match\./);
    expect(await audit('list --since 1h --changes')).toMatch(
      /ada switched force HTTPS off → on for shop\.example\.com/,
    );
  });

  it('has no change in a preview that was cancelled', async () => {
    await ops().type('/edge ssl force shop.example.com off');
    const preview = await ops().expectMessage(/Switch force HTTPS off/);
    await preview.click('Cancel');
    await preview.expectChange(/Cancelled/);
    expect(await audit('list --changes')).not.toMatch(/cancelled/);
    expect(await audit('list --limit 5')).toMatch(/ada cancelled ssl force on shop\.example\.com/);
  });

  it('lists what can still be undone, with the button that does it', async () => {
    await ops().type('/edge undo my last change');
    const found = await ops().expectMessage(/ada switched force HTTPS off → on for shop\.example\.com/);
    expect(found.text).toMatch(/Understood as \/edge audit list (?:--changes )?--undo/);
    expect(found.buttons).toContain('Undo');
    // However much they read since.
    for (let read = 0; read < 3; read += 1) await audit('list --limit 1');
    expect(await audit('list --undo --limit 3', /Undo/)).toMatch(/ada switched force HTTPS off → on/);
    await workspace.slack.person('ben').in('#ops').type('/edge undo my last change');
    const none = await workspace.slack
      .person('ben')
      .in('#ops')
      .expectMessage(/You have no change that can still be undone/);
    expect(none.buttons).toEqual(['All changes, including those made elsewhere']);
    await ops().type('/edge take back what ada did');
    const theirs = await ops().expectMessage(/Changes of ada that can still be undone/);
    expect(theirs.text).toMatch(/ada switched force HTTPS off → on/);
  });

  it('offers to share what was found, and nothing where that is nothing', async () => {
    await ops().type('/edge audit list --target shop');
    expect((await ops().expectMessage(/Audit, without reads: all on shop, newest first/)).buttons).toContain('Share');
    for (const [line, answer] of [
      ['audit list --target nowhere', /^No changes or decisions match\./],
      ['audit export --target elsewhere', /^No entries match\./],
      ['approval list', /^Nothing is waiting for approval/],
      ['report list', /^Nobody has subscribed/],
      ['log search docs --url /nowhere', /^No requests found: /],
    ] as const) {
      await ops().type(`/edge ${line}`);
      expect((await ops().expectMessage(answer)).buttons).not.toContain('Share');
    }
  });

  it('says whose changes it has, and leads to those made elsewhere', async () => {
    await ops().type('/edge audit list --changes --target nowhere.example.com');
    const answer = await ops().expectMessage(/No changes by Edgewise match\./);
    await answer.click('All changes, including those made elsewhere');
    await ops().expectMessage(/^Changes on all zones since .*, newest first/);
    await ops().type('/edge who purged docs.example.com');
    await (await ops().expectMessage(/No entries match\./)).click('All changes, including those made elsewhere');
    await (await ops().expectMessage(/Nothing was changed on docs \(308005\) since/)).click('Last 7 days');
    await ops().expectMessage(/Nothing was changed on docs \(308005\) since/);
  });

  it('leads from all that was done on a zone to its changes, and from those to what was changed elsewhere, too', async () => {
    await ops().type('/edge audit list --target shop');
    await (await ops().expectMessage(/^Audit, without reads: all on shop/)).click('Only changes');
    await (await ops().expectMessage(/^Audit: changes on shop/)).click('All changes, including those made elsewhere');
    await ops().expectMessage(/^Changes on shop \(308002\) since .*, newest first/);
  });

  it('says since when there is an audit, if that is later than what was asked for', async () => {
    expect(await audit('list --day yesterday', /No changes or decisions/)).toMatch(/^The audit begins .*\d/m);
    expect(await audit('list --command "app delete"', /No entries/)).not.toMatch(/begins/);
  });

  it('takes a command as a policy writes it, and refuses one that is in no audit', async () => {
    expect(await audit('list --command "zone *"')).toMatch(/zone show/);
    expect(await audit('list --command "/edge Zone  show"')).toMatch(/zone show/);
    expect(await audit('list --command zoen', /No command/)).toMatch(
      /No command “zoen” is in the audit\.[\s\S]*\/edge help lists them/,
    );
    expect(await audit('list --command "app delete"', /No entries/)).toMatch(/match/);
  });

  it('answers who changed this zone, without those who only looked or were refused', async () => {
    const text = await audit('list --changes --target shop');
    expect(text).toMatch(/ada switched force HTTPS off → on for shop\.example\.com on shop \(308002\)/);
    expect(text).not.toMatch(/zone show|ben|gus/);
    expect(await audit('list --target shop --reads')).toMatch(/gus|zone show/);
    expect(await audit('list --command "audit list"')).toMatch(/ada ran audit list on changes on shop/);
  });

  it('finds a person by handle, name, id and mention', async () => {
    for (const typed of ['@ben', 'ben', '"ben"', 'U0BEN000002', '<@U0BEN000002>', '<@U0BEN000002|ben>']) {
      const text = await audit(`list --actor ${typed} --limit 5 --reads`);
      expect(text, typed).toMatch(/ben/);
      expect(text, typed).not.toMatch(/ada|gus/);
    }
  });

  it('says so when nobody is called like that, or several are', async () => {
    await audit('list --actor @nobody', /Nobody called “@nobody” is in the audit/);
    await workspace.slack.person('U0ADAM00005').in('#ops').type('/edge zone list');
    await workspace.slack
      .person('U0ADAM00005')
      .in('#ops')
      .expectMessage(/legacy-blog/);
    const several = await audit('list --actor ada', /several called “ada”/);
    expect(several).toMatch(/U0ADA000001/);
    expect(several).toMatch(/U0ADAM00005/);
    expect(await audit('list --limit 100 --reads')).toMatch(/ada \(U0ADAM00005\)/);
  });

  it('is exported with the same filters, with ids as they are kept', async () => {
    const export_ = await audit('export --changes --actor U0ADA000001', /entr(y|ies), newest first/);
    expect(export_).toMatch(/^1 entry, newest first/);
  });

  it('has of a zone that is named what was done to it and its hostnames, not to one called alike, nor what was cancelled', async () => {
    await confirmed(workspace, 'cache clear shop-images');
    for (const zone of ['shop', '308002', 'SHOP']) {
      const all = await audit(`list --target ${zone} --reads --limit 100`);
      expect(all, zone).toMatch(/shop\.example\.com[\s\S]*ben ran zone show on shop \(308002\)/);
      expect(all, zone).not.toMatch(/shop-images/);
    }
    await ops().type('/edge cache clear shop');
    const form = await workspace.slack.person('ada').expectModal(/./);
    await form.expectChange(/Type the name/);
    await form.close();
    await ops().type('/edge who cleared the cache of shop');
    await ops().expectMessage(/No entries match\./);
    expect(await audit('list --target shop')).not.toMatch(/cancelled/);
    expect(await audit('list --target shop --reads')).toMatch(/cancelled cache clear/);
    expect(await audit('list --target images', /Audit/)).toMatch(/shop-images/);
    await confirmed(workspace, 'cache clear shop');
    await ops().type('/edge who cleared the cache of shop.example.com');
    await ops().expectMessage(/ada cleared [^\n]*shop \(308002\)/);
  });

  it('keeps no value of a variable', async () => {
    await confirmed(workspace, 'variable add geo-redirect CACHE_NOTE only-for-the-script');
    const exported = await audit('list --command "variable add"');
    expect(exported).toMatch(/added the variable CACHE_NOTE of geo-redirect/);
    expect(exported).not.toContain('only-for-the-script');
  });

  it('leaves its head in a channel at each start, and tells later whether it still has it', async () => {
    await workspace.restart();
    const posted = await ops().expectMessage(/The audit’s head after \d+ entries/);
    const head = /[0-9a-f]{64}/.exec(posted.text)?.[0] ?? '';
    await audit('verify', /The audit is intact/);
    await audit(`verify --head ${head}`, /The head that you gave is in it/);
    await audit(
      `verify --head ${'0'.repeat(64)}`,
      /the audit was started again from scratch, or an older store was restored/,
    );
    await audit('verify --head abc', /64 characters[\s\S]*Copy all of it/);
    expect(workspace.logged.join('')).toContain(head);
  });

  it.each([
    [
      'changed',
      "UPDATE audit SET actor = 'U0SOMEBODY1' WHERE number = 2",
      /Entry 2 was changed after it had been written\.\s+1 entry before it is intact\./,
    ],
    ['missing', 'DELETE FROM audit WHERE number = 2', /Entry 2 is missing\.\s+1 entry before it is intact\./],
    [
      'cut off',
      'DELETE FROM audit WHERE number >= (SELECT max(number) - 1 FROM audit)',
      /Entry \d+ is missing, and everything after it\.\s+\d+ entries before it are intact\./,
    ],
  ])('says which entry was %s when somebody wrote to the store’s file', async (_, statement, said) => {
    await audit('verify', /The audit is intact/);
    await workspace.app.stop();
    const client = byHand(workspace.storeFile);
    await client.executeMultiple(
      'DROP TABLE IF EXISTS kept; DROP TABLE IF EXISTS kept_head; CREATE TABLE kept AS SELECT * FROM audit; CREATE TABLE kept_head AS SELECT * FROM audit_head',
    );
    const { rows } = await client.execute(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'",
    );
    await client.executeMultiple(`DROP TRIGGER audit_stays; DROP TRIGGER audit_keeps; ${statement}`);
    await workspace.restart();
    await audit('verify', said);
    await workspace.app.stop();
    await client.executeMultiple(
      'DELETE FROM audit; INSERT INTO audit SELECT * FROM kept; DELETE FROM audit_head; INSERT INTO audit_head SELECT * FROM kept_head; DROP TABLE kept; DROP TABLE kept_head',
    );
    for (const { sql } of rows) await client.execute(String(sql)).catch(() => undefined);
    client.close();
    await workspace.restart();
  });
});
