import type { Actor } from '../operations/context.ts';
import { mayApprove } from '../policy/policy.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { isRunnable } from './change.ts';
import { approvalRuleOf } from './permission.ts';
import type { ChangeServices } from './services.ts';

/** At most so many of each are looked at. */
const MOST = 20;

/** Changes that wait for a person. */
export interface WaitingFor {
  /** Changes of others that this person may decide, and has not decided. */
  toApprove: Confirmation[];
  /** Changes of this person that others have approved. */
  toRun: Confirmation[];
}

/** The changes that wait for this person, oldest first. */
export async function waitingFor(
  services: ChangeServices,
  actor: Actor,
): Promise<WaitingFor> {
  const { approvals } = services.store;
  const [waiting, decided] = await Promise.all([approvals.waiting(MOST), approvals.decided(actor, MOST)]);
  const decidable = waiting.filter((one) => {
    const rule = approvalRuleOf(services, one);
    return rule !== undefined && mayApprove(rule, actor, { id: one.actor }).allowed;
  });
  const verdicts = await Promise.all(decidable.map(({ id }) => approvals.verdicts(id)));
  return {
    toApprove: decidable.filter((_, at) => !verdicts[at]!.some(({ approver }) => approver === actor.id)),
    toRun: decided.filter(({ state }) => isRunnable(state)),
  };
}
