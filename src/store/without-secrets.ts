import type { OpenStore } from './store.ts';

/** Takes the secrets out of every text in a value. */
export type Hide = <T>(value: T) => T;

/**
 * The store for those who write down what people typed and what the platform said: no more of a secret is kept than a message
 * would show. The arguments and the previewed state have to come back as they were: they are sealed instead.
 */
export function withoutSecrets(store: OpenStore, hide: Hide): OpenStore {
  const { audit, confirmations, approvals, anchors, ledger, subscriptions, zoneWatches } = store;
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
    anchors: { ...anchors, set: (subscription, name, anchor) => anchors.set(subscription, name, hide(anchor)) },
    ledger: {
      ...ledger,
      settle: (claim, settlement) => ledger.settle(claim, { ...settlement, detail: hide(settlement.detail) }),
    },
    subscriptions: { ...subscriptions, fail: (id, reason) => subscriptions.fail(id, hide(reason)) },
    zoneWatches: { ...zoneWatches, write: (zones) => zoneWatches.write(new Map(hide([...zones]))) },
    groupMemory(scope) {
      const memory = store.groupMemory(scope);
      return { ...memory, remember: (window, groups) => memory.remember(window, hide(groups)) };
    },
  };
}
