import { describe, expect, test } from 'vitest';
import { usePlatform } from '../platform.ts';

const platform = usePlatform();

describe('API keys', () => {
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
