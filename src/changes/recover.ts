import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message } from '../blocks/message.ts';
import { mrkdwn } from '../blocks/mrkdwn.ts';
import type { Actor } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Confirmation, Withdrawn } from '../store/confirmations.ts';
import { type Approved, resume } from './approve.ts';
import { auditWord } from './change.ts';
import { contextOf, operationNamed, placeOf } from './context.ts';
import { lookAgain } from './look-again.ts';
import { record, recordingOf } from './record.ts';
import { inItsInteraction, type Services } from './services.ts';
import { plannedFor, stateMessage, wordsOf } from './words.ts';

/** A change that a dead process left: the message for its requester, or the approval to go on with. */
export type Recovered = { confirmation: Confirmation } & ({ message: Message } | { approved: Approved });

/** The requester knows the outcome. Without this call `recover` tells it again. */
export async function notified({ store, unnotified }: Services, id: string): Promise<void> {
  // An outcome that is not in the audit yet is left to `recover`.
  if (unnotified.delete(id)) await store.confirmations.notified(id);
}

/** Ends expired changes, or one of them. Returns each once. `recover` returns it again unless `notified` is called. */
export async function expire({ store, unnotified }: Services, id?: string): Promise<Confirmation[]> {
  const expired = await store.confirmations.expire(id);
  for (const one of expired) unnotified.add(one.id);
  return expired;
}

/**
 * Ends unconfirmed changes whose channel or app is gone.
 * Returns each once. `recover` returns it again unless `notified` is called.
 */
export async function withdraw(services: Services, whose: Withdrawn, why: string): Promise<Confirmation[]> {
  const withdrawn = await services.store.confirmations.withdraw(whose, why);
  for (const confirmation of withdrawn) {
    const operation = operationNamed(services, confirmation.operation);
    if (operation !== undefined) await complete(services, operation, confirmation);
    services.unnotified.add(confirmation.id);
  }
  return withdrawn;
}

/**
 * For the holder of its job: ends a change that a dead process left, or whose outcome nobody was told.
 * Sends nothing. Undefined: nothing has to be told.
 */
export async function recover(services: Services, id: string): Promise<Recovered | undefined> {
  const confirmation = await services.store.confirmations.endLeft(id);
  if (confirmation === undefined) return undefined;
  const found = await inItsInteraction(confirmation, () => recovered(services, confirmation));
  services.observe?.saw('recovered', { state: confirmation.state });
  if (found === undefined) await notified(services, id);
  return found;
}

async function recovered(services: Services, confirmation: Confirmation): Promise<Recovered | undefined> {
  const { id, state } = confirmation;
  if (state === 'waiting' || state === 'approved' || state === 'rejected')
    return { confirmation, approved: await resume(services, confirmation) };
  const operation = operationNamed(services, confirmation.operation);
  if (operation !== undefined) await complete(services, operation, confirmation);
  services.unnotified.add(id);
  // An undo that was not sent is tried again when it is due, so it has no outcome yet.
  if (confirmation.undoes !== undefined && (confirmation.interrupted === true || state === 'expired')) return undefined;
  if (operation === undefined) return { confirmation, message: stateMessage(services, confirmation) };
  return { confirmation, message: await outcomeMessage(services, operation, confirmation) };
}

/** Does what the dead process left: the audit entry and the reversal. */
async function complete(services: Services, operation: AnyOperation, confirmation: Confirmation): Promise<void> {
  const { id, state } = confirmation;
  const { reversals, audit } = services.store;
  const outcome = auditWord(state);
  const known = await audit.knows(id, outcome);
  const undoable = (state === 'done' || state === 'unknown') && (await reversals.read(id)) !== undefined;
  const detail =
    state === 'planned' ? plannedFor(confirmation) : (confirmation.outcome ?? 'the bot stopped in between');
  const entry = recordingOf(operation, confirmation, { outcome, detail, undoable: undoable || undefined });
  // An expiry is not audited, because nobody did anything.
  if (state !== 'expired' && !known) await record(services, entry);
  // After the audit, because what the audit lacks is not undone.
  if (undoable) await reversals.open(id);
}

/** The outcome in words, if the process that did it told nobody. */
async function outcomeMessage(
  services: Services,
  operation: AnyOperation,
  confirmation: Confirmation,
): Promise<Message> {
  const { given, state, id, undoes } = confirmation;
  const back = undoes === undefined ? '' : ', undoing it';
  const { title } = wordsOf(services, confirmation);
  switch (state) {
    case 'unknown': {
      const actor: Actor = { id: confirmation.actor, teamId: confirmation.team, kind: 'member' };
      const signal = AbortSignal.timeout(5_000);
      const place = await services.seePlace(placeOf(confirmation));
      return message(
        message(mrkdwn`Outcome unknown${back}: ${title}. Edgewise stopped in the middle of it.`),
        await lookAgain(operation, confirmation, contextOf(services, { actor, place, signal }), { isEarly: true }),
      );
    }
    case 'done':
    case 'undone': {
      const undoable = (await services.store.reversals.read(id))?.state === 'open';
      return message(
        mrkdwn`Done${back}: ${title}. Edgewise stopped before it could tell you.`,
        operation.reveal === undefined ? undefined : operation.whenUnknown?.(given),
        undoable && actions(button(BUTTONS.undo, id)),
      );
    }
    default:
      return stateMessage(services, confirmation);
  }
}
