import { chain, GENESIS, type Seen, startOf } from './audit-chain.ts';
import { type Database, timeOf } from './database.ts';
import { macOf } from './protection.ts';
import type { Seal } from './seal.ts';

/** Entries removed by one statement: with more, an embedded store would hold up everything else. */
const MOST = 250;

/**
 * Removes the oldest entries that are older than `keptFor` milliseconds, but never the newest, to which the next one is chained.
 * True: there may be more. Throws if they are not whole.
 */
export async function forgetAudit(database: Database, seal: Seal, keptFor: number): Promise<boolean> {
  const at = await timeOf(database);
  const { rows } = await database.execute(
    `SELECT max(number) AS last, count(*) AS count FROM (SELECT number FROM audit
       WHERE at < :before AND number < (SELECT max(number) FROM audit) ORDER BY number LIMIT ${MOST}) AS oldest`,
    { before: at - keptFor },
  );
  const last = Number(rows[0]?.last ?? 0);
  if (last === 0) return false;
  const behind = await startOf(database, seal);
  let end: Seen = behind ?? { number: 0, hash: GENESIS };
  for await (const { row, problem } of chain(database, seal, 0)) {
    if (Number(row.number) > last || problem !== undefined) break;
    end = { number: Number(row.number), hash: String(row.hash) };
  }
  if (end.number !== last) {
    if ((await startOf(database, seal))?.number !== behind?.number) return true;
    throw new Error(`the audit is not whole after entry ${end.number}: it stays as it is`);
  }
  const start = { ...end, at };
  await database.inTurn('audit', (alone) =>
    alone.together([
      {
        sql: `INSERT INTO audit_starts (number, hash, at, mac) SELECT :number, :hash, :at, :mac
            WHERE NOT EXISTS (SELECT 1 FROM audit_starts WHERE number >= :number)`,
        args: { ...start, mac: macOf(seal, 'audit_starts', start) },
      },
      { sql: 'DELETE FROM audit WHERE number <= :number', args: { number: last } },
      { sql: 'DELETE FROM audit_starts WHERE number < :number', args: { number: last } },
    ]),
  );
  return Number(rows[0]?.count) === MOST;
}
