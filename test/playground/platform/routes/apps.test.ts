import { describe, expect, test } from 'vitest';
import { NOON, usePlatform } from '../platform.ts';

let time = NOON.getTime();
const platform = usePlatform({ now: () => new Date(time) });

describe('applications', () => {
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

test('an application shows what it runs, and its restarts are counted', async () => {
  const at = '/mc/apps/HbqFNk0KZjzYOcp';
  const restarts = async () =>
    (await platform.get(`${at}/overview`)).body.regions[0].pods[0].containers[0].numberOfRestarts;
  expect((await platform.get(at)).body.containerTemplates[0]).toMatchObject({
    image: expect.stringContaining('stock-api:'),
    environmentVariables: [{ name: 'API_PASSWORD', value: expect.any(String) }],
  });
  expect(await restarts()).toBe(0);
  expect(await platform.ask('api', 'POST', `${at}/restart`)).toMatchObject({ status: 200, text: '' });
  expect(await restarts()).toBe(1);
  const suspended = (await platform.get('/mc/apps?limit=100')).body.items.find(
    ({ status }: { status: string }) => status === 'suspended',
  );
  expect((await platform.ask('api', 'POST', `/mc/apps/${suspended.id}/restart`)).status).toBe(403);
  expect((await platform.ask('api', 'POST', '/mc/apps/none/restart')).status).toBe(404);
});

test('a deleted application stays listed as progressing, and is gone after a while', async () => {
  const listed = async (): Promise<{ id: string; status: string }[]> =>
    (await platform.get('/mc/apps?limit=100')).body.items;
  const [app] = await listed();
  const path = `/mc/apps/${app?.id}`;
  expect(await platform.ask('api', 'DELETE', path)).toMatchObject({ status: 200, text: '' });
  time += 2_900;
  expect((await listed()).find(({ id }) => id === app?.id)?.status).toBe('progressing');
  expect((await platform.ask('api', 'DELETE', path)).status).toBe(200);
  time += 200;
  expect((await listed()).some(({ id }) => id === app?.id)).toBe(false);
  expect((await platform.ask('api', 'DELETE', path)).status).toBe(404);
});

test('a suspended one is not deleted', async () => {
  const app = platform.simulator.account.apps.find(({ status }) => status === 'suspended');
  expect(await platform.ask('api', 'DELETE', `/mc/apps/${app?.id}`)).toMatchObject({
    status: 403,
    body: { detail: 'The user has an invalid card or is suspended.' },
  });
});
