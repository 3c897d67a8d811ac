import { createHash } from 'node:crypto';
import { type ButtonId, commandButton } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { standing } from '../changes/approval-card.ts';
import type { Shareable } from '../changes/ask.ts';
import { isRunnable } from '../changes/change.ts';
import { cancel as cancelChange, confirm as confirmChange } from '../changes/confirm.ts';
import { decisionFor, findConfirmation, placeOf } from '../changes/context.ts';
import { asTheyAre, authorize, whomToAsk } from '../changes/permission.ts';
import { previewAgain } from '../changes/preview.ts';
import { entryOf } from '../changes/record.ts';
import { notified } from '../changes/recover.ts';
import { undoArguments, undo as undoChange, undoRefusal } from '../changes/undo.ts';
import { wordsOf } from '../changes/words.ts';
import { insteadOf, logged, UsageError } from '../errors.ts';
import { currentInteraction, noted } from '../interaction.ts';
import type { Actor, SeenPlace } from '../operations/context.ts';
import { argumentWith, lineOf, readCommand } from '../operations/grammar.ts';
import { listReports } from '../operations/report/list.ts';
import { slash } from '../own-name.ts';
import { NOT_YET, rarely } from '../store/audit.ts';
import { ASKED_AGAIN } from '../store/confirmations.ts';
import { DAY } from '../time.ts';
import { answer, approveOnCard, askWhy, lookCloser, refreshCard, reject } from './approval.ts';
import { openForm, runLine, runOperation } from './commands.ts';
import {
  answerIs,
  explain,
  removeAnswered,
  showingProblems,
  tell,
  tellingProblems,
  updateOpen,
} from './conversation.ts';
import { buildConfirmView, buildShownView, buildWorkingView, memoryFor, titleOf } from './form.ts';
import { showInView, showOutcome } from './outcome.ts';
import { whoIs } from './people.ts';
import { howFar, stopRunning } from './progress.ts';
import type { Bot, Origin } from './services.ts';
import { sayToEverybody } from './to-everybody.ts';
import { endUndoNow } from './undo-ends.ts';

const MOST_A_DAY = 3;

/** `Ask ada to do it`: sends that person the filled-in command, and they decide. Throws UsageError. */
async function handOn(services: Bot, typed: string, origin: Origin, pressed: Actor): Promise<void> {
  const { store, now, outgoing } = services;
  const { operation, given } = readCommand(typed, services.operations);
  // The name is for the other one to type.
  const isTheirs = ([key]: [string, string]) => key !== argumentWith(operation, 'confirm without typing');
  const line = lineOf(operation, Object.fromEntries(Object.entries(given).filter(isTheirs)));
  const { actor, place } = await asTheyAre(services, { actor: pressed, place: origin.place });
  const signal = AbortSignal.timeout(5_000);
  const whom = whomToAsk(await decisionFor(services, operation, given, { actor, place, signal }), actor);
  const other = whom === undefined ? undefined : await services.described(whom);
  if (whom === undefined || (other !== undefined && other.kind !== 'member'))
    return answer(
      services,
      origin,
      message(
        'There’s nobody to ask any more: you may be allowed to run it now.',
        actions(commandButton('Run it again', line)),
      ),
    );
  const theirs = { actor: { id: whom, teamId: actor.teamId, kind: 'member' as const }, signal };
  // An error of theirs would say what they can see, so they read it themselves.
  const allowedIn = (there: SeenPlace) =>
    decisionFor(services, operation, given, { ...theirs, place: there }).then(
      ({ allowed }) => allowed,
      insteadOf((error) => error instanceof UsageError, true),
    );
  const isHere = !(await allowedIn({ channelId: whom, external: false })) && (await allowedIn(place));
  // A hash, because the line may hold what the audit does not keep.
  const print = createHash('sha256').update(`${whom} ${line}`).digest('hex').slice(0, 8);
  const detail = `asked ${whom} (${print})`;
  const outcome = 'handed on';
  const entry = entryOf({ operation, actor, channel: place.channelId, target: '', given, outcome, detail });
  if ((await store.audit.take(entry, { where: `${rarely(MOST_A_DAY)} AND ${NOT_YET}` })) === undefined) {
    const since = new Date(now().getTime() - DAY);
    const before = await store.audit.list({ actor: actor.id, outcome, since, limit: MOST_A_DAY });
    const why = before.some((one) => one.detail === detail)
      ? mrkdwn`You have already asked ${user(whom)}. Nothing was sent twice.`
      : `You have already asked ${MOST_A_DAY} times today. Nothing was sent.`;
    return answer(services, origin, message(why, note('Write to them yourself.')));
  }
  noted({ command: operation.name, outcome });
  const isRead = operation.effect === 'read';
  const asks = mrkdwn`${user(actor.id)} may not run this, and asks you to: ${code(slash(line))}`;
  const next = [
    actions(commandButton(isRead ? 'Show it' : 'Look at it', line)),
    !isRead && note('You see what it changes first, and confirm it as your own.'),
  ];
  const there = note(mrkdwn`You may run this only in <#${place.channelId}>. Type it there.`);
  const sent = await outgoing.toDirect(whom, message(asks, ...(isHere ? [there] : next)));
  const has =
    sent === undefined ? 'gets the filled-in command as soon as Slack takes it' : 'has the filled-in command now';
  await answer(services, origin, message(mrkdwn`${user(whom)} ${has}, and decides.`));
}

type Action = (services: Bot, value: string, origin: Origin) => Promise<void>;

const ACTIONS: Readonly<Record<ButtonId, Action>> = {
  command: followLine,
  form: openForm,
  confirm,
  cancel: byActor(cancel),
  'cancel-wait': byActor(cancelWait),
  'cancel-beside': byActor((services, id, origin, actor) => cancel(services, id, origin, actor, { replace: false })),
  run: (services, id, origin) => runApproved(services, id, origin, { replace: true }),
  'run-beside': (services, id, origin) => runApproved(services, id, origin, { replace: false }),
  'ask-again': byActor(askAgain),
  undo,
  'hand-on': byActor(handOn),
  'on-it': byActor(takeIncident),
  'take-over': byActor((services, id, origin, actor) => takeIncident(services, id, origin, actor, true)),
  share: byActor(share),
  'ask-approval': byActor((services, id, origin) => askWhy(services, 'request', id, origin)),
  'break-glass': byActor((services, id, origin) => askWhy(services, 'glass', id, origin)),
  approve: byActor(approveOnCard),
  reject: byActor(reject),
  details: lookCloser,
  far: byActor(howFar),
  stop: byActor(stopRunning),
};

export function runAction(services: Bot, button: { id: string; value: string }, origin: Origin): Promise<void> {
  return tellingProblems(services, origin, async () => {
    // The part after the colon only makes the ids of one block differ.
    const id = button.id.split(':', 1)[0] ?? '';
    if (!Object.hasOwn(ACTIONS, id))
      throw new UsageError('This button no longer works.', { hint: 'Type the command again.' });
    await ACTIONS[id as ButtonId](services, button.value, origin);
  });
}

function byActor(run: (services: Bot, value: string, origin: Origin, actor: Actor) => Promise<void>): Action {
  return async (services, value, origin) => run(services, value, origin, (await whoIs(services, origin)).actor);
}

/** A view hides the conversation with the answer to its button, so the view says where that answer is. */
async function followLine(services: Bot, line: string, origin: Origin): Promise<void> {
  await runLine(services, line, origin);
  if (origin.view === undefined) return;
  const { id, title, blocks } = origin.view;
  const left = blocks.filter(({ type }) => type !== 'actions');
  const said = message({ blocks: left, text: '' }, note(answerIs(origin)));
  await services.outgoing
    .updateView(id, buildShownView(title, said))
    .catch(logged(services.log, 'info', 'the view of a button could not be updated'));
}

type Found = Awaited<ReturnType<typeof findConfirmation>>;

async function confirm(services: Bot, id: string, origin: Origin, { replace: mayReplace = true } = {}) {
  const found = await findConfirmation(services, id);
  const operation = found?.operation;
  // A secret is shown in a view, and only this press has the trigger to open one.
  const viewId =
    operation?.reveal !== undefined && origin.triggerId !== undefined
      ? await services.outgoing.openView(origin.triggerId, buildWorkingView(titleOf(operation), 'Working …'))
      : undefined;
  const work = () => press(services, id, origin, { found, viewId, mayReplace });
  if (viewId === undefined || operation === undefined) return work();
  return showingProblems(services, { id: viewId, title: titleOf(operation), origin }, work);
}

async function press(
  services: Bot,
  id: string,
  origin: Origin,
  { found, viewId, mayReplace }: { found: Found; viewId: string | undefined; mayReplace: boolean },
): Promise<void> {
  const operation = found?.operation;
  const { actor, reader } = await whoIs(services, origin);
  const isOwn = found?.confirmation.actor === actor.id;
  // The first of two presses replaces the preview. The second is answered beside it.
  if (isOwn && services.pressed.has(id)) {
    const text = message('Your first press counts, and its outcome comes here. I won’t do it twice.');
    await tell(services, origin, text);
    if (viewId !== undefined) await showInView(services, viewId, found.operation, text, origin);
    return;
  }
  const counts = isOwn && isRunnable(found.confirmation.state);
  // A dead process may have left “Working on …” there.
  const replace = (counts || currentInteraction()?.isAgain === true) && mayReplace;
  if (counts) services.pressed.add(id);
  try {
    const working = message(note(mrkdwn`Working on ${code(operation?.name ?? 'it')} …`));
    // Only after the claim: if the process died before it, there would be no button left to press.
    const sayWorking = () =>
      tell(services, origin, working, { replace: true }).catch(
        logged(services.log, 'info', 'could not report that work goes on'),
      );
    const claimed = replace ? { claimed: sayWorking } : {};
    const outcome = await confirmChange(services, id, { actor, reader, ...claimed });
    const say = (text: Message) => tell(services, origin, text, { replace: replace && outcome.kind !== 'stands' });
    const remove = replace ? () => removeAnswered(services, origin) : undefined;
    await showOutcome(services, outcome, { origin, operation, viewId, say, remove });
  } finally {
    if (counts) services.pressed.delete(id);
  }
}

/** Runs an approved change. A destructive one still needs its name typed. */
async function runApproved(services: Bot, id: string, origin: Origin, options: { replace: boolean }): Promise<void> {
  const found = await findConfirmation(services, id);
  const { triggerId } = origin;
  const typedName = found?.confirmation.typedName;
  const isTyped = found !== undefined && isRunnable(found.confirmation.state) && typedName !== undefined;
  const isOwn = found?.confirmation.actor === services.people.idOf(origin.userId);
  if (!isTyped || !isOwn || triggerId === undefined) return confirm(services, id, origin, options);
  const { operation } = found;
  const title = titleOf(operation);
  const viewId = await services.outgoing.openView(triggerId, buildWorkingView(title, 'One moment …'));
  try {
    const { actor } = await whoIs(services, origin);
    const preview = await previewAgain(services, id, actor);
    // With its response URL the outcome would replace the message that has to stay.
    const from = options.replace ? origin : { ...origin, responseUrl: undefined };
    const memory = { ...memoryFor(operation, from), confirmation: id, typedName, keep: true };
    const view =
      preview === undefined
        ? buildShownView(title, message('You can’t run this any more.'))
        : buildConfirmView(operation, wordsOf(services, found.confirmation).button, preview, memory);
    await updateOpen(services, viewId, view);
  } catch (error) {
    await showInView(services, viewId, operation, explain(services, error), origin);
  }
}

/** Asks again where the change was first asked for. The answer goes where the button is. */
async function askAgain(services: Bot, id: string, origin: Origin, actor: Actor): Promise<void> {
  const found = await findConfirmation(services, id);
  const expired = found?.confirmation;
  if (expired !== undefined && (expired.actor !== actor.id || expired.team !== actor.teamId)) {
    const text = message(mrkdwn`${user(expired.actor)} asked for this, and can ask again.`);
    return tell(services, origin, message(text, note('Type the command to ask for it yourself.')));
  }
  const isKnown =
    expired?.unreadable !== true && (expired?.expiresAt.getTime() ?? 0) > services.now().getTime() - ASKED_AGAIN;
  if (found === undefined || !isKnown) {
    const text = 'That was too long ago: I no longer have what was asked.';
    return tell(services, origin, message(text, note('Type the command.')));
  }
  const { confirmation, operation } = found;
  const answered = origin.answered ?? origin.place;
  const { due, given } = confirmation;
  const isOver = due !== undefined && due <= services.now();
  const timeless = Object.entries(given).filter(([key]) => key !== argumentWith(operation, 'do it at'));
  const again = isOver ? Object.fromEntries(timeless) : given;
  await runOperation(services, operation, again, { ...origin, place: placeOf(confirmation), answered });
}

async function cancel(services: Bot, id: string, origin: Origin, actor: Actor, { replace = true } = {}): Promise<void> {
  const found = await findConfirmation(services, id);
  const text = await cancelChange(services, id, actor);
  await tell(services, origin, text, { replace: replace && found?.confirmation.actor === actor.id });
  await notified(services, id);
  if (found !== undefined) await refreshCard(services, found.confirmation);
}

/** The card may be out of date: if the change is decided by now, that is said, and nothing is cancelled. */
async function cancelWait(services: Bot, id: string, origin: Origin, actor: Actor): Promise<void> {
  const { confirmation } = (await findConfirmation(services, id)) ?? {};
  if (confirmation?.actor !== actor.id || confirmation.state === 'waiting') return cancel(services, id, origin, actor);
  await tell(services, origin, await standing(services, confirmation, actor.id), { replace: true });
}

async function undo(services: Bot, id: string, origin: Origin): Promise<void> {
  await undoOrAsk(services, id, origin);
  if ((await undoArguments(services, id)) === undefined) await endUndoNow(services, id);
}

async function undoOrAsk(services: Bot, id: string, origin: Origin): Promise<void> {
  const { actor, reader } = await whoIs(services, origin);
  const taken = await undoChange(services, id, actor, reader);
  if (taken === undefined) {
    // Somebody else’s change, or an undo that needs approval, is undone by a change with a preview of its own.
    const found = await findConfirmation(services, id);
    const given = await undoArguments(services, id);
    if (found === undefined || given === undefined) return tell(services, origin, await undoRefusal(services, id));
    return runOperation(services, found.operation, given, origin);
  }
  if ('refused' in taken) return tell(services, origin, taken.refused);
  const { outcome, original } = taken;
  const operation = (await findConfirmation(services, original.id))?.operation;
  await showOutcome(services, outcome, { origin, operation, say: (text) => tell(services, origin, text) });
}

/** `I’m on it`, for people who may run `report list` there. */
async function takeIncident(services: Bot, id: string, origin: Origin, actor: Actor, isOver = false): Promise<void> {
  const place = await services.seePlace(origin.place);
  authorize(services, listReports, actor, place, undefined, undefined, 'take an incident');
  const press = { shown: origin.message, thread: origin.place.threadTs, isOver };
  const taken = await services.reports.take(Number(id), actor.id, press);
  if (taken?.isNew) return;
  const who = taken?.by === actor.id ? 'You are' : taken && mrkdwn`${user(taken.by)} is`;
  await tell(
    services,
    origin,
    message(
      who === undefined ? 'This incident is over, or goes on in a newer message.' : mrkdwn`${who} on it already.`,
    ),
  );
}

async function share(services: Bot, id: string, origin: Origin, actor: Actor): Promise<void> {
  const kept = (await services.store.results.take(id, actor)) as Shareable | undefined;
  if (kept === undefined) {
    const text = message('This was shared, or I no longer have it.', note('Repeat the command to share it.'));
    return tell(services, origin, text);
  }
  const { operation, names } = kept;
  const { channelId: channel, threadTs: thread } = origin.place;
  const shared = message(kept.message, note(mrkdwn`Shared by ${user(actor.id)}`));
  const spoken = { actor, place: origin.place, operation, names };
  const said = await sayToEverybody(services, spoken, { channel, thread }, shared);
  if ('refused' in said) return tell(services, origin, message(`Not shared: ${said.refused}.`));
  if (!said.direct) return;
  const text = 'I may not post in that channel, so I sent it to you directly.';
  const next = 'If I am not in it, invite me with `/invite`, and repeat the command.';
  await tell(services, origin, message(text, note(next)));
}
