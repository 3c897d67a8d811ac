import { expect, it } from 'vitest';
import { commandOf } from '../../src/changes/permission.ts';
import type { Context } from '../../src/operations/context.ts';
import { operations } from '../../src/operations/index.ts';
import { now } from '../../src/operations/now.ts';
import { status } from '../../src/operations/status.ts';
import { parsePolicy } from '../../src/policy/document.ts';
import { createFixedDirectory } from '../../src/policy/names.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { troublePart } from '../../src/slack/home/home.ts';
import type { Bot } from '../../src/slack/services.ts';

const POLICY = `
roles:
  admins:
    allow: ['*']
  shop:
    people: [U0CLEO00005]
    allow:
      - operations: errors show
        where: { zone: shop }
  everybody:
    allow: [zone list]
`;

const watching = {
  ...{ report: 'error-summary', state: 'active', targets: [], include: [], exclude: [] },
  createdAt: new Date('2026-11-23T08:00:00Z'),
  slotsUntil: new Date('2026-11-23T09:20:00Z'),
};

const services = {
  policy: createPolicy(
    parsePolicy({ text: POLICY, commands: operations.map(commandOf), admins: ['U0ADA000001'] }),
    createFixedDirectory(),
  ),
  reports: {
    incidents: async () => [
      {
        channelName: '#incidents',
        address: 'https://shop.slack.com/archives/C1/p1',
        by: 'U0BEN000002',
        troubles: [
          { zone: '1', words: 'shop: origin refuses connections', since: new Date('2026-11-23T08:10:00Z'), share: 0.4 },
          { zone: '2', words: 'payroll: requests fell to 9 %', since: new Date('2026-11-23T09:20:00Z') },
        ],
      },
    ],
    doubts: async () => [],
    seen: async () => ({
      logs: Date.parse('2026-11-23T09:25:00Z'),
      zones: { 1: { failed: 0 }, 2: { failed: 0 }, 3: { failed: 0 } },
    }),
    recovered: async () => [],
    subscriptions: async () => [watching],
  },
  catalogue: {
    zones: async () => ({
      items: [
        { Id: 1, Name: 'shop' },
        { Id: 2, Name: 'payroll' },
        { Id: 3, Name: 'docs' },
      ],
    }),
  },
} as unknown as Bot;

const partFor = (id: string) => troublePart(services, { id, teamId: 'T0SHOP00001', kind: 'member' });
const seenBy = async (id: string) => (await partFor(id))?.text;

it('the Home tab leads from trouble to the errors of each zone', async () => {
  expect(JSON.stringify((await partFor('U0ADA000001'))?.blocks)).toMatch(
    /Errors of shop".*"errors show 1".*Errors of payroll".*"errors show 2"/,
  );
});

it('the Home tab shows the trouble of those zones alone whose errors one may see', async () => {
  expect(await seenBy('U0ADA000001')).toMatch(
    /shop: origin refuses connections, 40% of requests fail, since [^\n]*08:10[\s\S]*payroll[\s\S]*09:20[\s\S]*reported in #incidents/,
  );
  const cleos = await seenBy('U0CLEO00005');
  expect(cleos).toMatch(/shop: origin refuses connections/);
  expect(cleos).not.toMatch(/payroll/);
  // Only those who may list subscriptions learn where one is.
  expect(cleos).toMatch(/is on it$/m);
  expect(cleos).not.toMatch(/#incidents/);
  expect(await seenBy('U0DORA00006')).toBeUndefined();
});

it('the Home tab shows what fails and is not told yet, as the answer does, but not what nobody can tell', async () => {
  const doubts = async () => [
    { zone: '3', words: 'docs: 9 requests failed', since: Date.parse('2026-11-23T09:21:00Z') },
    { zone: '1', words: 'shop: 5 failed', since: Date.parse('2026-11-23T09:21:00Z') },
    { zone: '2', words: 'payroll: unread' },
  ];
  const of = (reports: object) =>
    troublePart({ ...services, reports: { ...services.reports, doubts, ...reports } } as unknown as Bot, {
      ...{ id: 'U0ADA000001', teamId: 'T0SHOP00001', kind: 'member' },
    });
  const lines = (await of({}))!.text.split('\n');
  expect(lines[0]).toBe('Trouble now');
  expect(lines.filter((line) => /^[🟡⚪]/u.test(line))).toEqual([
    expect.stringMatching(/^🟡 docs: 9 requests failed since .*09:21 UTC\. Not reported yet/u),
  ]);
  expect((await of({ incidents: async () => [] }))!.text).toMatch(/^Trouble now\n🟡 /u);
});

it('what is broken is told with its share, its owner, its message, and how many zones look fine', async () => {
  const context = { ...services, policy: { may: () => true } } as unknown as Context;
  const shown = now.render(await now.run({}, context), {}, context.reader);
  expect(shown.text.split('\n').map((line) => line.trim())).toEqual([
    '🔴 shop: origin refuses connections, 40% of requests fail, since 2026-11-23 08:10 UTC',
    '🔴 payroll: requests fell to 9 %, since 2026-11-23 09:20 UTC',
    '<@U0BEN000002> is on it · reported in #incidents',
    'The other zone looks fine, by logs up to 09:25 UTC.',
  ]);
  expect(JSON.stringify(shown.blocks)).toContain('<https://shop.slack.com/archives/C1/p1|#incidents>');
});

it('the bot is not called well without the trouble of the zones', async () => {
  const health = { read: async () => [{ name: 'Slack', ok: true, detail: 'Socket Mode' }] };
  const context = { ...services, health, policy: { may: () => true } } as unknown as Context;
  const shown = status.render(await status.run({}, context), {}, context.reader);
  expect(shown.text).toMatch(/^The bot is healthy\.\n🔴 shop: origin refuses connections, 40% of requests fail/u);
});

it('no zones are called fine while the platform lists none', async () => {
  const catalogue = { zones: async () => ({ items: [], missing: 'the platform did not answer' }) };
  const reports = { ...services.reports, incidents: async () => [] };
  const context = { ...services, reports, catalogue, policy: { may: () => true } } as unknown as Context;
  const shown = now.render(await now.run({}, context), {}, context.reader);
  expect(shown.text).toBe('No trouble reported.\nI can’t tell how many zones look fine: the platform did not answer.');
});

it('the worst is told first', async () => {
  const [incident] = await services.reports.incidents();
  const misses = { zone: '3', words: 'docs: fewer cache hits', since: new Date('2026-11-23T07:00:00Z') };
  const away = { ...misses, zone: '2', words: 'payroll: no requests', measure: 'traffic', isMinor: false };
  const shop = { ...incident, troubles: incident!.troubles.slice(0, 1) };
  const each = [misses, away].map((one) => ({ ...incident, troubles: [one] }));
  const reports = { ...services.reports, incidents: async () => [shop, ...each].toReversed() };
  const context = { ...services, reports, policy: { may: () => true } } as unknown as Context;
  const { text } = now.render(await now.run({}, context), {}, context.reader);
  expect(text).toMatch(/payroll: no requests.*shop: origin.*docs: fewer/s);
});

it('no zones are called fine before they were looked at', async () => {
  const reports = { ...services.reports, seen: async () => ({ zones: {} }), incidents: async () => [] };
  const context = { ...services, reports, policy: { may: () => true } } as unknown as Context;
  const { text } = now.render(await now.run({}, context), {}, context.reader);
  expect(text).toBe('No trouble reported.\n3 zones not checked in the last 5 minutes.');
});
