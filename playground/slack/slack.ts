/** One emulated Slack: everything it holds. The other files of this folder are plain functions over this record. */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent } from 'undici';
import { type WebSocket, WebSocketServer } from 'ws';
import type { UiBlock, UiCommand, UiOption, UiShortcut, UiText, UiValues } from './ui-types.ts';
import {
  APP_ID,
  BOT_ID,
  BOT_USER_ID,
  createWorkspace,
  type Message,
  type StoredFile,
  type User,
  type Workspace,
  type WorkspaceSeed,
} from './workspace.ts';

/** How an emulator is started; everything has a default. */
export interface EmulatorOptions {
  /** The clock of triggers, response URLs, rate limits and timestamps. */
  now?: () => Date;
  /** By what its answers are dated, which the bot holds its own clock against; `now`. */
  dated?: () => Date;
  /** Milliseconds until a person sees `operation_timeout`; 3000 as in Slack. Always real time. */
  ackTimeout?: number;
  deliverTo?: DeliveryTarget;
  /** Another app of the workspace. */
  second?: OtherApp | undefined;
  workspace?: WorkspaceSeed;
  /** The port; a free one by default. */
  port?: number;
  /** Where the bot reaches it, with a slash at the end, when something stands in between; its own address by default. */
  publicUrl?: string;
  /** The app's commands and shortcuts, from its manifest: for suggestions, and to refuse other commands. */
  commands?: UiCommand[];
  shortcuts?: UiShortcut[];
  /** Commands beside Slack's own; each answers its person with a sentence. */
  builtIns?: Record<string, { description: string; run(): string }>;
  /** The events the app subscribed to; `app_mention`, `message.im` and `app_home_opened` by default. */
  events?: string[];
  /** The bot token's scopes; every scope when absent. */
  scopes?: string[];
  /** Milliseconds before the first, second and third retry of an event; Slack's own by default. */
  retryDelays?: number[];
  /** A workspace that has no data tables and charts yet: messages with them are refused. */
  plainBlocksOnly?: boolean;
  /** Answers requests outside the emulator's own paths: the page. False means that it has nothing there. */
  page?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** How long a person waits for something to come, in milliseconds of real time; 5000 by default. */
  patience?: number;
  /** Resolves when the bot has nothing under way: makes `expectNothing` exact where it is known. */
  whenBotIsIdle?: () => Promise<void>;
}

/** Another app: its bot, and what is not as with the first one. */
export interface OtherApp extends Pick<EmulatorOptions, 'deliverTo'> {
  name: string;
  realName: string;
  commands: UiCommand[] | undefined;
  shortcuts: UiShortcut[] | undefined;
}

/** Where payloads go: the bot's events URL, or the connections that it opened in Socket Mode. */
export type DeliveryTarget = { eventsUrl: string } | 'socket';

/** An app of the workspace, and its bot. */
export interface App {
  id: string;
  botId: string;
  /** The bot as a user. */
  userId: string;
}

/** Everything that one emulator holds, as one app of it sees it: `apps.ts` installs another. */
export interface Slack {
  app: App;
  /** This record and those of other apps. Tokens, options, connections and App Homes are each one's own, all else is shared. */
  apps: Slack[];
  options: EmulatorOptions;
  /** The emulator's own address, with a slash at the end; set when the port is known. */
  url: string;
  workspace: Workspace;
  botToken: string;
  appToken: string;
  signingSecret: string;
  now(): Date;
  /** The last timestamp that was given, in microseconds, how many ids and view hashes were, and how much is not settled. */
  counts: { lastTs: number; ids: number; hashes: number; underWay: number };
  /** Everything that left the bot, in order. */
  outgoing: Outgoing[];
  /** Everything the bot did that Slack would refuse or ignore. */
  problems: string[];
  listeners: Set<(change: Change) => void>;
  /** Everything that was sent to the bot, in order. */
  deliveries: Delivery[];
  http: HttpDelivery;
  sockets: Sockets;
  /** The faults that are switched on, besides those of `sockets`. */
  faults: Fault[];
  /** By trigger id. */
  triggers: Map<string, Trigger>;
  /** By path. */
  responseUrls: Map<string, ResponseUrl>;
  /** People who are away: ephemeral messages never reach them. */
  away: Set<string>;
  /** Open modals by user id, the top one last. */
  stacks: Map<string, View[]>;
  /** App Homes by user id. */
  homes: Map<string, View>;
  /** The choices of people in messages: by `user channel ts`. */
  messageValues: Map<string, UiValues>;
  /** Options that external selects were given, by `block action value`. */
  suggested: Map<string, UiOption>;
  /** Files whose bytes or completion are still to come, by file id. */
  uploads: Map<string, Upload>;
  /** How many posts each channel still lets through, by channel id. */
  postBudgets: Map<string, { left: number; at: number }>;
}

/** One thing that left the bot. */
export interface Outgoing {
  /** The Web API method; else `response_url`, `ack` or `upload`. */
  method: string;
  /** The arguments, the posted JSON, the ack's body, or the uploaded file's text. */
  body: unknown;
  at: Date;
  /** Slack's error when it refused: `invalid_blocks`, `ratelimited` … */
  error?: string;
}

/** Something that changed in the workspace. Listeners look the rest up. */
export type Change =
  | { type: 'message'; message: Message; isNew: boolean }
  | { type: 'removed'; message: Message }
  | { type: 'views'; user: string }
  | { type: 'home'; user: string }
  | { type: 'channels' }
  | { type: 'user'; user: User }
  | { type: 'notice'; user: string; text: string }
  | { type: 'outgoing'; outgoing: Outgoing }
  | { type: 'problem'; text: string }
  | { type: 'socket'; isOpen: boolean }
  | { type: 'idle' };

/** The kind of a payload, by Socket Mode's names. */
export type DeliveryKind = 'slash_commands' | 'interactive' | 'events_api';

/** One payload for the bot, as it was sent the first time. */
export interface Delivery {
  kind: DeliveryKind;
  payload: Record<string, unknown>;
  /** The HTTP form of it. */
  body: string;
  contentType: string;
  headers: Record<string, string>;
  envelopeId: string;
}

/** The ack's body when it came in time, or how it failed. */
export type Ack = { ok: true; body: unknown } | Refusal;

/** `reason` is what `X-Slack-Retry-Reason` says of it; `isFinal` when the bot asked for no retry. */
export interface Refusal {
  ok: false;
  error: 'operation_timeout' | 'dispatch_failed';
  reason?: string;
  isFinal?: boolean;
}

/** How often an event was sent before, and why again. */
export interface Retry {
  num: number;
  reason: string;
}

/** Deliveries over HTTP: the client, and the retries that wait. */
export interface HttpDelivery {
  agent: Agent;
  retries: Set<NodeJS.Timeout>;
  isClosed: boolean;
}

/** Socket Mode's connections. */
export interface Sockets {
  server: WebSocketServer;
  /** Tickets of `apps.connections.open` that were not used yet. */
  tickets: Map<string, ConnectionFault | undefined>;
  open: WebSocket[];
  /** Connections that Slack ends: they get nothing more. */
  leaving: WeakSet<WebSocket>;
  /** Each call of `apps.connections.open` takes the first; without any it answers well. */
  faults: ConnectionFault[];
  /** Every call, of any method, fails like this: Slack is away. */
  away: ConnectionFault | undefined;
  /** How many calls failed like that. */
  failed: number;
  /** Envelopes without an ack, by id. */
  unacked: Map<string, (ack: Ack) => void>;
  acked: Set<string>;
  /** Called, and forgotten, when the next bot connects. */
  arrivals: Set<() => void>;
  /** How many envelopes were sent: connections take them in turn. */
  sent: number;
  /** Each lets something happen to the connections every so many seconds. */
  timers: Set<NodeJS.Timeout>;
}

/** A fault that is switched on: `faults.ts` has the table. */
export interface Fault {
  /** A method, `any` of them, or `response_url`. */
  subject: string;
  outcome: ConnectionFault;
  /** The call is carried out first. */
  isAfter: boolean;
  /** How many calls it concerned. */
  met: number;
  /** How many more it is for; all when absent. */
  left?: number;
  /** It is for so many of a hundred. */
  percent?: number;
  /** Until then, in milliseconds since 1970. */
  until?: number;
}

/** How a call fails: with a status, an error, a dropped connection, or only after a while. */
export type ConnectionFault =
  | { status: number; retryAfter?: number; error?: string }
  | { error: string }
  | { drop: true }
  | { hang: number }
  /** It answers, and Slack says goodbye on the new connection instead of hello. */
  | { goodbye: DisconnectReason };

/** Why Slack ends a connection of Socket Mode. */
export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets';

/** Proof that a person has just done something. */
export interface Trigger {
  app: App;
  user: string;
  /** The view the person acted in; only such a trigger may push. */
  view: string | undefined;
  expires: number;
  isUsed: boolean;
}

/** A response URL: for whom it was made, and how often it was used. */
export interface ResponseUrl {
  app: App;
  channel: string;
  user: string;
  /** The message whose button was pressed. */
  source: Message | undefined;
  expires: number;
  uses: number;
}

/** A view as the bot gave it. */
export interface ViewDraft {
  type: 'modal' | 'home';
  title?: UiText;
  blocks: UiBlock[];
  submit?: UiText;
  close?: UiText;
  callback_id?: string;
  private_metadata?: string;
  external_id?: string;
  clear_on_close?: boolean;
  notify_on_close?: boolean;
  submit_disabled?: boolean;
}

/** An open modal, or an App Home. */
export interface View {
  id: string;
  app: App;
  user: string;
  draft: ViewDraft;
  blocks: UiBlock[];
  hash: string;
  rootId: string;
  previousId: string | undefined;
  errors: Record<string, string>;
  values: UiValues;
  /** Everything it showed before, oldest first; its length counts the updates. */
  history: { draft: ViewDraft; blocks: UiBlock[] }[];
}

/** A file whose bytes or completion are still to come. */
export interface Upload {
  file: StoredFile;
  length: number;
  isReceived: boolean;
}

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

/** A workspace in which nothing has happened yet. */
export function createSlack(options: EmulatorOptions): Slack {
  const slack: Slack = {
    app: { id: APP_ID, botId: BOT_ID, userId: BOT_USER_ID },
    apps: [],
    options,
    url: '',
    workspace: createWorkspace(options.workspace),
    ...createTokens(),
    now: options.now ?? (() => new Date()),
    counts: { lastTs: 0, ids: 0, hashes: 0, underWay: 0 },
    outgoing: [],
    problems: [],
    listeners: new Set(),
    deliveries: [],
    // No connection is kept, so that a bot that stops has nothing to wait for.
    http: { agent: new Agent({ pipelining: 0 }), retries: new Set(), isClosed: false },
    sockets: createSockets(),
    faults: [],
    triggers: new Map(),
    responseUrls: new Map(),
    away: new Set(),
    stacks: new Map(),
    homes: new Map(),
    messageValues: new Map(),
    suggested: new Map(),
    uploads: new Map(),
    postBudgets: new Map(),
  };
  slack.apps.push(slack);
  return slack;
}

/** What an app proves itself by, and Slack to it. */
export function createTokens(): Pick<Slack, 'botToken' | 'appToken' | 'signingSecret'> {
  const run = randomUUID().replaceAll('-', '');
  return {
    botToken: `xoxb-${run.slice(0, 12)}-${run.slice(12)}`,
    appToken: `xapp-1-${run.slice(0, 12)}-${run.slice(12)}`,
    signingSecret: run,
  };
}

/** No connection yet. */
export function createSockets(): Sockets {
  return {
    server: new WebSocketServer({ noServer: true }),
    tickets: new Map(),
    open: [],
    leaving: new WeakSet(),
    faults: [],
    away: undefined,
    failed: 0,
    unacked: new Map(),
    acked: new Set(),
    arrivals: new Set(),
    sent: 0,
    timers: new Set(),
  };
}
