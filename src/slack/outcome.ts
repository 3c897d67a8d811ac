import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { code, moment, mrkdwn } from '../blocks/mrkdwn.ts';
import { cardOf } from '../changes/approval-card.ts';
import type { Ended, Outcome } from '../changes/execute.ts';
import { notified } from '../changes/recover.ts';
import { wordsOf } from '../changes/words.ts';
import { logged } from '../errors.ts';
import { lineOf } from '../operations/grammar.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { slash } from '../own-name.ts';
import { type Confirmation, changeKey } from '../store/confirmations.ts';
import { tellAfterLater } from './after.ts';
import { refreshCard } from './approval.ts';
import { tell, tellUnasked } from './conversation.ts';
import { buildShownView, memoryFor, titleOf } from './form.ts';
import { keepForLater } from './later.ts';
import { isDirect, type Posted } from './out/outgoing.ts';
import { secondsToWait } from './refusals.ts';
import type { Bot, Origin } from './services.ts';
import { sayOfChange } from './to-everybody.ts';
import { endEarlier, endUndoLater } from './undo-ends.ts';

/** The press or the submitted view that confirmed a change. */
export interface Confirming {
  origin: Origin;
  operation: AnyOperation | undefined;
  viewId?: string | undefined;
  say: (text: Message) => Promise<void>;
  /** Removes the preview once the outcome is in the channel beside it. */
  remove?: (() => Promise<void>) | undefined;
}

/** Shows the outcome to whoever confirmed, and a done change to the channel. */
export async function showOutcome(services: Bot, outcome: Outcome, confirming: Confirming): Promise<void> {
  const confirmation = 'confirmation' in outcome ? outcome.confirmation : undefined;
  const showing = async () => {
    if (confirmation !== undefined) await refreshCard(services, confirmation);
    if (outcome.kind === 'done') await showDone(services, outcome, confirming);
    else if (outcome.kind === 'planned') {
      const { origin, say, remove } = confirming;
      const card = await cardOfPlanned(services, outcome.confirmation);
      if (card?.channel === (origin.answered ?? origin.place).channelId) await remove?.();
      else await say(outcome.message);
    } else await showNotDone(services, outcome, confirming);
  };
  if (confirmation === undefined) return showing();
  await renewing(services, confirmation.id, showing);
  await notified(services, confirmation.id);
  if (outcome.kind === 'done') await endEarlier(services, confirmation);
}

/** Its card, in whose thread people are reminded and read the outcome. Never throws. */
export async function cardOfPlanned(services: Bot, planned: Confirmation) {
  const { id, post, channel, thread } = planned;
  if (post !== undefined) return post;
  try {
    const posted = await sayOfChange(services, planned, { channel, thread }, await cardOf(services, planned));
    await services.store.approvals.posted(id, posted);
    return posted;
  } catch (error) {
    services.log.error({ err: error, confirmation: id }, 'a planned change could not be posted');
    return undefined;
  }
}

/** For its requester and everybody who saw that it was planned. */
export async function showPlannedEnd(services: Bot, { kind, confirmation, message: said }: Ended): Promise<void> {
  if (confirmation === undefined) return;
  const { id, channel, due, post } = confirmation;
  const what = kind === 'done' ? said : message(said, due && note(mrkdwn`It was planned for ${moment(due)}.`));
  await renewing(services, id, async () => {
    await refreshCard(services, confirmation);
    const elsewhere = await announce(services, confirmation, what, post?.channel ?? channel);
    const own = kind === 'done' ? elsewhere : message(what, actions(button(BUTTONS.askAgain, id)));
    const isRead = isDirect(channel) && elsewhere === undefined;
    if (own !== undefined && !isRead) await tellUnasked(services, confirmation, own);
  });
  await notified(services, id);
  if (kind === 'done') await endEarlier(services, confirmation);
}

async function showDone(
  services: Bot,
  { confirmation, message: what, reveal }: Extract<Outcome, { kind: 'done' }>,
  { origin, operation, viewId, say, remove }: Confirming,
): Promise<void> {
  // Runs beside the announcement: Slack may refuse one of the two.
  const shown =
    reveal === undefined || operation === undefined
      ? undefined
      : showSecret(services, reveal, { confirmation, operation, viewId, origin });
  const { channelId } = origin.answered ?? origin.place;
  const elsewhere = await announce(services, confirmation, what, channelId);
  if (elsewhere === undefined) await remove?.();
  else await say(message(elsewhere, isDirect(channelId) && note(mrkdwn`You ${wordsOf(services, confirmation).done}.`)));
  if (reveal === undefined && viewId !== undefined && operation !== undefined) {
    const first = what.blocks.find((block) => block.type === 'section');
    const beginning = first && { blocks: [first], text: what.text.split('\n', 1)[0] ?? '' };
    await showInView(services, viewId, operation, message(elsewhere, beginning), origin);
  }
  await shown;
}

async function renewing({ store, log }: Bot, id: string, work: () => Promise<void>): Promise<void> {
  const timer = setInterval(() => {
    store.jobs.renew(changeKey(id)).catch(logged(log, 'warn', 'that an outcome is being told could not be kept'));
  }, 20_000);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

async function showNotDone(
  services: Bot,
  { message: text }: Exclude<Outcome, { kind: 'done' | 'planned' }>,
  { origin, operation, viewId, say }: Confirming,
): Promise<void> {
  await say(text);
  if (viewId !== undefined && operation !== undefined) await showInView(services, viewId, operation, text, origin);
}

export const ANNOUNCEMENT = 'announcement';

/** Posts a done change. Returns what to tell whoever did it; undefined: they see the post in `here`. */
export async function announce(
  services: Bot,
  confirmation: Confirmation,
  what: Message,
  here?: string,
): Promise<Message | undefined> {
  try {
    const { channel, direct } = await postDone(services, confirmation, what);
    if (channel === here) return undefined;
    return direct
      ? message('Done. The result is in our direct messages: I am not in that channel, or may not post this there.')
      : message(mrkdwn`Done, and posted in <#${channel}>.`);
  } catch (error) {
    const seconds = secondsToWait(error);
    if (seconds === undefined) {
      services.log.error({ err: error }, 'what was done could not be posted');
      return message(message('Done, but Slack did not let me say so in the channel.'), what);
    }
    const body = { id: confirmation.id, what: services.secrets.hideIn(what) };
    await keepForLater(services, { kind: ANNOUNCEMENT, body, delay: seconds * 1000 });
    return message('Done. Slack is limiting messages; the result is posted in the channel as soon as possible.');
  }
}

/** Throws if Slack names a time for another try. Of other errors the requester is told. */
export async function announceHeld(services: Bot, body: Readonly<Record<string, unknown>>): Promise<void> {
  const { id, what } = body as { id: string; what: Message };
  const confirmation = await services.store.confirmations.read(id);
  if (confirmation === undefined) return;
  await postDone(services, confirmation, what).catch(async (error: unknown) => {
    if (secondsToWait(error) !== undefined) throw error;
    services.log.error({ err: error }, 'what was done could not be posted');
    await tellUnasked(services, confirmation, message('Slack did not let me say this in the channel:', what));
  });
}

async function postDone(
  services: Bot,
  confirmation: Confirmation,
  what: Message,
): Promise<Posted & { direct: boolean }> {
  const { channel, thread, post } = confirmation;
  const where = post === undefined ? { channel, thread } : { channel: post.channel, thread: post.ts };
  const posted = await sayOfChange(services, confirmation, where, what);
  await tellAfterLater(services, confirmation, what, posted);
  await endUndoLater(services, confirmation, { ...what, channel: posted.channel, ts: posted.ts });
  return posted;
}

/** Uses the conversation if the view is closed. */
export async function showInView(
  services: Bot,
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

/** The only view that may show a secret. */
async function showSecret(
  services: Bot,
  revealed: Message,
  made: { confirmation: Confirmation; operation: AnyOperation; viewId: string | undefined; origin: Origin },
): Promise<void> {
  const { confirmation, operation, viewId, origin } = made;
  try {
    if (viewId === undefined) throw new Error('there is no view to show it in');
    await services.outgoing.reveal(viewId, buildShownView(titleOf(operation), revealed));
  } catch (error) {
    services.log.error({ err: error, operation: operation.name }, 'what was made could not be shown');
    const text = message(
      'It was created, but I couldn’t show it to you: the window was closed, or Slack refused it. I keep no copy.',
      mrkdwn`Make another one: ${code(slash(lineOf(operation, confirmation.given)))}`,
      note('The one that nobody saw stays valid until you invalidate all tokens.'),
    );
    await tell(services, origin, text);
  }
}
