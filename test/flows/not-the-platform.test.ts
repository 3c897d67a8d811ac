import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Canned } from '../support/canned-platform.ts';
import { CONFIRM } from '../support/changes.ts';
import { listedZone, startOnCanned } from '../support/on-canned.ts';

const PAGE = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>…</body></html>';
const html = (body = PAGE): Canned => ({ headers: { 'content-type': 'text/html' }, body });
const SHOP = listedZone(1337, 'shop', 'shop.example.com');
const BLOG = listedZone(42, 'blog', 'blog.example.com');
const list = (zones: unknown, more: object = {}): Canned => ({ body: { Items: zones, HasMoreItems: false, ...more } });

describe('answers that are not the platform’s', () => {
  let bot: Awaited<ReturnType<typeof startOnCanned>>;

  beforeAll(async () => {
    bot = await startOnCanned(new Date('2026-11-25T12:00:00Z'));
  });
  afterAll(() => bot.close());
  beforeEach(() => {
    bot.platform.answer('GET /api/pullzone', list([SHOP, BLOG]));
    bot.platform.requests.splice(0);
  });

  const forced = async (answer: Canned): Promise<string> => {
    bot.platform.answer('POST /api/pullzone/1337/setForceSSL', answer);
    const asked = await bot.ask('ssl force shop.example.com on');
    await asked.click(CONFIRM);
    await asked.expectChangeOrGone(/^(?![\s\S]*Working)/);
    expect(bot.platform.requests.filter((one) => one.startsWith('POST'))).toHaveLength(1);
    const audit = await bot.ask('audit list');
    return `${asked.text}\n${/ssl force.*/.exec(audit.text)?.[0]}`;
  };

  it.each<[string, Canned, RegExp]>([
    ['a page', html(), /web page, not the API/],
    [
      'a page under another type',
      { headers: { 'content-type': 'application/json' }, body: PAGE },
      /web page, not the API/,
    ],
    ['a text', { body: 'Access denied by policy 7' }, /not the expected JSON/],
    [
      'an error of the platform',
      { body: { ErrorKey: 'a.b', Field: 'Hostname', Message: 'No such hostname' } },
      /refused it: No such hostname/,
    ],
    ['a problem', { body: { type: 'about:blank', title: 'Forbidden' } }, /refused it: Forbidden/],
    [
      'a refusal of a gateway',
      { body: { message: 'Missing Authentication Token' } },
      /refused it: Missing Authentication Token/,
    ],
    ['a list', { body: [] }, /another shape/],
    ['a detail alone', { body: { detail: 'Not authenticated' } }, /refused it: Not authenticated/],
    ['a no', { body: { ok: false } }, /It answered 200/],
    ['a status that is none of success', { body: { statusCode: 503 } }, /It answered 200/],
    ['an error that says only that', { body: { error: true } }, /It answered 200/],
    ['an error with its reason', { body: { error: true, reason: 'quota' } }, /refused it: quota/],
    ['a fault', { body: { fault: { faultstring: 'Invalid ApiKey' } } }, /It answered 200/],
  ])('with a 200, %s leaves a change unknown, and it is looked at', async (_, answer, words) => {
    const said = await forced(answer);
    expect(said).toMatch(/^Outcome unknown: /);
    expect(said).toMatch(words);
    expect(said).toMatch(/probably did not take effect/);
    expect(said).toMatch(/ssl force.*unknown/);
  });

  it('with a redirect it says where that leads, and sends the key nowhere', async () => {
    const said = await forced({ status: 302, headers: { location: 'https://sso.example.com/in?state=abc' } });
    expect(said).toMatch(/^Outcome unknown: /);
    expect(said).toContain('https://sso.example.com/in');
    expect(said).not.toContain('state=');
  });

  it.each<[string, Canned]>([
    ['a 204', { status: 204 }],
    ['an object', { body: { State: 'queued' } }],
    ['an object without an error', { body: { error: null, errors: [], status: 202, ok: true } }],
  ])('%s is a yes', async (_, answer) => {
    bot.platform.answer('POST /api/pullzone/1337/setForceSSL', answer);
    await (await bot.ask('ssl force shop.example.com on')).click(CONFIRM);
    await bot.ops().expectMessage(/switched force HTTPS/);
  });

  it('a read says that a page came', async () => {
    bot.platform.answer('GET /api/apikey', html());
    expect((await bot.ask('key list')).text).toMatch(/the platform answered with a web page, not the API/);
    bot.platform.answer('GET /api/mc/apps', { body: { title: 'Maintenance', status: 503 } });
    expect((await bot.ask('app list')).text).toMatch(/refused it: Maintenance/);
    bot.platform.answer('GET /api/mc/apps', { body: {} });
    expect((await bot.ask('app list')).text).toMatch(/without a usable “items”/);
  });

  it('a key without the right is told what helps', async () => {
    bot.platform.answer('GET /api/apikey', { status: 403 });
    expect((await bot.ask('key list')).text).toMatch(/isn’t allowed to do this.*PLATFORM_ACCESS_KEY/);
  });

  it.each<[string, unknown[], RegExp]>([
    ['a hostname', [{ ...SHOP, Hostnames: [...SHOP.Hostnames, { Id: 9, Value: null }] }, BLOG], /2 pull zones/],
    ['a zone', [SHOP, null, BLOG], /2 pull zones/],
    ['the id of a zone', [SHOP, { ...BLOG, Id: null }], /1 pull zone,/],
    ['a list of hostnames', [SHOP, { ...BLOG, Hostnames: null }], /2 pull zones/],
  ])('%s that is null leaves the rest', async (what, zones, words) => {
    bot.platform.answer('GET /api/pullzone', list(zones));
    const { text } = await bot.ask('zone list');
    expect(text).toMatch(words);
    expect(text).toContain('shop.example.com');
    if (!what.startsWith('a list'))
      expect(text.match(/1 item of the platform’s answer could not be read/g)).toHaveLength(1);
  });

  it.each<[string, string, unknown, RegExp]>([
    [
      'app list',
      'mc/apps',
      { items: [{ id: 'a1', name: 'one' }, { id: null, name: 'two' }, null] },
      /one[\s\S]*2 items/,
    ],
    ['key list', 'apikey', { Items: [{ Id: 1, Roles: 'User' }, { Id: null }] }, /1 | –[\s\S]*1 item/],
    [
      'script list',
      'compute/script',
      { Items: [{ Id: 1, Name: 'geo', LinkedPullZones: null }, null] },
      /geo[\s\S]*1 item/,
    ],
    [
      'database list',
      'database/v2/databases',
      { databases: [{ id: 'db_1', name: 'orders' }, { id: null }] },
      /orders[\s\S]*1 item/,
    ],
    [
      'errors show shop',
      '',
      { logs: [null, { logId: 'x', timestamp: 1795000000000, log: '{"Message":"refused"}' }] },
      /refused[\s\S]*1 item/,
    ],
  ])('%s is told without what is null in it', async (line, path, body, words) => {
    const route = path === '' ? 'GET /origin/1337/11-25-2026' : `GET /api/${path}`;
    bot.platform.answer(route, { body });
    expect((await bot.ask(line)).text).toMatch(words);
  });

  it.each<[unknown, RegExp]>([
    [
      [
        { shieldZoneId: 501, pullZoneId: 1337 },
        { shieldZoneId: 502, pullZoneId: null },
      ],
      /Bots|bots/,
    ],
    [[null, { shieldZoneId: 501, pullZoneId: 1337 }, { shieldZoneId: null, pullZoneId: 42 }], /Bots|bots/],
    [null, /no shield zone|There is no/],
  ])('a shield mapping of %j is read', async (data, words) => {
    bot.platform.answer('GET /api/shield/shield-zones/pullzone-mapping', { body: { data } });
    bot.platform.answer('GET /api/shield/shield-zone/501/bot-categorization', {
      body: { data: { categories: [{ category: 1, categoryAction: 1, bots: [] }] } },
    });
    const { text } = await bot.ask(`bot list ${data === null ? 'blog' : 'shop'}`);
    expect(text).not.toMatch(/is not available|could not be read\b.*names/);
    expect(text).toMatch(words);
  });

  it('a zone that is on two pages is one zone', async () => {
    const zones = Array.from({ length: 201 }, (_, n) => listedZone(n + 1, `z${n + 1}`));
    const total = { TotalItems: 201 };
    let page = 0;
    bot.platform.answer('GET /api/pullzone', (response) => {
      page += 1;
      const items = page % 2 === 1 ? zones.slice(0, 200) : zones.slice(199);
      response.end(JSON.stringify({ Items: items, HasMoreItems: page % 2 === 1, ...total }));
    });
    bot.platform.answer('GET /api/pullzone/200', { body: zones[199] });
    expect((await bot.ask('zone show z200')).text).toContain('z200');
  });

  it('a zone that was deleted since it was asked for is said to be gone', async () => {
    await bot.ops().type('/edge cache clear blog');
    const form = await bot.workspace.slack.person('ada').expectModal('Cache clear');
    await form.expectChange(/Type the name/);
    bot.platform.answer('GET /api/pullzone', list([SHOP]));
    await form.fill({ 'Type the name to confirm': 'blog' });
    await form.submit();
    await bot.ops().expectMessage(/Not done: .*does not show blog \(42\) any more: it was renamed or deleted/);
    expect(bot.platform.requests.filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  it('a zone is not said to be gone while the list cannot be read', async () => {
    await bot.ops().type('/edge cache clear blog');
    const form = await bot.workspace.slack.person('ada').expectModal('Cache clear');
    await form.expectChange(/Type the name/);
    bot.platform.answer('GET /api/pullzone', { status: 502, body: {} });
    await form.fill({ 'Type the name to confirm': 'blog' });
    await form.submit();
    const { text } = await bot.ops().expectMessage(/Not done: .*Clear .*blog \(42\)[\s\S]*502/);
    expect(text).not.toContain('deleted');
  });
});
