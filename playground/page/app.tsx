/** The whole page: bar, sidebar, the conversation that is open, a thread beside it, a modal and toasts over it. */
import { useMemo, useState } from 'preact/hooks';
import type { UiChannel, UiState } from '../slack/ui-types.ts';
import { Mark } from './avatar.tsx';
import { Channel } from './channel.tsx';
import { ConfirmProvider } from './confirm.tsx';
import { type Directory, DirectoryContext } from './directory.ts';
import { Home } from './home.tsx';
import { Icon } from './icons.tsx';
import { Modal } from './modal.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { PersonSwitch, Sidebar } from './sidebar.tsx';
import { useTheme } from './theme.ts';
import { Thread } from './thread.tsx';
import { type Spot, useSnapshot, useWorkspace } from './workspace.ts';

/** Everything in the window. */
export function App() {
  const { state, spot, thread, online } = useSnapshot();
  const directory = useDirectoryOf(state);
  const [isMenuOpen, setMenuOpen] = useState(false);
  if (!state || !directory) return <Starting online={online} />;
  const view = state.views.at(-1);
  return (
    <DirectoryContext.Provider value={directory}>
      <ConfirmProvider>
        <div class={`shell ${isMenuOpen ? 'menu-open' : ''} ${thread ? 'thread-open' : ''}`}>
          <TopBar team={state.team.name} isMenuOpen={isMenuOpen} toggleMenu={() => setMenuOpen(!isMenuOpen)} />
          <Sidebar onPick={() => setMenuOpen(false)} />
          {isMenuOpen ? (
            <button
              type="button"
              class="scrim"
              aria-label="Close the channel list"
              onClick={() => setMenuOpen(false)}
            />
          ) : null}
          <main class="content">
            {online ? null : (
              <p class="offline" role="status">
                <Icon name="warning" size={16} /> Connection lost. Trying again…
              </p>
            )}
            <Content spot={spot} channels={state.channels} />
            {thread ? <Thread key={thread.ts} channel={thread.channel} ts={thread.ts} /> : null}
          </main>
        </div>
        {view ? <Modal key={view.id} view={view} depth={state.views.length} /> : null}
        <Toasts />
      </ConfirmProvider>
    </DirectoryContext.Provider>
  );
}

function useDirectoryOf(state: UiState | undefined): Directory | undefined {
  const workspace = useWorkspace();
  return useMemo<Directory | undefined>(
    () =>
      state && {
        me: state.user,
        bot: state.bot,
        users: new Map(state.users.map((user) => [user.id, user])),
        channels: new Map(state.channels.map((channel) => [channel.id, channel])),
        groups: new Map(state.userGroups.map((group) => [group.id, group])),
        openChannel: (id) => workspace.open({ kind: 'channel', id }),
      },
    [state?.user, state?.bot, state?.users, state?.channels, state?.userGroups],
  );
}

function Starting({ online }: { online: boolean }) {
  return (
    <div class="starting">
      <span class="starting-mark">
        <Mark />
      </span>
      <p role="status">
        {online ? 'Opening the workspace' : 'The playground does not answer. Is it still running in your terminal?'}
      </p>
    </div>
  );
}

interface TopBarProps {
  team: string;
  isMenuOpen: boolean;
  toggleMenu(): void;
}

function TopBar({ team, isMenuOpen, toggleMenu }: TopBarProps) {
  const { unread } = useSnapshot();
  const { theme, toggle } = useTheme();
  const waiting = Object.values(unread).reduce((sum, count) => sum + count, 0);
  return (
    <header class="topbar">
      <button
        type="button"
        class="icon-button menu-button"
        aria-label={isMenuOpen ? 'Close the channel list' : 'Open the channel list'}
        aria-expanded={isMenuOpen}
        onClick={toggleMenu}
      >
        <Icon name="menu" />
        {waiting > 0 ? <span class="menu-dot" /> : null}
      </button>
      <span class="team">
        <span class="team-mark">
          <Mark />
        </span>
        <b>{team}</b>
        <span class="team-note">playground</span>
      </span>
      <span class="topbar-gap" />
      <Shortcuts />
      <button
        type="button"
        class="icon-button"
        aria-label={theme === 'dark' ? 'Switch to light' : 'Switch to dark'}
        title={theme === 'dark' ? 'Light' : 'Dark'}
        onClick={toggle}
      >
        <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
      </button>
      <PersonSwitch />
    </header>
  );
}

function Content({ spot, channels }: { spot: Spot; channels: UiChannel[] }) {
  if (spot.kind === 'home') return <Home />;
  const channel = channels.find(({ id }) => id === spot.id);
  return channel ? <Channel channel={channel} /> : <p class="nowhere">You are in no channel.</p>;
}

function Toasts() {
  const workspace = useWorkspace();
  const { notices } = useSnapshot();
  return (
    <div class="toasts" aria-live="polite">
      {notices.map((notice) => (
        <div class="toast" key={notice.id} role="status">
          <Icon name="info" size={18} />
          <span>{notice.text}</span>
          <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => workspace.dismiss(notice.id)}>
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  );
}
