import { type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn } from '../blocks/mrkdwn.ts';
import { operationNamed } from '../changes/context.ts';
import type { Outcome } from '../changes/execute.ts';
import { notified } from '../changes/recover.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { draftButtons, refreshCard } from './approval.ts';
import { confirmButtons } from './commands.ts';
import { tell } from './conversation.ts';
import { followLater } from './follow-up.ts';
import { buildShownView, memoryFor, titleOf } from './form.ts';
import { isDirect } from './out/outgoing.ts';
import type { Origin, SlackServices } from './services.ts';
import { endEarlier, endUndoLater } from './undo-ends.ts';

/** The press or the view that a change was confirmed by. */
export interface Confirming {
  origin: Origin;
  /** Undefined: it is not known any more. */
  operation: AnyOperation | undefined;
  /** The view that is open for the outcome. */
  viewId?: string | undefined;
  /** Says it in the conversation of the one who confirmed. */
  say: (text: Message) => Promise<void>;
  /** Takes the preview away, where it may be: what was done stands beside it, for everybody. */
  remove?: (() => Promise<void>) | undefined;
}

/** Shows how a confirmed change ended: in the view or the conversation of the one who confirmed, and in the channel. */
export async function showOutcome(services: SlackServices, outcome: Outcome, confirming: Confirming): Promise<void> {
  const confirmation = 'confirmation' in outcome ? outcome.confirmation : undefined;
  if (confirmation !== undefined) await refreshCard(services, confirmation);
  if (outcome.kind === 'done') await showDone(services, outcome, confirming);
  else await showNotDone(services, outcome, confirming);
  if (confirmation === undefined) return;
  await notified(services, confirmation.id);
  if (outcome.kind === 'done') await endEarlier(services, confirmation);
}

async function showDone(
  services: SlackServices,
  { confirmation, message: what, reveal }: Extract<Outcome, { kind: 'done' }>,
  { origin, operation, viewId, say, remove }: Confirming,
): Promise<void> {
  if (reveal !== undefined && operation !== undefined) await showSecret(services, reveal, operation, viewId, origin);
  const { channelId } = origin.answered ?? origin.place;
  const elsewhere = await announce(services, confirmation, what, channelId);
  const which = mrkdwn`${code(confirmation.operation)} on ${code(confirmation.target)}`;
  if (elsewhere === undefined) await remove?.();
  else await say(message(elsewhere, isDirect(channelId) && note(which)));
  if (reveal === undefined && viewId !== undefined && operation !== undefined)
    await showInView(services, viewId, operation, message(elsewhere, beginningOf(what)), origin);
}

async function showNotDone(
  services: SlackServices,
  outcome: Exclude<Outcome, { kind: 'done' }>,
  { origin, operation, viewId, say }: Confirming,
): Promise<void> {
  const offer = outcome.kind === 'stands' ? undefined : outcome.offer;
  const text = outcome.message;
  await say(text);
  const shown = offer?.kind === 'question' ? message(text, note('How to go on is in the conversation.')) : text;
  if (viewId !== undefined && operation !== undefined) await showInView(services, viewId, operation, shown, origin);
  if (offer?.kind === 'problem' || offer?.kind === 'unchanged') await tell(services, origin, offer.message);
  if (offer?.kind !== 'question') return;
  const { confirmation, approval } = offer;
  const offered = operationNamed(services, confirmation.operation);
  const buttons =
    approval === undefined ? offered && confirmButtons(confirmation, offered) : draftButtons(confirmation, approval);
  if (buttons !== undefined) await tell(services, origin, message(offer.message, buttons));
}

/**
 * Posts what was done. Returns what the one who did it has to be told: it was done, whatever Slack says to the post. Undefined: the
 * post is before their eyes, in the channel that they are in (`here`).
 */
export async function announce(
  services: Pick<SlackServices, 'outgoing' | 'store' | 'operations' | 'now' | 'log'>,
  confirmation: Confirmation,
  what: Message,
  here?: string,
): Promise<Message | undefined> {
  const { outgoing, log } = services;
  const { channel, thread, actor, post } = confirmation;
  try {
    // An approved change has its one message in the channel: how it ended goes under it.
    const where = post === undefined ? { channel, thread } : { channel: post.channel, thread: post.ts };
    const posted = await outgoing.toChannel({ ...where, user: actor }, what);
    const { direct, ts } = posted;
    await followLater(services, confirmation, { ...posted, thread: direct ? ts : (where.thread ?? ts) });
    await endUndoLater(services, confirmation, { ...what, channel: posted.channel, ts });
    if (posted.channel === here) return undefined;
    return direct
      ? message('Done. I am not a member of that channel, so what was done is in our direct messages.')
      : message(mrkdwn`Done, and said in <#${posted.channel}>.`);
  } catch (error) {
    log.error({ err: error }, 'what was done could not be posted');
    return message(message('Done, but Slack did not let me say so in the channel.'), what);
  }
}

/** A view that was closed meanwhile cannot show how it ended: then the conversation does. */
export async function showInView(
  services: Pick<SlackServices, 'outgoing' | 'log'>,
  viewId: string,
  operation: AnyOperation,
  text: Message,
  origin: Origin,
): Promise<void> {
  try {
    const view = buildShownView(titleOf(operation), text, memoryFor(operation, origin));
    await services.outgoing.updateView(viewId, view);
  } catch (error) {
    services.log.info({ err: error }, 'the view could not be updated: the conversation is used');
    await tell(services, origin, text);
  }
}

/** Shows a secret that was made, in the one view that may show it. */
async function showSecret(
  services: SlackServices,
  revealed: Message,
  operation: AnyOperation,
  viewId: string | undefined,
  origin: Origin,
): Promise<void> {
  try {
    if (viewId === undefined) throw new Error('there is no view to show it in');
    await services.outgoing.reveal(viewId, buildShownView(titleOf(operation), revealed));
  } catch (error) {
    services.log.error({ err: error, operation: operation.name }, 'what was made could not be shown');
    const text = message(
      'It was made, but could not be shown to you: the view was closed, or Slack did not take it. It is kept nowhere.',
      note('Make another one. The one that nobody saw stays valid until it is invalidated.'),
    );
    await tell(services, origin, text);
  }
}

/** The outcome in one paragraph: the rest is in the channel, where there are tables. */
function beginningOf({ blocks, text }: Message): Message {
  const first = blocks.find((block) => block.type === 'section');
  return first === undefined ? message() : { blocks: [first], text: text.split('\n', 1)[0] ?? '' };
}
