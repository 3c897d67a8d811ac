import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { flagNameOf } from '../../src/operations/grammar.ts';
import { operations } from '../../src/operations/index.ts';
import type { AnyOperation } from '../../src/operations/operation.ts';
import { CONFIRM } from '../../test/support/changes.ts';
import type { TestWorkspace } from '../../test/support/workspace.ts';
import { startUnder } from './under.ts';

const POLICY = `
roles:
  admins:
    allow: ['*']
  everybody:
    allow:
      - status
      - report subscribe
      - operations: [zone show, ssl force, bot set]
        where: { zone: shop* }
`;

/** Everything is allowed, on things that are called shop. */
const TRIED = `
roles:
  admins:
    allow: ['*']
  everybody:
    allow:
      - operations: '*'
        where: { zone: shop* }
      - operations: '*'
        where: { zones: shop* }
      - operations: '*'
        where: { script: shop* }
      - operations: '*'
        where: { app: shop* }
      - operations: '*'
        where: { database: shop* }
`;

/** Words for arguments that could be anything. */
const SAMPLE: Readonly<Record<string, string>> = {
  date: 'yesterday',
  name: 'GREETING',
  sql: 'SELECT 1',
  hostname: 'shop.example.com',
};

/** Names that ben may not read anywhere. */
describe('Somebody who wants to read the names of what the policy hides', () => {
  let workspace: TestWorkspace;
  const ben = () => workspace.slack.person('ben');
  const ops = () => ben().in('#ops');
  let hidden: string[] = [];
  let blog: TestWorkspace['platform']['account']['zones'][number];

  beforeAll(async () => {
    workspace = await startUnder(POLICY, {
      slack: { workspace: { channels: [{ name: 'board-only', members: ['ada'], isPrivate: true }] } },
    });
    const { zones } = workspace.platform.account;
    blog = zones.find(({ Name }) => Name === 'legacy-blog')!;
    hidden = zones.filter(({ Name }) => !Name!.startsWith('shop')).map(({ Name }) => Name!);
    expect(hidden.length).toBeGreaterThan(5);
    const ada = workspace.slack.person('ada').in('#board-only');
    await ada.type('/edge report subscribe daily-statistics "weekdays at 9:00"');
    const preview = await ada.expectMessage(/Next runs: /);
    await preview.click(CONFIRM);
    await preview.expectGone();
  });
  afterAll(() => workspace.close());
  beforeEach(() => expect(workspace.slack.problems).toEqual([]));

  const names = (text: string) => hidden.filter((name) => new RegExp(`\\b${name}\\b`).test(text));

  it.each(['o', 'b', 'blo', 'blgo', 'main', 'e'])('types “%s” and reads the near misses', async (typed) => {
    for (const line of [`zone show ${typed}`, `can-i zone show ${typed}`]) {
      await ops().type(`/edge ${line}`);
      const answer = await ops().expectMessage(/There is no|matches several|You may not|No, you may not|shop/);
      expect(names(answer.text), answer.text).toEqual([]);
    }
  });

  it('types an id and reads what it is called', async () => {
    for (const line of ['zone show ', 'can-i zone show ', 'bot set zone:']) {
      await ops().type(`/edge ${line}${blog.Id}${line.startsWith('bot') ? ' social block' : ''}`);
      const answer = await ops().expectMessage(/ou may not|no shield zone/);
      expect(names(answer.text), answer.text).toEqual([]);
    }
  });

  it('types a hostname with another zone, and reads whose it is', async () => {
    const shop = workspace.platform.account.zones.find(({ Name }) => Name === 'shop')!;
    const [theirs] = blog.Hostnames;
    for (const line of [
      `ssl force ${theirs!.Value} on --zone ${shop.Id}`,
      `ssl force ${theirs!.Value}@${shop.Id} on`,
      `ssl force ${shop.Hostnames[0]!.Value}@${blog.Id} on --zone ${shop.Id}`,
      `ssl force x${theirs!.Value} on`,
    ]) {
      await ops().type(`/edge ${line}`);
      const answer = await ops().expectMessage(/not|but you gave the zone|No pull zone|names the zone/);
      expect(names(answer.text.replaceAll(theirs!.Value, '')), answer.text).toEqual([]);
    }
  });

  it('may not list the subscriptions, and reads by one of their own that others have it there already', async () => {
    await ops().type('/edge report subscribe daily-statistics "daily at 8:00" --channel #board-only');
    const preview = await ops().expectMessage(/Next runs: /);
    expect(preview.text).toMatch(/Schedule: daily at 8:00/);
    expect(preview.text).not.toMatch(/already posted there|weekdays at 9:00/);
    await preview.click('Cancel');
  });

  it('may not list the subscriptions, and reads on the Home tab where reports go', async () => {
    await ben().openHome();
    const home = await ben().expectHome(/Edgewise operates/);
    expect(home.text).not.toMatch(/daily-statistics|board-only|Subscriptions/);
    await workspace.slack.person('ada').openHome();
    await workspace.slack.person('ada').expectHome(/Subscriptions[\s\S]*daily-statistics/);
  });
});

/** Words for a thing that is hidden, and for one that is not there, which are as long and spelled the same way. */
describe('Somebody who tries names, to learn which of them there are', () => {
  let workspace: TestWorkspace;
  let here: ReturnType<ReturnType<TestWorkspace['slack']['person']>['in']>;
  const pairs: Record<string, [hidden: string, missing: string][]> = {};

  beforeAll(async () => {
    const start = new Date();
    workspace = await startUnder(TRIED, {
      // No list grows old meanwhile.
      now: () => start,
      environment: ({ account }: TestWorkspace['platform']) => ({
        PLATFORM_DATABASE_URL: account.databases[0]!.url,
        PLATFORM_DATABASE_AUTH_TOKEN: account.databases[0]!.seeded.fullAccess,
      }),
    });
    here = workspace.slack.person('ben').in('#ops');
    for (const line of [
      'zone list',
      'bot list shop',
      'script list',
      'app list',
      'can-i database query shop SELECT 1',
    ]) {
      await workspace.slack.person('ada').in('#ops').type(`/edge ${line}`);
      await workspace.slack.person('ada').in('#ops').expectMessage(/./);
    }
    const { zones, scripts, apps, databases, shieldZones } = workspace.platform.account;
    const zone = zones.find(({ Name }) => Name === 'main-site')!;
    const name = zone.Name!;
    const shield = shieldZones.find(({ pullZoneId }) => pullZoneId === zone.Id)!;
    const host = zone.Hostnames[0]!.Value;
    pairs.zone = [
      [name, 'nope-site'],
      [name.toUpperCase(), 'NOPE-SITE'],
      [name.slice(0, -1), 'nope'],
      [String(zone.Id), '99887766'],
      [host, 'nope.example.net'],
      [`zone:${zone.Id}`, 'zone:99887766'],
      [`shield:${shield.shieldZoneId}`, 'shield:99887766'],
    ];
    pairs.zones = [
      [name, 'nope-site'],
      [`shop,${name}`, 'shop,nope-site'],
      [`shop,${name.slice(0, -1)}*`, 'shop,nope*'],
      [`shop,${zone.Id}`, 'shop,99887766'],
    ];
    pairs.hostname = [
      [host, 'nope.example.net'],
      [`${host}@${zone.Id}`, 'nope.example.net@99887766'],
      [`${host}@shop`, 'nope.example.net@shop'],
    ];
    const [script] = scripts;
    const [app] = apps;
    const [, database] = databases;
    pairs.script = [
      [script!.Name!, 'nope-script'],
      [String(script!.Id), '99887766'],
    ];
    pairs.app = [
      [app!.name!, 'nope-app'],
      [app!.id, app!.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ];
    pairs.database = [
      [database!.name!, 'nope-base'],
      [database!.id, database!.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ];
  });
  afterAll(() => workspace.close());

  /** What is said without the words that were typed. */
  const without = (text: string, typed: string) =>
    typed
      .split(/[:@,]/)
      .filter((word) => word !== 'shield' && word !== 'zone' && word !== 'shop')
      .reduce((rest, word) => rest.replaceAll(word, '…'), text);

  /** The operations that name a thing, with the key of the argument that does. */
  const tried = operations.flatMap((operation) =>
    Object.entries(operation.args).flatMap(([key, { names, everywhere }]) => {
      const [subject] = Object.keys(names?.of ?? {});
      return everywhere || subject === undefined || subject === 'channel' || subject === 'report'
        ? []
        : [{ operation, key, subject }];
    }),
  );

  /** The pairs to try: all of them where a kind of argument comes first, the first where it comes again. */
  const pairsFor = ({ operation, key, subject }: (typeof tried)[number]) => {
    const { hint } = operation.args[key]!;
    const isFirst = tried.find((one) => one.operation.args[one.key]!.hint === hint)?.operation === operation;
    return isFirst ? pairs[subject]! : pairs[subject]!.slice(0, 1);
  };

  /** A line that names the thing, and says something for all else that is needed. */
  function lineWith(operation: AnyOperation, key: string, typed: string): string {
    const words = Object.entries(operation.args).flatMap(([other, kind]) => {
      if (other === key) return kind.shape === 'flag' ? [`--${flagNameOf(key)}`, typed] : [typed];
      if (!kind.required || kind.field.type === 'file' || kind.role === 'comes to') return [];
      if (kind.field.type === 'select') return [kind.field.options[0]!.value];
      return [
        other === 'report' ? 'daily-statistics' : other === 'schedule' ? '"every day at 9:00"' : (SAMPLE[other] ?? 'x'),
      ];
    });
    return [operation.name, ...words].join(' ');
  }

  const answered = async (line: string, typed: string) => {
    const from = workspace.platform.requests.length;
    // A mention opens no form: all answers come here.
    await here.type(`@edgewise ${line}`);
    const { text, buttons } = await here.expectMessage(/./);
    // The same lists are read, as often: nobody tells them apart by how long it takes.
    const asked = workspace.platform.requests.slice(from).map(({ method, path }) => `${method} ${path.split('?')[0]}`);
    // The nearest of their own names is another one for another word.
    const plain = without(text.replace('like cdn.example.com', ''), typed).replace(
      /Did you mean (shop|img|assets)\S*\? /,
      '',
    );
    return { text: plain, buttons, asked: asked.sort() };
  };

  it('finds all commands that name something here', () => {
    expect(tried.length).toBeGreaterThan(20);
    expect(new Set(tried.map(({ subject }) => subject))).toEqual(new Set(Object.keys(pairs)));
  });

  it.each(tried.map((one) => [one.operation.name, one] as const))('reads the same of %s', async (_, one) => {
    const all = pairsFor(one);
    // Whoever asks first reads the list, whatever they ask.
    await answered(lineWith(one.operation, one.key, all[0]![1]), all[0]![1]);
    for (const [hidden, missing] of all) {
      for (const ask of hidden === pairs[one.subject]![0]![0] ? ['', 'can-i '] : ['']) {
        const [first, second] = [hidden, missing].map((typed) => ask + lineWith(one.operation, one.key, typed));
        const there = await answered(first!, hidden);
        const nowhere = await answered(second!, missing);
        expect({ line: first, ...there }).toEqual({ line: first, ...nowhere });
      }
    }
  });

  it.each(tried.map((one) => [one.operation.name, one] as const))('is offered the same for %s', async (_, one) => {
    const { label, suggest, required } = one.operation.args[one.key]!;
    // Where it can be left out, no form opens by itself.
    if (suggest === undefined || !required) return;
    const ben = workspace.slack.person('ben');
    await here.type(`/edge ${one.operation.name}`);
    const form = await ben.expectModal(/./, { ready: true });
    await form.select(label, 'shop').catch(() => undefined);
    const { payload } = workspace.slack.deliveries.filter((one) => one.payload.type === 'block_suggestion').at(-1)!;
    for (const [hidden, missing] of pairsFor(one).slice(0, 4)) {
      const offered = [];
      for (const typed of [hidden, missing]) {
        const { text } = await workspace.slack.signedRequest({ payload: { ...payload, value: typed } });
        // The nearest of their own names are others for another word.
        const { options } = JSON.parse(text) as { options: unknown[] };
        const others = options.map((option) => JSON.stringify(option)).filter((option) => !option.includes('shop'));
        offered.push(without(others.join(), typed));
      }
      expect(offered[0]).toBe(offered[1]);
    }
    await form.close();
  });
});

describe('Somebody who may act on some hostnames alone', () => {
  it('asks in plain words for a zone that has others, and reads the same as of one that is not there', async () => {
    const workspace = await startUnder(`
roles:
  admins:
    allow: ['*']
  everybody:
    allow: [{ operations: ssl force, where: { hostname: '*.shop.example' } }]
`);
    const ops = workspace.slack.person('ben').in('#ops');
    const answers = [];
    for (const name of ['legacy-blog', 'absent-blog']) {
      await ops.type(`/edge force https on ${name}`);
      const { text, buttons } = await ops.expectMessage(/I didn’t do anything/);
      answers.push({ text: text.replaceAll(name, '…'), buttons });
    }
    expect(answers[0]).toEqual(answers[1]);
    // Nor is a mistyped one corrected.
    await ops.type('/edge ssl force cdn.shop.example on --zone legacy-blg');
    const { text, buttons } = await ops.expectMessage(/There is no pull zone “legacy-blg”/);
    expect(`${text} ${buttons}`).not.toContain('legacy-blog');
    await workspace.close();
  });
});

describe('Somebody who may dismiss incidents of reports of their own', () => {
  it('tries names of other zones', async () => {
    const workspace = await startUnder(`
roles:
  admins:
    allow: ['*']
  everybody:
    allow:
      - report dismiss
      - { operations: report subscribe, where: { zones: shop* } }
      - { operations: errors show, where: { zone: shop* } }
`);
    const ops = workspace.slack.person('ben').in('#ops');
    await ops.type('/edge report subscribe error-summary "every 5 minutes" --zones shop');
    const preview = await ops.expectMessage(/Next runs: /);
    await preview.click(CONFIRM);
    await preview.expectGone();
    for (const name of ['legacy-blog', 'legacy-blgo', 'absent-blog']) {
      await ops.type(`/edge report dismiss 1 --only ${name}`);
      const answer = await ops.expectMessage(/There is no/);
      expect(answer.text.replace(name, '…')).toMatch(/^There is no pull zone “…”\.\n\S+ zone list lists them\.$/m);
      expect(answer.buttons).toEqual(['Open the form']);
    }
    await workspace.close();
  });
});
