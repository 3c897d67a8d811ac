import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { PROTECTIONS, type Protection } from '../../src/store/protection.ts';

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
});
