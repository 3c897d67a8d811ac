/** chat.*: one message per second and channel, only where the bot is a member, only valid blocks. */

import { LIMITS } from '../block-kit/limits.ts';
import { invalidBlocks, textLengthOf } from '../block-kit/validate.ts';
import { sendEvent } from '../compose.ts';
import { type Core, SlackError } from '../core.ts';
import { messageComplaints } from '../message-complaints.ts';
import { messageObject } from '../payloads.ts';
import type { Slack } from '../slack.ts';
import type { UiBlock } from '../ui-types.ts';
import { BOT_USER_ID, type Channel, currentOf, type Message } from '../workspace.ts';
import { type Call, invalidArguments, type Methods } from './call.ts';

/** Posts per channel that Slack lets through at once before it counts one per second. */
const BURST = 3;

interface Content {
  text: string;
  blocks: UiBlock[];
  attachments: unknown[];
}

export function createChat(slack: Slack): Methods {
  const { core } = slack;
  const buckets = new Map<string, { tokens: number; at: number }>();

  const takePlace = (channel: string): void => {
    const now = core.now().getTime();
    const bucket = buckets.get(channel) ?? { tokens: BURST, at: now };
    const tokens = Math.min(BURST, bucket.tokens + Math.max(0, now - bucket.at) / 1000);
    buckets.set(channel, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    if (tokens >= 1) return;
    const seconds = Math.max(1, Math.ceil(1 - tokens));
    throw new SlackError('ratelimited', {}, { status: 429, headers: { 'retry-after': String(seconds) } });
  };

  return {
    'chat.postMessage': {
      scope: 'chat:write',
      run(call) {
        const channel = conversation(call);
        if (!channel.members.has(BOT_USER_ID)) throw new SlackError('not_in_channel');
        takePlace(channel.id);
        const content = contentOf(call);
        const message = core.post({
          channel: channel.id,
          ...content,
          ...threadOf(call, channel),
          broadcast: call.flag('reply_broadcast'),
          metadata: call.json('metadata'),
        });
        echo(slack, channel, { ...messageObject(core, message), channel_type: 'im' });
        return { channel: channel.id, ts: message.ts, message: messageObject(core, message) };
      },
    },

    'chat.postEphemeral': {
      scope: 'chat:write',
      run(call) {
        const channel = conversation(call);
        const user = call.need('user');
        if (!channel.members.has(BOT_USER_ID)) throw new SlackError('not_in_channel');
        if (!core.workspace.users.has(user) || !channel.members.has(user)) throw new SlackError('user_not_in_channel');
        const content = contentOf(call);
        const message = core.post({ channel: channel.id, ...content, ...threadOf(call, channel), ephemeralTo: user });
        return { message_ts: message.ts };
      },
    },

    'chat.update': {
      scope: 'chat:write',
      run(call) {
        const message = ownMessage(call, 'cant_update_message');
        const old = currentOf(message);
        const given = call.arguments;
        if (given.text === undefined && given.blocks === undefined && given.attachments === undefined) {
          throw new SlackError('no_text');
        }
        const content = contentOf(call);
        core.change(message, {
          text: given.text === undefined ? old.text : content.text,
          // A text alone takes the blocks away, as in Slack.
          blocks: content.blocks,
          attachments: content.attachments,
        });
        if (given.metadata !== undefined) message.metadata = call.json('metadata');
        const channel = core.workspace.channel(message.channel);
        const shown = messageObject(core, message);
        echo(slack, channel, {
          type: 'message',
          subtype: 'message_changed',
          hidden: true,
          message: shown,
          previous_message: { type: 'message', ts: message.ts, user: message.user, ...old },
          ts: core.nextTs(),
          channel_type: 'im',
        });
        return { channel: channel.id, ts: message.ts, text: currentOf(message).text, message: shown };
      },
    },

    'chat.delete': {
      scope: 'chat:write',
      run(call) {
        const message = ownMessage(call, 'cant_delete_message');
        core.remove(message);
        return { channel: message.channel, ts: message.ts };
      },
    },

    'chat.getPermalink': {
      run(call) {
        const channel = conversation(call);
        const ts = call.need('message_ts');
        if (!core.workspace.message(channel.id, ts)) throw new SlackError('message_not_found');
        return { channel: channel.id, permalink: permalinkOf(core, channel.id, ts) };
      },
    },

    'reactions.add': {
      scope: 'reactions:write',
      run(call) {
        const name = call.need('name');
        const message = core.workspace.message(conversation(call).id, call.need('timestamp'));
        if (!message || message.ephemeralTo !== undefined) throw new SlackError('message_not_found');
        const known = message.reactions.find((each) => each.name === name);
        if (known?.users.includes(BOT_USER_ID)) throw new SlackError('already_reacted');
        if (known) known.users.push(BOT_USER_ID);
        else message.reactions.push({ name, users: [BOT_USER_ID] });
        core.emit({ type: 'message', message, isNew: false });
        return {};
      },
    },

    'reactions.remove': {
      scope: 'reactions:write',
      run(call) {
        const name = call.need('name');
        const message = core.workspace.message(conversation(call).id, call.need('timestamp'));
        if (!message) throw new SlackError('message_not_found');
        const known = message.reactions.find((each) => each.name === name);
        if (!known?.users.includes(BOT_USER_ID)) throw new SlackError('no_reaction');
        known.users = known.users.filter((user) => user !== BOT_USER_ID);
        message.reactions = message.reactions.filter((each) => each.users.length > 0);
        core.emit({ type: 'message', message, isNew: false });
        return {};
      },
    },
  };
}

/** The address that opens a message on the page. */
export function permalinkOf(core: Core, channel: string, ts: string): string {
  return `${core.url}archives/${channel}/p${ts.replace('.', '')}`;
}

/** The conversation that `channel` names: an id, a `#name`, or a user for the direct message. */
export function conversation(call: Call, name = 'channel'): Channel {
  const channel = call.slack.core.workspace.findChannel(call.need(name, 'channel_not_found'));
  if (!channel) throw new SlackError('channel_not_found');
  if (channel.isPrivate && !channel.members.has(BOT_USER_ID)) throw new SlackError('channel_not_found');
  return channel;
}

/** Text, blocks and attachments of a post, checked the way Slack checks them. */
function contentOf(call: Call): Content {
  const text = call.text('text') ?? '';
  const blocks = call.json('blocks') ?? [];
  const attachments = call.json('attachments') ?? [];
  if (text === '' && isEmptyList(blocks) && isEmptyList(attachments)) throw new SlackError('no_text');
  const refuse = (error: string, answer: Record<string, unknown> = {}): never => {
    call.slack.core.problem(`${call.method}: ${error} ${answer.errors ? String(answer.errors) : ''}`.trim());
    throw new SlackError(error, answer);
  };
  if (text.length > LIMITS.messageText) refuse('msg_too_long');
  const complaints = messageComplaints(call.slack.core, { text, blocks, attachments });
  if (complaints.length > 0) refuse('invalid_blocks', invalidBlocks(complaints));
  if (textLengthOf(blocks) > LIMITS.blockTextTotal) refuse('msg_blocks_too_long');
  return { text, blocks: blocks as UiBlock[], attachments: attachments as unknown[] };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function threadOf(call: Call, channel: Channel): { threadTs: string | undefined } {
  const wanted = call.text('thread_ts');
  if (wanted === undefined) return { threadTs: undefined };
  const root = call.slack.core.workspace.message(channel.id, wanted);
  if (!root) {
    if (!/^\d+\.\d+$/.test(wanted)) throw invalidArguments('thread_ts is no timestamp');
    call.slack.core.problem(`${call.method}: thread_ts ${wanted} names no message`);
    throw new SlackError('thread_not_found');
  }
  return { threadTs: root.threadTs ?? wanted };
}

function ownMessage(call: Call, refusal: string): Message {
  const channel = conversation(call);
  const message = call.slack.core.workspace.message(channel.id, call.need('ts'));
  // Ephemeral messages are in no list: only a response URL reaches them.
  if (!message || message.ephemeralTo !== undefined) throw new SlackError('message_not_found');
  if (message.user !== BOT_USER_ID) throw new SlackError(refusal);
  return message;
}

/** In a direct message Slack sends the bot its own posts and edits back as events. */
function echo(slack: Slack, channel: Channel, event: Record<string, unknown>): void {
  if (!channel.isIm) return;
  void sendEvent(slack, { channel: channel.id, event_ts: slack.core.nextTs(), ...event });
}
