import type { Actor, Reader } from '../operations/context.ts';
import { type Confirmation, PLANNED, plannedKey } from '../store/confirmations.ts';
import { MINUTE } from '../time.ts';
import { operationNamed } from './context.ts';
import { type Ended, execute } from './execute.ts';
import { record, recordingOf } from './record.ts';
import { inItsInteraction, type Services } from './services.ts';

/** In milliseconds. How long before its time people are reminded of a planned change. */
export const REMINDED = 10 * MINUTE;

/** The detail of its audit entry. */
export const plannedFor = ({ due }: Confirmation): string => `for ${due?.toISOString()}`;

/** The press that counts. Undefined: it does not. */
export async function plan(services: Services, asked: Confirmation, actor: Actor): Promise<Confirmation | undefined> {
  const { store, now, unnotified } = services;
  const { id } = asked;
  const left = asked.due!.getTime() - now().getTime();
  // Before the step: the job of a change that is not planned does nothing.
  await store.jobs.arm(PLANNED, plannedKey(id), Math.max(0, left > REMINDED ? left - REMINDED : left));
  const planned = await store.confirmations.plan(id, actor);
  const operation = operationNamed(services, asked.operation);
  if (planned === undefined || operation === undefined) return planned;
  await record(services, recordingOf(operation, planned, { actor, outcome: 'planned', detail: plannedFor(planned) }));
  unnotified.add(id);
  return planned;
}

/** Does it at its time. Undefined: it is not planned any more. Throws while Slack does not say who its requester is. */
export async function doPlanned(services: Services, planned: Confirmation, reader: Reader): Promise<Ended | undefined> {
  const actor = await services.actorNow({ id: planned.actor, teamId: planned.team, kind: 'member' });
  const heldAt = performance.now();
  const confirmation = await services.store.confirmations.begin(planned.id);
  if (confirmation === undefined) return undefined;
  return inItsInteraction(confirmation, () => execute(services, confirmation, { actor, reader, heldAt }));
}
