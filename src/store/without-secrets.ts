import type { Store } from './store.ts';

/** Takes the secrets out of every text in a value. */
export type Hide = <T>(value: T) => T;

/**
 * The store for those who write down what people typed and what the platform said: no more of a secret is kept than a message
 * would show. The arguments and the previewed state have to come back as they were: they are sealed instead.
 */
export function withoutSecrets(store: Store, hide: Hide): Store {
  const { audit, confirmations, approvals, anchors, ledger, subscriptions, zoneWatches } = store;
  return {
    ...store,
    audit: {
      ...audit,
      append: (entry) => audit.append(hide(entry)),
      take: (entry, step) => audit.take(hide(entry), step),
    },
    confirmations: { ...confirmations, settle: (id, state, outcome) => confirmations.settle(id, state, hide(outcome)) },
    approvals: {
      ...approvals,
      request: (step, lifetime) => approvals.request(hide(step), lifetime),
      vote: (step, enough) => approvals.vote(hide(step), hide(enough)),
      mayBreakGlass: (step) => approvals.mayBreakGlass(hide(step)),
      breakGlass: (step) => approvals.breakGlass(hide(step)),
    },
    anchors: { ...anchors, set: (subscription, name, anchor) => anchors.set(subscription, name, hide(anchor)) },
    ledger: {
      ...ledger,
      settle: (claim, settlement) => ledger.settle(claim, { ...settlement, detail: hide(settlement.detail) }),
    },
    subscriptions: {
      ...subscriptions,
      add: (settings, nextSlot) => subscriptions.add(hide(settings), nextSlot),
      fail: (id, reason) => subscriptions.fail(id, hide(reason)),
    },
    zoneWatches: { ...zoneWatches, write: (zones) => zoneWatches.write(new Map(hide([...zones]))) },
    groupMemory(scope) {
      const memory = store.groupMemory(scope);
      return { ...memory, remember: (window, groups) => memory.remember(window, hide(groups)) };
    },
  };
}
