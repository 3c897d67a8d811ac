import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/open-database.ts';
import { createZoneWatches } from '../../src/store/zone-watches.ts';
import { DAY } from '../../src/time.ts';

test('what was last written of a zone is read again, for two days', async () => {
  let now = Date.parse('2026-11-20T12:00:00Z');
  const database = await openDatabase({ url: ':memory:', clock: () => new Date(now) });
  const watches = createZoneWatches(database);
  expect(await watches.read()).toEqual(new Map());
  await watches.write(
    new Map([
      [7, 'old'],
      [8, '{"a":"’"}'],
    ]),
  );
  await watches.write(new Map([[7, 'new']]));
  expect(await watches.read()).toEqual(
    new Map([
      [7, 'new'],
      [8, '{"a":"’"}'],
    ]),
  );
  now += 2 * DAY;
  expect(await watches.read()).toEqual(new Map());
  await database.close();
});
