import { DAY } from '../time.ts';
import { OLD_ANCHORS } from './anchors.ts';
import { MARKS_KEPT } from './marks.ts';
import type { Store } from './store.ts';

/** How long rows are kept after their end, in milliseconds. */
export interface Kept {
  changes: number;
  reports: number;
  /** Left out: entries of the audit stay. */
  audit?: number;
}

/** As long as the settings keep them by default. */
const KEPT: Kept = { changes: 30 * DAY, reports: 60 * DAY };

/** How long a subscription that has ended is kept, in milliseconds. */
const ENDED_FOR = 60 * DAY;

/** Rows that nothing asks for any more. Other tables forget by themselves; the test of protection.ts says of each what bounds it. */
const OLD = [
  `DELETE FROM subscriptions WHERE state = 'ended' AND origin IS NULL AND created_at < :now - ${ENDED_FOR}
     AND id NOT IN (SELECT subscription FROM report_ledger)
     AND id NOT IN (SELECT coalesce(CAST(content -> 'subscription' ->> 'id' AS INTEGER), 0) FROM audit
       WHERE at > :now - ${ENDED_FOR} AND operation LIKE 'report %')
     AND id < (SELECT max(id) FROM subscriptions)`,
  OLD_ANCHORS,
  `DELETE FROM error_groups WHERE until < :now - ${10 * DAY}`,
  `DELETE FROM agent_tokens WHERE expires_at < :now`,
  `DELETE FROM marks WHERE at < :now - ${MARKS_KEPT}`,
  `DELETE FROM channel_turns WHERE free_at < :now - ${DAY}`,
  `DELETE FROM log_slots WHERE free_at < :now - ${DAY}`,
];

/** Removes from every table what its time is over for. */
export async function forgetOld(
  store: Pick<Store, 'background' | 'jobs' | 'results' | 'confirmations' | 'ledger' | 'audit'>,
  kept: Kept = KEPT,
): Promise<void> {
  for (const table of [store.jobs, store.results]) await table.forget();
  await store.confirmations.forget(kept.changes);
  await store.ledger.forget(kept.reports);
  for (const sql of OLD) await store.background.execute(sql);
  if (kept.audit !== undefined) await store.audit.forget(kept.audit);
}
