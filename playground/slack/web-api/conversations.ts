/** conversations.*: the channels and their messages, as far as the bot may see them. */

import { emit } from '../changes.ts';
import { messageObject } from '../payloads.ts';
import { SlackError } from '../slack.ts';
import { type Channel, isStranger, type Message } from '../workspace.ts';
import { type Call, flagOf, type Methods, need, needScope, pageOf, textOf } from './call.ts';
import { conversation } from './conversation.ts';

const CREATED = 1_700_000_000;

/** The kinds of conversations, as `types` calls them, with how their scopes begin. */
const FAMILIES: Readonly<Record<string, string>> = {
  public_channel: 'channels',
  private_channel: 'groups',
  im: 'im',
  mpim: 'mpim',
};

function scopesOf(right: 'read' | 'history'): string[] {
  return Object.values(FAMILIES).map((family) => `${family}:${right}`);
}

/** Channels, their members and their messages. Each call needs the scope of the kind of conversation that it is about. */
export const conversationMethods: Methods = {
  'conversations.info': {
    scope: scopesOf('read'),
    run: (call) => ({ channel: channelObject(call, visible(call, 'read')) }),
  },
  'conversations.list': { scope: scopesOf('read'), run: (call) => answerList(call, false) },
  'users.conversations': { scope: scopesOf('read'), run: (call) => answerList(call, true) },
  'conversations.history': { scope: scopesOf('history'), run: answerHistory },
  'conversations.replies': { scope: scopesOf('history'), run: answerReplies },
  'conversations.members': { scope: scopesOf('read'), run: answerMembers },
  'conversations.open': { scope: ['im:write', 'mpim:write'], run: answerOpen },
  'conversations.join': { scope: 'channels:join', run: answerJoin },
};

function kindOf(channel: Channel): string {
  if (channel.isIm) return 'im';
  if (channel.isMpim) return 'mpim';
  return channel.isPrivate ? 'private_channel' : 'public_channel';
}

/** The conversation of the call, when the token has the scope of its kind. */
function visible(call: Call, right: 'read' | 'history'): Channel {
  const channel = conversation(call);
  needScope(call, `${FAMILIES[kindOf(channel)]}:${right}`);
  return channel;
}

function channelObject(call: Call, channel: Channel): Record<string, unknown> {
  const { slack } = call;
  const { workspace } = slack;
  const common = {
    id: channel.id,
    created: CREATED,
    updated: CREATED * 1000,
    is_archived: channel.isArchived,
    is_im: channel.isIm,
    is_org_shared: false,
    context_team_id: workspace.team.id,
    properties: {},
  };
  if (channel.isIm) {
    const user = [...channel.members].find((id) => id !== slack.app.userId);
    const isGone = workspace.users.get(user ?? '')?.isDeleted ?? false;
    return { ...common, user, is_user_deleted: isGone, is_open: true, last_read: '0000000000.000000', priority: 0 };
  }
  const foreign = [...channel.members].flatMap((id) => {
    const user = workspace.users.get(id);
    return user !== undefined && isStranger(workspace, user) ? [user.teamId] : [];
  });
  const isShared = foreign.length > 0;
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    previous_names: [],
    num_members: channel.members.size,
    is_channel: !channel.isPrivate,
    is_group: channel.isPrivate && !channel.isMpim,
    is_mpim: channel.isMpim,
    is_private: channel.isPrivate,
    is_general: false,
    is_member: channel.members.has(slack.app.userId),
    is_shared: isShared,
    is_ext_shared: isShared,
    is_pending_ext_shared: false,
    is_global_shared: false,
    is_org_default: false,
    is_org_mandatory: false,
    is_moved: 0,
    unlinked: 0,
    creator: slack.app.userId,
    conversation_host_id: workspace.team.id,
    internal_team_ids: [workspace.team.id],
    shared_team_ids: [workspace.team.id, ...new Set(foreign)],
    pending_shared: [],
    pending_connected_team_ids: [],
    ...(isShared ? { connected_team_ids: [...new Set(foreign)], connected_limited_team_ids: [] } : {}),
    ...channel.sharing,
    is_read_only: false,
    is_thread_only: false,
    is_non_threadable: false,
    ...(channel.members.has(slack.app.userId) ? { last_read: '0000000000.000000' } : {}),
    ...(flagOf(call, 'include_locale') ? { locale: 'en-US' } : {}),
    topic: { value: channel.topic, creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
  };
}

function answerList(call: Call, isOnlyMine: boolean): Record<string, unknown> {
  const { workspace } = call.slack;
  const types = (textOf(call, 'types') ?? 'public_channel').split(',').map((type) => type.trim());
  if (types.some((type) => FAMILIES[type] === undefined)) throw new SlackError('invalid_types');
  // An app that is installed for an organisation has to say which workspace it means.
  if (workspace.enterprise?.isOrgInstall && textOf(call, 'team_id') === undefined)
    throw new SlackError('missing_argument');
  for (const type of types) needScope(call, `${FAMILIES[type]}:read`);
  const isLive = flagOf(call, 'exclude_archived');
  const channels = [...workspace.channels.values()].filter((channel) => {
    const isMine = channel.members.has(call.slack.app.userId);
    if (!types.includes(kindOf(channel)) || (isLive && channel.isArchived)) return false;
    return isMine || (!channel.isPrivate && !isOnlyMine);
  });
  const { page, next } = pageOf(call, channels);
  return {
    channels: page.map((channel) => channelObject(call, channel)),
    response_metadata: { next_cursor: next },
  };
}

/** The messages of the channel that the bot may read, within the bounds of the call. */
function readableMessages(call: Call): Message[] {
  const channel = visible(call, 'history');
  if (!channel.members.has(call.slack.app.userId)) throw new SlackError('not_in_channel');
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
  const { oldest, latest } = call.given;
  const bounds = { ...(oldest === undefined ? {} : { oldest }), ...(latest === undefined ? {} : { latest }) };
  const pins = { pin_count: 0, channel_actions_ts: null, channel_actions_count: 0 };
  return { ...messagePage(call, roots.reverse()), ...bounds, ...pins };
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
  const { page, next } = pageOf(call, [...visible(call, 'read').members]);
  return { members: page, response_metadata: { next_cursor: next } };
}

function answerOpen(call: Call): Record<string, unknown> {
  const { slack } = call;
  const given = textOf(call, 'channel');
  if (given !== undefined) return opened(call, conversation(call));
  const ids = need(call, 'users', 'users_list_not_supplied').split(',');
  const users = ids.map((id) => slack.workspace.users.get(id));
  if (users.length > 8) throw new SlackError('too_many_users');
  needScope(call, users.length > 1 ? 'mpim:write' : 'im:write');
  const [user] = users;
  if (!user || users.includes(undefined)) throw new SlackError('user_not_found');
  if (user.isBot) throw new SlackError('cannot_dm_bot');
  if (user.isDeleted) throw new SlackError('user_disabled');
  if (users.length === 1) return opened(call, slack.workspace.directMessage(user.id));
  const members = new Set([...ids, slack.app.userId]);
  const known = [...slack.workspace.channels.values()].find(
    (channel) => channel.isMpim && channel.members.size === members.size && ids.every((id) => channel.members.has(id)),
  );
  if (!known) throw new SlackError('method_not_supported_for_channel_type');
  return opened(call, known);
}

function opened(call: Call, channel: Channel): Record<string, unknown> {
  const latest = call.slack.workspace.messages
    .get(channel.id)
    ?.findLast((message) => message.ephemeralTo === undefined);
  const more = {
    ...channelObject(call, channel),
    ...(latest ? { latest: messageObject(call.slack, latest) } : {}),
    unread_count: 0,
    unread_count_display: 0,
  };
  return { no_op: true, already_open: true, channel: flagOf(call, 'return_im') ? more : { id: channel.id } };
}

function answerJoin(call: Call): Record<string, unknown> {
  const { slack } = call;
  const channel = conversation(call);
  if (channel.isArchived) throw new SlackError('is_archived');
  if (channel.isPrivate) throw new SlackError('method_not_supported_for_channel_type');
  channel.members.add(slack.app.userId);
  emit(slack, { type: 'channels' });
  return { channel: channelObject(call, channel) };
}
