import { DAY, HOUR } from '../time.ts';
import { OLD_ANCHORS } from './anchors.ts';
import { forgetChanges } from './confirmations.ts';
import type { Database } from './database.ts';
import { MARKS_KEPT } from './marks.ts';

/** Removes what nothing asks for any more. The test of protection.ts says of each table what bounds it. */
export async function forgetOld(database: Database): Promise<void> {
  // The audit reports changes of the last twenty days that the store lacks.
  await forgetChanges(database, 30 * DAY);
  const old = [
    // Longer than Slack retries, and than a signature is valid.
    `DELETE FROM jobs WHERE body IS NULL AND run_at < :now - ${2 * HOUR}`,
    'DELETE FROM results WHERE expires_at <= :now',
    `DELETE FROM report_ledger WHERE settled_at < :now - ${60 * DAY}`,
    `DELETE FROM subscriptions WHERE state = 'ended' AND origin IS NULL AND created_at < :now - ${60 * DAY}
       AND id NOT IN (SELECT subscription FROM report_ledger)
       AND id NOT IN (SELECT coalesce(CAST(content -> 'subscription' ->> 'id' AS INTEGER), 0) FROM audit
         WHERE at > :now - ${60 * DAY} AND operation LIKE 'report %')
       AND id < (SELECT max(id) FROM subscriptions)`,
    OLD_ANCHORS,
    'DELETE FROM agent_tokens WHERE expires_at < :now',
    `DELETE FROM marks WHERE at < :now - ${MARKS_KEPT}`,
    `DELETE FROM channel_turns WHERE free_at < :now - ${DAY}`,
  ];
  for (const sql of old) await database.execute(sql);
}
