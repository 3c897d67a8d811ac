import { describe, expect, it } from 'vitest';
import { useFakeServer } from '../fixture.ts';

const server = useFakeServer();
const sent = () => server().requests[0];
const platform = () => server().platform();

describe('events of a shield', () => {
  const groups = [{ key: { ip: '203.0.113.7' }, count: 4, context: { country: 'BR' }, sparkline: [1, 3] }];
  const window = { from: new Date(1_000), to: new Date(9_000) };

  it('are asked for in groups', async () => {
    server().reply({ body: { groups: [...groups, { key: null }], total: 1 } });
    const search = { ...window, groupBy: 'ip', buckets: 2, pageSize: 5 } as const;
    expect(await platform().security.events(7, search)).toEqual(groups);
    expect(sent()).toMatchObject({
      method: 'POST',
      url: '/shield/event-logs/7/search',
      json: { from: 1_000, to: 9_000, groupBy: ['ip'], filters: [], buckets: 2, page: 0, pageSize: 5 },
    });
  });

  it('can be those of one value', async () => {
    server().reply({ body: { groups: null } });
    const filter = { field: 'asn', value: '64500' } as const;
    expect(await platform().security.events(7, { ...window, groupBy: 'ip', pageSize: 5, filter })).toEqual([]);
    expect(sent()?.json).toMatchObject({ filters: [{ field: 'asn', op: 'eq', value: ['64500'] }] });
  });
});

describe('access lists', () => {
  it('are listed, without what the platform manages', async () => {
    const list = { listId: 1, configurationId: 2, name: 'Bad', isEnabled: true, type: 1, action: 2, entryCount: 3 };
    server().reply({ body: { customLists: [{ ...list, lastUpdated: '2026-01-01' }], managedLists: [{}] } });
    expect(await platform().security.lists(7)).toEqual([list]);
    expect(sent()?.url).toBe('/shield/shield-zone/7/access-lists');
  });

  it('have an entry a line', async () => {
    server().reply({ body: { data: { id: 1, content: '203.0.113.7/32\r\n\n198.51.100.0/24\n' } } });
    expect(await platform().security.entries(7, 1)).toEqual(['203.0.113.7/32', '198.51.100.0/24']);
    expect(sent()?.url).toBe('/shield/shield-zone/7/access-lists/1');
  });

  it('have all their entries, however many: what is read is written back', async () => {
    const content = Array.from({ length: 4_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}/32`).join('\n');
    server().reply({ body: { data: { id: 1, content } } });
    expect((await platform().security.entries(7, 1)).join('\n')).toBe(content);
  });

  it.each([
    [
      'made',
      () => platform().security.createList(7, { name: 'Edgewise networks', type: 2, content: '64500' }),
      { method: 'POST', url: '/shield/shield-zone/7/access-lists', json: { type: 2, content: '64500' } },
    ],
    [
      'written whole',
      () => platform().security.writeEntries(7, 1, ['DE', 'BR']),
      { method: 'PATCH', url: '/shield/shield-zone/7/access-lists/1', json: { content: 'DE\nBR' } },
    ],
    [
      'switched on, to block',
      () => platform().security.enableList(7, 2),
      {
        method: 'PATCH',
        url: '/shield/shield-zone/7/access-lists/configurations/2',
        json: { isEnabled: true, action: 2 },
      },
    ],
    [
      'deleted',
      () => platform().security.deleteList(7, 1),
      { method: 'DELETE', url: '/shield/shield-zone/7/access-lists/1' },
    ],
  ])('are %s', async (_, send, wanted) => {
    server().reply({ body: { data: { id: 1 }, error: null } });
    await send();
    expect(sent()).toMatchObject(wanted);
  });
});

describe('rate limits', () => {
  it('are listed', async () => {
    const limit = { id: 3, ruleName: 'a', ruleDescription: 'b', ruleConfiguration: { value: '/login' } };
    server().reply({ body: { data: [{ ...limit, userId: 'x' }], page: {} } });
    expect(await platform().security.limits(7)).toEqual([limit]);
    expect(sent()?.url).toBe('/shield/rate-limits/7?page=1&perPage=100');
  });

  it('are read to the last page', async () => {
    server().reply({ body: { data: [{ id: 3 }], page: { totalCount: 2 } } });
    server().reply({ body: { data: [{ id: 4 }], page: { totalCount: 2 } } });
    expect(await platform().security.limits(7)).toEqual([{ id: 3 }, { id: 4 }]);
    expect(server().requests[1]?.url).toBe('/shield/rate-limits/7?page=2&perPage=100');
  });

  it('count addresses on all paths that begin so', async () => {
    server().reply({ body: { id: 3 } });
    const named = { ruleName: 'Edgewise limit', ruleDescription: '10 requests in 1m' };
    await platform().security.addLimit(7, { ...named, value: '/login', requestCount: 10, timeframe: 60 });
    const rule = {
      value: '/login',
      requestCount: 10,
      timeframe: 60,
      counterKeyType: 0,
      operatorType: 0,
      actionType: 1,
    };
    expect(sent()).toMatchObject({
      method: 'POST',
      url: '/shield/rate-limit',
      json: { shieldZoneId: 7, ...named, ruleConfiguration: { ...rule, variableTypes: { REQUEST_URI: '' } } },
    });
  });

  it('are removed by their id', async () => {
    server().reply({ body: { success: true } });
    await platform().security.removeLimit(3);
    expect(sent()).toMatchObject({ method: 'DELETE', url: '/shield/rate-limit/3' });
  });
});

it('a pull zone without a shield gets one that challenges everybody', async () => {
  server().reply({ body: { data: { pullZoneId: 3 } } });
  await platform().security.underAttack(3);
  const json = { pullZoneId: 3, planType: 0 };
  expect(sent()).toMatchObject({ method: 'POST', url: '/shield/shield-zone/under-attack', json });
});

it('a shield is set to another sensitivity, and to nothing else', async () => {
  server().reply({ body: { data: {} } });
  await platform().security.setSensitivity(7, 4);
  const json = { shieldZoneId: 7, shieldZone: { dDoSShieldSensitivity: 4 } };
  expect(sent()).toMatchObject({ method: 'PATCH', url: '/shield/shield-zone', json });
});

it('one address is kept off a pull zone, and let in again', async () => {
  const given = { BlockedIp: '203.0.113.7' };
  server().reply({ status: 204 });
  await server().platform().pullZones.addBlockedIp(3, given);
  server().reply({ status: 204 });
  await server().platform().pullZones.removeBlockedIp(3, given);
  expect(server().requests.map(({ method, url, json }) => [method, url, json])).toEqual([
    ['POST', '/pullzone/3/addBlockedIp', given],
    ['POST', '/pullzone/3/removeBlockedIp', given],
  ]);
});

it('the addresses of a host are not known where nothing looks them up', async () => {
  expect(await platform().security.addressesOf('origin.example.com')).toEqual([]);
});
