import type { Readable } from 'node:stream';
import type { Message } from '../blocks/message.ts';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { Platform } from '../platform/client.ts';
import type { Secret } from '../platform/secret.ts';
import type { App, Database, EdgeScript, GuardianEndpoint, PullZone, ShieldZoneMapping } from '../platform/types.ts';
import type { Subscription, SubscriptionSettings } from '../store/subscriptions.ts';
import type { DefinitionOutline } from './guardian/outline.ts';
import type { AnyOperation } from './operation.ts';

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
  token: Secret;
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
