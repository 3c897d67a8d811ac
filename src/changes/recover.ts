import type { Logger } from 'pino';
import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message, note, section } from '../blocks/message.ts';
import { code, mrkdwn } from '../blocks/mrkdwn.ts';
import { UsageError } from '../errors.ts';
import type { Actor, Context } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { problemOf } from '../problem.ts';
import { type Confirmation, NOT_SENT } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';
import type { Approved, Approving } from './approve.ts';
import { stateWords } from './preview-message.ts';
import { sameState } from './same-state.ts';
import { placeOf, type Steps } from './services.ts';
import { isTakingBack } from './undo.ts';

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

/** How long the platform may take to say what it shows now, in milliseconds. */
const LOOKING = 30_000;

/** What is to be said of something that a process had left: to the one who asked, or as an approval goes on. */
export type Recovered = { confirmation: Confirmation } & ({ message: Message } | { approved: Approved });

/** What comes after an answer that was lost, or a process that died: looking, and telling. Nothing runs again by itself. */
export type Aftermath = ReturnType<typeof createAftermath>;

export function createAftermath({
  store,
  steps,
  approving,
  log,
}: {
  store: Store;
  steps: Steps;
  approving: Approving;
  log: Logger;
}) {
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
      const isShown = present !== undefined && Object.keys(present).length > 0;
      // Where nothing is shown, before as after, nothing says that nothing happened.
      if (!isShown) {
        const unshown = 'The platform does not show whether it took effect.';
        // Where the operation has a better word on what to do now, that one alone is said.
        return message(operation.whenUnknown === undefined ? `${unshown} Look there before you repeat it.` : unshown);
      }
      const reached = Object.entries(after).every(([key, value]) => !(key in present) || present[key] === value);
      const known = Object.keys(after).some((key) => key in present);
      if (known && reached && sameState(before, present))
        return message('The platform shows what you asked for, as it did before: there was nothing to change.');
      if (known && reached) return message('The platform now shows what you asked for: it took effect.');
      if (sameState(before, present))
        return message('The platform still shows the state from before: it probably did not take effect.');
      return message(section(mrkdwn`*The platform now shows*\n${stateWords(present)}`));
    } catch (error) {
      const { summary } = problemOf(error);
      if (error instanceof UsageError) return message(`It was looked at again: ${summary}`);
      return message(`What the platform shows now could not be read: ${summary}.`);
    }
  }

  /** What it came to, in words, where the process that did it has not said so. */
  async function ending(operation: AnyOperation, confirmation: Confirmation): Promise<Message> {
    const { given, target, state, outcome, id } = confirmation;
    const back = isTakingBack(id) ? 'putting back ' : '';
    const what = mrkdwn`${back}${code(confirmation.operation)} on ${code(target)}`;
    const again = note('Repeat the command if you still want it.');
    switch (state) {
      case 'unknown': {
        const actor: Actor = { id: confirmation.actor, teamId: confirmation.team, kind: 'member' };
        const context = contextOf(actor, placeOf(confirmation), AbortSignal.timeout(LOOKING), () => undefined);
        return message(
          message(mrkdwn`Edgewise stopped while it was ${back === '' ? 'doing ' : ''}${what}. The outcome is unknown.`),
          await look(operation, confirmation, context),
        );
      }
      case 'done': {
        const undoable = (await store.reversals.read(id))?.state === 'open';
        return message(
          mrkdwn`Edgewise stopped before it could tell you: ${what} was done.`,
          operation.reveal === undefined ? undefined : operation.whenUnknown?.(given),
          undoable && actions(button(BUTTONS.undoAtOnce, id)),
        );
      }
      case 'cancelled':
      case 'expired':
        return message(
          mrkdwn`${what} was ${state === 'expired' ? (outcome ?? 'not confirmed in time') : 'cancelled'}. Nothing was done.`,
          again,
        );
      default:
        return outcome === NOT_SENT
          ? message(mrkdwn`Edgewise stopped before it sent ${what}. Nothing was done.`, again)
          : message(mrkdwn`${what} was not done: ${outcome ?? 'it was refused'}.`, again);
    }
  }

  /** Writes down what the process that died had not written: the entry in the audit, and how it can be taken back. */
  async function complete(operation: AnyOperation, confirmation: Confirmation): Promise<void> {
    const { id, state, target, given, channel, preview, actor, team } = confirmation;
    if (state === 'done' || state === 'unknown') await store.reversals.open(id);
    // That nobody pressed a button is nothing that anybody did.
    if (state === 'expired' || (await store.audit.knows(id, state))) return;
    await audit({
      operation,
      actor: { id: actor, teamId: team },
      channel,
      target,
      given,
      outcome: state,
      detail: confirmation.outcome ?? 'the bot stopped in between',
      preview,
      confirmation: id,
    });
  }

  async function recovered(confirmation: Confirmation): Promise<Recovered | undefined> {
    const { id, state } = confirmation;
    const operation = operationNamed(confirmation.operation);
    if (operation === undefined) {
      steps.recorded(id);
      const text = mrkdwn`${code(confirmation.operation)} does not exist any more. It is not done.`;
      return { confirmation, message: message(text) };
    }
    if (state === 'waiting' || state === 'asked' || state === 'rejected') {
      return { confirmation, approved: await approving.resume(confirmation) };
    }
    await complete(operation, confirmation);
    steps.recorded(id);
    // A putting back that was not sent is gone on with when it is due: its end is still to come.
    if (isTakingBack(id) && (confirmation.outcome === NOT_SENT || state === 'expired')) return undefined;
    return { confirmation, message: await ending(operation, confirmation) };
  }

  /** Ends what a process that died had begun, and says what it had not said. Nothing runs again by itself. */
  async function recover(): Promise<Recovered[]> {
    const all = await Promise.all(
      (await store.confirmations.abandoned()).map(async (confirmation) => {
        try {
          const found = await recovered(confirmation);
          if (found === undefined) await steps.told(confirmation.id);
          return found;
        } catch (error) {
          // The others are told all the same; this one is handed out again.
          log.error({ err: error, confirmation: confirmation.id }, 'what was begun could not be ended');
          return undefined;
        }
      }),
    );
    return all.filter((one) => one !== undefined);
  }

  return { look, recover };
}
