/** The objects that payloads and API answers share: users, channels, messages. */

import { echoed } from './echo.ts';
import { fileObject } from './files.ts';
import type { Slack } from './slack.ts';
import type { UiBlock } from './ui-types.ts';
import { type Channel, currentOf, type Message, type User } from './workspace.ts';

/** The deprecated verification token that payloads still carry; it proves nothing. */
export const VERIFICATION_TOKEN = 'deprecated-verification-token';

/** The fields that every interactive payload begins with. */
export function envelopeOf({ app, workspace: { team, enterprise } }: Slack, user: User): Record<string, unknown> {
  const organisation = enterprise ? { enterprise_id: enterprise.id, enterprise_name: enterprise.name } : {};
  return {
    team: enterprise?.isOrgInstall ? null : { id: team.id, domain: team.domain, ...organisation },
    user: { id: user.id, username: user.name, name: user.name, team_id: user.teamId },
    api_app_id: app.id,
    token: VERIFICATION_TOKEN,
    enterprise: enterprise ? { id: enterprise.id, name: enterprise.name } : null,
    is_enterprise_install: enterprise?.isOrgInstall ?? false,
  };
}

/** A channel's name as payloads have it: private ones are not named. */
export function channelName(channel: Channel): string {
  if (channel.isIm) return 'directmessage';
  if (channel.isMpim) return channel.name;
  return channel.isPrivate ? 'privategroup' : channel.name;
}

/** A message as the Web API, events and interactive payloads show it. */
export function messageObject(slack: Slack, message: Message, withMetadata = false): Record<string, unknown> {
  const { workspace } = slack;
  const { text, blocks: posted, attachments } = currentOf(message);
  const blocks = posted.length > 0 ? posted : message.typed.length > 0 ? message.typed : richText(message.ts, text);
  const replies = (workspace.messages.get(message.channel) ?? []).filter(
    (other) => other.threadTs === message.ts && other !== message && other.ephemeralTo === undefined,
  );
  const repliers = [...new Set(replies.map((reply) => reply.user))];
  return {
    type: 'message',
    user: message.user,
    ts: message.ts,
    team: workspace.users.get(message.user)?.teamId ?? workspace.team.id,
    text,
    ...(message.clientMsgId === undefined ? {} : { client_msg_id: message.clientMsgId }),
    ...botOf(slack, message),
    ...(blocks.length > 0 ? { blocks: echoed(blocks) } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(message.broadcast ? broadcastOf(slack, message) : {}),
    ...(message.threadTs === undefined
      ? {}
      : { thread_ts: message.threadTs, parent_user_id: parentOf(slack, message) }),
    ...(replies.length > 0
      ? {
          thread_ts: message.ts,
          reply_count: replies.length,
          reply_users: repliers,
          reply_users_count: repliers.length,
          latest_reply: replies.at(-1)?.ts,
          is_locked: false,
          subscribed: message.user === slack.app.userId || repliers.includes(slack.app.userId),
          last_read: replies.at(-1)?.ts,
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

function botOf(slack: Slack, { botId }: Message): Record<string, unknown> {
  const owner = slack.apps.find(({ app }) => app.botId === botId) ?? slack;
  return botId === undefined ? {} : { bot_id: botId, app_id: owner.app.id, bot_profile: botObject(owner) };
}

/** Of a text alone Slack makes rich text. */
function richText(ts: string, text: string): UiBlock[] {
  const elements = [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }];
  return text === '' ? [] : [{ type: 'rich_text', block_id: `b${ts}`, elements }];
}

/** A reply that is shown in the channel too carries the root of its thread. */
function broadcastOf(slack: Slack, message: Message): Record<string, unknown> {
  const root = slack.workspace.message(message.channel, message.threadTs ?? '');
  return { subtype: 'thread_broadcast', ...(root ? { root: messageObject(slack, root) } : {}) };
}

function parentOf({ workspace }: Slack, message: Message): string | undefined {
  return message.threadTs === undefined ? undefined : workspace.message(message.channel, message.threadTs)?.user;
}

/** The bot as the Web API shows it. */
export function botObject(slack: Slack): Record<string, unknown> {
  const icons = Object.fromEntries([36, 48, 72].map((size) => [`image_${size}`, `${slack.url}favicon.svg`]));
  return {
    id: slack.app.botId,
    deleted: false,
    name: slack.workspace.user(slack.app.userId).realName,
    updated: 1_700_000_000,
    app_id: slack.app.id,
    user_id: slack.app.userId,
    icons,
    team_id: slack.workspace.team.id,
  };
}
