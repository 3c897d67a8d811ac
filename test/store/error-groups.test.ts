import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SeenGroup } from '../../src/logs/group-memory.ts';
import type { Database } from '../../src/store/database.ts';
import { createStoredGroupMemory } from '../../src/store/error-groups.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createGroupMemory } from '../support/group-memory.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 1) + hour * 3_600_000);
const seen = (id: string, requests: number, hour: number, whole = true): SeenGroup => ({
  id,
  whole,
  words: `words of ${id}`,
  requests,
  first: at(hour).getTime(),
  last: at(hour).getTime() + 60_000,
});

let database: Database;

beforeEach(async () => {
  database = await openDatabase({ url: ':memory:', clock: () => at(0) });
});
afterEach(() => database.close());

test('what one replica saw another knows, up to the moment that is asked for', async () => {
  const one = createStoredGroupMemory(database, 'all');
  await one.remember({ from: at(0), to: at(1) }, [seen('a', 5, 0), seen('b', 1, 0, false)]);
  await one.remember({ from: at(1), to: at(2) }, [seen('a', 7, 1)]);
  await one.remember({ from: at(2), to: at(3) }, []);
  const other = createStoredGroupMemory(database, 'all');
  expect(await other.recall(at(2))).toEqual({
    looked: 2 * 3_600_000,
    groups: new Map([
      ['a', { ...seen('a', 12, 0), last: at(1).getTime() + 60_000, windows: 2 }],
      ['b', { ...seen('b', 1, 0, false), windows: 1 }],
    ]),
  });
  expect(await createStoredGroupMemory(database, 'some').recall(at(9))).toEqual({ looked: 0, groups: new Map() });
});

test('a window that is told again takes the place of what it was, and of those within it', async () => {
  for (const memory of [createStoredGroupMemory(database, 'all'), createGroupMemory()]) {
    await memory.remember({ from: at(0), to: at(1) }, [seen('a', 5, 0)]);
    await memory.remember({ from: at(1), to: at(2) }, [seen('a', 5, 1)]);
    await memory.remember({ from: at(0), to: at(2) }, [seen('a', 10, 0)]);
    await memory.remember({ from: at(0), to: at(2) }, [seen('a', 10, 0)]);
    const { looked, groups } = await memory.recall(at(2));
    expect([looked, groups.get('a')?.requests]).toEqual([2 * 3_600_000, 10]);
  }
});

test('after eight days it is forgotten', async () => {
  const memory = createStoredGroupMemory(database, 'all');
  await memory.remember({ from: at(0), to: at(1) }, [seen('a', 5, 0)]);
  expect((await memory.recall(at(8 * 24))).groups.size).toBe(1);
  expect((await memory.recall(at(8 * 24 + 2))).groups.size).toBe(0);
  await memory.remember({ from: at(300), to: at(301) }, []);
  const { rows } = await database.execute('SELECT count(*) AS count FROM error_groups');
  expect(Number(rows[0]?.count)).toBe(1);
});
