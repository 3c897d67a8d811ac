import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** Faults of the kinds that the field has met, in forms that no report named. */

describe('a workspace', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startTestWorkspace({
      prepare(slack) {
        slack.workspace.user('ben').tz = 'Etc/Unknown';
      },
    });
    const { zones, apps } = workspace.platform.account;
    const docs = zones.find(({ Name }) => Name === 'docs')!;
    zones.push({ ...docs, Id: 309_001, Name: 'DOCS', Hostnames: [] });
    const mailer = apps.find(({ name }) => name === 'mailer')!;
    apps.push({ ...mailer, id: 'cafe1', name: 'caf\u00e9-menu' });
    await workspace.restart();
  });
  afterAll(() => workspace.close());
  afterEach(() => {
    expect(workspace.slack.problems).toEqual([]);
    expect(workspace.platform.writes()).toEqual([]);
  });

  const ada = () => workspace.slack.person('ada');
  const ops = () => ada().in('#ops');
  const answerTo = async (line: string, reads: RegExp | string = /[\s\S]/) => {
    ops().readAll();
    await ops().type(line);
    return ops().expectMessage(reads);
  };

  describe('a name that nothing has', () => {
    it.each([
      'clear the cache of shop,video',
      'clear the cache of shop+video',
      'clear the cache of shop@old',
      'clear the cache of shop’s predecessor',
      'clear the cache of shop (legacy)',
      'delete app mailer v2',
      'delete app mailer 2',
      'delete the app mailer-',
      'block seo bots on shop.',
      'block seo bots on shop_',
      'regenerate the tokens of events_eu',
      'purge tags news sports on shop',
      'purge tags news, sports and politics on shop',
      'purge https://shop.example.com/a, https://shop.example.com/b',
      'clear the cache of shop instead of video',
      'clear the cache of shop, video too',
      'force https on shop.exa mple.com',
      'purge https://exa mple.com/a',
    ])('is not taken for another, nor is a part of it: %s', async (request) => {
      await ops().type(`/edge ${request}`);
      const answer = await ops().expectMessage(/[\s\S]/);
      if (request.endsWith('shop.')) {
        await answer.click('Cancel');
        return;
      }
      expect(answer.text).not.toMatch(/Understood/);
      expect(answer.buttons).not.toContain('Cancel');
    });

    it.each([
      'bot set shop,video seo block',
      'ssl force shop.example.com,dl.example.com on',
      'ssl force shop.example.co on',
      'variable add redirect A b',
      'cache purge tag:news --zone shop,video',
      'cache purge https://shop.example.com/a --zone shop-',
      'token create event',
      'report unsubscribe daily-statistics',
      'certificate complete *',
    ])('is refused where it is typed: %s', async (line) => {
      const answer = await answerTo(
        `/edge ${line}`,
        /There is no|is no |is not a|needs|No pull zone|cannot be|has the character|one word too many|it has/,
      );
      expect(answer.buttons).not.toContain('Cancel');
    });

    it('but for its case is the one that was typed, of two that differ by no more', async () => {
      for (const [typed, id] of [
        ['docs', 308_005],
        ['DOCS', 309_001],
      ] as const) {
        await ops().type(`/edge clear the cache of ${typed}`);
        const form = await ada().expectModal(/clear/i, { ready: true });
        expect(form.text).toContain(`${typed} (${id})`);
        await form.close();
      }
      await ops().type('/edge clear the cache of Docs');
      const form = await ada().expectModal(/clear/i, { ready: true });
      expect(form.text).toMatch(/matches several/);
      await form.close();
    });
  });

  describe('a command in a message', () => {
    it.each([
      '"/edge zone show video"',
      '• `/edge zone show video`',
      '- /edge zone show video',
      '1. /edge zone show video',
      '> /edge zone show video',
      '`/edge zone show video`.',
      '*`/edge zone show video`*!',
      '/edge  /edge zone show video',
      'zone show video @edgewise :pray:',
      'zone show video @edgewise thanks :+1::skin-tone-4:',
      '@edgewise @edgewise zone show video',
    ])('is understood: %s', async (typed) => {
      const answer = await answerTo(
        typed.includes('@edgewise') ? typed : `@edgewise ${typed}`,
        /video\.example\.com|There is no/,
      );
      expect(answer.text).not.toMatch(/Understood|There is no/);
    });

    it.each([
      'errors of main-site yesterday :eyes:',
      ':wave: errors of main-site yesterday, please :pray::skin-tone-2:',
    ])('is read in plain words with emoji around it: %s', async (typed) => {
      await answerTo(`@edgewise ${typed}`, /Understood as \/edge errors show main-site yesterday/);
    });

    it('that is only thanks is thanked back, with an emoji too', async () => {
      expect((await answerTo('@edgewise thanks :tada:')).text).toBe('You’re welcome.');
    });
  });

  describe('an emoji', () => {
    it.each(['Hello :wave:', ':+1::skin-tone-4:', '(:tada:)'])(
      'that Slack has written as a name is warned of: %s',
      async (value) => {
        const preview = await answerTo(`/edge variable add geo-redirect GREETING "${value}"`, /GREETING/);
        expect(preview.text).toMatch(/Slack sends emoji as their names/);
        await preview.click('Cancel');
      },
    );
    it('that is written in a statement is warned of', async () => {
      await ops().type("/edge database execute events UPDATE events SET kind = ':tada:' WHERE id = 1");
      const form = await ada().expectModal('Database execute', { ready: true });
      expect(form.text).toMatch(/Slack sends emoji as their names/);
      await form.close();
      // The statement was tried, with a token of its own.
      workspace.platform.requests.splice(0);
    });
    it.each(['12:30:45', 'a:b', '::1', 'fe80::1:2', 'https://x.example.com:80/:a', 'key: value: more', '👋'])(
      'is none in %s',
      async (value) => {
        const preview = await answerTo(`/edge variable add geo-redirect GREETING "${value}"`, /GREETING/);
        expect(preview.text).not.toMatch(/emoji/);
        await preview.click('Cancel');
      },
    );
  });

  describe('a time zone', () => {
    it.each(['UTC+2', 'GMT+1', '+02:00', 'Eastern Time', 'New York', 'PST8PDT', 'BST', 'Mars/Olympus', 'CET/CEST'])(
      'that is none is refused: %s',
      async (typed) => {
        const answer = await answerTo(
          `/edge report subscribe daily-statistics "weekdays at 9:00" --timezone "${typed}"`,
          `“${typed}” is not a time zone`,
        );
        expect(answer.buttons.filter((label) => /^Use (UTC|GMT)$/.test(label))).toEqual([]);
      },
    );
    it('that Slack knows and nobody else is UTC, and that is said', async () => {
      const ben = workspace.slack.person('ben').in('#ops');
      await ben.type('/edge status');
      await ben.expectMessage(/[\s\S]/);
    });
  });

  it('a name is the same however its letters are composed', async () => {
    await ops().type('/edge app delete cafe\u0301-menu');
    const form = await ada().expectModal('App delete', { ready: true });
    expect(form.text).toMatch(/caf\u00e9-menu/);
    await form.fill({ 'Type the name to confirm': 'cafe\u0301-menu ' });
    const mended = workspace.platform.fault('status=400@DELETE /mc/apps');
    await form.submit();
    expect(form.errors).toEqual({});
    await ops().expectMessage(/refused/);
    mended();
    workspace.platform.requests.splice(0);
  });

  it.each(['main–site', 'main—site', 'main‑site', ' main-site '])(
    'a name is the same with what a phone makes of its signs: %s',
    async (typed) => {
      await ops().type('/edge cache clear main-site');
      const form = await ada().expectModal(/clear/i, { ready: true });
      await form.fill({ 'Type the name to confirm': typed });
      const mended = workspace.platform.fault('status=400@POST /pullzone');
      await form.submit();
      expect(form.errors).toEqual({});
      await ops().expectMessage(/refused/);
      mended();
      workspace.platform.requests.splice(0);
    },
  );

  it.each([
    ['\ua731hop', '[U+A731]hop'],
    ['\u01c0oad', '[U+01C0]oad'],
    ['sh\u1d0fp', 'sh[U+1D0F]p'],
    ['\u0455\u04bb\u043e\u0440', '[U+0455][U+04BB][U+043E][U+0440]'],
    ['shop\u{1d159}', 'shop[U+1D159]'],
    ['docs\u30fcold', 'docs[U+30FC]old'],
    ['ɡrafana', '[U+0261]rafana'],
  ])('a name that looks like another is told apart: %j', async (name, shown) => {
    const zone = workspace.platform.account.zones.find(({ Id }) => Id === 309_001)!;
    zone.Name = name;
    await ops().type('/edge cache clear 309001');
    const form = await ada().expectModal(/clear/i, { ready: true });
    expect(form.text).toContain(`${shown} (309001)`);
    await form.close();
    zone.Name = 'DOCS';
  });
});

describe('a hostname that is too long for an option', () => {
  let workspace: TestWorkspace;
  const hostOf = (length: number) => {
    const labels = `preview-checkout-${length}.${'new-payment-7f3a9c1d.shop-frontend.'.repeat(8)}`;
    return `${labels.slice(0, length - 12).replace(/[.-]$/, 'x')}.example.com`;
  };
  beforeAll(async () => {
    workspace = await startTestWorkspace();
    const zone = workspace.platform.account.zones.find(({ Name }) => Name === 'shop')!;
    for (const length of [143, 150, 151, 253])
      zone.Hostnames.push({ ...zone.Hostnames[0]!, Id: 99_000 + length, Value: hostOf(length), ForceSSL: false });
  });
  afterAll(() => workspace.close());
  const ada = () => workspace.slack.person('ada');

  it.each([143, 150, 151, 253])('of %d characters is chosen where it is suggested', async (length) => {
    await ada().in('#ops').type('/edge certificate request');
    const asked = await ada().expectModal(/certificate/i, { ready: true });
    await asked.fill({ Hostname: `preview-checkout-${length}` });
    await asked.submit();
    await asked.expectChange(new RegExp(hostOf(length).slice(0, 70)));
    await asked.close();
    await ada().in('#ops').type('/edge ssl force');
    const form = await ada().expectModal('Force HTTPS', { ready: true });
    await form.fill({ Hostname: `preview-checkout-${length}`, State: 'on' });
    await form.submit();
    await form.expectChange(new RegExp(`Switch force HTTPS on for ${hostOf(length).slice(0, 70)}`));
    await form.close();
  });
});

const folderWith = (policy: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-policy-'));
  writeFileSync(join(folder, 'policy.yml'), policy);
  return { folder, environment: { POLICY_FILE: join(folder, 'policy.yml') } };
};

describe('an approval that nobody can give', () => {
  const POLICY = `
approval:
  - operations: [ssl force]
    approvers: { people: [U0BEN000002] }
  - operations: [ssl *]
    approvers: { people: [U0LOU000001] }
  - operations: [variable add]
    approvers: { roles: [admins] }
  - operations: [bot set]
    approvers: { people: [U0ADA000001, U0BEN000002, U0LOU000001] }
    count: 3
  - operations: [cache clear]
    approvers: { people: [U0GUS000003] }
  - operations: [app delete]
    approvers: { people: [U0FAR000001] }
  - operations: [token create]
    approvers: { groups: ['@empty'], roles: [nobody] }
roles:
  admins: { people: U0ADA000001, allow: ['*'] }
  nobody: { people: [U0LEFT00001], allow: [] }
`;
  let workspace: TestWorkspace;
  let folder: string;
  beforeAll(async () => {
    const written = folderWith(POLICY);
    folder = written.folder;
    workspace = await startTestWorkspace({
      environment: written.environment,
      slack: {
        workspace: {
          users: [
            { name: 'lou', id: 'U0LOU000001' },
            { name: 'left', id: 'U0LEFT00001', isDeleted: true },
            { name: 'far', id: 'U0FAR000001', teamId: 'T0ELSEWHERE' },
          ],
          userGroups: [{ handle: 'empty', members: [] }],
        },
      },
    });
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['the requester as the only one of a role', 'variable add', /besides you there is nobody/],
    ['one of three being the requester', 'bot set', /too few/],
    ['somebody of another workspace', 'app delete', /besides you there is nobody/],
    ['an empty group, and a role of somebody who has left', 'token create', /besides you there is nobody/],
    ['a guest whom the rule names', 'cache clear', /one approval: @gus/],
  ])('is said before it is asked for: %s', async (_, command, said) => {
    const ops = workspace.slack.person('ada').in('#ops');
    await ops.type(`/edge can-i ${command}`);
    await ops.expectMessage(said);
  });
});

describe('somebody with two ids', () => {
  const [DORA, LOCAL] = ['W0DORA00006', 'U0DORA00006'];
  it('has given a file by either of them', async () => {
    const workspace = await startTestWorkspace({
      environment: { EDGEWISE_ADMINS: DORA },
      slack: {
        workspace: {
          grid: 'workspace',
          users: [
            { name: 'dora', id: DORA },
            { name: 'dora-here', id: LOCAL, enterpriseUserId: DORA },
          ],
          channels: [
            { name: 'ops', members: ['ada', 'dora', 'dora-here'] },
            { name: 'mine', members: ['dora', 'dora-here'] },
          ],
        },
      },
    });
    for (const [gives, acts] of [
      ['dora-here', 'dora-here'],
      ['dora-here', 'dora'],
      ['dora', 'dora-here'],
    ] as const) {
      const content = 'openapi: 3.0.3\ninfo: {title: Own, version: "1"}\npaths: {}\n';
      await workspace.slack
        .person(gives)
        .in('#mine')
        .type('mine', { files: [{ name: 'own.yaml', content }] });
      const own = [...workspace.slack.workspace.files.values()].at(-1)!;
      const ops = workspace.slack.person(acts).in('#ops');
      ops.readAll();
      await ops.type(`@edgewise guardian upload shop --file ${own.id}`);
      await (await ops.expectMessage(/Title: – → Own/)).click('Cancel');
    }
    await workspace.close();
  });
});

describe('a channel that has another id', () => {
  const [OLD, NEW] = ['C0RELEASES2', 'C0MOVED0009'];
  const POLICY = `
approval:
  - operations: [ssl force]
    approvers: { people: [U0BEN000002] }
    breakGlass: { channel: ${OLD} }
roles:
  admins: { people: U0ADA000001, allow: ['*'] }
  team:
    people: [U0BEN000002]
    allow:
      - operations: [report subscribe]
        where: { channel: ${OLD} }
channels:
  ${OLD}: { allow: [{ effect: read }, report subscribe] }
  C0OPS000001: { allow: ['*'] }
  other: { allow: ['*'] }
`;
  let workspace: TestWorkspace;
  let folder: string;
  let events = 0;
  beforeAll(async () => {
    const written = folderWith(POLICY);
    folder = written.folder;
    workspace = await startTestWorkspace({ environment: written.environment });
    await moved(OLD, NEW);
  });
  afterAll(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  async function moved(before: string, after: string) {
    const { slack } = workspace;
    const { channels, messages, channel: called } = slack.workspace;
    const channel = called('#releases');
    channels.delete(channel.id);
    const all = messages.get(channel.id) ?? [];
    messages.delete(channel.id);
    channels.set(after, Object.assign(channel, { id: after }));
    messages.set(after, all);
    for (const message of all) message.channel = after;
    events += 1;
    const event = { type: 'channel_id_changed', old_channel_id: before, new_channel_id: after, event_ts: '10.0' };
    const body = { type: 'event_callback', team_id: slack.workspace.team.id, event_id: `Ev0AGAIN${events}`, event };
    expect((await slack.signedRequest(JSON.stringify(body))).status).toBe(200);
    await slack.idle();
  }

  it('hears what was done without approval', async () => {
    const ada = workspace.slack.person('ada');
    await ada.in('#ops').type('/edge ssl force cdn.example.com on');
    await (await ada.in('#ops').expectMessage(/🔒 Needs/u)).click('Break glass …');
    const form = await ada.expectModal('Break glass');
    await form.fill({ 'Why without approval? Everybody reads it.': 'Checkout is down' });
    await form.submit();
    await workspace.slack
      .person('ben')
      .in('#releases')
      .expectMessage(/without approval[\s\S]*Checkout is down/);
  });

  it('is the one that a predicate names, and no other is', async () => {
    const ben = workspace.slack.person('ben').in('#releases');
    await ben.type('/edge report subscribe daily-statistics "weekdays at 9:00" --channel #releases');
    const preview = await ben.expectMessage(/Subscribe|subscribe/);
    expect(preview.buttons).toContain('Cancel');
    await preview.click('Cancel');
    await workspace.slack
      .person('ben')
      .in('#ops')
      .type('/edge report subscribe daily-statistics "weekdays at 9:00" --channel #ops');
    await workspace.slack
      .person('ben')
      .in('#ops')
      .expectMessage(/You may not run report subscribe/);
  });

  it('keeps its restriction when its moves are told of twice, and in another order', async () => {
    const at = workspace.slack.person('ada').in('#releases');
    for (const [before, after, ts] of [
      [OLD, NEW, '10.0'],
      [OLD, 'C0BETWEEN01', '9.0'],
      ['C0BEFORE001', OLD, '5.0'],
    ] as const) {
      events += 1;
      const event = { type: 'channel_id_changed', old_channel_id: before, new_channel_id: after, event_ts: ts };
      const body = {
        type: 'event_callback',
        team_id: workspace.slack.workspace.team.id,
        event_id: `Ev0AGAIN${events}`,
        event,
      };
      await workspace.slack.signedRequest(JSON.stringify(body));
      await workspace.slack.idle();
      await at.type('/edge ssl force cdn.example.com off');
      await at.expectMessage(/You may not run ssl force: [\s\S]*allows only/);
    }
  });
});
