import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { rowsAsCsv, WAIT } from '../../../src/operations/database/query.ts';
import { PlatformError, SqlError } from '../../../src/platform/errors.ts';
import type { SqlResult, SqlTarget } from '../../../src/platform/resources/sql.ts';
import { Secret } from '../../../src/secret.ts';
import { buttonsOf, contextOf, type PlatformPart, prepare } from '../performing.ts';
import { perform, useSimulated } from './simulated.ts';

const simulated = useSimulated();
const shop = () => simulated.simulator.account.databases[0]!;
const query = async (sql: string, flags = '') =>
  (await simulated.perform(`database query ${shop().name} ${flags} ${sql}`)).run();

const rowsOf = (cols: string[], rows: (string | number | bigint | null | Uint8Array)[][]): SqlResult => ({
  cols: cols.map((name) => ({ name, decltype: undefined })),
  rows,
});

/** A platform whose databases answer one thing. */
const answering = (
  answer: SqlResult | (() => Promise<SqlResult[]>),
  asked: { target?: SqlTarget; sql?: readonly string[] } = {},
): PlatformPart => ({
  databases: {
    get: async () => ({ id: 'db_1', url: 'libsql://one.db.example/' }) as never,
    generateToken: async () => ({ token: Secret.of('minted-token') }),
  },
  sql: {
    execute: async (target, sql) => {
      Object.assign(asked, { target, sql });
      return typeof answer === 'function' ? answer() : sql.map(() => answer);
    },
    checkAddress: () => undefined,
  },
});
const LISTS = { databases: 'no list' };

describe('database query', () => {
  it('reads with a read-only token that expires in five minutes and is shown nowhere', async () => {
    const { message } = await query('SELECT id, name FROM customers ORDER BY id LIMIT 2');
    const minted = shop().tokens.at(-1)!;
    expect(minted.authorization).toBe('read-only');
    expect(minted.expires).toEqual(new Date('2026-11-21T12:05:00Z'));
    expect(message.text).toMatch(/: 2 rows\nid +name/);
    expect(JSON.stringify(message)).not.toContain(minted.token);
  });

  it('says below its rows what was asked, without the values that were looked for', async () => {
    const { message } = await query("SELECT id FROM customers\nWHERE country = 'DE' LIMIT 1");
    expect(message.text).toContain('SELECT id FROM customers WHERE country = ? LIMIT ?');
  });

  it('pages through a table, row after row', async () => {
    const { message } = await query('SELECT id FROM orders ORDER BY id');
    expect(message.text).toContain('Cut after 100 rows; there are more');
    const { More: more } = buttonsOf(message);
    expect(more).toBe(`database query ${shop().id} --offset 100 SELECT id FROM orders ORDER BY id`);
    const { message: second } = await (await simulated.perform(more!)).run();
    expect(second.text).toContain('rows 101 to 200');
    const { message: beyond } = await query('SELECT id FROM orders ORDER BY id LIMIT 1 OFFSET 100');
    const [, id = ''] = /─\n *(\d+)/.exec(beyond.text) ?? [];
    expect(second.text).toMatch(new RegExp(`─\\n *${id}\\n`));
    expect((await query('SELECT 1', '--offset 5')).message.text).toBe('There are no rows after the first 5.');
  });

  it('passes the database’s own refusal on', async () => {
    await expect(query('SELECT * FROM nowhere')).rejects.toBeInstanceOf(SqlError);
  });

  it.each(['DELETE FROM orders', 'SELECT 1; SELECT 2', 'PRAGMA foreign_keys', 'BEGIN', "SELECT load_extension('x')"])(
    'sends nothing at all for %s',
    async (sql) => {
      const before = simulated.simulator.requests.length;
      await expect(query(sql)).rejects.toBeInstanceOf(UsageError);
      expect(simulated.simulator.requests).toHaveLength(before);
    },
  );

  it('shows NULL, whole integers, and blobs by their size', async () => {
    const { message } = await query(
      "SELECT NULL AS a, 9007199254740993 AS b, x'00ff10' AS c, 1234567 AS d, '<!channel> *b*' AS e",
    );
    expect(message.text).toMatch(/NULL +9007199254740993 +blob, 3 B +1234567 +&lt;!channel&gt; \*b\*/);
  });

  it('masks columns whose names say that they are secret', async () => {
    const { message } = await query("SELECT 'hidden-value' AS api_key, 'shown' AS name, NULL AS password");
    expect(message.text).toContain('Masked: api_key, password.');
    expect(JSON.stringify(message)).not.toContain('hidden-value');
    expect(message.text).toContain('shown');
  });

  it('never attaches a file: what does not fit is left for the next page', async () => {
    const wide = rowsOf(
      ['type'],
      Array.from({ length: 101 }, (_, row) => [`${row} ${'x'.repeat(1_000)}`]),
    );
    const { run } = await prepare('database query db_1 SELECT a FROM t', { platform: answering(wide), lists: LISTS });
    const message = await run();
    expect(message.files).toBeUndefined();
    expect(message.text).toContain('Long texts are cut after 200 characters');
    const shown = Number(/Cut after (\d+) rows/.exec(message.text)?.[1]);
    expect(shown).toBeGreaterThan(30);
    expect(buttonsOf(message).More).toBe(`database query db_1 --offset ${shown} SELECT a FROM t`);
  });

  it('shows the first 20 columns of more', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `c${index}`);
    const { run } = await prepare('database query db_1 SELECT * FROM t', {
      platform: answering(rowsOf(names, [names])),
      lists: LISTS,
    });
    const message = await run();
    expect(message.files).toBeUndefined();
    expect(message.text).toContain('the first 20 of 30 columns');
  });

  it('goes to the address that the platform gives, not to one made of the id', async () => {
    const asked: { target?: SqlTarget; sql?: readonly string[] } = {};
    const { run } = await prepare('database query db_1 SELECT a FROM t', {
      platform: answering(rowsOf(['a'], []), asked),
      lists: LISTS,
    });
    expect((await run()).text).toBe('No rows.');
    expect(asked.target).toMatchObject({ url: 'libsql://one.db.example/' });
    expect(asked.sql?.at(-1)).toBe('SELECT a FROM t\nLIMIT 101 OFFSET 0');
  });

  it('stops waiting at its time limit and says that the server may still be working', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
    const { run } = await prepare('database query db_1 SELECT 1', {
      platform: answering(async () => {
        throw new DOMException('late', 'TimeoutError');
      }),
      lists: LISTS,
    });
    const message = await run();
    vi.restoreAllMocks();
    expect(message.text).toContain(`did not answer within ${WAIT / 1000} seconds`);
    expect(message.text).toContain('the server may still be working on it');
  });

  it('says what to do where nothing can make tokens', async () => {
    const missing = async () => {
      throw new PlatformError('Not found.', { status: 404, service: 'databaseControl', method: 'PUT', path: '/x' });
    };
    const { run } = await prepare('database query db_1 SELECT 1', {
      platform: { databases: { get: missing, generateToken: missing }, sql: { checkAddress: () => undefined } },
      lists: LISTS,
    });
    await expect(run()).rejects.toThrow(/No token can be made for the database db_1/);
  });
});

describe('database query --csv', () => {
  const rowsIn = (csv: string): string[][] =>
    csv
      .split('\r\n')
      .slice(0, -1)
      .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, field = '']) => field));

  it('gives up to a thousand whole rows as a file, masked and exact', async () => {
    const { message } = await query('SELECT id FROM orders ORDER BY id', '--csv');
    const [file] = message.files ?? [];
    expect(file?.name).toMatch(/^shop.*\.csv$/);
    const total = Number(
      /\n *([\d,]+)\n?/.exec((await query('SELECT count(*) AS n FROM orders')).message.text)?.[1]?.replace(',', ''),
    );
    expect(String(file?.content).split('\r\n')).toHaveLength(Math.min(total, 1000) + 2);

    const long = 'x'.repeat(1_000);
    const { message: exact } = await query(
      `SELECT NULL AS a, 9007199254740993 AS b, x'00ff10' AS c, -5 AS d, 'hidden-value' AS api_key, '${long}' AS e`,
      '--csv',
    );
    expect(exact.files?.[0]?.content).toBe(
      `"a","b","c","d","api_key","e"\r\n,9007199254740993,"AP8Q",-5,"••••","${long}"\r\n`,
    );
    expect(exact.text).toContain('Values that look secret, or may come from one, are masked.');
  });

  it('goes on from the next row, and is said to be cut', async () => {
    const many = rowsOf(
      ['a'],
      Array.from({ length: 1_001 }, (_, row) => [row]),
    );
    const asked: { sql?: readonly string[] } = {};
    const { run } = await prepare('database query db_1 --csv SELECT a FROM t', {
      platform: answering(many, asked),
      lists: LISTS,
    });
    const message = await run();
    expect(asked.sql?.at(-1)).toBe('SELECT a FROM t\nLIMIT 1001 OFFSET 0');
    expect(message.text).toContain('Cut after 1,000 rows');
    expect(buttonsOf(message).More).toBe('database query db_1 --offset 1000 --csv SELECT a FROM t');
  });

  it('has no cell that a spreadsheet would run, whatever is in the database', () => {
    const start = fc.constantFrom('', ' ', '\t', '\n', '\u00a0', '\u200b', '\ufeff', '\u0000');
    const sign = fc.constantFrom('=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠', '', '"', ';', ',');
    const cell = fc.tuple(start, sign, fc.string()).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (cells) => {
        const csv = rowsAsCsv({ masked: [], cols: cells.map((name) => ({ name, decltype: undefined })), rows: [] });
        const [fields = []] = rowsIn(`${csv.replace(/\r\n$/, '').replace(/[\r\n]/g, '\u2028')}\r\n`);
        expect(fields).toHaveLength(cells.length);
        for (const field of fields) {
          expect(field).toMatch(/^".*"$/su);
          expect(field.slice(1, -1)).not.toMatch(/^[\s\p{C}\p{Z}]*[=+\-@|%＝＋－＠]/u);
        }
      }),
    );
  });
});

describe('the database in the settings', () => {
  const spec = useSimulated({ specOnly: true });
  const configured = (which: 'fullAccess' | 'readOnly') => {
    const database = spec.simulator.account.databases[0]!;
    return { url: database.url ?? '', token: Secret.of(database.seeded[which]) };
  };

  it('is read with its own token alone, without any control plane', async () => {
    const performance = await spec.perform('database query configured SELECT count(*) AS n FROM orders', {
      configuredDatabase: configured('readOnly'),
    });
    const before = spec.simulator.requests.length;
    const { message } = await performance.run();
    expect(message.text).toContain('The database in the settings: 1 row\n');
    expect(message.text).not.toContain('token in the settings');
    expect(spec.simulator.requests.slice(before).map(({ path }) => path)).toEqual(['/v2/pipeline']);
  });

  it('is said to have a full-access token when it has one', async () => {
    const { message } = await (
      await spec.perform('database query configured SELECT 1', { configuredDatabase: configured('fullAccess') })
    ).run();
    expect(message.text).toContain('The token in the settings can write');
  });

  it('takes the body of the specification: one statement and the end of the stream', () => {
    expect(spec.simulator.requests.at(-1)?.body).toEqual({
      requests: [{ type: 'execute', stmt: { sql: 'SELECT 1\nLIMIT 101 OFFSET 0' } }, { type: 'close' }],
    });
  });

  it('is listed although the platform has no list', async () => {
    const { message } = await (
      await spec.perform('database list', { configuredDatabase: configured('readOnly') })
    ).run();
    expect(message.text).toContain('The platform gives no list of databases here');
    expect(message.text).toContain('it is named configured');
    await expect((await spec.perform('database list')).run()).rejects.toBeInstanceOf(PlatformError);
  });
});

describe('database list', () => {
  it('shows names, ids, hosts, sizes and regions', async () => {
    const { message } = await (await simulated.perform('database list')).run();
    for (const database of simulated.simulator.account.databases) {
      expect(message.text).toContain(database.name);
      expect(message.text).toContain(database.id);
    }
    expect(message.text).toContain('2 databases');
  });

  it('says what is blocked', async () => {
    const performance = await perform('database list', {
      ...contextOf(),
      platform: {
        databases: {
          list: async () => ({
            items: [{ id: 'db_1', block_writes: true, primary_regions: [], replicas_regions: [] }],
            hasMore: true,
          }),
        },
      } as never,
    });
    const { message } = await performance.run();
    expect(message.text).toMatch(/db_1 .* writes/);
    expect(message.text).toContain('There are more than these.');
  });
});
