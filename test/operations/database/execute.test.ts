import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { PlatformConnectionError, PlatformError, SqlError } from '../../../src/platform/errors.ts';
import type { SqlTarget, Tried, TriedStatement } from '../../../src/platform/resources/sql.ts';
import { Secret } from '../../../src/secret.ts';
import { catalogueOf, contextOf } from '../performing.ts';
import { type Performance, perform, useSimulated } from './simulated.ts';

const simulated = useSimulated();
const shop = () => simulated.simulator.account.databases[0]!;
const execute = (sql: string) => simulated.perform(`database execute ${shop().id} ${sql}`);

describe('database execute', () => {
  it('shows the statement, keeps its shape without the values, and names the database to type', async () => {
    const performance = await execute("UPDATE customers SET name = 'Ada' WHERE id = 1");
    const preview = await performance.preview();
    expect(performance.target).toBe(`${shop().name} (${shop().id})`);
    expect(performance.operation.typed?.(performance.values)).toBe(shop().name);
    expect(performance.operation.effect).toBe('destructive');
    expect(preview.after).toEqual({
      statement: 'UPDATE customers SET name = ? WHERE id = ?',
      kind: 'UPDATE',
      tables: 'customers',
      rows_touched: 1,
    });
    // Nothing to compare but the number of rows; and it was tried, so nothing is unknown.
    expect(preview).toMatchObject({ before: {} });
    expect(preview.unread).toBeUndefined();
    expect((await performance.preflight()).details?.text).toContain("name = 'Ada'");
  });

  it.each([
    ['DELETE FROM orders', 'DELETE without WHERE: it touches every row of orders.'],
    ['UPDATE orders SET status = 1', 'UPDATE without WHERE: it touches every row of orders.'],
    ['ALTER TABLE orders ADD COLUMN note', 'Applications that use the table may stop working.'],
  ])('warns of %s', async (sql, warning) => {
    expect((await (await execute(sql)).preview()).warnings).toContain(warning);
  });

  it('runs it once with a full-access token of five minutes and says how many rows changed', async () => {
    const { message } = await (await execute('UPDATE customers SET country = country WHERE id <= 3')).run();
    expect(message.text).toContain(`UPDATE ran on shop (${shop().id}) (customers): 3 rows changed.`);
    const minted = shop().tokens.at(-1)!;
    expect(minted.authorization).toBe('full-access');
    expect(minted.expires).toEqual(new Date('2026-11-21T12:05:00Z'));
    expect(simulated.simulator.writes().filter(({ path }) => path === '/v2/pipeline')).toHaveLength(1);
  });

  it('shows what the statement returned', async () => {
    const { message } = await (
      await execute("UPDATE customers SET name = name WHERE id = 1 RETURNING id, 'x' AS secret")
    ).run();
    expect(message.text).toMatch(/What it returned\nid +secret\n.*\n *1 +••••/);
  });

  it('passes the database’s refusal on', async () => {
    await expect((await execute('INSERT INTO orders (id) VALUES (1)')).run()).rejects.toBeInstanceOf(SqlError);
    await expect((await execute('CREATE TABLE orders (a)')).run()).rejects.toBeInstanceOf(SqlError);
  });

  it('uses the settings’ own token for their database', async () => {
    const { url, seeded } = shop();
    const performance = await simulated.perform('database execute configured CREATE TABLE made_here (a)', {
      configuredDatabase: { url: url ?? '', token: Secret.of(seeded.fullAccess) },
    });
    const count = shop().tokens.length;
    expect((await performance.preflight()).details?.text).toContain('the token in the settings');
    await performance.run();
    expect(shop().tokens).toHaveLength(count);
  });
});

describe('before a statement is run', () => {
  const preflightOf = async (performance: Performance) => (await performance.preflight()).details?.text ?? '';
  const rowsOf = async (sql: string) => {
    const { message } = await (await simulated.perform(`database query ${shop().id} ${sql}`)).run();
    return message.text;
  };

  it('is tried in one request that rolls back, with a token of minutes, and shows the rows as they are now', async () => {
    const all = await rowsOf('SELECT * FROM customers ORDER BY id');
    const tokens = shop().tokens.length;
    const asked = simulated.simulator.requests.length;
    const performance = await execute("UPDATE customers SET name = 'Changed' WHERE id IN (1, 2)");
    const preview = await performance.preview();
    const text = await preflightOf(performance);
    expect(preview.after.rows_touched).toBe(2);
    expect(text).toContain('it would touch 2 rows.');
    expect(text).toMatch(/These rows as they are now\nid +/);
    expect(text.split('These rows as they are now')[1]).not.toContain('Changed');
    expect(
      shop()
        .tokens.slice(tokens)
        .map(({ authorization }) => authorization),
    ).toEqual(['full-access']);
    const pipelines = simulated.simulator.requests.slice(asked).filter(({ path }) => path === '/v2/pipeline');
    expect(pipelines).toHaveLength(1);
    expect(simulated.simulator.writes().filter(({ path }) => path === '/v2/pipeline')).not.toContain(pipelines[0]);
    expect(await rowsOf('SELECT * FROM customers ORDER BY id')).toBe(all);
  });

  it.each([
    ['DELETE FROM orders', /it would touch 1?\d?\d?\d,?\d* rows/, 'The first 10 of these rows'],
    ['DELETE FROM orders WHERE id = -1', /it would touch 0 rows\./, ''],
    [
      'WITH few AS (SELECT id FROM orders LIMIT 2) DELETE FROM orders AS o WHERE o.id IN (SELECT id FROM few)',
      /touch 2 rows/,
      '',
    ],
    ['INSERT OR REPLACE INTO customers SELECT * FROM customers WHERE id < 4 RETURNING *', /touch 3 rows/, ''],
    ['DROP TABLE orders', /touch \d[\d,]* rows/, ''],
    ['CREATE INDEX made ON orders (id)', /rolled back: it works/, ''],
  ])('shows what %s would touch', async (sql, touched, sample) => {
    const performance = await execute(sql);
    const text = await preflightOf(performance);
    expect(text).toMatch(touched);
    expect(text).toContain(sample);
  });

  it('counts what goes along by triggers and foreign keys', async () => {
    const database = simulated.simulator.account.databases[1]!;
    const on = (sql: string) => simulated.perform(`database execute ${database.id} ${sql}`);
    await (await on('CREATE TABLE parents (id INTEGER PRIMARY KEY)')).run();
    await (await on('CREATE TABLE children (parent)')).run();
    await (await on('INSERT INTO parents VALUES (1), (2)')).run();
    await (await on('INSERT INTO children VALUES (1), (1), (2)')).run();
    await (
      await on('CREATE TRIGGER along AFTER DELETE ON parents BEGIN DELETE FROM children WHERE parent = OLD.id; END')
    ).run();
    const text = await preflightOf(await on('DELETE FROM parents WHERE id = 1'));
    expect(text).toContain('it would touch 1 row, and 2 rows with them, by triggers and foreign keys.');
  });

  it('masks columns whose names say that they are secret', async () => {
    const database = simulated.simulator.account.databases[1]!;
    const on = (sql: string) => simulated.perform(`database execute ${database.id} ${sql}`);
    await (await on('CREATE TABLE accounts (id, password)')).run();
    await (await on("INSERT INTO accounts VALUES (1, 'hunter2')")).run();
    const text = await preflightOf(await on('DELETE FROM accounts'));
    expect(text).toContain('These rows as they are now');
    expect(text).not.toContain('hunter2');
  });

  it('changes nothing, whatever the statement', async () => {
    const { url = '', seeded } = shop();
    const target = { url, token: Secret.of(seeded.fullAccess) };
    const dump = async () =>
      JSON.stringify(
        await simulated.platform.sql.execute(target, [
          'SELECT * FROM sqlite_schema',
          'SELECT count(*), total(id), group_concat(name) FROM customers',
          'SELECT count(*), total(id), total(total) FROM orders',
        ]),
      );
    const before = await dump();
    const table = fc.constantFrom('customers', 'orders', 'nowhere');
    const conflict = fc.constantFrom('', 'OR ROLLBACK ', 'OR REPLACE ', 'OR IGNORE ', 'OR FAIL ');
    const where = fc.constantFrom(
      '',
      ' WHERE id < 5',
      ' WHERE id = 0',
      ' WHERE id IN (SELECT id FROM orders LIMIT 3)',
      ' RETURNING *',
    );
    const statement = fc
      .tuple(fc.nat(6), table, conflict, where)
      .map(
        ([kind, name, or, rest]) =>
          [
            `DELETE FROM ${name}${rest}`,
            `UPDATE ${or}${name} SET id = id + 1${rest}`,
            `INSERT ${or}INTO ${name} SELECT * FROM ${name}`,
            `DROP TABLE ${name}`,
            `CREATE TABLE copied AS SELECT * FROM ${name}`,
            `ALTER TABLE ${name} RENAME TO moved`,
            `CREATE TRIGGER along AFTER DELETE ON ${name} BEGIN DELETE FROM customers; END`,
          ][kind] ?? '',
      );
    await fc.assert(
      fc.asyncProperty(statement, async (sql) => {
        await (await execute(sql)).preview().catch((error: unknown) => expect(error).toBeInstanceOf(SqlError));
        expect(await dump()).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it('is refused with the database’s own words when it would fail', async () => {
    await expect((await execute('DELETE FROM nowhere')).preview()).rejects.toBeInstanceOf(SqlError);
    await expect((await execute('INSERT INTO orders (id) VALUES (1)')).preview()).rejects.toBeInstanceOf(SqlError);
    await expect((await execute('CREATE TABLE orders (a)')).preview()).rejects.toBeInstanceOf(SqlError);
  });

  it.each(['PRAGMA foreign_keys = off', 'VACUUM', "ATTACH 'x' AS y", 'BEGIN', 'COMMIT', 'SAVEPOINT s'])(
    'sends nothing at all for %s',
    async (sql) => {
      const before = simulated.simulator.requests.length;
      await expect(execute(sql)).rejects.toBeInstanceOf(UsageError);
      expect(simulated.simulator.requests).toHaveLength(before);
    },
  );

  it('runs nothing when its transaction does not begin', async () => {
    const steps: unknown[] = [];
    const platform = {
      databases: { generateToken: async () => ({ token: Secret.of('minted') }), get: async () => ({ url: undefined }) },
      sql: {
        checkAddress: () => undefined,
        rehearse: async (_: SqlTarget, statements: readonly TriedStatement[]) => {
          steps.push(...statements);
          return statements.map((): Tried => ({ kind: 'skipped' }));
        },
      },
    } as never;
    const performance = await perform('database execute db_1 DELETE FROM t WHERE a = 1', {
      ...contextOf(),
      platform,
      catalogue: catalogueOf({ databases: 'no list' }),
    });
    const preview = await performance.preview();
    expect(preview.unread).toContain('could not be tried beforehand, because the database began no transaction');
    expect(preview.after).not.toHaveProperty('rows_touched');
    expect(steps).toContainEqual({ sql: 'DELETE FROM t WHERE a = 1', withoutRows: true });
  });

  const WHERE = { service: 'sql', method: 'POST', path: '/v2/pipeline' };
  it.each([
    ['takes no batches', async () => undefined, 'the database accepts no request that rolls back'],
    [
      'refuses it',
      async () => {
        throw new PlatformError('Unknown type.', { status: 400, ...WHERE });
      },
      'the database refused to try it (400: Unknown type)',
    ],
    [
      'does not answer',
      async () => {
        throw new PlatformConnectionError('gone', { applied: 'maybe', ...WHERE });
      },
      'the database did not answer when I tried the statement',
    ],
    [
      'changes its schema outside of transactions only',
      async (_: SqlTarget, statements: readonly TriedStatement[]) =>
        statements.map((): Tried => ({ kind: 'failed', message: 'not within a transaction.', code: undefined })),
      'the database does not try it within a transaction (not within a transaction)',
    ],
    [
      'is locked by somebody else',
      async (_: SqlTarget, statements: readonly TriedStatement[]) =>
        statements.map((): Tried => ({ kind: 'failed', message: 'database is locked', code: 'SQLITE_BUSY' })),
      'the database could not try it now (database is locked)',
    ],
  ])('says that it could not be tried where the database %s', async (_, rehearse, why) => {
    const platform = {
      databases: { generateToken: async () => ({ token: Secret.of('minted') }), get: async () => ({ url: undefined }) },
      sql: { checkAddress: () => undefined, rehearse },
    } as never;
    const context = { ...contextOf(), platform, catalogue: catalogueOf({ databases: 'no list' }) };
    const performance = await perform('database execute db_1 ALTER TABLE t ADD COLUMN a', context);
    expect((await performance.preview()).unread).toContain(why);
    expect((await performance.preflight()).details?.text).not.toContain('rolled back');
  });

  it('stops waiting at its time limit and says that the server may still be working', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
    const platform = {
      databases: { generateToken: async () => ({ token: Secret.of('minted') }), get: async () => ({ url: undefined }) },
      sql: {
        checkAddress: () => undefined,
        rehearse: async () => Promise.reject(new DOMException('late', 'TimeoutError')),
      },
    } as never;
    const context = { ...contextOf(), platform, catalogue: catalogueOf({ databases: 'no list' }) };
    const preview = await (await perform('database execute db_1 DELETE FROM t', context)).preview();
    vi.restoreAllMocks();
    expect(preview.unread).toContain('took longer than 5 seconds, and the server may still be working');
  });

  it('is one at a time on each database, whatever becomes of the one before', async () => {
    const going = new Map<string, number>();
    let most = 0;
    const begun: string[] = [];
    const platform = {
      databases: { generateToken: async () => ({ token: Secret.of('minted') }), get: async () => ({ url: undefined }) },
      sql: {
        checkAddress: () => undefined,
        rehearse: async ({ id = '' }: SqlTarget, statements: readonly TriedStatement[]) => {
          const { sql } = statements.at(-2)!;
          begun.push(`${id} ${sql}`);
          going.set(id, (going.get(id) ?? 0) + 1);
          most = Math.max(most, going.get(id)!);
          await new Promise((resolve) => setImmediate(resolve));
          going.set(id, going.get(id)! - 1);
          if (sql.includes('DELETE')) throw new PlatformConnectionError('gone', { applied: 'maybe', ...WHERE });
          return statements.map((): Tried => ({ kind: 'rows', result: { cols: [], rows: [] } }));
        },
      },
    } as never;
    const context = () => ({ ...contextOf(), platform, catalogue: catalogueOf({ databases: 'no list' }) });
    const lines = [
      'db_1 DELETE FROM t',
      'db_1 UPDATE t SET a = 1',
      'db_2 UPDATE t SET a = 2',
      'db_1 UPDATE t SET a = 3',
    ];
    await Promise.all(lines.map(async (line) => (await perform(`database execute ${line}`, context())).preview()));
    expect([most, begun.length]).toEqual([1, 4]);
    expect(begun.indexOf('db_2 UPDATE t SET a = 2')).toBeLessThan(3);
  });

  it.each([
    ['who may not query the database', undefined, false, ['EXPLAIN']],
    ['what others have still to approve', 'pending' as const, true, ['EXPLAIN']],
    ['what they have approved', 'given' as const, true, ['BEGIN']],
    ['what they have approved, for who may not query it', 'given' as const, false, ['BEGIN']],
  ])('is for %s', async (_, approval, isReader, kinds) => {
    const asked = simulated.simulator.requests.length;
    const given = contextOf();
    const performance = await simulated.perform(
      `database execute ${shop().id} UPDATE customers SET id = id WHERE email LIKE 'a%'`,
      { approval, policy: { ...given.policy, may: (name) => isReader || name !== 'database query' } },
    );
    const preview = await performance.preview();
    const { details } = await performance.preflight();
    const sent = simulated.simulator.requests.slice(asked).filter(({ path }) => path === '/v2/pipeline');
    expect(sent.map(({ body }) => /EXPLAIN|BEGIN/.exec(JSON.stringify(body))?.[0])).toEqual(kinds);
    // What approvers agreed to is compared, not how many rows there are.
    expect(preview.after).not.toHaveProperty('rows_touched');
    expect(preview.before).toEqual({});
    const shows = approval === 'given' && isReader;
    expect(preview.isRead === true).toBe(shows);
    expect(/would touch \d|@mail\.example/.test(details?.text ?? '')).toBe(shows);
    if (!isReader) expect(JSON.stringify(sent)).not.toContain('SELECT * FROM customers');
  });

  it('is remembered without its literals', async () => {
    const { operation } = await execute('DELETE FROM orders');
    const kept = operation.args.sql?.auditTextOf?.("DELETE FROM people WHERE mail = 'ada@example.com'");
    expect(kept).toBe('DELETE FROM people WHERE mail = ?');
  });
});
