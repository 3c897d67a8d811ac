import { countOf } from '../blocks/format.ts';
import { type Message, message, note } from '../blocks/message.ts';
import { moment, mrkdwn } from '../blocks/mrkdwn.ts';
import { ForbiddenError, UsageError } from '../errors.ts';
import { currentInteraction, isByAgent, noted } from '../interaction.ts';
import { typedOption } from '../operations/arguments/resources/look-up.ts';
import type { Actor, Reader, SeenPlace } from '../operations/context.ts';
import { argumentWith, checked, givenAs } from '../operations/grammar.ts';
import type { AnyOperation, ArgumentRole, Given, Option, Preview } from '../operations/operation.ts';
import type { Names } from '../policy/names.ts';
import { type Problem, problemOf } from '../problem.ts';
import { withinCap } from '../store/caps.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { MINUTE, unlessAborted } from '../time.ts';
import { zoneAmong } from './after.ts';
import {
  approvalNeeded,
  contextOf,
  dueOf,
  durationOf,
  inTime,
  isWatched,
  type Resolved,
  resolve,
  resolveContextOf,
  TIME_LIMIT,
} from './context.ts';
import { approvalWords, asTheyAre, asTheyRead, authorize, namesOf } from './permission.ts';
import {
  fromAgent,
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
}

/** How a person follows work while it runs. */
export interface Following {
  progress?: Progress | undefined;
  /** Stops the work, with the signal’s reason. Nothing was changed by then. */
  stop?: AbortSignal | undefined;
}

/** An answer that its reader may share, with what it answers. */
export interface Shareable {
  message: Message;
  operation: string;
  names: Names;
}

/** A read’s answer, a change’s question, the missing arguments, or a problem. */
export type AskResult =
  | { kind: 'result'; message: Message; shareId?: string }
  /** The platform already has the wanted state, so there is nothing to confirm. */
  | { kind: 'unchanged'; message: Message }
  /** `approval.words`: who has to approve it first. */
  | {
      kind: 'question';
      confirmation: Confirmation;
      message: Message;
      approval?: { words: string; breakGlass: boolean } | undefined;
    }
  | { kind: 'form'; missing: string[] }
  | {
      kind: 'problem';
      message: Message;
      argument?: string;
      instead?: readonly string[] | undefined;
      /** Somebody who may run it, unless the person may not know that. */
      whom?: { id: string; name: string } | undefined;
      summary: string;
      outcome: Problem['outcome'];
    };

/** A read is answered at once. A change becomes a preview and a stored confirmation. Never throws. */
export function ask(services: Services, request: Request, following: Following = {}): Promise<AskResult> {
  noted({ command: request.operation.name });
  // True for every operation: asking changes nothing.
  const late = `It took longer than ${TIME_LIMIT / MINUTE} minutes, so it was stopped. Nothing was changed.`;
  return inTime(
    (signal) => askNow(services, request, following, signal),
    () => new UsageError(late),
  );
}

async function askNow(
  services: Services,
  request: Request,
  { progress, stop }: Following,
  late: AbortSignal,
): Promise<AskResult> {
  const { store, policy } = services;
  const { operation, given, reader } = request;
  let { actor, place } = request;
  let target = '';
  let rule: string | undefined;
  try {
    authorize(services, operation, actor, place);
    const { missing } = checked(operation, given, services.now());
    if (missing.length > 0) noted({ outcome: 'form' });
    if (missing.length > 0) return { kind: 'form', missing };
    // A read may use rights of some minutes ago. A change needs those of this moment.
    if (operation.effect !== 'read') ({ actor, place } = await asTheyAre(services, request));
    const signal = AbortSignal.any([late, ...(stop === undefined ? [] : [stop])]);
    const context = contextOf(services, { actor, place, signal, progress, reader });
    // What a refusal calls the target, as typed: the first that names a thing, else the first.
    const all = Object.entries(operation.args).filter(([key]) => given[key] !== undefined);
    const typed = given[(all.find(([, { names }]) => names !== undefined) ?? all[0])?.[0] ?? ''];
    // A preview needs the present state, so a change does not use cached lists.
    const resolved = await resolve(operation, given, context, operation.effect !== 'read').catch((error: unknown) => {
      throw asTheyRead(services, operation, { actor, place }, error, typed);
    });
    target = operation.target(resolved.values);
    rule = authorize(services, operation, actor, place, resolved.values, typed).rule;
    return operation.effect === 'read' ? await runRead(resolved) : await previewChange(resolved);
  } catch (error) {
    try {
      return await problem(error);
    } catch (second) {
      services.log.error({ err: second }, 'the store failed while a problem was reported');
      return { kind: 'problem', message: problemOf(second).message, summary: 'the store failed', outcome: 'error' };
    }
  }

  async function runRead({ values, canonical, context }: Resolved): Promise<AskResult> {
    const result = await operation.run(values, context);
    const { leftOut = 0 } = currentInteraction() ?? {};
    const which = `${countOf(leftOut, 'item', reader)} of the platform’s answer could not be read: left out here.`;
    const rendered = operation.render(result, values, reader);
    const shown = leftOut === 0 ? rendered : { ...rendered, ...message(rendered, note(which)) };
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
    const shareId = await store.results.keep(actor, kept);
    return { kind: 'result', message: shown, ...(shareId === undefined ? {} : { shareId }) };
  }

  async function previewChange(asked: Resolved): Promise<AskResult> {
    const { values, canonical } = asked;
    const about = { operation, actor, channel: place.channelId, target, given: canonical, rule };
    const due = dueOf(operation, values);
    const needsApproval = policy.approvalFor(operation, namesOf(operation, values)) !== undefined;
    const resolved = needsApproval ? { ...asked, context: { ...asked.context, approval: 'pending' as const } } : asked;
    const read = await previewOf(operation, resolved);
    if (isSoAlready(read)) {
      await record(services, { ...about, outcome: 'unchanged' });
      const until = await store.reversals.dueAt(operation.name, target);
      return { kind: 'unchanged', message: soAlreadyMessage(target, read.after, until) };
    }
    const full = await fullPreviewOf(operation, resolved, read);
    const preview = isByAgent() ? fromAgent(full) : full;
    await recordRead(services, operation, about, preview);
    if (due !== undefined) withinCap('approvals', await store.confirmations.waiting(actor));
    if (durationOf(operation, values) !== undefined) withinCap('reversals', await store.reversals.pending(actor));
    await checkBack(services, operation, values, preview);
    const { approval, names } = await approvalNeeded(services, operation, resolved, preview);
    const isTyped =
      operation.effect === 'destructive' && givenAs(operation, 'confirm without typing', canonical) === undefined;
    const confirmation = await store.confirmations.create({
      operation: operation.name,
      given: canonical,
      target,
      ...(isTyped ? { typedName: operation.typed?.(values) ?? target } : {}),
      preview: { before: preview.before, after: preview.after, worsens: preview.worsens, agent: isByAgent(), names },
      actor: actor.id,
      team: actor.teamId,
      channel: place.channelId,
      thread: place.threadTs,
      due,
      approval: approval && {
        count: approval.count,
        lifetime: approval.expires,
        kind: actor.kind,
        remarks: message(remarksOf(preview), preview.trouble && note(mrkdwn`As of ${moment(services.now())}.`)),
      },
    });
    noted({ outcome: 'asked' });
    return {
      kind: 'question',
      confirmation,
      message: fullPreviewMessage(operation, { target, given: canonical }, resolved, preview),
      approval: approval && {
        words: await approvalWords(services, approval, actor),
        breakGlass: approval.breakGlass?.id !== undefined,
      },
    };
  }

  /** What the person is told when a request fails. The log and the audit get it too. */
  async function problem(error: unknown): Promise<AskResult> {
    const found = problemOf(error);
    const { message: text, summary, outcome, argument, instead, reference } = found;
    logProblem(services, found, error, operation);
    noted({ outcome });
    if (outcome !== 'usage') {
      const channel = place.channelId;
      await record(services, { operation, actor, channel, target, given, outcome, detail: summary, reference });
    }
    const id = error instanceof ForbiddenError ? error.whom : undefined;
    const whom = id === undefined ? undefined : { id, name: (await services.names.person(id))?.name ?? id };
    return {
      ...{ kind: 'problem', message: text, summary, outcome, instead, whom },
      ...(argument === undefined ? {} : { argument }),
    };
  }
}

/** Throws UsageError if what `--for` or `--watch` promises could not be done. */
async function checkBack(
  services: Services,
  operation: AnyOperation,
  values: Record<string, unknown>,
  { before }: Preview,
): Promise<void> {
  const impossible = (role: ArgumentRole, why: string) => {
    const argument = argumentWith(operation, role)!;
    return new UsageError(why, { hint: `Leave \`--${argument}\` out.`, argument });
  };
  const unread = 'the platform does not show the current state.';
  if (durationOf(operation, values) !== undefined && before === undefined)
    throw impossible('switch back after', `It can’t switch back later: ${unread}`);
  if (!isWatched(operation, values)) return;
  if (before === undefined) throw impossible('take back if worse', `It can’t be undone: ${unread}`);
  const zone = await zoneAmong(services, operation, values);
  if (zone === undefined)
    throw impossible('take back if worse', 'It can’t be watched: I know no zone that it changes.');
  if (zone.EnableLogging === false)
    throw impossible('take back if worse', `It can’t be watched: ${zone.Name ?? zone.Id} keeps no access log.`);
}

/** Suggestions that the person may choose. If they do not come in time, only the typed text. */
export async function suggest(
  services: Services,
  { operation, given, actor, place }: Request,
  argument: string,
  query: string,
): Promise<Option[]> {
  const kind = operation.args[argument];
  const { policy } = services;
  if (kind?.suggest === undefined || !policy.decide(operation, actor, place).allowed) return [];
  // Slack waits three seconds for suggestions.
  const signal = AbortSignal.timeout(2_000);
  const context = resolveContextOf(operation, contextOf(services, { actor, place, signal }), given, false);
  try {
    const found = await unlessAborted(kind.suggest(query, context), signal);
    return found.filter(({ names }) => names === undefined || policy.decide(operation, actor, place, names).allowed);
  } catch (error) {
    services.log.warn({ err: error, operation: operation.name, argument }, 'no suggestions');
    const typed = query.trim();
    const own = typed === '' ? undefined : typedOption(typed, (text) => kind.check(text, services.now()));
    return own === undefined ? [] : [own];
  }
}
