import type { Store } from './store.ts';

/** Hides secrets in every text of a value. */
export type Hide = <T>(value: T) => T;

/**
 * Hides secrets in what people typed and the platform said, before it is stored. Arguments and previewed states have to come back
 * unchanged, so they are sealed instead.
 */
export function withoutSecrets(store: Store, hide: Hide): Store {
  const { audit, confirmations, approvals, anchors, marks, subscriptions } = store;
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
    anchors: {
      ...anchors,
      set: (about, name, value) => anchors.set(about, name, hide(value)),
      replace: (about, name, before, value) => anchors.replace(about, name, before, hide(value)),
      setAll: (name, values) => anchors.setAll(name, new Map(hide([...values]))),
    },
    marks: { ...marks, add: (mark) => marks.add(hide(mark)) },
    subscriptions: {
      ...subscriptions,
      add: (settings, nextSlot) => subscriptions.add(hide(settings), nextSlot),
      fail: (id, reason) => subscriptions.fail(id, hide(reason)),
    },
  };
}
