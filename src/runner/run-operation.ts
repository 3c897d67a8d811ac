import { actionButton, actions, type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { OfferError, UsageError } from '../errors.ts';
import type { Actor, AnyOperation, Option, Place, Reader, ResolveContext, State } from '../operations/operation.ts';
import { namesOf } from '../operations/subjects.ts';
import { UNAUDITED } from '../policy/policy.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { createAftermath, type Recovered, standing } from './aftermath.ts';
import { type Approving, createApproving } from './approve.ts';
import { checked } from './grammar.ts';
import { changedMessage, previewMessage } from './preview-message.ts';
import { type Problem, problemOf } from './problem.ts';
import { sameState } from './states.ts';
import { createSteps, type Progress, type Resolved, type RunnerServices, TIME_LIMIT } from './steps.ts';
import { createUndoing, type Undoing } from './undo.ts';

export type { Progress, RunnerServices } from './steps.ts';

/** How often a claim says that it is alive, in milliseconds. */
const RENEW_EVERY = 15_000;

/** Somebody asked for an operation. */
export interface Request {
  operation: AnyOperation;
  given: Record<string, string>;
  actor: Actor;
  place: Place;
  reader: Reader;
  /** Set when a button that a refusal offered was pressed: only then may an operation run that cannot be typed. */
  offered?: boolean;
}

/** What comes of asking. */
export type Answer =
  | { kind: 'result'; message: Message; shareId?: string }
  /** `approval`: who has to approve it first, in words. */
  | { kind: 'ask'; confirmation: Confirmation; message: Message; approval?: { words: string; breakGlass: boolean } }
  | { kind: 'form'; missing: string[] }
  | { kind: 'problem'; message: Message; argument?: string; summary: string; outcome: Problem['outcome'] };

/** What comes of a confirmation. */
export type Outcome =
  /** Done: the message is for the channel, `reveal` for the one view of the one who asked. */
  | { kind: 'done'; confirmation: Confirmation; message: Message; reveal?: Message }
  /** Not done, or not known: for the one who pressed. `announce`: the channel should know too. */
  | { kind: 'not-done' | 'unknown'; confirmation?: Confirmation; message: Message; offer?: Answer }
  /** What was typed is not the name. The confirmation stands. */
  | { kind: 'retype'; message: string };

export interface Runner {
  /** Reads run at once; changes answer with a preview and a stored confirmation. Never throws. */
  start(request: Request, progress?: Progress): Promise<Answer>;
  /**
   * The button (and the typed name). Runs the change at most once, whatever is pressed, repeated or restarted. Never throws.
   * `claimed` is called once it is certain that this press is the one that counts.
   */
  confirm(
    id: string,
    pressed: { actor: Actor; reader: Reader; typedName?: string; claimed?: () => Promise<void> },
    progress?: Progress,
  ): Promise<Outcome>;
  /** Whoever has to know how a confirmation stands was told: until this is called, `recover` says it once more. */
  told(id: string): Promise<void>;
  cancel(id: string, actor: Actor): Promise<Message>;
  /** What the operation of a confirmation is, when the confirmation exists. */
  read(id: string): Promise<{ confirmation: Confirmation; operation: AnyOperation } | undefined>;
  suggest(request: Request, argument: string, query: string): Promise<Option[]>;
  /** Ends what a process that died had begun, or had not told. */
  recover(): Promise<Recovered[]>;
  /** What waited too long: each is handed out once, and again by `recover` unless `told` is called. */
  expire(): Promise<Confirmation[]>;
  /** What waits for its form once more: the preview as it is now, for the view in which the name is typed. */
  preview(id: string, actor: Actor): Promise<Message | undefined>;
  approving: Approving;
  undoing: Undoing;
}

export function createRunner(services: RunnerServices): Runner {
  const { store, policy, log, now } = services;
  const steps = createSteps(services);
  const { operationNamed, permission, authorize, contextOf, resolve, previewOf, shownPreviewOf, audit, logged } = steps;
  const approving = createApproving({ store, steps, policy });
  const { look, recover } = createAftermath({ store, steps, approving, log });
  const undoing = createUndoing({
    store,
    carryOut: (confirmation, actor, reader) => carryOut(confirmation, actor, reader, { ownUndo: true }),
    log,
    now,
  });

  async function problem(
    request: Request,
    error: unknown,
    target: string,
  ): Promise<Extract<Answer, { kind: 'problem' }>> {
    const { operation, actor, place, given } = request;
    const told = problemOf(error);
    logged(told, error, operation);
    if (told.outcome !== 'usage') {
      await audit({
        operation,
        actor,
        channel: place.channelId,
        target,
        given,
        outcome: told.outcome,
        detail: told.summary,
        reference: told.reference,
      });
    }
    return {
      kind: 'problem',
      message: told.message,
      summary: told.summary,
      outcome: told.outcome,
      ...(told.argument === undefined ? {} : { argument: told.argument }),
    };
  }

  async function start(request: Request, progress: Progress = () => undefined): Promise<Answer> {
    const { operation, given, actor, place } = request;
    let target = '';
    try {
      authorize(operation, actor, place);
      if (operation.offeredBy !== undefined && request.offered !== true) {
        throw new UsageError(
          `${operation.name} cannot be typed: a button offers it when ${operation.offeredBy} was refused.`,
        );
      }
      const { missing } = checked(operation, given, now());
      if (missing.length > 0) return { kind: 'form', missing };
      const signal = AbortSignal.timeout(TIME_LIMIT);
      // A preview shows what is now, not what a list said a minute ago.
      const fresh = operation.effect !== 'read';
      const resolved = await resolve(
        operation,
        given,
        contextOf(actor, place, signal, progress, request.reader),
        fresh,
      );
      target = operation.target(resolved.values);
      const { rule, approval } = authorize(operation, actor, place, resolved.values);
      if (operation.effect === 'read') {
        const result = await operation.run(resolved.values, resolved.context);
        const shown = operation.render(result, resolved.values, request.reader);
        await audit({
          operation,
          actor,
          channel: place.channelId,
          target,
          given: resolved.canonical,
          outcome: 'done',
          rule,
        });
        const { files, ...keepable } = shown;
        const shareId =
          UNAUDITED.has(operation.name) || files !== undefined ? undefined : await store.results.keep(actor, keepable);
        return { kind: 'result', message: shown, ...(shareId === undefined ? {} : { shareId }) };
      }
      const preview = await shownPreviewOf(operation, resolved);
      if (durationOf(resolved.values) !== undefined && preview.before === undefined) {
        throw new UsageError('It could not be put back: the platform does not show the present state.', {
          hint: 'Leave --for out.',
          argument: 'for',
        });
      }
      const confirmation = await store.confirmations.ask({
        operation: operation.name,
        given: resolved.canonical,
        target,
        ...(operation.effect === 'destructive' && resolved.canonical.force === undefined ? { typedName: target } : {}),
        preview: { before: preview.before, after: preview.after },
        actor: actor.id,
        team: actor.teamId,
        channel: place.channelId,
        ...(place.threadTs === undefined ? {} : { thread: place.threadTs }),
        ...(approval === undefined
          ? {}
          : {
              approval: {
                count: approval.count,
                lifetime: approval.expires,
                names: namesOf(operation, resolved.values),
              },
            }),
      });
      const shown = previewMessage(operation, target, preview);
      const until = resolved.values.for;
      return {
        kind: 'ask',
        confirmation,
        message:
          typeof until === 'number'
            ? message(
                shown,
                note(`Put back by itself ${minutesWords(until)} after it was done, if nothing has changed by then.`),
              )
            : shown,
        ...(approval === undefined
          ? {}
          : { approval: { words: approval.words, breakGlass: approval.breakGlass?.id !== undefined } }),
      };
    } catch (error) {
      try {
        return await problem(request, error, target);
      } catch (second) {
        log.error({ err: second }, 'the store failed while a problem was reported');
        return { kind: 'problem', message: problemOf(second).message, summary: 'the store failed', outcome: 'error' };
      }
    }
  }

  async function claimed(
    id: string,
    actor: Actor,
    typedName: string | undefined,
  ): Promise<{ confirmation: Confirmation } | { refusal: Outcome }> {
    const row = await store.confirmations.read(id);
    const refused = (text: Message, confirmation?: Confirmation) => ({
      refusal: { kind: 'not-done' as const, message: text, ...(confirmation === undefined ? {} : { confirmation }) },
    });
    if (row === undefined)
      return refused(
        message('This confirmation is not known any more. Nothing was done.', note('Repeat the command.')),
      );
    if (row.actor !== actor.id || row.team !== actor.teamId) {
      return refused(
        message(
          mrkdwn`This confirmation belongs to ${user(row.actor)}. Nothing was done.`,
          note('Type the command yourself to do it.'),
        ),
      );
    }
    if (row.state === 'asked' && row.typedName !== undefined && typedName?.trim() !== row.typedName) {
      return { refusal: { kind: 'retype', message: `Type exactly: ${row.typedName}` } };
    }
    const confirmation = await store.confirmations.claim(id, actor);
    if (confirmation !== undefined) return { confirmation };
    return refused(standing((await store.confirmations.read(id)) ?? row), row);
  }

  async function confirm(
    id: string,
    pressed: { actor: Actor; reader: Reader; typedName?: string; claimed?: () => Promise<void> },
    progress: Progress = () => undefined,
  ): Promise<Outcome> {
    const { actor, reader, typedName } = pressed;
    let confirmation: Confirmation | undefined;
    try {
      const claim = await claimed(id, actor, typedName);
      if ('refusal' in claim) return claim.refusal;
      confirmation = claim.confirmation;
      await pressed.claimed?.();
      return await carryOut(confirmation, actor, reader, { progress });
    } catch (error) {
      // Only the store can fail here: what the platform does is caught inside.
      const told = problemOf(error);
      log.error({ err: error, reference: told.reference, confirmation: id }, 'a confirmation could not be carried out');
      return { kind: 'unknown', message: told.message, ...(confirmation === undefined ? {} : { confirmation }) };
    }
  }

  async function carryOut(
    confirmation: Confirmation,
    actor: Actor,
    reader: Reader,
    { progress = () => undefined, ownUndo = false }: { progress?: Progress; ownUndo?: boolean } = {},
  ): Promise<Outcome> {
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
    const place: Place = {
      channelId: confirmation.channel,
      ...(confirmation.thread === undefined ? {} : { threadTs: confirmation.thread }),
    };
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
    const settle = async (state: 'done' | 'failed' | 'unknown' | 'refused', detail: string, reference?: string) => {
      await store.confirmations.settle(id, state, detail);
      await record(state, detail, reference);
      // Even where nobody can tell whether it was made: it is taken back only if the platform shows it.
      if (undo !== undefined && (state === 'done' || state === 'unknown')) await store.reversals.open(id);
      steps.recorded(id);
    };
    const signal = AbortSignal.timeout(TIME_LIMIT);
    const renewing = setInterval(() => {
      store.confirmations.renew(id).catch((error: unknown) => log.warn({ err: error }, 'a claim could not be renewed'));
    }, RENEW_EVERY);
    let sent = false;
    let resolved: Resolved | undefined;
    try {
      authorize(operation, actor, place);
      resolved = await resolve(operation, given, contextOf(actor, place, signal, progress, reader), true);
      const decision = authorize(operation, actor, place, resolved.values);
      rule = decision.rule;
      // The policy may have become stricter since it was asked. Undoing one's own change needs no second approval.
      if (decision.approval !== undefined && confirmation.approval === undefined && !ownUndo) {
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
      if (!(await store.confirmations.send(id))) {
        return {
          kind: 'not-done',
          confirmation,
          message: standing((await store.confirmations.read(id)) ?? confirmation),
        };
      }
      sent = true;
      const result = await operation.run(resolved.values, resolved.context);
      try {
        await settle('done', await approvalWords(confirmation));
      } catch (error) {
        // It was done, whatever the store says: the person is told so, and what is left half written is ended by `recover`.
        log.error({ err: error, confirmation: id }, 'a change that was made could not be settled');
      }
      const reveal = operation.reveal?.(result, resolved.values);
      return {
        kind: 'done',
        confirmation,
        message: announcement(operation, operation.render(result, resolved.values, reader), confirmation, {
          undoable: undo !== undefined,
          putBackIn: durationOf(resolved.values),
        }),
        ...(reveal === undefined ? {} : { reveal }),
      };
    } catch (error) {
      const told = problemOf(error);
      logged(told, error, operation);
      if (sent && told.maybeApplied && resolved !== undefined) {
        await settle('unknown', told.summary, told.reference);
        const looked = await look(operation, confirmation, contextOf(actor, place, signal, progress));
        return { kind: 'unknown', confirmation, message: message(told.message, looked) };
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

  /** Who agreed to it, for the audit. */
  async function approvalWords(confirmation: Confirmation): Promise<string> {
    if (confirmation.approval === undefined) return '';
    if (confirmation.glassBroken === true) return `without approval: ${confirmation.reason ?? ''}`;
    const verdicts = await store.approvals.verdicts(confirmation.id);
    return `approved by ${verdicts
      .filter(({ verdict }) => verdict === 'approved')
      .map(({ approver }) => approver)
      .join(', ')}`;
  }

  return {
    start,
    confirm,
    async cancel(id, actor) {
      const done = await store.confirmations.cancel(id, actor);
      const confirmation = await store.confirmations.read(id);
      if (!done)
        return confirmation === undefined
          ? message('This confirmation is not known any more.')
          : cannotCancel(confirmation, actor);
      const operation = confirmation === undefined ? undefined : operationNamed(confirmation.operation);
      if (confirmation !== undefined && operation !== undefined) {
        const { channel, target, given } = confirmation;
        await audit({ operation, actor, channel, target, given, outcome: 'cancelled', confirmation: id });
      }
      steps.recorded(id);
      return message('Cancelled. Nothing was done.');
    },
    told: steps.told,
    recover,
    async expire() {
      const expired = await store.confirmations.expire();
      for (const { id } of expired) steps.recorded(id);
      return expired;
    },
    approving,
    undoing,
    async preview(id, actor) {
      const confirmation = await store.confirmations.read(id);
      const operation = confirmation === undefined ? undefined : operationNamed(confirmation.operation);
      if (confirmation === undefined || operation === undefined || confirmation.actor !== actor.id) return undefined;
      const place: Place = { channelId: confirmation.channel };
      const context = contextOf(actor, place, AbortSignal.timeout(TIME_LIMIT), () => undefined);
      const resolved = await resolve(operation, confirmation.given, context, true);
      return previewMessage(operation, confirmation.target, await shownPreviewOf(operation, resolved));
    },
    async read(id) {
      const confirmation = await store.confirmations.read(id);
      const operation = confirmation === undefined ? undefined : operationNamed(confirmation.operation);
      return confirmation === undefined || operation === undefined ? undefined : { confirmation, operation };
    },
    async suggest({ operation, given, actor, place }, argument, query) {
      const kind = operation.args[argument];
      if (kind?.suggest === undefined || !policy.decide(operation, actor, place).allowed) return [];
      const signal = AbortSignal.timeout(2_000);
      const context: ResolveContext = { ...contextOf(actor, place, signal, () => undefined), given, fresh: false };
      try {
        return await Promise.race([
          kind.suggest(query, context).then((found) => permission.choosable(operation, actor, place, found)),
          new Promise<Option[]>((settle) => signal.addEventListener('abort', () => settle([]), { once: true })),
        ]);
      } catch (error) {
        log.warn({ err: error, operation: operation.name, argument }, 'no suggestions');
        return [];
      }
    },
  };
}

function cannotCancel(confirmation: Confirmation, actor: Actor): Message {
  if (confirmation.actor !== actor.id) return message(mrkdwn`Only ${user(confirmation.actor)} can cancel this.`);
  return standing(confirmation);
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

/** `--for 30m`: after how many ms it is put back by itself. */
function durationOf(values: Record<string, unknown>): number | undefined {
  return typeof values.for === 'number' ? values.for : undefined;
}

function minutesWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}

/** For the channel: what was done, by whom, and the button that takes it back. */
function announcement(
  operation: AnyOperation,
  rendered: Message,
  confirmation: Confirmation,
  { undoable, putBackIn }: { undoable: boolean; putBackIn: number | undefined },
): Message {
  const again = putBackIn === undefined ? '' : ` · put back by itself in ${minutesWords(putBackIn)}`;
  return message(
    rendered,
    note(mrkdwn`${user(confirmation.actor)} · ${code(operation.name)}${again}`),
    undoable &&
      actions(
        actionButton('undo', putBackIn === undefined ? 'Undo' : 'Put back now', confirmation.id, {
          ask: {
            title: 'Take it back?',
            text: 'It is put back only if nothing else has changed it since.',
            yes: 'Take it back',
          },
        }),
      ),
  );
}
