/** views.* and blocks.validate. */

import { validateMessage, validateView } from '../block-kit/validate.ts';
import { SlackError, type View } from '../slack.ts';
import { openView, publishHome, pushView, updateView, viewObject } from '../views.ts';
import { type Call, invalidArguments, jsonOf, type Methods, need, textOf } from './call.ts';

/** Views: opened, pushed, updated, published; and Slack's validator. */
export const viewMethods: Methods = {
  'views.open': { run: (call) => shown(call, openView(call.slack, triggerOf(call), viewOf(call))) },
  'views.push': { run: (call) => shown(call, pushView(call.slack, triggerOf(call), viewOf(call))) },
  'views.update': { run: answerUpdate },
  'views.publish': { run: answerPublish },
  'blocks.validate': { run: answerValidate },
};

function shown({ slack }: Call, view: View): Record<string, unknown> {
  return { view: viewObject(slack, view) };
}

function triggerOf(call: Call): string {
  return textOf(call, 'trigger_id') ?? need(call, 'interactivity_pointer', 'invalid_trigger_id');
}

function viewOf(call: Call): unknown {
  const view = jsonOf(call, 'view');
  if (view === undefined) throw invalidArguments('missing required field: view');
  return view;
}

function answerUpdate(call: Call): Record<string, unknown> {
  const [viewId, externalId, hash] = [textOf(call, 'view_id'), textOf(call, 'external_id'), textOf(call, 'hash')];
  const wanted = {
    ...(viewId === undefined ? {} : { viewId }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(hash === undefined ? {} : { hash }),
  };
  return shown(call, updateView(call.slack, wanted, viewOf(call)));
}

function answerPublish(call: Call): Record<string, unknown> {
  const user = call.slack.workspace.users.get(need(call, 'user_id'));
  if (!user || user.isBot) throw new SlackError('user_not_found');
  return shown(call, publishHome(call.slack, user.id, viewOf(call), textOf(call, 'hash')));
}

function answerValidate(call: Call): Record<string, unknown> {
  const { blocks, message, view } = call.given;
  if (view !== undefined) {
    const given = jsonOf(call, 'view') as { type?: string };
    const complaints = validateView(given, given.type === 'home' ? 'home' : 'modal');
    if (complaints.length > 0) throw new SlackError('invalid_view', { errors: complaints });
    return {};
  }
  const given = (
    message === undefined ? { blocks: blocks === undefined ? [] : jsonOf(call, 'blocks') } : jsonOf(call, 'message')
  ) as { text?: string; blocks: unknown };
  const complaints = validateMessage(given);
  const error = message === undefined ? 'invalid_blocks' : 'invalid_message';
  if (complaints.length > 0) throw new SlackError(error, { errors: complaints });
  return {};
}
