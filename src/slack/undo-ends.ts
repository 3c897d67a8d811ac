import type { AnyBlock } from '@slack/types';
import { BUTTONS, withoutButton } from '../blocks/buttons.ts';
import { message, note } from '../blocks/message.ts';
import { mrkdwn, user, type Words } from '../blocks/mrkdwn.ts';
import { operationNamed } from '../changes/context.ts';
import { undoArguments } from '../changes/undo.ts';
import type { Given } from '../operations/operation.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { UNDO_WINDOW } from '../store/reversals.ts';
import { DAY, MINUTE } from '../time.ts';
import { keepForLater } from './later.ts';
import type { Bot } from './services.ts';
import { drawOfChange, refusalOfChange } from './to-everybody.ts';

export const UNDO_ENDS = 'undo-ends';

interface UndoEndsBody {
  id: string;
  /** In Unix milliseconds; undefined if no other operation completes it. */
  completedUntil?: number | undefined;
  channel: string;
  ts: string;
  text: string;
  blocks: AnyBlock[];
}

/** Schedules the removal of the buttons at the end of their time. Never throws. */
export async function endUndoLater(
  services: Bot,
  { id, operation, target }: Confirmation,
  { channel, ts, text, blocks }: Omit<UndoEndsBody, 'id'>,
): Promise<void> {
  const { store, now, log } = services;
  const completedBy = operationNamed(services, operation)?.completedBy;
  const kept =
    completedBy === undefined ? withoutButton(blocks, BUTTONS.undo) : blocks.filter(({ type }) => type !== 'actions');
  if (JSON.stringify(kept) === JSON.stringify(blocks)) return;
  try {
    const at = now().getTime();
    const completedUntil = completedBy === undefined ? undefined : at + 7 * DAY;
    const until = completedUntil ?? (await store.reversals.read(id))?.undoUntil.getTime() ?? at + UNDO_WINDOW;
    const body: UndoEndsBody = { id, completedUntil, channel, ts, text, blocks: kept };
    // A minute more, for a press at the last moment.
    const delay = Math.max(0, until - at) + MINUTE;
    const key = completedBy === undefined ? `${id}:${ts}` : `${completing(completedBy, target)}${ts}`;
    await keepForLater({ store, now }, { kind: UNDO_ENDS, key, body, delay, replaces: true });
  } catch (error) {
    log.error({ err: error }, 'a button that undoes a change will stay');
  }
}

/** Adds a line to the message of a change, which stays when its *Undo* goes. Returns the arguments of that, while it is there. */
export async function addToOutcome(
  services: Bot,
  confirmation: Confirmation,
  { channel, ts, text, blocks }: Omit<UndoEndsBody, 'id'>,
  line: Words,
): Promise<Given | undefined> {
  const { id } = confirmation;
  // These are the blocks from before its button went.
  const isOver = await services.store.jobs.seen(ended(id));
  const why = isOver && (await whyItEnds(services.store, id, services.now()));
  const kept = isOver ? withoutButton(blocks, BUTTONS.undo) : blocks;
  const shown = message({ text, blocks: kept }, note(line), why && note(why));
  await drawOfChange(services, confirmation, { channel, ts }, shown);
  await endUndoLater(services, confirmation, { ...shown, channel, ts });
  const undo = isOver ? undefined : await undoArguments(services, id);
  if (undo === undefined) await endUndoNow(services, id);
  return undo;
}

/** The key of the note that its button has gone. */
const ended = (id: string): string => `${UNDO_ENDS}:${id}`;

/** Removes the buttons, with the reason if that is early. Throws errors of the store and of Slack. */
export async function endUndo(services: Bot, body: Readonly<Record<string, unknown>>): Promise<void> {
  const { store, poster, now } = services;
  const { id, completedUntil, channel, ts, text, blocks } = body as unknown as UndoEndsBody;
  const why =
    completedUntil === undefined
      ? await whyItEnds(store, id, now())
      : now().getTime() < completedUntil && '✅ Completed.';
  await store.jobs.add({ kind: UNDO_ENDS, key: ended(id) });
  const change = await store.confirmations.read(id);
  // It may be hidden there by now.
  if (change !== undefined && (await refusalOfChange(services, change, channel)) !== undefined) return;
  // At the channel’s pace, because many may be due after an outage.
  await poster.update({ channel, ts, message: message({ text, blocks }, why && note(why)) });
}

async function whyItEnds(
  { confirmations, reversals }: Bot['store'],
  id: string,
  now: Date,
): Promise<Words | undefined> {
  const [change, reversal] = await Promise.all([confirmations.read(id), reversals.read(id)]);
  const isDue = reversal?.dueAt !== undefined && reversal.dueAt <= now;
  if (change?.state === 'undone' && reversal?.why !== undefined) return `↩️ Undone: ${reversal.why}.`;
  if (change?.state === 'undone')
    return isDue ? '↩️ Time’s up: switched back.' : mrkdwn`↩️ ${user(change.actor)} undid this.`;
  if (reversal?.state === 'unknown') return 'It may have been undone.';
  if (reversal?.state === 'failed') return 'It was not undone.';
  return reversal !== undefined && reversal.undoUntil > now ? 'It has been changed since.' : undefined;
}

/** For a change that was undone, or cannot be undone any more. Never throws. */
export async function endUndoNow({ store, log }: Bot, id: string): Promise<void> {
  try {
    await store.jobs.sooner(`${UNDO_ENDS}:${id}:`);
  } catch (error) {
    log.info({ err: error, confirmation: id }, 'a button that undoes a change could not be taken away');
  }
}

const completing = (operation: string, target: string): string => `${operation}:${target}:`;

/** Removes the buttons of changes that this one undid, overwrote or completed. Never throws. */
export async function endEarlier(services: Bot, change: Confirmation): Promise<void> {
  try {
    if (change.undoes !== undefined) await endUndoNow(services, change.undoes);
    for (const id of await services.store.reversals.earlier(change)) await endUndoNow(services, id);
    await endUndoNow(services, completing(change.operation, change.target).slice(0, -1));
  } catch (error) {
    services.log.info({ err: error }, 'the changes before this one could not be looked up');
  }
}
