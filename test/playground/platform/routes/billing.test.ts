import { expect, test } from 'vitest';
import { NOON, usePlatform } from '../platform.ts';

const platform = usePlatform({ now: () => NOON });

test('a shield zone has what it took beyond its plan this month; one that there is not has nothing', async () => {
  const { data } = (await platform.get('/shield/shield-zones')).body;
  const zone = data[0].shieldZoneId;
  const { body } = await platform.get(`/shield/metrics/overages/${zone}`);
  expect(body).toMatchObject({ shieldZoneId: zone, year: NOON.getUTCFullYear(), totalOverage: expect.any(Number) });
  expect((await platform.get('/shield/metrics/overages/999')).status).toBe(404);
});
