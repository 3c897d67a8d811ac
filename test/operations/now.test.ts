import { expect, it } from 'vitest';
import type { ReportsView } from '../../src/operations/reports-view.ts';
import { blockText, NOW, prepare, zoneOf } from './performing.ts';

const lists = { zones: ['shop', 'blog', 'docs'].map((name, index) => zoneOf(1001 + index, name)) };
const since = new Date(NOW.getTime() - 300_000);
const LOOKED = Date.parse('2026-11-21T11:55:00Z');
const seen = { 1001: { failed: 0 }, 1002: { failed: 0 }, 1003: { failed: 0 } };
const AS_OF = ', by logs up to <!date[^>]*11:55 UTC>';
const all = {
  ...{ report: 'error-summary', state: 'active', targets: [], include: [], exclude: [] },
  ...{ createdAt: since, slotsUntil: NOW },
};

async function now(reports: Partial<ReportsView>, there = lists): Promise<string> {
  const subscriptions = async () => [all] as unknown as Awaited<ReturnType<ReportsView['subscriptions']>>;
  const given = {
    incidents: async () => [],
    doubts: async () => [],
    seen: async () => ({ logs: LOOKED, zones: seen }),
    recovered: async () => [],
    subscriptions,
    ...reports,
  };
  return blockText(await (await prepare('now', { lists: there, reports: given })).run());
}

it('fine is only what a look of the last minutes saw without a failure', async () => {
  const zones = { 1001: { failed: 2, of: 340 }, 1002: { failed: 0 } };
  const looked = async () => ({ logs: LOOKED, zones });
  const few = '⚪ Failed in 5 minutes, too few to tell: shop 2 of about 340.';
  expect(await now({ seen: looked })).toMatch(
    new RegExp(
      `^No trouble reported\\.\n${few}\nThe other zone looks fine${AS_OF}\\.\n1 zone not checked in the last 5 minutes\\.$`,
    ),
  );
  expect(await now({ seen: async () => ({ zones: {} }) })).toBe(
    'No trouble reported.\n3 zones not checked in the last 5 minutes.',
  );
  const unlogged = { zones: [...lists.zones.slice(0, 2), { ...lists.zones[2]!, EnableLogging: false }] };
  expect(
    await now({ seen: async () => ({ logs: LOOKED, zones: { 1001: { failed: 0 }, 1002: { failed: 0 } } }) }, unlogged),
  ).toMatch(
    new RegExp(
      `^✅ No trouble reported: 2 zones look fine${AS_OF}\\.\n1 zone without an access log: only statistics show failures\\.$`,
      'u',
    ),
  );
  const nobody = { subscriptions: async () => [] };
  expect(await now({ seen: looked, ...nobody })).toMatch(
    /^I see nothing broken, but no subscription watches all zones\.\n⚪ .*\nThe other zone looks fine.*\n1 zone not checked/u,
  );
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [1001 + index, { failed: 1 }]));
  const others = { zones: Object.keys(many).map((id) => zoneOf(Number(id), `zone-${id}`)) };
  expect(await now({ seen: async () => ({ logs: LOOKED, zones: many }) }, others)).toMatch(/zone-1010 1 and 2 more\.$/);
});

it('what has recovered within the hour is told with its minute and its length, unless it fails again', async () => {
  const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
  const ended = async () => [
    { zone: 1001, from: at('10:00:00'), since: at('11:16:20'), to: at('11:41:50') },
    { zone: 1002, from: at('11:05:00'), to: at('11:35:00'), isAbout: true },
    { zone: 1003, from: at('11:05:00'), to: at('11:35:00') },
  ];
  const fails = { channelName: '#ops', troubles: [{ zone: '1003', words: 'docs: 502', since, share: 0.4 }] };
  const text = await now({ recovered: ended, incidents: async () => [fails] });
  expect(text.split('\n').filter((line) => line.startsWith('✅'))).toEqual([
    expect.stringMatching(/^✅ \*shop\* recovered at <!date[^>]*11:41 UTC>, after 25 min\.$/u),
    expect.stringMatching(/^✅ \*blog\* recovered at about <!date[^>]*11:35 UTC>, after about 30 min\.$/u),
  ]);
});

it('what fails and is not told yet does not look fine', async () => {
  const text = await now({
    doubts: async () => [{ zone: '1001', words: 'shop: 9 requests failed', since: since.getTime() }],
  });
  expect(text).toMatch(
    /^🟡 \*shop: 9 requests failed\* since .* Not reported yet: it may be a blip\. I’m watching it\.\nThe other 2 zones look fine/u,
  );
});

it('what is not told yet stands with the time of the look that saw it, if that was minutes ago', async () => {
  const asOf = new Date('2026-11-21T11:57:00Z');
  const doubt = { zone: '1001', words: 'shop: 9 requests failed', asOf };
  expect(await now({ doubts: async () => [{ ...doubt, since: since.getTime() }] })).toMatch(
    /^🟡 \*shop: 9 requests failed\* since <!date[^>]*>, as of <!date[^>]*11:57 UTC>\. Not reported yet: /u,
  );
  expect(await now({ doubts: async () => [doubt] })).toMatch(
    /^⚪ shop: 9 requests failed, as of <!date[^>]*11:57 UTC>\.\n/u,
  );
});

it('what could not be seen, or usually fails, does not look fine', async () => {
  const words = ['shop: the access log could not be read (Try later)', 'blog: 90% of requests usually fail'];
  const unsure = words.map((one, index) => ({ zone: String(1001 + index), words: one }));
  expect(await now({ doubts: async () => unsure })).toMatch(
    new RegExp(
      `^⚪ shop: the access log could not be read \\(Try later\\)\\.\n⚪ blog: 90% of requests usually fail\\.\nThe other zone looks fine${AS_OF}\\.$`,
      'u',
    ),
  );
  const failing = { zone: '1003', words: 'docs: 9 requests failed', since: since.getTime() };
  const text = await now({ doubts: async () => [...unsure, failing] });
  expect(text).toMatch(/^🟡 \*docs: 9 requests failed\* .*\n⚪ shop.*\n⚪ blog.*$/u);
  expect(text).not.toContain('fine');
});

it('nothing is clear while something of all zones stands out, though it was dismissed', async () => {
  const words = 'All zones: no requests';
  const text = await now({ doubts: async () => [{ zone: '0', words, isDismissed: true }] });
  expect(text).toMatch(/^⚪ All zones: no requests, dismissed as no problem\.\nThe other 3 zones look fine/u);
});

it('many zones that cannot be seen are named up to ten', async () => {
  const zones = Array.from({ length: 14 }, (_, index) => zoneOf(1001 + index, `zone-${index}`));
  const doubts = async () => zones.slice(1).map(({ Id }) => ({ zone: String(Id), words: `${Id}: unread` }));
  expect(await now({ doubts }, { zones })).toMatch(
    new RegExp(`: unread\\.\nAnd 3 more that I can’t call fine\\.\nThe other zone looks fine${AS_OF}\\.$`),
  );
});

it('what is watched after its failures is not told in the present, nor does it look fine', async () => {
  const trouble = { zone: '1001', words: 'shop: origin refuses connections (502)', since, share: 0, lately: 0 };
  const text = await now({ incidents: async () => [{ channelName: '#ops', troubles: [trouble] }] });
  expect(text).toMatch(
    /^🟡 \*shop: origin refuses connections \(502\)\*, since .*: nothing is failing right now; I’m watching it\n/u,
  );
  expect(text).not.toContain('40%');
  const [last, asOf] = [9, 5].map((minutes) => new Date(NOW.getTime() - minutes * 60_000));
  const lineOf = async (more: object) =>
    now({ incidents: async () => [{ channelName: '#ops', troubles: [{ ...trouble, ...more }] }] });
  expect(await lineOf({ last, asOf })).toMatch(
    /, last failure seen <!date[^>]*11:51 UTC>: nothing was failing as of <!date[^>]*11:55 UTC>; I’m watching it\n/u,
  );
  expect(await lineOf({ last, isUsual: true })).toMatch(
    /, last failure seen <!date[^>]*11:51 UTC>: no more than usual is failing right now; I’m watching it\n/u,
  );
  expect(await lineOf({ share: 0.4, lately: undefined, asOf })).toMatch(
    /^🔴 .*, 40% of requests fail, since <!date[^>]*>, as of <!date[^>]*11:55 UTC>\n/u,
  );
  expect(text).toContain('The other 2 zones look fine');
});

it('what gets better is told with the share of the last look, and as about since when where only statistics show it', async () => {
  const better = { zone: '1001', words: 'shop: 502', since, share: 0.15, lately: 0.15 };
  const away = { zone: '1002', words: 'blog: no requests', since, measure: 'traffic', isAbout: true };
  const text = await now({ incidents: async () => [{ channelName: '#ops', troubles: [better, away] }] });
  expect(text).toMatch(/^🔴 \*shop: 502\*, 15% of requests failed in the last 5 min, getting better, since <!date/mu);
  expect(text).toMatch(/^🔴 \*blog: no requests\*, since about <!date/mu);
});

it('a zone of which one thing gets better while another fails fails, by what still does', async () => {
  const back = { zone: '1001', words: 'shop: fewer requests', since, measure: 'traffic', lately: 0 };
  const fails = { zone: '1001', words: 'shop: 502', since, share: 0.4 };
  const text = await now({ incidents: async () => [{ channelName: '#ops', troubles: [back, fails] }] });
  expect(text).toMatch(/^🔴 \*shop: 502; fewer requests\*, 40% of requests fail, since <!date/u);
});

it('what is not worth waking anybody is as orange as in its message, unless something else of its zone is', async () => {
  const misses = {
    zone: '1001',
    words: 'shop: cache hit rate 5% (usually 90%)',
    since,
    measure: 'hits',
    isMinor: true,
  };
  const fails = { zone: '1002', words: 'blog: 502', since, share: 0.4 };
  const text = await now({
    incidents: async () => [
      { channelName: '#ops', troubles: [misses, { ...misses, zone: '1002', words: 'blog: origin is slow' }, fails] },
    ],
  });
  expect(text).toMatch(/^🔴 \*blog: origin is slow; 502\*, since /mu);
  expect(text).toMatch(/^🟠 \*shop: cache hit rate 5% \(usually 90%\)\*, since /mu);
});

it('a zone of which two channels hear is shown once, with whoever is on it', async () => {
  const [shop, blog] = ['1001', '1002'].map((zone) => ({ zone, words: `${zone}: 502`, since, share: 0.4 }));
  const text = await now({
    incidents: async () => [
      { channelName: '#ops', troubles: [shop!, { ...shop!, words: '1001: 504' }, blog!] },
      { channelName: '#shop', troubles: [shop!], by: 'U2' },
    ],
  });
  expect(text.match(/1001|1002|<@U2> is on it|Nobody is on it yet/g)?.sort()).toEqual(
    ['1001', '1002', '<@U2> is on it', 'Nobody is on it yet'].sort(),
  );
});

it('everything looks fine where nothing fails, and up to when that was seen', async () => {
  expect(await now({})).toMatch(new RegExp(`^✅ No trouble reported: 3 zones look fine${AS_OF}\\.$`, 'u'));
  const statistics = Date.parse('2026-11-21T11:30:00Z');
  expect(await now({ seen: async () => ({ logs: LOOKED, statistics, zones: seen }) })).toMatch(
    new RegExp(`: 3 zones look fine${AS_OF} and statistics up to <!date[^>]*11:30 UTC>\\.$`, 'u'),
  );
});
