import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { mrkdwn, written } from '../blocks/mrkdwn.ts';
import { cardOf, showsAll, standing } from '../changes/approval-card.ts';
import {
  type Approved,
  breakGlass,
  needsReason,
  refusalOf,
  requestApproval,
  resume,
  vote,
} from '../changes/approve.ts';
import { findConfirmation } from '../changes/context.ts';
import { previewAgain } from '../changes/preview.ts';
import { notified } from '../changes/recover.ts';
import { wordsOf } from '../changes/words.ts';
import type { Actor } from '../operations/context.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { showingProblems, tell, tellUnasked, updateOpen } from './conversation.ts';
import { buildDecisionView, buildReasonView, buildShownView, buildWorkingView, type ReasonPurpose } from './form.ts';
import { keepForLater, keepUntilTaken } from './later.ts';
import { isDirect } from './out/outgoing.ts';
import { whoIs } from './people.ts';
import { secondsToWait } from './refusals.ts';
import type { Bot, Origin } from './services.ts';
import { drawOfChange, sayOfChange } from './to-everybody.ts';

interface Needed {
  words: string;
  breakGlass: boolean;
}

export const CARD = 'card';

export async function approveOnCard(services: Bot, id: string, origin: Origin, actor: Actor): Promise<void> {
  const found = await findConfirmation(services, id);
  const isCut = found?.confirmation.state === 'waiting' && !showsAll(services, found.confirmation);
  await (isCut ? lookCloser(services, id, origin) : approve(services, id, origin, actor));
}

export async function approve(services: Bot, id: string, origin: Origin, actor: Actor): Promise<void> {
  await showDecision(services, await vote(services, id, actor, 'approved', ''), origin);
}

/** Who decided reads it on the card, and is told nothing else. */
async function showDecision(services: Bot, approved: Approved, origin: Origin): Promise<void> {
  const { channelId } = origin.place;
  const { text, drawnIn } = await conclude(services, approved, saying(services, origin));
  // In a direct message there is nobody else: the answer takes the card's place there.
  const replace = approved.kind !== 'refused' && isDirect(channelId) && origin.responseUrl !== undefined;
  if (replace || !drawnIn.has(channelId)) await answer(services, origin, text, { replace });
}

/** In the view that the button is in, as long as that is open. */
export async function answer(
  services: Bot,
  origin: Origin,
  text: Message,
  options?: { replace: boolean },
): Promise<void> {
  const { view } = origin;
  if (view !== undefined && (await updateOpen(services, view.id, buildShownView(view.title, text)))) return;
  await tell(services, origin, text, view === undefined ? options : {});
}

export async function reject(services: Bot, id: string, origin: Origin, actor: Actor): Promise<void> {
  const refusal = await refusalOf(services, id, actor);
  if (refusal === undefined) await askWhy(services, 'reject', id, origin);
  else await answer(services, origin, refusal);
}

export async function rejectFor(
  services: Bot,
  id: string,
  reason: string,
  origin: Origin,
  actor: Actor,
): Promise<void> {
  await showDecision(services, await vote(services, id, actor, 'rejected', reason), origin);
}

/** `Look closer`: the preview as it is now, in a view whose submit button decides and closes it. */
export async function lookCloser(services: Bot, id: string, origin: Origin): Promise<void> {
  const { triggerId, place } = origin;
  if (triggerId === undefined) return;
  const title = BUTTONS.lookCloser.label;
  const viewId = await services.outgoing.openView(triggerId, buildWorkingView(title, 'One moment …'));
  await showingProblems(services, { id: viewId, title, origin }, async () => {
    const { actor } = await whoIs(services, origin);
    const preview = await previewAgain(services, id, actor);
    const mayDecide = preview !== undefined && (await refusalOf(services, id, actor)) === undefined;
    const shown = preview ?? message('You can’t decide this: it’s no longer waiting, or you’re not an approver.');
    // Without the response URL: the answer would take the card's place.
    const memory = { operation: '', channel: place.channelId, thread: place.threadTs };
    const view = mayDecide
      ? buildDecisionView(title, message(shown, actions(button(BUTTONS.reject, id))), { ...memory, confirmation: id })
      : buildShownView(title, shown, memory);
    await updateOpen(services, viewId, view);
  });
}

export async function askWhy(services: Bot, purpose: ReasonPurpose, id: string, origin: Origin): Promise<void> {
  const { triggerId, place, responseUrl, view } = origin;
  if (triggerId === undefined) return;
  const found = purpose === 'reject' ? undefined : (await findConfirmation(services, id))?.confirmation;
  // Too late to ask for it, or decided.
  if (found !== undefined && found.state !== 'drafted' && found.state !== 'waiting')
    return answer(services, origin, await standing(services, found, found.actor), { replace: true });
  const { operation = '', typedName } = purpose === 'glass' ? (found ?? {}) : {};
  // From a view no message has a button that an answer could replace.
  const from = { channel: place.channelId, thread: place.threadTs, ...(view === undefined ? { responseUrl } : {}) };
  const memory = { ...from, operation, typedName, confirmation: id };
  const isOptional = purpose === 'request' && !(await needsReason(services, id));
  const asking = buildReasonView(purpose, memory, isOptional, await aboutOf(services, purpose, id));
  if (view === undefined) await services.outgoing.openView(triggerId, asking);
  else await updateOpen(services, view.id, asking);
}

async function aboutOf(services: Bot, purpose: ReasonPurpose, id: string) {
  const found = purpose === 'request' ? undefined : await findConfirmation(services, id);
  if (found === undefined) return undefined;
  const { title, button: submit } = wordsOf(services, found.confirmation);
  return purpose === 'glass' ? { title: mrkdwn`${title}?`, button: submit } : { title };
}

/** Returns what whoever gave the reason reads; `isTold`: it was said already. */
export async function giveReason(
  services: Bot,
  purpose: 'request' | 'glass',
  id: string,
  reason: string,
  origin: Origin,
  actor: Actor,
): Promise<{ text: Message; isTold: boolean }> {
  // The announcement is edited once it is over.
  const announce = async (channel: string, text: Message) =>
    services.store.approvals.copied(id, { channel, ...(await services.outgoing.post({ channel }, text)) });
  const approved =
    purpose === 'request'
      ? await requestApproval(services, id, actor, reason)
      : await breakGlass(services, id, actor, reason, announce);
  // From a view nothing stands in the place of what is done at once.
  const isAtOnce = purpose === 'glass' && origin.responseUrl === undefined;
  const { text } = await conclude(services, approved, isAtOnce ? async () => undefined : saying(services, origin));
  return { text, isTold: approved.kind !== 'refused' };
}

/** Shows what a dead process had left, to the requester directly: they may have gone away since. */
export async function showResumed(services: Bot, approved: Approved, confirmation: Confirmation): Promise<void> {
  const say = async (text: Message) => void (await tellUnasked(services, confirmation, text));
  // Their card is there; whether the requester was told of it is not known.
  if (approved.kind === 'waiting' && approved.confirmation.post !== undefined) await say(approved.message);
  await conclude(services, approved, say);
}

/** Expired, or nobody is left to approve it: the card says so, and the requester is told. */
export async function showEnded(services: Bot, confirmation: Confirmation): Promise<void> {
  await drawCard(services, confirmation);
  const { state, outcome = 'not confirmed in time' } = confirmation;
  const end = state === 'withdrawn' ? 'Not done' : 'Expired';
  const text = message(
    mrkdwn`${end}: ${wordsOf(services, confirmation).title}: ${outcome}. Nothing was done.`,
    actions(button(BUTTONS.askAgain, confirmation.id)),
  );
  // Somebody left a preview: nothing waits for them.
  const isLeft = state === 'expired' && confirmation.reason === undefined;
  if ((await isSaidInPlace(services, confirmation, text)) || isLeft) return notified(services, confirmation.id);
  if (await tellRequester(services, confirmation, text)) await notified(services, confirmation.id);
}

async function isSaidInPlace({ store, outgoing, log }: Bot, { id, post }: Confirmation, text: Message) {
  const copies = post === undefined ? await store.approvals.copies(id) : [];
  const preview = copies.find(({ isOwn }) => isOwn);
  if (preview === undefined) return false;
  try {
    await outgoing.update(preview.channel, preview.ts, text);
    return true;
  } catch (error) {
    log.info({ err: error }, 'an expired preview could not be updated');
    return false;
  }
}

/** Brings the card up to date after the change was run, cancelled or has expired. Never throws. */
export async function refreshCard(services: Bot, { id, post, glassBroken }: Confirmation): Promise<void> {
  if (post === undefined && glassBroken !== true) return;
  try {
    const found = await findConfirmation(services, id);
    if (found !== undefined) await drawCard(services, found.confirmation);
  } catch (error) {
    services.log.warn({ err: error, confirmation: id }, 'the card of an approval could not be brought up to date');
  }
}

/** The card in the channel and its copies. Returns the channels in which it is up to date. Never throws. */
async function drawCard(services: Bot, confirmation: Confirmation): Promise<ReadonlySet<string>> {
  const { store, log } = services;
  const { id, post } = confirmation;
  const drawnIn = new Set<string>();
  if (post === undefined && confirmation.glassBroken !== true) return drawnIn;
  let later: number | undefined;
  const failed = (error: unknown) => {
    later ??= secondsToWait(error);
    log.warn({ err: error }, 'the card of an approval could not be brought up to date');
  };
  const draw = (channel: string, ts: string, card: Message) =>
    drawOfChange(services, confirmation, { channel, ts }, card).then(() => void drawnIn.add(channel), failed);
  try {
    const card = await cardOf(services, confirmation);
    // In its place the requester reads what the change needs, and can cancel it.
    const isInDirect = post !== undefined && isDirect(post.channel);
    const isOwnWait = isInDirect && confirmation.state === 'waiting';
    const there = isInDirect ? copyOf(card, confirmation, true) : card;
    if (post !== undefined && !isOwnWait) await draw(post.channel, post.ts, there);
    for (const { channel, ts, isOwn } of await store.approvals.copies(id)) {
      // Where nobody was asked, the requester's own is a preview, and the announcement is the card.
      const isPreview = post === undefined && isOwn === true;
      if (ts !== post?.ts && !isPreview) await draw(channel, ts, copyOf(card, confirmation, isOwn));
    }
    if (later !== undefined) await keepForLater(services, { kind: CARD, body: { id }, delay: later * 1000 });
  } catch (error) {
    failed(error);
  }
  return drawnIn;
}

type Say = (text: Message) => Promise<void>;

const saying =
  (services: Bot, origin: Origin): Say =>
  (text) =>
    tell(services, origin, text, { replace: true });

/** Returns the text for whoever pressed, and the channels whose card says it. */
async function conclude(
  services: Bot,
  approved: Approved,
  say: Say,
): Promise<{ text: Message; drawnIn: ReadonlySet<string> }> {
  if (approved.kind === 'refused') return { text: approved.message, drawnIn: new Set() };
  const drawnIn = await drawCard(services, approved.confirmation);
  if (await tellOthers(services, approved, say)) await notified(services, approved.confirmation.id);
  const isGlass = approved.kind === 'glass';
  return {
    text: isGlass ? message('You can run it now; the button is in the conversation.') : approved.message,
    drawnIn,
  };
}

/** False: the requester could not be told. */
async function tellOthers(services: Bot, approved: Exclude<Approved, { kind: 'refused' }>, say: Say): Promise<boolean> {
  const { confirmation } = approved;
  if (approved.kind === 'waiting' && confirmation.post === undefined) {
    await postCard(services, approved, say);
    return true;
  }
  if (approved.kind === 'waiting') return true;
  if (approved.kind === 'glass') {
    await say(message(approved.message, runButtons(confirmation)));
    return true;
  }
  const { requester, runnable } = approved;
  if (!runnable) return tellRequester(services, confirmation, requester);
  return tellRequester(services, confirmation, message(requester, runButtons(confirmation)), { kept: true });
}

async function postCard(
  services: Bot,
  { confirmation, card, approvers, ...approved }: Extract<Approved, { kind: 'waiting' }>,
  say: Say,
): Promise<void> {
  const text = message(approved.message, waitingButtons(confirmation, approved.breakGlass));
  try {
    await askApprovers(services, confirmation, card, approvers);
    await say(text);
  } catch (error) {
    await keepUntilTaken(services, error, { kind: CARD, body: { id: confirmation.id } });
    await say(message('Asked. I’ll tell the approvers as soon as Slack lets me.', text));
  }
}

async function askApprovers(
  services: Bot,
  confirmation: Confirmation,
  card: Message,
  approvers: readonly string[],
): Promise<void> {
  const { outgoing, store, log } = services;
  const { id, channel, thread } = confirmation;
  // Alone with the bot, the requester's message becomes the card.
  const [own] = isDirect(channel) ? await store.approvals.copies(id) : [];
  const post = own ?? (await sayOfChange(services, confirmation, { channel, thread }, card));
  await store.approvals.posted(id, { channel: post.channel, ts: post.ts });
  const copy = copyOf(card, { ...confirmation, post });
  for (const approver of approvers) {
    try {
      await outgoing.toDirect(approver, copy, { copyOf: { id } });
    } catch (error) {
      log.warn({ err: error, user: approver }, 'an approver could not be told');
    }
  }
}

export async function showCard(services: Bot, body: Readonly<Record<string, unknown>>): Promise<void> {
  const found = await findConfirmation(services, String(body.id));
  if (found === undefined) return;
  const { confirmation } = found;
  if (confirmation.state !== 'waiting' || confirmation.post !== undefined) return refreshCard(services, confirmation);
  // The requester knows that it is asked for.
  await conclude(services, await resume(services, confirmation), async () => undefined);
}

/** `kept`: the message becomes a copy of the card. False: it failed, which is logged. */
async function tellRequester(
  services: Bot,
  confirmation: Confirmation,
  text: Message,
  { kept = false } = {},
): Promise<boolean> {
  const { id } = confirmation;
  try {
    await tellUnasked(services, confirmation, text, kept ? { copyOf: { id, isOwn: true } } : {});
    return true;
  } catch (error) {
    services.log.warn({ err: error, user: confirmation.actor }, 'a person could not be told about an approval');
    return false;
  }
}

function copyOf(card: Message, { state, post }: Confirmation, isOwn = false): Message {
  // An expiry is a message of its own, with the button: people are notified of that.
  const hasButtons = state === 'waiting' || (isOwn && state !== 'expired');
  const blocks = hasButtons ? card.blocks : card.blocks.filter(({ type }) => type !== 'actions');
  const isSeen = post !== undefined && !isDirect(post.channel);
  return message({ ...card, blocks }, isSeen && note(mrkdwn`Also in <#${post.channel}>.`));
}

export const neededPart = ({ id }: Confirmation, { words, breakGlass: mayBreak }: Needed): Message =>
  message(neededWords(words), mayBreak && actions(button(BUTTONS.breakGlass, id)));

const neededWords = (words: string) => mrkdwn`🔒 Needs ${written(words)}.`;

export function draftButtons({ id }: Confirmation, needed: Needed): Message {
  return message(
    neededWords(needed.words),
    actions(
      button(BUTTONS.askForApproval, id),
      needed.breakGlass && button(BUTTONS.breakGlass, id),
      button(BUTTONS.cancel, id),
    ),
  );
}

const waitingButtons = ({ id }: Confirmation, mayBreakGlass: boolean): Message =>
  message(actions(mayBreakGlass && button(BUTTONS.breakGlass, id), button(BUTTONS.cancelWait, id)));

const runButtons = ({ id }: Confirmation): Message =>
  message(actions(button(BUTTONS.run, id), button(BUTTONS.cancel, id)));
