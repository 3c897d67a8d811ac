import type { AnyBlock } from '@slack/types';
import { BUTTONS, withoutButton } from '../blocks/buttons.ts';
import { type Message, message, note } from '../blocks/message.ts';
import { mrkdwn, user } from '../blocks/mrkdwn.ts';
import { currentInteraction, newReference } from '../interaction.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { UNDO_WINDOW } from '../store/reversals.ts';
import { MINUTE } from '../time.ts';
import type { Origin, SlackServices } from './services.ts';

/** The kind of a delivery that the bot has kept for itself. */
export const UNDO_ENDS = 'undo-ends';
/** So long after its time a button goes: a press in the last moment is answered first, in milliseconds. */
const AFTER = MINUTE;

/** A message that says what was done, with the button that undoes it. */
interface Kept {
  /** The confirmation of the change. */
  id: string;
  channel: string;
  ts: string;
  text: string;
  blocks: AnyBlock[];
}

/** Has the button of a change taken away when its time is over, by whichever process lives then. Never throws. */
export async function endUndoLater(
  { store, now, log }: Pick<SlackServices, 'store' | 'now' | 'log'>,
  { id }: Confirmation,
  { channel, ts, text, blocks }: Omit<Kept, 'id'>,
): Promise<void> {
  const kept = withoutButton(blocks, BUTTONS.undo);
  if (kept.length === blocks.length && JSON.stringify(kept) === JSON.stringify(blocks)) return;
  try {
    const reversal = await store.reversals.read(id);
    const at = now().getTime();
    const until = reversal === undefined ? at + UNDO_WINDOW : (reversal.dueAt ?? reversal.undoUntil).getTime();
    const interaction = currentInteraction()?.id ?? newReference();
    const content = { interaction, kind: UNDO_ENDS, at, body: { id, channel, ts, text, blocks: kept } satisfies Kept };
    await store.deliveries.later(`${UNDO_ENDS}:${id}`, content, Math.max(0, until - at) + AFTER);
  } catch (error) {
    log.error({ err: error }, 'a button that undoes a change will stay');
  }
}

/** Takes the button away: its time is over, or the change was undone. Throws what the store and Slack say. */
export async function endUndo(
  { store, outgoing }: SlackServices,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { id, channel, ts, text, blocks } = body as unknown as Kept;
  const isUndone = (await store.confirmations.read(id))?.state === 'undone';
  await outgoing.update(channel, ts, message({ text, blocks }, isUndone && note('↩️ This was put back.')));
}

/** The message in which a change was just undone says so, in the place of the button. */
export async function sayUndone(
  { outgoing, log }: Pick<SlackServices, 'outgoing' | 'log'>,
  { message: shown, place, userId }: Origin,
): Promise<void> {
  if (shown === undefined) return;
  const kept: Message = { text: shown.text, blocks: withoutButton(shown.blocks, BUTTONS.undo) };
  await outgoing
    .update(place.channelId, shown.ts, message(kept, note(mrkdwn`↩️ ${user(userId)} put this back.`)))
    .catch((error: unknown) => log.info({ err: error }, 'the message of an undone change could not be updated'));
}
