import { type Message, message, note } from '../blocks/message.ts';
import { mrkdwn, user } from '../blocks/mrkdwn.ts';
import { folded } from '../operations/arguments/resources/look-up.ts';
import type { Actor, Reader } from '../operations/context.ts';
import { problemOf } from '../problem.ts';
import { type Confirmation, PLANNED, plannedKey } from '../store/confirmations.ts';
import { MINUTE } from '../time.ts';
import { isRunnable } from './change.ts';
import { operationNamed } from './context.ts';
import { execute, type Outcome } from './execute.ts';
import { record, recordingOf } from './record.ts';
import { expire } from './recover.ts';
import type { Services } from './services.ts';
import { plannedFor, stateMessage, wordsOf } from './words.ts';

/** In milliseconds. How long before its time people are reminded of a planned change. */
export const REMINDED = 10 * MINUTE;

export interface Pressed {
  actor: Actor;
  reader: Reader;
  typedName?: string;
  /** What was pressed is gone: it was in a view. */
  isClosed?: boolean;
  /** Called after the claim, when this press is the one that counts. */
  claimed?: () => Promise<void>;
}

/** Runs a change at most once, however often it is pressed, delivered or restarted. Never throws. */
export async function confirm(services: Services, id: string, pressed: Pressed): Promise<Outcome> {
  const { actor, reader } = pressed;
  let confirmation: Confirmation | undefined;
  try {
    const heldAt = performance.now();
    const claim = await claimed(services, id, pressed);
    if ('kind' in claim) return claim;
    confirmation = claim;
    await pressed.claimed?.();
    return await execute(services, confirmation, { actor, reader, heldAt });
  } catch (error) {
    // Only the store can fail here. `execute` handles errors of the platform.
    const problem = problemOf(error);
    const { reference } = problem;
    services.log.error({ err: error, reference, confirmation: id }, 'a confirmation could not be carried out');
    if (confirmation !== undefined) return { kind: 'unknown', message: problem.message, confirmation };
    // The store did not confirm the claim, so nothing was sent.
    const again =
      pressed.isClosed === true
        ? 'I sent nothing this time. If you hear no more within minutes, repeat the command.'
        : 'I sent nothing this time. Press the button again later; it won’t run twice.';
    return { kind: 'stands', message: message(problem.message, note(again)) };
  }
}

/** Of all presses of the requester, one gets the claim. */
async function claimed(
  services: Services,
  id: string,
  { actor, typedName }: Pressed,
): Promise<Confirmation | Exclude<Outcome, { kind: 'done' }>> {
  const { confirmations } = services.store;
  const row = await confirmations.read(id);
  if (row === undefined) {
    const text = message('I no longer have this confirmation. Nothing was done.', note('Repeat the command.'));
    return { kind: 'not-done', message: text };
  }
  if (row.actor !== actor.id || row.team !== actor.teamId)
    return { kind: 'not-done', message: message(mrkdwn`Only ${user(row.actor)} can run this. Nothing was done.`) };
  if (isRunnable(row.state) && row.typedName !== undefined && folded(typedName ?? '') !== folded(row.typedName))
    return { kind: 'stands', message: message(`Type exactly: ${row.typedName}`) };
  if (isRunnable(row.state) && row.due !== undefined) {
    const planned = await plan(services, row, actor);
    if (planned !== undefined)
      return { kind: 'planned', confirmation: planned, message: stateMessage(services, planned) };
  }
  const confirmation = await confirmations.claim(id, actor);
  if (confirmation !== undefined) return confirmation;
  // What people hear as expired stays so, even if the store's clock goes back.
  await expire(services, id);
  const text = stateMessage(services, (await confirmations.read(id)) ?? row);
  return { kind: 'not-done', message: text, confirmation: row };
}

/** Undefined: this press is not the one that counts. */
async function plan(services: Services, asked: Confirmation, actor: Actor): Promise<Confirmation | undefined> {
  const { store, now, unnotified } = services;
  const { id } = asked;
  const left = asked.due!.getTime() - now().getTime();
  // Before the step, because the job of a change that is not planned does nothing.
  await store.jobs.arm(PLANNED, plannedKey(id), Math.max(0, left > REMINDED ? left - REMINDED : left));
  const planned = await store.confirmations.plan(id, actor);
  const operation = operationNamed(services, asked.operation);
  if (planned === undefined || operation === undefined) return planned;
  await record(services, recordingOf(operation, planned, { actor, outcome: 'planned', detail: plannedFor(planned) }));
  unnotified.add(id);
  return planned;
}

export async function cancel(services: Services, id: string, actor: Actor): Promise<Message> {
  const { confirmations } = services.store;
  const done = await confirmations.cancel(id, actor);
  const confirmation = await confirmations.read(id);
  if (confirmation === undefined) return message('I no longer have this confirmation.');
  if (!done && confirmation.actor !== actor.id)
    return message(mrkdwn`Only ${user(confirmation.actor)} can cancel this.`);
  if (!done) return stateMessage(services, confirmation);
  const operation = operationNamed(services, confirmation.operation);
  if (operation !== undefined)
    await record(services, recordingOf(operation, confirmation, { actor, outcome: 'cancelled', preview: undefined }));
  services.unnotified.add(id);
  return message(mrkdwn`Cancelled: ${wordsOf(services, confirmation).title}. Nothing was done.`);
}
