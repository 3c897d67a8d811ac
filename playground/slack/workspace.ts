/** The people, channels, messages and files of the emulated workspace: plain records and the look-ups over them. */

import type { UiBlock } from './ui-types.ts';

export interface Team {
  id: string;
  name: string;
  domain: string;
}

export interface User {
  id: string;
  teamId: string;
  name: string;
  realName: string;
  email: string;
  tz: string;
  locale: string;
  isAdmin: boolean;
  isBot: boolean;
  /** A guest (multi-channel). */
  isRestricted: boolean;
  /** A single-channel guest. */
  isUltraRestricted: boolean;
  isDeleted: boolean;
}

export interface Channel {
  id: string;
  /** Without `#`; empty for a direct message. */
  name: string;
  isIm: boolean;
  isPrivate: boolean;
  topic: string;
  members: Set<string>;
}

export interface UserGroup {
  id: string;
  handle: string;
  name: string;
  members: string[];
}

export interface StoredFile {
  id: string;
  name: string;
  title: string;
  mimetype: string;
  /** Slack has looked at it; before that it has no mimetype and cannot be shown in blocks. */
  isLookedAt?: boolean;
  user: string;
  bytes: Buffer;
  /** Unix seconds. */
  created: number;
  /** Channel ids it was shared in. */
  shares: Set<string>;
}

/** What a message shows at one time. */
export interface Revision {
  text: string;
  blocks: UiBlock[];
  attachments: unknown[];
}

export interface Message {
  channel: string;
  ts: string;
  user: string;
  /** Set when an app posted it. */
  botId: string | undefined;
  threadTs: string | undefined;
  broadcast: boolean;
  /** The one person who sees it; everybody in the channel when absent. */
  ephemeralTo: string | undefined;
  files: string[];
  metadata: unknown;
  reactions: { name: string; users: string[] }[];
  /** Oldest first; the last one is what people see. */
  revisions: Revision[];
  edited: { user: string; ts: string } | undefined;
  isDeleted: boolean;
}

/** What to add to or change in the default workspace: a channel or group that has the name of one there replaces it. */
export interface WorkspaceSeed {
  team?: Partial<Team>;
  users?: (Partial<User> & { name: string })[];
  /** `bot: false` leaves the bot out; `members` are user names and default to everybody of the team but guests. */
  channels?: { name: string; topic?: string; members?: string[]; bot?: boolean; isPrivate?: boolean }[];
  userGroups?: { handle: string; name?: string; members: string[] }[];
}

export const APP_ID = 'A0EDGEWISE1';
export const BOT_ID = 'B0EDGEWISE1';
export const BOT_USER_ID = 'U0EDGEWISE1';
/** The author of what Slack itself says. */
export const SLACKBOT_ID = 'USLACKBOT';

const TEAM: Team = { id: 'T0SHOP00001', name: 'Shop', domain: 'shop' };
const OTHER_TEAM: Team = { id: 'T0PARTNER01', name: 'Partner', domain: 'partner' };

/** The emulated workspace. Ids are fixed, so that settings such as a list of admins can name them beforehand. */
export interface Workspace {
  team: Team;
  otherTeam: Team;
  users: Map<string, User>;
  channels: Map<string, Channel>;
  userGroups: Map<string, UserGroup>;
  files: Map<string, StoredFile>;
  /** By channel id, oldest first, deleted ones gone. */
  messages: Map<string, Message[]>;
  /** A user by id or name, with or without `@`; throws when there is none. */
  user(idOrName: string): User;
  /** A channel by id or name, with or without `#`; a user's id or `@name` gives the direct message with the bot. */
  channel(idOrName: string): Channel;
  findUser(idOrName: string): User | undefined;
  findChannel(idOrName: string): Channel | undefined;
  /** The direct message between a person and the bot; made on first use. */
  directMessage(userId: string): Channel;
  message(channel: string, ts: string): Message | undefined;
}

/** A workspace with ada (admin), ben (member), gus (guest), eve (of another workspace), and #ops, #releases and #random. */
export function createWorkspace(seed: WorkspaceSeed = {}): Workspace {
  const team = { ...TEAM, ...seed.team };
  const users = new Map<string, User>();
  const channels = new Map<string, Channel>();
  const userGroups = new Map<string, UserGroup>();

  const addUser = (user: Partial<User> & { name: string }): User => {
    const number = String(users.size + 1).padStart(4, '0');
    const added: User = {
      id: `U${user.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}${number}`,
      teamId: team.id,
      realName: user.name.charAt(0).toUpperCase() + user.name.slice(1),
      email: `${user.name}@shop.example`,
      tz: 'Europe/Berlin',
      locale: 'en-US',
      isAdmin: false,
      isBot: false,
      isRestricted: false,
      isUltraRestricted: false,
      isDeleted: false,
      ...user,
    };
    users.set(added.id, added);
    return added;
  };

  addUser({ id: BOT_USER_ID, name: 'edgewise', realName: 'Edgewise', isBot: true, tz: 'Etc/UTC' });
  addUser({ id: 'U0ADA000001', name: 'ada', realName: 'Ada Ops', isAdmin: true });
  addUser({ id: 'U0BEN000002', name: 'ben', realName: 'Ben Member', tz: 'America/New_York' });
  addUser({ id: 'U0GUS000003', name: 'gus', realName: 'Gus Guest', isRestricted: true });
  addUser({
    id: 'U0EVE000004',
    name: 'eve',
    realName: 'Eve Elsewhere',
    teamId: OTHER_TEAM.id,
    email: 'eve@partner.example',
    tz: 'Asia/Tokyo',
  });
  for (const user of seed.users ?? []) addUser(user);

  const idOf = (name: string): string => {
    const found = users.get(name) ?? [...users.values()].find((user) => user.name === name);
    if (!found) throw new Error(`no user is called ${name}`);
    return found.id;
  };
  const addChannel = (id: string, name: string, topic: string, members: string[], isPrivate = false): void => {
    channels.set(id, { id, name, isIm: false, isPrivate, topic, members: new Set(members.map(idOf)) });
  };
  addChannel('C0OPS000001', 'ops', 'Operating the edge', ['edgewise', 'ada', 'ben', 'gus', 'eve']);
  addChannel('C0RELEASES2', 'releases', 'What goes out, and when', ['edgewise', 'ada', 'ben']);
  addChannel('C0RANDOM003', 'random', 'Edgewise is not a member here', ['ada', 'ben']);
  for (const [index, channel] of (seed.channels ?? []).entries()) {
    const everybody = [...users.values()].filter(
      (user) => !user.isBot && !user.isRestricted && user.teamId === team.id,
    );
    const members = channel.members ?? everybody.map((user) => user.name);
    const known = [...channels.values()].find(({ name }) => name === channel.name);
    addChannel(
      known?.id ?? `C0SEED${String(index + 1).padStart(5, '0')}`,
      channel.name,
      channel.topic ?? known?.topic ?? '',
      channel.bot === false ? members : ['edgewise', ...members],
      channel.isPrivate,
    );
  }

  const addGroup = (id: string, handle: string, name: string, members: string[]): void => {
    userGroups.set(id, { id, handle, name, members: members.map(idOf) });
  };
  addGroup('S0ONCALL001', 'oncall', 'On call', ['ada', 'ben']);
  addGroup('S0LEADS0002', 'leads', 'Leads', ['ada']);
  for (const [index, group] of (seed.userGroups ?? []).entries()) {
    const known = [...userGroups.values()].find(({ handle }) => handle === group.handle);
    const id = known?.id ?? `S0SEED${String(index + 1).padStart(5, '0')}`;
    addGroup(id, group.handle, group.name ?? group.handle, group.members);
  }

  const messages = new Map<string, Message[]>();
  const directMessage = (userId: string): Channel => {
    const id = `D${userId.slice(1)}`;
    const known = channels.get(id);
    if (known) return known;
    const made: Channel = {
      id,
      name: '',
      isIm: true,
      isPrivate: true,
      topic: '',
      members: new Set([userId, BOT_USER_ID]),
    };
    channels.set(id, made);
    return made;
  };

  const findUser = (idOrName: string): User | undefined => {
    const name = idOrName.replace(/^@/, '');
    return users.get(idOrName) ?? [...users.values()].find((user) => user.name === name);
  };
  const findChannel = (idOrName: string): Channel | undefined => {
    const known = channels.get(idOrName);
    if (known) return known;
    if (users.has(idOrName) || idOrName.startsWith('@')) {
      const user = findUser(idOrName);
      return user && !user.isBot ? directMessage(user.id) : undefined;
    }
    const name = idOrName.replace(/^#/, '');
    return [...channels.values()].find((channel) => channel.name !== '' && channel.name === name);
  };

  for (const user of users.values()) if (!user.isBot) directMessage(user.id);

  return {
    team,
    otherTeam: OTHER_TEAM,
    users,
    channels,
    userGroups,
    files: new Map(),
    messages,
    findUser,
    findChannel,
    directMessage,
    user: (idOrName) => {
      const found = findUser(idOrName);
      if (!found) throw new Error(`no user is called ${idOrName}`);
      return found;
    },
    channel: (idOrName) => {
      const found = findChannel(idOrName);
      if (!found) throw new Error(`no channel is called ${idOrName}`);
      return found;
    },
    message: (channel, ts) => messages.get(channel)?.find((message) => message.ts === ts),
  };
}

/** What the message shows now. */
export function currentOf(message: Message): Revision {
  return message.revisions[message.revisions.length - 1]!;
}

/** Whether a person sees the message: a member of its channel, and the one it is for when it is ephemeral. */
export function isVisibleTo(workspace: Workspace, message: Message, userId: string): boolean {
  if (message.isDeleted) return false;
  if (message.ephemeralTo !== undefined) return message.ephemeralTo === userId;
  return workspace.channels.get(message.channel)?.members.has(userId) ?? false;
}
