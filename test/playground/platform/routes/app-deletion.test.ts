import { expect, test } from 'vitest';
import { NOON, usePlatform } from '../platform.ts';

let time = NOON.getTime();
const platform = usePlatform({ now: () => new Date(time) });

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
