/** The composer: a line that begins with `/` is a slash command, every other is a message. */

import { randomUUID } from 'node:crypto';
import { emit } from './changes.ts';
import { sendEvent } from './events.ts';
import { nextId } from './ids.ts';
import { postMessage } from './messages.ts';
import { messageObject } from './payloads.ts';
import type { Slack } from './slack.ts';
import { runCommand } from './slash-commands.ts';
import { readTypedText, type TypedText } from './typed-text.ts';
import type { UiAnswer } from './ui-types.ts';
import { BOT_USER_ID, type Message, type User } from './workspace.ts';

interface Line {
  channel: string;
  text: string;
  thread?: string | undefined;
  files?: string[] | undefined;
}

/** Sends what a person typed in a channel. */
export async function typeText(slack: Slack, user: User, line: Line): Promise<UiAnswer> {
  const channel = slack.workspace.channels.get(line.channel);
  if (!channel?.members.has(user.id)) return { ok: false, error: 'You are not in this channel.' };
  return line.text.startsWith('/') ? runCommand(slack, user, line) : sendMessage(slack, user, line);
}

async function sendMessage(slack: Slack, user: User, line: Line): Promise<UiAnswer> {
  const { workspace } = slack;
  const channel = workspace.channel(line.channel);
  const files = line.files ?? [];
  if (line.text.trim() === '' && files.length === 0) return { ok: false, error: 'There is nothing to send.' };
  const typed = readTypedText(line.text.trim(), workspace);
  for (const id of files) workspace.files.get(id)?.shares.add(channel.id);
  const message = postMessage(slack, {
    channel: channel.id,
    user: user.id,
    text: typed.text,
    threadTs: line.thread,
    files,
  });
  const mentionsBot = typed.text.includes(`<@${BOT_USER_ID}>`);
  if (!channel.members.has(BOT_USER_ID)) {
    if (mentionsBot) {
      const text = 'You mentioned @edgewise, but they’re not in this channel.';
      emit(slack, { type: 'notice', user: user.id, text });
    }
    return { ok: true };
  }
  const event = messageEvent(slack, user, message, typed);
  if (channel.isIm) {
    const subtype = files.length > 0 ? { subtype: 'file_share' } : {};
    await sendEvent(slack, { ...event, channel_type: 'im', ...subtype });
  } else if (mentionsBot) await sendEvent(slack, { ...event, type: 'app_mention' });
  return { ok: true };
}

function messageEvent(slack: Slack, user: User, message: Message, typed: TypedText): Record<string, unknown> {
  const isStranger = user.teamId !== slack.workspace.team.id;
  return {
    ...messageObject(slack, message),
    ...(isStranger ? { user_team: user.teamId, source_team: user.teamId } : {}),
    channel: message.channel,
    event_ts: message.ts,
    client_msg_id: randomUUID(),
    blocks: [
      {
        type: 'rich_text',
        block_id: nextId(slack, 'b'),
        elements: [{ type: 'rich_text_section', elements: typed.elements }],
      },
    ],
  };
}
