import { describe, expect, test } from 'vitest';
import { HOUR } from '../../../../playground/platform/clock.ts';
import { NOON, usePlatform } from '../platform.ts';

/** A flood of bots on `shop` (308002, shield zone 5102) from ten o’clock. */
const from = Date.parse('2026-06-15T10:00:00Z');
const platform = usePlatform({
  incidents: (zone) => (zone === 308002 ? { kind: 'flood', from, to: from + 4 * HOUR, share: 1 } : undefined),
});

const send = (method: string, path: string, body?: object) => platform.ask('api', method, path, { body });
const searchOf = (more: object, zone = 5102) =>
  send('POST', `/shield/event-logs/${zone}/search`, { from: NOON.getTime() - 2 * HOUR, to: NOON.getTime(), ...more });

describe('events', () => {
  test('are grouped, counted in pieces, and filtered', async () => {
    const { body } = await searchOf({ groupBy: ['asn'], buckets: 4, pageSize: 1 });
    const [group] = body.groups;
    expect(group.key).toEqual({ asn: '64666' });
    expect(group.sparkline.reduce((sum: number, one: number) => sum + one, 0)).toBe(group.count);
    expect(group.context).toMatchObject({ country: 'BR', blocked: 0, logged: group.count });
    expect(body.groups).toHaveLength(1);
    const filters = [{ field: 'asn', op: 'eq', value: ['64666'] }];
    const within = await searchOf({ groupBy: ['ip'], filters });
    expect(within.body.groups.map(({ key }: { key: { ip: string } }) => key.ip.split('.')[0])).toEqual(
      expect.arrayContaining(['203', '198', '192']),
    );
    expect((await searchOf({})).body.rows[0].fields).toHaveProperty('ja4');
  });

  test.each([
    [{ from: NOON.getTime() - 80 * HOUR }],
    [{ to: 1 }],
    [{ groupBy: ['person'] }],
    [{ filters: [{ field: 'ip', op: 'like', value: [] }] }],
  ])('are refused with %j', async (more) => {
    expect((await searchOf(more)).status).toBe(400);
  });

  test('of no shield zone are not found', async () => {
    expect((await searchOf({}, 1)).status).toBe(404);
  });
});

describe('access lists', () => {
  const lists = '/shield/shield-zone/5102/access-lists';
  const make = async (content: string, type = 1) =>
    (await send('POST', lists, { name: 'Bad', type, content })).body.data?.id as number;

  test('block once they are switched on, and no longer when they are deleted', async () => {
    const id = await make('203.0.113.0/24');
    const [list] = (await platform.get(lists)).body.customLists;
    expect(list).toMatchObject({ listId: id, isEnabled: false, action: 0, entryCount: 1 });
    await send('PATCH', `/shield/shield-zone/5102/access-lists/configurations/${list.configurationId}`, {
      isEnabled: true,
      action: 2,
    });
    expect(platform.simulator.account.kept.at(-1)).toMatchObject({
      zoneId: 308002,
      entry: '203.0.113.0/24',
      by: 'list',
    });
    expect(
      (await send('PATCH', `/shield/shield-zone/5102/access-lists/${id}`, { content: '198.51.100.7/32' })).body.data
        .content,
    ).toBe('198.51.100.7/32');
    expect((await platform.get(`/shield/shield-zone/5102/access-lists/${id}`)).body.data).toMatchObject({
      id,
      entryCount: 1,
    });
    expect((await send('DELETE', `/shield/shield-zone/5102/access-lists/${id}`)).body).toMatchObject({ success: true });
    expect(platform.simulator.account.kept.filter(({ to }) => to === undefined)).toEqual([]);
  });

  test.each([
    ['no name', 'POST', lists, { type: 1, content: '' }, 400],
    ['another type', 'POST', lists, { name: 'a', type: 9, content: '' }, 400],
    ['what is no entry', 'POST', lists, { name: 'a', type: 3, content: 'Brazil' }, 400],
    ['an unknown list', 'PATCH', `${lists}/1`, { content: '' }, 202],
    ['an unknown list', 'DELETE', `${lists}/1`, {}, 202],
    ['an unknown configuration', 'PATCH', `/shield/shield-zone/5102/access-lists/configurations/1`, {}, 202],
  ])('are refused with %s', async (_, method, path, body, status) => {
    expect((await send(method, path, body)).status).toBe(status);
  });

  test('are as many as the plan has', async () => {
    for (let count = 0; count < 5; count += 1) await make('DE', 3);
    expect((await send('POST', lists, { name: 'a', type: 3, content: 'DE' })).body.error.errorKey).toBe(
      'invalid_plan_type.access_lists',
    );
  });
});

describe('rate limits', () => {
  const rule = { value: '/search', requestCount: 10, timeframe: 60, blockTime: 60 };
  const add = (more: object = {}, shieldZoneId = 5102) =>
    send('POST', '/shield/rate-limit', { shieldZoneId, ruleName: 'a', ruleConfiguration: { ...rule, ...more } });

  test('are added, listed and removed', async () => {
    const { id } = (await add()).body;
    expect((await platform.get('/shield/rate-limits/5102?page=1&perPage=100')).body.data).toMatchObject([{ id }]);
    expect((await send('DELETE', `/shield/rate-limit/${id}`)).body.success).toBe(true);
    expect((await send('DELETE', `/shield/rate-limit/${id}`)).status).toBe(202);
  });

  test.each([[{ value: 'search' }], [{ requestCount: 0 }], [{ timeframe: 7 }], [{ blockTime: 7 }]])(
    'are refused with %j',
    async (more) => {
      expect((await add(more)).status).toBe(400);
    },
  );

  test('are of a shield zone', async () => {
    expect((await add({}, 1)).status).toBe(404);
  });
});

describe('the challenge for everybody', () => {
  test('is a sensitivity of the shield zone', async () => {
    const set = (dDoSShieldSensitivity: number, shieldZoneId = 5102) =>
      send('PATCH', '/shield/shield-zone', { shieldZoneId, shieldZone: { dDoSShieldSensitivity } });
    await set(4);
    const { data } = (await platform.get('/shield/shield-zone/get-by-pullzone/308002')).body;
    expect(data.dDoSShieldSensitivity).toBe(4);
    await set(2);
    expect((await set(9)).status).toBe(400);
    expect((await set(2, 1)).status).toBe(404);
  });

  test('makes a shield zone where there is none', async () => {
    const make = (pullZoneId: number, planType = 0) =>
      send('POST', '/shield/shield-zone/under-attack', { pullZoneId, planType });
    expect((await make(308003)).body.data.shieldZone).toMatchObject({ dDoSShieldSensitivity: 4 });
    expect((await make(308003)).status).toBe(409);
    expect((await make(1)).status).toBe(400);
    expect((await make(308008, 7)).status).toBe(400);
  });
});

test('a single address is kept off a zone, and let in again', async () => {
  const BlockedIp = '203.0.113.7';
  const blocked = async () => (await platform.get('/pullzone/308008')).body.BlockedIps;
  expect((await send('POST', '/pullzone/308008/addBlockedIp', { BlockedIp })).status).toBe(204);
  expect(await blocked()).toEqual([BlockedIp]);
  expect((await send('POST', '/pullzone/308008/removeBlockedIp', { BlockedIp })).status).toBe(204);
  expect(await blocked()).toEqual([]);
  expect((await send('POST', '/pullzone/1/addBlockedIp', { BlockedIp })).status).toBe(404);
  expect((await send('POST', '/pullzone/308008/addBlockedIp', {})).status).toBe(400);
});
