import type { Logger } from 'pino';
import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn, written } from '../blocks/mrkdwn.ts';
import { cardOf } from '../changes/approval-card.ts';
import { type Approved, breakGlass, needsReason, refusalOf, requestApproval, vote } from '../changes/approve.ts';
import { previewAgain } from '../changes/preview.ts';
import { notified } from '../changes/recover.ts';
import type { ChangeServices } from '../changes/services.ts';
import type { Actor } from '../operations/context.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';
import { buildReasonView, type ReasonPurpose } from './form.ts';
import type { Origin } from './origin.ts';
import type { Outgoing } from './out/outgoing.ts';

const NOT_FOR_YOU = 'This does not wait any more, or is not yours to decide.';

/** How many approvers are told directly; the others read the channel. */
const MOST_TOLD = 10;

/** Asking others, as Slack shows it: a card in the channel that is kept up to date, and words to those whom it concerns. */
export interface ApprovalConversation {
  /** The buttons; false: not one of these. */
  pressed(action: string, id: string, origin: Origin, actor: Actor): Promise<boolean>;
  /** The view with the reason was submitted. Answers with what the view shows then. */
  reasoned(purpose: ReasonPurpose, id: string, reason: string, origin: Origin, actor: Actor): Promise<Message>;
  /** Brings the card up to date after the change was run, cancelled or has expired. */
  refresh(confirmation: Confirmation): Promise<void>;
  /** What a process that died had left is shown as if it came now. */
  resumed(approved: Approved, origin: Origin): Promise<void>;
  /** What waited too long: the card says so, and the requester is told. */
  expired(confirmation: Confirmation): Promise<void>;
}

export function createApprovalConversation(services: {
  changes: ChangeServices;
  approvals: Store['approvals'];
  outgoing: Outgoing;
  log: Logger;
  tell(origin: Origin, text: Message, options?: { replace?: boolean }): Promise<void>;
}): ApprovalConversation {
  const { changes, approvals, outgoing, log, tell } = services;

  async function refresh(confirmation: Confirmation): Promise<void> {
    if (confirmation.post === undefined) return;
    const failed = (error: unknown) =>
      log.warn({ err: error }, 'the card of an approval could not be brought up to date');
    try {
      const { post } = confirmation;
      const card = await cardOf(changes, confirmation);
      await outgoing.update(post.channel, post.ts, card).catch(failed);
      const copy = copyOf(card, post);
      for (const { channel, ts } of await approvals.copies(confirmation.id))
        await outgoing.update(channel, ts, copy).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** To one person, wherever they are; what cannot be said is logged, and stops nothing. */
  async function say(
    person: { id: string },
    place: { channel?: string | undefined; thread?: string | undefined },
    text: Message,
  ): Promise<boolean> {
    try {
      await outgoing.toPerson({ user: person.id, channel: place.channel, thread: place.thread }, text);
      return true;
    } catch (error) {
      log.warn({ err: error, user: person.id }, 'a person could not be told about an approval');
      return false;
    }
  }

  /** The card itself, to somebody who may decide it. */
  async function given(id: string, approver: string, card: Message): Promise<void> {
    try {
      await approvals.copied(id, await outgoing.toDirect(approver, card));
    } catch (error) {
      log.warn({ err: error, user: approver }, 'an approver could not be told');
    }
  }

  async function concluded(approved: Approved, origin: Origin): Promise<Message> {
    if (approved.kind === 'refused') return approved.message;
    const { confirmation } = approved;
    const isSaid = await shown(approved, origin);
    if (isSaid) await notified(changes, confirmation.id);
    return approved.kind === 'glass'
      ? message('It can be run now: the button is in the conversation.')
      : approved.message;
  }

  /** To everybody but the one who pressed; false: the requester could not be told. */
  async function shown(approved: Exclude<Approved, { kind: 'refused' }>, origin: Origin): Promise<boolean> {
    const { confirmation } = approved;
    if (approved.kind === 'waiting' && confirmation.post === undefined) {
      await posted(approved, origin);
      return true;
    }
    await refresh(confirmation);
    if (approved.kind === 'waiting') return true;
    if (approved.kind === 'glass') {
      // In place of the preview or of what waited, whose buttons mean nothing any more.
      await tell(origin, message(approved.message, runButtons(confirmation)), { replace: true });
      return true;
    }
    const { actor, channel, thread } = confirmation;
    const text = approved.runnable ? message(approved.requester, runButtons(confirmation)) : approved.requester;
    return say({ id: actor }, { channel, thread }, text);
  }

  async function posted(approved: Extract<Approved, { kind: 'waiting' }>, origin: Origin): Promise<void> {
    const { confirmation, card, approvers } = approved;
    const place = { channel: confirmation.channel, thread: confirmation.thread, user: confirmation.actor };
    const post = await outgoing.toChannel(place, card);
    await approvals.posted(confirmation.id, { channel: post.channel, ts: post.ts });
    // They get the card itself: not everybody who approves is in the channel.
    const copy = copyOf(card, post);
    for (const approver of approvers.slice(0, MOST_TOLD)) await given(confirmation.id, approver, copy);
    // In place of the preview, whose buttons mean nothing any more.
    await tell(origin, message(approved.message, waitingButtons(confirmation, approved.breakGlass)), { replace: true });
  }

  /** Says to the one who pressed what came of it. In a direct message there is nobody else: it takes the card's place there. */
  async function voted(approved: Approved, origin: Origin): Promise<void> {
    const replace = isOver(approved, origin);
    await tell(origin, await concluded(approved, origin), { replace });
  }

  /** The same from the view with the reason, which shows it too. */
  async function rejected(approved: Approved, origin: Origin): Promise<Message> {
    const text = await concluded(approved, origin);
    if (isOver(approved, origin)) await tell(origin, text, { replace: true });
    return text;
  }

  async function reasonFor(purpose: ReasonPurpose, id: string, origin: Origin): Promise<void> {
    if (origin.triggerId === undefined) return;
    const memory = {
      operation: '',
      channel: origin.place.channelId,
      thread: origin.place.threadTs,
      responseUrl: origin.responseUrl,
      confirmation: id,
    };
    const isOptional = purpose === 'request' && !(await needsReason(changes, id));
    await outgoing.openView(origin.triggerId, buildReasonView(purpose, memory, isOptional));
  }

  /** Nobody is asked why who may not decide it. */
  async function askWhyNot(id: string, origin: Origin, actor: Actor): Promise<void> {
    const refusal = await refusalOf(changes, id, actor);
    if (refusal === undefined) await reasonFor('reject', id, origin);
    else await tell(origin, refusal);
  }

  return {
    refresh,
    async expired(confirmation) {
      await refresh(confirmation);
      const { actor, channel, thread, operation, target, outcome } = confirmation;
      const isSaid = await say(
        { id: actor },
        { channel, thread },
        message(
          mrkdwn`${code(operation)} on ${code(target)} was ${outcome ?? 'not confirmed in time'}. Nothing was done.`,
          note('Repeat the command to ask again.'),
        ),
      );
      if (isSaid) await notified(changes, confirmation.id);
    },
    async resumed(approved, origin) {
      // Their card is there; whether the requester was told of it is not known.
      if (approved.kind === 'waiting' && approved.confirmation.post !== undefined) await tell(origin, approved.message);
      await concluded(approved, origin);
    },
    async pressed(action, id, origin, actor) {
      if (action === 'ask-approval') await reasonFor('request', id, origin);
      else if (action === 'reject') await askWhyNot(id, origin, actor);
      else if (action === 'break-glass') await reasonFor('glass', id, origin);
      else if (action === 'details')
        await tell(origin, (await previewAgain(changes, id, actor)) ?? message(NOT_FOR_YOU));
      else if (action === 'approve') await voted(await vote(changes, id, actor, 'approved', ''), origin);
      else return false;
      return true;
    },
    async reasoned(purpose, id, reason, origin, actor) {
      if (purpose === 'request') return concluded(await requestApproval(changes, id, actor, reason), origin);
      if (purpose === 'reject') return rejected(await vote(changes, id, actor, 'rejected', reason), origin);
      const announce = async (channel: string, text: Message) => void (await outgoing.post(channel, text));
      return concluded(await breakGlass(changes, id, actor, reason, announce), origin);
    },
  };
}

/** The card for those who get it directly, with where everybody sees it. */
const copyOf = (card: Message, { channel }: { channel: string }): Message =>
  message(card, !channel.startsWith('D') && note(mrkdwn`It is in <#${channel}> too.`));

/** Whether what was pressed is a card in a direct message that says no more. */
const isOver = (approved: Approved, { place }: Origin) =>
  approved.kind !== 'refused' && place.channelId.startsWith('D');

/** What the requester sees under the preview of something that others have to approve. */
export function draftButtons(
  confirmation: Confirmation,
  { words, breakGlass }: { words: string; breakGlass: boolean },
): Message {
  return message(
    mrkdwn`🔒 Needs an approval: ${written(words)}.`,
    actions(
      button(BUTTONS.askForApproval, confirmation.id),
      breakGlass && button(BUTTONS.breakGlass, confirmation.id),
      button(BUTTONS.cancel, confirmation.id),
    ),
  );
}

function waitingButtons(confirmation: Confirmation, breakGlass: boolean): Message {
  return message(
    actions(breakGlass && button(BUTTONS.breakGlass, confirmation.id), button(BUTTONS.cancel, confirmation.id)),
  );
}

function runButtons(confirmation: Confirmation): Message {
  return message(actions(button(BUTTONS.run, confirmation.id), button(BUTTONS.cancel, confirmation.id)));
}
