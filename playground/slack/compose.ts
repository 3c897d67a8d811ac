/** The composer: a line that begins with `/` is a slash command, every other is a message. */

import { runBuiltIn, setAway } from './built-ins.ts';
import { emit } from './changes.ts';
import { sendEvent } from './events.ts';
import { nextId, nextTs } from './ids.ts';
import { changeMessage, postMessage, removeMessage } from './messages.ts';
import { messageObject } from './payloads.ts';
import type { Slack } from './slack.ts';
import { runCommand } from './slash-commands.ts';
import { readTypedText, type TypedText } from './typed-text.ts';
import type { UiAnswer, UiBlock } from './ui-types.ts';
import { type Channel, isStranger, type Message, type User } from './workspace.ts';

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
  setAway(slack, user, false);
  if (line.thread === undefined && (await runBuiltIn(slack, user, channel, line.text))) return { ok: true };
  if (channel.isArchived) return { ok: false, error: 'This channel is archived. /unarchive brings it back.' };
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
    typed: richTextOf(slack, typed),
    threadTs: line.thread,
    files,
  });
  const event = messageEvent(slack, user, message);
  const subtype = files.length > 0 ? { subtype: 'file_share' } : {};
  for (const own of slack.apps) {
    const mentionsBot = typed.text.includes(`<@${own.app.userId}>`);
    if (channel.members.has(own.app.userId)) {
      await sendEvent(own, { ...event, channel_type: channelType(channel), ...subtype });
      if (mentionsBot && !channel.isIm) await sendEvent(own, { ...event, type: 'app_mention' });
    } else if (mentionsBot) {
      const text = `You mentioned @${workspace.user(own.app.userId).name}, but they’re not in this channel.`;
      emit(slack, { type: 'notice', user: user.id, text });
    }
  }
  return { ok: true };
}

/** Changes a message of one's own. A mention comes again, as Slack sends it: with `edited`, and another event id. */
export async function editText(
  slack: Slack,
  user: User,
  line: { channel: string; ts: string; text: string },
): Promise<UiAnswer> {
  const { workspace } = slack;
  const message = workspace.message(line.channel, line.ts);
  if (message?.user !== user.id) return { ok: false, error: 'This message is not yours.' };
  const channel = workspace.channel(line.channel);
  const previous = messageObject(slack, message);
  const typed = readTypedText(line.text.trim(), workspace);
  message.typed = richTextOf(slack, typed);
  changeMessage(slack, message, { text: typed.text, blocks: [], attachments: [] });
  const ts = nextTs(slack);
  for (const own of membersOf(slack, channel)) {
    await sendEvent(own, {
      type: 'message',
      subtype: 'message_changed',
      message: { ...messageObject(slack, message), source_team: user.teamId, user_team: user.teamId },
      previous_message: previous,
      channel: channel.id,
      hidden: true,
      ts,
      event_ts: ts,
      channel_type: channelType(channel),
    });
    if (typed.text.includes(`<@${own.app.userId}>`) && !channel.isIm) {
      await sendEvent(own, { ...messageEvent(slack, user, message), type: 'app_mention', event_ts: ts });
    }
  }
  return { ok: true };
}

/** Takes a message of one's own away. */
export async function deleteText(slack: Slack, user: User, line: { channel: string; ts: string }): Promise<UiAnswer> {
  const message = slack.workspace.message(line.channel, line.ts);
  if (message?.user !== user.id) return { ok: false, error: 'This message is not yours.' };
  const channel = slack.workspace.channel(line.channel);
  const previous = messageObject(slack, message);
  removeMessage(slack, message);
  const ts = nextTs(slack);
  const change = { type: 'message', subtype: 'message_deleted', previous_message: previous, deleted_ts: message.ts };
  const place = { channel: channel.id, hidden: true, ts, event_ts: ts, channel_type: channelType(channel) };
  for (const own of membersOf(slack, channel)) await sendEvent(own, { ...change, ...place });
  return { ok: true };
}

function membersOf({ apps }: Slack, { members }: Channel): Slack[] {
  return apps.filter(({ app }) => members.has(app.userId));
}

function channelType(channel: Channel): string {
  if (channel.isIm) return 'im';
  if (channel.isMpim) return 'mpim';
  return channel.isPrivate ? 'group' : 'channel';
}

function richTextOf(slack: Slack, { elements }: TypedText): UiBlock[] {
  const section = { type: 'rich_text_section', elements };
  return [{ type: 'rich_text', block_id: nextId(slack, 'b'), elements: [section] }];
}

function messageEvent(slack: Slack, user: User, message: Message): Record<string, unknown> {
  return {
    ...messageObject(slack, message),
    ...(isStranger(slack.workspace, user) ? { user_team: user.teamId, source_team: user.teamId } : {}),
    channel: message.channel,
    event_ts: message.ts,
  };
}
