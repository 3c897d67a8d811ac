/** A channel or a direct message: its head, its messages, its composer. */
import { useMemo, useState } from 'preact/hooks';
import type { UiChannel, UiMessage } from '../slack/ui-types.ts';
import { Avatar } from './avatar.tsx';
import { Chips } from './chips.tsx';
import { Composer, tryEvent } from './composer.tsx';
import { useDirectory } from './directory.ts';
import { Icon } from './icons.tsx';
import { MessageList } from './message-list.tsx';
import { titleOf, useSnapshot, useUiState, useWorkspace } from './workspace.ts';

/** The two tabs of the conversation with an app. */
export function AppTabs({ here }: { here: 'home' | 'messages' }) {
  const workspace = useWorkspace();
  const { channels } = useUiState();
  const direct = channels.find(({ kind }) => kind === 'dm');
  return (
    <div class="tabs" role="tablist" aria-label="App">
      <button type="button" role="tab" aria-selected={here === 'home'} onClick={() => workspace.open({ kind: 'home' })}>
        Home
      </button>
      <button
        type="button"
        role="tab"
        aria-selected={here === 'messages'}
        onClick={() => direct && workspace.open({ kind: 'channel', id: direct.id })}
      >
        Messages
      </button>
    </div>
  );
}

/** The conversation that is open. */
export function Channel({ channel }: { channel: UiChannel }) {
  const state = useUiState();
  const { users } = useDirectory();
  const all = state.messages[channel.id];
  const shown = useMemo(() => (all ?? []).filter((message) => isInChannel(message)), [all]);
  const bot = users.get(state.bot.userId);
  const [sent, setSent] = useState(0);
  return (
    <section class="channel" aria-label={titleOf(channel)}>
      <header class="channel-head">
        {channel.kind === 'dm' ? <Avatar user={bot} size={26} /> : <Icon name="hash" size={18} />}
        <h1>{channel.kind === 'dm' ? (bot?.realName ?? channel.name) : channel.name}</h1>
        {channel.kind === 'dm' ? <span class="badge">App</span> : null}
        {channel.isArchived ? <span class="badge">Archived</span> : null}
        {channel.topic ? (
          <span class="topic" title={channel.topic}>
            {channel.topic}
          </span>
        ) : null}
        <span class="members" title={channel.members.map((id) => users.get(id)?.realName ?? id).join(', ')}>
          {channel.members.slice(0, 3).map((id) => (
            <Avatar user={users.get(id)} size={22} />
          ))}
          {channel.members.length}
        </span>
      </header>
      {channel.kind === 'dm' ? <AppTabs here="messages" /> : null}
      <MessageList
        key={`${state.user.id}/${channel.id}`}
        label={`Messages in ${titleOf(channel)}`}
        messages={shown}
        sent={sent}
      >
        <Beginning channel={channel} />
      </MessageList>
      <Chips channel={channel} onSent={() => setSent(sent + 1)} />
      <Composer
        key={`${state.user.id}/${channel.id}/composer`}
        channel={channel}
        focused
        onSent={() => setSent(sent + 1)}
      />
    </section>
  );
}

/** Replies stand in their thread, and in the channel only when they were sent there too. */
const isInChannel = (message: UiMessage) => !message.threadTs || message.threadTs === message.ts || message.broadcast;

function Beginning({ channel }: { channel: UiChannel }) {
  const { hints } = useSnapshot();
  const { bot, commands } = useUiState();
  const first = commands[0]?.command;
  const tries = hints.tries.length > 0 ? hints.tries : first ? [`${first} help`] : [];
  return (
    <div class="beginning">
      <h2>{channel.kind === 'dm' ? `Your conversation with ${bot.name}` : `Welcome to #${channel.name}`}</h2>
      <p>
        {channel.kind === 'channel' && !channel.botIsMember
          ? `@${bot.name} is not a member of this channel. `
          : `Everything here runs on this machine: ${first ? `type ${first} and see, ` : ''}nothing can break.`}
      </p>
      {tries.length > 0 ? (
        <ul class="tries" aria-label="Things to try">
          {tries.map((line) => (
            <li key={line}>
              <button
                type="button"
                class="try"
                onClick={() => dispatchEvent(new CustomEvent(tryEvent, { detail: line }))}
              >
                <code>{line}</code>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
