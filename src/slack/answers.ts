import { BUTTONS, button } from '../blocks/buttons.ts';
import { actions, type Message, message } from '../blocks/message.ts';
import { code, mrkdwn, written } from '../blocks/mrkdwn.ts';
import { type Answer, ask, type Request } from '../changes/ask.ts';
import type { ChangeServices } from '../changes/services.ts';
import { lineOf } from '../operations/grammar.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { draftButtons } from './approval.ts';
import { askButtons, formButton, withShare } from './buttons.ts';
import { buildConfirmView, buildForm, buildShownView, titleOf } from './form.ts';
import { memoryFor, type Origin } from './origin.ts';
import type { Outgoing } from './out/outgoing.ts';
import type { Underway } from './progress.ts';

/** What came of asking, as the person sees it: in the conversation, or in the view that is open. */
export type Answers = ReturnType<typeof createAnswers>;

export function createAnswers(services: {
  changes: ChangeServices;
  outgoing: Outgoing;
  underway: Underway;
  tell(origin: Origin, text: Message, options?: { replace?: boolean }): Promise<void>;
}) {
  const { changes, outgoing, underway, tell: tellThere } = services;

  async function show(
    answer: Answer,
    operation: AnyOperation,
    given: Record<string, string>,
    origin: Origin,
    options: { replace?: boolean } = {},
  ): Promise<void> {
    const line = lineOf(operation, given);
    const tell = (to: Origin, text: Message) => tellThere(to, text, options);
    switch (answer.kind) {
      case 'result':
        return tell(origin, withShare(answer));
      case 'ask':
        if (answer.approval !== undefined) {
          return tell(origin, message(answer.message, draftButtons(answer.confirmation, answer.approval)));
        }
        // Without a trigger there is no form to type the name in: the button brings one.
        if (answer.confirmation.typedName !== undefined) {
          return tell(origin, message(answer.message, message(actions(button(BUTTONS.continue, line)))));
        }
        return tell(origin, message(answer.message, askButtons(answer.confirmation.id, operation)));
      case 'form':
        return tell(
          origin,
          message(
            mrkdwn`${code(operation.name)} needs more: ${answer.missing.map((key) => operation.args[key]?.label ?? key).join(', ')}.`,
            actions(button(BUTTONS.fillIn, line)),
          ),
        );
      case 'problem':
        return tell(
          origin,
          answer.outcome === 'usage' ? message(answer.message, formButton(operation, line)) : answer.message,
        );
    }
  }

  /** Asks for it while a view says how far it is, then shows in it what came of that. */
  async function startInView(
    viewId: string,
    request: Request,
    given: Record<string, string>,
    origin: Origin,
  ): Promise<void> {
    const { operation } = request;
    const { answer } = await underway.follow(
      operation,
      (following) => ask(changes, request, following),
      (text) => outgoing.updateView(viewId, buildShownView(titleOf(operation), text)),
      { again: true },
    );
    await showInView(viewId, answer, operation, given, origin);
  }

  async function showInView(
    viewId: string,
    answer: Answer,
    operation: AnyOperation,
    given: Record<string, string>,
    origin: Origin,
  ): Promise<void> {
    const memory = memoryFor(operation, origin);
    const tell = tellThere;
    switch (answer.kind) {
      case 'result':
        await tell(origin, withShare(answer));
        return outgoing.updateView(
          viewId,
          buildShownView(titleOf(operation), message('The answer is in the conversation.')),
        );
      case 'ask':
        if (answer.approval !== undefined) {
          await tell(origin, message(answer.message, draftButtons(answer.confirmation, answer.approval)));
          return outgoing.updateView(
            viewId,
            buildShownView(
              titleOf(operation),
              message(written(`It needs ${answer.approval.words}: go on in the conversation.`)),
            ),
          );
        }
        return outgoing.updateView(
          viewId,
          buildConfirmView(operation, answer.message, {
            ...memory,
            confirmation: answer.confirmation.id,
            typedName: answer.confirmation.typedName,
          }),
        );
      case 'form':
        return outgoing.updateView(viewId, buildForm(operation, given, memory));
      case 'problem':
        // Who may not run it needs no fields.
        return outgoing.updateView(
          viewId,
          answer.outcome === 'forbidden'
            ? buildShownView(titleOf(operation), answer.message, memory)
            : buildForm(operation, given, memory, answer.message),
        );
    }
  }

  return { show, startInView };
}
