/** conversations.*: what the bot may see of channels and their messages. */

import { SlackError } from '../core.ts';
import { messageObject } from '../payloads.ts';
import type { Slack } from '../slack.ts';
import { BOT_USER_ID, type Channel, type Message } from '../workspace.ts';
import { type Call, type Methods, pageOf } from './call.ts';
import { conversation } from './chat.ts';

const READ = ['channels:read', 'groups:read', 'im:read', 'mpim:read'];
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history'];
const CREATED = 1_700_000_000;

export function createConversations(slack: Slack): Methods {
  const { core } = slack;
  const { workspace } = core;

  const channelObject = (channel: Channel): Record<string, unknown> => ({
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
    is_shared: isShared(channel),
    is_ext_shared: isShared(channel),
    is_org_shared: false,
    created: CREATED,
    creator: BOT_USER_ID,
    context_team_id: workspace.team.id,
    topic: { value: channel.topic, creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
  });
  const isShared = (channel: Channel): boolean =>
    [...channel.members].some((id) => workspace.users.get(id)?.teamId !== workspace.team.id);

  const listed = (call: Call, onlyMine: boolean): Record<string, unknown> => {
    const types = (call.text('types') ?? 'public_channel').split(',').map((type) => type.trim());
    const channels = [...workspace.channels.values()].filter((channel) => {
      const isMine = channel.members.has(BOT_USER_ID);
      if (channel.isIm) return types.includes('im') && isMine;
      if (channel.isPrivate) return types.includes('private_channel') && isMine;
      return types.includes('public_channel') && (isMine || !onlyMine);
    });
    const { page, next } = pageOf(call, channels);
    return { channels: page.map(channelObject), response_metadata: { next_cursor: next } };
  };

  const readable = (call: Call): { channel: Channel; messages: Message[] } => {
    const channel = conversation(call);
    if (!channel.members.has(BOT_USER_ID)) throw new SlackError('not_in_channel');
    const oldest = Number(call.text('oldest') ?? 0);
    const latest = Number(call.text('latest') ?? Number.POSITIVE_INFINITY);
    const inclusive = call.flag('inclusive');
    const messages = (workspace.messages.get(channel.id) ?? []).filter((message) => {
      const at = Number(message.ts);
      const isWithin = inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
      return isWithin && message.ephemeralTo === undefined;
    });
    return { channel, messages };
  };

  return {
    'conversations.info': { scope: READ, run: (call) => ({ channel: channelObject(conversation(call)) }) },
    'conversations.list': { scope: READ, run: (call) => listed(call, false) },
    'users.conversations': { scope: READ, run: (call) => listed(call, true) },

    'conversations.history': {
      scope: HISTORY,
      run(call) {
        const { messages } = readable(call);
        const roots = messages.filter((message) => message.threadTs === undefined || message.broadcast).reverse();
        const { page, next } = pageOf(call, roots);
        return {
          messages: page.map((message) => messageObject(core, message, call.flag('include_all_metadata'))),
          has_more: next !== '',
          pin_count: 0,
          response_metadata: { next_cursor: next },
        };
      },
    },

    'conversations.replies': {
      scope: HISTORY,
      run(call) {
        const ts = call.need('ts');
        const channel = conversation(call);
        const { messages } = readable(call);
        const root = workspace.message(channel.id, ts);
        if (!root || root.ephemeralTo !== undefined) throw new SlackError('thread_not_found');
        const rootTs = root.threadTs ?? ts;
        const thread = messages.filter((message) => message.ts === rootTs || message.threadTs === rootTs);
        const { page, next } = pageOf(call, thread);
        return {
          messages: page.map((message) => messageObject(core, message, call.flag('include_all_metadata'))),
          has_more: next !== '',
          response_metadata: { next_cursor: next },
        };
      },
    },

    'conversations.members': {
      scope: READ,
      run(call) {
        const { page, next } = pageOf(call, [...conversation(call).members]);
        return { members: page, response_metadata: { next_cursor: next } };
      },
    },

    'conversations.open': {
      scope: 'im:write',
      run(call) {
        const given = call.text('channel');
        if (given !== undefined) return { channel: { id: conversation(call).id } };
        const users = call.need('users', 'users_list_not_supplied').split(',');
        const user = workspace.users.get(users[0] ?? '');
        if (!user || users.length !== 1) throw new SlackError('user_not_found');
        if (user.isBot) throw new SlackError('cannot_dm_bot');
        const channel = workspace.directMessage(user.id);
        return { channel: call.flag('return_im') ? channelObject(channel) : { id: channel.id } };
      },
    },

    'conversations.join': {
      scope: 'channels:join',
      run(call) {
        const channel = conversation(call);
        channel.members.add(BOT_USER_ID);
        core.emit({ type: 'channels' });
        return { channel: channelObject(channel) };
      },
    },
  };
}
