import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import type { Confirmation } from '../store/confirmations.ts';

/** The reason that a confirmation cannot be run any more. */
export function stateMessage(confirmation: Confirmation): Message {
  const again = note('Repeat the command if you still want it.');
  switch (confirmation.state) {
    case 'done':
    case 'undone':
      return message('This was done already. It was not done again.');
    case 'cancelled':
      return message('This was cancelled. Nothing was done.', again);
    case 'claimed':
    case 'handed over':
    case 'sent':
      return message('This is being done right now. It is not done a second time.');
    case 'unknown':
      return message(
        'How this ended is not known. It is not sent a second time.',
        note('Look at the platform, then repeat the command if needed.'),
      );
    case 'failed':
    case 'refused':
    case 'overtaken':
    case 'withdrawn':
      return message(`This was not done: ${confirmation.outcome ?? 'it was refused'}.`, again);
    case 'rejected':
      return message('This was rejected. Nothing was done.');
    default:
      return message('This has expired. Nothing was done.', actions(button(BUTTONS.askAgain, confirmation.id)));
  }
}
