import type { GroupMemory } from '../logs/group-memory.ts';
import type { ReportLedger } from './report-ledger.ts';
import type { Store } from './store.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Takes the secrets out of every text in a value. */
export type Hide = <T>(value: T) => T;

/**
 * The store for those who write down what people typed and what the platform said: no more of a secret is kept than a message
 * would show. What has to come back as it was, the arguments and the previewed state, is sealed instead.
 */
export function withoutSecrets(store: Store, hide: Hide): Store {
  const { audit, confirmations, approvals } = store;
  return {
    ...store,
    audit: { ...audit, append: (entry) => audit.append(hide(entry)) },
    confirmations: { ...confirmations, settle: (id, state, outcome) => confirmations.settle(id, state, hide(outcome)) },
    approvals: {
      ...approvals,
      request: (id, actor, reason, lifetime) => approvals.request(id, actor, hide(reason), lifetime),
      note: (id, approver, verdict, reason) => approvals.note(id, approver, verdict, hide(reason)),
      reject: (id, why) => approvals.reject(id, hide(why)),
      breakGlass: (id, actor, reason) => approvals.breakGlass(id, actor, hide(reason)),
    },
  };
}

/** The same for what is remembered of errors. */
export function memoryWithoutSecrets(memory: GroupMemory, hide: Hide): GroupMemory {
  return { ...memory, remember: async (stretch, groups) => memory.remember?.(stretch, hide(groups)) };
}

/** The same for what reports said. */
export function ledgerWithoutSecrets(ledger: ReportLedger, hide: Hide): ReportLedger {
  return {
    ...ledger,
    setPlace: (subscription, name, place) => ledger.setPlace(subscription, name, hide(place)),
    settle: (claim, settlement) => ledger.settle(claim, { ...settlement, detail: hide(settlement.detail) }),
  };
}

/** The same for why a subscription does not work. */
export function subscriptionsWithoutSecrets(subscriptions: Subscriptions, hide: Hide): Subscriptions {
  return { ...subscriptions, fail: (id, reason) => subscriptions.fail(id, hide(reason)) };
}
