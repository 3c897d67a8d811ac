import type { Database } from '../../src/store/database.ts';

/** Writes what no program could: meanwhile the triggers that keep changes to their transitions are off. */
export async function forced(database: Database, ...[sql, args]: Parameters<Database['execute']>): Promise<void> {
  if (database.self?.isShared === true) {
    const all = (how: string) =>
      ['confirmations', 'reversals'].map((table) => ({ sql: `ALTER TABLE ${table} ${how} TRIGGER USER` }));
    await database.together([...all('DISABLE'), { sql, ...(args === undefined ? {} : { args }) }, ...all('ENABLE')]);
    return;
  }
  const { rows: triggers } = await database.execute(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('confirmations', 'reversals')",
  );
  for (const { name } of triggers) await database.execute(`DROP TRIGGER ${String(name)}`);
  await database.execute(sql, args);
  for (const { sql: trigger } of triggers) await database.execute(String(trigger));
}
