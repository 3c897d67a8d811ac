/** Elements that a person presses or chooses in, in messages and views. The page and the tests both act through this. */

import { ownerOf } from './apps.ts';
import { validateOptions } from './block-kit/validate.ts';
import { setAway } from './built-ins.ts';
import { addProblem } from './changes.ts';
import { deliver } from './delivery.ts';
import { echoed } from './echo.ts';
import {
  type Element,
  findElement,
  holdsValue,
  mergedValues,
  type Placed,
  payloadOf,
  stateOf,
  valuesOf,
} from './elements.ts';
import { nextTs } from './ids.ts';
import { channelName, envelopeOf, messageObject } from './payloads.ts';
import { issueResponseUrl } from './response-urls.ts';
import type { Slack, View } from './slack.ts';
import { pressFailed } from './slackbot.ts';
import { issueTrigger } from './triggers.ts';
import type { UiAnswer, UiContainer, UiOption, UiOptionGroup, UiSuggestAnswer, UiValue, UiValues } from './ui-types.ts';
import { findView, viewObject } from './views.ts';
import { isVisibleTo, type Message, type User } from './workspace.ts';

/** A press on a button, or a choice in a menu. */
export interface Press {
  at: UiContainer;
  block: string;
  action: string;
  values?: UiValues | undefined;
  /** The value chosen, for everything but buttons. */
  value?: UiValue;
  /** Presses an element that the message showed earlier, as a client does that has not seen the change yet. */
  stale?: boolean;
}

/** Presses a button, or chooses in a menu. */
export async function press(any: Slack, user: User, input: Press): Promise<UiAnswer> {
  const slack = ownerOf(any, input.at);
  const source = sourceOf(slack, user, input.at, input.stale === true);
  if (typeof source === 'string') return refused(source);
  const placed = findElement(source.blocks, input.block, input.action);
  if (!placed) return refused('This button is gone.');
  setAway(slack, user, false);
  const changes = { ...input.values };
  if (input.value !== undefined && holdsValue(placed.element)) {
    changes[input.block] = { ...changes[input.block], [input.action]: input.value };
  }
  keepValues(slack, source, mergedValues(source.values, changes));
  const ack = await deliver(slack, 'interactive', {
    type: 'block_actions',
    ...envelopeOf(slack, user),
    ...contextOf(slack, user, source, true),
    trigger_id: issueTrigger(slack, user.id, source.view?.id),
    actions: [echoed(actionOf(slack, placed, input.value ?? null))],
  });
  if (ack.ok && ack.body !== undefined)
    addProblem(slack, 'the ack of block_actions carries a body, which Slack ignores');
  return ack.ok ? { ok: true } : refused(pressFailed(ack.error));
}

/** Asks the bot for the options of an external select. */
export async function suggest(
  any: Slack,
  user: User,
  input: { at: UiContainer; block: string; action: string; query: string },
): Promise<UiSuggestAnswer> {
  const slack = ownerOf(any, input.at);
  const source = sourceOf(slack, user, input.at, false);
  if (typeof source === 'string') return refused(source);
  const placed = findElement(source.blocks, input.block, input.action);
  if (!placed) return refused('This menu is gone.');
  const least = placed.element.min_query_length ?? 3;
  if (input.query.length < least) return { ok: true, options: [], groups: [] };
  const ack = await deliver(slack, 'interactive', {
    type: 'block_suggestion',
    ...envelopeOf(slack, user),
    ...contextOf(slack, user, source, false),
    action_id: input.action,
    block_id: input.block,
    value: input.query,
  });
  if (!ack.ok) return refused(`Options could not be loaded (${ack.error}).`);
  const body = (ack.body ?? {}) as { options?: UiOption[]; option_groups?: UiOptionGroup[] };
  const complaints = validateOptions(body);
  if (complaints.length > 0) {
    addProblem(slack, `suggestions: ${complaints.map((each) => `${each.message} [${each.pointer}]`).join('; ')}`);
    return refused('Options could not be loaded (invalid_options).');
  }
  const options = body.options ?? [];
  const groups = body.option_groups ?? [];
  for (const option of [...options, ...groups.flatMap((group) => group.options)]) {
    slack.suggested.set(`${input.block} ${input.action} ${option.value}`, option);
  }
  return { ok: true, options, groups };
}

/** The view or the message that an element sits in. */
type Source = { blocks: Placed['block'][]; values: UiValues } & (
  | { view: View; message?: undefined }
  | { view?: undefined; message: Message; key: string }
);

function sourceOf(slack: Slack, user: User, at: UiContainer, isStale: boolean): Source | string {
  if ('view' in at) {
    const view = findView(slack, at.view);
    return view?.user === user.id ? { blocks: view.blocks, values: view.values, view } : 'This view is closed.';
  }
  const message = slack.workspace.message(at.channel, at.ts);
  if (!message || !isVisibleTo(slack.workspace, message, user.id)) return 'This message is gone.';
  const blocks = isStale ? message.revisions.flatMap((revision) => revision.blocks) : message.revisions.at(-1)!.blocks;
  const key = `${user.id} ${at.channel} ${at.ts}`;
  return { blocks, values: valuesOf(blocks, slack.messageValues.get(key)), message, key };
}

function keepValues(slack: Slack, source: Source, values: UiValues): void {
  if (source.view) source.view.values = values;
  else slack.messageValues.set(source.key, values);
}

/** The parts of a payload that say where the element sits. */
function contextOf(slack: Slack, user: User, source: Source, withResponseUrl: boolean): Record<string, unknown> {
  if (source.view) {
    return { container: { type: 'view', view_id: source.view.id }, view: viewObject(slack, source.view) };
  }
  const { message, key } = source;
  const channel = slack.workspace.channel(message.channel);
  const isEphemeral = message.ephemeralTo !== undefined;
  const blocks = message.revisions.at(-1)!.blocks;
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
    ...(isEphemeral ? {} : { message: messageObject(slack, message) }),
    state: echoed(stateOf(slack, blocks, valuesOf(blocks, slack.messageValues.get(key)))),
    ...(withResponseUrl ? { response_url: issueResponseUrl(slack, channel.id, user.id, message) } : {}),
  };
}

function actionOf(slack: Slack, placed: Placed, value: UiValue): Record<string, unknown> {
  const { block, element } = placed;
  const ids = { action_id: element.action_id, block_id: block.block_id, action_ts: nextTs(slack) };
  if (holdsValue(element) || element.type === 'overflow') {
    return { ...payloadOf(slack, placed, value), ...initialOf(element), ...ids };
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

function refused(error: string): { ok: false; error: string } {
  return { ok: false, error };
}
