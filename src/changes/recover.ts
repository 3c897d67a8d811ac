import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn } from '../blocks/mrkdwn.ts';
import type { Actor } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { type Approved, resume } from './approve.ts';
import { auditWord, isRunnable } from './change.ts';
import { contextOf } from './context.ts';
import { lookAgain } from './look-again.ts';
import { record } from './record.ts';
import { type ChangeServices, operationNamed, placeOf } from './services.ts';

/** How long the platform may take to say what it shows now, in milliseconds. */
const LOOKING = 30_000;

/** What is to be said of something that a process had left: to the one who asked, or as an approval goes on. */
export type Recovered = { confirmation: Confirmation } & ({ message: Message } | { approved: Approved });

/** Whoever has to know how a confirmation stands was notified: until then `recover` says it once more. */
export async function notified({ store, unnotified }: ChangeServices, id: string): Promise<void> {
  // An outcome that is not in the audit yet stays for `recover`.
  if (unnotified.delete(id)) await store.confirmations.notified(id);
}

/** Ends what waited too long. Each is handed out once, and again by `recover` unless `notified` is called. */
export async function expire({ store, unnotified }: ChangeServices): Promise<Confirmation[]> {
  const expired = await store.confirmations.expire();
  for (const { id } of expired) unnotified.add(id);
  return expired;
}

/** Ends what a process that died had begun, and says what it had not said. Nothing runs again by itself. */
export async function recover(services: ChangeServices): Promise<Recovered[]> {
  const { store, log } = services;
  const all = await Promise.all(
    (await store.confirmations.abandoned()).map(async (confirmation) => {
      try {
        const found = await recovered(services, confirmation);
        if (found === undefined) await notified(services, confirmation.id);
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

async function recovered(services: ChangeServices, confirmation: Confirmation): Promise<Recovered | undefined> {
  const { id, state } = confirmation;
  const operation = operationNamed(services, confirmation.operation);
  if (operation === undefined) {
    services.unnotified.add(id);
    const text = mrkdwn`${code(confirmation.operation)} does not exist any more. It is not done.`;
    return { confirmation, message: message(text) };
  }
  // An older version says asked for what was approved.
  if (state === 'waiting' || isRunnable(state) || state === 'rejected') {
    return { confirmation, approved: await resume(services, confirmation) };
  }
  await complete(services, operation, confirmation);
  services.unnotified.add(id);
  // A putting back that was not sent is gone on with when it is due: its end is still to come.
  if (confirmation.undoes !== undefined && (confirmation.interrupted === true || state === 'expired')) return undefined;
  return { confirmation, message: await outcomeMessage(services, operation, confirmation) };
}

/** Writes down what the process that died had not written: the entry in the audit, and how it can be taken back. */
async function complete(services: ChangeServices, operation: AnyOperation, confirmation: Confirmation): Promise<void> {
  const { id, state, target, given, channel, preview, actor, team } = confirmation;
  const { reversals, audit } = services.store;
  if (state === 'done' || state === 'unknown') await reversals.open(id);
  // That nobody pressed a button is nothing that anybody did.
  const outcome = auditWord(state);
  if (state === 'expired' || (await audit.knows(id, outcome))) return;
  await record(services, {
    operation,
    actor: { id: actor, teamId: team },
    channel,
    target,
    given,
    outcome,
    detail: confirmation.outcome ?? 'the bot stopped in between',
    preview,
    confirmation: id,
  });
}

/** How it ended, in words, where the process that did it has not said so. */
async function outcomeMessage(
  services: ChangeServices,
  operation: AnyOperation,
  confirmation: Confirmation,
): Promise<Message> {
  const { given, target, state, outcome, id, undoes, interrupted } = confirmation;
  const back = undoes !== undefined ? 'putting back ' : '';
  const what = mrkdwn`${back}${code(confirmation.operation)} on ${code(target)}`;
  const again = note('Repeat the command if you still want it.');
  switch (state) {
    case 'unknown': {
      const actor: Actor = { id: confirmation.actor, teamId: confirmation.team, kind: 'member' };
      const signal = AbortSignal.timeout(LOOKING);
      return message(
        message(mrkdwn`Edgewise stopped while it was ${back === '' ? 'doing ' : ''}${what}. The outcome is unknown.`),
        await lookAgain(operation, confirmation, contextOf(services, { actor, place: placeOf(confirmation), signal })),
      );
    }
    case 'done':
    case 'undone': {
      const undoable = (await services.store.reversals.read(id))?.state === 'open';
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
      return interrupted === true
        ? message(mrkdwn`Edgewise stopped before it sent ${what}. Nothing was done.`, again)
        : message(mrkdwn`${what} was not done: ${outcome ?? 'it was refused'}.`, again);
  }
}
