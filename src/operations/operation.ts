import type { Readable } from 'node:stream';
import type { Message } from '../blocks/message.ts';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { Platform } from '../platform/client.ts';
import type { App, Database, EdgeScript, GuardianEndpoint, PullZone, ShieldZoneMapping } from '../platform/types.ts';
import type { Subscription, SubscriptionSettings } from '../store/subscriptions.ts';
import type { DefinitionOutline } from './guardian/outline.ts';

/** What an operation does to the platform: nothing, something that can be taken back or repeated, something that cannot. */
export type Effect = 'read' | 'write' | 'destructive';

/** Who asks. `kind` is what Slack says of them; a stranger belongs to another workspace, a guest is restricted in this one. */
export interface Actor {
  id: string;
  teamId: string;
  kind: 'member' | 'guest' | 'stranger';
  name?: string;
}

/** Where it was asked. `direct`: a direct message or a place in which the bot is not a member may be meant as well. */
export interface Place {
  channelId: string;
  threadTs?: string | undefined;
}

/** In whose language, zone and at what time a message is read. */
export interface Reader {
  locale: string;
  timezone: string;
  now: Date;
}

/**
 * A list that pickers and names need. `missing` says why there is none (endpoint refused or unknown), `partial` that the
 * platform has more than it gave: ids work all the same.
 */
export interface Listing<T> {
  items: readonly T[];
  missing?: string;
  partial?: true;
}

/** What exists on the platform, cached for a short while; `fresh` asks again. */
export interface Catalogue {
  zones(options?: { fresh?: boolean }): Promise<Listing<PullZone>>;
  scripts(options?: { fresh?: boolean }): Promise<Listing<EdgeScript>>;
  apps(options?: { fresh?: boolean }): Promise<Listing<App>>;
  databases(options?: { fresh?: boolean }): Promise<Listing<Database>>;
  shieldZones(options?: { fresh?: boolean }): Promise<Listing<ShieldZoneMapping>>;
}

/** A file that somebody gave: through a form's file input or in the thread. */
export interface GivenFile {
  id: string;
  name: string;
  size: number;
  content: Buffer;
  sha256: string;
}

/** A report that channels can subscribe to. */
export interface ReportListing {
  name: string;
  summary: string;
  /** When nothing else is wanted, as cron. */
  schedule: string;
  /** Its own numbers, with what they are when nothing else is wanted. */
  thresholds: Readonly<Record<string, number>>;
}

/** A channel as far as the bot sees it. */
export interface ChannelRef {
  id: string;
  /** With its `#`; the id when Slack does not say. */
  name: string;
  /** False: the bot is not in it, and cannot post there. */
  member?: boolean | undefined;
  archived?: boolean | undefined;
}

/** A subscription with the name of its channel and of who muted it, for people. */
export interface ListedSubscription extends Subscription {
  channelName: string;
  /** The id when Slack does not say. */
  mutedByName?: string | undefined;
}

/** What a report is about. */
export type ReportSelection = Pick<SubscriptionSettings, 'targets' | 'include' | 'exclude' | 'thresholds'>;

/** The reports and who gets them. */
export interface ReportsView {
  all(): readonly ReportListing[];
  /** Those that have not ended, by number. */
  subscriptions(): Promise<ListedSubscription[]>;
  subscribe(settings: SubscriptionSettings): Promise<ListedSubscription>;
  /** False: it had ended already. */
  unsubscribe(id: number): Promise<boolean>;
  /** Until a moment, or until the report says something else than the last time. */
  mute(id: number, until: Date | 'changed', by: string): Promise<boolean>;
  /** False: it was not muted. */
  unmute(id: number): Promise<boolean>;
  /** What the report says now; undefined: nothing. */
  make(report: string, selection: ReportSelection, reader: Reader, signal: AbortSignal): Promise<Message | undefined>;
  /** Posts what somebody asked for where they asked for it, behind nothing but the channel's own turn. */
  post(channel: string, message: Message): Promise<void>;
  /** By `#name`, mention or id. Undefined: there is none that the bot can see. */
  channel(text: string): Promise<ChannelRef | undefined>;
}

/** What a look-up may use. */
export interface ResolveContext {
  reports: ReportsView;
  /** In whose language and time zone the answer is read. */
  reader: Reader;
  platform: Platform;
  catalogue: Catalogue;
  /** Fetches a file from Slack; refuses more than `maxBytes`. */
  file(id: string, maxBytes: number): Promise<GivenFile>;
  /** The other arguments as they were typed (`--zone` helps `<hostname>`). */
  given: Readonly<Record<string, string>>;
  /** Ask the platform again instead of using what was listed a moment ago: set when a confirmation is carried out. */
  fresh: boolean;
  configuredDatabase?: ConfiguredDatabase;
  now: Date;
  signal: AbortSignal;
}

export interface Option {
  /** What is shown, at most 75 characters. */
  label: string;
  /** What would be typed, at most 75 characters. */
  value: string;
  description?: string;
  /** What it names, so that only what the person may choose is shown. */
  names?: Readonly<Record<string, readonly string[]>>;
}

/** How a form asks for an argument. */
export type Field =
  | { type: 'text'; placeholder?: string; multiline?: boolean; maxLength?: number }
  | { type: 'number'; minimum?: number; maximum?: number }
  | { type: 'select'; options: readonly Option[] }
  | { type: 'suggest'; placeholder?: string }
  | { type: 'date' }
  | { type: 'channel' }
  | { type: 'checkbox'; label: string }
  | { type: 'file'; extensions?: readonly string[]; maxBytes: number };

/** What an argument names, for `where` in a policy: a hostname names its zone too. */
export interface NamesOfKind {
  /** Such as `hostname` and `zone`. */
  of: readonly string[];
  /** A value of the kind → by subject every name and id of the one thing that is meant; what is left out names nothing. */
  read(value: unknown): Readonly<Record<string, readonly string[]>>;
}

/**
 * One kind of argument: owns its parsing, its form field, its suggestions and its look-up by name or id.
 * The same text goes round: typed → `check` → `resolve` → value → `textOf` → stored with the confirmation → `resolve` again.
 */
export interface ArgumentKind<T> {
  label: string;
  /** One line for help and under the form's field. */
  hint?: string;
  /** `word` is positional, `rest` takes the rest of the line as it stands, `flag` is `--name value`, `switch` is `--name` alone. */
  shape: 'word' | 'rest' | 'flag' | 'switch';
  required: boolean;
  field: Field;
  /** Values to show in the usage line instead of the name: `on|off`. */
  usage?: string;
  /** Refuses, with a UsageError, what can be seen to be wrong without asking anybody. Pure. */
  check(text: string, now: Date): void;
  /** Text that passed `check` (undefined: not given, only when not required) → value. Throws UsageError. */
  resolve(text: string | undefined, context: ResolveContext): Promise<T> | T;
  /** Value → the text that resolves to the very same thing: ids rather than names. Undefined: leave it out. */
  textOf(value: T): string | undefined;
  /** What the audit keeps of a text, where that is not all of it (a statement without its literals). Pure; never throws. */
  auditTextOf?(text: string): string;
  /** What a policy may say of it: its subjects, and for a value their names and ids. Without it: the argument's own text. */
  names?: NamesOfKind;
  suggest?(query: string, context: ResolveContext): Promise<Option[]>;
}

/** The values that the argument kinds resolve to. */
export type ValuesOf<A> = { [K in keyof A]: A[K] extends ArgumentKind<infer T> ? T : never };

/** A state as the platform's fields and values; `undefined` as a whole when it could not be read. */
export type State = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What a change would do: shown before asking, read again on confirmation. */
export interface Preview {
  /** Undefined: the platform does not show it (or refused); `unread` says why. */
  before?: State | undefined;
  after: State;
  unread?: string | undefined;
  warnings?: string[];
  /** More to see before deciding (a list of what goes with it, a TXT record): parts of a message. Not compared. */
  details?: Message;
}

/** What else is worth knowing before deciding. Takes longer than a preview, and is read only to be shown: never compared. */
export type Preflight = Pick<Preview, 'warnings' | 'details'>;

/** An entry of the audit, as `audit list` shows it. */
export interface AuditRecord {
  number: number;
  at: Date;
  actor: string;
  channel: string;
  operation: string;
  target: string;
  outcome: string;
  detail: string;
  rule?: string | undefined;
  preview?: { before?: Record<string, unknown> | undefined; after: Record<string, unknown> } | undefined;
  confirmation?: string | undefined;
  reference?: string | undefined;
  hash: string;
}

export interface AuditFilter {
  actor?: string | undefined;
  operation?: string | undefined;
  target?: string | undefined;
  /** Only what one of these commands has done, or may have. */
  changes?: readonly string[] | undefined;
  before?: number | undefined;
  limit: number;
}

/** The audit, to be read. */
export interface AuditView {
  list(filter: AuditFilter): Promise<AuditRecord[]>;
  /** The Slack user ids that stand in it. */
  actors(): Promise<string[]>;
  verify(): Promise<{
    entries: number;
    head?: string | undefined;
    problems: { number: number; what: 'changed' | 'missing' | 'cut off' }[];
  }>;
}

/** What Slack calls those whose ids are kept: for reading only, since names are not unique and change. */
export interface NamesView {
  person(id: string): Promise<{ name: string; handle?: string | undefined } | undefined>;
  channel(id: string): Promise<string>;
}

/** A change that waits for somebody else's approval. */
export interface WaitingApproval {
  operation: string;
  target: string;
  /** Slack user ids. */
  actor: string;
  approvedBy: readonly string[];
  /** In words: whose approval is needed. */
  needs: string;
  reason: string;
  askedAt: Date;
  until: Date;
}

/** What the policy says, for help, can-i and suggestions. */
export interface PolicyView {
  /**
   * Whether this person may run a command line here, with the rule that says so. Arguments may be missing: `tentative`
   * says that it depends on them. `hint` and `approval` have Slack's mentions in them. Throws UsageError.
   */
  check(line: string): Promise<{
    operation: string;
    allowed: boolean;
    rule: string;
    tentative: boolean;
    approval?: string | undefined;
    hint?: string | undefined;
  }>;
  /** The operations that this person may do here, in the registry's order. */
  permitted(): readonly AnyOperation[];
  /** Every operation, also what this person may not do. */
  all(): readonly AnyOperation[];
}

export interface HealthView {
  /** Each part of the bot with its state, for `status`; a moment is shown as its reader has the time. */
  read(): Promise<{ name: string; ok: boolean; detail: string | Date }[]>;
}

/** The operator's file with the database credentials (`TOKEN_ENV_FILE`). */
export interface EnvironmentFile {
  path: string;
  /**
   * Writes `PLATFORM_DATABASE_AUTH_TOKEN`, and `PLATFORM_DATABASE_URL` only if the file lacks it; mode 600. `isOtherUrl`: the
   * file has the address of another database, which stays there (spec part 3).
   */
  save(values: { token: string; url?: string }): Promise<{ wroteUrl: boolean; isOtherUrl: boolean }>;
}

/** A database given in the settings as URL and token. */
export interface ConfiguredDatabase {
  url: string;
  token: import('../platform/secret.ts').Secret;
}

/** What `preview` and `run` get. */
export interface Context extends Omit<ResolveContext, 'given' | 'fresh'> {
  actor: Actor;
  place: Place;
  /** Long work reports here; `total` unknown: undefined. Steps, where no unit is told. */
  progress(done: number, total?: number, unit?: 'bytes' | 'records'): void;
  audit: AuditView;
  approvals: { waiting(): Promise<WaitingApproval[]> };
  names: NamesView;
  policy: PolicyView;
  health: HealthView;
  /** Summarises a stream of log lines (v1 bytes) or records on a worker thread. */
  summariseLog(source: Readable, format: LogFormat): Promise<LogSummary>;
  /** Reads an OpenAPI document on a worker thread, within a time limit, and compares. Throws UsageError for what is none. */
  outlineDefinition(content: string, active?: readonly GuardianEndpoint[]): Promise<DefinitionOutline>;
  environmentFile?: EnvironmentFile;
  /** Set when the bot's own store is one of the platform's databases: its tokens are not revoked from here. */
  ownDatabaseHost?: string;
}

/** Everything that the bot can do is one of these. */
export interface Operation<A extends Record<string, ArgumentKind<unknown>>, R> {
  /** `<noun> <verb>` or one word, as typed after `/edge`; also the audit action and the policy name. */
  name: string;
  /** One line, capital first, no full stop. */
  summary: string;
  effect: Effect;
  /** In the order in which they are typed. */
  args: A;
  /** Command lines to copy, without `/edge`. */
  examples?: readonly string[];
  /** Names what will change (or is asked about). */
  target(args: ValuesOf<A>): string;
  preview?(args: ValuesOf<A>, context: Context): Promise<Preview> | Preview;
  /** Shown under the preview when somebody asks, and not read again on confirmation. What cannot be read, it says. */
  preflight?(args: ValuesOf<A>, context: Context): Promise<Preflight>;
  /** The effect; returns data. Cannot ask or reply. */
  run(args: ValuesOf<A>, context: Context): Promise<R>;
  render(result: R, args: ValuesOf<A>, reader: Reader): Message;
  /** Only for what makes secrets: the one view that shows them, once, to the person who asked. Undefined: none was made. */
  reveal?(result: R, args: ValuesOf<A>): Message | undefined;
  /** What to do when nobody can tell whether it took effect: shown with the outcome that is not known. */
  whenUnknown?(given: Readonly<Record<string, string>>): Message;
  /** The arguments of the same operation that put it back. */
  undo?(states: { before: State; after: State }, args: ValuesOf<A>): Record<string, string>;
  /** Name of the operation whose refusal offers this one as a button; it cannot be typed. */
  offeredBy?: string;
}

/** An operation whose types are not known: what the registry, the grammar and the runner hold. */
export type AnyOperation = Operation<Record<string, ArgumentKind<unknown>>, unknown>;

/** Identity: its use is that the types of `args` reach `run`, `preview` and `render`. */
export function defineOperation<A extends Record<string, ArgumentKind<unknown>>, R>(
  operation: Operation<A, R>,
): Operation<A, R> {
  return operation;
}
