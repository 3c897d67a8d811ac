/** users.*, usergroups.*, bots.info, team.info and auth.test: the people of the workspace, and the bot. */

import { botObject } from '../payloads.ts';
import { SlackError } from '../slack.ts';
import { BOT_ID, BOT_USER_ID, type User, type UserGroup } from '../workspace.ts';
import { type Call, flagOf, type Methods, need, pageOf, textOf } from './call.ts';

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

function answerAuthTest({ slack: { url, workspace } }: Call): Record<string, unknown> {
  return {
    url,
    team: workspace.team.name,
    team_id: workspace.team.id,
    user: workspace.user(BOT_USER_ID).name,
    user_id: BOT_USER_ID,
    bot_id: BOT_ID,
    is_enterprise_install: false,
  };
}

function answerBotsInfo(call: Call): Record<string, unknown> {
  if ((textOf(call, 'bot') ?? BOT_ID) !== BOT_ID) throw new SlackError('bot_not_found');
  return { bot: botObject() };
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
  const isStranger = user.teamId !== workspace.team.id;
  return {
    id: user.id,
    team_id: user.teamId,
    name: user.name,
    real_name: user.realName,
    deleted: user.isDeleted,
    tz: user.tz,
    tz_label: user.tz,
    tz_offset: offsetOf(user.tz, now()),
    is_admin: user.isAdmin,
    is_owner: false,
    is_primary_owner: false,
    is_bot: user.isBot,
    is_app_user: false,
    is_restricted: user.isRestricted,
    is_ultra_restricted: user.isUltraRestricted,
    ...(isStranger ? { is_stranger: true } : {}),
    ...(flagOf(call, 'include_locale') ? { locale: user.locale } : {}),
    updated: 1_700_000_000,
    profile: {
      real_name: user.realName,
      display_name: user.name,
      ...(user.isBot ? { bot_id: BOT_ID } : { email: user.email }),
      team: user.teamId,
      status_text: '',
      status_emoji: '',
    },
  };
}

function groupObject(call: Call, group: UserGroup): Record<string, unknown> {
  return {
    id: group.id,
    team_id: call.slack.workspace.team.id,
    is_usergroup: true,
    name: group.name,
    handle: group.handle,
    description: '',
    is_external: false,
    date_delete: 0,
    user_count: group.members.length,
    ...(flagOf(call, 'include_users') ? { users: group.members } : {}),
  };
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
