/** users.*, usergroups.*, bots.info, team.info and auth.test: the people of the workspace, and the bot. */

import { botObject } from '../payloads.ts';
import { SlackError } from '../slack.ts';
import { type Enterprise, isStranger, type User, type UserGroup } from '../workspace.ts';
import { type Call, flagOf, type Methods, need, pageOf, textOf } from './call.ts';

const CREATED = 1_700_000_000;

/** People, user groups, the team and the bot itself. */
export const userMethods: Methods = {
  'auth.test': { run: answerAuthTest },
  'team.info': { scope: 'team:read', run: ({ slack }) => ({ team: { ...slack.workspace.team } }) },
  'bots.info': { scope: 'users:read', run: answerBotsInfo },
  'users.info': { scope: 'users:read', run: answerInfo },
  'users.list': { scope: 'users:read', run: answerList },
  'users.lookupByEmail': { scope: 'users:read.email', run: answerLookupByEmail },
  'usergroups.list': { scope: 'usergroups:read', run: answerGroupsList },
  'usergroups.users.list': { scope: 'usergroups:read', run: answerGroupUsersList },
};

function answerAuthTest({ slack: { app, url, workspace, botToken }, token }: Call): Record<string, unknown> {
  const { team, enterprise } = workspace;
  // An app-level token learns about the app, and not about its bot.
  if (token !== botToken) return { app_name: 'Edgewise', app_id: app.id };
  const place = enterprise?.isOrgInstall ? enterprise : team;
  return {
    url,
    team: place.name,
    team_id: place.id,
    user: workspace.user(app.userId).name,
    user_id: app.userId,
    bot_id: app.botId,
    ...(enterprise ? { enterprise_id: enterprise.id } : {}),
    is_enterprise_install: enterprise?.isOrgInstall ?? false,
  };
}

function answerBotsInfo(call: Call): Record<string, unknown> {
  const { botId } = call.slack.app;
  if ((textOf(call, 'bot') ?? botId) !== botId) throw new SlackError('bot_not_found');
  const { team_id: _, ...bot } = botObject(call.slack);
  return { bot };
}

function answerInfo(call: Call): Record<string, unknown> {
  const user = call.slack.workspace.users.get(need(call, 'user', 'user_not_found'));
  if (!user) throw new SlackError('user_not_found');
  return { user: userObject(call, user) };
}

function answerList(call: Call): Record<string, unknown> {
  const { page, next } = pageOf(call, [...call.slack.workspace.users.values()]);
  return { members: page.map((user) => userObject(call, user)), response_metadata: { next_cursor: next } };
}

function answerLookupByEmail(call: Call): Record<string, unknown> {
  const email = need(call, 'email');
  const user = [...call.slack.workspace.users.values()].find((each) => each.email === email && !each.isBot);
  if (!user) throw new SlackError('users_not_found');
  return { user: userObject(call, user) };
}

function answerGroupsList(call: Call): Record<string, unknown> {
  return { usergroups: [...call.slack.workspace.userGroups.values()].map((group) => groupObject(call, group)) };
}

function answerGroupUsersList(call: Call): Record<string, unknown> {
  const group = call.slack.workspace.userGroups.get(need(call, 'usergroup'));
  if (!group) throw new SlackError('no_such_subteam');
  return { users: group.members };
}

function userObject(call: Call, user: User): Record<string, unknown> {
  const { workspace, now } = call.slack;
  const { enterprise } = workspace;
  const isForeign = isStranger(workspace, user);
  return {
    id: user.id,
    ...(user.isTeamUnsaid ? {} : { team_id: user.teamId }),
    name: user.name,
    deleted: user.isDeleted,
    color: '9f69e7',
    real_name: user.realName,
    tz: user.tz,
    tz_label: user.tz,
    // Slack passes on what an account has, also nothing or a zone that is gone.
    tz_offset: hasZone(user.tz) ? offsetOf(user.tz, now()) : 0,
    profile: profileOf(call, user),
    is_admin: user.isAdmin,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: user.isRestricted,
    is_ultra_restricted: user.isUltraRestricted,
    is_bot: user.isBot,
    is_app_user: false,
    updated: CREATED,
    is_email_confirmed: true,
    has_2fa: false,
    who_can_share_contact_card: 'EVERYONE',
    is_workflow_bot: user.isWorkflowBot ?? false,
    is_connector_bot: false,
    is_invited_user: false,
    ...(isForeign && user.teams === undefined ? { is_stranger: true } : {}),
    ...(enterprise && user.teams ? organisationOf(user, enterprise) : {}),
    ...(flagOf(call, 'include_locale') ? { locale: user.locale } : {}),
  };
}

function organisationOf(user: User, { id, name }: Enterprise): Record<string, unknown> {
  return {
    enterprise_id: id,
    enterprise_name: name,
    teams: user.teams,
    enterprise_user: {
      id: user.enterpriseUserId ?? user.id,
      enterprise_id: id,
      enterprise_name: name,
      is_admin: false,
      is_owner: false,
      is_primary_owner: false,
      teams: user.teams,
    },
  };
}

/** The address is only for tokens that may read it. */
function profileOf({ slack }: Call, user: User): Record<string, unknown> {
  const { scopes } = slack.options;
  const [first = '', ...last] = user.realName.split(' ');
  const picture = `${slack.url}favicon.svg`;
  const own = slack.apps.find(({ app }) => app.userId === user.id);
  const sizes = [24, 32, 48, 72, 192, 512, 1024];
  return {
    title: '',
    phone: '',
    skype: '',
    real_name: user.realName,
    real_name_normalized: user.realName,
    display_name: user.name,
    display_name_normalized: user.name,
    first_name: first,
    last_name: last.join(' '),
    pronouns: '',
    start_date: '',
    status_text: '',
    status_text_canonical: '',
    status_emoji: '',
    status_emoji_url: '',
    status_emoji_display_info: [],
    status_expiration: 0,
    huddle_state: 'default_unset',
    huddle_state_expiration_ts: 0,
    avatar_hash: 'g0000000000',
    is_custom_image: false,
    image_original: picture,
    ...Object.fromEntries(sizes.map((size) => [`image_${size}`, picture])),
    ...(own ? { bot_id: own.app.botId, api_app_id: own.app.id, always_active: true } : {}),
    ...(user.isRestricted ? { guest_invited_by: [...slack.workspace.users.keys()][1] } : {}),
    ...(user.isBot || scopes?.includes('users:read.email') === false ? {} : { email: user.email }),
    team: user.teamId,
  };
}

function groupObject(call: Call, group: UserGroup): Record<string, unknown> {
  const [creator] = group.members;
  return {
    id: group.id,
    team_id: call.slack.workspace.team.id,
    is_usergroup: true,
    is_subteam: true,
    name: group.name,
    description: '',
    handle: group.handle,
    is_external: false,
    date_create: CREATED,
    date_update: CREATED,
    date_delete: 0,
    auto_type: null,
    auto_provision: false,
    enterprise_subteam_id: '',
    created_by: creator,
    updated_by: creator,
    deleted_by: null,
    prefs: { channels: [], groups: [] },
    user_count: group.members.length,
    channel_count: 0,
    is_section: false,
    is_visible: true,
    is_idp_group: false,
    is_org_level: false,
    is_membership_locked: false,
    is_editing_restricted: false,
    ...(flagOf(call, 'include_users') ? { users: group.members } : {}),
  };
}

function hasZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }) !== undefined;
  } catch {
    return false;
  }
}

/** Seconds between UTC and the zone's clock at a moment. */
function offsetOf(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value ?? 0);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return Math.round((local - at.getTime()) / 60_000) * 60;
}
