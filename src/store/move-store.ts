import { existsSync } from 'node:fs';
import { StartError } from '../start-error.ts';
import { HOUR } from '../time.ts';
import { createAudit } from './audit.ts';
import { type Database, rowsOf, type Statement } from './database.ts';
import { unhurried } from './guard.ts';
import { openDatabase, type StoreOptions } from './open-database.ts';
import { checkKey, openingProblem, pathOf } from './opening.ts';
import { TABLES } from './schema.ts';
import type { Seal } from './seal.ts';

/**
 * Copies all rows of one store into an empty one, or none. No bot may run on either. The audit is verified before and after. Throws
 * StartError.
 */
export async function moveStore(from: StoreOptions, to: StoreOptions, seal: Seal) {
  if (from.url.startsWith('file:') && !existsSync(pathOf(from.url)))
    throw new StartError('create', `FROM: there is no store at ${pathOf(from.url)}.`);
  const source = await open('FROM', from);
  try {
    const target = await open('TO', to);
    try {
      return await unhurried(() => move(source, target, seal), HOUR);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

const open = (argument: string, options: StoreOptions) =>
  openDatabase(options).catch((error: unknown) => {
    const problem = openingProblem(options.url, error);
    if (!(problem instanceof StartError)) throw problem;
    throw new StartError(problem.kind, problem.message.replaceAll('STORE_URL', argument), { cause: error });
  });

async function move(source: Database, target: Database, seal: Seal) {
  for (const [store, name] of [
    [source, 'first'],
    [target, 'second'],
  ] as const) {
    if (await store.isUsed()) throw new StartError('taken', `A bot runs on the ${name} store. Stop it first.`);
  }
  if (seal.keyed) await checkKey(source, seal);
  const { problems } = await createAudit(source, seal).verify();
  if (problems.length > 0)
    throw new StartError('store', 'The audit of the first store is not intact: the command `audit verify` says where.');
  const { rows: any } = await target.execute(
    'SELECT 1 FROM audit UNION ALL SELECT 1 FROM confirmations UNION ALL SELECT 1 FROM subscriptions',
  );
  if (any.length > 0) throw new StartError('store', 'The second store is not empty. Name a new one.');
  const statements = await statementsOf(source);
  await target.fill(statements.map(({ statement }) => statement));
  return {
    rows: statements.reduce((sum, { rows }) => sum + rows, 0),
    audit: await createAudit(target, seal).verify(),
  };
}

/** Statements that write everything that a store has. */
async function statementsOf(source: Database): Promise<{ statement: Statement; rows: number }[]> {
  const statements: { statement: Statement; rows: number }[] = [];
  for (const sql of TABLES) {
    const table = /TABLE (\w+)/.exec(sql)![1]!;
    // Answers that can be shared last an hour only.
    if (['results', 'schema_hash'].includes(table)) continue;
    const columns = [...sql.matchAll(/^ {4}(\w+) (TEXT|INTEGER)\b/gm)].map(([, name, type]) => ({ name: name!, type }));
    const names = columns.map(({ name }) => name).join(', ');
    const given = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
    statements.push({ statement: { sql: `DELETE FROM ${table}` }, rows: 0 });
    for await (const rows of rowsOf(source, table, { key: ['1', '2'], columns: names })) {
      const insert = `INSERT INTO ${table} (${names}) SELECT ${names} FROM ROWS(:rows, ${given}) AS given`;
      if (rows.length > 0)
        statements.push({ statement: { sql: insert, args: { rows: JSON.stringify(rows) } }, rows: rows.length });
    }
  }
  return statements;
}
