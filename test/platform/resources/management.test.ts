import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { failureOf, useFakeServer } from '../fixture.ts';

const server = useFakeServer();
const first = () => server().requests[0];

describe('API keys (row 1)', () => {
  const keys = {
    body: {
      Items: [
        { Id: 1, Key: 'key-value-0123456789', Roles: ['UserApi'] },
        { Id: 2, Key: null, Roles: null },
      ],
      CurrentPage: 1,
      TotalItems: 2,
      HasMoreItems: false,
    },
  };

  it('are asked for without a query when nothing was typed', async () => {
    server().reply(keys);
    await server().platform().apiKeys.list();
    expect(first()?.url).toBe('/apikey');
  });

  it.each([
    [{ page: 1, perPage: 5 }, '/apikey?page=1&perPage=5'],
    [{ page: 2_147_483_647, perPage: 1000 }, '/apikey?page=2147483647&perPage=1000'],
    [{ perPage: 20 }, '/apikey?perPage=20'],
  ])('take %j', async (query, url) => {
    server().reply(keys);
    await server().platform().apiKeys.list(query);
    expect(first()?.url).toBe(url);
  });

  it('hide their value', async () => {
    server().reply(keys);
    const page = await server().platform().apiKeys.list();
    expect(page.Items[0]?.Key?.masked()).toBe('••••6789');
    expect(page.Items[1]).toMatchObject({ Id: 2, Roles: [] });
    expect(JSON.stringify(page) + inspect(page, { depth: 9 })).not.toContain('key-value');
  });
});

describe('shield zones (rows 2 and 3)', () => {
  const configuration = { shieldZoneId: 7, isEnabled: true, executionMode: 5, title: null, maxEndpoints: 10 };

  it('take a definition by POST as JSON, with the validation of authorization always said', async () => {
    server().reply({ body: { data: { configuration, endpoints: null }, error: null } });
    const done = await server()
      .platform()
      .shieldZones.uploadSpec(7, { content: 'openapi: 3.0.0', enforceAuthorizationValidation: false });
    expect(first()).toMatchObject({
      method: 'POST',
      url: '/shield/shield-zone/7/api-guardian/spec',
      json: { content: 'openapi: 3.0.0', enforceAuthorizationValidation: false },
    });
    expect(first()?.headers['content-type']).toBe('application/json');
    expect(done.answer).toMatchObject({ configuration: { executionMode: 5, maxEndpoints: 10 }, endpoints: [] });
  });

  it('take a new definition by PATCH to the same path', async () => {
    server().reply({ body: { data: { configuration, endpoints: [] } } });
    await server().platform().shieldZones.updateSpec(7, { content: 'x', enforceAuthorizationValidation: true });
    expect(first()).toMatchObject({ method: 'PATCH', url: '/shield/shield-zone/7/api-guardian/spec' });
  });

  it('answer with endpoints in full', async () => {
    const endpoint = {
      apiGuardianEndpointId: 1,
      shieldZoneId: 7,
      requestMethod: 'GET',
      requestPath: '/pets',
      validateAuthorization: true,
      isEnabled: true,
      authSchemes: [
        { schemeName: 'k', schemeType: 'ApiKey', location: 'Header', credentialName: 'X-Key', httpScheme: null },
      ],
      responseBodySchemasYaml: { 200: 'type: object' },
      availableParameters: { Path: [], Query: ['limit'], Header: null, Cookie: [] },
      injectionDetectionParameters: null,
      rateLimitingEnabled: true,
      rateLimitingType: 'Galactic',
      rateLimitingRequestCount: 5,
      rateLimitingTimeframe: 60,
    };
    server().reply({ body: { data: { configuration, endpoints: [endpoint] } } });
    const { endpoints } = await server().platform().shieldZones.guardian(7);
    expect(first()).toMatchObject({ method: 'GET', url: '/shield/shield-zone/7/api-guardian' });
    expect(endpoints[0]).toMatchObject({
      requestPath: '/pets',
      authSchemes: [{ schemeType: 'ApiKey', location: 'Header' }],
      availableParameters: { Query: ['limit'], Header: [] },
      rateLimitingType: 'Galactic',
    });
  });

  it('set a category by PUT, and give back what the platform made of it', async () => {
    server().reply({ body: { data: { category: 0, action: 2 }, error: {} } });
    const done = await server().platform().shieldZones.setBotCategoryAction(7, 0, 1);
    expect(first()).toMatchObject({
      method: 'PUT',
      url: '/shield/shield-zone/7/bot-categorization/categories/0',
      json: { action: 1 },
    });
    expect(done.answer).toEqual({ category: 0, action: 2 });
  });

  it('list their categories, and whose they are', async () => {
    const platform = server().platform();
    server().reply({ body: { data: [{ pullZoneId: 3, shieldZoneId: 7, planType: 1 }] } });
    expect(await platform.shieldZones.mapping()).toEqual([{ pullZoneId: 3, shieldZoneId: 7 }]);
    expect(first()).toMatchObject({ method: 'GET', url: '/shield/shield-zones/pullzone-mapping' });
    server().reply({ body: { categories: [{ category: 1, categoryAction: 2, bots: null }], error: null } });
    expect(await platform.shieldZones.botCategories(7)).toMatchObject([{ category: 1, categoryAction: 2, bots: [] }]);
    server().reply({ status: 200, body: { data: { shieldZoneId: 7, pullZoneId: 3, planType: 1 } } });
    expect(await platform.shieldZones.getByPullZone(3)).toMatchObject({ shieldZoneId: 7, planType: 1 });
  });

  it('are not there for a pull zone without one, which is no failure; a missing endpoint is', async () => {
    const platform = server().platform();
    server().reply(
      { status: 202, body: { data: null } },
      {
        status: 202,
        body: {
          data: null,
          error: { success: false, statusCode: 404, message: 'No', errorKey: 'not_found.shieldzone' },
        },
      },
      { status: 404 },
    );
    expect(await platform.shieldZones.getByPullZone(3)).toBeUndefined();
    expect(await platform.shieldZones.getByPullZone(3)).toBeUndefined();
    expect(await failureOf(platform.shieldZones.getByPullZone(3))).toMatchObject({ status: 404 });
  });
});

describe('edge scripts (row 4)', () => {
  it('take a variable with its name exactly as typed, and a default only when there is one', async () => {
    server().reply({ body: { Id: 9, Name: ' my_Var', Required: false } }, { body: { Id: 10, DefaultValue: '' } });
    const { edgeScripts } = server().platform();
    const done = await edgeScripts.addVariable(5, { Name: ' my_Var', Required: false });
    await edgeScripts.addVariable(5, { Name: 'B', Required: true, DefaultValue: '' });
    expect(server().requests.map((one) => [one.method, one.url, one.json])).toEqual([
      ['POST', '/compute/script/5/variables/add', { Name: ' my_Var', Required: false }],
      ['POST', '/compute/script/5/variables/add', { Name: 'B', Required: true, DefaultValue: '' }],
    ]);
    expect(done.answer).toMatchObject({ Id: 9, Name: ' my_Var' });
  });

  it('are listed without their deployment key', async () => {
    server().reply({
      body: {
        Items: [{ Id: 5, Name: 's', DeploymentKey: 'deploy-secret', EdgeScriptVariables: [{ Id: 1, Name: 'A' }] }],
        HasMoreItems: false,
      },
    });
    const list = await server().platform().edgeScripts.list();
    expect(first()?.url).toBe('/compute/script?page=1&perPage=1000&includeLinkedPullzones=true');
    expect(JSON.stringify(list)).not.toContain('deploy-secret');
    expect(list.items[0]?.EdgeScriptVariables).toMatchObject([{ Id: 1, Name: 'A' }]);
  });

  it('have releases, last published first, without their code or addresses of people', async () => {
    const one = { Code: 'const key = "code-secret";', AuthorEmail: 'ada@example.com', Author: 'Ada', Status: 0 };
    server().reply({
      body: {
        Items: [
          { ...one, Uuid: 'a', DateReleased: '2026-05-01T00:00:00Z', DatePublished: '0001-01-01T00:00:00' },
          { ...one, Uuid: 'b', Status: 1, DateReleased: '2026-04-01T00:00:00', DatePublished: '2026-06-01T00:00:00Z' },
          { ...one, Uuid: 'gone', Deleted: true },
          { Uuid: null },
        ],
      },
    });
    const releases = await server().platform().edgeScripts.releases(5);
    expect(first()?.url).toBe('/compute/script/5/releases?page=1&perPage=50');
    expect(releases.map(({ Uuid, size }) => [Uuid, size])).toEqual([
      ['b', 26],
      ['a', 26],
    ]);
    expect(JSON.stringify(releases)).not.toMatch(/code-secret|example\.com/);
  });

  it('are published by the id of a release, which keeps its note', async () => {
    server().reply({ status: 204 }, { status: 204 });
    const { edgeScripts } = server().platform();
    await edgeScripts.publish(5, '4f2a91c0-aaaa', { Note: 'fix the basket' });
    await edgeScripts.publish(5, 'b', {});
    expect(server().requests.map((asked) => [asked.method, asked.url, asked.json])).toEqual([
      ['POST', '/compute/script/5/publish/4f2a91c0-aaaa', { Note: 'fix the basket' }],
      ['POST', '/compute/script/5/publish/b', {}],
    ]);
    await expect(edgeScripts.publish(5, '../x', {})).rejects.toThrow('not a valid release id');
  });

  it('are shown one by one with their variables, without their deployment key', async () => {
    server().reply({ body: { Id: 5, DeploymentKey: 'deploy-secret', EdgeScriptVariables: [{ Id: 1, Name: 'A' }] } });
    const script = await server().platform().edgeScripts.get(5);
    expect(first()).toMatchObject({ method: 'GET', url: '/compute/script/5' });
    expect(script).toMatchObject({ Id: 5, EdgeScriptVariables: [{ Id: 1, Name: 'A' }] });
    expect(JSON.stringify(script)).not.toContain('deploy-secret');
  });
});

describe('pull zones (rows 5 and 6)', () => {
  it('switch Force SSL by both fields, and take any 2xx', async () => {
    server().reply({ status: 204 }, { status: 200, body: { State: 'ok' } });
    const { pullZones } = server().platform();
    await pullZones.setForceSSL(3, { Hostname: 'a.example', ForceSSL: true });
    await pullZones.setForceSSL(3, { Hostname: 'a.example', ForceSSL: false });
    expect(server().requests.map((one) => [one.method, one.url, one.json])).toEqual([
      ['POST', '/pullzone/3/setForceSSL', { Hostname: 'a.example', ForceSSL: true }],
      ['POST', '/pullzone/3/setForceSSL', { Hostname: 'a.example', ForceSSL: false }],
    ]);
  });

  it('give the TXT record of a certificate request, and what else was said', async () => {
    server().reply({
      body: { TxtRecordName: '_acme-challenge.a', TxtRecordValue: 'abc', ExpiresAt: 'soon', Issuer: 'X' },
    });
    const done = await server().platform().pullZones.requestExternalDnsCertificate({ Hostname: '*.a.example' });
    expect(first()).toMatchObject({
      method: 'POST',
      url: '/pullzone/requestExternalDnsCertificate',
      json: { Hostname: '*.a.example' },
    });
    expect(done).toEqual({
      answer: { TxtRecordName: '_acme-challenge.a', TxtRecordValue: 'abc', ExpiresAt: 'soon' },
      extra: { Issuer: 'X' },
    });
  });

  it('purge a zone, a tag of it, or one address, and take an empty answer', async () => {
    server().reply({ status: 204 }, { status: 204 }, { status: 200 });
    const { pullZones } = server().platform();
    await pullZones.purgeCache(3, {});
    await pullZones.purgeCache(3, { CacheTag: 'news' });
    await pullZones.purge({ url: 'https://a.example/b?c=d&e', exactPath: true });
    expect(server().requests.map((one) => [one.method, one.url, one.json])).toEqual([
      ['POST', '/pullzone/3/purgeCache', {}],
      ['POST', '/pullzone/3/purgeCache', { CacheTag: 'news' }],
      ['POST', '/purge?url=https%3A%2F%2Fa.example%2Fb%3Fc%3Dd%26e&async=false&exactPath=true', undefined],
    ]);
  });

  it('end a certificate request with an empty answer', async () => {
    server().reply({ status: 200 });
    const done = await server().platform().pullZones.completeExternalDnsCertificate({ Hostname: 'a.example' });
    expect(first()?.url).toBe('/pullzone/completeExternalDnsCertificate');
    expect(done.extra).toEqual({});
  });

  it('are listed by pages, without a key or a password', async () => {
    const zone = {
      Id: 3,
      Name: 'shop',
      ZoneSecurityKey: 'leak-1',
      AWSSigningSecret: 'leak-2',
      LogForwardingToken: 'leak-3',
      OriginUrl: 'https://user:leak-4@origin.example/path',
      Hostnames: [
        { Value: 'a.example', ForceSSL: false, HasCertificate: true, Certificate: 'leak-5', CertificateKey: 'leak-6' },
      ],
    };
    const { pullZones } = server().platform();
    server().reply(
      { body: { Items: [zone], CurrentPage: 1, TotalItems: 2, HasMoreItems: true } },
      { body: { Items: [{ Id: 4 }], CurrentPage: 2, TotalItems: 2, HasMoreItems: false } },
    );
    const list = await pullZones.list();
    expect(server().requests.map((one) => one.url)).toEqual([
      '/pullzone?page=1&perPage=200',
      '/pullzone?page=2&perPage=200',
    ]);
    expect(list).toMatchObject({
      hasMore: false,
      totalItems: 2,
      items: [
        { Id: 3, OriginUrl: 'https://origin.example/path' },
        { Id: 4, Hostnames: [] },
      ],
    });
    expect(JSON.stringify(list)).not.toContain('leak');
  });

  it('stop at a number of pages when the platform never ends', async () => {
    let made = 0;
    server().always((_, response) => {
      made += 1;
      response.end(JSON.stringify({ Items: [{ Id: made }], HasMoreItems: true }));
    });
    const list = await server().platform().pullZones.list();
    expect(list.hasMore).toBe(true);
    expect(server().requests).toHaveLength(50);
  });

  it('are the first page alone of a platform that gives it again and again', async () => {
    server().always({ body: { Items: [{ Id: 1 }, { Id: 2 }], HasMoreItems: true } });
    const list = await server().platform().pullZones.list();
    expect(list).toMatchObject({ items: [{ Id: 1 }, { Id: 2 }], hasMore: true });
    expect(server().requests).toHaveLength(2);
  });

  it('are known to be not all when one went to an earlier page while they were read', async () => {
    server().reply(
      { body: { Items: [{ Id: 1 }, { Id: 2 }], TotalItems: 4, HasMoreItems: true } },
      { body: { Items: [{ Id: 4 }], TotalItems: 4, HasMoreItems: false } },
    );
    expect(await server().platform().pullZones.list()).toMatchObject({ hasMore: true, totalItems: 4 });
  });

  it('are held for accounts with many edge rules, and for a zone with 21,000 hostnames', async () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, n) => ({ Id: n, Value: `h${n}.shop.example` }));
    const EdgeRules = Array.from({ length: 20 }, (_, n) => ({ Guid: `g${n}`, Description: 'x'.repeat(600) }));
    const Items = Array.from({ length: 1000 }, (_, n) => ({ Id: n + 1, Hostnames: hosts(5), EdgeRules }));
    server().reply(
      { body: { Items, HasMoreItems: false } },
      { body: { Items: [{ Id: 1, Hostnames: hosts(21_000) }] } },
    );
    const { pullZones } = server().platform();
    expect((await pullZones.list()).items).toHaveLength(1000);
    expect((await pullZones.list()).items[0]?.Hostnames).toHaveLength(21_000);
  });

  it('refuse an id that is none', async () => {
    const { pullZones } = server().platform();
    expect(await failureOf(pullZones.get(Number.NaN))).toBeInstanceOf(UsageError);
    expect(await failureOf(pullZones.get(1.5))).toBeInstanceOf(UsageError);
  });
});

describe('databases', () => {
  it('are listed, and found by their id', async () => {
    const { databases } = server().platform();
    server().reply({
      body: {
        databases: [{ id: 'db_1', url: 'libsql://x.example/', size_max: '1 GB' }],
        page_info: { total_items: 1, has_more_items: false },
      },
    });
    expect(await databases.list()).toMatchObject({ items: [{ id: 'db_1' }], hasMore: false, totalItems: 1 });
    server().reply({ body: { db: { id: 'db_1', name: 'alpha', url: 'libsql://x.example/' } } });
    expect(await databases.get('db_1')).toMatchObject({ name: 'alpha' });
    expect(server().requests.map((one) => one.url)).toEqual([
      '/database/v2/databases?page=1&per_page=100',
      '/database/v2/databases/db_1',
    ]);
  });

  it('make a token that is a secret', async () => {
    server().reply({ body: { token: 'new-token-value', expires_at: null } });
    const made = await server()
      .platform()
      .databases.generateToken('db_1', { authorization: 'full-access', expires_at: '2026-12-21T00:00:00Z' });
    expect(first()).toMatchObject({
      method: 'PUT',
      url: '/database/v2/databases/db_1/auth/generate',
      json: { authorization: 'full-access', expires_at: '2026-12-21T00:00:00Z' },
    });
    expect(made.token.reveal()).toBe('new-token-value');
    expect(JSON.stringify(made) + inspect(made)).not.toContain('new-token');
  });

  it.each([{ status: 204 }, { body: { expires_at: null } }, { body: '<html>' }])(
    'may have made a token when the answer is %j',
    async (reply) => {
      server().reply(reply);
      const failure = await failureOf(
        server().platform().databases.generateToken('db_1', { authorization: 'read-only', expires_at: null }),
      );
      expect(failure).toMatchObject({ name: 'PlatformShapeError', maybeApplied: true });
    },
  );

  it('revoke tokens with an empty answer', async () => {
    server().reply({ status: 204 });
    expect(await server().platform().databases.revokeTokens('db_1')).toEqual({ extra: {} });
    expect(first()).toMatchObject({ method: 'POST', url: '/database/v2/databases/db_1/auth/revoke', body: '' });
  });
});
