import type { Logger } from 'pino';
import { type Message, message, note } from '../blocks/message.ts';
import { mrkdwn, user } from '../blocks/mrkdwn.ts';
import type { Actor, Reader } from '../operations/context.ts';
import { problemOf } from '../problem.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';
import type { CarryOut, Outcome } from './execute.ts';
import { standing } from './recover.ts';
import type { Progress, Steps } from './services.ts';

/** What is pressed under a preview: of all presses one counts, and only that of the one who was asked. */
export function createConfirming({
  store,
  steps,
  carryOut,
  log,
}: {
  store: Store;
  steps: Steps;
  carryOut: CarryOut;
  log: Logger;
}) {
  async function claimed(
    id: string,
    actor: Actor,
    typedName: string | undefined,
  ): Promise<{ confirmation: Confirmation } | { refusal: Outcome }> {
    const row = await store.confirmations.read(id);
    const refused = (text: Message, confirmation?: Confirmation) => ({
      refusal: { kind: 'not-done' as const, message: text, ...(confirmation === undefined ? {} : { confirmation }) },
    });
    if (row === undefined)
      return refused(
        message('This confirmation is not known any more. Nothing was done.', note('Repeat the command.')),
      );
    if (row.actor !== actor.id || row.team !== actor.teamId) {
      return refused(
        message(
          mrkdwn`This confirmation belongs to ${user(row.actor)}. Nothing was done.`,
          note('Type the command yourself to do it.'),
        ),
      );
    }
    if (row.state === 'asked' && row.typedName !== undefined && typedName?.trim() !== row.typedName) {
      return { refusal: { kind: 'retype', message: `Type exactly: ${row.typedName}` } };
    }
    const confirmation = await store.confirmations.claim(id, actor);
    if (confirmation !== undefined) return { confirmation };
    return refused(standing((await store.confirmations.read(id)) ?? row), row);
  }

  async function confirm(
    id: string,
    pressed: { actor: Actor; reader: Reader; typedName?: string; claimed?: () => Promise<void> },
    progress: Progress = () => undefined,
  ): Promise<Outcome> {
    const { actor, reader, typedName } = pressed;
    let confirmation: Confirmation | undefined;
    try {
      const claim = await claimed(id, actor, typedName);
      if ('refusal' in claim) return claim.refusal;
      confirmation = claim.confirmation;
      await pressed.claimed?.();
      return await carryOut(confirmation, actor, reader, { progress });
    } catch (error) {
      // Only the store can fail here: what the platform does is caught inside.
      const told = problemOf(error);
      log.error({ err: error, reference: told.reference, confirmation: id }, 'a confirmation could not be carried out');
      return { kind: 'unknown', message: told.message, ...(confirmation === undefined ? {} : { confirmation }) };
    }
  }

  async function cancel(id: string, actor: Actor): Promise<Message> {
    const done = await store.confirmations.cancel(id, actor);
    const confirmation = await store.confirmations.read(id);
    if (confirmation === undefined) return message('This confirmation is not known any more.');
    if (!done) return cannotCancel(confirmation, actor);
    const operation = steps.operationNamed(confirmation.operation);
    if (operation !== undefined) {
      const { channel, target, given } = confirmation;
      await steps.audit({ operation, actor, channel, target, given, outcome: 'cancelled', confirmation: id });
    }
    steps.recorded(id);
    return message('Cancelled. Nothing was done.');
  }

  return { confirm, cancel };
}

function cannotCancel(confirmation: Confirmation, actor: Actor): Message {
  if (confirmation.actor !== actor.id) return message(mrkdwn`Only ${user(confirmation.actor)} can cancel this.`);
  return standing(confirmation);
}
