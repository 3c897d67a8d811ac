import type { Database } from './database.ts';
import { isGenuine } from './protection.ts';
import type { Seal } from './seal.ts';

/** A file that has the entries up to a number. The audit goes on from there. */
export interface Archive {
  number: number;
  /** Of that entry. */
  hash: string;
  /** The name of the file, without its folder. */
  file: string;
  /** The subscriptions that went on at that time: the highest id until then, and of each that had not ended its version. */
  living: { upTo: number; versions: Record<string, number> };
}

/** The newest archive that the bot itself has noted, of those before a number. */
export async function newestArchive(database: Database, seal: Seal, before = Infinity): Promise<Archive | undefined> {
  const { rows } = await database.execute('SELECT * FROM audit_archives WHERE number < :before ORDER BY number DESC', {
    before: Math.min(before, Number.MAX_SAFE_INTEGER),
  });
  return rows.filter((row) => isGenuine(seal, 'audit_archives', row)).map(archiveOf)[0];
}

/** The archive that the present audit goes on from: the one right before its first entry. */
export async function archiveBehind(database: Database, seal: Seal): Promise<Archive | undefined> {
  const { rows } = await database.execute('SELECT min(number) AS first FROM audit');
  return newestArchive(database, seal, Number(rows[0]?.first ?? Infinity));
}

const archiveOf = (row: Record<string, unknown>): Archive => ({
  number: Number(row.number),
  hash: String(row.hash),
  file: String(row.file),
  living: JSON.parse(String(row.living)),
});
