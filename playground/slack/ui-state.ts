/** The workspace as one person sees it, in the page's types. */

import { builtInCommands } from './built-ins.ts';
import { valuesOf } from './elements.ts';
import { endingOf } from './files.ts';
import { nextTs } from './ids.ts';
import type { Slack, View } from './slack.ts';
import type { UiChannel, UiFile, UiMessage, UiState, UiUser, UiView } from './ui-types.ts';
import { stackOf } from './views.ts';
import {
  type Channel,
  currentOf,
  isStranger,
  isVisibleTo,
  type Message,
  SLACKBOT_ID,
  type StoredFile,
  type User,
} from './workspace.ts';

/** A person or the bot, with the role that the page prints. */
export function uiUser(slack: Slack, user: User): UiUser {
  const { workspace } = slack;
  const { team, otherTeam, enterprise } = workspace;
  const isForeign = isStranger(workspace, user);
  const elsewhere = [otherTeam, ...(enterprise ? [enterprise.sister] : [])].find(({ id }) => id === user.teamId);
  const isGuest = user.isRestricted || user.isUltraRestricted;
  return {
    id: user.id,
    name: user.name,
    realName: user.realName,
    role: user.isBot ? 'bot' : isForeign ? 'stranger' : isGuest ? 'guest' : user.isAdmin ? 'admin' : 'member',
    teamId: user.teamId,
    teamName: isForeign ? (elsewhere?.name ?? '') : team.name,
    tz: user.tz,
    isAway: slack.away.has(user.id),
  };
}

/** A file with the address at which the page gets it. */
export function uiFile(slack: Slack, file: StoredFile): UiFile {
  return {
    id: file.id,
    name: file.name,
    title: file.title,
    mimetype: file.mimetype || `application/${endingOf(file.name)}`,
    size: file.bytes.length,
    url: `${slack.url}ui/files/${file.id}`,
  };
}

function uiChannel({ app, workspace }: Slack, channel: Channel): UiChannel {
  const bot = [...channel.members].map((id) => workspace.users.get(id)).find((member) => member?.isBot);
  return {
    id: channel.id,
    name: channel.isIm ? (bot?.name ?? '') : channel.name,
    kind: channel.isIm ? 'dm' : 'channel',
    topic: channel.topic,
    botIsMember: channel.members.has(app.userId),
    isArchived: channel.isArchived,
    members: [...channel.members],
  };
}

/** The conversations the person is in, channels first. */
export function uiChannels(slack: Slack, user: string): UiChannel[] {
  const { workspace } = slack;
  return [...workspace.channels.values()]
    .filter((channel) => channel.members.has(user))
    .sort((a, b) => Number(a.isIm) - Number(b.isIm))
    .map((channel) => uiChannel(slack, channel));
}

/** A message with the values that this person chose in it. */
export function uiMessage(slack: Slack, message: Message, user: string): UiMessage {
  const { workspace } = slack;
  const { text, blocks } = currentOf(message);
  const replies = (workspace.messages.get(message.channel) ?? []).filter(
    (other) => other.threadTs === message.ts && isVisibleTo(workspace, other, user),
  );
  return {
    channel: message.channel,
    ts: message.ts,
    user: message.user,
    text,
    blocks,
    files: message.files.flatMap((id) => {
      const file = workspace.files.get(id);
      return file ? [uiFile(slack, file)] : [];
    }),
    ephemeral: message.ephemeralTo !== undefined,
    edited: message.edited !== undefined && message.ephemeralTo === undefined,
    ...(message.threadTs === undefined ? {} : { threadTs: message.threadTs }),
    broadcast: message.broadcast,
    replies: replies.length,
    reactions: message.reactions,
    values: valuesOf(blocks, slack.messageValues.get(`${user} ${message.channel} ${message.ts}`)),
  };
}

/** A modal or the home with its values and errors. */
export function uiView(view: View): UiView {
  const { title, submit, close, type, callback_id } = view.draft;
  return {
    id: view.id,
    type,
    title: title?.text ?? '',
    blocks: view.blocks,
    ...(submit ? { submit: submit.text } : {}),
    close: close?.text ?? 'Cancel',
    errors: view.errors,
    values: view.values,
    hash: view.hash,
    callbackId: callback_id ?? '',
  };
}

/** Everything that the person sees. */
export function uiState(slack: Slack, user: User): UiState {
  const { workspace, app, apps } = slack;
  const channels = uiChannels(slack, user.id);
  const home = slack.homes.get(user.id);
  const slackbot: UiUser = {
    id: SLACKBOT_ID,
    name: 'slackbot',
    realName: 'Slackbot',
    role: 'bot',
    teamId: workspace.team.id,
    teamName: workspace.team.name,
    tz: 'Etc/UTC',
    isAway: false,
  };
  return {
    team: { id: workspace.team.id, name: workspace.team.name },
    user: uiUser(slack, user),
    users: [...[...workspace.users.values()].map((each) => uiUser(slack, each)), slackbot],
    userGroups: [...workspace.userGroups.values()].map(({ id, handle, name }) => ({ id, handle, name })),
    channels,
    bot: { userId: app.userId, name: workspace.user(app.userId).name, appId: app.id },
    commands: [...apps.flatMap(({ options }) => options.commands ?? []), ...builtInCommands(slack)],
    shortcuts: apps.flatMap((own) => own.options.shortcuts ?? []),
    messages: Object.fromEntries(
      channels.map((channel) => [
        channel.id,
        (workspace.messages.get(channel.id) ?? [])
          .filter((message) => isVisibleTo(workspace, message, user.id))
          .map((message) => uiMessage(slack, message, user.id)),
      ]),
    ),
    views: stackOf(slack, user.id).map(uiView),
    home: home ? uiView(home) : null,
    at: nextTs(slack),
  };
}
