import type { ChangeState } from '../changes/change.ts';
import type { Secret } from '../secret.ts';
import { StartError } from '../start-error.ts';
import { MINUTE } from '../time.ts';
import { SENT } from './confirmations.ts';
import { type Args, type Database, rowsOf, type Statement } from './database.ts';
import { unhurried } from './guard.ts';
import { isGenuine, macOf, PROTECTIONS, type Protection, placeOf, SIGNED_TABLES, sentMacOf } from './protection.ts';
import { createSeal, type Seal } from './seal.ts';

type Row = Record<string, unknown>;

/**
 * Signs and seals with the present key what the old key signed and sealed: all of it or nothing. If a row already has the present key,
 * that was done before, and the old key no longer counts.
 */
export async function rekey(database: Database, key: Secret, before: Secret): Promise<void> {
  const [present, old] = [createSeal(key), createSeal(before)];
  const batch: Statement[] = [];
  for (const table of SIGNED_TABLES) {
    for await (const rows of rowsOf(database, table, PROTECTIONS[table])) {
      if (rows.some((row) => isGenuine(present, table, row))) return;
      for (const row of rows.filter((one) => isGenuine(old, table, one))) {
        const next = resealed(table, row, old, present);
        const isSent = table === 'confirmations' && SENT.includes(String(row.state) as ChangeState);
        if (isSent) next.sent_mac = sentMacOf(present, String(row.id));
        batch.push(writing(table, { ...next, mac: macOf(present, table, next) }));
      }
    }
  }
  for (const [table, sealed] of [['jobs', 'body'] as const, ['anchors', 'content'] as const]) {
    const { rows } = await database.execute(`SELECT * FROM ${table} WHERE ${sealed} IS NOT NULL`);
    for (const row of rows) batch.push(writing(table, resealed(table, row, old, present)));
  }
  if (batch.length === 0) return;
  // It would go on to write with the old key, which nothing reads any more.
  if (await database.isUsed())
    throw new StartError(
      'taken',
      'A bot runs on the store with the old EDGEWISE_ENCRYPTION_KEY. Stop all, then start one.',
    );
  await unhurried(() => database.together(batch), 5 * MINUTE);
}

/** Seals the columns of a row with the present key. An unreadable text stays, and is refused later. */
function resealed(table: keyof typeof PROTECTIONS, row: Row, old: Seal, present: Seal): Row {
  const { key, sealed = [] }: Protection = PROTECTIONS[table];
  const next: Row = { ...row };
  for (const column of sealed) {
    if (typeof row[column] !== 'string') continue;
    const place = placeOf(table, column, key.map((name) => row[name]).join(' '));
    const value = old.read(row[column], place);
    if (value !== undefined) next[column] = present.write(value, place);
  }
  return next;
}

function writing(table: keyof typeof PROTECTIONS, row: Row): Statement {
  const { key, sealed = [], signed }: Protection = PROTECTIONS[table];
  const columns = [
    ...sealed,
    ...(table === 'confirmations' ? ['sent_mac'] : []),
    ...(signed === undefined ? [] : ['mac']),
  ];
  const equal = (names: readonly string[]) => names.map((name) => `${name} = :${name}`);
  return {
    sql: `UPDATE ${table} SET ${equal(columns).join(', ')} WHERE ${equal(key).join(' AND ')}`,
    args: row as Args,
  };
}
