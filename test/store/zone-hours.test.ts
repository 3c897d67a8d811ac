import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/open-database.ts';
import { createZoneHours } from '../../src/store/zone-hours.ts';
import { DAY } from '../../src/time.ts';

test('the hours that one process has read of a zone another has too, for two days', async () => {
  let now = Date.parse('2026-11-20T12:00:00Z');
  const database = await openDatabase({ url: ':memory:', clock: () => new Date(now) });
  const one = createZoneHours(database);
  const other = createZoneHours(database);
  expect(await other.read(7)).toBeUndefined();
  await one.write(7, 'old');
  await one.write(8, 'of another zone');
  now += DAY;
  await one.write(7, 'new');
  expect(await other.read(7)).toBe('new');
  now += DAY;
  expect(await other.read(7)).toBe('new');
  expect(await other.read(8)).toBeUndefined();
  await database.close();
});
