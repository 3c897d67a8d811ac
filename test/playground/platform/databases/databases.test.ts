import { createClient, type ResultSet } from '@libsql/client';
import * as hrana from '@libsql/hrana-client';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../../playground/platform/account/account.ts';
import { type Reply, send, usePlatform } from '../platform.ts';

const platform = usePlatform({ queryLimitMs: 1_500 });
const shop = (): Database => platform.simulator.account.databases[0] as Database;
const events = (): Database => platform.simulator.account.databases[1] as Database;

const ENDLESS = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';

const rowsOf = (result: ResultSet | undefined): unknown[][] => (result?.rows ?? []).map((row) => Array.from(row));

const pipeline = (requests: unknown, token = shop().seeded.fullAccess, more: object = {}): Promise<Reply> =>
  send(`${shop().url}/v2/pipeline`, 'POST', {
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: { requests, ...more },
  });

describe('the real @libsql/client', () => {
  const client = () => createClient({ url: shop().url, authToken: shop().seeded.fullAccess, intMode: 'bigint' });

  test('reads what is seeded', async () => {
    const result = await client().execute(
      'SELECT count(*) AS customers, (SELECT count(*) FROM orders) AS orders FROM customers',
    );
    expect(result.columns).toEqual(['customers', 'orders']);
    expect(rowsOf(result)).toEqual([[120n, 480n]]);
  });

  test('sends and gets every kind of value', async () => {
    const db = client();
    await db.execute('CREATE TABLE kinds (a INTEGER PRIMARY KEY, b REAL, c TEXT, d BLOB, e)');
    const inserted = await db.execute({
      sql: 'INSERT INTO kinds VALUES (?, ?, ?, ?, ?)',
      args: [9007199254740993n, 0.5, 'Grüße', new Uint8Array([0, 255]), null],
    });
    expect(inserted).toMatchObject({ rowsAffected: 1, lastInsertRowid: 9007199254740993n });
    const [row] = rowsOf(await db.execute({ sql: 'SELECT * FROM kinds WHERE a = :a', args: { a: 9007199254740993n } }));
    expect(row?.slice(0, 3)).toEqual([9007199254740993n, 0.5, 'Grüße']);
    expect([...new Uint8Array(row?.[3] as ArrayBuffer)]).toEqual([0, 255]);
    expect(row?.[4]).toBeNull();
  });

  test('runs a batch as one transaction', async () => {
    const db = client();
    await db.execute('CREATE TABLE batched (a)');
    await expect(
      db.batch(['INSERT INTO batched VALUES (1)', 'INSERT INTO missing VALUES (1)'], 'write'),
    ).rejects.toMatchObject({
      code: 'SQLITE_ERROR',
    });
    expect(rowsOf(await db.execute('SELECT count(*) FROM batched'))).toEqual([[0n]]);
    const results = await db.batch(['INSERT INTO batched VALUES (1)', 'SELECT a FROM batched'], 'write');
    expect(rowsOf(results[1])).toEqual([[1n]]);
  });

  test('holds an interactive transaction that others wait for, and reads go on beside it', async () => {
    const db = client();
    await db.execute('CREATE TABLE counters (n)');
    await db.execute('INSERT INTO counters VALUES (0)');
    const transaction = await db.transaction('write');
    await transaction.execute('UPDATE counters SET n = n + 1');
    const other = db.execute('UPDATE counters SET n = n + 10');
    expect(rowsOf(await db.execute('SELECT n FROM counters'))).toEqual([[0n]]);
    expect(rowsOf(await transaction.execute('SELECT n FROM counters'))).toEqual([[1n]]);
    await transaction.commit();
    await other;
    expect(rowsOf(await db.execute('SELECT n FROM counters'))).toEqual([[11n]]);
    const undone = await db.transaction('write');
    await undone.execute('DELETE FROM counters');
    await undone.rollback();
    expect(rowsOf(await db.execute('SELECT n FROM counters'))).toEqual([[11n]]);
  });

  test('runs a script, with a trigger and with semicolons in its texts', async () => {
    const db = client();
    await db.executeMultiple(`
      CREATE TABLE notes (text); CREATE TABLE copies (text); -- a comment; with a semicolon
      CREATE TRIGGER copy AFTER INSERT ON notes BEGIN INSERT INTO copies VALUES (new.text || CASE WHEN 1 THEN ';' END); END;
      INSERT INTO notes VALUES ('a;b');`);
    expect(rowsOf(await db.execute('SELECT text FROM copies'))).toEqual([['a;b;']]);
  });

  test.each([
    ['SELEC 1', 'SQLITE_ERROR'],
    ['INSERT INTO customers SELECT * FROM customers LIMIT 1', 'SQLITE_CONSTRAINT'],
    ['SELECT 1; SELECT 2', 'SQL_MANY_STATEMENTS'],
    ["ATTACH '/tmp/other.db' AS other", 'SQLITE_AUTH'],
    ["/* x */ VACUUM INTO '/tmp/copy.db'", 'SQLITE_AUTH'],
  ])('gets the error of %s', async (sql, code) => {
    await expect(client().execute(sql)).rejects.toMatchObject({ code });
  });
});

test('the real @libsql/hrana-client describes, stores statements and holds a stream', async () => {
  const client = hrana.openHttp(shop().url, shop().seeded.readOnly);
  const stream = client.openStream();
  const described = await stream.describe('SELECT name FROM customers WHERE id = :id');
  expect(described).toMatchObject({
    columns: [{ name: 'name', decltype: 'TEXT' }],
    paramNames: [':id'],
    isReadonly: true,
  });
  const sql = stream.storeSql('SELECT count(*) FROM orders');
  expect((await stream.queryValue(sql)).value).toBe(480);
  sql.close();
  const batch = stream.batch();
  const failed = batch.step();
  failed.run('SELECT * FROM missing').catch(() => undefined);
  const rescue = batch.step().condition(hrana.BatchCond.error(failed)).queryValue('SELECT 7');
  await batch.execute();
  expect((await rescue)?.value).toBe(7);
  client.close();
});

describe('the pipeline', () => {
  test('answers as Hrana has it, and goes on after an error', async () => {
    const reply = await pipeline([
      { type: 'execute', stmt: { sql: "SELECT 1 AS a, 1.5, NULL, x'0102', 't'" } },
      { type: 'execute', stmt: { sql: 'SELECT * FROM missing' } },
      { type: 'get_autocommit' },
      { type: 'close' },
    ]);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ baton: null, base_url: null });
    const [first, second, third, fourth] = reply.body.results;
    expect(first.response.result.rows).toEqual([
      [
        { type: 'integer', value: '1' },
        { type: 'float', value: 1.5 },
        { type: 'null' },
        { type: 'blob', base64: 'AQI' },
        { type: 'text', value: 't' },
      ],
    ]);
    expect(second).toEqual({
      type: 'error',
      error: { message: 'SQLite error: no such table: missing', code: 'SQLITE_ERROR' },
    });
    expect(third.response).toEqual({ type: 'get_autocommit', is_autocommit: true });
    expect(fourth).toEqual({ type: 'ok', response: { type: 'close' } });
  });

  test('gives a baton for a stream that is left open, good for one request', async () => {
    const { body } = await pipeline([{ type: 'execute', stmt: { sql: 'SELECT 1' } }]);
    expect(body.baton).toEqual(expect.any(String));
    const close = [{ type: 'close' }];
    expect((await pipeline(close, shop().seeded.readOnly, { baton: body.baton })).status).toBe(400);
    expect((await pipeline(close, undefined, { baton: body.baton })).status).toBe(200);
    expect(await pipeline(close, undefined, { baton: body.baton })).toMatchObject({
      status: 400,
      body: { code: 'STREAM_EXPIRED' },
    });
  });

  test('refuses what is not a pipeline', async () => {
    expect((await pipeline('all')).status).toBe(400);
    expect((await pipeline([{ type: 'dance' }])).body.results[0].type).toBe('error');
  });

  test('bounds the answer', async () => {
    const sql =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12000) SELECT printf('%01000d', i) FROM n";
    const { body } = await pipeline([{ type: 'execute', stmt: { sql } }, { type: 'close' }]);
    expect(body.results[0].error.code).toBe('RESPONSE_TOO_LARGE');
  });

  test('stops what runs too long, keeps what was written, and answers those who waited', async () => {
    await pipeline([
      { type: 'sequence', sql: 'CREATE TABLE kept (a); INSERT INTO kept VALUES (1);' },
      { type: 'close' },
    ]);
    const endless = pipeline([{ type: 'execute', stmt: { sql: ENDLESS } }]);
    const waiting = pipeline([{ type: 'execute', stmt: { sql: 'SELECT a FROM kept' } }, { type: 'close' }]);
    expect(await endless).toMatchObject({ status: 504, body: { code: 'QUERY_TIMEOUT' } });
    expect((await waiting).body.results[0].response.result.rows).toEqual([[{ type: 'integer', value: '1' }]]);
  });
});

describe('tokens', () => {
  const select = [{ type: 'execute', stmt: { sql: 'SELECT 1' } }, { type: 'close' }];

  test.each(['revoked', 'expired'] as const)('that are %s are refused with 401', async (kind) => {
    expect(await pipeline(select, shop().seeded[kind])).toMatchObject({
      status: 401,
      body: { error: expect.stringContaining(kind) },
    });
  });

  test('of another database, unknown ones and none are refused with 401', async () => {
    expect((await pipeline(select, events().seeded.fullAccess)).status).toBe(401);
    expect((await pipeline(select, 'unknown')).status).toBe(401);
    expect((await send(`${shop().url}/v2/pipeline`, 'POST', { body: { requests: select } })).status).toBe(401);
  });

  test.each([
    'DELETE FROM orders',
    'WITH x AS (SELECT 1) INSERT INTO orders SELECT * FROM orders',
    'CREATE TABLE t (a)',
    'DROP TABLE orders',
    'PRAGMA query_only = OFF',
    'PRAGMA user_version = 3',
  ])('that may only read cannot run %s', async (sql) => {
    const writes = platform.simulator.writes().length;
    const reply = await pipeline([{ type: 'execute', stmt: { sql } }], shop().seeded.readOnly);
    expect(reply).toMatchObject({ status: 403, body: { error: 'This token may only read.' } });
    expect(platform.simulator.writes()).toHaveLength(writes);
  });

  test('look like JWTs', () => {
    const { fullAccess } = shop().seeded;
    const [, claims = ''] = fullAccess.split('.');
    expect(fullAccess.length).toBeGreaterThan(250);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ a: 'rw', id: shop().id });
  });

  test('only writes count as writes', async () => {
    const writes = () => platform.simulator.writes().length;
    const before = writes();
    await pipeline([{ type: 'execute', stmt: { sql: 'WITH x AS (SELECT 1) SELECT * FROM x' } }, { type: 'close' }]);
    expect(writes()).toBe(before);
    await pipeline([
      { type: 'execute', stmt: { sql: "UPDATE orders SET status = 'paid' WHERE id = 1000" } },
      { type: 'close' },
    ]);
    expect(writes()).toBe(before + 1);
  });
});

describe('the control plane', () => {
  const at = (method: string, path: string, body?: unknown) =>
    platform.ask('api', method, `/database${path}`, { body });

  test('lists databases by page, which is required', async () => {
    expect(await at('GET', '/v2/databases')).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('page') },
    });
    const { body } = await at('GET', '/v2/databases?page=1&per_page=1');
    expect(body).toMatchObject({
      databases: [{ name: 'shop', id: shop().id, url: `${shop().url}/` }],
      page_info: { current_page: 1, total_items: 2, has_more_items: true },
    });
  });

  test('gets one, and tells a malformed id from an unknown one', async () => {
    expect((await at('GET', `/v2/databases/${events().id}`)).body.db.name).toBe('events');
    expect((await at('GET', '/v2/databases/shop')).status).toBe(400);
    expect((await at('GET', '/v2/databases/db_01HX00000000000000000000A1')).status).toBe(404);
  });

  test('generates tokens that work, and revokes all at once', async () => {
    const { id, url } = events();
    const statusWith = async (token: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${token}` };
      const body = { requests: [{ type: 'execute', stmt: { sql: 'SELECT count(*) FROM events' } }, { type: 'close' }] };
      return (await send(`${url}/v2/pipeline`, 'POST', { headers, body })).status;
    };
    const expires_at = '2026-07-15T12:00:00Z';
    const reply = await at('PUT', `/v2/databases/${id}/auth/generate`, { authorization: 'read-only', expires_at });
    expect(reply).toMatchObject({
      status: 200,
      body: { token: expect.any(String), expires_at: '2026-07-15T12:00:00.000Z' },
    });
    expect(platform.simulator.secrets()).toContain(reply.body.token);
    expect(await statusWith(reply.body.token)).toBe(200);
    expect(await at('POST', `/v2/databases/${id}/auth/revoke`)).toMatchObject({ status: 204, text: '' });
    expect(await statusWith(reply.body.token)).toBe(401);
    expect(await statusWith(events().seeded.fullAccess)).toBe(401);
    const next = await at('POST', `/v1/databases/${id}/auth/tokens`, { authorization: 'full-access' });
    expect(next.body.expires_at).toBeNull();
    expect(await statusWith(next.body.token)).toBe(200);
  });

  test.each([
    {},
    { authorization: 'admin' },
    { authorization: 'read-only', expires_at: 'soon' },
    { authorization: 'read-only', expires_at: '2026-06-01T00:00:00Z' },
  ])('refuses to generate for %j', async (body) => {
    expect((await at('PUT', `/v2/databases/${shop().id}/auth/generate`, body)).status).toBe(400);
  });
});
