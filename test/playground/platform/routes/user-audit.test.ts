import { expect, test } from 'vitest';
import { NOON, usePlatform } from '../platform.ts';

const platform = usePlatform({ now: () => NOON });
const day = NOON.toISOString().slice(0, 10);

test('the audit of the account has what was changed, by whom, in pages', async () => {
  const { Uuid } = (await platform.get('/compute/script/41300/releases')).body.Items[1];
  await platform.ask('api', 'POST', `/compute/script/41300/publish/${Uuid}`, { body: {} });
  await platform.ask('api', 'POST', '/mc/apps/HbqFNk0KZjzYOcp/restart');
  const { body } = await platform.get(`/user/audit/${day}?Limit=1`);
  expect(body).toMatchObject({
    Logs: [{ Action: 'PublishRelease', ResourceType: 'EdgeScript', ResourceId: '41300', ActorType: 'ApiKey' }],
    HasMoreData: true,
  });
  expect(JSON.parse(body.Logs[0].Diff).Release.New).toBe(Uuid);
  const next = await platform.get(`/user/audit/${day}?Limit=1&ContinuationToken=${body.ContinuationToken}`);
  expect(next.body).toMatchObject({ Logs: [{ Action: 'Restart' }], HasMoreData: false, ContinuationToken: null });
  const scripts = await platform.get(`/user/audit/${day}?ResourceType=EdgeScript`);
  expect(scripts.body.Logs).toHaveLength(1);
  expect((await platform.get('/user/audit/2026-01-01')).body.Logs).toEqual([]);
});

test.each(['/user/audit/yesterday', `/user/audit/${day}?Order=Up`, `/user/audit/${day}?Limit=0`])(
  'the audit refuses %s',
  async (path) => {
    expect((await platform.get(path)).status).toBe(400);
  },
);
