import { expire, notified, type Recovered, recover } from '../changes/recover.ts';
import { putBackDue, type Undone } from '../changes/undo.ts';
import type { Reader } from '../operations/context.ts';
import { refreshCard, showEnded, showResumed } from './approval.ts';
import { tellOrStandIn } from './conversation.ts';
import { announce } from './outcome.ts';
import type { SlackServices } from './services.ts';

/**
 * One look at what a process that died has left, at what has expired, and at what is due to be put back. Everything is said on
 * its own: a message that cannot be sent now is handed out again, and holds up nothing else. Throws only what the store throws.
 */
export async function recoverAll(services: SlackServices, reader: Reader): Promise<void> {
  for (const found of await recover(services))
    await say(services, found.confirmation.id, () => showRecovered(services, found));
  for (const confirmation of await expire(services)) {
    // A putting back that was not begun in time is begun anew when it is due.
    if (confirmation.undoes !== undefined) await notified(services, confirmation.id);
    else await say(services, confirmation.id, () => showEnded(services, confirmation));
  }
  for (const end of await putBackDue(services, reader))
    await say(services, end.original.id, () => showPutBack(services, end));
}

async function say({ log }: SlackServices, id: string, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) =>
    log.error({ err: error, confirmation: id }, 'what became of it could not be said'),
  );
}

/** A process that died had left it: those whom it concerns are told. */
async function showRecovered(services: SlackServices, found: Recovered): Promise<void> {
  const { id, actor, team, channel, thread } = found.confirmation;
  if ('approved' in found) {
    const place = { channelId: channel, ...(thread === undefined ? {} : { threadTs: thread }) };
    return showResumed(services, found.approved, { userId: actor, teamId: team, place });
  }
  // In the direct messages: what stood in the channel for them alone may be gone by now.
  await tellOrStandIn(services, { user: actor }, found.message);
  await notified(services, id);
  await refreshCard(services, found.confirmation);
}

/** The clock put something back: the channel and the requester are told. */
async function showPutBack(services: SlackServices, end: Undone): Promise<void> {
  const { original, outcome, requester, other, channel: everybody } = end;
  if (outcome.kind === 'done') await announce(services, original, outcome.message);
  const { actor, channel, thread } = original;
  // In direct messages everybody is the requester, who is told more.
  if (everybody !== undefined && !channel.startsWith('D')) await announce(services, original, everybody);
  if (requester !== undefined) await tellOrStandIn(services, { user: actor, channel, thread }, requester);
  if (other !== undefined) await tellOrStandIn(services, { user: other.user }, other.message);
  if (outcome.confirmation !== undefined) await notified(services, outcome.confirmation.id);
}
