import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { failureOf, useFakeServer } from '../fixture.ts';

const server = useFakeServer();
const page = (ids: string[], cursor?: string | null, totalItems = ids.length) => ({
  body: { items: ids.map((id) => ({ id, name: `app ${id}` })), meta: { totalItems }, cursor },
});
const urls = () => server().requests.map((one) => `${one.method} ${one.url}`);

describe('the list of apps (row 11)', () => {
  it.each([[null], [''], [undefined]])('is one request without a query when the cursor is %j', async (cursor) => {
    server().reply(page(['a', 'b'], cursor));
    const { items, hasMore, totalItems } = await server().platform().apps.list();
    expect(items.map((app) => app.id)).toEqual(['a', 'b']);
    expect({ hasMore, totalItems }).toEqual({ hasMore: false, totalItems: 2 });
    expect(urls()).toEqual(['GET /mc/apps']);
  });

  it('follows cursors to the end', async () => {
    server().reply(page(['a'], 'c1', 3), page(['b'], 'c 2', 3), page(['c'], null, 3));
    const { items, hasMore } = await server().platform().apps.list();
    expect(items.map((app) => app.id)).toEqual(['a', 'b', 'c']);
    expect(hasMore).toBe(false);
    expect(urls()).toEqual(['GET /mc/apps', 'GET /mc/apps?nextCursor=c1', 'GET /mc/apps?nextCursor=c+2']);
  });

  it('ends at a cursor that it has seen, and repeats no app', async () => {
    server().reply(page(['a'], 'c1'), page(['a', 'b'], 'c1'));
    const { items } = await server().platform().apps.list();
    expect(items.map((app) => app.id)).toEqual(['a', 'b']);
    expect(urls()).toHaveLength(2);
  });

  it('shows the first page, and that there is more, when the platform takes no cursor', async () => {
    server().reply(page(['a'], 'c1', 5), { status: 404 });
    expect(await server().platform().apps.list()).toMatchObject({ items: [{ id: 'a' }], hasMore: true, totalItems: 5 });
  });

  it('fails when a later page fails for another reason', async () => {
    server().reply(page(['a'], 'c1'), { status: 401 });
    expect(await failureOf(server().platform().apps.list())).toMatchObject({ status: 401 });
  });

  it('reads apps that say nothing but their id, and statuses that nobody knows', async () => {
    server().reply({ body: { items: [{ id: 'a' }, { id: 'b', status: 'Hibernating', displayEndpoint: null }] } });
    const { items } = await server().platform().apps.list();
    expect(items).toMatchObject([{ id: 'a' }, { id: 'b', status: 'Hibernating' }]);
  });
});

describe('the deletion of an app (row 12)', () => {
  it('is one DELETE without a body', async () => {
    server().reply({ status: 200 });
    expect(await server().platform().apps.delete('HbqFNk0KZjzYOcp')).toMatchObject({ extra: {} });
    expect(server().requests[0]).toMatchObject({ method: 'DELETE', url: '/mc/apps/HbqFNk0KZjzYOcp', body: '' });
  });

  it.each(['', '.', '..', '../apikey', 'a/b', 'a?b', 'a b', 'x'.repeat(201)])(
    'sends nothing for the id “%s”',
    async (id) => {
      expect(await failureOf(server().platform().apps.delete(id))).toBeInstanceOf(UsageError);
      expect(server().requests).toEqual([]);
    },
  );
});

describe('the volumes of an app (row 13)', () => {
  it('come by one request without a query, with sizes that are no integers', async () => {
    server().reply({
      body: {
        summary: { totalPods: 2, totalContainers: 3, totalStorage: 10.5 },
        items: [
          {
            id: 'v1',
            name: 'data',
            size: 10.5,
            totalUsage: 0.25,
            totalInstancesCount: 2,
            attachedInstancesCount: 1,
            containersCount: 3,
            volumeInstances: [
              {
                id: 'i1',
                region: 'DE',
                status: 'attached',
                size: 5.25,
                usage: 0.1,
                set: 'a',
                attachedPods: ['p'],
                attachedContainers: null,
              },
            ],
          },
        ],
        meta: { totalItems: 1 },
        cursor: null,
      },
    });
    const volumes = await server().platform().apps.volumes('abc');
    expect(urls()).toEqual(['GET /mc/apps/abc/volumes']);
    expect(volumes).toMatchObject({
      hasMore: false,
      summary: { totalPods: 2, totalContainers: 3, totalStorage: 10.5 },
      items: [{ size: 10.5, volumeInstances: [{ usage: 0.1, attachedPods: ['p'], attachedContainers: [] }] }],
    });
  });

  it('are more than these when a cursor came, which is not followed', async () => {
    server().reply({ body: { items: [], cursor: 'c1' } });
    expect((await server().platform().apps.volumes('abc')).hasMore).toBe(true);
  });
});

describe('the endpoints of an app', () => {
  it('name the pull zones that stay', async () => {
    server().reply({
      body: { items: [{ id: 'e1', type: 'cdn', pullZoneId: '77' }, { pullZoneId: '0' }, { pullZoneId: '' }] },
    });
    const endpoints = await server().platform().apps.endpoints('abc');
    expect(endpoints.items.map((one) => one.pullZoneId)).toEqual([77, undefined, undefined]);
    expect(endpoints.hasMore).toBe(false);
    server().reply({ body: { items: [], cursor: 'c1' } });
    expect((await server().platform().apps.endpoints('abc')).hasMore).toBe(true);
  });
});

describe('what an app runs', () => {
  it('is read without its environment variables', async () => {
    const template = { name: 'web', image: 'shop/web:1.2', environmentVariables: [{ name: 'P', value: 'env-secret' }] };
    server().reply({ body: { id: 'a', name: 'shop', status: 'active', containerTemplates: [template] } });
    const app = await server().platform().apps.get('a');
    expect(urls()).toEqual(['GET /mc/apps/a']);
    expect(app).toMatchObject({ id: 'a', containerTemplates: [{ name: 'web', image: 'shop/web:1.2' }] });
    expect(JSON.stringify(app)).not.toContain('env-secret');
  });

  it('is read with its instances, whatever is missing', async () => {
    const pod = { name: 'p', status: 'ready', lastHeartBeat: null, containers: [{ numberOfRestarts: 2 }] };
    server().reply({ body: { activeInstances: { indicator: 2 }, regions: [{ region: 'DE', pods: [pod] }] } });
    expect(await server().platform().apps.overview('a')).toMatchObject({
      activeInstances: 2,
      regions: [{ region: 'DE', pods: [{ name: 'p', containers: [{ numberOfRestarts: 2 }] }] }],
    });
    expect(urls()).toEqual(['GET /mc/apps/a/overview']);
  });

  it('is restarted by one POST without a body', async () => {
    server().reply({ status: 200 });
    expect(await server().platform().apps.restart('HbqFNk0KZjzYOcp')).toMatchObject({ extra: {} });
    expect(server().requests[0]).toMatchObject({ method: 'POST', url: '/mc/apps/HbqFNk0KZjzYOcp/restart', body: '' });
  });
});
