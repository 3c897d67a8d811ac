import type { Actor, Context, Place, Reader, WaitingApproval } from '../operations/context.ts';
import { policyView } from './permission.ts';
import type { ChangeServices, Progress } from './services.ts';

/** The person, the place and the time limit of some work. */
export interface WorkOf {
  actor: Actor;
  place: Place;
  signal: AbortSignal;
  progress?: Progress | undefined;
  /** Left out where nobody reads it at once. */
  reader?: Reader | undefined;
}

/** At most so many waiting approvals are listed. */
const MOST_WAITING = 50;

/** Builds the context of an operation and of its arguments. */
export function contextOf(services: ChangeServices, work: WorkOf): Context {
  const { store } = services;
  const { actor, place, signal, progress = () => undefined } = work;
  const now = services.now();
  const reader = work.reader ?? { locale: 'en-US', timezone: 'UTC', now };
  return {
    platform: services.platform,
    catalogue: services.catalogue,
    reports: services.reports,
    reader,
    file: services.file,
    now,
    signal,
    actor,
    place,
    progress,
    audit: store.audit,
    approvals: { waiting: () => waitingApprovals(services) },
    names: services.names,
    policy: policyView(services, actor, place, () => ({
      ...contextOf(services, { actor, place, signal, progress, reader }),
      given: {},
      fresh: false,
    })),
    health: services.health,
    // The number of records is reported where they are requested: the bytes that they make here mean nothing to people.
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

/** The changes that wait for an approval, in the words of the policy as it is now. */
async function waitingApprovals({
  store,
  policy,
}: Pick<ChangeServices, 'store' | 'policy'>): Promise<WaitingApproval[]> {
  const waiting = await store.approvals.waiting(MOST_WAITING);
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
