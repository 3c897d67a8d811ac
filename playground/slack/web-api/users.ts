/** users.*, usergroups.*, bots.info, team.info and auth.test: who is who. */

import { SlackError } from '../core.ts';
import { botObject } from '../payloads.ts';
import type { Slack } from '../slack.ts';
import { BOT_ID, BOT_USER_ID, type User, type UserGroup } from '../workspace.ts';
import { type Call, type Methods, pageOf } from './call.ts';

export function createUsers(slack: Slack): Methods {
  const { core } = slack;
  const { workspace } = core;

  const userObject = (user: User, call: Call): Record<string, unknown> => {
    const isStranger = user.teamId !== workspace.team.id;
    return {
      id: user.id,
      team_id: user.teamId,
      name: user.name,
      real_name: user.realName,
      deleted: user.isDeleted,
      tz: user.tz,
      tz_label: user.tz,
      tz_offset: offsetOf(user.tz, core.now()),
      is_admin: user.isAdmin,
      is_owner: false,
      is_primary_owner: false,
      is_bot: user.isBot,
      is_app_user: false,
      is_restricted: user.isRestricted,
      is_ultra_restricted: user.isUltraRestricted,
      ...(isStranger ? { is_stranger: true } : {}),
      ...(call.flag('include_locale') ? { locale: user.locale } : {}),
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
  };

  const groupObject = (group: UserGroup, call: Call): Record<string, unknown> => ({
    id: group.id,
    team_id: workspace.team.id,
    is_usergroup: true,
    name: group.name,
    handle: group.handle,
    description: '',
    is_external: false,
    date_delete: 0,
    user_count: group.members.length,
    ...(call.flag('include_users') ? { users: group.members } : {}),
  });

  return {
    'auth.test': {
      run: () => ({
        url: core.url,
        team: workspace.team.name,
        team_id: workspace.team.id,
        user: workspace.user(BOT_USER_ID).name,
        user_id: BOT_USER_ID,
        bot_id: BOT_ID,
        is_enterprise_install: false,
      }),
    },

    'team.info': { scope: 'team:read', run: () => ({ team: { ...workspace.team } }) },

    'bots.info': {
      scope: 'users:read',
      run(call) {
        if ((call.text('bot') ?? BOT_ID) !== BOT_ID) throw new SlackError('bot_not_found');
        return { bot: botObject() };
      },
    },

    'users.info': {
      scope: 'users:read',
      run(call) {
        const user = workspace.users.get(call.need('user', 'user_not_found'));
        if (!user) throw new SlackError('user_not_found');
        return { user: userObject(user, call) };
      },
    },

    'users.list': {
      scope: 'users:read',
      run(call) {
        const { page, next } = pageOf(call, [...workspace.users.values()]);
        return { members: page.map((user) => userObject(user, call)), response_metadata: { next_cursor: next } };
      },
    },

    'users.lookupByEmail': {
      scope: 'users:read.email',
      run(call) {
        const email = call.need('email');
        const user = [...workspace.users.values()].find((each) => each.email === email && !each.isBot);
        if (!user) throw new SlackError('users_not_found');
        return { user: userObject(user, call) };
      },
    },

    'usergroups.list': {
      scope: 'usergroups:read',
      run: (call) => ({ usergroups: [...workspace.userGroups.values()].map((group) => groupObject(group, call)) }),
    },

    'usergroups.users.list': {
      scope: 'usergroups:read',
      run(call) {
        const group = workspace.userGroups.get(call.need('usergroup'));
        if (!group) throw new SlackError('no_such_subteam');
        return { users: group.members };
      },
    },
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
