import { describe, expect, test } from 'vitest';
import { usePlatform } from '../platform.ts';

const platform = usePlatform();

describe('Force SSL', () => {
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

describe('purging', () => {
  test.each([
    ['/pullzone/308002/purgeCache', {}, 204],
    ['/pullzone/308002/purgeCache', { CacheTag: 'news' }, 204],
    ['/pullzone/308002/purgeCache', { CacheTag: 7 }, 400],
    ['/pullzone/1/purgeCache', {}, 404],
    ['/purge?url=https%3A%2F%2Fshop.example.com%2Fa', undefined, 200],
    ['/purge?url=%2Fa', undefined, 400],
    ['/purge', undefined, 400],
  ])('POST %s with %j is answered with %d', async (path, body, status) => {
    expect(await platform.ask('api', 'POST', path, body === undefined ? {} : { body })).toMatchObject({ status });
  });
});
