import { expect, test } from 'vitest';
import { usePlatform } from './platform.ts';

const platform = usePlatform();
const none = { none: '' };
const day = '/308001/06-14-2026';
const logs = '/v2/pullzones/308001/logs?limit=1';

test.each([
  ['/apikey', { Message: 'Authorization has been denied for this request.' }],
  ['/compute/script', { Message: 'Authorization has been denied for this request.' }],
  ['/mc/apps', { title: 'Unauthorized', status: 401, instance: '/mc/apps' }],
  ['/shield/shield-zone/5101', { title: 'Unauthorized', status: 401 }],
  ['/database/v2/databases?page=1', { error: 'Authorization has been denied for this request.' }],
])('the management API answers 401 to %s without a key, and with a wrong one', async (path, body) => {
  for (const headers of [none, { AccessKey: 'wrong' }]) {
    const reply = await platform.get(path, { headers });
    expect(reply.status).toBe(401);
    expect(reply.body).toMatchObject(body);
  }
});

test('the management API does not take a JWT', async () => {
  const reply = await platform.get('/apikey', { headers: { Authorization: platform.simulator.jwt.originLogs } });
  expect(reply.status).toBe(401);
});

test('origin logs take the key, or the JWT as the whole value; Bearer is refused', async () => {
  const { originLogs, logging } = platform.simulator.jwt;
  const statusWith = async (headers?: Record<string, string>) =>
    (await platform.ask('originLogs', 'GET', day, headers ? { headers } : {})).status;
  expect(await statusWith()).toBe(200);
  expect(await statusWith({ Authorization: originLogs })).toBe(200);
  expect(await statusWith({ Authorization: `Bearer ${originLogs}` })).toBe(401);
  expect(await statusWith({ Authorization: logging })).toBe(401);
  expect(await statusWith({ AccessKey: 'wrong' })).toBe(401);
  expect(await statusWith(none)).toBe(401);
});

test.each([logs, '/06-14-26/308001.log'])('access logs at %s take the key, or Bearer and the JWT', async (path) => {
  const { logging } = platform.simulator.jwt;
  expect((await platform.logs(path)).status).toBe(200);
  expect((await platform.logs(path, { headers: { Authorization: `Bearer ${logging}` } })).status).toBe(200);
  const bare = await platform.logs(path, { headers: { Authorization: logging } });
  expect(bare).toMatchObject({ status: 403, body: { error: { code: 'forbidden', details: [] } } });
  expect(await platform.logs(path, { headers: { AccessKey: 'wrong' } })).toMatchObject({
    status: 403,
    body: { error: { code: 'forbidden' } },
  });
  expect(await platform.logs(path, { headers: none })).toMatchObject({
    status: 401,
    body: { error: { code: 'unauthorized' } },
  });
});

test('both credentials at once are refused by every service', async () => {
  const key = platform.simulator.environment.PLATFORM_ACCESS_KEY ?? '';
  const { jwt } = platform.simulator;
  const both = (Authorization: string) => ({ headers: { AccessKey: key, Authorization } });
  expect((await platform.get('/apikey', both(jwt.originLogs))).status).toBe(400);
  expect((await platform.ask('originLogs', 'GET', day, both(jwt.originLogs))).status).toBe(400);
  expect((await platform.logs(logs, both(`Bearer ${jwt.logging}`))).status).toBe(400);
});
