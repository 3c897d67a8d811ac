import { type Client, createClient } from '@libsql/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskedColumns, SCHEMA } from '../../../src/operations/database/masks.ts';
import { parseChange, parseQuery } from '../../../src/operations/database/statement.ts';
import type { SqlResult, SqlValue } from '../../../src/platform/resources/sql.ts';

const SECRET = 'Zq7Xw9Lk3';
const NUMBER = 918_273_645;
/** What is left of it after `upper`, `substr` or `hex`. */
const readable = (value: SqlValue | ArrayBuffer) => {
  const text = (value instanceof ArrayBuffer ? Buffer.from(value).toString() : String(value)).toUpperCase();
  // A document that holds a secret is known by what it looks like, when it leaves.
  if (text.startsWith('{"LOGIN')) return false;
  return [SECRET, String(NUMBER), [...SECRET].reverse().join(''), Buffer.from(SECRET).toString('hex')].some((form) =>
    text.includes(form.toUpperCase().slice(2)),
  );
};

describe('what a column is made of', () => {
  let database: Client;
  beforeAll(async () => {
    database = createClient({ url: ':memory:' });
    for (const sql of [
      'CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, password TEXT, api_key TEXT, data TEXT)',
      `INSERT INTO users VALUES (1, 'ada', '${SECRET}', '${SECRET}', '{"login":{"token":"${SECRET}","at":"noon"}}')`,
      'CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER, state TEXT)',
      "INSERT INTO orders VALUES (7, 1, 'paid')",
      'CREATE VIEW plain AS SELECT id, name FROM users',
      'CREATE VIEW renamed (a, b) AS SELECT name, password FROM users',
      'CREATE VIEW twice AS SELECT b AS c, a AS d FROM renamed',
      'CREATE VIRTUAL TABLE notes USING fts5(title, password UNINDEXED)',
      `INSERT INTO notes VALUES ('first', '${SECRET}')`,
      'CREATE VIRTUAL TABLE mails USING fts5(title, secret)',
      `INSERT INTO mails VALUES ('first', '${SECRET}')`,
      'CREATE VIRTUAL TABLE words USING fts5vocab(mails, row)',
      'CREATE VIRTUAL TABLE texts USING fts5(title)',
      'CREATE TABLE events (id INTEGER PRIMARY KEY, data TEXT)',
      `INSERT INTO events VALUES (7, '{"login":{"at":"noon"},"card":{"pin":"${SECRET}"},"reset_token":"${SECRET}"}')`,
      'CREATE TABLE harmless (a, sum AS (a + 1))',
      'INSERT INTO harmless (a) VALUES (1)',
      'CREATE VIEW clean_view AS SELECT state AS t FROM orders',
      "CREATE TABLE computed (id, password, shown AS (password || ''), kept GENERATED ALWAYS AS (lower(password)) STORED)",
      `INSERT INTO computed (id, password) VALUES (1, '${SECRET}')`,
      'CREATE VIEW on_computed AS SELECT id, shown AS n FROM computed',
      'CREATE TABLE pins (pin INTEGER PRIMARY KEY, who)',
      `INSERT INTO pins VALUES (${NUMBER}, 'ada')`,
      'CREATE TABLE more (reset_token, pin, card_number, cvv, otp, recovery_code, pwd, auth, dsn, session_id, key)',
      'CREATE TABLE paid (cc_number, access_code, sms_code)',
      `INSERT INTO paid VALUES ('${SECRET}', '${SECRET}', '${SECRET}')`,
      `INSERT INTO more VALUES (${Array(11).fill(`'${SECRET}'`).join(', ')})`,
      'CREATE VIEW through AS WITH q(n) AS (SELECT password FROM users) SELECT n FROM q',
      'CREATE VIEW by_star(i, n, p, a, d) AS SELECT id, password, name, name, name FROM users',
    ])
      await database.execute(sql);
  });
  afterAll(() => database.close());

  const ask = async (sql: string): Promise<SqlResult> => {
    const { columns, rows } = await database.execute(sql);
    return {
      cols: columns.map((name) => ({ name, decltype: undefined })),
      rows: rows.map((row) => columns.map((_, at) => row[at] as SqlValue)),
    };
  };

  /** The cells that are shown, and the names of the columns that are not. */
  async function shown(sql: string, withSchema = true) {
    const result = await ask(sql);
    const names = result.cols.map(({ name }) => name ?? '');
    const masked = maskedColumns(parseQuery(sql).node, names, withSchema ? await ask(SCHEMA) : undefined);
    return {
      cells: result.rows.flatMap((row) => row.filter((_, at) => !masked[at])),
      hidden: names.filter((_, at) => masked[at]),
    };
  }

  it.each([
    'SELECT password AS p FROM users',
    'SELECT "password" p, [api_key] q FROM users',
    'SELECT u.password AS p FROM users AS u',
    'SELECT main.users.password AS p FROM users',
    'SELECT substr(password, 1, 99) AS p, upper(api_key) AS q FROM users',
    "SELECT json_object('k', api_key) AS x, json_group_array(password) AS y FROM users",
    'SELECT group_concat(password) AS x, max(api_key) AS y, min(id) AS z FROM users',
    "SELECT name || ':' || password AS x FROM users",
    'SELECT CASE WHEN id = 1 THEN password ELSE name END AS x FROM users',
    'SELECT CAST(password AS BLOB) AS x, hex(password) AS y FROM users',
    'SELECT (SELECT password FROM users) AS x',
    'SELECT p FROM (SELECT password AS p FROM users)',
    'SELECT * FROM (SELECT password AS p, name AS n FROM users)',
    'SELECT t.* FROM (SELECT password AS p FROM users) AS t',
    'WITH t AS (SELECT password AS p FROM users) SELECT p FROM t',
    'WITH t(a, b) AS (SELECT name, password FROM users) SELECT a AS c, b AS d FROM t',
    'WITH t(a, b, c, d, e) AS (SELECT * FROM users) SELECT c FROM t',
    'WITH t AS (SELECT password AS p FROM users), s AS (SELECT p AS q FROM t) SELECT * FROM s',
    'WITH RECURSIVE t(a, b) AS (SELECT name, password FROM users UNION ALL SELECT b, a FROM t LIMIT 3) SELECT a, b FROM t',
    'SELECT name FROM users UNION ALL SELECT password FROM users',
    'SELECT id, name FROM users UNION SELECT id, api_key FROM users ORDER BY 2',
    'SELECT 1, 2, 3, 4, 5 UNION ALL SELECT * FROM users',
    'SELECT id AS a, name AS b, state AS c FROM orders, plain USING (id) UNION ALL SELECT id, name, password FROM users',
    'VALUES (1, (SELECT password FROM users))',
    'SELECT column2 FROM (VALUES (1, (SELECT password FROM users)))',
    'SELECT * FROM renamed',
    'SELECT b FROM renamed',
    'SELECT r.b AS x FROM orders JOIN renamed r ON 1',
    'SELECT * FROM twice',
    'SELECT c AS x FROM twice',
    'SELECT *, 1 AS one FROM orders NATURAL JOIN twice',
    'SELECT * FROM users a JOIN renamed b ON 1',
    'SELECT o.*, c FROM orders o JOIN twice ON 1',
    "SELECT data ->> '$.login.token' AS x FROM users",
    "SELECT json_extract(data, '$.login.token') AS x FROM users",
    'SELECT value FROM json_each((SELECT json_array(password) FROM users))',
    'SELECT j.value AS x FROM users, json_each(json_array(password)) AS j',
    'SELECT first_value(password) OVER (ORDER BY id) AS x FROM users',
    'SELECT x FROM (SELECT lag(password, 0) OVER w AS x FROM users WINDOW w AS (ORDER BY id))',
    "SELECT snippet(mails, 1, '', '', '', 9) AS x FROM mails WHERE mails MATCH 'zq7xw9lk3'",
    "SELECT highlight(mails, 1, '', '') AS x FROM mails",
    'SELECT term FROM words',
    'SELECT c1 FROM notes_content',
    'SELECT * FROM mails_content',
    'SELECT (SELECT b FROM renamed WHERE a = name) AS x, name FROM plain',
    'SELECT name, (SELECT group_concat(q) FROM (SELECT u.password AS q FROM users)) AS x FROM users AS u',
  ])('is seen in %s', async (sql) => {
    expect((await ask(sql)).rows.flat().some(readable), 'the query reads it').toBe(true);
    expect((await shown(sql)).cells.filter(readable)).toEqual([]);
  });

  it.each([
    // A repeated alias, and columns of one name.
    'SELECT t.b AS x FROM plain AS t, renamed AS t',
    'SELECT t.* FROM plain AS t, renamed AS t',
    'SELECT name2 FROM plain, (SELECT password AS name2 FROM users)',
    'SELECT name, name AS n FROM (SELECT id, password AS name FROM users)',
    'SELECT x.password AS name, x.name AS name FROM users x',
    // NATURAL and USING.
    'SELECT * FROM orders NATURAL JOIN (SELECT 7 AS id, password AS p FROM users)',
    'SELECT * FROM users NATURAL JOIN json_each(json_array(7))',
    'SELECT state FROM orders JOIN (SELECT password AS p, state FROM users, orders) USING (state)',
    // Generated columns, and what is made of them.
    'SELECT shown FROM computed',
    'SELECT * FROM computed',
    'SELECT kept, id FROM computed',
    'SELECT * FROM on_computed',
    // The name of another table.
    'WITH orders AS (SELECT id, password AS state FROM users) SELECT state FROM orders',
    'WITH RECURSIVE orders(id, state) AS (SELECT id, password FROM users UNION SELECT id, state FROM orders) SELECT orders.state FROM orders',
    'SELECT orders.state FROM (SELECT password AS state FROM users) AS orders',
    'SELECT main.renamed.b AS x FROM renamed',
    // Rows by their numbers, where the secret is the number.
    'SELECT rowid, * FROM pins',
    'SELECT oid AS x FROM pins',
    'SELECT _rowid_ + 0 AS x FROM pins',
    // Quoted in all ways, and compared as SQLite compares.
    'SELECT \'x\', "password" AS x, [password] AS y, `password` AS z FROM USERS',
    'SELECT PassWord AS x FROM "users"',
    // Grouped, aggregated, JSON, windows.
    "SELECT group_concat(password, ',') AS x FROM users",
    'SELECT string_agg(password, 1) AS x FROM users',
    'SELECT json_group_object(name, password) AS x FROM users',
    "SELECT printf('%s', password) AS x, quote(password) AS y, unhex(hex(password)) AS z FROM users",
    'SELECT max(password) AS x, count(*) AS n FROM users GROUP BY name',
    'SELECT nth_value(password, 1) OVER () AS x FROM users',
    'SELECT (SELECT password) AS x FROM users',
    'SELECT CASE password WHEN password THEN password END AS x FROM users',
    'SELECT coalesce(NULL, password) AS x FROM users ORDER BY 1 LIMIT 1',
    'SELECT EXISTS (SELECT 1), (SELECT reset_token FROM more) AS x FROM orders',
    'SELECT name FROM users EXCEPT SELECT state FROM orders UNION SELECT cvv FROM more',
    'SELECT title FROM notes UNION ALL SELECT c1 FROM notes_content',
    'SELECT state AS x FROM orders WHERE 0 UNION ALL SELECT b FROM renamed',
    // Views whose names and columns say nothing.
    'SELECT n FROM through',
    'SELECT n FROM by_star',
    // Every name that looks secret, wherever.
    'SELECT cc_number AS a, access_code AS b, sms_code AS c FROM paid',
    'SELECT reset_token AS a, pin AS b, card_number AS c, cvv AS d, otp AS e, recovery_code AS f, pwd AS g, auth AS h, dsn AS i, session_id AS j, key AS k FROM more',
    'SELECT * FROM more',
    "SELECT json_extract(data, '$.card.pin') AS x FROM events",
    "SELECT data ->> 'reset_token' AS x FROM events",
  ])('is not shown by %s', async (sql) => {
    expect((await shown(sql)).cells.filter(readable)).toEqual([]);
  });

  it.each([
    ['SELECT id, name FROM users', []],
    ['SELECT u.name AS n, users.id FROM users AS u JOIN users ON users.id = u.id', []],
    ['SELECT * FROM users', ['password', 'api_key']],
    ['SELECT u.*, o.state FROM users u, orders o', ['password', 'api_key']],
    ['SELECT count(*) AS n, count(password) AS p, name FROM users GROUP BY name', []],
    ['SELECT name, upper(name) AS u FROM users', ['u']],
    ['SELECT name FROM users UNION ALL SELECT state FROM orders', []],
    ['SELECT o.state, (SELECT count(*) FROM users) AS n FROM orders o', ['n']],
    ['SELECT upper(state) AS s, (SELECT name FROM plain) AS n FROM orders', ['s', 'n']],
    ['SELECT * FROM orders JOIN events USING (id)', []],
    ['SELECT id, shown FROM computed', ['shown']],
    ['SELECT upper(sum) AS s FROM harmless', []],
    ['SELECT upper(t) AS t FROM clean_view', []],
    ["SELECT data ->> '$.login.at' AS x FROM events", []],
    ['SELECT name, sql FROM sqlite_schema', []],
    ["SELECT sql FROM sqlite_schema WHERE name = 'api_keys'", []],
    ['SELECT count(*) AS n, state FROM orders GROUP BY state', []],
    ["SELECT 'shown' AS name, 'hidden' AS api_key", ['api_key']],
    ['SELECT title FROM texts', []],
    ['SELECT value FROM json_each(\'["a"]\')', []],
    ['WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n', []],
    ['EXPLAIN QUERY PLAN SELECT password FROM users', []],
  ])('hides nothing else of %s', async (sql, hidden) => {
    expect((await shown(sql)).hidden).toEqual(hidden);
  });

  it('is seen through any of these in each other', async () => {
    /** Each makes of a query with one column another one. */
    const wrap = fc.constantFrom<((query: string, n: number) => string)[]>(
      (query, n) => `SELECT x AS x FROM (${query}) AS t${n}`,
      (query) => `SELECT upper(x) AS x FROM (${query})`,
      (query, n) => `WITH t${n}(x) AS (${query}) SELECT t${n}.x AS x FROM t${n}`,
      (query, n) => `WITH t${n} AS (${query}) SELECT * FROM t${n}`,
      (query) => `SELECT (${query}) AS x`,
      (query) => `SELECT 'none' AS x WHERE 0 UNION ALL SELECT * FROM (${query})`,
      (query) => `SELECT * FROM (${query}) UNION ALL SELECT 'more'`,
      (query) => `SELECT max(x) AS x FROM (${query}) GROUP BY 1 = 1`,
      (query) => `SELECT iif(1, x, 'none') AS x FROM (${query}) LEFT JOIN orders ON 1`,
      (query) => `SELECT value AS x FROM json_each(json_array((${query})))`,
      (query) => `SELECT a.x FROM (SELECT x FROM (${query})) AS a, plain`,
      (query) => `VALUES ((${query}))`.replace(/^(.*)$/s, 'SELECT column1 AS x FROM ($1)'),
    );
    const source = fc.constantFrom<string[]>(
      'SELECT password AS x FROM users',
      'SELECT b AS x FROM renamed',
      'SELECT c AS x FROM twice',
      "SELECT data ->> '$.login.token' AS x FROM users",
      'SELECT c1 AS x FROM mails_content',
    );
    await fc.assert(
      fc.asyncProperty(source, fc.array(wrap, { maxLength: 6 }), async (start, wraps) => {
        const sql = wraps.reduce((query, one, n) => one(query, n), start);
        expect((await shown(sql)).cells.filter(readable), sql).toEqual([]);
      }),
      { numRuns: 150, seed: 5 },
    );
  });

  it('masks everything of a query that is nested beyond all reason, and in no time', async () => {
    const deep = Array.from({ length: 14 }, (_, n) => n).reduce<string>(
      (query, n) => `WITH RECURSIVE t${n}(x) AS (${query} UNION SELECT x FROM t${n}) SELECT x FROM t${n}`,
      'SELECT password FROM users',
    );
    expect((await shown(deep)).cells.filter(readable)).toEqual([]);
  });

  it.each([
    'SELECT * FROM users',
    'SELECT id FROM orders',
    'SELECT count(*) FROM orders',
    'SELECT 1, 2, 3, 4, 5 UNION ALL SELECT * FROM users',
  ])('masks all but counts of %s where the schema cannot be read', async (sql) => {
    const { cells } = await shown(sql, false);
    expect(cells).toEqual(sql.includes('count') ? [1] : []);
  });

  it('describes no table of another database, and none that is named twice in other letters', async () => {
    const schema = await ask(SCHEMA);
    const masked = (sql: string) => maskedColumns(parseQuery(sql).node, ['state'], schema);
    expect(masked('SELECT state FROM other.orders')).toEqual([true]);
    expect(masked('SELECT state FROM temp.orders')).toEqual([true]);
    expect(masked('SELECT state FROM MAIN.Orders')).toEqual([false]);
    expect(masked('SELECT state FROM nowhere')).toEqual([true]);
  });

  it.each([
    'INSERT INTO orders (state) SELECT password FROM users',
    'UPDATE users SET name = password',
    'UPDATE orders SET state = (SELECT password FROM users)',
  ])('shows nothing that %s returns', async (sql) => {
    const schema = await ask(SCHEMA);
    const { node } = parseChange(`${sql} RETURNING id, name`);
    expect(maskedColumns(node, ['id', 'name'], schema)).toEqual([true, true]);
    const { node: harmless } = parseChange('UPDATE orders SET state = 1 RETURNING id, upper(state)');
    expect(maskedColumns(harmless, ['id', 'x'], schema)).toEqual([false, false]);
  });
});
