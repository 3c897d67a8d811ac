import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message } from '../blocks/message.ts';
import { moment, mrkdwn, user } from '../blocks/mrkdwn.ts';
import type { Actor, Reader } from '../operations/context.ts';
import { type Confirmation, PLANNED, plannedKey } from '../store/confirmations.ts';
import { MINUTE } from '../time.ts';
import { operationNamed } from './context.ts';
import { type Ended, execute } from './execute.ts';
import { record, recordingOf } from './record.ts';
import { inItsInteraction, type Services } from './services.ts';
import { wordsOf } from './words.ts';

/** In milliseconds. How long before its time people are reminded of a planned change. */
const BEFORE = 10 * MINUTE;

/** The detail of its audit entry. */
export const plannedFor = ({ due }: Confirmation): string => `for ${due?.toISOString()}`;

/** The press that counts. Undefined: it does not. */
export async function plan(
  services: Services,
  { id, due, ...row }: Confirmation,
  actor: Actor,
): Promise<Confirmation | undefined> {
  const { store, now, unnotified } = services;
  const left = due!.getTime() - now().getTime();
  // Before the step: the job of a change that is not planned does nothing.
  await store.jobs.arm(PLANNED, plannedKey(id), Math.max(0, left > BEFORE ? left - BEFORE : left));
  const planned = await store.confirmations.plan(id, actor);
  const operation = operationNamed(services, row.operation);
  if (planned === undefined || operation === undefined) return planned;
  const detail = plannedFor(planned);
  await record(services, recordingOf(operation, planned, { actor, outcome: 'planned', detail }));
  unnotified.add(id);
  return planned;
}

/** What a planned change needs now. Undefined: nothing any more. */
export type Due = { in: number } | { reminder: Message; confirmation: Confirmation } | { ended: Ended };

/** For the holder of its job. Throws while Slack does not say who its requester is: then it has to be tried again. */
export async function doPlanned(services: Services, id: string, reader: Reader): Promise<Due | undefined> {
  const { store } = services;
  const { confirmations } = store;
  const [left, stored] = [await confirmations.plannedIn(id), await confirmations.read(id)];
  if (stored === undefined) return undefined;
  if (left !== undefined && left > BEFORE) return { in: left - BEFORE };
  if (left !== undefined && left > MINUTE) return { reminder: reminderOf(services, stored), confirmation: stored };
  if (left !== undefined && left > 0) return { in: left };
  const actor = await services.actorNow({ id: stored.actor, teamId: stored.team, kind: 'member' });
  const heldAt = performance.now();
  const confirmation = await confirmations.begin(id);
  if (confirmation === undefined) return undefined;
  const run = () => execute(services, confirmation, { actor, reader, heldAt });
  return { ended: await inItsInteraction(confirmation, run) };
}

const reminderOf = (services: Services, change: Confirmation): Message =>
  message(
    mrkdwn`🕑 ${moment(change.due!)}: ${wordsOf(services, change).title}. ${user(change.actor)} planned it.`,
    actions(button(BUTTONS.cancel, change.id)),
  );
