import { type Message, message } from '../blocks/message.ts';
import type { Actor } from '../operations/context.ts';
import type { AnyOperation, Preview } from '../operations/operation.ts';
import { mayApprove } from '../policy/policy.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { contextOf } from './context.ts';
import { approvalRuleOf } from './permission.ts';
import { fullPreviewMessage } from './preview-message.ts';
import { type Resolved, resolve } from './resolve.ts';
import { type ChangeServices, findConfirmation, placeOf, TIME_LIMIT } from './services.ts';

/** The state before and after the change, as the platform shows it now. */
export async function previewOf(operation: AnyOperation, { values, context }: Resolved): Promise<Preview> {
  if (operation.preview === undefined) return { after: {}, unread: 'the platform does not show it' };
  return operation.preview(values, context);
}

/** The preview with the preflight's warnings and details. */
export async function fullPreviewOf(operation: AnyOperation, resolved: Resolved): Promise<Preview> {
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

/** The preview of a stored change, as it is now. Undefined: it is not there, or not for this person. */
export async function previewAgain(services: ChangeServices, id: string, reader: Actor): Promise<Message | undefined> {
  const found = await findConfirmation(services, id);
  if (found === undefined || !mayRead(services, found.confirmation, reader)) return undefined;
  const { confirmation, operation } = found;
  const { actor, team, given, target, approval } = confirmation;
  const requester: Actor = actor === reader.id ? reader : { id: actor, teamId: team, kind: approval?.kind ?? 'member' };
  const signal = AbortSignal.timeout(TIME_LIMIT);
  const context = contextOf(services, { actor: requester, place: placeOf(confirmation), signal });
  const resolved = await resolve(operation, given, context, true);
  return fullPreviewMessage(operation, target, resolved.values, await fullPreviewOf(operation, resolved));
}

/** The requester may, and the approvers while it waits for them. */
function mayRead(services: Pick<ChangeServices, 'policy'>, confirmation: Confirmation, reader: Actor): boolean {
  const { actor, state } = confirmation;
  if (actor === reader.id) return true;
  const rule = state === 'waiting' ? approvalRuleOf(services, confirmation) : undefined;
  return rule !== undefined && mayApprove(rule, reader, { id: actor }).allowed;
}

/** Equal whatever the order of the fields. Two unknown states are equal: nothing says that something changed. */
export function sameState(a: Record<string, unknown> | undefined, b: Record<string, unknown> | undefined): boolean {
  return canonical(a) === canonical(b);
}

function canonical(state: Record<string, unknown> | undefined): string | undefined {
  const known = state && Object.entries(state).filter(([, value]) => value !== undefined);
  return known && JSON.stringify(known.map((field) => JSON.stringify(field)).sort());
}
