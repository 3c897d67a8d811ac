import { UsageError } from '../errors.ts';
import type { Given } from '../operations/argument.ts';
import { atArgument, NotFoundError } from '../operations/arguments/resources/look-up.ts';
import type {
  Actor,
  Context,
  OwnApproval,
  Place,
  PolicyView,
  Reader,
  ResolveContext,
  SeenPlace,
  WaitingApproval,
} from '../operations/context.ts';
import { argumentWith, checked, givenAs, listingOf, readCommand } from '../operations/grammar.ts';
import type { AnyOperation, Preview, State } from '../operations/operation.ts';
import { searchOperations } from '../operations/words/lexicon.ts';
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

/** The person, the place and the time limit of some work. */
export interface WorkOf {
  actor: Actor;
  place: SeenPlace;
  signal: AbortSignal;
  progress?: Progress | undefined;
  approval?: Context['approval'];
  /** Left out where nobody reads it at once. */
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
    audit: store.audit,
    saidOf: (entry) => saidOf(services, entry),
    approvals: { waiting: () => waitingApprovals(services, work), own: () => ownApprovals(services, actor) },
    names: services.names,
    policy: policyView(services, work),
    health: services.health,
    // The number of records is reported where they are requested: the bytes that they make here mean nothing to people.
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

/**
 * The changes that wait for an approval, in the words of the policy as it is now: those of the reader, those that they may decide, and
 * those that they may make themselves where they ask.
 */
async function waitingApprovals(services: Services, { actor, place }: WorkOf): Promise<WaitingApproval[]> {
  const { store, policy } = services;
  // Each has a button of its own, and a message has 50 blocks.
  const waiting = await store.approvals.waiting(50);
  const isTheirs = (one: Confirmation) => {
    const rule = approvalRuleOf(services, one);
    return (
      one.actor === actor.id ||
      (rule !== undefined && mayApprove(rule, actor, { id: one.actor }).allowed) ||
      policy.decide({ name: one.operation }, actor, place, one.approval?.names).allowed
    );
  };
  return Promise.all(
    waiting.filter(isTheirs).map(async (one) => ({
      id: one.id,
      title: wordsOf(services, one).title,
      actor: one.actor,
      approvedBy: (await store.approvals.verdicts(one.id)).map(({ approver }) => approver),
      needs: approvalRuleOf(services, one)?.words ?? 'no approval any more',
      reason: one.reason ?? '',
      askedAt: one.createdAt,
      until: one.expiresAt,
    })),
  );
}

/** The policy as help, can-i and suggestions see it. */
function policyView(services: Services, work: WorkOf): PolicyView {
  const { policy, operations } = services;
  const allowed = (operation: AnyOperation) => policy.decide(operation, work.actor, work.place).allowed;
  return {
    check: (line) => check(services, work, line),
    may: (name, names) => policy.decide({ name }, work.actor, work.place, names).allowed,
    search: (text) => searchOperations(text, operations).map(({ name }) => name),
    operations: () => operations.map((operation) => ({ ...listingOf(operation), allowed: allowed(operation) })),
  };
}

async function check(services: Services, work: WorkOf, line: string): ReturnType<PolicyView['check']> {
  const { policy, operations, now } = services;
  const { actor } = work;
  const { operation, given, nounAlone } = readCommand(line, operations);
  if (nounAlone !== undefined) {
    throw new UsageError(`“${nounAlone}” is not a whole command.`, {
      hint: `\`/edge help ${nounAlone}\` lists those that begin with it.`,
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

/** The decision on what was typed: by the things that are meant, else by the words for them. */
export async function decisionFor(
  services: Services,
  operation: AnyOperation,
  given: Given,
  work: WorkOf,
): Promise<Decision> {
  const { policy } = services;
  const { actor, place } = work;
  const open = policy.decide(operation, actor, place);
  // Nothing is looked up for who may not run it on anything.
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
  /** Texts that resolve to the very same things. */
  canonical: Given;
  context: Context;
}

/** The context in which the arguments of an operation are looked up, for what the person may run it on. */
export function resolveContextOf(
  operation: AnyOperation,
  context: Context,
  given: Given,
  fresh: boolean,
): ResolveContext {
  return { ...context, given, fresh, may: (names) => context.policy.may(operation.name, names) };
}

/** Looks up every argument. Throws UsageError that names the argument at fault. */
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

/** The arguments that can be known already: those that were given, and those that were left out and may be. */
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

/** The names of the things that a command line is about, as far as they are given. */
export async function namesOfGiven(operation: AnyOperation, given: Given, context: ResolveContext): Promise<Names> {
  return namesOf(operation, await valuesOf(operation, given, context));
}

/** `--for 30m`: after how many milliseconds the change is put back by itself. */
export function durationOf(operation: AnyOperation, values: Record<string, unknown>): number | undefined {
  const value = givenAs(operation, 'switch back after', values);
  return typeof value === 'number' ? value : undefined;
}

/** The arguments that undo a change, where its operation can and the state before is known. */
export function undoOf(
  operation: AnyOperation,
  { preview, given }: Pick<Confirmation, 'preview' | 'given'>,
  values: Record<string, unknown>,
): Given | undefined {
  if (operation.undo === undefined || preview.before === undefined) return undefined;
  const back = operation.undo({ before: preview.before as State, after: preview.after as State }, values);
  const { [argumentWith(operation, 'switch back after') ?? '']: _, ...rest } = given;
  return { ...rest, ...back };
}

/** The approval of a change; with `--for` also of what the clock does then, which has to be allowed too. */
export async function approvalNeeded(
  services: Services,
  operation: AnyOperation,
  { values, canonical, context }: Resolved,
  preview: Confirmation['preview'],
): Promise<{ approval: ApprovalRule | undefined; names: Names }> {
  const { policy } = services;
  const names = namesOf(operation, values);
  const isForAWhile = durationOf(operation, values) !== undefined;
  const back = isForAWhile ? undoOf(operation, { preview, given: canonical }, values) : undefined;
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

async function ownApprovals(services: Services, actor: Actor): Promise<OwnApproval[]> {
  const own = await services.store.approvals.decided(actor, 10);
  return own.map((one) => ({
    id: one.id,
    title: wordsOf(services, one).title,
    isRunnable: isRunnable(one.state),
    until: one.expiresAt,
  }));
}

/** The longest time of one operation, in milliseconds: long logs take it. */
export const TIME_LIMIT = 10 * MINUTE;

/**
 * Does work with a signal that ends it after `TIME_LIMIT`, for the given reason. The timer ends with the work: until it fires it
 * holds all that is known of its interaction.
 */
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
