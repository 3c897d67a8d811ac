import { commandButton } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { mrkdwn, user, type Words } from '../blocks/mrkdwn.ts';
import { currentInteraction } from '../interaction.ts';
import type { Actor, Reader } from '../operations/context.ts';
import { lineOf } from '../operations/grammar.ts';
import type { Given } from '../operations/operation.ts';
import { attemptId, type Confirmation } from '../store/confirmations.ts';
import { REVERSAL, type Reversal, reversalKey } from '../store/reversals.ts';
import { MINUTE } from '../time.ts';
import { type ChangeState, STATES } from './change.ts';
import { contextOf, inTime, operationNamed, placeOf } from './context.ts';
import { type Ended, execute, undoNeedsApproval } from './execute.ts';
import { inItsInteraction, type Services } from './services.ts';
import { BY_ITSELF, wordsOf } from './words.ts';

/** A change and the outcome of its undo. Only `done` means that it was undone. */
export interface Undone {
  original: Confirmation;
  outcome: Ended;
  /** For the requester, if the clock undid it. */
  requester?: Message;
  /** For the channel, which was told that the clock would undo it, if the clock did not. */
  channel?: Message;
}

const BY_HAND = 'Type the command that undoes it.';
const UNDER_WAY_WORDS = 'I’m undoing this right now. I won’t do it twice.';

/** The Undo button. Undefined: it is somebody else’s change, or the undo needs approval, so it is asked for as a new change. */
export async function undo(
  services: Services,
  id: string,
  actor: Actor,
  reader: Reader,
): Promise<Undone | { refused: Message } | undefined> {
  const { store } = services;
  const original = await store.confirmations.read(id);
  if (original === undefined || original.unreadable === true)
    return { refused: message('I no longer know this change.', note(BY_HAND)) };
  if (original.actor !== actor.id || original.team !== actor.teamId) return undefined;
  if (original.emptied === true) return { refused: await undoRefusal(services, id) };
  // A dead process began this press. Recovery has ended it and told the outcome.
  if (currentInteraction()?.isAgain === true && (await isTried(services, id)))
    return {
      refused:
        (await undoArguments(services, id)) === undefined
          ? await undoRefusal(services, id)
          : message('It was not undone.', note('Press the button again if you still want it.')),
    };
  if (await needsApproval(services, original, actor)) return undefined;
  if ((await store.reversals.read(id))?.state === 'claimed') return { refused: message(UNDER_WAY_WORDS) };
  // A look of `--watch` has it for some seconds.
  const job = await store.jobs.hold(REVERSAL, reversalKey(id));
  let delay: number | undefined = MINUTE;
  try {
    const given = await undoArguments(services, id);
    // Before the state: that is not signed, but this attempt is, so it proves that the change is being undone.
    if (given !== undefined) await store.confirmations.create(attemptAt(original, given, actor));
    const reversal = await store.reversals.claim(id);
    const outcome = reversal && (await executeUndo(services, reversal, original, { actor, reader }));
    delay = await store.reversals.dueIn(id);
    if (reversal === undefined) return { refused: await undoRefusal(services, id) };
    if (outcome === undefined) return { refused: message(UNDER_WAY_WORDS) };
    return { original, outcome };
  } finally {
    // After an error it is tried again, as after a crash.
    await store.jobs.release(job, delay);
  }
}

async function needsApproval(services: Services, confirmation: Confirmation, actor: Actor): Promise<boolean> {
  const operation = operationNamed(services, confirmation.operation);
  const undo = await undoArguments(services, confirmation.id);
  if (operation === undefined || undo === undefined) return false;
  const place = await services.seePlace(placeOf(confirmation));
  return inTime((signal) =>
    undoNeedsApproval(services, { confirmation, operation, undo }, contextOf(services, { actor, place, signal }), true),
  );
}

/** The arguments that undo a change, until its time is over. */
export async function undoArguments({ store, now }: Services, id: string): Promise<Given | undefined> {
  const kept = await store.reversals.read(id);
  return kept?.state === 'open' && kept.undoUntil > now() ? kept.given : undefined;
}

async function isTried({ store }: Services, id: string): Promise<boolean> {
  const first = await store.confirmations.read(attemptId(id, 1));
  return first !== undefined && first.unreadable !== true;
}

/** Why this press does not undo the change. */
export async function undoRefusal(services: Services, id: string): Promise<Message> {
  const { confirmations, reversals } = services.store;
  const [original, kept] = await Promise.all([confirmations.read(id), reversals.read(id)]);
  const state = kept?.state;
  if (state === 'claimed') return message(UNDER_WAY_WORDS);
  if (state === 'done') return message('It was already undone. I won’t do it twice.');
  const tried = state === 'unknown' || (state === 'failed' && (await isTried(services, id)));
  const operation = original && operationNamed(services, original.operation);
  const isKnown = operation !== undefined && Object.keys(kept?.given ?? {}).length > 0;
  return message(
    tried ? 'I already tried to undo it, and won’t try again.' : 'It is too late to undo this.',
    isKnown ? actions(commandButton('Ask to undo it', lineOf(operation, kept!.given))) : note(BY_HAND),
  );
}

/**
 * For the holder of its job: undoes a change by the clock if its state still holds, or goes on after a crash.
 * Throws if it has to be tried again.
 */
export async function putBackDue(services: Services, id: string, reader: Reader): Promise<Undone | undefined> {
  const { store, log, now } = services;
  const reversal = await store.reversals.due(id);
  if (reversal === undefined) return undefined;
  const { interrupted } = reversal;
  const original = await store.confirmations.read(reversal.confirmation);
  // Emptied rows, and rows of somebody else, do not say what was there before.
  const { unreadable, emptied } = original ?? {};
  if (original === undefined || unreadable === true || emptied === true || reversal.unreadable === true) {
    log.error({ confirmation: reversal.confirmation }, 'a change that is due to be put back is not known');
    await store.reversals.settle(reversal.confirmation, 'failed');
    return undefined;
  }
  const isDue = reversal.dueAt !== undefined && reversal.dueAt <= now();
  const isByItself = isDue || reversal.why !== undefined;
  // States are not signed, but an attempt is: without one nobody pressed *Undo*.
  if (interrupted && !isByItself && !(await isTried(services, id))) {
    await store.reversals.reopen(id);
    return undefined;
  }
  const byItself = reversal.why === undefined ? BY_ITSELF : `${BY_ITSELF}, because it got worse: ${reversal.why}`;
  // Throws while Slack does not answer, for the head or for the actor, and is then tried again.
  if (store.keyed) await store.audit.about(original.id, original.createdAt);
  const actor = await services.actorNow({ id: original.actor, teamId: original.team, kind: 'member' });
  const outcome = await inItsInteraction(original, () =>
    executeUndo(services, reversal, original, { actor, reader, byItself: isByItself ? byItself : undefined }),
  );
  if (outcome === undefined) return undefined;
  const { title: what, done } = wordsOf(services, undoing(original, reversal.given));
  const seen = reversal.why === undefined ? undefined : `While I watched it, it got worse (${reversal.why})`;
  const why = seen ?? (isDue ? 'Time’s up' : 'Edgewise was restarted while undoing a change for you');
  const channel = isDue ? await unkept(services, original, what, outcome, why) : undefined;
  return {
    original,
    outcome: seen === undefined ? outcome : { ...outcome, message: message(outcome.message, note(`${seen}.`)) },
    ...(channel === undefined ? {} : { channel }),
    requester: message(
      outcome.kind === 'done'
        ? mrkdwn`${why}: I ${done}.`
        : outcome.kind === 'unknown'
          ? mrkdwn`${why}. I can’t tell whether it was undone: ${what}.`
          : mrkdwn`${why}, but I did *not* undo it: ${what}.`,
      outcome.kind !== 'done' && outcome.message,
    ),
  };
}

/** Undefined: the undo is under way, or its outcome is told elsewhere. */
async function executeUndo(
  services: Services,
  reversal: Reversal,
  original: Confirmation,
  { actor, ...how }: { actor: Actor; reader: Reader; byItself?: string | undefined },
): Promise<Ended | undefined> {
  const { confirmations, reversals } = services.store;
  // An attempt that did nothing is followed by a new one: a process that only slept may still believe in the old one.
  // Each may die before its request leaves.
  for (let [attempt, stopped] = [1, 0]; stopped < 5; attempt += 1) {
    const heldAt = performance.now();
    const { id } = await confirmations.create({ ...attemptAt(original, reversal.given, actor), attempt });
    const claim = await confirmations.claim(id, actor);
    const outcome = claim && (await execute(services, claim, { actor, heldAt, ...how }));
    const there = await confirmations.read(id);
    if (outcome !== undefined) {
      // The clock tries again in a minute.
      if (there?.state === 'asked') return undefined;
      await settled(services, original.id, outcome.kind === 'done' ? 'done' : there?.state);
      return outcome;
    }
    const isFailed = there?.state === 'failed' && there.interrupted !== true;
    // After `interrupted`, a failed attempt is not followed, because somebody was told of it.
    const isLast =
      isFailed && reversal.interrupted && (await confirmations.read(attemptId(original.id, attempt + 1))) === undefined;
    if (there?.state === 'expired' || there?.interrupted === true) stopped += 1;
    else if (!isFailed || isLast) {
      if (there !== undefined && STATES[there.state].stage === 'over')
        await settled(services, original.id, there.state);
      return undefined;
    }
  }
  await reversals.settle(original.id, 'failed');
  return { kind: 'not-done', message: message('It was started several times, and Edgewise stopped each time.') };
}

/** The change that undoes another one. Its preview demands the state that the other one made. */
const undoing = (original: Confirmation, given: Given): Confirmation => ({
  ...original,
  given,
  preview: { before: original.preview.after, after: original.preview.before ?? {}, names: original.preview.names },
});

function attemptAt(original: Confirmation, back: Given, actor: Actor) {
  const { id: undoes, operation, given, target, preview, channel, thread } = undoing(original, back);
  return { undoes, operation, given, target, preview, channel, thread, actor: actor.id, team: actor.teamId };
}

/** The reversal stays open after a failure, because a right or the platform may come back. */
async function settled({ store }: Services, id: string, state: ChangeState | undefined): Promise<void> {
  if (state === 'failed') return store.reversals.reopen(id);
  if (state === 'done') await store.confirmations.undone(id);
  await store.reversals.settle(id, state === 'done' || state === 'unknown' ? state : 'failed');
}

/** For the channel, if the clock did not undo it. Not needed if somebody changed it since. */
async function unkept(
  { store }: Services,
  { actor }: Confirmation,
  what: Words,
  outcome: Ended,
  why: string,
): Promise<Message | undefined> {
  if (outcome.kind === 'done') return undefined;
  const id = outcome.confirmation?.id;
  const attempt = id === undefined ? undefined : await store.confirmations.read(id);
  if (attempt?.state === 'refused' || attempt?.state === 'overtaken') return undefined;
  const end = outcome.kind === 'unknown' ? 'may not have switched back' : mrkdwn`did *not* switch back`;
  return message(
    mrkdwn`⚠️ ${why}, but this change ${end}: ${what}.`,
    note(mrkdwn`${user(actor)} was told why. ${BY_HAND}`),
  );
}
