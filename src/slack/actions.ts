import type { Logger } from 'pino';
import { type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { cancel as cancelChange, confirm } from '../changes/confirm.ts';
import { previewAgain } from '../changes/preview.ts';
import { notified } from '../changes/recover.ts';
import { type ChangeServices, findConfirmation } from '../changes/services.ts';
import { undoArguments, undo as undoChange, undoRefusal } from '../changes/undo.ts';
import { UsageError } from '../errors.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { problemOf } from '../problem.ts';
import type { Results } from '../store/results.ts';
import type { ApprovalConversation } from './approval.ts';
import type { Typed } from './commands.ts';
import { buildConfirmView, buildShownView, buildWorkingView, titleOf } from './form.ts';
import { memoryFor, type Origin } from './origin.ts';
import type { Outgoing } from './out/outgoing.ts';
import type { Ending } from './outcome.ts';
import type { WhoIs } from './people.ts';
import type { Underway } from './progress.ts';

/** What the buttons of messages do. */
export function createPressed(services: {
  changes: ChangeServices;
  outgoing: Outgoing;
  results: Results;
  typed: Typed;
  underway: Underway;
  approval: ApprovalConversation;
  ending: Ending;
  whoIs: WhoIs;
  tell(origin: Origin, text: Message, options?: { replace?: boolean }): Promise<void>;
  log: Logger;
}) {
  const { changes, outgoing, results, typed, underway, approval, whoIs, tell, log } = services;
  const { end, refreshCard, inViewOrConversation } = services.ending;
  /** Confirmations whose button was pressed and not answered yet. */
  const pressedNow = new Set<string>();

  /** The button under a preview. */
  async function confirmFromMessage(id: string, origin: Origin): Promise<void> {
    const found = await findConfirmation(changes, id);
    // What shows a secret needs a view, and a view needs the trigger of this very press: first the view, then the work.
    const viewId =
      found?.operation.reveal !== undefined && origin.triggerId !== undefined
        ? await outgoing.openView(origin.triggerId, buildWorkingView(titleOf(found.operation), 'Working …'))
        : undefined;
    const { actor, reader } = await whoIs(origin);
    const own = found?.confirmation.actor === actor.id;
    // Of two presses at once the first has the preview's place to itself; the second is answered beside it.
    if (own && pressedNow.has(id)) {
      const text = message('This is being done right now. It is not done a second time.');
      await tell(origin, text);
      if (viewId !== undefined) await inViewOrConversation(viewId, found.operation, text, origin);
      return;
    }
    const mine = own && found.confirmation.state === 'asked';
    if (mine) pressedNow.add(id);
    try {
      const outcome = await confirm(changes, id, { actor, reader, claimed: () => working(found?.operation, origin) });
      await end(outcome, found?.operation, origin, viewId, (text) => tell(origin, text, { replace: mine }));
    } finally {
      if (mine) pressedNow.delete(id);
    }
  }

  /** In the preview's place, once the press counts: were it said before, a bot that dies in between would leave nothing to press. */
  async function working(operation: AnyOperation | undefined, origin: Origin): Promise<void> {
    const text = message(note(mrkdwn`Working on ${code(operation?.name ?? 'it')} …`));
    await tell(origin, text, { replace: true }).catch((error: unknown) =>
      log.info({ err: error }, 'could not say that work goes on'),
    );
  }

  /** The button that an approval brought. What is destructive still wants its name typed. */
  async function runApproved(id: string, origin: Origin): Promise<void> {
    const found = await findConfirmation(changes, id);
    if (
      found?.confirmation.typedName === undefined ||
      found.confirmation.state !== 'asked' ||
      origin.triggerId === undefined
    ) {
      return confirmFromMessage(id, origin);
    }
    const { operation, confirmation } = found;
    await inPreview(id, operation, origin, 'This is not yours to run.', (preview) =>
      buildConfirmView(operation, preview, {
        ...memoryFor(operation, origin),
        confirmation: id,
        typedName: confirmation.typedName,
        keep: true,
      }),
    );
  }

  /** Opens a view at once, and fills it with the preview as it is now, or with why there is none. */
  async function inPreview(
    id: string,
    operation: AnyOperation,
    origin: Origin,
    refusal: string,
    viewWith: (preview: Message) => ReturnType<typeof buildShownView>,
  ): Promise<void> {
    if (origin.triggerId === undefined) return;
    const viewId = await outgoing.openView(origin.triggerId, buildWorkingView(titleOf(operation), 'One moment …'));
    try {
      const { actor } = await whoIs(origin);
      const preview = await previewAgain(changes, id, actor);
      const view = preview === undefined ? buildShownView(titleOf(operation), message(refusal)) : viewWith(preview);
      await outgoing.updateView(viewId, view);
    } catch (error) {
      const told = problemOf(error);
      if (told.reference !== undefined) log.error({ err: error, reference: told.reference }, 'unexpected error');
      await inViewOrConversation(viewId, operation, told.message, origin);
    }
  }

  async function undo(id: string, origin: Origin): Promise<void> {
    const { actor, reader } = await whoIs(origin);
    const taken = await undoChange(changes, id, actor, reader);
    if (taken === undefined) {
      // Somebody else's change: the ordinary way, with a preview, and whatever the policy asks for.
      const found = await findConfirmation(changes, id);
      const given = await undoArguments(changes, id);
      if (found === undefined || given === undefined) {
        return tell(origin, await undoRefusal(changes, id));
      }
      return typed.run(found.operation, given, origin);
    }
    if ('refused' in taken) return tell(origin, taken.refused);
    const found = await findConfirmation(changes, taken.original.id);
    await end(taken.outcome, found?.operation, origin, undefined, (text) => tell(origin, text));
    if (taken.other !== undefined) await outgoing.toPerson({ user: taken.other.user }, taken.other.message);
  }

  async function share(id: string, origin: Origin): Promise<void> {
    const { actor } = await whoIs(origin);
    const kept = (await results.read(id, actor)) as Message | undefined;
    if (kept === undefined) {
      await tell(origin, message('This answer is not kept any more.', note('Repeat the command, then share it.')));
      return;
    }
    const by = message(note(mrkdwn`Shared by ${user(origin.userId)}`));
    const place = { channel: origin.place.channelId, thread: origin.place.threadTs, user: origin.userId };
    const { direct } = await outgoing.toChannel(place, message(kept, by));
    if (direct)
      await tell(
        origin,
        message(
          'I am not a member of that channel, so I sent it to you directly.',
          note('Invite me with `/invite`, then share again.'),
        ),
      );
  }

  async function cancel(id: string, origin: Origin): Promise<void> {
    const { actor } = await whoIs(origin);
    const found = await findConfirmation(changes, id);
    await tell(origin, await cancelChange(changes, id, actor), { replace: found?.confirmation.actor === actor.id });
    await notified(changes, id);
    if (found !== undefined) await refreshCard(found.confirmation);
  }

  /** What a view's button asks for is answered in the conversation, which the view hides: it says so in the button's place. */
  async function followed(line: string, origin: Origin): Promise<void> {
    await typed.follow(line, origin);
    if (origin.view === undefined) return;
    const { id, title, blocks } = origin.view;
    const left = blocks.filter(({ type }) => type !== 'actions');
    const said = message({ blocks: left, text: '' }, note('The answer is in the conversation.'));
    await outgoing.updateView(id, buildShownView(title, said)).catch((error: unknown) => {
      log.info({ err: error }, 'the view of a button could not be updated');
    });
  }

  /** The button with this id, which holds this value. */
  return async function pressed({ id, value }: { id: string; value: string }, origin: Origin): Promise<void> {
    const kind = id.split(':', 1)[0];
    if (kind === 'command') await followed(value, origin);
    else if (kind === 'form') await typed.openForm(value, origin);
    else if (kind === 'confirm') await confirmFromMessage(value, origin);
    else if (kind === 'share') await share(value, origin);
    else if (kind === 'run') await runApproved(value, origin);
    else if (kind === 'undo') await undo(value, origin);
    else if (kind === 'cancel') await cancel(value, origin);
    else if (kind === 'far') await underway.howFar(value, origin);
    else if (kind === 'stop') await underway.cancel(value, origin);
    else if (await approval.pressed(id, value, origin, (await whoIs(origin)).actor)) return;
    else throw new UsageError('This button is not known any more.', { hint: 'Type the command again.' });
  };
}
