import { BUTTONS, runButton, undoButton } from '../blocks/buttons.ts';
import { duration } from '../blocks/format.ts';
import { actions, type Message, message, note, section } from '../blocks/message.ts';
import { code, moment, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { logged, UsageError } from '../errors.ts';
import { currentInteraction, noted } from '../interaction.ts';
import type { Actor, Context, Reader } from '../operations/context.ts';
import type { AnyOperation, Given, Preview, State } from '../operations/operation.ts';
import { toType } from '../own-name.ts';
import { mayPass, PlatformConnectionError } from '../platform/errors.ts';
import { type ApprovalRule, mayApprove } from '../policy/policy.ts';
import { problemOf } from '../problem.ts';
import { TEN } from '../reports/minutes-after.ts';
import type { Word } from '../store/audit-chain.ts';
import { CONFIRMATION_LIFETIME, type Confirmation, changeKey, type Ending } from '../store/confirmations.ts';
import { PATIENCE, unhurried } from '../store/guard.ts';
import { BEAT_EVERY } from '../store/jobs.ts';
import { WATCH_FOR } from './after.ts';
import { auditWord, statesIn } from './change.ts';
import {
  approvalNeeded,
  contextOf,
  durationOf,
  inTime,
  isWatched,
  operationNamed,
  placeOf,
  type Resolved,
  resolve,
  undoOf,
} from './context.ts';
import { lookAgain } from './look-again.ts';
import { approvalRuleOf, asTheyAre, authorize, namesOf } from './permission.ts';
import { changedMessage, isSoAlready, previewOf, sameState, soAlreadyMessage } from './preview.ts';
import { logProblem, record, recordingOf } from './record.ts';
import type { Services } from './services.ts';
import { stateMessage, undoWordsOf, wordsOf } from './words.ts';

export type Ended =
  /** `message` is for the channel, `reveal` for the view of whoever confirmed. */
  | { kind: 'done'; confirmation: Confirmation; message: Message; reveal?: Message }
  /** `message` is for whoever confirmed. */
  | { kind: 'not-done' | 'unknown'; confirmation?: Confirmation; message: Message };

export type Outcome =
  | Ended
  /** It has a time, at which it is done. */
  | { kind: 'planned'; confirmation: Confirmation; message: Message }
  /** A wrong name was typed, or the store did not answer. Nothing was sent, and it can still be confirmed. */
  | { kind: 'stands'; message: Message };

interface How {
  actor: Actor;
  reader: Reader;
  /** The moment before the store last confirmed the claim, in milliseconds of `performance.now()`. */
  heldAt: number;
  /** The detail for the audit, if the clock or the watch undoes it, as its requester asked. */
  byItself?: string | undefined;
}

/** The only way to change anything: check the claim again, send once, store the outcome, record it. */
export async function execute(services: Services, confirmation: Confirmation, how: How): Promise<Ended> {
  const operation = operationNamed(services, confirmation.operation);
  const unreadable =
    confirmation.unreadable === true &&
    'it can’t be read any more, because the store’s key has changed or somebody else has written to the store';
  if (operation === undefined || unreadable !== false) {
    const outcome = unreadable || 'the command does not exist any more';
    await services.store.confirmations.settle(confirmation.id, 'refused', outcome);
    services.unnotified.add(confirmation.id);
    const text = stateMessage(services, { ...confirmation, state: 'refused', outcome });
    return { kind: 'not-done', confirmation, message: text };
  }
  noted({ command: operation.name });
  return inTime((signal) => carryOut(services, confirmation, operation, how, signal));
}

/** Sends a change that is still allowed and whose preview still holds. Renews the claim meanwhile. */
async function carryOut(
  services: Services,
  confirmation: Confirmation,
  operation: AnyOperation,
  { actor, reader, byItself, ...how }: How,
  signal: AbortSignal,
): Promise<Ended> {
  const { store, log, unnotified } = services;
  const { id, approval, due } = confirmation;
  const isUndo = confirmation.undoes !== undefined;
  const { title, done } = wordsOf(services, confirmation);
  const asked = confirmation.preview as { before?: State; after: State };
  let { heldAt } = how;
  /** The platform may have it. */
  let sent = false;
  /** The rule of the policy that allows it. */
  let rule: string | undefined;
  let undo: Given | undefined;
  const renew = async () => {
    const now = performance.now();
    if (await store.jobs.renew(changeKey(id))) heldAt = now;
  };
  const renewing = setInterval(() => {
    renew().catch(logged(log, 'warn', 'a claim could not be renewed'));
  }, 15_000);
  let held: Awaited<ReturnType<typeof store.jobs.hold>> | undefined;
  try {
    // The store or Slack was slow, so the claim may be old.
    if (performance.now() - heldAt > BEAT_EVERY) await renew();
    const resolved = await permitted();
    const preview = await previewOf(operation, resolved);
    if (isOvertaken(resolved, preview)) {
      const { unread } = currentInteraction() ?? {};
      if (unread !== undefined) throw unread;
      await settle('overtaken', 'changed since it was asked');
      return { kind: 'not-done', confirmation, message: overtakenMessage(resolved, preview) };
    }
    const turn = operation.turn?.(resolved.values);
    // Earlier changes of this turn, in any process, go first.
    if (turn !== undefined) held = await store.jobs.hold('turn', `turn:${turn}`, signal);
    const ended = await send(resolved);
    return store.confirmations.isHandedOver(id) ? await neverEnds() : ended;
  } catch (error) {
    if (store.confirmations.isHandedOver(id)) return await neverEnds();
    // Without a list, the policy lacks names, too.
    const unread = sent ? undefined : currentInteraction()?.unread;
    return await failed(unread ?? error);
  } finally {
    clearInterval(renewing);
    if (held !== undefined) await store.jobs.release(held);
  }

  /** Looks the arguments up again. Throws if the policy no longer allows the change, or now needs another approval. */
  async function permitted(): Promise<Resolved> {
    const latest = (due?.getTime() ?? Number.POSITIVE_INFINITY) + CONFIRMATION_LIFETIME;
    if (services.now().getTime() >= latest) throw new UsageError('I could not do it in time.');
    await believe(services, confirmation);
    const now = await asTheyAre(services, { actor, place: placeOf(confirmation) });
    authorize(services, operation, now.actor, now.place);
    const platform = services.platform.fenced(() => store.jobs.isMine(changeKey(id), heldAt));
    const given = approval && 'given';
    const context = contextOf({ ...services, platform }, { ...now, reader, signal, approval: given });
    const resolved = await resolve(operation, confirmation.given, context, true);
    rule = authorize(services, operation, now.actor, now.place, resolved.values, confirmation.target).rule;
    const needed = (await approvalNeeded(services, operation, resolved, confirmation.preview)).approval;
    const approved = isUndo ? await store.confirmations.read(confirmation.undoes!) : confirmation;
    if (needed !== undefined && !(await isApproved(services, approved, needed, isUndo)))
      throw new UsageError(`This now needs ${needed.words}.`, { hint: 'Repeat the command to ask for it.' });
    return resolved;
  }

  /** The state or the target differs from the preview. */
  function isOvertaken({ values }: Resolved, now: Preview): boolean {
    return (
      operation.target(values) !== confirmation.target ||
      !sameState(asked.before, now.before) ||
      !sameState(asked.after, now.after)
    );
  }

  function overtakenMessage({ values }: Resolved, now: Preview): Message {
    if (isUndo && sameState(asked.after, now.before))
      return message('It’s already back to the old state: nothing to undo.');
    if (isUndo) return changedMessage(title, asked.before, now, 'undone');
    if (operation.target(values) !== confirmation.target)
      return message(
        mrkdwn`Not done: ${title}. The platform does not show ${code(confirmation.target)} any more: it was renamed or deleted.`,
        note('Nothing was changed.'),
      );
    if (isSoAlready({ before: now.before, after: asked.after }))
      return soAlreadyMessage(confirmation.target, asked.after);
    return sameState(asked.before, now.before)
      ? changedMessage(title, asked.after, { before: now.after })
      : changedMessage(title, asked.before, now);
  }

  /** Stores the reversal and that the change is sent, then sends the one request. */
  async function send({ values, context }: Resolved): Promise<Ended> {
    const dueIn = durationOf(operation, values);
    undo = isUndo ? undefined : undoOf(operation, confirmation, values);
    if (undo !== undefined) {
      const watchFor = isWatched(operation, values) ? WATCH_FOR : undefined;
      await store.reversals.keep({ confirmation: id, given: undo, dueIn, watchFor });
    }
    const approvedBy = byItself ?? (await approvedWords(services, confirmation));
    if (!(await store.confirmations.send(id))) {
      const present = (await store.confirmations.read(id)) ?? confirmation;
      return { kind: 'not-done', confirmation, message: stateMessage(services, present) };
    }
    sent = true;
    const result = await operation.run(values, context);
    await settle('done', approvedBy);
    const needsApproval =
      undo !== undefined &&
      (await undoNeedsApproval(services, { confirmation, operation, undo }, context, false).catch((error) => {
        // The press on Undo checks it again.
        log.info({ err: error }, 'whether an undo needs approval is not known');
        return false;
      }));
    const reveal = operation.reveal?.(result, values);
    const text = announcement(operation.render(result, values, reader), dueIn, needsApproval);
    return { kind: 'done', confirmation, message: text, ...(reveal === undefined ? {} : { reveal }) };
  }

  /** Stores the outcome. If the store fails, the person is told all the same, and `recover` ends the change. */
  async function settle(state: Ending, detail: string, reference?: string): Promise<void> {
    // An unknown change can be undone too, because an undo checks the state first.
    const undoable = undo !== undefined && (state === 'done' || state === 'unknown') ? (true as const) : undefined;
    const write = async () => {
      await store.confirmations.settle(id, state, detail);
      const more = { actor, outcome: auditWord(state), detail, rule, undoable, reference };
      await record(services, recordingOf(operation, confirmation, more));
      if (undoable) await store.reversals.open(id);
      unnotified.add(id);
    };
    try {
      // The outcome of a sent change has to be stored, even if the interaction has used up its time.
      await (sent ? unhurried(write, PATIENCE.statement) : write());
    } catch (error) {
      log.error({ err: error, confirmation: id, state }, 'how a change ended could not be written down');
    }
  }

  /** For a failed change, or one whose outcome is unknown: then it looks at the platform. */
  async function failed(error: unknown): Promise<Ended> {
    const problem = problemOf(error);
    logProblem(services, problem, error, operation);
    if (sent && problem.maybeApplied) {
      await settle('unknown', problem.summary, problem.reference);
      const place = await services.seePlace(placeOf(confirmation));
      const looked = await lookAgain(operation, confirmation, contextOf(services, { actor, place, signal }));
      // The message of a lost answer already says so.
      const doubt = !(error instanceof PlatformConnectionError) && 'It may have taken effect anyway.';
      const unknown = mrkdwn`Outcome unknown: ${title}.`;
      return { kind: 'unknown', confirmation, message: message(unknown, problem.message, doubt, looked) };
    }
    const isSaid = /nothing was (?:changed|done)/i.test(problem.message.text);
    const text = message(mrkdwn`Not done: ${title}.`, problem.message, !isSaid && note('Nothing was changed.'));
    // What was approved can be run again, and the clock tries again.
    const mayStand = Boolean(due ?? approval ?? byItself) && !sent && mayPass(error);
    if (mayStand && (await store.confirmations.stand(confirmation)))
      return { kind: 'not-done', confirmation, message: message(text, approval && actions(runButton(confirmation))) };
    await settle('failed', problem.summary, problem.reference);
    return { kind: 'not-done', confirmation, message: text };
  }

  function announcement(rendered: Message, putBackIn: number | undefined, needsApproval: boolean): Message {
    const back = putBackIn === undefined ? BUTTONS.undo : BUTTONS.putBackNow;
    const isGlass = confirmation.glassBroken === true;
    const glass = isGlass ? mrkdwn`, *without approval*` : '';
    return message(
      byItself !== undefined
        ? mrkdwn`↩️ Edgewise ${done}, as ${user(confirmation.actor)} asked · undone`
        : mrkdwn`${isUndo ? '↩️ ' : ''}${user(confirmation.actor)} ${done}${glass}${isUndo ? ' · undone' : ''}`,
      isGlass && section(mrkdwn`*Why:* ${confirmation.reason ?? ''}`),
      rendered,
      putBackIn !== undefined &&
        // A moment, not a duration from now, because the channel reads it later.
        note(mrkdwn`For ${duration(putBackIn)}; switches back ${moment(new Date(reader.now.getTime() + putBackIn))}.`),
      undo !== undefined &&
        isWatched(operation, confirmation.given) &&
        note(
          mrkdwn`Watched until ${moment(new Date(reader.now.getTime() + TEN))}, to be undone if far more requests fail by then, unless something else on the zone changes.`,
        ),
      undo !== undefined &&
        actions(undoButton(back, undoWordsOf(services, confirmation, undo).title, id, needsApproval)),
    );
  }
}

/** Never resolves: another process goes on with the change and tells its outcome, and this process is about to end. */
const neverEnds = (): Promise<never> => new Promise(() => undefined);

/** Approvals are judged by the present policy and by Slack. For an undo (`isMade`) Slack is not asked. */
async function isApproved(
  { store, actorNow }: Services,
  confirmation: Confirmation | undefined,
  rule: ApprovalRule,
  isMade: boolean,
): Promise<boolean> {
  if (confirmation?.approval === undefined) return false;
  if (confirmation.glassBroken === true) return rule.breakGlass !== undefined;
  const yes = (await store.approvals.verdicts(confirmation.id)).filter(({ verdict }) => verdict === 'approved');
  const counted = await Promise.all(
    yes.map(async ({ approver }) => {
      const actor: Actor = { id: approver, teamId: confirmation.team, kind: 'member' };
      return mayApprove(rule, isMade ? actor : await actorNow(actor), { id: confirmation.actor }).allowed;
    }),
  );
  return counted.filter((counts) => counts).length >= rule.count;
}

/** True if the undo needs an approval that those who approved the change do not give. */
export async function undoNeedsApproval(
  services: Services,
  { confirmation, operation, undo }: { confirmation: Confirmation; operation: AnyOperation; undo: Given },
  context: Context,
  fresh: boolean,
): Promise<boolean> {
  const { values } = await resolve(operation, undo, context, fresh);
  const rule = services.policy.approvalFor(operation, namesOf(operation, values));
  return rule !== undefined && !(await isApproved(services, confirmation, rule, true));
}

async function approvedWords({ store }: Services, confirmation: Confirmation): Promise<string> {
  if (confirmation.approval === undefined) return '';
  if (confirmation.glassBroken === true) return `without approval: ${confirmation.reason ?? ''}`;
  const verdicts = await store.approvals.verdicts(confirmation.id);
  return `approved by ${verdicts.map(({ approver }) => approver).join(', ')}`;
}
/** The platform did it, or may have. */
const isMade = ({ outcome }: Word): boolean => outcome === 'done' || outcome === 'unknown';

/** Throws UsageError if the audit contradicts the stored state, which somebody else may have written: states are not signed. */
async function believe(services: Services, confirmation: Confirmation): Promise<void> {
  const { audit, confirmations, keyed } = services.store;
  if (!keyed) return;
  const { id, undoes } = confirmation;
  const original = undoes === undefined ? confirmation : await confirmations.read(undoes);
  const found = original && (await audit.about(original.id, original.createdAt));
  const isLetThrough = ({ confirmation: about, outcome }: Word) => about === original?.id && outcome === 'break-glass';
  const why =
    found === undefined
      ? 'audit entries made since this was asked for are missing or were altered'
      : original?.glassBroken === true && !found.words.some(isLetThrough)
        ? 'the audit has no entry that it was let through without approval'
        : doubtOf(services, confirmation, found.words, found.now);
  if (why === undefined) return;
  services.log.error({ confirmation: id, why }, 'the store does not say what the bot has written there');
  throw new UsageError(`The bot’s store was changed by something other than Edgewise: ${why}.`, {
    hint: `Tell whoever runs Edgewise; ${toType('audit verify')} says more.`,
  });
}

function doubtOf(
  services: Services,
  confirmation: Confirmation,
  words: readonly Word[],
  now: Date,
): string | undefined {
  const { id, undoes } = confirmation;
  const own = words.filter((word) => word.confirmation === id);
  const ends = statesIn('over').map(auditWord);
  const end = own.find(({ outcome }) => ends.includes(outcome));
  if (end !== undefined) return `the audit says that this has already ended (${end.outcome})`;
  if (confirmation.due !== undefined && !own.some(({ outcome }) => outcome === 'planned'))
    return 'the audit has no entry that it was planned';
  if (undoes !== undefined) {
    if (!words.some((word) => word.confirmation === undoes && isMade(word)))
      return 'the audit has no entry that this was done';
    return words.some((word) => word.confirmation !== undoes && isMade(word))
      ? 'the audit says that this was already undone'
      : undefined;
  }
  return now.getTime() > latestExpiry(services, confirmation, own) ? 'its time had passed' : undefined;
}

/** Until when it can have been runnable, by the audit and the signed row. */
function latestExpiry(services: Services, confirmation: Confirmation, words: readonly Word[]): number {
  const { createdAt, approval, due } = confirmation;
  const approving = Math.max(approval?.lifetime ?? 0, approvalRuleOf(services, confirmation)?.expires ?? 0);
  const lifetimes: Record<string, number> = {
    waiting: approving,
    approved: approving,
    'break-glass': CONFIRMATION_LIFETIME,
  };
  const planned = due?.getTime() ?? 0;
  const ends = words.map(({ outcome, at }) => at.getTime() + (lifetimes[outcome] ?? 0));
  return Math.max(createdAt.getTime() + CONFIRMATION_LIFETIME, planned + CONFIRMATION_LIFETIME, ...ends) + 5_000;
}
