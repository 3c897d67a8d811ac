import { expect, it } from 'vitest';
import { refused } from '../../reports/asking.ts';
import { blockText, buttonsOf, NO_LISTS, prepare, rowsOf, zoneOf } from '../performing.ts';

const shop = {
  ...zoneOf(1001, 'shop', {
    Value: 'shop.example.com',
    HasCertificate: true,
    CertificateProvisionType: 2,
    ForceSSL: true,
  }),
  Enabled: true,
  EnableLogging: true,
  OriginUrl: 'https://origin.example.com',
  MonthlyBandwidthUsed: 1_500_000_000,
  EdgeScriptId: -1,
};
const old = { ...zoneOf(1002, 'old', 'old.example.com'), Enabled: true, Suspended: true };

it('zone list shows the zones by name, with state, hostnames and traffic', async () => {
  const found = await (await prepare('zone list', { lists: { zones: [shop, old] } })).run();
  expect(found.text).toBe(
    '2 pull zones, with this month’s traffic\nold 1002 · suspended\nold.example.com\nshop 1001\nshop.example.com · 1.5 GB',
  );
  expect(rowsOf(found)[1]?.does).toEqual({
    Show: 'command:zone show 1001',
    Statistics: 'command:stats show 1001',
    'Origin errors': 'command:errors show 1001',
    'Log summary': 'command:log summary 1001',
  });
  expect(Object.keys(rowsOf(found)[0]?.does ?? {})).not.toContain('Log summary');
});

it('zone list begins with the most traffic where there are many, and has a table of all', async () => {
  const zones = Array.from({ length: 16 }, (_, index) => ({ ...shop, Id: 2000 + index, MonthlyBandwidthUsed: index }));
  const found = await (await prepare('zone list', { lists: { zones } })).run();
  expect(blockText(found)).toContain('shop\n2000\nactive\nshop.example.com\non\n0 B');
  expect(found.text).toMatch(/^16 pull zones, [^\n]*the 5 with the most first\nshop 2015\n/);
  expect(rowsOf(found)).toHaveLength(5);
});

it.each([1, 16])('zone list says that the platform has more than its %i', async (many) => {
  const zones = Array.from({ length: many }, (_, index) => ({ ...shop, Id: 2000 + index }));
  const found = await (await prepare('zone list', { lists: { zones, partial: true } })).run();
  expect(found.text).toContain('There are more than these.');
});

it('zone list says when there is no list, and that ids work', async () => {
  await expect((await prepare('zone list', { lists: NO_LISTS })).run()).rejects.toMatchObject({
    message: 'The pull zones cannot be listed: the platform has no such list.',
  });
});

it('zone show says that there is no zone with an id, and what lists them', async () => {
  const get = async () => {
    throw refused(404, 'The requested Pull Zone was not found', 'pullZone.not_found');
  };
  await expect(
    prepare('zone show 999999', { platform: { pullZones: { get } } }).then(({ run }) => run()),
  ).rejects.toThrow(
    expect.objectContaining({
      message: 'There is no pull zone with the id 999999.',
      hint: '`/edge zone list` lists them.',
    }),
  );
});

it.each([
  ['a script of its own', { OriginType: 4, OriginUrl: 'https://bunnycdn.com', EdgeScriptId: 77 }],
  ['a storage zone', { OriginType: 2, OriginUrl: '' }],
])('zone show names no origin where %s answers', async (_, has) => {
  const platform = { pullZones: { get: async () => ({ ...shop, ...has }) } };
  expect(blockText(await (await prepare('zone show 1001', { platform })).run())).not.toMatch(/^Origin$|bunnycdn/m);
});

it('zone show gives hostnames, certificates and switches, and leads on', async () => {
  const platform = { pullZones: { get: async () => shop } };
  const message = await (await prepare('zone show 1001', { platform })).run();
  const text = blockText(message);
  expect(text).toContain('shop.example.com\nyes, DNS-01\non\nown');
  expect(text).toContain('`https://origin.example.com`');
  expect(text).not.toContain('Edge script');
  expect(text).toMatch(/^\*On\*\nlogging$/m);
  expect(buttonsOf(message)).toEqual({
    Statistics: 'stats show 1001',
    'Origin errors': 'errors show 1001',
    'Log summary': 'log summary 1001',
  });
});
