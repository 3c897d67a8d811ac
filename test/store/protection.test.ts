import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { forgetOld } from '../../src/store/forget.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { PROTECTIONS, type Protection } from '../../src/store/protection.ts';
import { openStore } from '../../src/store/store.ts';

const FILE = 'src/store/protection.ts';

describe('the tables of the store', () => {
  let database: Database;
  const columns = new Map<string, string[]>();

  beforeAll(async () => {
    database = await openDatabase({ url: ':memory:' });
    const { rows } = await database.execute(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
       WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
    );
    for (const { table, column } of rows)
      columns.set(String(table), [...(columns.get(String(table)) ?? []), String(column)]);
  });
  afterAll(() => database.close());

  it('say of every column whether it is sealed, signed, or why it is neither', () => {
    const missing = [...columns].flatMap(([table, all]) => {
      const protection = (PROTECTIONS as Record<string, Protection>)[table];
      if (protection === undefined)
        return [`${FILE}: add “${table}: { key: […], sealed: […], signed: […], free: { column: 'why' } },”`];
      const { key, sealed = [], signed = [], free = {} } = protection;
      const named = [...key, ...sealed, ...signed, ...Object.keys(free)];
      const left = all.filter((column) => column !== 'mac' && !named.includes(column) && free.all === undefined);
      return left.map((column) => `${FILE}: say of ${table}.${column} whether it is sealed, signed or free, and why`);
    });
    expect(missing).toEqual([]);
  });

  it('have the columns that are named, each once, and no others', () => {
    for (const [table, protection] of Object.entries(PROTECTIONS) as [string, Protection][]) {
      const { key, sealed = [], signed = [], free = {} } = protection;
      const named = [...key, ...sealed, ...signed, ...Object.keys(free).filter((column) => column !== 'all')];
      expect(columns.get(table), `${FILE}: ${table} is no table`).toBeDefined();
      expect(new Set(named).size, table).toBe(named.length);
      expect(
        named.filter((column) => columns.get(table)?.includes(column) !== true),
        `${FILE}: ${table}`,
      ).toEqual([]);
    }
  });

  it('have a column for the signature exactly where something is signed', () => {
    for (const [table, protection] of Object.entries(PROTECTIONS) as [string, Protection][])
      expect(columns.get(table)?.includes('mac'), table).toBe(protection.signed !== undefined);
  });

  it('forget a row when its time is over, or say what bounds their number', async () => {
    const now = new Date('2030-01-01T12:00:00Z');
    const store = await openStore({ url: ':memory:', clock: () => now });
    const { rows: triggers } = await store.database.execute(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`);
    for (const { name } of triggers) await store.database.execute(`DROP TRIGGER ${String(name)}`);
    const ends: Record<string, string> = { confirmations: 'done', subscriptions: 'ended' };
    const left: string[] = [];
    for (const [table, { kept }] of Object.entries(PROTECTIONS)) {
      if (!('for' in kept)) continue;
      await store.database.execute(`DELETE FROM ${table}`);
      const all = columns.get(table)!.filter((column) => column !== 'origin');
      const special: Record<string, string> = { state: `'${ends[table] ?? 'done'}'`, sealed: `x'00'`, body: 'NULL' };
      const values = all.map((column) => special[column] ?? '0');
      await store.database.execute(`INSERT INTO ${table} (${all.join(', ')}) VALUES (${values.join(', ')})`);
    }
    // The newest subscription stays, so that no id comes twice.
    await store.database.execute(
      `INSERT INTO subscriptions (id, settings, created_at, slots_until) VALUES (1, '{}', 0, 0)`,
    );
    // What hangs on another one goes with it, an hour later at the most.
    for (const _ of [1, 2]) await forgetOld(store);
    for (const [table, { kept }] of Object.entries(PROTECTIONS)) {
      const { rows } = await store.database.execute(`SELECT count(*) AS rows FROM ${table}`);
      if ('for' in kept && rows[0]?.rows !== (table === 'subscriptions' ? 1 : 0))
        left.push(`src/store/forget.ts: ${table} is kept for ever, not for ${kept.for}`);
    }
    expect(left).toEqual([]);
    await store.close();
  });
});
