import { describe, expect, test } from 'vitest';
import { usePlatform } from '../platform.ts';

const platform = usePlatform({ faults: ['deletion=1000'] });

describe('row 1, API keys', () => {
  test('are paged, with the total and whether more exist', async () => {
    const { body } = await platform.get('/apikey?page=2&perPage=5');
    expect(body).toMatchObject({ CurrentPage: 2, TotalItems: 14, HasMoreItems: true });
    expect(body.Items).toHaveLength(5);
    expect(body.Items[0]).toEqual({ Id: expect.any(Number), Key: expect.any(String), Roles: expect.any(Array) });
    expect((await platform.get('/apikey?page=3&perPage=5')).body.HasMoreItems).toBe(false);
  });

  test.each(['page=0', 'page=2147483648', 'perPage=4', 'perPage=1001', 'page=x'])('refuse %s', async (query) => {
    const reply = await platform.get(`/apikey?${query}`);
    expect(reply).toMatchObject({ status: 400, body: { Field: query.split('=')[0] } });
  });

  test('are listed for the owner only', async () => {
    const scoped = platform.simulator.account.keys.find((key) => key.Roles.includes('ScopedApiKey'));
    expect((await platform.get('/apikey', { headers: { AccessKey: scoped?.Key ?? '' } })).status).toBe(403);
  });
});

describe('row 4, variables of a script', () => {
  const add = (id: number | string, body: unknown) =>
    platform.ask('api', 'POST', `/compute/script/${id}/variables/add`, { body });

  test('are added with an id and their name as it was given', async () => {
    const reply = await add(41300, { Name: 'lower_Case', Required: false, DefaultValue: ' x ' });
    expect(reply).toMatchObject({
      status: 200,
      body: { Id: expect.any(Number), Name: 'lower_Case', DefaultValue: ' x ' },
    });
    const script = await platform.get('/compute/script/41300');
    expect(script.body.EdgeScriptVariables).toContainEqual(reply.body);
  });

  test('are refused a second time, with a Message', async () => {
    await add(41311, { Name: 'TWICE', Required: true });
    const reply = await add(41311, { Name: 'TWICE', Required: true });
    expect(reply).toMatchObject({ status: 400, body: { Message: 'A variable with the name TWICE already exists.' } });
  });

  test.each([
    [{ Required: true }, 'Name'],
    [{ Name: '', Required: true }, 'Name'],
    [{ Name: 'X'.repeat(257), Required: true }, 'Name'],
    [{ Name: 'A' }, 'Required'],
    [{ Name: 'A', Required: false, DefaultValue: 'x'.repeat(4097) }, 'DefaultValue'],
  ])('are validated: %j', async (body, Field) => {
    expect(await add(41300, body)).toMatchObject({ status: 400, body: { Field } });
  });

  test('of an unknown script are an empty 404', async () => {
    expect(await add(7, { Name: 'A', Required: false })).toMatchObject({ status: 404, text: '' });
  });
});

describe('row 5, certificates', () => {
  const request = (Hostname: unknown) =>
    platform.ask('api', 'POST', '/pullzone/requestExternalDnsCertificate', { body: { Hostname } });
  const complete = (Hostname: string) =>
    platform.ask('api', 'POST', '/pullzone/completeExternalDnsCertificate', { body: { Hostname } });
  const hasCertificate = async (zone: number, name: string): Promise<boolean> => {
    const { body } = await platform.get(`/pullzone/${zone}`);
    return body.Hostnames.find((hostname: { Value: string }) => hostname.Value === name).HasCertificate;
  };

  test('are requested, and then completed', async () => {
    const reply = await request('docs.example.com');
    expect(reply).toMatchObject({ status: 200, body: { TxtRecordName: '_acme-challenge.docs.example.com' } });
    expect(Object.keys(reply.body)).toEqual(['TxtRecordName', 'TxtRecordValue', 'ExpiresAt']);
    expect(await hasCertificate(308005, 'docs.example.com')).toBe(false);
    expect(await complete('docs.example.com')).toMatchObject({ status: 200, text: '' });
    expect(await hasCertificate(308005, 'docs.example.com')).toBe(true);
  });

  test('take wildcards, and international names in either form', async () => {
    expect((await request('*.tenants.example.com')).body.TxtRecordName).toBe('_acme-challenge.tenants.example.com');
    expect((await request('shop.münchen.example')).status).toBe(200);
    expect((await request('SHOP.xn--mnchen-3ya.example')).status).toBe(200);
  });

  test('are refused for hostnames that are not in the account', async () => {
    expect(await request('nowhere.example.com')).toMatchObject({
      status: 404,
      body: { ErrorKey: 'pullzone.hostname_not_found', Field: 'Hostname', Message: expect.stringContaining('nowhere') },
    });
    expect((await request(undefined)).status).toBe(400);
    expect((await request('main-site.edge.example.net')).status).toBe(400);
  });

  test('are refused with Retry-After when they are requested too often', async () => {
    for (let time = 1; time <= 5; time++) {
      expect((await request('staging.example.com')).status).toBe(200);
    }
    const reply = await request('staging.example.com');
    expect(reply).toMatchObject({ status: 429, body: { ErrorKey: 'certificate.rate_limited' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('cannot be completed before they are requested, or while the record is missing', async () => {
    expect((await complete('preview.example.com')).status).toBe(400);
    await request('preview.example.com');
    const off = platform.simulator.fault('unverified');
    expect(await complete('preview.example.com')).toMatchObject({
      status: 400,
      body: { ErrorKey: 'certificate.verification_failed' },
    });
    off();
    expect((await complete('preview.example.com')).status).toBe(200);
  });
});

describe('row 6, Force SSL', () => {
  const set = (id: number, body: unknown) => platform.ask('api', 'POST', `/pullzone/${id}/setForceSSL`, { body });

  test('is switched, with an empty 204, and seen afterwards', async () => {
    const before = platform.simulator.writes().length;
    expect(await set(308002, { Hostname: 'SHOP.example.com', ForceSSL: true })).toMatchObject({
      status: 204,
      text: '',
    });
    const { body } = await platform.get('/pullzone/308002');
    expect(body.Hostnames[0]).toMatchObject({ Value: 'shop.example.com', ForceSSL: true });
    expect(platform.simulator.writes()).toHaveLength(before + 1);
    expect(platform.simulator.writes().at(-1)).toMatchObject({
      service: 'api',
      method: 'POST',
      path: '/pullzone/308002/setForceSSL',
      body: { Hostname: 'SHOP.example.com', ForceSSL: true },
      status: 204,
    });
  });

  test.each([
    [1, { Hostname: 'shop.example.com', ForceSSL: true }, 404, 'PullZone'],
    [308002, { Hostname: 'www.example.com', ForceSSL: true }, 400, 'Hostname'],
    [308002, { ForceSSL: true }, 400, 'Hostname'],
    [308002, { Hostname: 'shop.example.com', ForceSSL: 'yes' }, 400, 'ForceSSL'],
  ])('is refused for zone %d and %j with %d', async (id, sent, status, Field) => {
    const writes = platform.simulator.writes().length;
    expect(await set(id, sent)).toMatchObject({
      status,
      body: { ErrorKey: expect.any(String), Field, Message: expect.any(String) },
    });
    expect(platform.simulator.writes()).toHaveLength(writes);
  });
});

describe('pull zones', () => {
  test('are a plain list without a page, and pages with one', async () => {
    const all = (await platform.get('/pullzone')).body;
    expect(all).toHaveLength(13);
    const page = (await platform.get('/pullzone?page=2&perPage=5')).body;
    expect(page).toMatchObject({ CurrentPage: 2, TotalItems: 13, HasMoreItems: true });
    expect(page.Items[0].Id).toBe(all[5].Id);
    expect((await platform.get('/pullzone?page=1&search=video')).body.TotalItems).toBe(1);
    expect((await platform.get('/pullzone/count')).body).toEqual({ Count: 13 });
  });

  test('show certificates and their keys only when asked', async () => {
    const [plain, full] = [
      await platform.get('/pullzone/308001'),
      await platform.get('/pullzone/308001?includeCertificate=true'),
    ];
    expect(plain.body.Hostnames[0].CertificateKey).toBeNull();
    expect(full.body.Hostnames[0].CertificateKey).toContain('PRIVATE KEY');
    expect(plain.body.ZoneSecurityKey).toEqual(expect.any(String));
  });
});

describe('rows 11 to 13, applications', () => {
  test('come in pages of 20 by cursor', async () => {
    const first = (await platform.get('/mc/apps')).body;
    expect(first.items).toHaveLength(20);
    expect(first.meta).toEqual({ totalItems: 23 });
    const rest = (await platform.get(`/mc/apps?nextCursor=${first.cursor}`)).body;
    expect(rest.items).toHaveLength(3);
    expect(rest.cursor).toBeNull();
  });

  test.each(['limit=0', 'limit=1001', 'nextCursor=nonsense'])('refuse %s with a validation problem', async (query) => {
    const reply = await platform.get(`/mc/apps?${query}`);
    expect(reply).toMatchObject({
      status: 400,
      body: { id: expect.any(String), errors: [{ field: query.split('=')[0] }] },
    });
  });

  test('show volumes with sizes that are not integers, the counts, and detached instances', async () => {
    const { body } = await platform.get('/mc/apps/HbqFNk0KZjzYOcp/volumes');
    expect(body).toMatchObject({
      summary: { totalPods: 1, totalContainers: 1, totalStorage: 21 },
      meta: { totalItems: 1 },
      cursor: null,
      items: [{ size: 10.5, totalInstancesCount: 2, attachedInstancesCount: 1, containersCount: 1 }],
    });
    expect(body.items[0].volumeInstances.map((instance: { status: string }) => instance.status)).toEqual([
      'attached',
      'detached',
    ]);
  });

  test('refuse what is not there with problem details', async () => {
    for (const [method, path] of [
      ['DELETE', '/mc/apps/none'],
      ['GET', '/mc/apps/none/volumes'],
    ] as const) {
      const reply = await platform.ask('api', method, path);
      expect(reply).toMatchObject({ status: 404, body: { title: 'Not Found', status: 404, instance: path } });
      expect(reply.headers.get('content-type')).toContain('application/problem+json');
    }
  });
});
