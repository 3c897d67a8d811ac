import { actionButton, actions, type Message, message, note } from '../blocks/message.ts';
import type { Answer } from '../changes/ask.ts';
import type { AnyOperation } from '../operations/operation.ts';

/** An answer with the button that shows it to everybody, where it was kept for that. */
export function withShare(answer: Extract<Answer, { kind: 'result' }>): Message {
  if (answer.shareId === undefined) return answer.message;
  return message(answer.message, actions(actionButton('share', 'Share', answer.shareId)));
}

/** What goes under a preview. */
export function askButtons(id: string, operation: AnyOperation): Message {
  const style = operation.effect === 'destructive' ? 'danger' : 'primary';
  return message(
    actions(actionButton('confirm', 'Confirm', id, { style }), actionButton('cancel', 'Cancel', id)),
    note('Only you see this. It expires in 15 minutes.'),
  );
}

/** Nothing that was typed is lost: the form opens with it. */
export function formButton(operation: AnyOperation, line: string): Message {
  if (Object.keys(operation.args).length === 0 || line.length > 2000) return message();
  return message(actions(actionButton('form', 'Open the form', line)));
}
