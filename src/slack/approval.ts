import { BUTTONS, button, runButton } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { mrkdwn, written } from '../blocks/mrkdwn.ts';
import { cardOf, hasNews, showsAll, standing } from '../changes/approval-card.ts';
import {
  type Approved,
  breakGlass,
  needsReason,
  refusalOf,
  requestApproval,
  resume,
  vote,
} from '../changes/approve.ts';
import { isRunnable } from '../changes/change.ts';
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
  const confirmation = (await findConfirmation(services, id))?.confirmation;
  const isCut =
    confirmation?.state === 'waiting' && (!showsAll(services, confirmation) || (await hasNews(services, confirmation)));
  await (isCut ? lookCloser(services, id, origin) : decide(services, id, 'approved', '', origin, actor));
}

/** Whoever decided reads the result on the card. They get an answer only if no card is in their conversation. */
export async function decide(
  services: Bot,
  id: string,
  verdict: 'approved' | 'rejected',
  reason: string,
  origin: Origin,
  actor: Actor,
): Promise<void> {
  const approved = await vote(services, id, actor, verdict, reason);
  const { channelId } = origin.place;
  const { text, drawnIn } = await conclude(services, approved, saying(services, origin));
  // In a direct message nobody else reads the card, so the answer replaces it.
  const replace = approved.kind !== 'refused' && isDirect(channelId) && origin.responseUrl !== undefined;
  if (replace || !drawnIn.has(channelId)) await answer(services, origin, text, { replace });
}

/** Answers in the view with the button while it is open, else in the conversation. */
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

/** `Look closer`: the present preview, in a view that approves by its submit button. */
export async function lookCloser(services: Bot, id: string, origin: Origin): Promise<void> {
  const { triggerId, place } = origin;
  if (triggerId === undefined) return;
  const title = BUTTONS.lookCloser.label;
  const viewId = await services.outgoing.openView(triggerId, buildWorkingView(title, 'One moment …'));
  await showingProblems(services, { id: viewId, title, origin }, async () => {
    const { actor } = await whoIs(services, origin);
    const preview = await previewAgain(services, id, actor);
    // Everybody who may see it may decide on it, except its requester.
    const isOwn = (await findConfirmation(services, id))?.confirmation.actor === actor.id;
    const shown = preview ?? message('You can’t decide this: it’s no longer waiting, or you’re not an approver.');
    // Without the response URL, by which the answer would replace the card.
    const memory = { operation: '', channel: place.channelId, thread: place.threadTs };
    const view =
      preview !== undefined && !isOwn
        ? buildDecisionView(title, message(shown, actions(button(BUTTONS.reject, id))), { ...memory, confirmation: id })
        : buildShownView(title, shown, memory);
    await updateOpen(services, viewId, view);
  });
}

export async function askWhy(services: Bot, purpose: ReasonPurpose, id: string, origin: Origin): Promise<void> {
  const { triggerId, place, responseUrl, view } = origin;
  if (triggerId === undefined) return;
  const found = (await findConfirmation(services, id))?.confirmation;
  // It has expired or was decided.
  if (purpose !== 'reject' && found !== undefined && found.state !== 'drafted' && found.state !== 'waiting')
    return answer(services, origin, await standing(services, found, found.actor), { replace: true });
  const { operation = '', typedName } = purpose === 'glass' ? (found ?? {}) : {};
  // A button in a view has no message that the answer could replace.
  const from = { channel: place.channelId, thread: place.threadTs, ...(view === undefined ? { responseUrl } : {}) };
  const memory = { ...from, operation, typedName, confirmation: id };
  const isOptional = purpose === 'request' && !(await needsReason(services, id));
  const { title = '', button: submit = '' } = found === undefined ? {} : wordsOf(services, found);
  const about = {
    request: undefined,
    reject: { title },
    glass: { title: mrkdwn`${title}?`, button: submit },
  }[purpose];
  const asking = buildReasonView(purpose, memory, isOptional, found && about);
  if (view === undefined) await services.outgoing.openView(triggerId, asking);
  else await updateOpen(services, view.id, asking);
}

/** Returns the text for whoever gave the reason. `isTold`: they were told already. */
export async function giveReason(
  services: Bot,
  purpose: 'request' | 'glass',
  id: string,
  reason: string,
  origin: Origin,
  actor: Actor,
): Promise<{ text: Message; isTold: boolean }> {
  // The announcement is edited when the change is over.
  const announce = async (channel: string, text: Message) =>
    services.store.approvals.copied(id, { channel, ...(await services.outgoing.post({ channel }, text)) });
  const approved =
    purpose === 'request'
      ? await requestApproval(services, id, actor, reason)
      : await breakGlass(services, id, actor, reason, announce);
  // The change runs at once. In a view there is no message for its outcome to replace, so nothing is said before.
  const isAtOnce = purpose === 'glass' && origin.responseUrl === undefined;
  const { text } = await conclude(services, approved, isAtOnce ? async () => undefined : saying(services, origin));
  return { text, isTold: approved.kind !== 'refused' };
}

/** Tells the requester directly what a dead process left, because they may not look at the conversation any more. */
export async function showResumed(services: Bot, approved: Approved, confirmation: Confirmation): Promise<void> {
  const say = async (text: Message) => void (await tellUnasked(services, confirmation, text));
  // The card exists, but the requester may not have been told.
  if (approved.kind === 'waiting' && approved.confirmation.post !== undefined) await say(approved.message);
  await conclude(services, approved, say);
}

/** Redraws the card of a change that ended without being run, and tells its requester. */
export async function showEnded(services: Bot, confirmation: Confirmation): Promise<void> {
  await drawCard(services, confirmation);
  const { state, outcome = 'not confirmed in time' } = confirmation;
  const end = state === 'withdrawn' ? 'Not done' : 'Expired';
  const text = message(
    mrkdwn`${end}: ${wordsOf(services, confirmation).title}: ${outcome}. Nothing was done.`,
    actions(button(BUTTONS.askAgain, confirmation.id)),
  );
  // A preview that its requester ignored: nobody waits for it.
  const isLeft = state === 'expired' && confirmation.reason === undefined;
  if ((await isSaidInPlace(services, confirmation, text)) || isLeft) return notified(services, confirmation.id);
  if (await tellRequester(services, confirmation, text)) await notified(services, confirmation.id);
}

/**
 * Only in a preview that nobody decided on: the requester is told of everything else, because an edit notifies nobody.
 */
async function isSaidInPlace({ store, outgoing, log }: Bot, { id, post, glassBroken }: Confirmation, text: Message) {
  const copies = post === undefined && glassBroken !== true ? await store.approvals.copies(id) : [];
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

/** Redraws the card after the change was run, was cancelled or has expired. Never throws. */
export async function refreshCard(services: Bot, { id, post, glassBroken }: Confirmation): Promise<void> {
  if (post === undefined && glassBroken !== true) return;
  try {
    const found = await findConfirmation(services, id);
    if (found !== undefined) await drawCard(services, found.confirmation);
  } catch (error) {
    services.log.warn({ err: error, confirmation: id }, 'the card of an approval could not be brought up to date');
  }
}

/** Redraws the card and its copies. Returns the channels in which that worked. Never throws. */
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
    // In a direct message the requester’s own message is in its place: it says what the change needs, and can cancel it.
    const isInDirect = post !== undefined && isDirect(post.channel);
    const isOwnWait = isInDirect && confirmation.state === 'waiting';
    const there = isInDirect ? copyOf(card, confirmation, true) : card;
    if (post !== undefined && !isOwnWait) await draw(post.channel, post.ts, there);
    for (const { channel, ts, isOwn } of await store.approvals.copies(id)) {
      // If nobody was asked, the requester’s copy is a preview, and the announcement is the card.
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

/** Returns the text for whoever pressed, and the channels whose card shows it. */
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

/** Returns false if the requester could not be told. */
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
  const { requester } = approved;
  if (!isRunnable(confirmation.state)) return tellRequester(services, confirmation, requester);
  return tellRequester(services, confirmation, message(requester, runButtons(confirmation)), { kept: true });
}

async function postCard(
  services: Bot,
  { confirmation, approvers, ...approved }: Extract<Approved, { kind: 'waiting' }>,
  say: Say,
): Promise<void> {
  const { id } = confirmation;
  const buttons = actions(approved.breakGlass && button(BUTTONS.breakGlass, id), button(BUTTONS.cancelWait, id));
  const text = message(approved.message, buttons);
  try {
    await askApprovers(services, confirmation, approvers);
    await say(text);
  } catch (error) {
    await keepUntilTaken(services, error, { kind: CARD, body: { id } });
    await say(message('Asked. I’ll tell the approvers as soon as Slack lets me.', text));
  }
}

async function askApprovers(services: Bot, confirmation: Confirmation, approvers: readonly string[]): Promise<void> {
  const { outgoing, store, log } = services;
  const { id, channel, thread } = confirmation;
  const card = await cardOf(services, confirmation);
  // In a direct message with the bot, the requester’s message becomes the card.
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
  // The requester asked for it and needs no message.
  await conclude(services, await resume(services, confirmation), async () => undefined);
}

/** `kept`: the message becomes a copy of the card. Returns false if it failed; that is logged. */
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
  // An expiry is a message of its own, which notifies and has the button.
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

const runButtons = (change: Confirmation): Message =>
  message(actions(runButton(change), button(BUTTONS.cancel, change.id)));
