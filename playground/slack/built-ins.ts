/** Slack's own slash commands, by which people change channels and themselves; the app hears of it by events at most. */

import { emit } from './changes.ts';
import { sendEvent } from './events.ts';
import { nextTs } from './ids.ts';
import type { Slack } from './slack.ts';
import { tellFromSlackbot } from './slackbot.ts';
import type { UiCommand } from './ui-types.ts';
import { clearStack } from './views.ts';
import type { Channel, User } from './workspace.ts';

type BuiltIn = (slack: Slack, user: User, channel: Channel) => Promise<string> | string;

const BUILT_INS: Readonly<Record<string, BuiltIn>> = {
  '/invite': (slack, _user, channel) => {
    const { name } = slack.workspace.user(slack.app.userId);
    if (channel.members.has(slack.app.userId)) return `${name} is already in this channel.`;
    setBotMember(slack, channel, true);
    return `You invited ${name} to this channel.`;
  },
  '/remove': async (slack, _user, channel) => {
    const { name } = slack.workspace.user(slack.app.userId);
    if (!channel.members.has(slack.app.userId)) return `${name} is not in this channel.`;
    await removeBot(slack, channel);
    return `You removed ${name} from this channel.`;
  },
  '/archive': async (slack, user, channel) => {
    if (channel.isIm) return 'A direct message cannot be archived.';
    await setArchived(slack, user, channel, true);
    return 'You archived this channel. /unarchive brings it back.';
  },
  '/unarchive': async (slack, user, channel) => {
    if (!channel.isArchived) return 'This channel is not archived.';
    await setArchived(slack, user, channel, false);
    return 'You unarchived this channel.';
  },
  '/away': (slack, user) => {
    setAway(slack, user, true);
    return 'You are away: messages that only you would see do not reach you. /active, or anything that you type, ends it.';
  },
  '/active': (slack, user) => {
    setAway(slack, user, false);
    return 'You are active.';
  },
};

const BUILT_IN_COMMANDS: UiCommand[] = [
  { command: '/invite', description: 'Slack: invite the app to this channel', usageHint: '@edgewise' },
  { command: '/remove', description: 'Slack: take the app out of this channel', usageHint: '@edgewise' },
  { command: '/archive', description: 'Slack: archive this channel', usageHint: '' },
  { command: '/unarchive', description: 'Slack: bring an archived channel back', usageHint: '' },
  { command: '/away', description: 'Slack: you are away', usageHint: '' },
  { command: '/active', description: 'Slack: you are active', usageHint: '' },
];

/** The same for the composer, with those that the emulator was given. */
export function builtInCommands({ options: { builtIns = {} } }: Slack): UiCommand[] {
  const given = Object.entries(builtIns).map(([command, { description }]) => ({ command, description, usageHint: '' }));
  return [...BUILT_IN_COMMANDS, ...given];
}

/** Runs a command that is not the app's; false when the line is none. `/invite` and `/remove` are about the bot that is named, else the first. */
export async function runBuiltIn(slack: Slack, user: User, channel: Channel, line: string): Promise<boolean> {
  const [command = ''] = line.split(/\s/);
  const { builtIns = {} } = slack.options;
  const given = Object.hasOwn(builtIns, command) ? builtIns[command]?.run : undefined;
  const run = Object.hasOwn(BUILT_INS, command) ? BUILT_INS[command] : given;
  if (!run) return false;
  const named = slack.apps.find(({ app }) => line.endsWith(`@${slack.workspace.user(app.userId).name}`));
  const said = await run(named ?? slack, user, channel);
  emit(slack, { type: 'channels' });
  if (command === '/away') emit(slack, { type: 'notice', user: user.id, text: said });
  else tellFromSlackbot(slack, channel.id, user.id, said);
  return true;
}

/** Archives a channel, or brings it back. */
async function setArchived(slack: Slack, user: User, channel: Channel, isArchived: boolean): Promise<void> {
  channel.isArchived = isArchived;
  const family = channel.isPrivate ? 'group' : 'channel';
  const type = `${family}_${isArchived ? 'archive' : 'unarchive'}`;
  const event = { type, channel: channel.id, user: user.id, is_moved: 0, event_ts: nextTs(slack) };
  for (const own of slack.apps) await sendEvent(own, event);
}

/** Takes the bot out of a channel. */
async function removeBot(slack: Slack, channel: Channel): Promise<void> {
  setBotMember(slack, channel, false);
  const type = channel.isPrivate ? 'group_left' : 'channel_left';
  await sendEvent(slack, { type, channel: channel.id, event_ts: nextTs(slack) });
}

function setBotMember(slack: Slack, channel: Channel, isMember: boolean): void {
  if (isMember) channel.members.add(slack.app.userId);
  else channel.members.delete(slack.app.userId);
  emit(slack, { type: 'channels' });
}

/** Away, a person gets no ephemeral messages. */
export function setAway(slack: Slack, user: User, isAway: boolean): void {
  if (slack.away.has(user.id) === isAway) return;
  if (isAway) slack.away.add(user.id);
  else slack.away.delete(user.id);
  emit(slack, { type: 'user', user });
}

/** A person loads Slack anew: their ephemeral messages and modals are gone. */
export function reloadClient(slack: Slack, user: User): void {
  clearStack(slack, user.id);
  for (const message of [...slack.workspace.messages.values()].flat()) {
    if (message.ephemeralTo !== user.id || message.isLost) continue;
    message.isLost = true;
    emit(slack, { type: 'removed', message });
  }
}
