import { type Message, message, section } from '../blocks/message.ts';
import { mrkdwn } from '../blocks/mrkdwn.ts';
import { UsageError } from '../errors.ts';
import type { Context } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { problemOf } from '../problem.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { contextOf, findConfirmation, resolve } from './context.ts';
import { namesOf, type Spoken, spokenOf } from './permission.ts';
import { previewOf, sameState, stateWords } from './preview.ts';
import type { Services } from './services.ts';

/** After a lost answer, the state that the platform shows now, in words. `isEarly`: the request may have left a moment ago. Nothing runs again by itself. */
export async function lookAgain(
  operation: AnyOperation,
  confirmation: Confirmation,
  context: Context,
  { isEarly = false } = {},
): Promise<Message> {
  return message(await seen(operation, confirmation, context, isEarly), operation.whenUnknown?.(confirmation.given));
}

async function seen(
  operation: AnyOperation,
  confirmation: Confirmation,
  context: Context,
  isEarly: boolean,
): Promise<Message> {
  try {
    const resolved = await resolve(operation, confirmation.given, context, true);
    const { before: present } = await previewOf(operation, resolved);
    const { before, after } = confirmation.preview;
    const isShown = present !== undefined && Object.keys(present).length > 0;
    // Where nothing is shown, before as after, nothing says that nothing happened.
    if (!isShown) {
      const unshown = 'The platform does not show whether it took effect.';
      // Where the operation has a better word on what to do now, that one alone is said.
      return message(operation.whenUnknown === undefined ? `${unshown} Look there before you repeat it.` : unshown);
    }
    const reached = Object.entries(after).every(([key, value]) => !(key in present) || present[key] === value);
    const known = Object.keys(after).some((key) => key in present);
    if (known && reached) return message('The platform now shows what you asked for: it took effect.');
    if (sameState(before, present) && isEarly)
      return message(
        'The platform still shows the old state, and may still be working on it. Check again in a minute.',
      );
    if (sameState(before, present))
      return message('The platform still shows the old state: it probably did not take effect.');
    return message(section(mrkdwn`*The platform now shows*\n${stateWords(present)}`));
  } catch (error) {
    const { summary } = problemOf(error);
    if (error instanceof UsageError) return message(`I looked again: ${summary}`);
    return message(`I could not read what the platform shows now: ${summary}.`);
  }
}

/**
 * Looks at what is seen of a change that was made at a moment, and says it in the words of its operation. Undefined: that has
 * nothing to tell. Throws what the platform says.
 */
export async function followUp(
  services: Services,
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
