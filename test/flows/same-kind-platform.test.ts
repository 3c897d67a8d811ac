import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Canned } from '../support/canned-platform.ts';
import { CONFIRM } from '../support/changes.ts';
import { listedZone, startOnCanned } from '../support/on-canned.ts';

/** Faults of the kinds that the field has met, in forms that no report named. */

const NOW = new Date('2026-11-25T12:00:00Z');
const AT = Date.parse('2026-11-25T10:00:00Z');
const ZONES = [
  listedZone(1337, 'shop', 'shop.example.com'),
  listedZone(42, 'saas', '*.tenants.example.com'),
  listedZone(44, 'names', 'Bücher.example', 'UPPER.Example.COM', 'trail.example.com.', 'xn--strae-oqa.example'),
];

let zone = 2_000;
let canned: Awaited<ReturnType<typeof startOnCanned>>;
const answer = (route: string, given: Canned) => canned.platform.answer(route, given);
const list = (Items: unknown, more: object = {}): Canned => ({ body: { Items, HasMoreItems: false, ...more } });

beforeAll(async () => {
  canned = await startOnCanned(NOW);
});
afterAll(() => canned.close());
beforeEach(() => {
  // Each has a zone of its own: of one, the log may be asked for 30 times in 10 s.
  zone += 1;
  answer('GET /api/pullzone', list(ZONES));
  canned.platform.requests.splice(0);
});

describe('a 200 that is none of the platform', () => {
  it.each<[string, unknown]>([
    ['a status in words', { status: 'error', message: 'No such zone' }],
    ['a status in words alone', { Status: 'Failed' }],
    ['a result in words', { result: 'fail', reason: 'quota' }],
    ['what JSend says', { status: 'fail', data: { hostname: 'is unknown' } }],
    ['an error in capitals', { Error: 'Access denied' }],
    ['errors in capitals', { Errors: { Hostname: ['is unknown'] } }],
    [
      'an exception',
      {
        Message: 'An error has occurred.',
        ExceptionMessage: 'null',
        ExceptionType: 'System.Exception',
        StackTrace: 'at x',
      },
    ],
    ['a message with a request id', { message: 'Forbidden', requestId: '9f1c2b' }],
    ['a detail with a trace id', { detail: 'Not authenticated', trace_id: '9f1c2b' }],
    ['a message of a function', { errorMessage: 'Task timed out after 3.00 seconds' }],
    ['an error by RFC 6749', { error_description: 'The token has expired', error_uri: 'https://sso.example.com' }],
    ['success in quotes', { success: 'false', reason: 'quota' }],
    ['a success that is none', { Success: 'False' }],
    ['a message under another name', { code: 40_301, msg: 'no access' }],
    ['a success with errors', { success: true, errors: [{ message: 'No such hostname' }] }],
    ['an exception without its message', { exception: 'System.NullReferenceException' }],
    ['a failure in a field of its own', { failed: true }],
    ['an error in a field of its own', { isError: true, text: 'no' }],
    ['errors that are only counted', { HasErrors: true }],
    ['a number of an error', { errno: 5, errmsg: 'EACCES' }],
    ['a zero', { ok: 0 }],
    ['what was not accepted', { accepted: false }],
    ['a reason', { reason: 'Forbidden' }],
    ['a text in JSON', '"Unauthorized"'],
    ['a yes that is no object', 'true'],
    ['a page of XML', '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'],
    ['a page behind a comment', '<!-- blocked --><html><body>Sign in</body></html>'],
    ['JavaScript', "while(1);{'ok':true}"],
  ])('leaves a change unknown: %s', async (_, body) => {
    answer('POST /api/pullzone/1337/setForceSSL', { body });
    const asked = await canned.ask('ssl force shop.example.com on');
    await asked.click(CONFIRM);
    await asked.expectChangeOrGone(/^(?![\s\S]*Working)/);
    expect(asked.text).toMatch(/^Outcome unknown: /);
    expect((await canned.ask('audit list --limit 3')).text).toMatch(/ssl force.*unknown/);
  });

  it.each<[string, unknown]>([
    ['a message that says success', { success: true, message: 'Purged' }],
    ['a status that says it', { status: 'ok', requestId: '9f1c2b' }],
    ['a code that says it', { code: 0, message: 'ok' }],
    ['what it did', { Id: 5, State: 'queued' }],
    ['a success in capitals', { Success: true, Id: 4, Errors: [] }],
    ['no failure', { failed: false, hasErrors: false, ok: 1 }],
  ])('is a yes with %s', async (_, body) => {
    answer('POST /api/pullzone/1337/setForceSSL', { body });
    canned.ops().readAll();
    await (await canned.ask('ssl force shop.example.com on')).click(CONFIRM);
    await canned.ops().expectMessage(/switched force HTTPS/);
  });

  it.each<[string, string, string]>([
    ['a tag', 'cache purge tag:news --zone shop', 'POST /api/pullzone/1337/purgeCache'],
    ['an address', 'cache purge https://shop.example.com/a', 'POST /api/purge'],
    ['a certificate', 'certificate request shop.example.com', 'POST /api/pullzone/requestExternalDnsCertificate'],
    ['a variable', 'variable add 77 GREETING hello', 'POST /api/compute/script/77/variables/add'],
  ])('leaves every change unknown: %s', async (_, line, route) => {
    answer('GET /api/compute/script/77', { body: { Id: 77, Name: 'geo', EdgeScriptVariables: [] } });
    for (const body of ['<html><body>Sign in</body></html>', { status: 'error', message: 'no' }]) {
      answer(route, { body });
      const asked = await canned.ask(line);
      await asked.click(CONFIRM);
      await asked.expectChangeOrGone(/^(?![\s\S]*Working)/);
      expect(asked.text).toMatch(/^Outcome unknown: /);
    }
  });
});

describe('what is not understood', () => {
  const SECRET = 'ApiKey 7c0ffee7c0ffee';
  const lineOf = (...behind: string[]) =>
    ['HIT', 200, AT, 412, zone, '198.51.100.7', '-', 'https://shop.example.com/a', 'DE', 'curl', ...behind].join('|');

  it.each<[string, string[]]>([
    ['one field more, and no id', ['-', 'FI', SECRET]],
    ['two fields more, and no id', ['-', 'FI', '400', SECRET]],
    ['two fields more, and a short id', ['9f1c2b', 'FI', 'bytes=0-1', SECRET]],
    ['one field more, and an id in another form', ['req_01HZX', 'FI', SECRET]],
    ['three fields more, and a country of another kind', ['-', 'T1', '400', '-', SECRET]],
    ['four fields more', ['-', 'FI', '400', '-', SECRET, '-']],
  ])('in a line of a log is in no file and no summary: %s', async (_, behind) => {
    answer(`GET /logging/11-25-26/${zone}.log`, { body: `${lineOf('6'.repeat(32), 'FI')}\n${lineOf(...behind)}\n` });
    expect((await canned.ask(`log summary ${zone} --all`)).text).not.toContain(SECRET);
    await canned.ask(`log download ${zone} today`);
    await canned.workspace.slack.idle();
    const files = () => [...canned.workspace.slack.workspace.files.values()].map(({ bytes }) => bytes.toString());
    await expect.poll(() => files().at(-1), { timeout: 10_000 }).toContain('6'.repeat(32));
    expect(files().join()).not.toContain('7c0ffee');
  });

  const cols = (...names: (string | null)[]) => names.map((name) => ({ name }));
  const text = (value: string) => ({ type: 'text', value });
  const executed = (result: object) => ({ type: 'ok', response: { type: 'execute', result } });
  const schema = executed({
    cols: cols('name', 'sql'),
    rows: [[text('users'), text('CREATE TABLE users (id, password)')]],
  });
  it.each<[string, object]>([
    [
      'a cell that says it is null, with a value',
      { cols: cols('id', 'password'), rows: [[{ type: 'null', value: 'hunter2' }, text('hunter2')]] },
    ],
    ['more cells than columns', { cols: cols('id'), rows: [[text('1'), text('hunter2')]] }],
    ['fewer cells than columns', { cols: cols('id', 'password'), rows: [[text('hunter2')]] }],
    ['columns without names', { cols: cols(null, null), rows: [[text('1'), text('hunter2')]] }],
    ['rows that are objects', { cols: cols('id', 'password'), rows: [{ id: '1', password: 'hunter2' }] }],
    [
      'a number in words',
      { cols: cols('id', 'password'), rows: [[{ type: 'float', value: 'hunter2' }, text('hunter2')]] },
    ],
  ])('in the answer of a database is not shown: %s', async (what, result) => {
    answer('POST /v2/pipeline', { body: { results: [schema, executed(result)] } });
    const { text: shown } = await canned.ask('database query configured SELECT id, password FROM users');
    if (!what.startsWith('fewer')) expect(shown).not.toContain('hunter2');
  });
});

describe('one bad element', () => {
  it.each<[string, unknown[], RegExp]>([
    ['a zone that is a number', [ZONES[0], 7, ZONES[1]], /shop|cannot be/],
    ['a hostname that is a text', [{ ...ZONES[0]!, Hostnames: ['a.example.com', ...ZONES[0]!.Hostnames] }], /shop/],
    ['hostnames that are a text', [{ ...ZONES[0]!, Hostnames: 'none' }, ZONES[1]], /2 pull zones/],
    ['a name that is a number', [{ ...ZONES[0]!, Name: 5 }, ZONES[1]], /2 pull zones/],
    ['an id in quotes', [{ ...ZONES[0]!, Id: '1337' }, ZONES[1]], /pull zone/],
  ])('in the zones leaves the rest: %s', async (_, zones, shown) => {
    answer('GET /api/pullzone', list(zones));
    expect((await canned.ask('zone list')).text).toMatch(shown);
  });

  it('in bots and in what validates requests leaves the rest', async () => {
    const { body } = { body: { data: [{ shieldZoneId: 501, pullZoneId: 1337 }] } };
    answer('GET /api/shield/shield-zones/pullzone-mapping', { body });
    answer('GET /api/shield/shield-zone/501/bot-categorization', {
      body: { data: { categories: [null, { category: null }, { category: 1, categoryAction: 1, bots: null }] } },
    });
    expect((await canned.ask('bot list shop')).text).toMatch(/SEO/);
    answer('GET /api/shield/shield-zone/501/api-guardian', {
      body: {
        data: {
          configuration: { title: null, version: '2', maxEndpoints: null },
          endpoints: [null, { requestMethod: 'GET', requestPath: '/a', authSchemes: null, availableParameters: null }],
        },
      },
    });
    expect((await canned.ask('guardian show shop')).text).toMatch(/\/a/);
  });
});

describe('pages', () => {
  it('go on where only their total says that there are more', async () => {
    const zones = Array.from({ length: 201 }, (_, n) => listedZone(n + 1, `z${n + 1}`));
    answer('GET /api/pullzone', (response, url) => {
      const items = url.includes('page=1&') ? zones.slice(0, 200) : zones.slice(200);
      response.end(JSON.stringify({ Items: items, HasMoreItems: null, TotalItems: 201 }));
    });
    answer('GET /api/pullzone/201', { body: zones[200] });
    expect((await canned.ask('zone show z201')).text).toMatch(/z201[\s\S]*Hostnames/);
  });

  it.each<[string, string, (page: number) => object, string]>([
    [
      'script',
      'script list',
      (page) => ({
        Items: [
          { Id: 1, Name: 'geo' },
          { Id: 1 + page, Name: `s${page}` },
        ],
        HasMoreItems: page < 3,
        TotalItems: 4,
      }),
      'GET /api/compute/script',
    ],
    [
      'database',
      'database list',
      (page) => ({
        databases: [
          { id: 'db_1', name: 'geo' },
          { id: `db_${1 + page}`, name: `s${page}` },
        ],
        page_info: { has_more_items: page < 3, total_items: 4 },
      }),
      'GET /api/database/v2/databases',
    ],
    [
      'application',
      'app list',
      (page) => ({
        items: [
          { id: 'a1', name: 'geo' },
          { id: `a${1 + page}`, name: `s${page}` },
        ],
        cursor: page < 3 ? `c${page}` : null,
        meta: { totalItems: 4 },
      }),
      'GET /api/mc/apps',
    ],
  ])('that have the same %s twice have it once', async (_, line, pageOf, route) => {
    let page = 0;
    answer(route, (response) => {
      page += 1;
      response.end(JSON.stringify(pageOf(((page - 1) % 3) + 1)));
    });
    const { text } = await canned.ask(line);
    expect(text.match(/^geo \|/gm)).toHaveLength(1);
    for (const name of ['s1', 's2', 's3']) expect(text).toContain(name);
  });
});

describe('nothing is not zero', () => {
  it.each<[string, string, unknown]>([
    ['optimizer', 'stats optimizer 1337', { TotalRequestsOptimized: null, RequestsOptimizedChart: null }],
    ['queue', 'stats queue 1337', { QueuedRequestsChart: { '2026-11-24T00:00:00Z': null } }],
    ['safehop', 'stats safehop 1337', {}],
  ])('in statistics of the %s', async (name, line, body) => {
    const path = name === 'queue' ? 'originshield/queuestatistics' : `${name}/statistics`;
    answer(`GET /api/pullzone/1337/${path}`, { body });
    const { text } = await canned.ask(line);
    expect(text).toMatch(/sent no figures/);
    expect(text).not.toMatch(/\b0\b/);
  });

  it('in variables that the platform did not list', async () => {
    answer(
      'GET /api/compute/script',
      list([
        { Id: 77, Name: 'geo', EdgeScriptVariables: null },
        { Id: 78, Name: 'web', EdgeScriptVariables: [] },
      ]),
    );
    const { text } = await canned.ask('script list');
    expect(text).toMatch(/geo \|[^\n]*\| – \| –/);
    expect(text).toMatch(/web \|[^\n]*\| 0 \| –/);
  });

  it('in sizes and counts of volumes', async () => {
    answer('GET /api/mc/apps', { body: { items: [{ id: 'a1', name: 'one' }] } });
    answer('GET /api/mc/apps/a1/volumes', {
      body: {
        items: [{ id: 'v1', name: 'data', size: null, totalUsage: null, totalInstancesCount: null }],
        summary: null,
      },
    });
    expect((await canned.ask('volume list one')).text).toMatch(/^data \| v1$/m);
  });

  it('in what a purge would cost', async () => {
    for (const body of [{ TotalRequestsServed: null, CacheHitRate: 90 }, { TotalRequestsServed: 0 }, {}]) {
      answer('GET /api/statistics', { body });
      await canned.ops().type('/edge cache clear shop');
      const form = await canned.workspace.slack.person('ada').expectModal(/clear/i, { ready: true });
      expect(form.text).toMatch(/can’t tell how many requests would reach the origin/);
      await form.close();
    }
  });
});

describe('a filter that the platform did not apply', () => {
  const record = {
    timestamp: '2026-11-25T10:00:00Z',
    statusCode: 200,
    url: 'https://shop.example.com/a',
    cacheStatus: 'HIT',
    countryCode: 'FR',
    requestId: '5'.repeat(32),
    remoteIp: '203.0.113.9',
  };
  it.each([
    '--status 5xx',
    '--status 404',
    '--cache miss',
    '--country DE',
    `--request-id ${'7'.repeat(32)}`,
    '--ip 198.51.100.7',
    '--ip 2001:db8::1',
    '--url /cart',
  ])('shows nobody else’s requests as its own: %s', async (filter) => {
    const { statusCode, countryCode, cacheStatus, requestId, remoteIp, ...bare } = record;
    for (const one of [record, bare, { ...bare, statusCode: null, countryCode: null, cacheStatus: '' }]) {
      answer(`GET /logging/v2/pullzones/${zone}/logs`, { body: { data: [one] } });
      for (const line of [`log search ${zone} ${filter}`, `log summary ${zone} ${filter}`]) {
        const { text } = await canned.ask(line);
        expect(text).toMatch(/did not filter by|[Nn]o requests/);
      }
    }
  });

  it.each(['0.0.0.0', '::', '::ffff:0.0.0.0', '0:0:0:0:0:0:0:0', '-'])(
    'leaves no address by which all requests came: %s',
    async (ip) => {
      const line = [
        'MISS',
        200,
        AT,
        412,
        zone,
        ip,
        '-',
        'https://shop.example.com/a',
        'DE',
        'curl',
        '5'.repeat(32),
        'FI',
      ].join('|');
      answer(`GET /logging/11-25-26/${zone}.log`, { body: `${line}\n`.repeat(40) });
      expect((await canned.ask(`log summary ${zone}`)).text).not.toMatch(
        /came from the (address|network)|busiest address/,
      );
    },
  );

  it.each([
    '--status 2xx',
    '--status 404,200',
    '--cache HIT,MISS',
    '--country de,fr',
    `--request-id ${'55555555-5555-5555-5555-555555555555'}`,
    '--ip 203.0.113.9',
    '--url /a',
    '--url SHOP.example.com/%61',
  ])('was applied: %s', async (filter) => {
    answer(`GET /logging/v2/pullzones/${zone}/logs`, { body: { data: [record] } });
    expect((await canned.ask(`log search ${zone} ${filter}`)).text).toMatch(/^1 request: /);
  });

  it('does not keep anybody from purging', async () => {
    answer('GET /logging/v2/pullzones/1337/logs', { body: { data: [{ ...record, cacheStatus: 'MISS' }] } });
    const preview = await canned.ask('cache purge https://shop.example.com/a');
    expect(preview.text).toMatch(/the cache answered no requests for this address/);
    await preview.click('Cancel');
  });
});

describe('hostnames', () => {
  beforeEach(() => {
    answer('GET /api/shield/shield-zones/pullzone-mapping', {
      body: {
        data: [
          { shieldZoneId: 501, pullZoneId: 42 },
          { shieldZoneId: 502, pullZoneId: 44 },
        ],
      },
    });
    for (const id of [501, 502]) {
      answer(`GET /api/shield/shield-zone/${id}/bot-categorization`, {
        body: { data: { categories: [{ category: 1, categoryAction: 1, bots: [] }] } },
      });
      answer(`GET /api/shield/shield-zone/${id}/api-guardian`, {
        body: { data: { configuration: {}, endpoints: [] } },
      });
    }
  });

  it.each([
    ['bücher.example', 'names'],
    ['xn--bcher-kva.example', 'names'],
    ['straße.example', 'names'],
    ['trail.example.com', 'names'],
    ['upper.example.com.', 'names'],
    ['https://straße.example/cart', 'names'],
    ['acme.tenants.example.com', 'saas'],
  ])('name the zone whose bots and validation are shown: %s', async (typed, name) => {
    for (const line of [`bot list ${typed}`, `guardian show ${typed}`]) {
      const { text } = await canned.ask(line);
      expect(text).not.toMatch(/There is no pull zone/);
      expect(text).toContain(name);
    }
  });

  it('of a tenant on two zones are told with both', async () => {
    answer('GET /api/pullzone', list([...ZONES, listedZone(45, 'other', '*.tenants.example.com')]));
    for (const line of ['log search acme.tenants.example.com', 'cache purge https://acme.tenants.example.com/a'])
      expect((await canned.ask(line)).text).toMatch(/is on several zones: saas \(42\), other \(45\)\./);
  });

  it('that a zone lists twice are on one zone', async () => {
    answer('GET /api/pullzone', list([listedZone(46, 'twice', 'twice.example.com', 'TWICE.example.com.')]));
    const preview = await canned.ask('ssl force twice.example.com on');
    expect(preview.text).toContain('twice (46)');
    await preview.click('Cancel');
  });

  it('of a tenant are no name by which the bots of all tenants are changed', async () => {
    const { text } = await canned.ask('bot set acme.tenants.example.com seo block');
    expect(text).toMatch(/There is no pull zone/);
    const preview = await canned.ask('bot set straße.example seo allow');
    expect(preview.text).toContain('names (44)');
    await preview.click('Cancel');
  });

  it.each(['https://trail.example.com:443/a', 'https://TRAIL.example.com:8443/a?b#c', 'http://trail.example.com/'])(
    'stand in the address of a page: %s',
    async (typed) => {
      const preview = await canned.ask(`ssl force ${typed} on`);
      expect(preview.text).toContain('names (44)');
      await preview.click('Cancel');
    },
  );
});

describe('a timestamp', () => {
  it.each<[string, unknown]>([
    ['seconds with a fraction', AT / 1_000 + 0.25],
    ['seconds with a fraction, in quotes', `${AT / 1_000}.250`],
    ['microseconds with a fraction', AT * 1_000 + 0.5],
    ['another zone, without a colon', '2026-11-25T12:00:00+0200'],
    ['a space, and no zone', '2026-11-25 10:00:00'],
    ['seven digits of a second', '2026-11-25T10:00:00.0000000'],
  ])('of an origin error is understood: %s', async (_, timestamp) => {
    answer(`GET /origin/${zone}/11-25-2026`, {
      body: { logs: [{ logId: 'a', timestamp, log: { Message: 'refused', StatusCode: 502 } }] },
    });
    expect((await canned.ask(`errors show ${zone} --all`)).text).toMatch(/2026-11-25 11:00:00 \| 502/);
  });

  it.each<[string, unknown]>([
    ['zero', 0],
    ['zero in quotes', '0'],
    ['less than nothing', -1],
    ['the beginning of .NET', '0001-01-01T00:00:00'],
    ['what JSON cannot hold', '1e999'],
  ])('of an origin error that is none is said: %s', async (_, timestamp) => {
    const log = { Message: 'refused', StatusCode: 502 };
    answer(`GET /origin/${zone}/11-25-2026`, {
      body: {
        logs: [
          { logId: 'a', timestamp, log },
          { logId: 'b', timestamp: AT, log },
        ],
      },
    });
    const { text } = await canned.ask(`errors show ${zone} --all`);
    expect(text).toMatch(/1 item of the platform’s answer could not be read/);
    expect(text).not.toMatch(/19[67]\d|0001/);
  });
});
