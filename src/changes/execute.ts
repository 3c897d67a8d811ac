import type { Logger } from 'pino';
import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { code, moment, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { OfferError, UsageError } from '../errors.ts';
import type { Actor, Place, Reader } from '../operations/context.ts';
import type { AnyOperation, State } from '../operations/operation.ts';
import { PlatformConnectionError } from '../platform/errors.ts';
import type { ApprovalRule } from '../policy/policy.ts';
import { problemOf } from '../problem.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';
import type { Answer, Asking } from './ask.ts';
import { durationOf, durationWords } from './for-a-while.ts';
import { changedMessage, notPutBackMessage } from './preview-message.ts';
import { type Aftermath, standing } from './recover.ts';
import { sameState } from './same-state.ts';
import { type Progress, placeOf, type Steps, TIME_LIMIT } from './services.ts';
import { isTakingBack } from './undo.ts';

/** How often a claim says that it is alive, in milliseconds. */
const RENEW_EVERY = 15_000;

/** How a change ended. */
export type Ended =
  /** Done: the message is for the channel, `reveal` for the one view of the one who asked. */
  | { kind: 'done'; confirmation: Confirmation; message: Message; reveal?: Message }
  /** Not done, or not known: for the one who pressed. `offer`: how it can be gone on with. */
  | { kind: 'not-done' | 'unknown'; confirmation?: Confirmation; message: Message; offer?: Answer };

/** What comes of a confirmation. */
export type Outcome =
  | Ended
  /** What was typed is not the name. The confirmation stands. */
  | { kind: 'retype'; message: string };

/** The one path by which anything is changed: what was claimed is checked once more, sent once, settled and told. */
export type CarryOut = (
  confirmation: Confirmation,
  actor: Actor,
  reader: Reader,
  how?: { progress?: Progress; ownUndo?: boolean },
) => Promise<Ended>;

export function createCarryingOut({
  store,
  steps,
  start,
  look,
  log,
}: {
  store: Store;
  steps: Steps;
  start: Asking['start'];
  look: Aftermath['look'];
  log: Logger;
}): CarryOut {
  const { operationNamed, authorize, contextOf, resolve, previewOf, audit, logged } = steps;

  async function carryOut(
    confirmation: Confirmation,
    actor: Actor,
    reader: Reader,
    { progress = () => undefined, ownUndo = false }: { progress?: Progress; ownUndo?: boolean } = {},
  ): Promise<Ended> {
    const { id, target, given } = confirmation;
    const operation = operationNamed(confirmation.operation);
    if (operation === undefined) {
      await store.confirmations.settle(id, 'refused', 'the command does not exist any more');
      steps.recorded(id);
      return {
        kind: 'not-done',
        confirmation,
        message: message('This command does not exist any more. Nothing was done.'),
      };
    }
    if (confirmation.unreadable === true) {
      await store.confirmations.settle(id, 'refused', 'sealed with another key');
      steps.recorded(id);
      return {
        kind: 'not-done',
        confirmation,
        message: message(
          'What you asked for cannot be read any more: the key of the bot’s store has changed. Nothing was done.',
          note('Repeat the command.'),
        ),
      };
    }
    const place = placeOf(confirmation);
    let rule: string | undefined;
    let undo: Record<string, string> | undefined;
    const record = (outcome: string, detail: string, reference?: string) =>
      audit({
        operation,
        actor,
        channel: place.channelId,
        target,
        given,
        outcome,
        detail,
        rule,
        preview: confirmation.preview,
        confirmation: id,
        reference,
      });
    /** It came to this, whatever the store says: the person is told so, and what is left half written is ended by `recover`. */
    const settle = async (state: 'done' | 'failed' | 'unknown' | 'refused', detail: string, reference?: string) => {
      try {
        await store.confirmations.settle(id, state, detail);
        await record(state, detail, reference);
        // Even where nobody can tell whether it was made: it is taken back only if the platform shows it.
        if (undo !== undefined && (state === 'done' || state === 'unknown')) await store.reversals.open(id);
        steps.recorded(id);
      } catch (error) {
        log.error({ err: error, confirmation: id, state }, 'how a change ended could not be written down');
      }
    };
    const signal = AbortSignal.timeout(TIME_LIMIT);
    const renewing = setInterval(() => {
      store.confirmations.renew(id).catch((error: unknown) => log.warn({ err: error }, 'a claim could not be renewed'));
    }, RENEW_EVERY);
    let sent = false;
    try {
      authorize(operation, actor, place);
      const resolved = await resolve(operation, given, contextOf(actor, place, signal, progress, reader), true);
      const decision = authorize(operation, actor, place, resolved.values);
      rule = decision.rule;
      // Undoing one's own change needs no second approval.
      if (decision.approval !== undefined && !ownUndo && !(await isApproved(confirmation, decision.approval))) {
        throw new UsageError(`This needs ${decision.approval.words} by now.`, {
          hint: 'Repeat the command to ask for it.',
        });
      }
      const preview = await previewOf(operation, resolved);
      const asked = confirmation.preview as { before?: State; after: State };
      const isSameBefore = sameState(asked.before, preview.before);
      if (operation.target(resolved.values) !== target || !isSameBefore || !sameState(asked.after, preview.after)) {
        await settle('refused', 'changed since it was asked');
        if (ownUndo && sameState(asked.after, preview.before)) {
          return {
            kind: 'not-done',
            confirmation,
            message: message('It is as it was before: nothing had to be put back.'),
          };
        }
        if (ownUndo) {
          const text = notPutBackMessage(target, asked.before, preview.before);
          return { kind: 'not-done', confirmation, message: text };
        }
        return {
          kind: 'not-done',
          confirmation,
          message: isSameBefore
            ? changedMessage(target, asked.after, preview.after)
            : changedMessage(target, asked.before, preview.before, preview.unread),
        };
      }
      undo = ownUndo ? undefined : undoOf(operation, confirmation, resolved.values);
      if (undo !== undefined)
        await store.reversals.keep({ confirmation: id, given: undo, dueIn: durationOf(resolved.values) });
      const approvedBy = await approvalWords(confirmation);
      if (!(await store.confirmations.send(id))) {
        return {
          kind: 'not-done',
          confirmation,
          message: standing((await store.confirmations.read(id)) ?? confirmation),
        };
      }
      sent = true;
      const result = await operation.run(resolved.values, resolved.context);
      await settle('done', approvedBy);
      const reveal = operation.reveal?.(result, resolved.values);
      return {
        kind: 'done',
        confirmation,
        message: announcement(operation, operation.render(result, resolved.values, reader), confirmation, {
          undoable: undo !== undefined,
          putBackIn: durationOf(resolved.values),
          now: reader.now,
        }),
        ...(reveal === undefined ? {} : { reveal }),
      };
    } catch (error) {
      const told = problemOf(error);
      logged(told, error, operation);
      if (sent && told.maybeApplied) {
        await settle('unknown', told.summary, told.reference);
        const looked = await look(operation, confirmation, contextOf(actor, place, signal, progress));
        // A lost answer says so itself.
        const doubt = !(error instanceof PlatformConnectionError) && 'It may have taken effect all the same.';
        return { kind: 'unknown', confirmation, message: message(told.message, doubt, looked) };
      }
      await settle('failed', told.summary, told.reference);
      const offer = error instanceof OfferError ? await offered(error, actor, place, reader) : undefined;
      return {
        kind: 'not-done',
        confirmation,
        message: message(told.message, message(note('Nothing was changed.'))),
        ...(offer === undefined ? {} : { offer }),
      };
    } finally {
      clearInterval(renewing);
    }
  }

  /** The platform refused, and another operation can go on from there: its preview, with buttons of its own. */
  async function offered(
    { offer }: OfferError,
    actor: Actor,
    place: Place,
    reader: Reader,
  ): Promise<Answer | undefined> {
    const operation = operationNamed(offer.operation);
    if (operation === undefined) return undefined;
    return start({ operation, given: offer.given, actor, place, reader, offered: true });
  }

  /** By the policy and the groups as they are now: since it was approved they may have become stricter. */
  async function isApproved(confirmation: Confirmation, rule: ApprovalRule): Promise<boolean> {
    if (confirmation.approval === undefined) return false;
    if (confirmation.glassBroken === true) return rule.breakGlass !== undefined;
    const verdicts = await store.approvals.verdicts(confirmation.id);
    const yes = verdicts.filter(
      ({ verdict, approver }) => verdict === 'approved' && (rule.anybody || rule.approvers.includes(approver)),
    );
    return yes.length >= rule.count;
  }

  /** Who agreed to it, for the audit: where one did not, it could not be run. */
  async function approvalWords(confirmation: Confirmation): Promise<string> {
    if (confirmation.approval === undefined) return '';
    if (confirmation.glassBroken === true) return `without approval: ${confirmation.reason ?? ''}`;
    const verdicts = await store.approvals.verdicts(confirmation.id);
    return `approved by ${verdicts.map(({ approver }) => approver).join(', ')}`;
  }

  return carryOut;
}

/** How the change would be taken back, where the operation says so and the state before it is known. */
function undoOf(
  operation: AnyOperation,
  { preview, given }: Confirmation,
  values: Record<string, unknown>,
): Record<string, string> | undefined {
  if (operation.undo === undefined || preview.before === undefined) return undefined;
  const back = operation.undo({ before: preview.before as State, after: preview.after as State }, values);
  const { for: _, ...rest } = given;
  return { ...rest, ...back };
}

/** For the channel: what was done, by whom, and the button that takes it back. */
function announcement(
  operation: AnyOperation,
  rendered: Message,
  confirmation: Confirmation,
  { undoable, putBackIn, now }: { undoable: boolean; putBackIn: number | undefined; now: Date },
): Message {
  // The channel reads it later too: a moment, and not how long it is from now.
  const again =
    putBackIn === undefined
      ? mrkdwn``
      : mrkdwn` · for ${durationWords(putBackIn)}: put back by itself ${moment(new Date(now.getTime() + putBackIn))}`;
  const back = isTakingBack(confirmation.id) ? ' · put back' : '';
  return message(
    rendered,
    note(mrkdwn`${user(confirmation.actor)} · ${code(operation.name)}${back}${again}`),
    undoable && actions(button(putBackIn === undefined ? BUTTONS.undo : BUTTONS.putBackNow, confirmation.id)),
  );
}
