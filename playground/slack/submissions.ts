/** Modals that a person submits or closes. */

import { ownerOf } from './apps.ts';
import { addProblem } from './changes.ts';
import { deliver } from './delivery.ts';
import { clientErrorsOf, mergedValues } from './elements.ts';
import { envelopeOf } from './payloads.ts';
import type { Ack, Slack, View } from './slack.ts';
import { TROUBLE_CONNECTING } from './slackbot.ts';
import { issueTrigger } from './triggers.ts';
import type { UiAnswer, UiSubmitAnswer, UiValues } from './ui-types.ts';
import { clearStack, findView, pushDraft, removeView, updateView, viewChanged, viewObject } from './views.ts';
import type { User } from './workspace.ts';

/** Submits a modal: first Slack's client checks it, then the bot does. */
export async function submit(
  any: Slack,
  user: User,
  input: { view: string; values: UiValues },
): Promise<UiSubmitAnswer> {
  const slack = ownerOf(any, input);
  const view = findView(slack, input.view);
  if (view?.user !== user.id || view.draft.type !== 'modal') return { ok: false, error: 'This view is closed.' };
  view.values = mergedValues(view.values, input.values);
  const errors = clientErrorsOf(slack, view.blocks, view.values);
  if (Object.keys(errors).length > 0) return showErrors(slack, view, errors);
  view.errors = {};
  const ack = await deliver(slack, 'interactive', {
    type: 'view_submission',
    ...envelopeOf(slack, user),
    trigger_id: issueTrigger(slack, user.id, view.id),
    view: viewObject(slack, view),
    response_urls: [],
  });
  if (!ack.ok) return TROUBLE;
  try {
    return afterSubmission(slack, view, ack);
  } catch (error) {
    addProblem(slack, `view_submission: the bot's answer was refused: ${String(error)}`);
    return TROUBLE;
  }
}

const TROUBLE: UiSubmitAnswer = { ok: false, error: TROUBLE_CONNECTING };

interface SubmissionResponse {
  response_action?: string;
  errors?: Record<string, string>;
  view?: unknown;
}

function afterSubmission(slack: Slack, view: View, ack: Ack & { ok: true }): UiSubmitAnswer {
  const body: SubmissionResponse = typeof ack.body === 'object' && ack.body !== null ? ack.body : {};
  switch (body.response_action) {
    case undefined:
      if (Object.keys(body).length > 0) addProblem(slack, 'view_submission: an ack without response_action');
      removeView(slack, view);
      return { ok: true };
    case 'clear':
      clearStack(slack, view.user);
      return { ok: true };
    case 'update':
      updateView(slack, { viewId: view.id }, body.view);
      return { ok: true };
    case 'push':
      pushDraft(slack, view.user, body.view);
      return { ok: true };
    case 'errors': {
      const errors = body.errors ?? {};
      const inputs = new Set(view.blocks.filter((block) => block.type === 'input').map((block) => block.block_id));
      const stray = Object.keys(errors).filter((id) => !inputs.has(id));
      if (stray.length > 0 || Object.keys(errors).length === 0) {
        addProblem(slack, `view_submission: errors for what is no input block: ${stray.join(', ')}`);
        return TROUBLE;
      }
      return showErrors(slack, view, errors);
    }
    default:
      addProblem(slack, `view_submission: unknown response_action ${body.response_action}`);
      return TROUBLE;
  }
}

function showErrors(slack: Slack, view: View, errors: Record<string, string>): UiSubmitAnswer {
  view.errors = errors;
  viewChanged(slack, view);
  return { ok: true, errors };
}

/** Closes a modal, or with `all` the whole stack; tells the bot where it asked for that. */
export async function closeView(
  any: Slack,
  user: User,
  input: { view: string; all?: boolean | undefined },
): Promise<UiAnswer> {
  const slack = ownerOf(any, input);
  const view = findView(slack, input.view);
  if (view?.user !== user.id || view.draft.type !== 'modal') return { ok: true };
  const isWhole = input.all === true || view.draft.clear_on_close === true;
  const closed = isWhole ? clearStack(slack, user.id) : [view];
  if (!isWhole) removeView(slack, view);
  for (const each of closed.filter((one) => one.draft.notify_on_close)) {
    await deliver(slack, 'interactive', {
      type: 'view_closed',
      ...envelopeOf(slack, user),
      view: viewObject(slack, each),
      is_cleared: isWhole,
    });
  }
  return { ok: true };
}
