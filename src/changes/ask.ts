import { countOf } from '../blocks/format.ts';
import { type Message, message, note } from '../blocks/message.ts';
import { ForbiddenError, UsageError } from '../errors.ts';
import { currentInteraction, noted } from '../interaction.ts';
import type { Given, Option } from '../operations/argument.ts';
import { typedOption } from '../operations/arguments/resources/look-up.ts';
import type { Actor, Reader, SeenPlace } from '../operations/context.ts';
import { argumentWith, checked, givenAs } from '../operations/grammar.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Names } from '../policy/names.ts';
import type { Decision } from '../policy/policy.ts';
import { type Problem, problemOf } from '../problem.ts';
import { withinCap } from '../store/caps.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { MINUTE } from '../time.ts';
import {
  approvalNeeded,
  contextOf,
  durationOf,
  inTime,
  type Resolved,
  resolve,
  resolveContextOf,
  TIME_LIMIT,
} from './context.ts';
import { approvalWords, asTheyAre, asTheyRead, authorize, choosable, namesOf } from './permission.ts';
import {
  fullPreviewMessage,
  fullPreviewOf,
  isSoAlready,
  previewOf,
  recordRead,
  remarksOf,
  soAlreadyMessage,
} from './preview.ts';
import { logProblem, record } from './record.ts';
import type { Progress, Services } from './services.ts';

export interface Request {
  operation: AnyOperation;
  given: Given;
  actor: Actor;
  place: SeenPlace;
  reader: Reader;
  /** Set when a button that a refusal offered was pressed: only then may an operation run that cannot be typed. */
  offered?: boolean;
}

/** A person follows the work while it goes on. */
export interface Following {
  progress?: Progress | undefined;
  /** Ends the work with its reason. Nothing was changed by then. */
  stop?: AbortSignal | undefined;
}

/** An answer that its reader may share, and what it is an answer to. */
export interface Shareable {
  message: Message;
  operation: string;
  names: Names;
}

/** The result of asking: a read's message, the question before a change, the arguments that are missing, or a problem. */
export type AskResult =
  | { kind: 'result'; message: Message; shareId?: string }
  /** The platform shows already what was asked for: there is nothing to confirm. */
  | { kind: 'unchanged'; message: Message }
  /** `approval`: who has to approve it first, in words. */
  | {
      kind: 'question';
      confirmation: Confirmation;
      message: Message;
      approval?: { words: string; breakGlass: boolean };
    }
  | { kind: 'form'; missing: string[] }
  | {
      kind: 'problem';
      message: Message;
      argument?: string;
      instead?: readonly string[] | undefined;
      /** Somebody who may do it, where the person may know that. */
      whom?: { id: string; name: string } | undefined;
      summary: string;
      outcome: Problem['outcome'];
    };

/** Answers a read at once. A change becomes a preview and a stored confirmation. Never throws. */
export function ask(services: Services, request: Request, following: Following = {}): Promise<AskResult> {
  noted({ command: request.operation.name });
  return inTime((signal) => askNow(services, request, following, signal), late);
}

async function askNow(
  services: Services,
  request: Request,
  following: Following,
  late: AbortSignal,
): Promise<AskResult> {
  const { operation, given } = request;
  let target = '';
  try {
    authorize(services, operation, request.actor, request.place);
    if (operation.offeredBy !== undefined && request.offered !== true) {
      throw new UsageError(
        `${operation.name} cannot be typed: a button offers it when ${operation.offeredBy} was refused.`,
      );
    }
    const { missing } = checked(operation, given, services.now());
    if (missing.length > 0) noted({ outcome: 'form' });
    if (missing.length > 0) return { kind: 'form', missing };
    // A read shows what a right of a moment ago allows; a change needs it now.
    const { actor, place } = operation.effect === 'read' ? request : await asTheyAre(services, request);
    const { progress, stop } = following;
    const signal = AbortSignal.any([late, ...(stop === undefined ? [] : [stop])]);
    const context = contextOf(services, { actor, place, signal, progress, reader: request.reader });
    // A preview shows the present state, not that of a list of a minute ago.
    const typed = typedTarget(operation, given);
    const resolved = await resolve(operation, given, context, operation.effect !== 'read').catch((error: unknown) => {
      throw asTheyRead(services, operation, { actor, place }, error, typed);
    });
    target = operation.target(resolved.values);
    const decision = authorize(services, operation, actor, place, resolved.values, typed);
    return operation.effect === 'read'
      ? await runRead(services, request, resolved, target, decision)
      : await previewChange(services, { ...request, actor, place }, resolved, target, decision);
  } catch (error) {
    try {
      return await problem(services, request, error, target);
    } catch (second) {
      services.log.error({ err: second }, 'the store failed while a problem was reported');
      return { kind: 'problem', message: problemOf(second).message, summary: 'the store failed', outcome: 'error' };
    }
  }
}

/** Nothing that is asked for changes anything. */
const late = () =>
  new UsageError(`It took longer than ${TIME_LIMIT / MINUTE} minutes, so it was stopped. Nothing was changed.`);

/** Says of an answer what of the platform's could not be read. */
function withLeftOut(shown: Message, reader: Reader): Message {
  const { leftOut = 0 } = currentInteraction() ?? {};
  if (leftOut === 0) return shown;
  const which = `${countOf(leftOut, 'item', reader)} of the platform’s answer could not be read`;
  return { ...shown, ...message(shown, note(`${which}: left out here.`)) };
}

/** Runs a read, and keeps its answer for sharing. */
async function runRead(
  services: Services,
  { operation, actor, place, reader }: Request,
  { values, canonical, context }: Resolved,
  target: string,
  { rule }: Decision,
): Promise<AskResult> {
  const result = await operation.run(values, context);
  const shown = withLeftOut(operation.render(result, values, reader), reader);
  const channel = place.channelId;
  await record(services, { operation, actor, channel, target, given: canonical, outcome: 'done', rule });
  const {
    files,
    isEmpty = false,
    ...keepable
  }: Partial<Message> = (operation.shareable === undefined ? shown : operation.shareable(result)) ?? {};
  const isKept = operation.audited !== 'never' && files === undefined && !isEmpty && 'blocks' in keepable;
  if (!isKept) return { kind: 'result', message: shown };
  const names = namesOf(operation, values);
  const kept: Shareable = { message: keepable as Message, operation: operation.name, names };
  const shareId = await services.store.results.keep(actor, kept);
  return { kind: 'result', message: shown, ...(shareId === undefined ? {} : { shareId }) };
}

async function previewChange(
  services: Services,
  { operation, actor, place }: Request,
  asked: Resolved,
  target: string,
  { rule }: Decision,
): Promise<AskResult> {
  const { values, canonical } = asked;
  const needsApproval = services.policy.approvalFor(operation, namesOf(operation, values)) !== undefined;
  const resolved = needsApproval ? { ...asked, context: { ...asked.context, approval: 'pending' as const } } : asked;
  const isForAWhile = durationOf(operation, values) !== undefined;
  const read = await previewOf(operation, resolved);
  if (isSoAlready(read)) {
    const channel = place.channelId;
    await record(services, { operation, actor, channel, target, given: canonical, outcome: 'unchanged', rule });
    const until = await services.store.reversals.dueAt(operation.name, target);
    return { kind: 'unchanged', message: soAlreadyMessage(target, read.after, until) };
  }
  const preview = await fullPreviewOf(operation, resolved, read);
  await recordRead(services, operation, { actor, channel: place.channelId, target, given: canonical, rule }, preview);
  if (isForAWhile) withinCap('reversals', await services.store.reversals.pending(actor));
  if (isForAWhile && preview.before === undefined) {
    throw new UsageError('It can’t switch back later: the platform does not show the current state.', {
      hint: 'Leave --for out.',
      argument: argumentWith(operation, 'switch back after')!,
    });
  }
  const { approval, names } = await approvalNeeded(services, operation, resolved, preview);
  const confirmation = await services.store.confirmations.create({
    operation: operation.name,
    given: canonical,
    target,
    ...(isTyped(operation, canonical) ? { typedName: operation.typed?.(resolved.values) ?? target } : {}),
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
            names,
            kind: actor.kind,
            remarks: remarksOf(preview),
          },
        }),
  });
  noted({ outcome: 'asked' });
  return {
    kind: 'question',
    confirmation,
    message: fullPreviewMessage(operation, { target, given: canonical }, resolved, preview),
    ...(approval === undefined
      ? {}
      : {
          approval: {
            words: await approvalWords(services, approval, actor),
            breakGlass: approval.breakGlass?.id !== undefined,
          },
        }),
  };
}

/** The reason that a request came to nothing, for the person, the log and the audit. */
async function problem(services: Services, request: Request, error: unknown, target: string): Promise<AskResult> {
  const { operation, actor, place, given } = request;
  const found = problemOf(error);
  const { message, summary, outcome, argument, instead, reference } = found;
  logProblem(services, found, error, operation);
  noted({ outcome });
  if (outcome !== 'usage') {
    const channel = place.channelId;
    await record(services, { operation, actor, channel, target, given, outcome, detail: summary, reference });
  }
  const id = error instanceof ForbiddenError && operation.offeredBy === undefined ? error.whom : undefined;
  const whom = id === undefined ? undefined : { id, name: (await services.names.person(id))?.name ?? id };
  return { kind: 'problem', message, summary, outcome, instead, whom, ...(argument === undefined ? {} : { argument }) };
}

/** The target as it was typed: by the first argument that was given. */
function typedTarget({ args }: AnyOperation, given: Given): string | undefined {
  return Object.keys(args).flatMap((key) => given[key] ?? [])[0];
}

/** The name of the target has to be typed to confirm. */
function isTyped(operation: AnyOperation, given: Given): boolean {
  return operation.effect === 'destructive' && givenAs(operation, 'confirm without typing', given) === undefined;
}

/** The options for an argument that the person may choose; only what was typed when they cannot be had in time. */
export async function suggest(
  services: Services,
  { operation, given, actor, place }: Request,
  argument: string,
  query: string,
): Promise<Option[]> {
  const kind = operation.args[argument];
  if (kind?.suggest === undefined || !services.policy.decide(operation, actor, place).allowed) return [];
  // Slack waits three seconds for suggestions.
  const signal = AbortSignal.timeout(2_000);
  const context = resolveContextOf(operation, contextOf(services, { actor, place, signal }), given, false);
  try {
    return await Promise.race([
      kind.suggest(query, context).then((found) => choosable(services, operation, actor, place, found)),
      new Promise<never>((_, fail) => signal.addEventListener('abort', () => fail(signal.reason))),
    ]);
  } catch (error) {
    services.log.warn({ err: error, operation: operation.name, argument }, 'no suggestions');
    const typed = query.trim();
    const own = typed === '' ? undefined : typedOption(typed, (text) => kind.check(text, services.now()));
    return own === undefined ? [] : [own];
  }
}
