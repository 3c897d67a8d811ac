import type { Message } from '../blocks/message.ts';
import { contextOf, findConfirmation, resolve } from './context.ts';
import { namesOf, type Spoken, spokenOf } from './permission.ts';
import type { ChangeServices } from './services.ts';

/**
 * Looks at what is seen of a change that was made at a moment, and says it in the words of its operation. Undefined: that has
 * nothing to tell. Throws what the platform says.
 */
export async function followUp(
  services: ChangeServices,
  id: string,
  since: Date,
): Promise<{ text: Message; spoken: Spoken } | undefined> {
  const { confirmation, operation } = (await findConfirmation(services, id)) ?? {};
  if (confirmation?.state !== 'done' || confirmation.unreadable === true || operation?.followUp === undefined)
    return undefined;
  const spoken = spokenOf(confirmation);
  const place = await services.seePlace(spoken.place);
  const actor = { ...spoken.actor, kind: 'member' as const };
  const context = contextOf(services, { actor, place, signal: AbortSignal.timeout(30_000) });
  const { values } = await resolve(operation, confirmation.given, context, true);
  const text = await operation.followUp(values, context, since);
  return text && { text, spoken: { ...spoken, names: namesOf(operation, values) } };
}
