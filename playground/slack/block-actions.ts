/** What a person does: pressing, choosing, submitting. The page and the tests' vocabulary both act through this. */

import { validateOptions } from './block-kit/validate.ts';
import { sendEvent } from './compose.ts';
import type { Ack } from './delivery.ts';
import {
  clientErrorsOf,
  type Element,
  findElement,
  holdsValue,
  mergedValues,
  type Placed,
  payloadOf,
  stateOf,
  valuesOf,
} from './elements.ts';
import { channelName, envelopeOf, messageObject } from './payloads.ts';
import type { Slack } from './slack.ts';
import { pressFailed, TROUBLE_CONNECTING } from './slackbot.ts';
import type {
  UiAnswer,
  UiOption,
  UiOptionGroup,
  UiPlace,
  UiSubmitAnswer,
  UiSuggestAnswer,
  UiValue,
  UiValues,
} from './ui-types.ts';
import type { View } from './views.ts';
import { isVisibleTo, type Message, type User } from './workspace.ts';

/** What a press is about. */
export interface Press {
  at: UiPlace;
  block: string;
  action: string;
  values?: UiValues | undefined;
  /** The value chosen, for everything but buttons. */
  value?: UiValue;
  /** Presses an element that the message showed earlier, as a client does that has not seen the change yet. */
  stale?: boolean;
}

/** Presses a button, or chooses in a menu. */
export async function press(slack: Slack, user: User, input: Press): Promise<UiAnswer> {
  const source = placeOf(slack, user, input.at, input.stale === true);
  if (typeof source === 'string') return refused(source);
  const placed = findElement(source.blocks, input.block, input.action);
  if (!placed) return refused('This button is gone.');
  const changes = { ...input.values };
  if (input.value !== undefined && holdsValue(placed.element)) {
    changes[input.block] = { ...changes[input.block], [input.action]: input.value };
  }
  source.keep(mergedValues(source.values, changes));
  const { core } = slack;
  const ack = await slack.delivery.deliver('interactive', {
    type: 'block_actions',
    ...envelopeOf(core, user),
    ...source.context(true),
    trigger_id: slack.triggers.issue(user.id, source.view?.id),
    actions: [actionOf(slack, placed, input.value ?? null)],
  });
  if (ack.ok && ack.body !== undefined) core.problem('the ack of block_actions carries a body, which Slack ignores');
  return ack.ok ? { ok: true } : refused(pressFailed(ack.error));
}

function actionOf(slack: Slack, placed: Placed, value: UiValue): Record<string, unknown> {
  const { block, element } = placed;
  const ids = { action_id: element.action_id, block_id: block.block_id, action_ts: slack.core.nextTs() };
  if (holdsValue(element) || element.type === 'overflow') {
    return { ...payloadOf(placed, value, slack.lookups), ...initialOf(element), ...ids };
  }
  return {
    type: element.type,
    ...(element.text ? { text: element.text } : {}),
    ...(element.value === undefined ? {} : { value: element.value }),
    ...(element.style === undefined ? {} : { style: element.style }),
    ...(element.url === undefined ? {} : { url: element.url }),
    ...(element.confirm ? { confirm: element.confirm } : {}),
    ...ids,
  };
}

function initialOf(element: Element): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(element).filter(([name]) => name.startsWith('initial_') || name === 'placeholder'),
  );
}

/** Where an element sits, and the parts of the payload that say so. */
interface Source {
  blocks: Placed['block'][];
  values: UiValues;
  view: View | undefined;
  keep(values: UiValues): void;
  context(withResponseUrl: boolean): Record<string, unknown>;
}

function placeOf(slack: Slack, user: User, at: UiPlace, stale: boolean): Source | string {
  const { core, views } = slack;
  if ('view' in at) {
    const view = views.find(at.view);
    if (view?.user !== user.id) return 'This view is closed.';
    return {
      blocks: view.blocks,
      values: view.values,
      view,
      keep: (values) => {
        view.values = values;
      },
      context: () => ({
        container: { type: 'view', view_id: view.id },
        view: views.payload(view, slack.lookups),
      }),
    };
  }
  const message = core.workspace.message(at.channel, at.ts);
  if (!message || !isVisibleTo(core.workspace, message, user.id)) return 'This message is gone.';
  const blocks = stale ? message.revisions.flatMap((revision) => revision.blocks) : message.revisions.at(-1)!.blocks;
  const key = `${user.id} ${at.channel} ${at.ts}`;
  return {
    blocks,
    values: valuesOf(blocks, slack.messageValues.get(key)),
    view: undefined,
    keep: (values) => slack.messageValues.set(key, values),
    context: (withResponseUrl) => messageContext(slack, user, message, withResponseUrl),
  };
}

function messageContext(slack: Slack, user: User, message: Message, withResponseUrl: boolean): Record<string, unknown> {
  const { core } = slack;
  const channel = core.workspace.channel(message.channel);
  const isEphemeral = message.ephemeralTo !== undefined;
  const blocks = message.revisions.at(-1)!.blocks;
  const values = valuesOf(blocks, slack.messageValues.get(`${user.id} ${message.channel} ${message.ts}`));
  return {
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: isEphemeral,
      ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    },
    channel: { id: channel.id, name: channelName(channel) },
    // Slack leaves the message out of payloads from ephemeral messages.
    ...(isEphemeral ? {} : { message: messageObject(core, message) }),
    state: stateOf(blocks, values, slack.lookups),
    ...(withResponseUrl ? { response_url: slack.responseUrls.issue(channel.id, user.id, message) } : {}),
  };
}

/** Asks the bot for the options of an external select. */
export async function suggest(
  slack: Slack,
  user: User,
  input: { at: UiPlace; block: string; action: string; query: string },
): Promise<UiSuggestAnswer> {
  const source = placeOf(slack, user, input.at, false);
  if (typeof source === 'string') return refused(source);
  const placed = findElement(source.blocks, input.block, input.action);
  if (!placed) return refused('This menu is gone.');
  const least = placed.element.min_query_length ?? 3;
  if (input.query.length < least) return { ok: true, options: [], groups: [] };
  const ack = await slack.delivery.deliver('interactive', {
    type: 'block_suggestion',
    ...envelopeOf(slack.core, user),
    ...source.context(false),
    action_id: input.action,
    block_id: input.block,
    value: input.query,
  });
  if (!ack.ok) return refused(`Options could not be loaded (${ack.error}).`);
  const body = (ack.body ?? {}) as { options?: UiOption[]; option_groups?: UiOptionGroup[] };
  const complaints = validateOptions(body);
  if (complaints.length > 0) {
    slack.core.problem(`suggestions: ${complaints.map((each) => `${each.message} [${each.pointer}]`).join('; ')}`);
    return refused('Options could not be loaded (invalid_options).');
  }
  const options = body.options ?? [];
  const groups = body.option_groups ?? [];
  for (const option of [...options, ...groups.flatMap((group) => group.options)]) {
    slack.suggested.set(`${input.block} ${input.action} ${option.value}`, option);
  }
  return { ok: true, options, groups };
}

/** Submits a modal: first what Slack's client checks itself, then the bot. */
export async function submit(
  slack: Slack,
  user: User,
  input: { view: string; values: UiValues },
): Promise<UiSubmitAnswer> {
  const { core, views } = slack;
  const view = views.find(input.view);
  if (view?.user !== user.id || view.draft.type !== 'modal') return refused('This view is closed.');
  view.values = mergedValues(view.values, input.values);
  const errors = clientErrorsOf(view.blocks, view.values, slack.lookups);
  if (Object.keys(errors).length > 0) return showErrors(slack, view, errors);
  view.errors = {};
  const ack = await slack.delivery.deliver('interactive', {
    type: 'view_submission',
    ...envelopeOf(core, user),
    trigger_id: slack.triggers.issue(user.id, view.id),
    view: views.payload(view, slack.lookups),
    response_urls: [],
  });
  if (!ack.ok) return refused(TROUBLE_CONNECTING);
  try {
    return afterSubmission(slack, view, ack);
  } catch (error) {
    core.problem(`view_submission: the bot's answer was refused: ${String(error)}`);
    return refused(TROUBLE_CONNECTING);
  }
}

function afterSubmission(slack: Slack, view: View, ack: Ack & { ok: true }): UiSubmitAnswer {
  const { core, views } = slack;
  const body = (typeof ack.body === 'object' && ack.body !== null ? ack.body : {}) as {
    response_action?: string;
    errors?: Record<string, string>;
    view?: unknown;
  };
  switch (body.response_action) {
    case undefined:
      if (Object.keys(body).length > 0) core.problem('view_submission: an ack without response_action');
      views.close(view);
      return { ok: true };
    case 'clear':
      views.clear(view.user);
      return { ok: true };
    case 'update':
      views.update({ viewId: view.id }, body.view);
      return { ok: true };
    case 'push':
      views.pushOnto(view, body.view);
      return { ok: true };
    case 'errors': {
      const inputs = new Set(view.blocks.filter((block) => block.type === 'input').map((block) => block.block_id));
      const stray = Object.keys(body.errors ?? {}).filter((id) => !inputs.has(id));
      if (stray.length > 0 || Object.keys(body.errors ?? {}).length === 0) {
        core.problem(`view_submission: errors for what is no input block: ${stray.join(', ')}`);
        return refused(TROUBLE_CONNECTING);
      }
      return showErrors(slack, view, body.errors ?? {});
    }
    default:
      core.problem(`view_submission: unknown response_action ${body.response_action}`);
      return refused(TROUBLE_CONNECTING);
  }
}

function showErrors(slack: Slack, view: View, errors: Record<string, string>): UiSubmitAnswer {
  view.errors = errors;
  slack.views.changed(view);
  return { ok: true, errors };
}

/** Closes a modal, or with `all` the whole stack; tells the bot where it asked for that. */
export async function closeView(
  slack: Slack,
  user: User,
  input: { view: string; all?: boolean | undefined },
): Promise<UiAnswer> {
  const { core, views } = slack;
  const view = views.find(input.view);
  if (view?.user !== user.id || view.draft.type !== 'modal') return { ok: true };
  const whole = input.all === true || view.draft.clear_on_close === true;
  const closed = whole ? views.clear(user.id) : [view];
  if (!whole) views.close(view);
  for (const each of closed.filter((one) => one.draft.notify_on_close)) {
    await slack.delivery.deliver('interactive', {
      type: 'view_closed',
      ...envelopeOf(core, user),
      view: views.payload(each, slack.lookups),
      is_cleared: whole,
    });
  }
  return { ok: true };
}

/** Opens the App Home. */
export async function openHome(slack: Slack, user: User, tab: 'home' | 'messages' = 'home'): Promise<UiAnswer> {
  const home = slack.views.home(user.id);
  await sendEvent(slack, {
    type: 'app_home_opened',
    user: user.id,
    channel: slack.core.workspace.directMessage(user.id).id,
    tab,
    event_ts: slack.core.nextTs(),
    ...(home && tab === 'home' ? { view: slack.views.payload(home, slack.lookups) } : {}),
  });
  return { ok: true };
}

/** Runs a shortcut; with `at` one on a message. */
export async function runShortcut(
  slack: Slack,
  user: User,
  input: { callbackId: string; at?: { channel: string; ts: string } | undefined },
): Promise<UiAnswer> {
  const { core } = slack;
  const common = { ...envelopeOf(core, user), callback_id: input.callbackId, action_ts: core.nextTs() };
  const trigger_id = slack.triggers.issue(user.id);
  let payload: Record<string, unknown> = { type: 'shortcut', ...common, trigger_id };
  if (input.at) {
    const message = core.workspace.message(input.at.channel, input.at.ts);
    if (!message || !isVisibleTo(core.workspace, message, user.id)) return refused('This message is gone.');
    const channel = core.workspace.channel(input.at.channel);
    payload = {
      type: 'message_action',
      ...common,
      trigger_id,
      channel: { id: channel.id, name: channelName(channel) },
      message_ts: message.ts,
      message: messageObject(core, message),
      response_url: slack.responseUrls.issue(channel.id, user.id, message),
    };
  }
  const ack = await slack.delivery.deliver('interactive', payload);
  return ack.ok ? { ok: true } : refused(pressFailed(ack.error));
}

function refused(error: string): { ok: false; error: string } {
  return { ok: false, error };
}
