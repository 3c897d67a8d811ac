import type { Message } from '../blocks/message.ts';
import { contextOf, findConfirmation, placeOf, resolve } from './context.ts';
import { asTheyAre, authorize } from './permission.ts';
import type { ChangeServices } from './services.ts';

/** The platform has so long to show what is seen of a change, in milliseconds. */
const LOOKING = 30_000;

/**
 * Looks at what is seen of a change that was made at a moment, and says it in the words of its operation. Undefined: that has
 * nothing to tell. Throws UsageError where the requester has no right to it any more, and what the platform says.
 */
export async function followUp(services: ChangeServices, id: string, since: Date): Promise<Message | undefined> {
  const { confirmation, operation } = (await findConfirmation(services, id)) ?? {};
  if (confirmation?.state !== 'done' || confirmation.unreadable === true || operation?.followUp === undefined)
    return undefined;
  const asked = { id: confirmation.actor, teamId: confirmation.team, kind: 'member' as const };
  const { actor, place } = await asTheyAre(services, { actor: asked, place: placeOf(confirmation) });
  const context = contextOf(services, { actor, place, signal: AbortSignal.timeout(LOOKING) });
  const { values } = await resolve(operation, confirmation.given, context, true);
  authorize(services, operation, actor, place, values, confirmation.target);
  return operation.followUp(values, context, since);
}
