/** The state of the page: the person who looks, where they are, and the emulator's state kept up to date by its events. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { UiChange, UiChannel, UiMessage, UiState, UiUser } from '../slack/ui-types.ts';
import { getHints, getPeople, getState, listen, openHome } from './calls.ts';
import type { PageHints } from './hints.ts';

/** A channel by id, or the bot's App Home. */
export type Spot = { kind: 'channel'; id: string } | { kind: 'home' };

/** A toast. */
export interface Notice {
  id: number;
  text: string;
}

/** Everything that is drawn, at one moment. */
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

/** The page's state, and the ways to change it. */
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
  hints: { tries: [] },
  state: undefined,
  spot: { kind: 'channel', id: '' },
  thread: undefined,
  unread: {},
  notices: [],
  online: true,
};

const toastMilliseconds = 8_000;

/** The page's state, and everything that it listens to. */
interface Page {
  snapshot: Snapshot;
  listeners: Set<() => void>;
  /** Ends the stream of changes. */
  stop(): void;
  noticeCount: number;
  /** The emulator's clock when the page was loaded: ephemeral messages from before are lost, as in Slack. */
  loadedAt: number | undefined;
}

/** Starts listening for the person the address names (`#ada/ops`), or the first one. */
export function createWorkspace(): Workspace {
  const page: Page = { snapshot: empty, listeners: new Set(), stop: () => {}, noticeCount: 0, loadedAt: undefined };
  start(page).catch(() => set(page, { online: false }));
  return {
    get: () => page.snapshot,
    subscribe(listener) {
      page.listeners.add(listener);
      return () => page.listeners.delete(listener);
    },
    become: (userId) => become(page, userId),
    open: (spot) => open(page, spot),
    openThread: (channel, ts) => set(page, { thread: { channel, ts } }),
    closeThread: () => set(page, { thread: undefined }),
    notify: (text) => notify(page, text),
    dismiss: (id) => dismiss(page, id),
  };
}

async function start(page: Page): Promise<void> {
  const [people, hints] = await Promise.all([getPeople(), getHints()]);
  set(page, { people, hints });
  const [name, where] = decodeURIComponent(location.hash.slice(1)).split('/');
  const person = people.find((each) => each.name === name) ?? people[0];
  if (person) follow(page, person.id, where ?? '');
}

function set(page: Page, change: Partial<Snapshot>): void {
  page.snapshot = { ...page.snapshot, ...change };
  for (const listener of page.listeners) listener();
}

/** Listens to the changes for one person; loads everything whenever the stream begins. */
function follow(page: Page, user: string, wanted?: string): void {
  page.stop();
  let first = wanted;
  page.stop = listen(
    user,
    (change) => {
      if (change.type === 'ready') {
        load(page, user, first).catch(() => set(page, { online: false }));
        first = undefined;
      } else if (page.snapshot.state?.user.id === user) apply(page, change);
    },
    () => set(page, { online: false }),
  );
}

async function load(page: Page, user: string, wanted?: string): Promise<void> {
  const state = await getState(user, page.loadedAt === undefined);
  const loadedAt = page.loadedAt ?? Number(state.at);
  page.loadedAt = loadedAt;
  for (const [channel, messages] of Object.entries(state.messages)) {
    state.messages[channel] = messages.filter(({ ephemeral, ts }) => !ephemeral || Number(ts) > loadedAt);
  }
  const kept = page.snapshot.spot;
  const spot: Spot =
    wanted === undefined && (kept.kind === 'home' || state.channels.some(({ id }) => id === kept.id))
      ? kept
      : spotNamed(state, wanted);
  set(page, { state, spot, online: true });
  writeAddress(page);
  if (spot.kind === 'home') void openHome({ user, tab: 'home' });
}

function writeAddress({ snapshot: { state, spot } }: Page): void {
  if (!state) return;
  const channel = spot.kind === 'channel' ? state.channels.find(({ id }) => id === spot.id) : undefined;
  const where = spot.kind === 'home' ? 'home' : channel?.kind === 'dm' ? 'dm' : (channel?.name ?? '');
  history.replaceState(null, '', `#${state.user.name}/${where}`);
  document.title = `${spot.kind === 'home' ? 'Home' : (channel?.name ?? '')} · ${state.team.name} · Edgewise playground`;
}

function apply(page: Page, change: UiChange): void {
  const { state, spot, unread } = page.snapshot;
  if (!state) return;
  if (change.type === 'message') {
    const { channel, ts } = change.message;
    const isKnown = (state.messages[channel] ?? []).some((message) => message.ts === ts);
    set(page, { state: { ...state, messages: withMessage(state.messages, change.message) } });
    const isHere = spot.kind === 'channel' && spot.id === channel;
    if (!isKnown && !isHere && change.message.user !== state.user.id)
      set(page, { unread: { ...unread, [channel]: (unread[channel] ?? 0) + 1 } });
  } else if (change.type === 'removed') {
    const rest = (state.messages[change.channel] ?? []).filter(({ ts }) => ts !== change.ts);
    set(page, { state: { ...state, messages: { ...state.messages, [change.channel]: rest } } });
  } else if (change.type === 'views') set(page, { state: { ...state, views: change.views } });
  else if (change.type === 'home') set(page, { state: { ...state, home: change.home } });
  else if (change.type === 'channels') set(page, { state: { ...state, channels: change.channels } });
  else if (change.type === 'user') {
    const users = state.users.map((each) => (each.id === change.user.id ? change.user : each));
    set(page, { state: { ...state, users, user: change.user.id === state.user.id ? change.user : state.user } });
  } else if (change.type === 'notice') notify(page, change.text);
}

function become(page: Page, userId: string): void {
  const { state, spot } = page.snapshot;
  const channel = spot.kind === 'channel' ? state?.channels.find(({ id }) => id === spot.id) : undefined;
  const wanted = spot.kind === 'home' ? 'home' : channel?.kind === 'dm' ? 'dm' : channel?.name;
  set(page, { thread: undefined, unread: {}, notices: [] });
  follow(page, userId, wanted ?? '');
}

function open(page: Page, spot: Spot): void {
  const { state, unread: all } = page.snapshot;
  const { [spot.kind === 'channel' ? spot.id : '']: _, ...unread } = all;
  set(page, { spot, unread, thread: undefined });
  writeAddress(page);
  if (spot.kind === 'home' && state) void openHome({ user: state.user.id, tab: 'home' });
}

function notify(page: Page, text: string): void {
  page.noticeCount += 1;
  const id = page.noticeCount;
  set(page, { notices: [...page.snapshot.notices, { id, text }] });
  setTimeout(() => dismiss(page, id), toastMilliseconds);
}

function dismiss(page: Page, id: number): void {
  set(page, { notices: page.snapshot.notices.filter((notice) => notice.id !== id) });
}

/** The spot that the address names, or the first channel the bot is in. */
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

/** The workspace of the page. */
export const WorkspaceContext = createContext<Workspace | undefined>(undefined);

/** The workspace, anywhere in the page. */
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
