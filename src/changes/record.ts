import { currentInteraction, isByAgent, noted } from '../interaction.ts';
import type { AnyOperation, Given } from '../operations/operation.ts';
import type { Problem } from '../problem.ts';
import type { AuditEntry } from '../store/audit-entry.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Services } from './services.ts';

/** An audit entry before the operation’s own rules apply. */
export type Recording = Omit<AuditEntry, 'operation' | 'actor' | 'team' | 'detail' | 'agent' | 'preview'> & {
  operation: AnyOperation;
  actor: { id: string; teamId: string };
  detail?: string | undefined;
  preview?: (AuditEntry['preview'] & { agent?: true | undefined }) | undefined;
};

export const recordingOf = (
  operation: AnyOperation,
  { id, actor, team, channel, target, given, preview }: Confirmation,
  more: Pick<Recording, 'outcome'> & Partial<Recording>,
): Recording => ({
  ...{ operation, actor: { id: actor, teamId: team }, channel, target, given, preview, confirmation: id },
  ...more,
});

/** Appends an audit entry, unless the operation is never audited. */
export async function record({ store }: Services, entry: Recording): Promise<void> {
  noted({ command: entry.operation.name, outcome: entry.outcome });
  if (entry.operation.audited !== 'never') await store.audit.append(entryOf(entry));
}

export function entryOf({
  operation,
  actor: { id: actor, teamId: team },
  given,
  detail = '',
  preview,
  ...rest
}: Recording): AuditEntry {
  return {
    ...{ ...rest, actor, team, detail },
    operation: operation.name,
    given: auditedOf(operation, given),
    agent: preview?.agent ?? isByAgent(),
    preview: preview && auditedPreview(operation, given, preview),
    interaction: currentInteraction()?.id,
  };
}

/** Some kinds of argument keep only a part in the audit. */
export function auditedOf(operation: AnyOperation, given: Given): Given {
  return Object.fromEntries(
    Object.entries(given).map(([key, text]) => [key, operation.args[key]?.auditTextOf?.(text) ?? text]),
  );
}

/** A shortened argument is shortened in the preview too. */
function auditedPreview(
  operation: AnyOperation,
  given: Given,
  { before, after }: NonNullable<AuditEntry['preview']>,
): AuditEntry['preview'] {
  const kept = auditedOf(operation, given);
  const parts = new Map(Object.entries(given).map(([key, text]) => [text as unknown, kept[key]]));
  const cut = (state: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(state).map(([name, value]) => [name, parts.get(value) ?? value]));
  return { ...(before === undefined ? {} : { before: cut(before) }), after: cut(after) };
}

/** Only an unexpected problem is an error in the log. */
export function logProblem({ log }: Services, problem: Problem, error: unknown, operation: AnyOperation): void {
  if (problem.reference !== undefined) {
    log.error({ err: error, reference: problem.reference, operation: operation.name }, 'unexpected error');
  } else {
    log.debug({ operation: operation.name, outcome: problem.outcome, problem: problem.summary }, 'not done');
  }
}
