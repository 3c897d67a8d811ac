import { DAY } from '../time.ts';
import type { RowProblem } from './audit-chain.ts';
import { confirmationOf } from './confirmations.ts';
import type { Database } from './database.ts';
import { isGenuine, PROTECTIONS } from './protection.ts';
import { reversalOf } from './reversals.ts';
import type { Seal } from './seal.ts';
import { doubtOf, type Standing } from './standing.ts';
import { subscriptionOf } from './subscriptions.ts';

const MOST = 100;

/** Every signed row that the bot has not written like this, and every subscription that the audit knows better. */
export async function examine(database: Database, seal: Seal, standing: Standing): Promise<RowProblem[]> {
  const whatIsWrong = {
    confirmations: (row) => {
      const { unreadable, emptied, createdAt } = confirmationOf(row, seal);
      return unreadable === true || (emptied === true && createdAt.getTime() > Number(row.now) - DAY);
    },
    approvals: (row) => !isGenuine(seal, 'approvals', row),
    reversals: (row) => reversalOf(row, seal).unreadable,
    subscriptions: (row) =>
      !isGenuine(seal, 'subscriptions', row) || (row.state !== 'ended' && doubtOf(standing, subscriptionOf(row))),
    audit_archives: (row) => !isGenuine(seal, 'audit_archives', row),
  } satisfies Record<string, (row: Record<string, unknown>) => boolean | string | undefined>;
  const problems: RowProblem[] = [];
  for (const [table, wrongOf] of Object.entries(whatIsWrong)) {
    const { rows } = await database.execute(`SELECT *, :now AS now FROM ${table}`);
    for (const row of rows) {
      const wrong = wrongOf(row);
      const key = String(row[PROTECTIONS[table as keyof typeof whatIsWrong].key[0]]);
      if (typeof wrong === 'string') problems.push({ table, key, what: wrong });
      else if (wrong === true) problems.push({ table, key, what: 'was not written like this by the bot' });
    }
  }
  return problems.slice(0, MOST);
}
