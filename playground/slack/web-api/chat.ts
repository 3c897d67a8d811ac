/** chat.*: one message per second and channel, only where the bot is a member, only valid blocks. */

import { LIMITS } from '../block-kit/limits.ts';
import { invalidBlocks, textLengthOf } from '../block-kit/validate.ts';
import { addProblem } from '../changes.ts';
import { sendEvent } from '../events.ts';
import { nextTs } from '../ids.ts';
import { changeMessage, messageComplaints, postMessage, removeMessage } from '../messages.ts';
import { messageObject } from '../payloads.ts';
import { type Slack, SlackError } from '../slack.ts';
import type { UiBlock } from '../ui-types.ts';
import { type Channel, currentOf, type Message, type Revision } from '../workspace.ts';
import { type Call, flagOf, invalidArguments, jsonOf, type Methods, need, textOf } from './call.ts';
import { conversation } from './conversation.ts';

/** Posts per channel that Slack lets through at once before it counts one per second. */
const BURST = 3;

/** Messages: posted, updated, deleted, linked to. */
export const chatMethods: Methods = {
  'chat.postMessage': { scope: 'chat:write', run: answerPostMessage },
  'chat.postEphemeral': { scope: 'chat:write', run: answerPostEphemeral },
  'chat.update': { scope: 'chat:write', run: answerUpdate },
  'chat.delete': { scope: 'chat:write', run: answerDelete },
  'chat.getPermalink': { run: answerGetPermalink },
};

function answerPostMessage(call: Call): Record<string, unknown> {
  const { slack } = call;
  const channel = conversation(call);
  needPlace(call, channel);
  spendPost(slack, channel.id);
  const content = contentOf(call);
  const message = postMessage(slack, {
    channel: channel.id,
    ...content,
    ...threadOf(call, channel),
    broadcast: flagOf(call, 'reply_broadcast'),
    metadata: jsonOf(call, 'metadata'),
  });
  echo(slack, channel, { ...messageObject(slack, message), channel_type: 'im' });
  return { channel: channel.id, ts: message.ts, message: messageObject(slack, message, true) };
}

function answerPostEphemeral(call: Call): Record<string, unknown> {
  const { slack } = call;
  const channel = conversation(call);
  const user = need(call, 'user');
  needPlace(call, channel);
  if (!slack.workspace.users.has(user) || !channel.members.has(user)) throw new SlackError('user_not_in_channel');
  const content = contentOf(call);
  const message = postMessage(slack, {
    channel: channel.id,
    ...content,
    ...threadOf(call, channel),
    ephemeralTo: user,
  });
  return { message_ts: message.ts };
}

function answerUpdate(call: Call): Record<string, unknown> {
  const { slack, given } = call;
  const message = ownMessage(call, 'cant_update_message');
  const channel = slack.workspace.channel(message.channel);
  if (channel.isArchived) throw new SlackError('is_inactive');
  const old = currentOf(message);
  const previous = messageObject(slack, message);
  if (given.text === undefined && given.blocks === undefined && given.attachments === undefined) {
    throw new SlackError('no_text');
  }
  const content = contentOf(call, Buffer.byteLength(textOf(call, 'text') ?? '') > LIMITS.updateText);
  // A text alone takes the blocks away, as in Slack.
  changeMessage(slack, message, { ...content, text: given.text === undefined ? old.text : content.text });
  if (given.metadata !== undefined) message.metadata = jsonOf(call, 'metadata');
  const team = slack.workspace.team.id;
  const shown = { ...messageObject(slack, message, true), source_team: team, user_team: team };
  echo(slack, channel, {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    message: shown,
    previous_message: previous,
    ts: nextTs(slack),
    channel_type: 'im',
  });
  return { channel: channel.id, ts: message.ts, text: currentOf(message).text, message: shown };
}

function answerDelete(call: Call): Record<string, unknown> {
  const { slack } = call;
  const message = ownMessage(call, 'cant_delete_message');
  const previous = messageObject(slack, message);
  removeMessage(slack, message);
  const fields = { type: 'message', subtype: 'message_deleted', hidden: true, deleted_ts: message.ts };
  const channel = slack.workspace.channel(message.channel);
  echo(slack, channel, { ...fields, previous_message: previous, ts: nextTs(slack), channel_type: 'im' });
  return { channel: message.channel, ts: message.ts };
}

function answerGetPermalink(call: Call): Record<string, unknown> {
  const { slack } = call;
  const channel = conversation(call);
  const ts = need(call, 'message_ts');
  if (!slack.workspace.message(channel.id, ts)) throw new SlackError('message_not_found');
  return { channel: channel.id, permalink: `${slack.url}archives/${channel.id}/p${ts.replace('.', '')}` };
}

/** The bot posts where it is a member, and nobody where it is archived. */
function needPlace({ slack }: Call, channel: Channel): void {
  if (channel.isArchived) throw new SlackError('is_archived');
  if (!channel.members.has(slack.app.userId)) throw new SlackError('not_in_channel');
}

/** Counts one post, or refuses it with `ratelimited`. */
function spendPost({ now, postBudgets }: Slack, channel: string): void {
  const at = now().getTime();
  const budget = postBudgets.get(channel) ?? { left: BURST, at };
  const left = Math.min(BURST, budget.left + Math.max(0, at - budget.at) / 1000);
  postBudgets.set(channel, { left: left < 1 ? left : left - 1, at });
  if (left >= 1) return;
  const seconds = Math.max(1, Math.ceil(1 - left));
  throw new SlackError('ratelimited', {}, { status: 429, headers: { 'retry-after': String(seconds) } });
}

/** Text, blocks and attachments of a post, checked the way Slack checks them. */
function contentOf(call: Call, isTooLong = false): Revision {
  const text = textOf(call, 'text') ?? '';
  const blocks = jsonOf(call, 'blocks') ?? [];
  const attachments = jsonOf(call, 'attachments') ?? [];
  if (text === '' && isEmptyList(blocks) && isEmptyList(attachments)) throw new SlackError('no_text');
  const refuse = (error: string, answer: Record<string, unknown> = {}): never => {
    addProblem(call.slack, `${call.method}: ${error} ${answer.errors ? String(answer.errors) : ''}`.trim());
    throw new SlackError(error, answer);
  };
  if (isTooLong || text.length > LIMITS.messageText) refuse('msg_too_long');
  const complaints = messageComplaints(call.slack, { text, blocks, attachments });
  if (complaints.length > 0) refuse('invalid_blocks', invalidBlocks(complaints));
  if (textLengthOf(blocks) > LIMITS.blockTextTotal) refuse('msg_blocks_too_long');
  return { text, blocks: blocks as UiBlock[], attachments: attachments as unknown[] };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function threadOf(call: Call, channel: Channel): { threadTs: string | undefined } {
  const wanted = textOf(call, 'thread_ts');
  if (wanted === undefined) return { threadTs: undefined };
  const root = call.slack.workspace.message(channel.id, wanted);
  if (root) return { threadTs: root.threadTs ?? wanted };
  if (!/^\d+\.\d+$/.test(wanted)) throw invalidArguments('thread_ts is no timestamp');
  // Slack drops it without a word.
  return { threadTs: undefined };
}

function ownMessage(call: Call, refusal: string): Message {
  const channel = conversation(call);
  const message = call.slack.workspace.message(channel.id, need(call, 'ts'));
  // Ephemeral messages are in no list: only a response URL reaches them.
  if (!message || message.ephemeralTo !== undefined) throw new SlackError('message_not_found');
  if (message.user !== call.slack.app.userId) throw new SlackError(refusal);
  return message;
}

/** In a direct message Slack sends the bot its own posts and edits back as events. */
function echo(slack: Slack, channel: Channel, event: Record<string, unknown>): void {
  if (!channel.isIm) return;
  void sendEvent(slack, { channel: channel.id, event_ts: nextTs(slack), ...event });
}
