/** The workspace's left side: channels, the bot, and who is looking. */
import { useRef, useState } from 'preact/hooks';
import type { UiChannel, UiUser } from '../slack/ui-types.ts';
import { Avatar } from './avatar.tsx';
import { setAway } from './calls.ts';
import { useListKeys } from './elements/keys.ts';
import { Popover } from './elements/popover.tsx';
import { Icon } from './icons.tsx';
import { useSnapshot, useUiState, useWorkspace } from './workspace.ts';

/** The list of conversations. */
export function Sidebar({ onPick }: { onPick(): void }) {
  const workspace = useWorkspace();
  const { spot, unread } = useSnapshot();
  const state = useUiState();
  const bot = state.users.find(({ id }) => id === state.bot.userId);

  function entry(channel: UiChannel) {
    const isHere = spot.kind === 'channel' && spot.id === channel.id;
    const count = unread[channel.id] ?? 0;
    return (
      <li key={channel.id}>
        <button
          type="button"
          class={`place ${isHere ? 'here' : ''} ${count > 0 ? 'unread' : ''}`}
          aria-current={isHere ? 'page' : undefined}
          onClick={() => {
            workspace.open({ kind: 'channel', id: channel.id });
            onPick();
          }}
        >
          {channel.kind === 'dm' ? <Avatar user={bot} size={20} /> : <Icon name="hash" size={16} />}
          <span class="place-name">{channel.name}</span>
          {channel.kind === 'channel' && !channel.botIsMember ? <span class="place-note">no bot</span> : null}
          {channel.isArchived ? <span class="place-note">archived</span> : null}
          {count > 0 ? (
            <span class="count" role="status" aria-label={`${count} new`}>
              {count}
            </span>
          ) : null}
        </button>
      </li>
    );
  }

  return (
    <nav class="sidebar" aria-label="Channels">
      <div class="sidebar-scroll">
        <h2 id="channels-title">Channels</h2>
        <ul aria-labelledby="channels-title">{state.channels.filter(({ kind }) => kind === 'channel').map(entry)}</ul>
        <h2 id="dms-title">Direct messages</h2>
        <ul aria-labelledby="dms-title">{state.channels.filter(({ kind }) => kind === 'dm').map(entry)}</ul>
        <h2 id="apps-title">Apps</h2>
        <ul aria-labelledby="apps-title">
          <li>
            <button
              type="button"
              class={`place ${spot.kind === 'home' ? 'here' : ''}`}
              aria-current={spot.kind === 'home' ? 'page' : undefined}
              onClick={() => {
                workspace.open({ kind: 'home' });
                onPick();
              }}
            >
              <Icon name="home" size={16} />
              <span class="place-name">{bot?.realName ?? state.bot.name} home</span>
            </button>
          </li>
        </ul>
      </div>
    </nav>
  );
}

const roleWords: Record<UiUser['role'], string> = {
  admin: 'Admin',
  member: 'Member',
  guest: 'Guest',
  stranger: 'Other workspace',
  bot: 'App',
};

/** The switch to the same page as somebody else. */
export function PersonSwitch() {
  const workspace = useWorkspace();
  const { people } = useSnapshot();
  const { user } = useUiState();
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);

  function close(): void {
    setOpen(false);
    anchor.current?.focus();
  }

  return (
    <>
      <button
        ref={anchor}
        type="button"
        class="person-switch"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={`You are ${user.realName}, ${roleWords[user.role]}${user.isAway ? ', away' : ''}. Switch person`}
        onClick={() => setOpen(!isOpen)}
      >
        <span class={`presence ${user.isAway ? 'away' : ''}`}>
          <Avatar user={user} size={26} />
        </span>
        <span class="person-words">
          <b>{user.realName}</b>
          <small>{user.isAway ? 'Away' : roleWords[user.role]}</small>
        </span>
        <Icon name="down" size={14} />
      </button>
      {isOpen ? (
        <Popover anchor={anchor} align="end" onClose={() => setOpen(false)}>
          <button
            type="button"
            class="menu-item presence-toggle"
            onClick={() => {
              close();
              void setAway({ user: user.id, away: !user.isAway });
            }}
          >
            {user.isAway ? 'Set yourself as active' : 'Set yourself as away'}
            <small>Messages that only you would see do not reach you while you are away.</small>
          </button>
          <People
            people={people}
            me={user.id}
            pick={(id) => {
              close();
              if (id !== user.id) workspace.become(id);
            }}
            close={close}
          />
        </Popover>
      ) : null}
    </>
  );
}

function People({ people, me, pick, close }: { people: UiUser[]; me: string; pick(id: string): void; close(): void }) {
  const mine = Math.max(
    0,
    people.findIndex(({ id }) => id === me),
  );
  const keys = useListKeys(people.length, (index) => people[index] && pick(people[index].id), close, mine);
  return (
    <div
      class="menu people"
      role="menu"
      aria-label="People"
      tabindex={-1}
      onKeyDown={(event) => {
        keys.onKeyDown(event);
      }}
    >
      <p class="menu-title">Look at the workspace as</p>
      {people.map((person, index) => (
        <button
          type="button"
          role="menuitemradio"
          aria-checked={person.id === me}
          key={person.id}
          class={`menu-item person ${index === keys.active ? 'active' : ''}`}
          tabindex={index === keys.active ? 0 : -1}
          ref={(element) => {
            if (index === keys.active) element?.focus();
          }}
          onPointerMove={() => keys.setActive(index)}
          onClick={() => pick(person.id)}
        >
          <Avatar user={person} size={32} />
          <span class="person-words">
            <b>{person.realName}</b>
            <small>
              @{person.name} · {roleWords[person.role]}
              {person.role === 'stranger' ? `: ${person.teamName}` : ''}
            </small>
          </span>
          {person.id === me ? <Icon name="check" size={16} /> : null}
        </button>
      ))}
    </div>
  );
}
