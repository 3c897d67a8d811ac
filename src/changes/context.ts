import { BUTTONS, button, runButton } from '../blocks/buttons.ts';
import { type Part, sectionWith } from '../blocks/message.ts';
import { bold, moment, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { UsageError } from '../errors.ts';
import { atArgument, NotFoundError } from '../operations/arguments/resources/look-up.ts';
import type {
  Actor,
  Context,
  Place,
  PolicyView,
  Reader,
  ResolveContext,
  SeenPlace,
  WaitingApproval,
} from '../operations/context.ts';
import { checked, givenAs, readCommand } from '../operations/grammar.ts';
import type { AnyOperation, Given, Preview, State } from '../operations/operation.ts';
import { searchOperations } from '../operations/words/lexicon.ts';
import { toType } from '../own-name.ts';
import type { Names } from '../policy/names.ts';
import { type ApprovalRule, type Decision, mayApprove } from '../policy/policy.ts';
import type { StoredAuditEntry } from '../store/audit-entry.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { MINUTE } from '../time.ts';
import { isRunnable } from './change.ts';
import { approvalRuleOf, approvalWords, authorize, decisionOn, hintOf, namesOf } from './permission.ts';
import type { Progress, Services } from './services.ts';
import { undoWordsOf, wordsFor, wordsOf } from './words.ts';

export function operationNamed({ operations }: Services, name: string): AnyOperation | undefined {
  return operations.find((operation) => operation.name === name);
}

export async function findConfirmation(
  services: Services,
  id: string,
): Promise<{ confirmation: Confirmation; operation: AnyOperation } | undefined> {
  const confirmation = await services.store.confirmations.read(id);
  const operation = confirmation && operationNamed(services, confirmation.operation);
  return confirmation && operation && { confirmation, operation };
}

export function placeOf({ channel, thread }: Confirmation): Place {
  return { channelId: channel, threadTs: thread };
}

/** Who asks for some work, where, and for how long. */
export interface WorkOf {
  actor: Actor;
  place: SeenPlace;
  signal: AbortSignal;
  progress?: Progress | undefined;
  approval?: Context['approval'];
  /** Left out if nobody reads the result at once. */
  reader?: Reader | undefined;
}

export function contextOf(services: Services, work: WorkOf): Context {
  const { store } = services;
  const { actor, place, signal, progress = () => undefined } = work;
  const now = services.now();
  const reader = work.reader ?? { locale: 'en-US', timezone: 'UTC', now };
  return {
    platform: services.platform,
    catalogue: services.catalogue,
    reports: services.reports,
    reader,
    file: (id, maxBytes) => services.file(id, maxBytes, { user: actor.id, channel: place.channelId }),
    now,
    signal,
    actor,
    place,
    ...(work.approval === undefined ? {} : { approval: work.approval }),
    progress,
    agentTokens: store.agentTokens,
    audit: store.audit,
    timeLine: services.timeLine,
    saidOf: (entry) => saidOf(services, entry),
    approvals: {
      waiting: () => waitingApprovals(services, (one) => isTheirs(services, work, one)),
      own: () => ownRows(services, actor),
      planned: () => plannedRows(services, work),
    },
    names: services.names,
    policy: policyView(services, work),
    health: services.health,
    // Progress of v2 is reported in records where they are requested. Their bytes mean nothing to people.
    summariseLog: (source, format) =>
      services.summariseLog(source, format, {
        signal,
        ...(format === 'v1' ? { progress: (read: number) => progress(read, undefined, 'bytes') } : {}),
      }),
    outlineDefinition: (content) => services.outlineDefinition(content, signal),
    ...(services.environmentFile === undefined ? {} : { environmentFile: services.environmentFile }),
    ...(services.configuredDatabase === undefined ? {} : { configuredDatabase: services.configuredDatabase }),
  };
}

async function saidOf(
  services: Services,
  { operation: name, outcome, confirmation: id = '', ...entry }: StoredAuditEntry,
) {
  const operation = operationNamed(services, name);
  const { preview } = entry;
  if (outcome !== 'done' || preview === undefined || operation?.words === undefined) return {};
  const kept = entry.undoable === true ? await services.store.reversals.read(id) : undefined;
  const isOpen = kept?.state === 'open' && kept.undoUntil > services.now();
  const change = isOpen ? await services.store.confirmations.read(id) : undefined;
  return {
    done: wordsFor(operation, { ...entry, ...(preview as Pick<Preview, 'before' | 'after'>) }).done,
    undo: change && undoWordsOf(services, change, kept!.given).title,
  };
}

/** Planned changes with their times, soonest first. Whoever planned one can cancel it. */
export async function plannedRows(services: Services, work: Pick<WorkOf, 'actor' | 'place'>): Promise<Part[]> {
  const planned = await services.store.confirmations.planned();
  return planned
    .filter((one) => isTheirs(services, work, one))
    .map((one) =>
      sectionWith(
        mrkdwn`${bold(wordsOf(services, one).title)}\n🕑 ${moment(one.due!)}, by ${user(one.actor)}`,
        one.actor === work.actor.id ? button(BUTTONS.cancelBeside, one.id) : undefined,
      ),
    );
}

/** Changes of this person that were approved, and those that expired. */
export async function ownRows(services: Services, actor: Actor): Promise<{ runnable: Part[]; expired: Part[] }> {
  const decided = await services.store.approvals.decided(actor, 10);
  const titleOf = (one: Confirmation) => bold(wordsOf(services, one).title);
  return {
    runnable: decided
      .filter(({ state }) => isRunnable(state))
      .map((one) =>
        sectionWith(
          mrkdwn`${titleOf(one)}\nApproved. ${one.due === undefined ? 'Run' : 'Plan'} it by ${moment(one.expiresAt)}.`,
          runButton(one, 'runBeside'),
        ),
      ),
    expired: decided
      .filter(({ state }) => !isRunnable(state))
      .map((one) =>
        sectionWith(mrkdwn`${titleOf(one)}, expired ${moment(one.expiresAt)}`, button(BUTTONS.askAgain, one.id)),
      ),
  };
}

/** A change that the reader asked for, may decide, or may run here. */
function isTheirs(services: Services, { actor, place }: Pick<WorkOf, 'actor' | 'place'>, one: Confirmation): boolean {
  return (
    one.actor === actor.id ||
    mayDecide(services, actor, one) ||
    services.policy.decide({ name: one.operation }, actor, place, one.preview.names).allowed
  );
}

export function mayDecide(services: Services, actor: Actor, one: Confirmation): boolean {
  const rule = approvalRuleOf(services, one);
  return rule !== undefined && mayApprove(rule, actor, { id: one.actor }).allowed;
}

/** Oldest first, in the words of the present policy. */
export async function waitingApprovals(
  services: Services,
  isMeant: (one: Confirmation) => boolean,
): Promise<WaitingApproval[]> {
  const { approvals } = services.store;
  return Promise.all(
    (await approvals.waiting()).filter(isMeant).map(async (one) => ({
      id: one.id,
      title: wordsOf(services, one).title,
      actor: one.actor,
      approvedBy: (await approvals.verdicts(one.id)).map(({ approver }) => approver),
      needs: approvalRuleOf(services, one)?.words ?? 'no approval any more',
      reason: one.reason ?? '',
      askedAt: one.createdAt,
      until: one.expiresAt,
    })),
  );
}

/** The policy for help, can-i and suggestions. */
function policyView(services: Services, work: WorkOf): PolicyView {
  const { policy, operations } = services;
  const allowed = (operation: AnyOperation) => policy.decide(operation, work.actor, work.place).allowed;
  return {
    check: (line) => check(services, work, line),
    may: (name, names) => policy.decide({ name }, work.actor, work.place, names).allowed,
    search: (text) => searchOperations(text, operations).map(({ name }) => name),
    operations: () => operations.map((operation) => ({ ...operation, allowed: allowed(operation) })),
  };
}

async function check(services: Services, work: WorkOf, line: string): ReturnType<PolicyView['check']> {
  const { policy, operations, now } = services;
  const { actor } = work;
  const { operation, given, nounAlone } = readCommand(line, operations);
  if (nounAlone !== undefined) {
    throw new UsageError(`“${nounAlone}” is not a complete command.`, {
      hint: `${toType(`help ${nounAlone}`)} lists those that begin with it.`,
    });
  }
  checked(operation, given, now());
  const decision = await decisionFor(services, operation, given, work);
  return {
    ...decision,
    operation: operation.name,
    approval: decision.approval === undefined ? undefined : await approvalWords(services, decision.approval, actor),
    hint: decision.allowed ? undefined : hintOf(decision, actor, policy.admins),
  };
}

/** Decides on a typed command by the things that it means. If they cannot be found, by the typed words. */
export async function decisionFor(
  services: Services,
  operation: AnyOperation,
  given: Given,
  work: WorkOf,
): Promise<Decision> {
  const { policy } = services;
  const { actor, place } = work;
  const open = policy.decide(operation, actor, place);
  // People who may run it on no target cause no look-up.
  if (!open.allowed) return open;
  try {
    const context = resolveContextOf(operation, contextOf(services, work), given, false);
    return decisionOn(policy, operation, actor, place, await valuesOf(operation, given, context));
  } catch (error) {
    const typed = error instanceof NotFoundError ? policy.decide(operation, actor, place, error.names) : open;
    if (typed.allowed) throw error;
    return typed;
  }
}

export interface Resolved {
  values: Record<string, unknown>;
  /** Texts that resolve to the same things again. */
  canonical: Given;
  context: Context;
}

export function resolveContextOf(
  operation: AnyOperation,
  context: Context,
  given: Given,
  fresh: boolean,
): ResolveContext {
  return { ...context, given, fresh, may: (names) => context.policy.may(operation.name, names) };
}

/** Looks up every argument. Throws UsageError with the argument’s key. */
export async function resolve(
  operation: AnyOperation,
  given: Given,
  context: Context,
  fresh: boolean,
): Promise<Resolved> {
  const resolveContext = resolveContextOf(operation, context, given, fresh);
  const values: Record<string, unknown> = {};
  const canonical: Record<string, string> = {};
  for (const [key, kind] of Object.entries(operation.args)) {
    values[key] = await atArgument(key, () => kind.resolve(given[key], resolveContext));
    const text = kind.textOf(values[key]);
    if (text !== undefined) canonical[key] = text;
  }
  return { values, canonical, context };
}

/** The arguments that can be known before a form is complete: the given ones, and optional ones that were left out. */
export async function valuesOf(
  operation: AnyOperation,
  given: Given,
  context: ResolveContext,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(operation.args)) {
    const unknown = given[key] === undefined ? kind.required : kind.field.type === 'file';
    if (!unknown) values[key] = await kind.resolve(given[key], { ...context, given });
  }
  return values;
}

export async function namesOfGiven(operation: AnyOperation, given: Given, context: ResolveContext): Promise<Names> {
  return namesOf(operation, await valuesOf(operation, given, context));
}

/** The milliseconds of `--for 30m`, after which the change is undone. */
export function durationOf(operation: AnyOperation, values: Record<string, unknown>): number | undefined {
  const value = givenAs(operation, 'switch back after', values);
  return typeof value === 'number' ? value : undefined;
}

/** The time of `--at 02:00`, at which the change is done. */
export function dueOf(operation: AnyOperation, values: Record<string, unknown>): Date | undefined {
  const value = givenAs(operation, 'do it at', values);
  return value instanceof Date ? value : undefined;
}
/** `--watch`: it is undone if its zone fails more. */
export const isWatched = (operation: AnyOperation, given: Readonly<Record<string, unknown>>): boolean =>
  String(givenAs(operation, 'take back if worse', given)) === 'true';

/** The arguments that undo a change. Undefined: it cannot be undone, or the state before is unknown. */
export function undoOf(
  operation: AnyOperation,
  { preview, given }: Pick<Confirmation, 'preview' | 'given'>,
  values: Record<string, unknown>,
): Given | undefined {
  if (operation.undo === undefined || preview.before === undefined) return undefined;
  const back = operation.undo({ before: preview.before as State, after: preview.after as State }, values);
  // They say when, not what. Whoever may only make watched changes may undo them, so `--watch` stays.
  const isTiming = (key: string) => ['do it at', 'switch back after'].includes(operation.args[key]?.role ?? '');
  return { ...Object.fromEntries(Object.entries(given).filter(([key]) => !isTiming(key))), ...back };
}

/** The approval that a change needs. With `--for` or `--watch` its undo is part of it, and has to be allowed too. */
export async function approvalNeeded(
  services: Services,
  operation: AnyOperation,
  { values, canonical, context }: Resolved,
  preview: Confirmation['preview'],
): Promise<{ approval: ApprovalRule | undefined; names: Names }> {
  const { policy } = services;
  const names = namesOf(operation, values);
  const comesBack = durationOf(operation, values) !== undefined || isWatched(operation, values);
  const back = comesBack ? undoOf(operation, { preview, given: canonical }, values) : undefined;
  if (back === undefined) return { approval: policy.approvalFor(operation, names), names };
  const then = await resolve(operation, back, context, false);
  authorize(services, operation, context.actor, context.place, then.values, 'what it switches back to');
  const later = namesOf(operation, then.values);
  const subjects = Object.entries(names);
  const all = Object.fromEntries(
    subjects.map(([subject, things]) => [subject, [...things, ...(later[subject] ?? [])]]),
  );
  return { approval: policy.approvalFor(operation, all), names: all };
}

/** In milliseconds. Long logs need it. */
export const TIME_LIMIT = 10 * MINUTE;

/** Aborts `work` after `TIME_LIMIT`. The timer is cleared with the work, because it keeps the interaction in memory. */
export async function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  why = (): Error => new DOMException('It took too long', 'TimeoutError'),
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(why()), TIME_LIMIT);
  timer.unref();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
