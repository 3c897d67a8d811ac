import { shorten } from '../blocks/limits.ts';
import type { Message } from '../blocks/message.ts';
import { visible } from '../blocks/mrkdwn.ts';
import type { Request } from '../changes/ask.ts';
import { cancel, confirm } from '../changes/confirm.ts';
import { notified } from '../changes/recover.ts';
import type { ChangeServices } from '../changes/services.ts';
import { suggest as suggestOptions } from '../changes/suggest.ts';
import { UsageError } from '../errors.ts';
import type { Option } from '../operations/argument.ts';
import { checked } from '../operations/grammar.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Answers } from './answers.ts';
import type { ApprovalConversation } from './approval.ts';
import { buildShownView, buildWorkingView, givenOf, type InputState, memoryOf, titleOf } from './form.ts';
import { type Origin, originOf, type SlackUser } from './origin.ts';
import type { Outgoing } from './out/outgoing.ts';
import { ROTATE } from './out/secrets.ts';
import type { Ending } from './outcome.ts';
import type { WhoIs } from './people.ts';

/** What is said at a field of a form, in characters: it quotes what was typed there. */
const LONGEST_ERROR = 500;

/** A view as Slack sends it back. */
export interface SubmittedView {
  id: string;
  callback_id: string;
  private_metadata?: string | undefined;
  values: Record<string, Record<string, InputState>>;
}

/** What to acknowledge a submitted view with, and the work that follows. */
export interface Submission {
  answer:
    | { response_action: 'errors'; errors: Record<string, string> }
    | { response_action: 'update'; view: ReturnType<typeof buildWorkingView> };
  work?: () => Promise<void>;
}

const SECRET_HERE = `There is a key, a token or a password in here. ${ROTATE}`;

/** What comes back from views: submitted, closed, or asked for suggestions. */
export function createSubmitted(services: {
  changes: ChangeServices;
  outgoing: Outgoing;
  answers: Answers;
  approval: ApprovalConversation;
  ending: Ending;
  operationNamed(name: string): AnyOperation | undefined;
  holdsSecret(text: string): boolean;
  requestOf(operation: AnyOperation, given: Record<string, string>, origin: Origin): Promise<Request>;
  whoIs: WhoIs;
  guarded(origin: Origin, work: () => Promise<void>): Promise<void>;
  tell(origin: Origin, text: Message, options?: { replace?: boolean }): Promise<void>;
  now: () => Date;
}) {
  const { changes, outgoing, answers, approval, operationNamed, holdsSecret, requestOf, whoIs, guarded, tell, now } =
    services;
  const { end } = services.ending;

  function submitted(view: SubmittedView, person: SlackUser): Submission {
    const memory = memoryOf(view);
    const operation = operationNamed(memory.operation);
    const origin = originOf(memory, person);
    const { purpose, confirmation: decided } = memory;
    if (purpose !== undefined && decided !== undefined) {
      const reason = Object.values(view.values.reason ?? {})[0]?.value?.trim() ?? '';
      if (holdsSecret(reason)) return { answer: { response_action: 'errors', errors: { reason: SECRET_HERE } } };
      return {
        answer: { response_action: 'update', view: buildWorkingView('Approval', 'Working …') },
        work: () =>
          guarded(origin, async () => {
            const { actor } = await whoIs(person);
            const shown = await approval.reasoned(purpose, decided, reason, origin, actor);
            await outgoing.updateView(view.id, buildShownView('Approval', shown));
          }),
      };
    }
    if (operation === undefined) {
      return {
        answer: {
          response_action: 'update',
          view: buildWorkingView('Edgewise', 'This command does not exist any more.'),
        },
      };
    }
    const working: Submission['answer'] = {
      response_action: 'update',
      view: buildWorkingView(titleOf(operation), 'Working …'),
    };
    if (memory.confirmation !== undefined) {
      const { confirmation, typedName, keep } = memory;
      const typed = Object.values(view.values.name ?? {})[0]?.value?.trim();
      if (typedName !== undefined && typed !== typedName) {
        return {
          answer: { response_action: 'errors', errors: { name: `That is not the name. Type exactly: ${typedName}` } },
        };
      }
      return {
        answer: working,
        work: () =>
          guarded(origin, async () => {
            const pressed = await whoIs(person);
            const outcome = await confirm(changes, confirmation, {
              ...pressed,
              ...(typed === undefined ? {} : { typedName: typed }),
            });
            // The button that opened this view means nothing any more: what is said takes its place.
            const isFromButton = keep === true && origin.responseUrl !== undefined;
            await end(outcome, operation, origin, view.id, async (text) => {
              if (isFromButton && outcome.kind !== 'retype') await tell(origin, text, { replace: true });
            });
          }),
      };
    }
    const given = givenOf(operation, view.values, memory);
    const secret = Object.entries(given).find(([, text]) => holdsSecret(text));
    if (secret !== undefined) {
      return { answer: { response_action: 'errors', errors: { [secret[0]]: SECRET_HERE } } };
    }
    try {
      checked(operation, given, now());
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const field = error.argument ?? Object.keys(operation.args)[0] ?? 'form';
      return {
        answer: {
          response_action: 'errors',
          errors: { [field]: shorten(visible(error.message.replaceAll('`', '')), LONGEST_ERROR) },
        },
      };
    }
    return {
      answer: working,
      work: () =>
        guarded(origin, async () => {
          await answers.startInView(view.id, await requestOf(operation, given, origin), given, origin);
        }),
    };
  }

  async function closed(view: SubmittedView, person: SlackUser): Promise<void> {
    const { confirmation, keep } = memoryOf(view);
    if (confirmation === undefined || keep === true) return;
    const { actor } = await whoIs(person);
    await cancel(changes, confirmation, actor);
    // The view that they closed was all there was to tell them in.
    await notified(changes, confirmation);
  }

  async function suggest(view: SubmittedView, argument: string, query: string, person: SlackUser): Promise<Option[]> {
    const memory = memoryOf(view);
    const operation = operationNamed(memory.operation);
    if (operation === undefined) return [];
    const given = givenOf(operation, view.values, memory);
    return suggestOptions(changes, await requestOf(operation, given, originOf(memory, person)), argument, query);
  }

  return { submitted, closed, suggest };
}
