import { actions, commandButton, type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { OfferError, UsageError } from '../errors.ts';
import type { Actor, AnyOperation, Option, Place, Reader, ResolveContext, State } from '../operations/operation.ts';
import { UNAUDITED } from '../policy/policy.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { createAftermath, standing } from './aftermath.ts';
import { checked, lineOf } from './grammar.ts';
import { changedMessage, previewMessage } from './preview-message.ts';
import { type Problem, problemOf } from './problem.ts';
import { sameState } from './states.ts';
import { createSteps, type Progress, type Resolved, type RunnerServices, TIME_LIMIT } from './steps.ts';

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
  | { kind: 'ask'; confirmation: Confirmation; message: Message }
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
  /** The button (and the typed name). Runs the change at most once, whatever is pressed, repeated or restarted. Never throws. */
  confirm(
    id: string,
    pressed: { actor: Actor; reader: Reader; typedName?: string },
    progress?: Progress,
  ): Promise<Outcome>;
  cancel(id: string, actor: Actor): Promise<Message>;
  /** What the operation of a confirmation is, when the confirmation exists. */
  read(id: string): Promise<{ confirmation: Confirmation; operation: AnyOperation } | undefined>;
  suggest(request: Request, argument: string, query: string): Promise<Option[]>;
  /** Ends what a process that died had begun. */
  recover(): Promise<{ confirmation: Confirmation; message: Message }[]>;
}

export function createRunner(services: RunnerServices): Runner {
  const { store, policy, log, now } = services;
  const steps = createSteps(services);
  const { operationNamed, permission, authorize, contextOf, resolve, previewOf, shownPreviewOf, audit, logged } = steps;
  const { look, recover } = createAftermath({ store, steps });

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
          `\`${operation.name}\` cannot be typed: a button offers it when \`${operation.offeredBy}\` was refused.`,
        );
      }
      const { missing } = checked(operation, given, now());
      if (missing.length > 0) return { kind: 'form', missing };
      const signal = AbortSignal.timeout(TIME_LIMIT);
      // A preview shows what is now, not what a list said a minute ago.
      const fresh = operation.effect !== 'read';
      const resolved = await resolve(operation, given, contextOf(actor, place, signal, progress), fresh);
      target = operation.target(resolved.values);
      const { rule } = authorize(operation, actor, place, resolved.values);
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
      });
      return { kind: 'ask', confirmation, message: previewMessage(operation, target, preview) };
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
    { actor, reader, typedName }: { actor: Actor; reader: Reader; typedName?: string },
    progress: Progress = () => undefined,
  ): Promise<Outcome> {
    let confirmation: Confirmation | undefined;
    try {
      const claim = await claimed(id, actor, typedName);
      if ('refusal' in claim) return claim.refusal;
      confirmation = claim.confirmation;
      return await carryOut(confirmation, actor, reader, progress);
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
    progress: Progress,
  ): Promise<Outcome> {
    const { id, target, given } = confirmation;
    const operation = operationNamed(confirmation.operation);
    if (operation === undefined) {
      await store.confirmations.settle(id, 'refused', 'the command does not exist any more');
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
    };
    const signal = AbortSignal.timeout(TIME_LIMIT);
    const renewing = setInterval(() => {
      store.confirmations.renew(id).catch((error: unknown) => log.warn({ err: error }, 'a claim could not be renewed'));
    }, RENEW_EVERY);
    let sent = false;
    let resolved: Resolved | undefined;
    try {
      authorize(operation, actor, place);
      resolved = await resolve(operation, given, contextOf(actor, place, signal, progress), true);
      ({ rule } = authorize(operation, actor, place, resolved.values));
      const preview = await previewOf(operation, resolved);
      const asked = confirmation.preview as { before?: State; after: State };
      const isSameBefore = sameState(asked.before, preview.before);
      if (operation.target(resolved.values) !== target || !isSameBefore || !sameState(asked.after, preview.after)) {
        await settle('refused', 'changed since it was asked');
        return {
          kind: 'not-done',
          confirmation,
          message: isSameBefore
            ? changedMessage(target, asked.after, preview.after)
            : changedMessage(target, asked.before, preview.before, preview.unread),
        };
      }
      if (!(await store.confirmations.send(id))) {
        return {
          kind: 'not-done',
          confirmation,
          message: standing((await store.confirmations.read(id)) ?? confirmation),
        };
      }
      sent = true;
      const result = await operation.run(resolved.values, resolved.context);
      await settle('done', '');
      const reveal = operation.reveal?.(result, resolved.values);
      return {
        kind: 'done',
        confirmation,
        message: announcement(
          operation,
          operation.render(result, resolved.values, reader),
          confirmation,
          resolved.values,
        ),
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

  function announcement(
    operation: AnyOperation,
    rendered: Message,
    confirmation: Confirmation,
    values: Record<string, unknown>,
  ): Message {
    const before = confirmation.preview.before as State | undefined;
    const undo =
      operation.undo !== undefined && before !== undefined
        ? operation.undo({ before, after: confirmation.preview.after as State }, values)
        : undefined;
    const line = undo === undefined ? undefined : lineOf(operation, { ...confirmation.given, ...undo });
    const by = message(note(mrkdwn`${user(confirmation.actor)} · ${code(operation.name)}`));
    return message(rendered, by, line === undefined ? undefined : message(actions(commandButton('Undo …', line))));
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
      return message('Cancelled. Nothing was done.');
    },
    recover,
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
