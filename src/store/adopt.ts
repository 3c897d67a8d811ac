import type { ChangeState } from '../changes/change.ts';
import type { Secret } from '../secret.ts';
import { StartError } from '../start-error.ts';
import { SENT } from './confirmations.ts';
import type { Database } from './database.ts';
import { isGenuine, macOf, PROTECTIONS, type Protection, placeOf, type SignedTable, stepMac } from './protection.ts';
import { createSeal, readOfOld, type Seal } from './seal.ts';

const TABLES: readonly SignedTable[] = [
  'confirmations',
  'approvals',
  'reversals',
  'subscriptions',
  'audit',
  'audit_archives',
];
const PAGE = 500;

interface Keys {
  encryptionKey: Secret;
  encryptionKeyOld?: Secret | undefined;
  adopt?: boolean | undefined;
}

/**
 * Writes anew, with the present key, what was signed with the key before, and, where the settings say so, what was never signed.
 * A row that is signed for another place stays as it is, and is refused when read. Throws StartError
 * for a store that was never signed.
 */
export async function adopt(database: Database, keys: Keys): Promise<void> {
  const { encryptionKey, encryptionKeyOld, adopt: isAdopting = false } = keys;
  const present = createSeal(encryptionKey);
  const either = createSeal(encryptionKey, encryptionKeyOld);
  const secrets = [encryptionKey, ...(encryptionKeyOld === undefined ? [] : [encryptionKeyOld])];
  if (!isAdopting && (await wasNeverSigned(database)))
    throw new StartError(
      'store',
      `Nothing in the store is signed: it was written without a key, by an earlier version, or by somebody else. If you know that it was the bot, start once with EDGEWISE_STORE_ADOPT=on${
        encryptionKeyOld === undefined
          ? ', and with the key until now as EDGEWISE_ENCRYPTION_KEY_OLD if it was another'
          : ''
      }.`,
    );
  if (!isAdopting && encryptionKeyOld === undefined) return;
  for (const table of TABLES) {
    let after = 0;
    for (;;) {
      const { rows } = await database.execute(
        table === 'audit'
          ? 'SELECT number, hash, mac FROM audit WHERE number > :after ORDER BY number LIMIT :limit'
          : `SELECT * FROM ${table} LIMIT :limit OFFSET :after`,
        { after, limit: PAGE },
      );
      const stale = rows.filter((row) => !isGenuine(present, table, row));
      const taken = stale.filter(
        (row) => isGenuine(either, table, row) || (isAdopting && row.mac === null && row.state !== 'ended'),
      );
      await write(
        database,
        table,
        taken.map((row) => renewed(table, row, either, present, secrets)),
      );
      after = table === 'audit' ? Number(rows.at(-1)?.number ?? after) : after + rows.length;
      if (rows.length < PAGE) break;
    }
  }
}

/** There is something, and nothing of it has a signature. */
async function wasNeverSigned(database: Database): Promise<boolean> {
  const any = (where: string) => TABLES.map((table) => `EXISTS (SELECT 1 FROM ${table}${where})`).join(' OR ');
  const { rows } = await database.execute(`SELECT (${any('')}) AND NOT (${any(' WHERE mac IS NOT NULL')}) AS never`);
  return rows[0]?.never === 1;
}

type Row = Record<string, unknown>;

/** The row, sealed and signed with the present key. A text that cannot be read stays, and is refused when it is. */
function renewed(table: SignedTable, row: Row, either: Seal, present: Seal, secrets: readonly Secret[]): Row {
  const { key, sealed = [] }: Protection = PROTECTIONS[table];
  const at = String(row[key[0]!]);
  const next: Row = { ...row };
  for (const column of sealed) {
    if (typeof row[column] !== 'string') continue;
    const place = placeOf(table as keyof typeof PROTECTIONS, column, at);
    const value = row.mac === null ? readOfOld(row[column], at, secrets) : either.read(row[column], place);
    if (value !== undefined) next[column] = present.write(value, place);
  }
  if (table === 'confirmations') {
    const id = String(row.id);
    if (SENT.includes(String(row.state) as ChangeState)) next.sent_mac = stepMac(present, id, 'sent');
    if (row.glass_broken === 1) next.glass_mac = stepMac(present, id, 'glass', String(row.reason));
  }
  return { ...next, mac: macOf(present, table, next) };
}

/** All of a page in one statement. */
async function write(database: Database, table: SignedTable, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const { key, sealed = [] }: Protection = PROTECTIONS[table];
  const columns = [...sealed, ...(table === 'confirmations' ? ['sent_mac', 'glass_mac'] : []), 'mac'];
  const where = key.map((column) => `${table}.${column} = new.value ->> '${column}'`).join(' AND ');
  await database.execute(
    `UPDATE ${table} SET ${columns.map((column) => `${column} = new.value ->> '${column}'`).join(', ')}
     FROM json_each(:rows) AS new WHERE ${where}`,
    {
      rows: JSON.stringify(
        rows.map((row) => Object.fromEntries([...key, ...columns].map((name) => [name, row[name]]))),
      ),
    },
  );
}
