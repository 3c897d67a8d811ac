import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createReportPosts, type ReportPosts, reportPostsMigration } from '../../src/store/report-posts.ts';

const key = { report: 'error-summary', channel: 'C1' };
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));

let database: Database;
let posts: ReportPosts;

beforeEach(async () => {
  database = await openDatabase({ url: ':memory:' });
  for (const statement of reportPostsMigration.statements) await database.execute(statement);
  posts = createReportPosts(database);
});
afterEach(() => database.close());

test('a slot is claimed once, per report and channel', async () => {
  const claims = await Promise.all([posts.claim(key, at(0)), posts.claim(key, at(0)), posts.claim(key, at(0))]);
  expect(claims.filter((claimed) => claimed)).toHaveLength(1);
  expect(await posts.claim(key, at(15))).toBe(true);
  expect(await posts.claim({ ...key, channel: 'C2' }, at(0))).toBe(true);
});

test('it is remembered what was told, by which messages, and what failed', async () => {
  expect(await posts.toldUntil(key)).toBeUndefined();
  await posts.claim(key, at(0));
  await posts.settle(key, at(0), { state: 'posted', from: at(-15), to: at(0), ts: '1.5', at: at(0) });
  await posts.claim(key, at(15));
  await posts.settle(key, at(15), { state: 'quiet', from: at(0), to: at(15) });
  await posts.claim(key, at(30));
  await posts.settle(key, at(30), { state: 'failed', from: at(30), to: at(30) });
  expect(await posts.toldUntil(key)).toEqual(at(15));
  expect(await posts.since(key, at(-30))).toEqual([
    { slot: at(0), ts: '1.5', from: at(-15), to: at(0), postedAt: at(0) },
  ]);
  expect(await posts.since(key, at(0))).toEqual([]);
  expect(await posts.failedBefore(key, at(30))).toBe(false);
  expect(await posts.failedBefore(key, at(45))).toBe(true);
  await posts.extend(key, at(0), at(40));
  expect(await posts.toldUntil(key)).toEqual(at(40));
});

test('old slots are forgotten', async () => {
  await posts.claim(key, at(0));
  await posts.claim(key, at(15));
  await posts.forget(at(10));
  expect(await posts.claim(key, at(0))).toBe(true);
  expect(await posts.claim(key, at(15))).toBe(false);
});
