import type { ModalView } from '@slack/types';
import { type Message, message } from '../blocks/message.ts';
import { mrkdwn, user } from '../blocks/mrkdwn.ts';
import { spokenOf } from '../changes/permission.ts';
import { noted } from '../interaction.ts';
import { problemOf } from '../problem.ts';
import { tellOrAdmins } from '../reports/stand-ins.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { buildShownView } from './form.ts';
import { type Copying, isDirect, isHome, type Posted, type Telling } from './out/outgoing.ts';
import { isGone, meansOf, usageErrorOf } from './refusals.ts';
import type { Bot, Origin } from './services.ts';
import { sayToEverybody } from './to-everybody.ts';

/**
 * Answers where somebody just typed, pressed or submitted. `replace`: in place of the message with the button.
 * Use it for nothing else: an ephemeral message is lost if its reader has left.
 */
export function tell(
  { outgoing }: Bot,
  { userId, place, answered = place, responseUrl }: Origin,
  message: Message,
  options?: Telling,
): Promise<void> {
  const { channelId, threadTs } = answered;
  return outgoing.toPerson({ user: userId, channel: channelId, thread: threadTs, responseUrl }, message, options);
}

/** For a view that stays open, because its answer is elsewhere. */
export const answerIs = ({ place }: Origin): string =>
  `The answer is in ${isHome(place.channelId) ? 'your direct messages with me' : 'the conversation'}.`;

/** Removes the message with the pressed button, or writes “Done.” in its place. */
export async function removeAnswered(services: Bot, origin: Origin): Promise<void> {
  const { userId, place, answered = place, responseUrl } = origin;
  const { channelId, threadTs } = answered;
  const isGone = await services.outgoing.remove({ user: userId, channel: channelId, thread: threadTs, responseUrl });
  if (!isGone) await tell(services, origin, message('Done.'), { replace: true });
}

/**
 * Sends later news to the requester as a direct message.
 * If Slack refuses that it goes to the channel of the change, or, if they have left, to the admins.
 */
export async function tellUnasked(
  services: Bot,
  confirmation: Confirmation,
  text: Message,
  how?: Copying,
): Promise<Posted | undefined> {
  const { actor, channel, thread } = confirmation;
  try {
    return await services.outgoing.toDirect(actor, text, how);
  } catch (error) {
    if (isGone(error, 'person')) await tellOrAdmins(services, '', text);
    else if (meansOf(error)?.kind !== 'permission' || isDirect(channel)) throw error;
    else {
      const why = mrkdwn`${user(actor)}, Slack does not let me write to you directly.`;
      const said = await sayToEverybody(services, spokenOf(confirmation), { channel, thread }, message(why, text));
      if ('refused' in said) throw error;
    }
    return undefined;
  }
}

/** Returns false if the person has closed the view, which is not an error. */
export async function updateOpen({ outgoing, log }: Bot, viewId: string, view: ModalView): Promise<boolean> {
  try {
    await outgoing.updateView(viewId, view);
    return true;
  } catch (error) {
    if (!isGone(error, 'view')) throw error;
    log.info({ err: error }, 'a view was closed before its answer came');
    return false;
  }
}

/** The words for an error. An unexpected one is logged with the reference that people see. */
export function explain({ log }: Bot, error: unknown): Message {
  const said = usageErrorOf(error);
  if (said !== undefined) log.warn({ err: error }, 'Slack refused a call, and the person is told');
  const { message, reference, outcome } = problemOf(said ?? error);
  noted({ outcome });
  if (reference !== undefined) log.error({ err: error, reference }, 'unexpected error');
  return message;
}

/** Runs `work`, and tells the person of its errors. Never throws. */
export async function tellingProblems(services: Bot, origin: Origin, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await tell(services, origin, explain(services, error)).catch((second: unknown) =>
      services.log.error({ err: second }, 'the person could not be told'),
    );
  }
}

/** As `tellingProblems`, but shows the error in the open view; in the conversation if the view is closed. Never throws. */
export function showingProblems(
  services: Bot,
  { id, title, origin }: { id: string; title: string; origin: Origin },
  work: () => Promise<void>,
): Promise<void> {
  return tellingProblems(services, origin, () =>
    work().catch(async (error: unknown) => {
      const text = explain(services, error);
      if (!(await updateOpen(services, id, buildShownView(title, text)))) await tell(services, origin, text);
    }),
  );
}
