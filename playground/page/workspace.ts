/** The state of the page: the person who looks, where they are, and the emulator's state kept up to date by its events. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { UiChange, UiChannel, UiMessage, UiState, UiUser } from '../slack/ui-types.ts';
import { getHints, getPeople, getState, listen, openHome } from './calls.ts';
import type { PageHints } from './hints.ts';

/** A channel by id, or the bot's App Home. */
export type Spot = { kind: 'channel'; id: string } | { kind: 'home' };

export interface Notice {
  id: number;
  text: string;
}

export interface Snapshot {
  people: UiUser[];
  hints: PageHints;
  state: UiState | undefined;
  spot: Spot;
  /** The root of the thread in the side panel. */
  thread: { channel: string; ts: string } | undefined;
  /** By channel id: messages that arrived while the person looked elsewhere. */
  unread: Record<string, number>;
  notices: Notice[];
  online: boolean;
}

export interface Workspace {
  get(): Snapshot;
  subscribe(listener: () => void): () => void;
  become(userId: string): void;
  open(spot: Spot): void;
  openThread(channel: string, ts: string): void;
  closeThread(): void;
  notify(text: string): void;
  dismiss(notice: number): void;
}

const empty: Snapshot = {
  people: [],
  hints: { commands: [], tries: [] },
  state: undefined,
  spot: { kind: 'channel', id: '' },
  thread: undefined,
  unread: {},
  notices: [],
  online: true,
};

const toastMilliseconds = 8_000;

/** Starts listening for the person the address names (`#ada/ops`), or the first one. */
export function createWorkspace(): Workspace {
  let snapshot = empty;
  let stop = () => {};
  let noticeCount = 0;
  const listeners = new Set<() => void>();

  function set(change: Partial<Snapshot>): void {
    snapshot = { ...snapshot, ...change };
    for (const listener of listeners) listener();
  }

  function writeAddress(): void {
    const { state, spot } = snapshot;
    if (!state) return;
    const channel = spot.kind === 'channel' ? state.channels.find(({ id }) => id === spot.id) : undefined;
    const where = spot.kind === 'home' ? 'home' : channel?.kind === 'dm' ? 'dm' : (channel?.name ?? '');
    history.replaceState(null, '', `#${state.user.name}/${where}`);
    document.title = `${spot.kind === 'home' ? 'Home' : (channel?.name ?? '')} · ${state.team.name} · Edgewise playground`;
  }

  async function load(user: string, wanted?: string): Promise<void> {
    const state = await getState(user);
    const kept = snapshot.spot;
    const spot: Spot =
      wanted === undefined && (kept.kind === 'home' || state.channels.some(({ id }) => id === kept.id))
        ? kept
        : spotNamed(state, wanted);
    set({ state, spot, online: true });
    writeAddress();
    if (spot.kind === 'home') void openHome({ user, tab: 'home' });
  }

  function follow(user: string, wanted?: string): void {
    stop();
    let first = wanted;
    stop = listen(
      user,
      (change) => {
        if (change.type === 'ready') {
          load(user, first).catch(() => set({ online: false }));
          first = undefined;
        } else if (snapshot.state?.user.id === user) apply(change);
      },
      () => set({ online: false }),
    );
  }

  function apply(change: UiChange): void {
    const { state } = snapshot;
    if (!state) return;
    if (change.type === 'message') {
      const { channel, ts } = change.message;
      const known = (state.messages[channel] ?? []).some((message) => message.ts === ts);
      set({ state: { ...state, messages: withMessage(state.messages, change.message) } });
      const here = snapshot.spot.kind === 'channel' && snapshot.spot.id === channel;
      if (!known && !here && change.message.user !== state.user.id)
        set({ unread: { ...snapshot.unread, [channel]: (snapshot.unread[channel] ?? 0) + 1 } });
    } else if (change.type === 'removed') {
      const rest = (state.messages[change.channel] ?? []).filter(({ ts }) => ts !== change.ts);
      set({ state: { ...state, messages: { ...state.messages, [change.channel]: rest } } });
    } else if (change.type === 'views') set({ state: { ...state, views: change.views } });
    else if (change.type === 'home') set({ state: { ...state, home: change.home } });
    else if (change.type === 'channels') set({ state: { ...state, channels: change.channels } });
    else if (change.type === 'notice') workspace.notify(change.text);
  }

  const workspace: Workspace = {
    get: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    become(userId) {
      const { state, spot } = snapshot;
      const channel = spot.kind === 'channel' ? state?.channels.find(({ id }) => id === spot.id) : undefined;
      const wanted = spot.kind === 'home' ? 'home' : channel?.kind === 'dm' ? 'dm' : channel?.name;
      set({ thread: undefined, unread: {}, notices: [] });
      follow(userId, wanted ?? '');
    },
    open(spot) {
      const { [spot.kind === 'channel' ? spot.id : '']: _, ...unread } = snapshot.unread;
      set({ spot, unread, thread: undefined });
      writeAddress();
      if (spot.kind === 'home' && snapshot.state) void openHome({ user: snapshot.state.user.id, tab: 'home' });
    },
    openThread: (channel, ts) => set({ thread: { channel, ts } }),
    closeThread: () => set({ thread: undefined }),
    notify(text) {
      const id = ++noticeCount;
      set({ notices: [...snapshot.notices, { id, text }] });
      setTimeout(() => workspace.dismiss(id), toastMilliseconds);
    },
    dismiss: (id) => set({ notices: snapshot.notices.filter((notice) => notice.id !== id) }),
  };

  async function start(): Promise<void> {
    const [people, hints] = await Promise.all([getPeople(), getHints()]);
    set({ people, hints });
    const [name, where] = decodeURIComponent(location.hash.slice(1)).split('/');
    const person = people.find((each) => each.name === name) ?? people[0];
    if (person) follow(person.id, where ?? '');
  }
  start().catch(() => set({ online: false }));
  return workspace;
}

/** The place that the address names, or the first channel the bot is in. */
function spotNamed(state: UiState, name: string | undefined): Spot {
  if (name === 'home') return { kind: 'home' };
  const channel =
    state.channels.find((each) =>
      name === 'dm' ? each.kind === 'dm' : each.kind === 'channel' && each.name === name,
    ) ??
    state.channels.find((each) => each.kind === 'channel' && each.botIsMember) ??
    state.channels[0];
  return { kind: 'channel', id: channel?.id ?? '' };
}

function withMessage(messages: Record<string, UiMessage[]>, message: UiMessage): Record<string, UiMessage[]> {
  const list = messages[message.channel] ?? [];
  const at = list.findIndex(({ ts }) => ts === message.ts);
  const next = at >= 0 ? list.with(at, message) : [...list, message].sort((a, b) => Number(a.ts) - Number(b.ts));
  return { ...messages, [message.channel]: next };
}

export const WorkspaceContext = createContext<Workspace | undefined>(undefined);

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (!workspace) throw new Error('The page is not mounted in a workspace.');
  return workspace;
}

/** The present snapshot; the component is drawn again when it changes. */
export function useSnapshot(): Snapshot {
  const workspace = useWorkspace();
  const [snapshot, set] = useState(workspace.get());
  useEffect(() => {
    set(workspace.get());
    return workspace.subscribe(() => set(workspace.get()));
  }, [workspace]);
  return snapshot;
}

/** The state of a page that has one; only for what is drawn inside the shell. */
export function useUiState(): UiState {
  const { state } = useSnapshot();
  if (!state) throw new Error('The page has no state yet.');
  return state;
}

/** `#ops`, or the bot's name for the direct message. */
export const titleOf = (channel: UiChannel) => (channel.kind === 'dm' ? channel.name : `#${channel.name}`);
