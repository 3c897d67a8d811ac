import { SlackError } from '../slack.ts';
import type { Channel } from '../workspace.ts';
import { type Call, need } from './call.ts';

/** The conversation that `channel` names: an id, a `#name`, or a user for the direct message. */
export function conversation(call: Call): Channel {
  const channel = call.slack.workspace.findChannel(need(call, 'channel', 'channel_not_found'));
  if (!channel) throw new SlackError('channel_not_found');
  if (channel.isPrivate && !channel.members.has(call.slack.app.userId)) throw new SlackError('channel_not_found');
  return channel;
}
