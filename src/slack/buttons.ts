import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import type { Answer } from '../changes/ask.ts';
import type { AnyOperation } from '../operations/operation.ts';

/** An answer with the button that shows it to everybody, where it was kept for that. */
export function withShare(answer: Extract<Answer, { kind: 'result' }>): Message {
  if (answer.shareId === undefined) return answer.message;
  return message(answer.message, actions(button(BUTTONS.share, answer.shareId)));
}

/** What goes under a preview. */
export function askButtons(id: string, operation: AnyOperation): Message {
  const confirm = operation.effect === 'destructive' ? BUTTONS.confirmDestructive : BUTTONS.confirm;
  return message(
    actions(button(confirm, id), button(BUTTONS.cancel, id)),
    note('Only you see this. It expires in 15 minutes.'),
  );
}

/** Nothing that was typed is lost: the form opens with it. */
export function formButton(operation: AnyOperation, line: string): Message {
  if (Object.keys(operation.args).length === 0 || line.length > 2000) return message();
  return message(actions(button(BUTTONS.openForm, line)));
}
