import { createClient } from '@libsql/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import {
  pageOf,
  parseChange,
  parseQuery,
  parseStatement,
  ROWS_PER_PAGE,
  type Statement,
  withoutLiterals,
} from '../../../src/operations/database/statement.ts';
import { sampleOf } from '../../../src/operations/database/trial.ts';

/** What must not pass as a query, and what the refusal says. */
const HOSTILE: [sql: string, said: RegExp][] = [
  ['', /no statement/],
  ['-- nothing', /no statement/],
  [';;', /no statement/],
  ['SELECT 1; DELETE FROM orders', /2 statements/],
  ['SELECT 1;;SELECT 2', /2 statements/],
  ['SELECT 1\0; DELETE FROM orders', /NUL/],
  ["SELECT 'a\0b'", /NUL/],
  ['SELECT 1 -- x\n; DROP TABLE orders', /2 statements/],
  ['SELECT 1 /* ; */; DROP TABLE orders', /2 statements/],
  ['DELETE FROM orders', /DELETE is not a query/],
  ['WITH x AS (SELECT 1) DELETE FROM orders WHERE id IN (SELECT * FROM x)', /DELETE is not a query/],
  ['WITH x AS (SELECT 1) INSERT INTO orders SELECT * FROM x', /INSERT is not a query/],
  ['UPDATE orders SET id = 1 RETURNING *', /UPDATE is not a query/],
  ['REPLACE INTO orders VALUES (1)', /INSERT is not a query/],
  ['DROP TABLE orders', /DROP TABLE is not a query/],
  ['CREATE TABLE t AS SELECT * FROM orders', /CREATE TABLE is not a query/],
  ['CREATE TEMP TRIGGER t AFTER INSERT ON orders BEGIN SELECT 1; END', /CREATE TRIGGER is not a query/],
  ['ALTER TABLE orders RENAME TO x', /ALTER TABLE is not a query/],
  ["ATTACH 'file:other.db' AS other", /ATTACH is not allowed/],
  ['DETACH other', /DETACH is not allowed/],
  ['BEGIN', /BEGIN is not allowed/],
  ['BEGIN IMMEDIATE', /BEGIN is not allowed/],
  ['COMMIT', /COMMIT is not allowed/],
  ['ROLLBACK', /ROLLBACK is not allowed/],
  ['SAVEPOINT s', /SAVEPOINT is not allowed/],
  ['RELEASE s', /RELEASE is not allowed/],
  ['PRAGMA journal_mode = DELETE', /PRAGMA is not a query/],
  ['pragma table_info(orders)', /PRAGMA is not a query/],
  ['EXPLAIN PRAGMA journal_mode = DELETE', /EXPLAIN PRAGMA is not allowed/],
  ["EXPLAIN ATTACH 'x' AS y", /EXPLAIN ATTACH is not allowed/],
  ['VACUUM', /VACUUM is not a query/],
  ["VACUUM INTO '/tmp/copy.db'", /VACUUM is not a query/],
  ['ANALYZE', /ANALYZE is not a query/],
  ['REINDEX', /REINDEX is not a query/],
  ["SELECT load_extension('x')", /load_extension/],
  ["SELECT writefile('x', 'y')", /writefile/],
  ["SELECT sqlite3mc_config('cipher')", /sqlite3mc_config/],
  ["SELECT * FROM FSDIR('/')", /fsdir/i],
  ['SELECT sql FROM sqlite_stmt', /sqlite_stmt/],
  ['SELECT * FROM sqlite_log', /sqlite_log/],
  ['SELECT sample FROM main."SQLITE_STAT4"', /SQLITE_STAT4/],
  ['SELECT value FROM sqlite_dbdata', /sqlite_dbdata/],
  ['SELECT "Load_Extension"(\'x\')', /load_extension/],
  ["SELECT [load_extension]('x')", /load_extension/],
  ["SELECT 1 ORDER BY load_extension('x')", /load_extension/],
  ["SELECT (WITH a AS (SELECT load_extension('x')) SELECT * FROM a)", /load_extension/],
  ["SELECT sum(1) OVER (ORDER BY load_extension('x')) FROM orders", /load_extension/],
  ["SELECT sum(1) FILTER (WHERE load_extension('x')) FROM orders", /load_extension/],
  ["SELECT 1 LIMIT load_extension('x')", /load_extension/],
  ["VALUES (load_extension('x'))", /load_extension/],
  ["EXPLAIN SELECT load_extension('x')", /load_extension/],
  ["SELECT * FROM pragma_table_info('orders')", /pragma_table_info/],
  ['SELECT * FROM pragma_database_list', /pragma_database_list/],
  ['SELECT * FROM main."PRAGMA_table_list"', /PRAGMA_table_list/],
  ["SELECT 1 WHERE 'a' IN pragma_function_list", /pragma_function_list/],
  ["SELECT 1 FROM orders JOIN (SELECT * FROM pragma_table_info('orders'))", /pragma_table_info/],
  ['SELECT * FROM orders WHERE id = ?1', /parameter/],
  ['SELECT :name', /parameter/],
  ['SELEC 1', /not SQL/],
  ['SELECT FROM', /not SQL/],
  ["SELECT 'unclosed", /not SQL/],
  ['\ufeffSELECT 1; SELECT 2', /./],
  ['{"requests":[]}', /not SQL/],
];

const QUERIES = [
  'SELECT 1',
  'select * from orders;',
  '  SELECT a, b AS "select; drop" FROM orders -- the end',
  'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 5',
  'VALUES (1), (2)',
  'EXPLAIN QUERY PLAN SELECT * FROM orders WHERE id = 1',
  'EXPLAIN DELETE FROM orders',
  "SELECT 'BEGIN; DROP TABLE x' AS text",
  'SELECT count(*) FILTER (WHERE a > 1) FROM orders GROUP BY b HAVING count(*) > 2 ORDER BY 1',
  'SELECT 1 /* open to the end',
  "SELECT json_extract(body, '$.a') FROM orders",
];

describe('a query', () => {
  it.each(HOSTILE)('is refused: %j', (sql, said) => {
    let refused: unknown;
    try {
      parseQuery(sql);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(UsageError);
    expect((refused as UsageError).message).toMatch(said);
    expect((refused as UsageError).argument).toBe('sql');
  });

  it.each(QUERIES)('is let through: %s', (sql) => {
    expect(parseQuery(sql).sql).not.toMatch(/;\s*$|--|\/\*/);
  });

  it('is judged in the same way whatever its case, spaces and comments', () => {
    const gap = fc.constantFrom(' ', '\n', '\t', ' /* ; */ ', ' -- ;\n');
    fc.assert(
      fc.property(
        fc.constantFrom(
          'DELETE FROM orders',
          'SELECT load_extension ( 1 )',
          'BEGIN',
          'SELECT 1 ; SELECT 2',
          'DROP TABLE orders',
          'PRAGMA x',
        ),
        fc.array(gap, { minLength: 12, maxLength: 12 }),
        fc.func(fc.boolean()),
        (sql, gaps, upper) => {
          const disguised = sql
            .split(' ')
            .map((word, index) => (upper(index) ? word.toUpperCase() : word.toLowerCase()) + gaps[index])
            .join('');
          expect(() => parseQuery((gaps[11] ?? '') + disguised)).toThrow(UsageError);
        },
      ),
    );
  });

  it('passes or is refused, and never fails otherwise, whatever is typed', () => {
    const word = fc.constantFrom(
      'SELECT',
      'FROM',
      '(',
      ')',
      "'",
      '"',
      ';',
      ',',
      '*',
      '1',
      't',
      '--',
      '/*',
      '*/',
      'WITH',
      'AS',
      'LIMIT',
      'x\0',
      'DELETE',
      '[',
      '`',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word, { maxLength: 15 }).map((words) => words.join(' ')),
        ),
        (sql) => {
          try {
            const { node } = parseQuery(sql);
            expect(['SelectStmt', 'ExplainStmt']).toContain(node.type);
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('a page of a query', () => {
  const page = (sql: string, offset: number) => pageOf(parseQuery(sql), offset).sql.replaceAll('\n', ' ');

  it.each([
    ['SELECT a FROM t ORDER BY a', 'SELECT a FROM t ORDER BY a LIMIT 101 OFFSET 200'],
    ['SELECT 1 UNION SELECT 2 -- two', 'SELECT 1 UNION SELECT 2 LIMIT 101 OFFSET 200'],
    ['SELECT 1 /* open', 'SELECT 1 LIMIT 101 OFFSET 200'],
    ['SELECT a FROM t LIMIT 9999', 'SELECT * FROM ( SELECT a FROM t LIMIT 9999 ) LIMIT 101 OFFSET 200'],
    ['SELECT a FROM t LIMIT 5', 'SELECT * FROM ( SELECT a FROM t LIMIT 5 ) LIMIT 101 OFFSET 200'],
    ['VALUES (1), (2);', 'SELECT * FROM ( VALUES (1), (2) ) LIMIT 101 OFFSET 200'],
  ])('bounds %s', (sql, expected) => {
    expect(page(sql, 200)).toBe(expected);
  });

  it('leaves a query alone that bounds itself', () => {
    expect(pageOf(parseQuery('SELECT a FROM t LIMIT 5'), 0)).toEqual({ sql: 'SELECT a FROM t LIMIT 5', paged: true });
    expect(pageOf(parseQuery('EXPLAIN SELECT 1'), 0)).toEqual({ sql: 'EXPLAIN SELECT 1', paged: false });
  });

  it('bounds one whose own limit is no plain number', () => {
    expect(page('SELECT a FROM t LIMIT 1e9', 0)).toContain('LIMIT 101 OFFSET 0');
    expect(page('SELECT a FROM t LIMIT -1', 0)).toContain('LIMIT 101 OFFSET 0');
    expect(page('SELECT a FROM t LIMIT 5 OFFSET 9', 0)).toContain('LIMIT 101 OFFSET 0');
    expect(ROWS_PER_PAGE).toBe(100);
  });
});

describe('the rows that a statement names', () => {
  const sample = (sql: string) => sampleOf(parseChange(sql))?.sql.replaceAll('\n', ' ');

  it.each([
    ['DELETE FROM t', 'SELECT * FROM t LIMIT 11'],
    [
      "DELETE FROM main.t AS x INDEXED BY i WHERE x.a = ')' OR 1 -- all",
      "SELECT * FROM main.t AS x WHERE ( x.a = ')' OR 1 ) LIMIT 11",
    ],
    [
      'UPDATE OR IGNORE t SET a = 1 WHERE a IN (SELECT 2) RETURNING *',
      'SELECT * FROM t WHERE ( a IN (SELECT 2) ) LIMIT 11',
    ],
    // It may give another table the name of this one.
    ['WITH t AS (SELECT 1 AS a) DELETE FROM t WHERE a IN (1)', undefined],
    ['DROP TABLE IF EXISTS main.t', 'SELECT count(*) AS total FROM main.t'],
    ['UPDATE t SET a = 1 FROM u WHERE t.a = u.a', undefined],
    ['INSERT INTO t VALUES (1)', undefined],
    ['CREATE TABLE t (a)', undefined],
  ])('are asked for: %s', (sql, query) => {
    expect(sample(sql)).toBe(query);
  });

  it('are asked for by a single query, whatever the statement', () => {
    const piece = fc.constantFrom(
      'a',
      "'x'",
      '"b"',
      '1',
      '(SELECT 1)',
      'a = 1',
      "')'",
      '/* c */',
      'x IN (1)',
      'NOT',
      'AND',
      'OR',
      '--',
      '\n',
      ')',
      '(',
    );
    fc.assert(
      fc.property(
        fc.constantFrom('DELETE FROM t', 'UPDATE t SET a = 1', 'WITH w AS (SELECT 2) DELETE FROM t'),
        fc.array(piece, { maxLength: 8 }),
        (head, pieces) => {
          const sql = `${head} WHERE ${pieces.join(' ')}`;
          let statement: Statement;
          try {
            statement = parseChange(sql);
          } catch {
            return;
          }
          const query = sampleOf(statement);
          if (query !== undefined) expect(query.node.type).toBe('SelectStmt');
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('a statement', () => {
  it.each([
    ['DELETE FROM orders', 'DELETE', ['orders'], 'orders'],
    ['DELETE FROM orders WHERE id = 1;', 'DELETE', ['orders'], undefined],
    ['UPDATE main.orders SET a = 1', 'UPDATE', ['orders'], 'orders'],
    ['INSERT INTO orders SELECT * FROM old', 'INSERT', ['orders', 'old'], undefined],
    ['DROP TABLE IF EXISTS orders', 'DROP TABLE', ['orders'], undefined],
    ['PRAGMA foreign_keys = on', 'PRAGMA', [], undefined],
    ['CREATE VIRTUAL TABLE words USING fts5(text)', 'CREATE VIRTUAL TABLE', ['words'], undefined],
  ])('is known: %s', (sql, verb, tables, everyRow) => {
    expect(parseStatement(sql)).toMatchObject({ verb, tables, everyRow });
  });

  it.each([
    ['ALTER TABLE users ALTER COLUMN name TO name TEXT NOT NULL;', 'ALTER TABLE'],
    ['ALTER TABLE main."users" ALTER n TO n INTEGER DEFAULT \'it’s\' REFERENCES a (b)', 'ALTER TABLE'],
    ['alter table t alter /* TO */ column "to" to "to" text', 'ALTER TABLE'],
    ['CREATE TABLE t (id INTEGER PRIMARY KEY, a) RANDOM ROWID', 'CREATE TABLE'],
    ['create table if not exists t (a) strict, random rowid', 'CREATE TABLE'],
    ['CREATE INDEX near ON t (libsql_vector_idx(embedding))', 'CREATE INDEX'],
  ])('of libSQL’s own is known, and sent as it is: %s', (sql, verb) => {
    const statement = parseChange(sql);
    expect(statement).toMatchObject({ verb, sql: sql.replace(/;$/, '') });
    expect(parseChange(statement.sql).sql).toBe(statement.sql);
    expect(withoutLiterals(sql)).not.toMatch(/not readable|it’s/);
  });

  it('of libSQL’s own is one that libSQL takes', async () => {
    const database = createClient({ url: ':memory:' });
    await database.execute(parseChange('CREATE TABLE t (id INTEGER PRIMARY KEY, a) RANDOM ROWID').sql);
    await database.execute(parseChange('ALTER TABLE t ALTER COLUMN a TO a TEXT NOT NULL').sql);
    database.close();
  });

  it.each([
    'ALTER TABLE a ALTER COLUMN b TO b TEXT; DROP TABLE a',
    'ALTER TABLE a ALTER COLUMN b TO',
    'ALTER TABLE a ALTER COLUMN b TO (SELECT 1)',
    'ALTER TABLE a ALTER COLUMN b TO b TEXT CHECK (load_extension(1))',
    'CREATE TABLE t (a) RANDOM',
    'CREATE TABLE t AS SELECT 1 RANDOM ROWID; DELETE FROM t',
  ])('is refused though it looks like libSQL’s own: %s', (sql) => {
    expect(() => parseChange(sql)).toThrow(UsageError);
  });

  it.each([
    ['SELECT “name” FROM users WHERE name = ‘a’', `SELECT "name" FROM users WHERE name = 'a'`],
    ['SELECT ‘2026-01-01 10:00’ AS ”day“', `SELECT '2026-01-01 10:00' AS "day"`],
    ["SELECT 'it’s “so”' -- ‘x’", "SELECT 'it’s “so”'"],
    ['SELECT ‘it\'\'s’, "a’b" FROM [x’y]', `SELECT 'it''s', "a’b" FROM [x’y]`],
    ['SELECT ‘’, ‘a;b’', "SELECT '', 'a;b'"],
  ])('has straight quotation marks for those of a phone: %s', (typed, sql) => {
    expect(parseQuery(typed).sql).toBe(sql);
    expect(parseQuery(sql).sql).toBe(sql);
    expect(withoutLiterals(typed)).toBe(withoutLiterals(sql));
  });

  it.each(["SELECT ‘it's’", "SELECT 'a’", 'SELECT ‘it’s’', 'SELECT ‘a’; DROP TABLE t'])(
    'is refused, and kept nowhere, where its quotation marks do not match: %s',
    (sql) => {
      expect(() => parseQuery(sql)).toThrow(UsageError);
      if (!sql.includes(';')) expect(withoutLiterals(sql)).toBe('(not readable as SQL)');
    },
  );

  it.each([
    "CREATE VIRTUAL TABLE files USING zipfile('/etc/x')",
    'CREATE VIRTUAL TABLE IF NOT EXISTS main.files USING "FSDIR"',
    "CREATE VIRTUAL TABLE files USING csv(filename='/etc/passwd')",
    'BEGIN',
    "ATTACH 'x' AS y",
    'DELETE FROM a; DELETE FROM b',
    "SELECT load_extension('x')",
    'DELETE FROM a\0',
  ])('is refused although it may change things: %j', (sql) => {
    expect(() => parseStatement(sql)).toThrow(UsageError);
  });

  it('is kept without its literals', () => {
    expect(withoutLiterals("UPDATE people SET mail = 'ada@example.com', age = 36, key = x'00ff' WHERE id = 7")).toBe(
      'UPDATE people SET mail = ?, age = ?, key = ? WHERE id = ?',
    );
  });

  it.each([
    ['DELETE FROM t WHERE name = "Ada"', 'DELETE FROM t WHERE name = ?'],
    ['DELETE FROM "t" WHERE t."name" = 1', 'DELETE FROM "t" WHERE t."name" = ?'],
    ["SELECT 1 AS 'Ada' FROM t -- Ada", 'SELECT ? AS ? FROM t'],
    [
      "UPDATE t /* for Ada */ SET a = -1.5e3,\n  b = 0x1F WHERE c LIKE 'A%' ESCAPE '\\'",
      'UPDATE t SET a = -?, b = ? WHERE c LIKE ? ESCAPE ?',
    ],
    [
      "CREATE TABLE t (a DEFAULT 'Ada', b DEFAULT \"Ada\", c CHECK (c <> 'Ada'))",
      'CREATE TABLE t (a DEFAULT ?, b DEFAULT ?, c CHECK (c <> ?))',
    ],
    ['SELECT * FROM t LIMIT 10 OFFSET 20', 'SELECT * FROM t LIMIT ? OFFSET ?'],
    ['this is about Ada', '(not readable as SQL)'],
  ])('keeps its shape alone: %s', (sql, kept) => {
    expect(withoutLiterals(sql)).toBe(kept);
  });

  it('keeps nothing of any text or number that stands in it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{12}$/), fc.integer({ min: 100_000_000 }), (text, number) => {
        const kept = withoutLiterals(`INSERT INTO t (a, b) VALUES ('${text}', ${number}) RETURNING a || '${text}'`);
        expect(kept).toBe('INSERT INTO t (a, b) VALUES (?, ?) RETURNING a || ?');
      }),
    );
  });

  it.each(['NOT ', '+', '1+'])('keeps the shape of what nests %j ten thousand times', (word) => {
    expect(withoutLiterals(`SELECT ${word.repeat(10_000)}1`)).toBe(`SELECT ${word.replace('1', '?').repeat(10_000)}?`);
  });
});
