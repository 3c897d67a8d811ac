/** What a person types: slash commands and messages, and the events that come of them. */

import { channelName, messageObject, VERIFICATION_TOKEN } from './payloads.ts';
import type { Response } from './response-urls.ts';
import type { Slack } from './slack.ts';
import { commandFailed, tellFromSlackbot } from './slackbot.ts';
import { readTypedText } from './typed-text.ts';
import type { UiAnswer } from './ui-types.ts';
import { APP_ID, BOT_USER_ID, type User } from './workspace.ts';

/** Types into a channel: a slash command when the text begins with `/`. */
export async function typeText(
  slack: Slack,
  user: User,
  input: { channel: string; text: string; thread?: string | undefined; files?: string[] | undefined },
): Promise<UiAnswer> {
  const channel = slack.core.workspace.channels.get(input.channel);
  if (!channel?.members.has(user.id)) return { ok: false, error: 'You are not in this channel.' };
  if (input.text.startsWith('/')) return runCommand(slack, user, input);
  return sendMessage(slack, user, input);
}

async function runCommand(
  slack: Slack,
  user: User,
  input: { channel: string; text: string; thread?: string | undefined },
): Promise<UiAnswer> {
  const { core } = slack;
  const { workspace } = core;
  const channel = workspace.channel(input.channel);
  const [, command = '', text = ''] = /^(\/\S*)\s*([\s\S]*)$/.exec(input.text) ?? [];
  if (input.thread !== undefined) {
    tellFromSlackbot(core, channel.id, user.id, `${command} is not supported in threads. Sorry!`, input.thread);
    return { ok: true };
  }
  if (core.options.commands && !core.options.commands.some((each) => each.command === command)) {
    const sorry = `${command} is not a valid command. In Slack, all messages that start with the "/" character are interpreted as commands.`;
    tellFromSlackbot(core, channel.id, user.id, sorry);
    return { ok: true };
  }
  const ack = await slack.delivery.deliver('slash_commands', {
    token: VERIFICATION_TOKEN,
    team_id: user.teamId,
    team_domain: user.teamId === workspace.team.id ? workspace.team.domain : workspace.otherTeam.domain,
    channel_id: channel.id,
    channel_name: channelName(channel),
    user_id: user.id,
    user_name: user.name,
    command,
    text: text.trim(),
    api_app_id: APP_ID,
    is_enterprise_install: 'false',
    response_url: slack.responseUrls.issue(channel.id, user.id),
    trigger_id: slack.triggers.issue(user.id),
  });
  if (!ack.ok) {
    tellFromSlackbot(core, channel.id, user.id, commandFailed(command, ack.error));
    return { ok: true };
  }
  const response = responseOf(ack.body);
  if (response) {
    try {
      slack.responseUrls.apply(response, { channel: channel.id, user: user.id });
    } catch {
      tellFromSlackbot(core, channel.id, user.id, commandFailed(command, 'invalid_command_response'));
    }
  }
  return { ok: true };
}

function responseOf(body: unknown): Response | undefined {
  if (typeof body === 'string') return { text: body };
  if (typeof body !== 'object' || body === null) return undefined;
  const response = body as Response;
  return response.text !== undefined || response.blocks !== undefined ? response : undefined;
}

async function sendMessage(
  slack: Slack,
  user: User,
  input: { channel: string; text: string; thread?: string | undefined; files?: string[] | undefined },
): Promise<UiAnswer> {
  const { core } = slack;
  const { workspace } = core;
  const channel = workspace.channel(input.channel);
  const files = input.files ?? [];
  if (input.text.trim() === '' && files.length === 0) return { ok: false, error: 'There is nothing to send.' };
  const typed = readTypedText(input.text.trim(), workspace);
  for (const id of files) workspace.files.get(id)?.shares.add(channel.id);
  const message = core.post({
    channel: channel.id,
    user: user.id,
    text: typed.text,
    threadTs: input.thread,
    files,
  });
  const mentionsBot = typed.text.includes(`<@${BOT_USER_ID}>`);
  if (!channel.members.has(BOT_USER_ID)) {
    if (mentionsBot)
      core.emit({ type: 'notice', user: user.id, text: 'You mentioned @edgewise, but they’re not in this channel.' });
    return { ok: true };
  }
  const isStranger = user.teamId !== workspace.team.id;
  const event = {
    ...messageObject(core, message),
    ...(isStranger ? { user_team: user.teamId, source_team: user.teamId } : {}),
    channel: channel.id,
    event_ts: message.ts,
    client_msg_id: crypto.randomUUID(),
    blocks: [
      {
        type: 'rich_text',
        block_id: core.nextId('b'),
        elements: [{ type: 'rich_text_section', elements: typed.elements }],
      },
    ],
  };
  if (channel.isIm) {
    await sendEvent(slack, {
      ...event,
      channel_type: 'im',
      ...(files.length > 0 ? { subtype: 'file_share' } : {}),
    });
  } else if (mentionsBot) await sendEvent(slack, { ...event, type: 'app_mention' });
  return { ok: true };
}

/** Sends an event in its outer frame, when the bot subscribed to it. */
export async function sendEvent(slack: Slack, event: Record<string, unknown>): Promise<void> {
  const { core } = slack;
  const name = event.type === 'message' ? `message.${String(event.channel_type)}` : String(event.type);
  if (!(core.options.events ?? ['app_mention', 'message.im', 'app_home_opened']).includes(name)) return;
  const { team } = core.workspace;
  await slack.delivery.deliver('events_api', {
    token: VERIFICATION_TOKEN,
    team_id: team.id,
    context_team_id: team.id,
    context_enterprise_id: null,
    api_app_id: APP_ID,
    event,
    type: 'event_callback',
    event_id: core.nextId('Ev'),
    event_time: Math.floor(core.now().getTime() / 1000),
    authorizations: [
      { enterprise_id: null, team_id: team.id, user_id: BOT_USER_ID, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: isShared(slack, String(event.channel ?? '')),
    event_context: core.nextId('4-'),
  });
}

/** Whether people of another workspace are in the channel. */
function isShared({ core: { workspace } }: Slack, id: string): boolean {
  const members = [...(workspace.channels.get(id)?.members ?? [])];
  return members.some((member) => workspace.users.get(member)?.teamId !== workspace.team.id);
}
