import { type Message, message, note, section } from '../blocks/message.ts';
import { code, mrkdwn } from '../blocks/mrkdwn.ts';
import { UsageError } from '../errors.ts';
import type { Actor, AnyOperation, Context, Place } from '../operations/operation.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';
import { stateWords } from './preview-message.ts';
import { problemOf } from './problem.ts';
import { sameState } from './states.ts';
import type { Steps } from './steps.ts';

/** Why a confirmation cannot be taken any more. */
export function standing(confirmation: Confirmation): Message {
  const again = note('Repeat the command if you still want it.');
  switch (confirmation.state) {
    case 'done':
      return message('This was done already. It was not done again.');
    case 'cancelled':
      return message('This was cancelled. Nothing was done.', again);
    case 'claimed':
    case 'sent':
      return message('This is being done right now. It is not done a second time.');
    case 'unknown':
      return message(
        'How this ended is not known. It is not sent a second time.',
        note('Look at the platform, then repeat the command if needed.'),
      );
    case 'failed':
    case 'refused':
      return message(`This was not done: ${confirmation.outcome ?? 'it was refused'}.`, again);
    default:
      return message('This confirmation has expired. Nothing was done.', again);
  }
}

/** What comes after an answer that was lost, or a process that died: looking, and telling. Nothing runs again by itself. */
export function createAftermath({ store, steps }: { store: Store; steps: Steps }) {
  const { operationNamed, resolve, previewOf, contextOf, audit } = steps;

  /** After a lost answer: what the platform says now. Nothing runs again by itself. */
  async function look(operation: AnyOperation, confirmation: Confirmation, context: Context): Promise<Message> {
    return message(await seen(operation, confirmation, context), operation.whenUnknown?.(confirmation.given));
  }

  async function seen(operation: AnyOperation, confirmation: Confirmation, context: Context): Promise<Message> {
    try {
      const resolved = await resolve(operation, confirmation.given, context, true);
      const { before: present } = await previewOf(operation, resolved);
      const { before, after } = confirmation.preview;
      if (present === undefined)
        return message('The platform does not show whether it took effect. Look there before you repeat it.');
      const reached = Object.entries(after).every(([key, value]) => !(key in present) || present[key] === value);
      const known = Object.keys(after).some((key) => key in present);
      if (known && reached) return message('The platform now shows what you asked for: it took effect.');
      if (sameState(before, present))
        return message('The platform still shows the state from before: it probably did not take effect.');
      return message(section(mrkdwn`*The platform now shows*\n${stateWords(present)}`));
    } catch (error) {
      const { summary } = problemOf(error);
      if (error instanceof UsageError) return message(`The platform was looked at again: ${summary}`);
      return message(`What the platform shows now could not be read: ${summary}.`);
    }
  }

  /** Ends what a process that died had begun: each is handed out once. */
  async function recover(): Promise<{ confirmation: Confirmation; message: Message }[]> {
    const abandoned = await store.confirmations.abandoned();
    return Promise.all(
      abandoned.map(async (confirmation) => {
        const operation = operationNamed(confirmation.operation);
        const actor: Actor = { id: confirmation.actor, teamId: confirmation.team, kind: 'member' };
        const place: Place = { channelId: confirmation.channel };
        const { channelId } = place;
        const { target, given, id } = confirmation;
        if (operation !== undefined) {
          const outcome = confirmation.state;
          await audit({
            operation,
            actor,
            channel: channelId,
            target,
            given,
            outcome,
            detail: 'the bot stopped in between',
            confirmation: id,
          });
        }
        const what = mrkdwn`${code(confirmation.operation)} on ${code(target)}`;
        if (confirmation.state === 'failed' || operation === undefined) {
          return {
            confirmation,
            message: message(
              mrkdwn`Edgewise stopped before it sent ${what}. Nothing was done.`,
              note('Repeat the command if you still want it.'),
            ),
          };
        }
        const looked = await look(
          operation,
          confirmation,
          contextOf(actor, place, AbortSignal.timeout(30_000), () => undefined),
        );
        return {
          confirmation,
          message: message(
            message(mrkdwn`Edgewise stopped while it was doing ${what}. The outcome is unknown.`),
            looked,
          ),
        };
      }),
    );
  }

  return { look, recover };
}
