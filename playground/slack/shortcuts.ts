/** Shortcuts: global ones, and those on a message. */

import { deliver } from './delivery.ts';
import { nextTs } from './ids.ts';
import { channelName, envelopeOf, messageObject } from './payloads.ts';
import { issueResponseUrl } from './response-urls.ts';
import type { Slack } from './slack.ts';
import { pressFailed } from './slackbot.ts';
import { issueTrigger } from './triggers.ts';
import type { UiAnswer } from './ui-types.ts';
import { isVisibleTo, type User } from './workspace.ts';

/** Runs a shortcut; with `at` one on a message. */
export async function runShortcut(
  any: Slack,
  user: User,
  input: { callbackId: string; at?: { channel: string; ts: string } | undefined },
): Promise<UiAnswer> {
  // Two apps may have the same shortcut: the page names the app as well.
  const [callbackId, id] = input.callbackId.split(' from ') as [string, string?];
  const slack = any.apps.find(({ app }) => app.id === id) ?? any;
  const common = { ...envelopeOf(slack, user), callback_id: callbackId, action_ts: nextTs(slack) };
  const trigger_id = issueTrigger(slack, user.id);
  let payload: Record<string, unknown> = { type: 'shortcut', ...common, trigger_id };
  if (input.at) {
    const { workspace } = slack;
    const message = workspace.message(input.at.channel, input.at.ts);
    if (!message || !isVisibleTo(workspace, message, user.id)) return { ok: false, error: 'This message is gone.' };
    const channel = workspace.channel(input.at.channel);
    payload = {
      type: 'message_action',
      ...common,
      trigger_id,
      channel: { id: channel.id, name: channelName(channel) },
      message_ts: message.ts,
      message: messageObject(slack, message),
      response_url: issueResponseUrl(slack, channel.id, user.id, message),
    };
  }
  const ack = await deliver(slack, 'interactive', payload);
  return ack.ok ? { ok: true } : { ok: false, error: pressFailed(ack.error) };
}
