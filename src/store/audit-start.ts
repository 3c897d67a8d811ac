import type { Database } from './database.ts';
import { isGenuine } from './protection.ts';
import type { Seal } from './seal.ts';

/** The last entry that was removed for its age: the audit goes on from its hash. */
export interface AuditStart {
  number: number;
  hash: string;
  /** The subscriptions that went on at that time: the highest id until then, and of each that had not ended its version. */
  living: { upTo: number; versions: Record<string, number> };
}

/** Where the present audit begins, as the bot itself has noted it. Undefined: at its first entry. */
export async function startOf(database: Database, seal: Seal): Promise<AuditStart | undefined> {
  const { rows } = await database.execute(
    'SELECT * FROM audit_starts WHERE number < (SELECT coalesce(min(number), 9000000000000000) FROM audit) ORDER BY number DESC',
  );
  const row = rows.find((one) => isGenuine(seal, 'audit_starts', one));
  return row && { number: Number(row.number), hash: String(row.hash), living: JSON.parse(String(row.living)) };
}
