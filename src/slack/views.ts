import type { ModalView } from '@slack/types';
import { LIMITS, shorten } from '../blocks/limits.ts';
import { message } from '../blocks/message.ts';
import { visible } from '../blocks/mrkdwn.ts';
import { suggest } from '../changes/ask.ts';
import { isRunnable } from '../changes/change.ts';
import { cancel, confirm } from '../changes/confirm.ts';
import { findConfirmation, operationNamed } from '../changes/context.ts';
import { notified } from '../changes/recover.ts';
import { logged, UsageError } from '../errors.ts';
import { currentInteraction } from '../interaction.ts';
import { folded } from '../operations/arguments/resources/look-up.ts';
import { checked, lineOf } from '../operations/grammar.ts';
import type { AnyOperation, Option } from '../operations/operation.ts';
import { decide, giveReason } from './approval.ts';
import { askInView, requestOf, runOperation } from './commands.ts';
import { removeAnswered, showingProblems, tell, updateOpen } from './conversation.ts';
import {
  buildShownView,
  buildWorkingView,
  givenOf,
  type InputState,
  memoryOf,
  originOf,
  titleOf,
  type ViewMemory,
} from './form.ts';
import { isHome } from './out/outgoing.ts';
import { holdsSecret, ROTATE } from './out/secrets.ts';
import { showOutcome } from './outcome.ts';
import { whoIs } from './people.ts';
import type { Bot, Origin, SlackUser } from './services.ts';

export interface SubmittedView {
  id: string;
  callback_id: string;
  private_metadata?: string | undefined;
  values: Record<string, Record<string, InputState>>;
}

/** Slack gets `acknowledgement` at once. `work` runs after it and never throws. */
export interface Submission {
  acknowledgement:
    | { response_action: 'errors'; errors: Record<string, string> }
    | { response_action: 'update'; view: ModalView }
    | { response_action: 'clear' };
  work?: () => Promise<void>;
}

interface Submitted {
  view: SubmittedView;
  memory: ViewMemory;
  origin: Origin;
}

/** Pure: all I/O is in `work`. */
export function submitView(services: Bot, view: SubmittedView, person: SlackUser): Submission {
  const memory = memoryOf(view);
  const submitted: Submitted = { view, memory, origin: originOf(memory, person) };
  const { acknowledgement, work } = submissionOf(services, submitted);
  const operation = operationNamed(services, memory.operation);
  const title = operation === undefined ? 'Edgewise' : titleOf(operation);
  const shown = { id: view.id, title, origin: submitted.origin };
  return {
    acknowledgement: services.secrets.hideIn(acknowledgement),
    ...(work === undefined ? {} : { work: () => showingProblems(services, shown, work) }),
  };
}

function submissionOf(services: Bot, submitted: Submitted): Submission {
  const { operation: name, purpose, confirmation } = submitted.memory;
  if (purpose !== undefined && confirmation !== undefined)
    return submitReason(services, submitted, purpose, confirmation);
  const operation = operationNamed(services, name);
  if (operation === undefined) return updated('Edgewise', 'This command no longer exists.');
  return confirmation === undefined
    ? submitForm(services, submitted, operation)
    : submitConfirmation(services, submitted, operation, confirmation);
}

const updated = (title: string, text: string, work?: () => Promise<void>): Submission => ({
  acknowledgement: { response_action: 'update', view: buildWorkingView(title, text) },
  ...(work === undefined ? {} : { work }),
});

const errorAt = (field: string, text: string): Submission => ({
  acknowledgement: { response_action: 'errors', errors: { [field]: text } },
});

const secretAt = (field: string): Submission =>
  errorAt(field, `This has a key, a token or a password in it. ${ROTATE}`);

function submitReason(
  services: Bot,
  submitted: Submitted,
  purpose: NonNullable<ViewMemory['purpose']>,
  id: string,
): Submission {
  const { view, origin } = submitted;
  const reason = typedIn(view, 'reason') ?? '';
  if (holdsSecret(services.secrets, reason)) return secretAt('reason');
  if (purpose === 'glass') return submitBreakGlass(services, submitted, id, reason);
  const work = async () => {
    const { actor } = await whoIs(services, origin);
    if (purpose === 'approve') return decide(services, id, 'approved', '', origin, actor);
    if (purpose === 'reject') return decide(services, id, 'rejected', reason, origin, actor);
    const { text, isTold } = await giveReason(services, purpose, id, reason, origin, actor);
    if (!isTold) await tell(services, origin, text);
  };
  return { acknowledgement: { response_action: 'clear' }, work };
}

function submitBreakGlass(services: Bot, submitted: Submitted, id: string, reason: string): Submission {
  const { view, memory, origin } = submitted;
  const misspelt = wrongName(submitted);
  if (misspelt !== undefined) return misspelt;
  const operation = operationNamed(services, memory.operation);
  const isShownHere = operation?.reveal !== undefined;
  const work = async () => {
    const { actor } = await whoIs(services, origin);
    const found = (await findConfirmation(services, id))?.confirmation;
    // A dead process has already let it through.
    const isLet = currentInteraction()?.isAgain === true && found?.glassBroken === true && isRunnable(found.state);
    const { text, isTold } = isLet
      ? { text: message(), isTold: true }
      : await giveReason(services, 'glass', id, reason, origin, actor);
    if (isTold && operation !== undefined)
      return confirmed(services, submitted, operation, id, origin.responseUrl !== undefined);
    if (!isShownHere || !(await updateOpen(services, view.id, buildShownView('Approval', text))))
      await tell(services, origin, text);
  };
  if (isShownHere) return updated('Approval', 'Working …', work);
  return { acknowledgement: { response_action: 'clear' }, work };
}

const wrongName = ({ view, memory: { typedName } }: Submitted): Submission | undefined =>
  typedName === undefined || folded(typedIn(view, 'name') ?? '') === folded(typedName)
    ? undefined
    : errorAt('name', `That is not the name. Type exactly: ${typedName}`);

/** `isFromButton`: the outcome replaces the message with the button. */
async function confirmed(
  services: Bot,
  { view, memory, origin }: Submitted,
  operation: AnyOperation,
  id: string,
  isFromButton: boolean,
): Promise<void> {
  const typed = typedIn(view, 'name');
  // Only a secret is shown in the view. Any other outcome is in the conversation.
  const viewId = operation.reveal === undefined ? undefined : view.id;
  const pressed = await whoIs(services, origin);
  const typedName = typed === undefined ? {} : { typedName: typed };
  const isClosed = !isFromButton && memory.keep !== true;
  const outcome = await confirm(services, id, { ...pressed, ...typedName, isClosed });
  const replace = isFromButton && outcome.kind !== 'stands';
  await showOutcome(services, outcome, {
    origin,
    operation,
    viewId,
    async say(text) {
      if (replace || viewId === undefined) await tell(services, origin, text, { replace });
    },
    remove: replace ? () => removeAnswered(services, origin) : undefined,
  });
}

function submitConfirmation(services: Bot, submitted: Submitted, operation: AnyOperation, id: string): Submission {
  const { view, memory, origin } = submitted;
  const misspelt = wrongName(submitted);
  if (misspelt !== undefined) return misspelt;
  const viewId = operation.reveal === undefined ? undefined : view.id;
  const work = async () => {
    await confirmed(services, submitted, operation, id, memory.keep === true && origin.responseUrl !== undefined);
  };
  return viewId === undefined
    ? { acknowledgement: { response_action: 'clear' }, work }
    : updated(titleOf(operation), 'Working …', work);
}

function submitForm(services: Bot, { view, memory, origin }: Submitted, operation: AnyOperation): Submission {
  const given = givenOf(operation, view.values, memory);
  const secret = Object.entries(given).find(([, text]) => holdsSecret(services.secrets, text));
  if (secret !== undefined) return secretAt(secret[0]);
  try {
    checked(operation, given, services.now());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const field = error.argument ?? Object.keys(operation.args)[0] ?? 'form';
    return errorAt(field, shorten(visible(error.message.replaceAll('`', '')), 500));
  }
  // Such a read is answered in the conversation, unless its line is too long for a button. The Home tab has no conversation.
  const isSeen = operation.effect === 'read' && !isHome(origin.place.channelId);
  if (isSeen && lineOf(operation, given).length <= LIMITS.buttonValue) {
    const work = () => runOperation(services, operation, given, { ...origin, isFromForm: true });
    return { acknowledgement: { response_action: 'clear' }, work };
  }
  return updated(titleOf(operation), 'Working …', () => askInView(services, view.id, operation, given, origin));
}

const typedIn = (view: SubmittedView, block: string): string | undefined =>
  Object.values(view.values[block] ?? {})[0]?.value?.trim();

/** Closing a confirmation cancels it, unless the button that opened it stays. */
export async function closeView(services: Bot, view: SubmittedView, person: SlackUser): Promise<void> {
  const { confirmation, keep, purpose } = memoryOf(view);
  if (confirmation === undefined || keep === true) return;
  // Approvers may have been asked meanwhile.
  if (purpose === 'request' && (await findConfirmation(services, confirmation))?.confirmation.state !== 'drafted')
    return;
  const { actor } = await whoIs(services, person);
  await cancel(services, confirmation, actor);
  // The requester knows: they closed it.
  await notified(services, confirmation);
}

/** Empty if Slack does not say who asks. */
export async function suggestOptions(
  services: Bot,
  view: SubmittedView,
  argument: string,
  query: string,
  person: SlackUser,
): Promise<Option[]> {
  const memory = memoryOf(view);
  const operation = operationNamed(services, memory.operation);
  if (operation === undefined) return [];
  const given = givenOf(operation, view.values, memory);
  const request = await requestOf(services, operation, given, originOf(memory, person)).catch(
    logged(services.log, 'info', 'nothing is suggested to somebody whom Slack does not describe'),
  );
  if (request === undefined) return [];
  const found = await suggest(services, request, argument, query);
  return services.secrets.hideIn(found.filter(({ value }) => !holdsSecret(services.secrets, value)));
}
