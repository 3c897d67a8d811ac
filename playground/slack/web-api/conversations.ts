/** conversations.*: the channels and their messages, as far as the bot may see them. */

import { emit } from '../changes.ts';
import { messageObject } from '../payloads.ts';
import { type Slack, SlackError } from '../slack.ts';
import { BOT_USER_ID, type Channel, type Message } from '../workspace.ts';
import { type Call, flagOf, type Methods, need, pageOf, textOf } from './call.ts';
import { conversation } from './conversation.ts';

const READ = ['channels:read', 'groups:read', 'im:read', 'mpim:read'];
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history'];
const CREATED = 1_700_000_000;

/** Channels, their members and their messages. */
export const conversationMethods: Methods = {
  'conversations.info': {
    scope: READ,
    run: (call) => ({ channel: channelObject(call.slack, conversation(call)) }),
  },
  'conversations.list': { scope: READ, run: (call) => answerList(call, false) },
  'users.conversations': { scope: READ, run: (call) => answerList(call, true) },
  'conversations.history': { scope: HISTORY, run: answerHistory },
  'conversations.replies': { scope: HISTORY, run: answerReplies },
  'conversations.members': { scope: READ, run: answerMembers },
  'conversations.open': { scope: 'im:write', run: answerOpen },
  'conversations.join': { scope: 'channels:join', run: answerJoin },
};

function channelObject({ workspace }: Slack, channel: Channel): Record<string, unknown> {
  const isShared = [...channel.members].some((id) => workspace.users.get(id)?.teamId !== workspace.team.id);
  return {
    id: channel.id,
    ...(channel.isIm
      ? { user: [...channel.members].find((id) => id !== BOT_USER_ID) }
      : { name: channel.name, name_normalized: channel.name, num_members: channel.members.size }),
    is_channel: !channel.isIm && !channel.isPrivate,
    is_group: !channel.isIm && channel.isPrivate,
    is_im: channel.isIm,
    is_mpim: false,
    is_private: channel.isPrivate,
    is_archived: false,
    is_general: false,
    is_member: channel.members.has(BOT_USER_ID),
    is_shared: isShared,
    is_ext_shared: isShared,
    is_org_shared: false,
    created: CREATED,
    creator: BOT_USER_ID,
    context_team_id: workspace.team.id,
    topic: { value: channel.topic, creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
  };
}

function answerList(call: Call, isOnlyMine: boolean): Record<string, unknown> {
  const types = (textOf(call, 'types') ?? 'public_channel').split(',').map((type) => type.trim());
  const channels = [...call.slack.workspace.channels.values()].filter((channel) => {
    const isMine = channel.members.has(BOT_USER_ID);
    if (channel.isIm) return types.includes('im') && isMine;
    if (channel.isPrivate) return types.includes('private_channel') && isMine;
    return types.includes('public_channel') && (isMine || !isOnlyMine);
  });
  const { page, next } = pageOf(call, channels);
  return {
    channels: page.map((channel) => channelObject(call.slack, channel)),
    response_metadata: { next_cursor: next },
  };
}

/** The messages of the channel that the bot may read, within the bounds of the call. */
function readableMessages(call: Call): Message[] {
  const channel = conversation(call);
  if (!channel.members.has(BOT_USER_ID)) throw new SlackError('not_in_channel');
  const oldest = Number(textOf(call, 'oldest') ?? 0);
  const latest = Number(textOf(call, 'latest') ?? Number.POSITIVE_INFINITY);
  const isInclusive = flagOf(call, 'inclusive');
  return (call.slack.workspace.messages.get(channel.id) ?? []).filter((message) => {
    const at = Number(message.ts);
    const isWithin = isInclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
    return isWithin && message.ephemeralTo === undefined;
  });
}

function messagePage(call: Call, messages: Message[]): Record<string, unknown> {
  const { page, next } = pageOf(call, messages);
  const withMetadata = flagOf(call, 'include_all_metadata');
  return {
    messages: page.map((message) => messageObject(call.slack, message, withMetadata)),
    has_more: next !== '',
    response_metadata: { next_cursor: next },
  };
}

function answerHistory(call: Call): Record<string, unknown> {
  const roots = readableMessages(call).filter((message) => message.threadTs === undefined || message.broadcast);
  return { ...messagePage(call, roots.reverse()), pin_count: 0 };
}

function answerReplies(call: Call): Record<string, unknown> {
  const ts = need(call, 'ts');
  const channel = conversation(call);
  const messages = readableMessages(call);
  const root = call.slack.workspace.message(channel.id, ts);
  if (!root || root.ephemeralTo !== undefined) throw new SlackError('thread_not_found');
  const rootTs = root.threadTs ?? ts;
  const thread = messages.filter((message) => message.ts === rootTs || message.threadTs === rootTs);
  return messagePage(call, thread);
}

function answerMembers(call: Call): Record<string, unknown> {
  const { page, next } = pageOf(call, [...conversation(call).members]);
  return { members: page, response_metadata: { next_cursor: next } };
}

function answerOpen(call: Call): Record<string, unknown> {
  const { slack } = call;
  if (textOf(call, 'channel') !== undefined) return { channel: { id: conversation(call).id } };
  const users = need(call, 'users', 'users_list_not_supplied').split(',');
  const user = slack.workspace.users.get(users[0] ?? '');
  if (!user || users.length !== 1) throw new SlackError('user_not_found');
  if (user.isBot) throw new SlackError('cannot_dm_bot');
  const channel = slack.workspace.directMessage(user.id);
  return { channel: flagOf(call, 'return_im') ? channelObject(slack, channel) : { id: channel.id } };
}

function answerJoin(call: Call): Record<string, unknown> {
  const { slack } = call;
  const channel = conversation(call);
  channel.members.add(BOT_USER_ID);
  emit(slack, { type: 'channels' });
  return { channel: channelObject(slack, channel) };
}
