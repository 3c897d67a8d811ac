/** The objects that payloads and API answers share: users, channels, messages. */

import { fileObject } from './files.ts';
import type { Slack } from './slack.ts';
import { APP_ID, BOT_ID, BOT_USER_ID, type Channel, currentOf, type Message, type User } from './workspace.ts';

/** The deprecated verification token that payloads still carry; it proves nothing. */
export const VERIFICATION_TOKEN = 'deprecated-verification-token';

/** The fields that every interactive payload begins with. */
export function envelopeOf({ workspace: { team } }: Slack, user: User): Record<string, unknown> {
  return {
    team: { id: team.id, domain: team.domain },
    user: { id: user.id, username: user.name, name: user.name, team_id: user.teamId },
    api_app_id: APP_ID,
    token: VERIFICATION_TOKEN,
    enterprise: null,
    is_enterprise_install: false,
  };
}

/** A channel's name as payloads have it: private ones are not named. */
export function channelName(channel: Channel): string {
  if (channel.isIm) return 'directmessage';
  return channel.isPrivate ? 'privategroup' : channel.name;
}

/** A message as the Web API, events and interactive payloads show it. */
export function messageObject(slack: Slack, message: Message, withMetadata = false): Record<string, unknown> {
  const { workspace } = slack;
  const { text, blocks, attachments } = currentOf(message);
  const replies = (workspace.messages.get(message.channel) ?? []).filter(
    (other) => other.threadTs === message.ts && other !== message && other.ephemeralTo === undefined,
  );
  return {
    type: 'message',
    user: message.user,
    ts: message.ts,
    team: workspace.users.get(message.user)?.teamId ?? workspace.team.id,
    text,
    ...(message.botId === undefined ? {} : { bot_id: message.botId, app_id: APP_ID, bot_profile: botObject() }),
    ...(blocks.length > 0 ? { blocks } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(message.threadTs === undefined
      ? {}
      : { thread_ts: message.threadTs, parent_user_id: parentOf(slack, message) }),
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
            .map((id) => workspace.files.get(id))
            .filter((file) => file !== undefined)
            .map((file) => fileObject(slack, file)),
        }
      : {}),
    ...(message.reactions.length > 0
      ? { reactions: message.reactions.map((each) => ({ ...each, count: each.users.length })) }
      : {}),
    ...(message.edited ? { edited: message.edited } : {}),
    ...(withMetadata && message.metadata !== undefined ? { metadata: message.metadata } : {}),
  };
}

function parentOf({ workspace }: Slack, message: Message): string | undefined {
  return message.threadTs === undefined ? undefined : workspace.message(message.channel, message.threadTs)?.user;
}

/** The bot as the Web API shows it. */
export function botObject(): Record<string, unknown> {
  return { id: BOT_ID, name: 'Edgewise', app_id: APP_ID, user_id: BOT_USER_ID, deleted: false, icons: {} };
}
