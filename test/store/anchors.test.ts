import { expect, test } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { createSecretFilter } from '../../src/slack/out/secrets.ts';
import { createAnchors, HOURS, OLD_ANCHORS, WATCH } from '../../src/store/anchors.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createStore } from '../../src/store/store.ts';
import { withoutSecrets } from '../../src/store/without-secrets.ts';
import { DAY } from '../../src/time.ts';

test('what one process remembers of a zone another has too, for two days, and of a subscription as long as there is one', async () => {
  let now = Date.parse('2026-11-20T12:00:00Z');
  const database = await openDatabase({ url: ':memory:', clock: () => new Date(now) });
  const [one, other] = [createAnchors(database), createAnchors(database)];
  expect(await other.read(7, HOURS)).toBeUndefined();
  expect(await other.named(WATCH)).toEqual(new Map());
  await one.set(7, HOURS, 'old');
  await one.set(8, HOURS, { a: '’' });
  await one.setAll(
    WATCH,
    new Map([
      [7, [1]],
      [8, [2]],
    ]),
  );
  await one.set(7, 'thread', '1.1');
  now += DAY;
  await one.set(7, HOURS, 'new');
  expect(await other.read(8, HOURS)).toEqual({ a: '’' });
  expect(await other.named(WATCH)).toEqual(
    new Map([
      [7, [1]],
      [8, [2]],
    ]),
  );
  now += DAY + 1;
  expect(await other.read(7, HOURS)).toBe('new');
  expect(await other.read(8, HOURS)).toBeUndefined();
  expect(await other.named(WATCH)).toEqual(new Map());
  expect(await other.read(7, 'thread')).toBe('1.1');
  await database.execute(OLD_ANCHORS);
  const { rows } = await database.execute('SELECT about, name FROM anchors');
  expect(rows).toEqual([{ about: 7, name: HOURS }]);
  await database.close();
});

test('what was remembered before a text in it became a secret is still replaced, and then without the secret', async () => {
  const database = await openDatabase({ url: ':memory:' });
  const store = createStore(database);
  await store.anchors.set(1, 'taken', 'a-secret-of-later');
  const { anchors } = withoutSecrets(store, createSecretFilter([Secret.of('a-secret-of-later')]).hideIn);
  const before = await anchors.read(1, 'taken');
  expect(await anchors.replace(1, 'taken', before, 'now a-secret-of-later')).toBe(true);
  expect(await anchors.read(1, 'taken')).toBe('now [secret]');
  await database.close();
});
