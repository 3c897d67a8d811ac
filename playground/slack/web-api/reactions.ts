/** reactions.*: one of each kind from the bot. */

import { emit } from '../changes.ts';
import { SlackError } from '../slack.ts';
import { type Call, type Methods, need } from './call.ts';
import { conversation } from './conversation.ts';

/** Reactions of the bot. */
export const reactionMethods: Methods = {
  'reactions.add': { scope: 'reactions:write', run: answerAdd },
  'reactions.remove': { scope: 'reactions:write', run: answerRemove },
};

function answerAdd(call: Call): Record<string, unknown> {
  const { slack } = call;
  const name = need(call, 'name');
  const channel = conversation(call);
  if (channel.isArchived) throw new SlackError('is_archived');
  const message = slack.workspace.message(channel.id, need(call, 'timestamp'));
  if (!message || message.ephemeralTo !== undefined) throw new SlackError('message_not_found');
  const known = message.reactions.find((each) => each.name === name);
  if (known?.users.includes(slack.app.userId)) throw new SlackError('already_reacted');
  if (known) known.users.push(slack.app.userId);
  else message.reactions.push({ name, users: [slack.app.userId] });
  emit(slack, { type: 'message', message, isNew: false });
  return {};
}

function answerRemove(call: Call): Record<string, unknown> {
  const { slack } = call;
  const name = need(call, 'name');
  const message = slack.workspace.message(conversation(call).id, need(call, 'timestamp'));
  if (!message) throw new SlackError('message_not_found');
  const known = message.reactions.find((each) => each.name === name);
  if (!known?.users.includes(slack.app.userId)) throw new SlackError('no_reaction');
  known.users = known.users.filter((user) => user !== slack.app.userId);
  message.reactions = message.reactions.filter((each) => each.users.length > 0);
  emit(slack, { type: 'message', message, isNew: false });
  return {};
}
