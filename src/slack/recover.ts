import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, message } from '../blocks/message.ts';
import { moment, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { watchOnce } from '../changes/after.ts';
import { REMINDED } from '../changes/confirm.ts';
import { execute } from '../changes/execute.ts';
import { expire, notified, type Recovered, recover } from '../changes/recover.ts';
import { inItsInteraction } from '../changes/services.ts';
import { putBackDue, type Undone } from '../changes/undo.ts';
import { wordsOf } from '../changes/words.ts';
import { logged } from '../errors.ts';
import type { Reader } from '../operations/context.ts';
import { CHANGE, type Confirmation, PLANNED } from '../store/confirmations.ts';
import type { Job } from '../store/jobs.ts';
import { REVERSAL } from '../store/reversals.ts';
import { MINUTE } from '../time.ts';
import { tellAfterLater } from './after.ts';
import { refreshCard, showEnded, showResumed } from './approval.ts';
import { tellUnasked } from './conversation.ts';
import { isDirect } from './out/outgoing.ts';
import { announce, cardOfPlanned, showPlannedEnd } from './outcome.ts';
import type { Bot } from './services.ts';
import { sayOfChange } from './to-everybody.ts';
import { endEarlier, endUndoLater, endUndoNow } from './undo-ends.ts';

/** Ends a change that a dead process left, and tells its requester. Returns the milliseconds until the next try. */
export async function recoverChange(services: Bot, { key }: Job): Promise<number | undefined> {
  const id = key.slice(CHANGE.length + 1);
  const found = await recover(services, id);
  if (found !== undefined) await say(services, id, () => showRecovered(services, found));
  return services.unnotified.has(id) ? MINUTE : undefined;
}

/** If the message fails, only the message is tried again. Throws only errors of the store. */
export async function endExpired(services: Bot): Promise<void> {
  for (const confirmation of await expire(services)) {
    // An undo that was not begun becomes due again by itself.
    if (confirmation.undoes !== undefined) await notified(services, confirmation.id);
    else await say(services, confirmation.id, () => showEnded(services, confirmation));
  }
}

/** Returns the milliseconds until the next look. */
export async function putBack(services: Bot, { key }: Job, reader: Reader): Promise<number | undefined> {
  const id = key.slice(REVERSAL.length + 1);
  await watchOnce(services, id).catch(
    logged(services.log, 'warn', 'a change could not be looked at', { confirmation: id }),
  );
  const end = await putBackDue(services, id, reader);
  if (end !== undefined) await say(services, id, () => showPutBack(services, end));
  return services.store.reversals.dueIn(id);
}

/** Returns the milliseconds until the next look. */
export async function doPlannedChange(services: Bot, { key }: Job, reader: Reader): Promise<number | undefined> {
  const id = key.slice(PLANNED.length + 1);
  const { confirmations } = services.store;
  const [left = 0, planned] = [await confirmations.plannedIn(id), await confirmations.read(id)];
  if (planned === undefined) return undefined;
  if (left > REMINDED) return left - REMINDED;
  if (left > MINUTE)
    await say(services, id, async () => {
      const { channel, ts: thread } = (await cardOfPlanned(services, planned)) ?? { ...planned, ts: planned.thread };
      const what = mrkdwn`🕑 ${moment(planned.due!)}: ${wordsOf(services, planned).title}. ${user(planned.actor)} planned it.`;
      await sayOfChange(services, planned, { channel, thread }, message(what, actions(button(BUTTONS.cancel, id))));
    });
  const ended = left === 0 ? await doPlanned(services, planned, reader) : undefined;
  const next = await confirmations.plannedIn(id);
  if (next !== undefined) return left === 0 ? MINUTE : next;
  if (ended !== undefined) await say(services, id, () => showPlannedEnd(services, ended));
  return undefined;
}

/** Undefined: it is not planned any more. Throws while Slack does not say who its requester is. */
async function doPlanned(services: Bot, { id, actor: by, team }: Confirmation, reader: Reader) {
  const actor = await services.actorNow({ id: by, teamId: team, kind: 'member' });
  const heldAt = performance.now();
  const begun = await services.store.confirmations.begin(id);
  return begun && inItsInteraction(begun, () => execute(services, begun, { actor, reader, heldAt }));
}

async function say({ log }: Bot, id: string, work: () => Promise<void>): Promise<void> {
  await work().catch(logged(log, 'error', 'could not report what became of it', { confirmation: id }));
}

async function showRecovered(services: Bot, found: Recovered): Promise<void> {
  const { confirmation } = found;
  if ('approved' in found) return showResumed(services, found.approved, confirmation);
  const posted = await tellUnasked(services, confirmation, found.message);
  if (confirmation.state === 'planned') await cardOfPlanned(services, confirmation);
  await notified(services, confirmation.id);
  if (posted !== undefined) await endUndoLater(services, confirmation, { ...found.message, ...posted });
  if (posted !== undefined) await tellAfterLater(services, confirmation, found.message, posted);
  await refreshCard(services, confirmation);
  if (confirmation.state === 'done') await endEarlier(services, confirmation);
}

async function showPutBack(services: Bot, end: Undone): Promise<void> {
  const { original, outcome, requester, channel: everybody } = end;
  if (outcome.kind === 'done') await announce(services, original, outcome.message);
  await endUndoNow(services, original.id);
  // In a direct message the requester would read it twice.
  if (everybody !== undefined && !isDirect(original.channel)) await announce(services, original, everybody);
  if (requester !== undefined) await tellUnasked(services, original, requester);
  if (outcome.confirmation !== undefined) await notified(services, outcome.confirmation.id);
}
