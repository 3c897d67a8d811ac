/** The people, channels, messages and files of the emulated workspace: plain records and the look-ups over them. */

import type { UiBlock } from './ui-types.ts';

/** A workspace, in Slack's own word for its id. */
export interface Team {
  id: string;
  name: string;
  domain: string;
}

/** An organisation of Enterprise Grid, to which the workspace belongs. */
export interface Enterprise {
  id: string;
  name: string;
  /** Another workspace of it. */
  sister: Team;
  /** The app was installed for all workspaces at once: payloads name none. */
  isOrgInstall: boolean;
}

/** A person or the bot. */
export interface User {
  id: string;
  /** On Grid one fixed workspace of the organisation. */
  teamId: string;
  /** On Grid: all workspaces of the organisation that they belong to. */
  teams?: string[];
  /** On Grid: the id that somebody has in the whole organisation, where it is another one. */
  enterpriseUserId?: string;
  /** `users.info` leaves `team_id` out, as Slack does of people of other organisations, and of some on Grid. */
  isTeamUnsaid?: boolean;
  name: string;
  realName: string;
  email: string;
  tz: string;
  locale: string;
  isAdmin: boolean;
  isBot: boolean;
  isWorkflowBot?: boolean;
  /** A guest (multi-channel). */
  isRestricted: boolean;
  /** A single-channel guest. */
  isUltraRestricted: boolean;
  isDeleted: boolean;
}

/** A channel or a direct message. */
export interface Channel {
  id: string;
  /** Without `#`; empty for a direct message. */
  name: string;
  isIm: boolean;
  /** A direct message of several people. */
  isMpim: boolean;
  isPrivate: boolean;
  isArchived: boolean;
  topic: string;
  members: Set<string>;
  /** What Slack says of its sharing, in place of what follows from its members. */
  sharing?: Record<string, unknown>;
}

/** A user group: `@oncall`. */
export interface UserGroup {
  id: string;
  handle: string;
  name: string;
  members: string[];
}

/** A file that somebody uploaded. */
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
  /** It is read out to whoever does not see the file. */
  altText: string;
  /** Channel ids it was shared in. */
  shares: Set<string>;
}

/** A message's content at one time. */
export interface Revision {
  text: string;
  blocks: UiBlock[];
  attachments: unknown[];
}

/** A message with everything that it ever showed. */
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
  /** It was for somebody who was away, or has loaded Slack anew since: nobody will ever see it. */
  isLost: boolean;
  files: string[];
  /** The blocks that the client of the person who wrote it made of what they typed; pages draw the text. */
  typed: UiBlock[];
  /** By which the client of the person who wrote it knows it. */
  clientMsgId: string | undefined;
  metadata: unknown;
  reactions: { name: string; users: string[] }[];
  /** Oldest first; the last one is what people see. */
  revisions: Revision[];
  edited: { user: string; ts: string } | undefined;
  isDeleted: boolean;
}

/** Additions to the default workspace, and changes of it: a channel or group that has the name of one there replaces it. */
export interface WorkspaceSeed {
  team?: Partial<Team>;
  users?: (Partial<User> & { name: string })[];
  /** `bot: false` leaves the bot out; `members` are user names and default to everybody of the team but guests. */
  channels?: {
    name: string;
    topic?: string;
    members?: string[];
    bot?: boolean;
    isPrivate?: boolean;
    isMpim?: boolean;
  }[];
  userGroups?: { handle: string; name?: string; members: string[] }[];
  /** Puts the workspace into an organisation of Enterprise Grid; the app is installed in the workspace, or `org`-wide. */
  grid?: 'workspace' | 'org' | undefined;
}

/** The app's id. */
export const APP_ID = 'A0EDGEWISE1';
/** The id of the app's bot. */
export const BOT_ID = 'B0EDGEWISE1';
/** The bot as a user. */
export const BOT_USER_ID = 'U0EDGEWISE1';
/** The author of what Slack itself says. */
export const SLACKBOT_ID = 'USLACKBOT';

const TEAM: Team = { id: 'T0SHOP00001', name: 'Shop', domain: 'shop' };
const OTHER_TEAM: Team = { id: 'T0PARTNER01', name: 'Partner', domain: 'partner' };
const SISTER: Team = { id: 'T0LOGISTIC2', name: 'Logistics', domain: 'logistics' };

/** The emulated workspace. Ids are fixed, so that settings such as a list of admins can name them beforehand. */
export interface Workspace {
  team: Team;
  otherTeam: Team;
  enterprise: Enterprise | undefined;
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

/** A workspace with ada (admin), ben (member), gus (guest), eve (of another organisation, in #partners alone), and #ops, #releases and #random. */
export function createWorkspace(seed: WorkspaceSeed = {}): Workspace {
  const workspace: Workspace = {
    team: { ...TEAM, ...seed.team },
    otherTeam: OTHER_TEAM,
    enterprise: seed.grid && {
      id: 'E0SHOPGROUP',
      name: 'Shop Group',
      sister: SISTER,
      isOrgInstall: seed.grid === 'org',
    },
    users: new Map(),
    channels: new Map(),
    userGroups: new Map(),
    files: new Map(),
    messages: new Map(),
    findUser: (idOrName) => findUser(workspace, idOrName),
    findChannel: (idOrName) => findChannel(workspace, idOrName),
    directMessage: (userId) => directMessage(workspace, userId),
    user: (idOrName) => orThrow(findUser(workspace, idOrName), `no user is called ${idOrName}`),
    channel: (idOrName) => orThrow(findChannel(workspace, idOrName), `no channel is called ${idOrName}`),
    message: (channel, ts) => workspace.messages.get(channel)?.find((message) => message.ts === ts),
  };
  seedUsers(workspace, seed.users ?? []);
  seedChannels(workspace, seed.channels ?? []);
  seedUserGroups(workspace, seed.userGroups ?? []);
  for (const user of workspace.users.values()) if (!user.isBot) directMessage(workspace, user.id);
  return workspace;
}

/** Adds the bot of another app, beside the first one in its channels. The workspace as that app sees it. */
export function addBot(workspace: Workspace, bot: { id: string; name: string; realName: string }): Workspace {
  addUser(workspace, { ...bot, isBot: true, tz: 'Etc/UTC' });
  for (const { members, isIm } of workspace.channels.values())
    if (!isIm && members.has(BOT_USER_ID)) members.add(bot.id);
  const own: Workspace = {
    ...workspace,
    directMessage: (userId) => directMessage(workspace, userId, bot.id),
    findChannel: (idOrName) => findChannel(own, idOrName),
    channel: (idOrName) => orThrow(findChannel(own, idOrName), `no channel is called ${idOrName}`),
  };
  for (const user of workspace.users.values()) if (!user.isBot) own.directMessage(user.id);
  return own;
}

function orThrow<T>(found: T | undefined, complaint: string): T {
  if (found === undefined) throw new Error(complaint);
  return found;
}

function seedUsers(workspace: Workspace, more: NonNullable<WorkspaceSeed['users']>): void {
  const usual: (Partial<User> & { name: string })[] = [
    { id: BOT_USER_ID, name: 'edgewise', realName: 'Edgewise', isBot: true, tz: 'Etc/UTC' },
    { id: 'U0ADA000001', name: 'ada', realName: 'Ada Ops', isAdmin: true },
    { id: 'U0BEN000002', name: 'ben', realName: 'Ben Member', tz: 'America/New_York' },
    { id: 'U0GUS000003', name: 'gus', realName: 'Gus Guest', isRestricted: true },
    {
      id: 'U0EVE000004',
      name: 'eve',
      realName: 'Eve Elsewhere',
      teamId: OTHER_TEAM.id,
      email: 'eve@partner.example',
      tz: 'Asia/Tokyo',
      isTeamUnsaid: true,
    },
  ];
  const { enterprise, team } = workspace;
  for (const user of [...usual, ...more]) addUser(workspace, enterprise ? onGrid(user, team) : user);
  // A colleague of the organisation who is in its other workspace only: no member here.
  if (enterprise) addUser(workspace, { ...onGrid({ name: 'sam', realName: 'Sam Sister' }, SISTER), teamId: SISTER.id });
}

/** People of Grid have global ids, and belong to several workspaces: `team_id` says one of them, or nothing. */
function onGrid<T extends Partial<User> & { name: string }>(user: T, team: Team): T {
  if (user.isBot || user.teamId !== undefined) return user;
  const given = user.id ?? `U${user.name.toUpperCase()}00GRID`;
  const id = user.enterpriseUserId === undefined ? given.replace(/^U/, 'W') : given;
  const isElsewhere = user.name === 'ben';
  const place = isElsewhere ? { teamId: SISTER.id, teams: [SISTER.id, team.id] } : { teams: [team.id] };
  return { ...user, id, ...place, isTeamUnsaid: user.name === 'gus' || user.name === 'dora' };
}

/** Says that somebody belongs to another workspace than the bot's. */
export function isStranger({ team }: Workspace, { teamId, teams }: User): boolean {
  return teams ? !teams.includes(team.id) : teamId !== team.id;
}

function addUser({ users, team }: Workspace, user: Partial<User> & { name: string }): void {
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
}

function seedChannels(workspace: Workspace, more: NonNullable<WorkspaceSeed['channels']>): void {
  const { channels, users } = workspace;
  const add = (id: string, name: string, topic: string, members: string[], more: Partial<Channel> = {}): void => {
    const ids = members.map((member) => workspace.user(member).id);
    const usual = { isIm: false, isMpim: false, isPrivate: false, isArchived: false };
    channels.set(id, { ...usual, id, name, topic, members: new Set(ids), ...more });
  };
  add('C0OPS000001', 'ops', 'Operating the edge', ['edgewise', 'ada', 'ben', 'gus']);
  add('C0RELEASES2', 'releases', 'What goes out, and when', ['edgewise', 'ada', 'ben']);
  add('C0RANDOM003', 'random', 'Edgewise is not a member here', ['ada', 'ben']);
  add('C0PARTNERS4', 'partners', 'With people of another organisation', ['edgewise', 'ada', 'ben', 'eve']);
  const everybody = [...users.values()].filter(
    (user) => !user.isBot && !user.isRestricted && !isStranger(workspace, user),
  );
  for (const [index, channel] of more.entries()) {
    const members = channel.members ?? everybody.map((user) => user.name);
    const known = [...channels.values()].find(({ name }) => name === channel.name);
    add(
      known?.id ?? `C0SEED${String(index + 1).padStart(5, '0')}`,
      channel.name,
      channel.topic ?? known?.topic ?? '',
      channel.bot === false ? members : ['edgewise', ...members],
      { isPrivate: channel.isPrivate === true || channel.isMpim === true, isMpim: channel.isMpim === true },
    );
  }
}

function seedUserGroups(workspace: Workspace, more: NonNullable<WorkspaceSeed['userGroups']>): void {
  const { userGroups } = workspace;
  const add = (id: string, handle: string, name: string, members: string[]): void => {
    userGroups.set(id, { id, handle, name, members: members.map((member) => workspace.user(member).id) });
  };
  add('S0ONCALL001', 'oncall', 'On call', ['ada', 'ben']);
  add('S0LEADS0002', 'leads', 'Leads', ['ada']);
  for (const [index, group] of more.entries()) {
    const known = [...userGroups.values()].find(({ handle }) => handle === group.handle);
    const id = known?.id ?? `S0SEED${String(index + 1).padStart(5, '0')}`;
    add(id, group.handle, group.name ?? group.handle, group.members);
  }
}

function directMessage({ channels }: Workspace, userId: string, botUserId = BOT_USER_ID): Channel {
  const id = `D${userId.slice(1)}${botUserId === BOT_USER_ID ? '' : botUserId.slice(-2)}`;
  const made: Channel = channels.get(id) ?? {
    id,
    name: '',
    isIm: true,
    isMpim: false,
    isPrivate: true,
    isArchived: false,
    topic: '',
    members: new Set([userId, botUserId]),
  };
  channels.set(id, made);
  return made;
}

function findUser({ users }: Workspace, idOrName: string): User | undefined {
  const name = idOrName.replace(/^@/, '');
  return users.get(idOrName) ?? [...users.values()].find((user) => user.name === name);
}

function findChannel(workspace: Workspace, idOrName: string): Channel | undefined {
  const { channels, users } = workspace;
  const known = channels.get(idOrName);
  if (known) return known;
  if (users.has(idOrName) || idOrName.startsWith('@')) {
    const user = findUser(workspace, idOrName);
    return user && !user.isBot ? workspace.directMessage(user.id) : undefined;
  }
  const name = idOrName.replace(/^#/, '');
  return [...channels.values()].find((channel) => channel.name !== '' && channel.name === name);
}

/** The revision that people see now. */
export function currentOf(message: Message): Revision {
  return message.revisions[message.revisions.length - 1]!;
}

/** Says that a person sees the message: a member of its channel, or the one it is for when it is ephemeral. */
export function isVisibleTo(workspace: Workspace, message: Message, userId: string): boolean {
  if (message.isDeleted || message.isLost) return false;
  if (message.ephemeralTo !== undefined) return message.ephemeralTo === userId;
  return workspace.channels.get(message.channel)?.members.has(userId) ?? false;
}
