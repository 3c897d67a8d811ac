/** What every part of the emulator shares: the clock, the record of what left the bot, the changes, and who is busy. */

import type { EmulatorOptions } from './emulator.ts';
import type { UiBlock } from './ui-types.ts';
import { BOT_ID, BOT_USER_ID, createWorkspace, type Message, type Workspace } from './workspace.ts';

/** One thing that left the bot. */
export interface Outgoing {
  /** The Web API method; else `response_url`, `ack` or `upload`. */
  method: string;
  /** The arguments, the posted JSON, the ack's body, or the uploaded file's text. */
  body: unknown;
  at: Date;
  /** What Slack answered when it refused: `invalid_blocks`, `ratelimited` … */
  error?: string;
}

/** What changed in the workspace. Listeners look the rest up. */
export type Change =
  | { type: 'message'; message: Message; isNew: boolean }
  | { type: 'removed'; message: Message }
  | { type: 'views'; user: string }
  | { type: 'home'; user: string }
  | { type: 'channels' }
  | { type: 'notice'; user: string; text: string }
  | { type: 'outgoing'; outgoing: Outgoing }
  | { type: 'problem'; text: string }
  | { type: 'socket'; isOpen: boolean }
  | { type: 'idle' };

/** Slack's refusal of an API call: `error` and whatever else the answer carries. */
export class SlackError extends Error {
  override name = 'SlackError';
  readonly answer: Record<string, unknown>;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    error: string,
    answer: Record<string, unknown> = {},
    http: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(error);
    this.answer = { ok: false, error, ...answer };
    this.status = http.status ?? 200;
    this.headers = http.headers ?? {};
  }
}

/** What a message is made from; the rest is filled in. */
export interface Draft {
  channel: string;
  user?: string;
  botId?: string | undefined;
  text: string;
  blocks?: UiBlock[];
  attachments?: unknown[];
  threadTs?: string | undefined;
  broadcast?: boolean;
  ephemeralTo?: string | undefined;
  files?: string[];
  metadata?: unknown;
}

export interface Core {
  options: EmulatorOptions;
  /** The emulator's own address, with a slash at the end. */
  url: string;
  workspace: Workspace;
  botToken: string;
  appToken: string;
  signingSecret: string;
  outgoing: Outgoing[];
  problems: string[];
  now(): Date;
  /** A new timestamp, later than every one before. */
  nextTs(): string;
  nextId(prefix: string): string;
  on(listener: (change: Change) => void): () => void;
  emit(change: Change): void;
  record(method: string, body: unknown, error?: string): void;
  problem(text: string): void;
  /** Counts `work` as something under way until it settles. */
  busy<T>(work: () => Promise<T>): Promise<T>;
  isBusy(): boolean;
  post(draft: Draft): Message;
  change(message: Message, revision: { text: string; blocks: UiBlock[]; attachments: unknown[] }): void;
  remove(message: Message): void;
}

/** The state of one emulator. `url` is filled in when the port is known. */
export function createCore(options: EmulatorOptions): Core {
  const workspace = createWorkspace(options.workspace);
  const listeners = new Set<(change: Change) => void>();
  const run = crypto.randomUUID().replaceAll('-', '');
  let lastTs = 0;
  let ids = 0;
  let underWay = 0;

  const core: Core = {
    options,
    url: '',
    workspace,
    botToken: `xoxb-${run.slice(0, 12)}-${run.slice(12)}`,
    appToken: `xapp-1-${run.slice(0, 12)}-${run.slice(12)}`,
    signingSecret: run,
    outgoing: [],
    problems: [],
    now: options.now ?? (() => new Date()),

    nextTs() {
      lastTs = Math.max(core.now().getTime() * 1000, lastTs + 1);
      return `${Math.floor(lastTs / 1_000_000)}.${String(lastTs % 1_000_000).padStart(6, '0')}`;
    },

    nextId(prefix) {
      ids += 1;
      return `${prefix}0${ids.toString(36).toUpperCase().padStart(9, '0')}`;
    },

    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    emit(change) {
      for (const listener of [...listeners]) listener(change);
    },

    record(method, body, error) {
      const outgoing: Outgoing = { method, body, at: core.now(), ...(error === undefined ? {} : { error }) };
      core.outgoing.push(outgoing);
      core.emit({ type: 'outgoing', outgoing });
    },

    problem(text) {
      core.problems.push(text);
      core.emit({ type: 'problem', text });
    },

    async busy(work) {
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
        if (underWay === 0) core.emit({ type: 'idle' });
      }
    },

    isBusy: () => underWay > 0,

    post(draft) {
      const message: Message = {
        channel: draft.channel,
        ts: core.nextTs(),
        user: draft.user ?? BOT_USER_ID,
        botId: draft.user === undefined ? BOT_ID : draft.botId,
        threadTs: draft.threadTs,
        broadcast: draft.broadcast ?? false,
        ephemeralTo: draft.ephemeralTo,
        files: draft.files ?? [],
        metadata: draft.metadata,
        reactions: [],
        revisions: [
          { text: draft.text, blocks: withIds(draft.blocks ?? [], core), attachments: draft.attachments ?? [] },
        ],
        edited: undefined,
        isDeleted: false,
      };
      const list = workspace.messages.get(draft.channel) ?? [];
      list.push(message);
      workspace.messages.set(draft.channel, list);
      core.emit({ type: 'message', message, isNew: true });
      return message;
    },

    change(message, revision) {
      message.revisions.push({ ...revision, blocks: withIds(revision.blocks, core) });
      message.edited = { user: message.user, ts: core.nextTs() };
      core.emit({ type: 'message', message, isNew: false });
    },

    remove(message) {
      message.isDeleted = true;
      const list = workspace.messages.get(message.channel) ?? [];
      workspace.messages.set(
        message.channel,
        list.filter((other) => other !== message),
      );
      core.emit({ type: 'removed', message });
    },
  };
  return core;
}

const ACTIONABLE =
  /^(button|overflow|checkboxes|radio_buttons|feedback_buttons|icon_button|workflow_button|.*_select|.*picker|.*_input)$/;

/** The blocks with the ids that Slack makes up where the bot gave none. */
export function withIds(blocks: UiBlock[], core: Pick<Core, 'nextId'>): UiBlock[] {
  const named = (element: unknown): unknown => {
    if (typeof element !== 'object' || element === null) return element;
    const { type, action_id } = element as { type?: unknown; action_id?: unknown };
    if (typeof type !== 'string' || !ACTIONABLE.test(type) || action_id !== undefined) return element;
    return { ...element, action_id: core.nextId('a') };
  };
  return blocks.map((block) => {
    const copy: UiBlock = { ...block, block_id: block.block_id ?? core.nextId('b') };
    if (Array.isArray(copy.elements)) {
      copy.elements = copy.type === 'carousel' ? withIds(copy.elements as UiBlock[], core) : copy.elements.map(named);
    }
    if (Array.isArray(copy.actions)) copy.actions = copy.actions.map(named);
    if (Array.isArray(copy.child_blocks)) copy.child_blocks = withIds(copy.child_blocks as UiBlock[], core);
    if (copy.accessory) copy.accessory = named(copy.accessory);
    if (copy.element) copy.element = named(copy.element);
    return copy;
  });
}
