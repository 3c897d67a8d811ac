import type { Logger } from 'pino';
import { message } from '../blocks/message.ts';
import { UsageError } from '../errors.ts';
import type {
  Actor,
  Catalogue,
  ConfiguredDatabase,
  Context,
  EnvironmentFile,
  GivenFile,
  HealthView,
  NamesView,
  Place,
  Reader,
  ReportsView,
  ResolveContext,
  WaitingApproval,
} from '../operations/context.ts';
import type { AnyOperation, Preview } from '../operations/operation.ts';
import type { Platform } from '../platform/client.ts';
import { type Policy, UNAUDITED } from '../policy/policy.ts';
import type { Problem } from '../problem.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';
import type { DefinitionReader } from '../workers/definition-reader.ts';
import type { LogWorkers } from '../workers/log-worker-pool.ts';
import { createPermission } from './permission.ts';

/** How long one operation may take, in milliseconds. Long log reads are the longest. */
export const TIME_LIMIT = 10 * 60_000;

export type Progress = Context['progress'];

/** What operations are run with. */
export interface RunnerServices {
  operations: readonly AnyOperation[];
  platform: Platform;
  catalogue: Catalogue;
  reports: ReportsView;
  store: Store;
  policy: Policy;
  health: HealthView;
  names: NamesView;
  log: Logger;
  now: () => Date;
  file: (id: string, maxBytes: number) => Promise<GivenFile>;
  summariseLog: LogWorkers['summarise'];
  outlineDefinition: DefinitionReader;
  environmentFile?: EnvironmentFile | undefined;
  configuredDatabase?: ConfiguredDatabase | undefined;
  ownDatabaseHost?: string | undefined;
}

/** What an operation's arguments came to. */
export interface Resolved {
  values: Record<string, unknown>;
  /** Texts that resolve to the very same things. */
  canonical: Record<string, string>;
  context: Context;
}

/** The steps that every operation goes through, whatever started it: a command, a button, an approval, an undo, a clock. */
export type Steps = ReturnType<typeof createSteps>;

export function createSteps(services: RunnerServices) {
  const { operations, store, policy, log, now } = services;
  const operationNamed = (name: string) => operations.find((operation) => operation.name === name);

  /** A confirmation with its operation, where both exist. */
  async function known(id: string): Promise<{ confirmation: Confirmation; operation: AnyOperation } | undefined> {
    const confirmation = await store.confirmations.read(id);
    const operation = confirmation && operationNamed(confirmation.operation);
    return confirmation && operation && { confirmation, operation };
  }

  const permission = createPermission({ policy, operations, now });

  /** What waits, in the words of the policy as it is now. */
  async function waitingApprovals(): Promise<WaitingApproval[]> {
    const waiting = await store.approvals.waiting(50);
    return Promise.all(
      waiting.map(async ({ id, operation, target, actor, approval, reason, createdAt, expiresAt }) => ({
        operation,
        target,
        actor,
        approvedBy: (await store.approvals.verdicts(id)).map(({ approver }) => approver),
        needs: policy.approvalFor({ name: operation }, approval?.names)?.words ?? 'nobody any more',
        reason: reason ?? '',
        askedAt: createdAt,
        until: expiresAt,
      })),
    );
  }

  function contextOf(
    actor: Actor,
    place: Place,
    signal: AbortSignal,
    progress: Progress,
    reader: Reader = { locale: 'en-US', timezone: 'UTC', now: now() },
  ): Context {
    return {
      platform: services.platform,
      catalogue: services.catalogue,
      reports: services.reports,
      reader,
      file: services.file,
      now: now(),
      signal,
      actor,
      place,
      progress,
      audit: store.audit,
      approvals: { waiting: waitingApprovals },
      names: services.names,
      policy: permission.viewOf(actor, place, () => ({
        ...contextOf(actor, place, signal, progress, reader),
        given: {},
        fresh: false,
      })),
      health: services.health,
      // Of records it is told where they are asked for: how many bytes they make here says nothing.
      summariseLog: (source, format) =>
        services.summariseLog(source, format, {
          signal,
          ...(format === 'v1' ? { progress: (read: number) => progress(read, undefined, 'bytes') } : {}),
        }),
      outlineDefinition: (content, active) => services.outlineDefinition(content, active, signal),
      ...(services.environmentFile === undefined ? {} : { environmentFile: services.environmentFile }),
      ...(services.configuredDatabase === undefined ? {} : { configuredDatabase: services.configuredDatabase }),
      ...(services.ownDatabaseHost === undefined ? {} : { ownDatabaseHost: services.ownDatabaseHost }),
    };
  }

  async function resolve(
    operation: AnyOperation,
    given: Record<string, string>,
    context: Context,
    fresh: boolean,
  ): Promise<Resolved> {
    const resolveContext: ResolveContext = { ...context, given, fresh };
    const values: Record<string, unknown> = {};
    const canonical: Record<string, string> = {};
    for (const [key, kind] of Object.entries(operation.args)) {
      try {
        values[key] = await kind.resolve(given[key], resolveContext);
      } catch (error) {
        if (!(error instanceof UsageError) || error.argument !== undefined) throw error;
        throw new UsageError(error.message, {
          ...(error.hint === undefined ? {} : { hint: error.hint }),
          argument: key,
        });
      }
      const text = kind.textOf(values[key]);
      if (text !== undefined) canonical[key] = text;
    }
    return { values, canonical, context };
  }

  const previewOf = async (operation: AnyOperation, { values, context }: Resolved): Promise<Preview> =>
    operation.preview === undefined
      ? { after: {}, unread: 'the platform does not show it' }
      : operation.preview(values, context);

  /** The preview with all that is worth knowing before deciding. */
  async function shownPreviewOf(operation: AnyOperation, resolved: Resolved): Promise<Preview> {
    const preview = await previewOf(operation, resolved);
    const more = await operation.preflight?.(resolved.values, resolved.context);
    if (more === undefined) return preview;
    const details = [preview.details, more.details].filter((part) => part !== undefined);
    return {
      ...preview,
      warnings: [...(preview.warnings ?? []), ...(more.warnings ?? [])],
      ...(details.length === 0 ? {} : { details: message(...details) }),
    };
  }

  async function audit(entry: {
    operation: AnyOperation;
    actor: { id: string; teamId: string };
    channel: string;
    target: string;
    given: Record<string, string>;
    outcome: string;
    detail?: string | undefined;
    rule?: string | undefined;
    preview?: Confirmation['preview'] | undefined;
    confirmation?: string | undefined;
    reference?: string | undefined;
  }): Promise<void> {
    if (UNAUDITED.has(entry.operation.name)) return;
    await store.audit.append({
      actor: entry.actor.id,
      team: entry.actor.teamId,
      channel: entry.channel,
      operation: entry.operation.name,
      target: entry.target,
      given: auditedOf(entry.operation, entry.given),
      outcome: entry.outcome,
      detail: entry.detail ?? '',
      rule: entry.rule,
      preview: entry.preview,
      confirmation: entry.confirmation,
      reference: entry.reference,
    });
  }

  /** What this process has brought to an end that is in the audit, and has not told yet. */
  const recorded = new Set<string>();

  /** The person was told how it stands. What is not in the audit yet stays for `recover`. */
  async function told(id: string): Promise<void> {
    if (recorded.delete(id)) await store.confirmations.told(id);
  }

  function logged(problem: Problem, error: unknown, operation: AnyOperation): void {
    if (problem.reference !== undefined) {
      log.error({ err: error, reference: problem.reference, operation: operation.name }, 'unexpected error');
    } else {
      log.debug({ operation: operation.name, outcome: problem.outcome, problem: problem.summary }, 'not done');
    }
  }

  return {
    operationNamed,
    known,
    permission,
    authorize: permission.authorize,
    contextOf,
    resolve,
    previewOf,
    shownPreviewOf,
    audit,
    logged,
    recorded: (id: string) => void recorded.add(id),
    told,
  };
}

/** Where a change was asked for. */
export function placeOf({ channel, thread }: Confirmation): Place {
  return { channelId: channel, threadTs: thread };
}

/** What the audit keeps of the arguments: some kinds keep only a part of theirs. */
function auditedOf(operation: AnyOperation, given: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([key, text]) => [key, operation.args[key]?.auditTextOf?.(text) ?? text]),
  );
}
