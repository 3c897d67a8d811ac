/** The objects that payloads and API answers share: users, channels, messages. */

import type { Core } from './core.ts';
import { fileObject } from './files.ts';
import { APP_ID, BOT_ID, BOT_USER_ID, type Channel, currentOf, type Message, type User } from './workspace.ts';

/** The deprecated verification token that payloads still carry; it proves nothing. */
export const VERIFICATION_TOKEN = 'deprecated-verification-token';

/** The fields that every interactive payload begins with. */
export function envelopeOf(core: Core, user: User): Record<string, unknown> {
  const { team } = core.workspace;
  return {
    team: { id: team.id, domain: team.domain },
    user: { id: user.id, username: user.name, name: user.name, team_id: user.teamId },
    api_app_id: APP_ID,
    token: VERIFICATION_TOKEN,
    enterprise: null,
    is_enterprise_install: false,
  };
}

export function channelName(channel: Channel): string {
  if (channel.isIm) return 'directmessage';
  return channel.isPrivate ? 'privategroup' : channel.name;
}

/** A message as the Web API, events and interactive payloads show it. */
export function messageObject(core: Core, message: Message, withMetadata = false): Record<string, unknown> {
  const { text, blocks, attachments } = currentOf(message);
  const replies = (core.workspace.messages.get(message.channel) ?? []).filter(
    (other) => other.threadTs === message.ts && other !== message && other.ephemeralTo === undefined,
  );
  return {
    type: 'message',
    user: message.user,
    ts: message.ts,
    team: core.workspace.users.get(message.user)?.teamId ?? core.workspace.team.id,
    text,
    ...(message.botId === undefined ? {} : { bot_id: message.botId, app_id: APP_ID, bot_profile: botObject() }),
    ...(blocks.length > 0 ? { blocks } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs, parent_user_id: parentOf(core, message) }),
    ...(replies.length > 0
      ? {
          thread_ts: message.ts,
          reply_count: replies.length,
          reply_users_count: new Set(replies.map((reply) => reply.user)).size,
          latest_reply: replies.at(-1)?.ts,
        }
      : {}),
    ...(message.files.length > 0
      ? {
          files: message.files
            .map((id) => core.workspace.files.get(id))
            .filter((file) => file !== undefined)
            .map((file) => fileObject(core, file)),
        }
      : {}),
    ...(message.reactions.length > 0
      ? { reactions: message.reactions.map((each) => ({ ...each, count: each.users.length })) }
      : {}),
    ...(message.edited ? { edited: message.edited } : {}),
    ...(withMetadata && message.metadata !== undefined ? { metadata: message.metadata } : {}),
  };
}

function parentOf(core: Core, message: Message): string | undefined {
  return message.threadTs === undefined ? undefined : core.workspace.message(message.channel, message.threadTs)?.user;
}

export function botObject(): Record<string, unknown> {
  return { id: BOT_ID, name: 'Edgewise', app_id: APP_ID, user_id: BOT_USER_ID, deleted: false, icons: {} };
}
