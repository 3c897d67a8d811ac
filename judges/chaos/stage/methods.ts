/** What the judge's Slack answers to each method, by Slack's documentation. */
import { controls, readable, type Shown } from './record.ts';

export const TEAM = 'T0CHAOS0001';
export const BOT = 'U0EDGEWISE1';

interface View {
  id: string;
  hash: string;
  person: string;
  view: Record<string, unknown>;
  triggerId: string;
}

/** What this Slack remembers. */
export interface Room {
  triggers: Map<string, { at: number; isUsed: boolean; person?: string }>;
  views: Map<string, View>;
  /** Messages of each channel, newest last. */
  messages: Map<string, Record<string, unknown>[]>;
  homes: Map<string, Record<string, unknown>>;
  count: number;
  /** How late triggers came that had expired, in milliseconds. */
  lateness: number[];
  /** Where this Slack is. */
  base: string;
  sockets(token: string): string;
  show(shown: Shown): void;
}

type Args = Record<string, unknown>;
export type Answer = { ok: boolean; error?: string; [key: string]: unknown };

const no = (error: string): Answer => ({ ok: false, error });

/** The answer to a call, and what it shows to people goes into the room. */
export function answerOf(
  room: Room,
  method: string,
  args: Args,
  responseId: string | undefined,
  responses: ReadonlyMap<string, number>,
): Answer {
  if (responseId !== undefined) {
    const since = responses.get(responseId);
    if (since === undefined || Date.now() - since > 30 * 60_000) return no('expired_url');
    if (args.delete_original !== true || args.text !== undefined) shown(room, 'response_url', args, { responseId });
    return { ok: true };
  }
  return (METHODS[method] ?? (() => no('unknown_method')))(room, args);
}

function shown(room: Room, via: string, { token: _, ...raw }: Args, more: Partial<Shown>): void {
  room.show({ at: Date.now(), via, text: readable(raw), ...controls(raw), raw, ...more });
}

/** The person on the other side of a direct message, by the channel's id. */
const inDirect = (channel: string): { person?: string } =>
  channel.startsWith('D') ? { person: `U${channel.slice(1)}` } : {};

function post(room: Room, args: Args): Answer {
  // A message to a person's id goes to their direct message.
  const channel = String(args.channel).replace(/^U/, 'D');
  room.count += 1;
  const ts = `${Math.floor(Date.now() / 1000)}.${String(room.count).padStart(6, '0')}`;
  const message = { ...args, type: 'message', ts, user: BOT, bot_id: 'B0EDGEWISE1', team: TEAM };
  const all = room.messages.get(channel) ?? [];
  room.messages.set(channel, [...all, message]);
  shown(room, 'chat.postMessage', args, {
    channel,
    ts,
    ...inDirect(channel),
    ...(args.thread_ts === undefined ? {} : { thread: String(args.thread_ts) }),
    ...(args.metadata === undefined ? {} : { metadata: JSON.stringify(args.metadata) }),
  });
  return { ok: true, channel, ts, message };
}

function ephemeral(room: Room, args: Args): Answer {
  room.count += 1;
  shown(room, 'chat.postEphemeral', args, {
    channel: String(args.channel),
    person: String(args.user),
    ...(args.thread_ts === undefined ? {} : { thread: String(args.thread_ts) }),
  });
  return { ok: true, message_ts: `${Math.floor(Date.now() / 1000)}.${room.count}` };
}

function update(room: Room, args: Args): Answer {
  const channel = String(args.channel);
  const found = room.messages.get(channel)?.find(({ ts }) => ts === args.ts);
  if (found === undefined) return no('message_not_found');
  Object.assign(found, args);
  shown(room, 'chat.update', args, { channel, ts: String(args.ts), ...inDirect(channel) });
  return { ok: true, channel, ts: args.ts, message: found };
}

function remove(room: Room, args: Args): Answer {
  const channel = String(args.channel);
  const all = room.messages.get(channel) ?? [];
  if (!all.some(({ ts }) => ts === args.ts)) return no('message_not_found');
  room.messages.set(
    channel,
    all.filter(({ ts }) => ts !== args.ts),
  );
  return { ok: true, channel, ts: args.ts };
}

function open(room: Room, args: Args, via: string): Answer {
  const trigger = room.triggers.get(String(args.trigger_id));
  if (trigger === undefined) return no('invalid_trigger_id');
  if (trigger.isUsed) return no('exchanged_trigger_id');
  const late = Date.now() - trigger.at - 3_000;
  if (late > 0) {
    room.lateness.push(late);
    return no('expired_trigger_id');
  }
  trigger.isUsed = true;
  room.count += 1;
  const view: View = {
    id: `V${room.count}`,
    hash: `${room.count}.h`,
    person: trigger.person ?? '',
    view: args.view as Args,
    triggerId: String(args.trigger_id),
  };
  room.views.set(view.id, view);
  showView(room, via, view);
  return { ok: true, view: echo(view) };
}

function showView(room: Room, via: string, view: View): void {
  shown(room, via, view.view, { person: view.person, viewId: view.id, triggerId: view.triggerId });
}

function updateView(room: Room, args: Args): Answer {
  const found =
    args.view_id === undefined
      ? [...room.views.values()].find(({ view }) => view.external_id === args.external_id)
      : room.views.get(String(args.view_id));
  if (found === undefined) return no('not_found');
  if (args.hash !== undefined && args.hash !== found.hash) return no('hash_conflict');
  room.count += 1;
  Object.assign(found, { view: args.view, hash: `${room.count}.h` });
  showView(room, 'views.update', found);
  return { ok: true, view: echo(found) };
}

function publish(room: Room, args: Args): Answer {
  const person = String(args.user_id);
  room.homes.set(person, args.view as Args);
  shown(room, 'views.publish', args.view as Args, { person });
  room.count += 1;
  return { ok: true, view: { ...(args.view as Args), id: `VH${person}`, hash: `${room.count}.h`, team_id: TEAM } };
}

/** A view as payloads and answers show it. */
export function echo({ id, hash, view }: View): Args {
  return {
    state: { values: {} },
    private_metadata: '',
    ...view,
    id,
    hash,
    root_view_id: id,
    team_id: TEAM,
    bot_id: 'B0EDGEWISE1',
  };
}

/** A channel as `conversations.info` shows it. */
function channelOf(id: string): Args {
  const isDirect = id.startsWith('D');
  return {
    id,
    name: isDirect ? undefined : id.toLowerCase(),
    is_channel: !isDirect,
    is_group: false,
    is_im: isDirect,
    is_mpim: false,
    is_private: isDirect,
    is_archived: false,
    is_member: true,
    is_shared: false,
    is_ext_shared: false,
    is_org_shared: false,
    is_pending_ext_shared: false,
    pending_shared: [],
    context_team_id: TEAM,
    shared_team_ids: [TEAM],
    num_members: 40,
    ...(isDirect ? { user: `U${id.slice(1)}` } : {}),
  };
}

/** A member of the workspace: everybody here is one. */
function personOf(id: string): Args {
  return {
    id,
    team_id: TEAM,
    name: id.toLowerCase(),
    real_name: id,
    deleted: false,
    is_bot: id === BOT,
    is_app_user: false,
    is_admin: false,
    is_owner: false,
    is_restricted: false,
    is_ultra_restricted: false,
    tz: 'Etc/UTC',
    tz_label: 'UTC',
    tz_offset: 0,
    profile: { real_name: id, display_name: id.toLowerCase(), team: TEAM },
  };
}

function history(room: Room, args: Args): Answer {
  const channel = String(args.channel);
  const oldest = Number(args.oldest ?? 0);
  const most = Number(args.limit ?? 100);
  const all = (room.messages.get(channel) ?? []).filter(({ ts }) => Number(ts) >= oldest);
  return { ok: true, messages: all.slice(-most).reverse(), has_more: false };
}

const METHODS: Record<string, (room: Room, args: Args) => Answer> = {
  'auth.test': () => ({
    ok: true,
    url: 'https://chaos.slack.com/',
    team: 'Chaos',
    user: 'edgewise',
    team_id: TEAM,
    user_id: BOT,
    bot_id: 'B0EDGEWISE1',
    is_enterprise_install: false,
  }),
  'api.test': () => ({ ok: true }),
  'apps.connections.open': (room, args) => ({ ok: true, url: room.sockets(String(args.token)) }),
  'bots.info': () => ({ ok: true, bot: { id: 'B0EDGEWISE1', app_id: 'A0EDGEWISE1', name: 'edgewise', user_id: BOT } }),
  'team.info': () => ({ ok: true, team: { id: TEAM, name: 'Chaos', domain: 'chaos' } }),
  'users.info': (_, args) => ({ ok: true, user: personOf(String(args.user)) }),
  'users.list': () => ({ ok: true, members: [], response_metadata: { next_cursor: '' } }),
  'usergroups.list': () => ({ ok: true, usergroups: [] }),
  'usergroups.users.list': () => ({ ok: true, users: [] }),
  'conversations.info': (_, args) => ({ ok: true, channel: channelOf(String(args.channel)) }),
  'conversations.list': () => ({ ok: true, channels: [], response_metadata: { next_cursor: '' } }),
  'users.conversations': () => ({ ok: true, channels: [], response_metadata: { next_cursor: '' } }),
  'conversations.members': (_, args) => ({ ok: true, members: [BOT, String(args.channel)].slice(0, 1) }),
  'conversations.open': (_, args) => ({ ok: true, channel: channelOf(`D${String(args.users).slice(1)}`) }),
  'conversations.history': history,
  'conversations.replies': history,
  'files.getUploadURLExternal': (room) => {
    room.count += 1;
    return { ok: true, file_id: `F${room.count}`, upload_url: `${room.base}/upload/F${room.count}` };
  },
  'files.completeUploadExternal': (room, args) => {
    const files = (args.files as { id: string; title?: string }[] | undefined) ?? [];
    if (args.channel_id !== undefined)
      shown(
        room,
        'files',
        { text: files.map(({ title }) => title).join(', ') },
        {
          channel: String(args.channel_id),
          ...inDirect(String(args.channel_id)),
          ...(args.thread_ts === undefined ? {} : { thread: String(args.thread_ts) }),
        },
      );
    return {
      ok: true,
      files: files.map(({ id }) => ({ id, mimetype: 'text/csv', permalink: `https://chaos.slack.com/${id}` })),
    };
  },
  'files.info': (_, args) => ({
    ok: true,
    file: { id: args.file, mimetype: 'text/csv', permalink: `https://chaos.slack.com/${args.file}`, shares: {} },
  }),
  'chat.getPermalink': (_, args) => ({
    ok: true,
    permalink: `https://chaos.slack.com/${args.channel}/${args.message_ts}`,
  }),
  'chat.postMessage': post,
  'chat.postEphemeral': ephemeral,
  'chat.update': update,
  'chat.delete': remove,
  'views.open': (room, args) => open(room, args, 'views.open'),
  'views.push': (room, args) => open(room, args, 'views.push'),
  'views.update': updateView,
  'views.publish': publish,
};
