import { type Message, message, section } from '../blocks/message.ts';
import { mrkdwn } from '../blocks/mrkdwn.ts';
import { UsageError } from '../errors.ts';
import type { Context } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { problemOf } from '../problem.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { resolve } from './context.ts';
import { previewOf, sameState, stateWords } from './preview.ts';

/** After a lost answer: what the platform shows now. `isEarly`: the request may still be on its way. Sends nothing. */
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
    // If the platform shows nothing before and after, that proves nothing.
    if (!isShown) {
      const unshown = 'The platform does not show whether it took effect.';
      // The operation has better advice.
      return message(operation.whenUnknown === undefined ? `${unshown} Check there before you repeat it.` : unshown);
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
