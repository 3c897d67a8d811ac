import type { Logger } from 'pino';
import { type Message, message, note } from '../blocks/message.ts';
import type { Outcome } from '../changes/execute.ts';
import { notified } from '../changes/recover.ts';
import { type ChangeServices, findConfirmation } from '../changes/services.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { type ApprovalConversation, draftButtons } from './approval.ts';
import { askButtons } from './buttons.ts';
import { buildRevealView, buildShownView, titleOf } from './form.ts';
import { memoryFor, type Origin } from './origin.ts';
import type { Outgoing } from './out/outgoing.ts';

/** How a confirmed change ends for people: in the view or the conversation of the one who pressed, and in the channel. */
export type Ending = ReturnType<typeof createEnding>;

export function createEnding(services: {
  changes: ChangeServices;
  outgoing: Outgoing;
  approval: ApprovalConversation;
  log: Logger;
  operationNamed(name: string): AnyOperation | undefined;
  tell(origin: Origin, text: Message, options?: { replace?: boolean }): Promise<void>;
}) {
  const { changes, outgoing, approval, log, operationNamed, tell } = services;

  async function end(
    outcome: Outcome,
    operation: AnyOperation | undefined,
    origin: Origin,
    viewId: string | undefined,
    say: (text: Message) => Promise<void>,
  ): Promise<void> {
    await shown(outcome, operation, origin, viewId, say);
    if ('confirmation' in outcome && outcome.confirmation !== undefined)
      await notified(changes, outcome.confirmation.id);
  }

  async function shown(
    outcome: Outcome,
    operation: AnyOperation | undefined,
    origin: Origin,
    viewId: string | undefined,
    say: (text: Message) => Promise<void>,
  ): Promise<void> {
    const show = async (text: Message) => {
      if (viewId !== undefined && operation !== undefined) await inViewOrConversation(viewId, operation, text, origin);
    };
    if ('confirmation' in outcome && outcome.confirmation !== undefined) await refreshCard(outcome.confirmation);
    if (outcome.kind !== 'done') {
      const text = outcome.kind === 'retype' ? message(outcome.message) : outcome.message;
      await say(text);
      const isOffered = outcome.kind !== 'retype' && outcome.offer?.kind === 'ask';
      await show(isOffered ? message(text, note('How to go on is in the conversation.')) : text);
      if (outcome.kind === 'retype') return;
      if (outcome.offer?.kind === 'ask') {
        const { confirmation, approval: needed } = outcome.offer;
        const offered = operationNamed(confirmation.operation);
        const buttons =
          needed === undefined ? offered && askButtons(confirmation.id, offered) : draftButtons(confirmation, needed);
        if (buttons !== undefined) await tell(origin, message(outcome.offer.message, buttons));
      } else if (outcome.offer?.kind === 'problem') await tell(origin, outcome.offer.message);
      return;
    }
    const { confirmation } = outcome;
    if (outcome.reveal !== undefined && operation !== undefined) {
      await reveal(viewId, operation, outcome.reveal, origin);
    }
    const done = await announced(confirmation, outcome.message);
    await say(done);
    if (outcome.reveal === undefined) await show(message(done, beginningOf(outcome.message)));
  }

  /** The card of an approval shows what is. That it cannot be read or drawn keeps nobody from being told. */
  async function refreshCard({ id, post }: Confirmation): Promise<void> {
    if (post === undefined) return;
    try {
      const found = await findConfirmation(changes, id);
      if (found !== undefined) await approval.refresh(found.confirmation);
    } catch (error) {
      log.warn({ err: error, confirmation: id }, 'the card of an approval could not be brought up to date');
    }
  }

  /** Posts what was done; answers with what to tell the one who did it. It was done, whatever Slack says to the post. */
  async function announced({ channel, thread, actor, post }: Confirmation, what: Message): Promise<Message> {
    try {
      // What was approved has its one message in the channel: how it ended goes under it.
      const place = post === undefined ? { channel, thread } : { channel: post.channel, thread: post.ts };
      const { direct } = await outgoing.toChannel({ ...place, user: actor }, what);
      return direct
        ? message('Done. I am not a member of that channel, so what was done is in our direct messages.')
        : message('Done. It is in the channel for everybody.');
    } catch (error) {
      log.error({ err: error }, 'what was done could not be posted');
      return message(message('Done, but Slack did not let me say so in the channel.'), what);
    }
  }

  /** A view that was closed meanwhile cannot show how it ended: then the conversation does. */
  async function inViewOrConversation(
    viewId: string,
    operation: AnyOperation,
    text: Message,
    origin: Origin,
  ): Promise<void> {
    try {
      await outgoing.updateView(viewId, buildShownView(titleOf(operation), text, memoryFor(operation, origin)));
    } catch (error) {
      log.info({ err: error }, 'the view could not be updated: the conversation is used');
      await tell(origin, text);
    }
  }

  async function reveal(
    viewId: string | undefined,
    operation: AnyOperation,
    revealed: Message,
    origin: Origin,
  ): Promise<void> {
    try {
      if (viewId === undefined) throw new Error('there is no view to show it in');
      await outgoing.reveal(viewId, buildRevealView(operation, revealed));
    } catch (error) {
      log.error({ err: error, operation: operation.name }, 'what was made could not be shown');
      await tell(
        origin,
        message(
          'It was made, but could not be shown to you: the view was closed, or Slack did not take it. It is kept nowhere.',
          note('Make another one. The one that nobody saw stays valid until it is invalidated.'),
        ),
      );
    }
  }

  return { end, announced, refreshCard, inViewOrConversation };
}

/** What was done, in one paragraph: the rest is in the channel, where there are tables. */
function beginningOf({ blocks, text }: Message): Message {
  const first = blocks.find((block) => block.type === 'section');
  return first === undefined ? message() : { blocks: [first], text: text.split('\n', 1)[0] ?? '' };
}
