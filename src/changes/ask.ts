import type { Logger } from 'pino';
import { type Message, message } from '../blocks/message.ts';
import { UsageError } from '../errors.ts';
import type { Option } from '../operations/argument.ts';
import type { Actor, Place, Reader, ResolveContext } from '../operations/context.ts';
import { checked } from '../operations/grammar.ts';
import type { AnyOperation, Preview } from '../operations/operation.ts';
import { namesOf } from '../operations/policy-names.ts';
import { mayApprove, type Policy, UNAUDITED } from '../policy/policy.ts';
import { type Problem, problemOf } from '../problem.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';
import { durationOf } from './for-a-while.ts';
import { approvalWords } from './permission.ts';
import { previewMessage, putBackMessage, remarksOf } from './preview-message.ts';
import { type Progress, placeOf, type Steps, TIME_LIMIT } from './services.ts';

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

/** How somebody follows what they asked for while it goes on. */
export interface Following {
  progress?: Progress | undefined;
  /** Ends it with its reason: until the question nothing is changed. */
  stop?: AbortSignal | undefined;
}

/** Ends what takes too long, and says so. */
function late(): AbortSignal {
  const controller = new AbortController();
  const reason = new UsageError(
    `It took longer than ${TIME_LIMIT / 60_000} minutes, so it was stopped. Nothing was changed.`,
  );
  setTimeout(() => controller.abort(reason), TIME_LIMIT).unref();
  return controller.signal;
}

/** What comes of asking. */
export type Answer =
  | { kind: 'result'; message: Message; shareId?: string }
  /** `approval`: who has to approve it first, in words. */
  | { kind: 'ask'; confirmation: Confirmation; message: Message; approval?: { words: string; breakGlass: boolean } }
  | { kind: 'form'; missing: string[] }
  | { kind: 'problem'; message: Message; argument?: string; summary: string; outcome: Problem['outcome'] };

/** Everything up to the question: reads are answered, changes become a preview and a stored confirmation. Nothing is changed here. */
export type Asking = ReturnType<typeof createAsking>;

export function createAsking({
  store,
  steps,
  policy,
  log,
  now,
}: {
  store: Store;
  steps: Steps;
  policy: Policy;
  log: Logger;
  now: () => Date;
}) {
  const { known, permission, authorize, contextOf, resolve, shownPreviewOf, audit, logged } = steps;

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

  async function start(request: Request, { progress = () => undefined, stop }: Following = {}): Promise<Answer> {
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
      const signal = AbortSignal.any([late(), ...(stop === undefined ? [] : [stop])]);
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
        thread: place.threadTs,
        ...(approval === undefined
          ? {}
          : {
              approval: {
                count: approval.count,
                lifetime: approval.expires,
                names: namesOf(operation, resolved.values),
                kind: actor.kind,
                remarks: remarksOf(preview),
              },
            }),
      });
      return {
        kind: 'ask',
        confirmation,
        message: askedMessage(operation, target, resolved.values, preview),
        ...(approval === undefined
          ? {}
          : { approval: { words: approvalWords(approval, actor), breakGlass: approval.breakGlass?.id !== undefined } }),
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

  /** What waits, with all that is worth knowing, as it is now. Undefined: it does not wait any more, or is not for this person. */
  async function preview(id: string, reader: Actor): Promise<Message | undefined> {
    const found = await known(id);
    if (found === undefined || !mayRead(found.confirmation, reader)) return undefined;
    const { confirmation, operation } = found;
    const { actor, team, given, target, approval } = confirmation;
    const requester: Actor =
      actor === reader.id ? reader : { id: actor, teamId: team, kind: approval?.kind ?? 'member' };
    const context = contextOf(requester, placeOf(confirmation), AbortSignal.timeout(TIME_LIMIT), () => undefined);
    const resolved = await resolve(operation, given, context, true);
    return askedMessage(operation, target, resolved.values, await shownPreviewOf(operation, resolved));
  }

  /** The one who asked, and those who decide while it waits for them. */
  function mayRead({ actor, state, operation, approval }: Confirmation, reader: Actor): boolean {
    if (actor === reader.id) return true;
    const rule = state === 'waiting' ? policy.approvalFor({ name: operation }, approval?.names) : undefined;
    return rule !== undefined && mayApprove(rule, reader, { id: actor }).allowed;
  }

  async function suggest(
    { operation, given, actor, place }: Request,
    argument: string,
    query: string,
  ): Promise<Option[]> {
    const kind = operation.args[argument];
    if (kind?.suggest === undefined || !policy.decide(operation, actor, place).allowed) return [];
    const signal = AbortSignal.timeout(2_000);
    const context: ResolveContext = { ...contextOf(actor, place, signal, () => undefined), given, fresh: false };
    try {
      return await Promise.race([
        kind.suggest(query, context).then((found) => permission.choosable(operation, actor, place, found)),
        new Promise<Option[]>((settle) => signal.addEventListener('abort', () => settle([]))),
      ]);
    } catch (error) {
      log.warn({ err: error, operation: operation.name, argument }, 'no suggestions');
      return [];
    }
  }

  return { start, preview, suggest };
}

/** What would be done, and where it is for a while also what comes after that. */
function askedMessage(
  operation: AnyOperation,
  target: string,
  values: Record<string, unknown>,
  preview: Preview,
): Message {
  const until = durationOf(values);
  return message(
    previewMessage(operation, target, preview),
    until === undefined ? undefined : putBackMessage(preview, until),
  );
}
