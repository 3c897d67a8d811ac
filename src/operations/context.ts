import type { Readable } from 'node:stream';
import type { Reading } from '../blocks/format.ts';
import type { Words } from '../blocks/mrkdwn.ts';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { Platform } from '../platform/client.ts';
import type { Names } from '../policy/names.ts';
import type { PolicyPlace } from '../policy/policy.ts';
import type { Secret } from '../secret.ts';
import type { AuditVerdict } from '../store/audit-chain.ts';
import type { AuditQuery, StoredAuditEntry } from '../store/audit-entry.ts';
import type { Catalogue } from './catalogue.ts';
import type { DefinitionOutline } from './guardian/outline.ts';
import type { NamesView } from './names.ts';
import type { PolicyView } from './policy-view.ts';
import type { ReportsView } from './reports-view.ts';
import type { EnvironmentFile } from './token/environment-file.ts';

/** The person who asks. `kind` is Slack's: a stranger belongs to another workspace, a guest is restricted in this one. */
export interface Actor {
  id: string;
  teamId: string;
  kind: 'member' | 'guest' | 'stranger';
  name?: string;
}

/** The channel (or direct message) in which it was asked, and the thread. */
export interface Place {
  channelId: string;
  threadTs?: string | undefined;
}

/** The same, and who is there as Slack says it. */
export interface SeenPlace extends Place, PolicyPlace {}

/** The language, the time zone and the moment in which a message is read. */
export interface Reader extends Reading {
  now: Date;
  /** Slack says none for them, or one that does not exist: `timezone` is UTC. */
  hasNoTimezone?: boolean;
}

/** A file that somebody gave: through a form's file input or in the thread. */
export interface GivenFile {
  id: string;
  name: string;
  size: number;
  content: Buffer;
  sha256: string;
}

/** A database given in the settings as URL and token. */
interface ConfiguredDatabase {
  url: string;
  token: Secret;
}

/** Everything that a look-up may use. */
export interface ResolveContext {
  actor: Actor;
  policy: PolicyView;
  reports: ReportsView;
  reader: Reader;
  platform: Platform;
  catalogue: Catalogue;
  /** Fetches a file from Slack; refuses more than `maxBytes`. */
  file(id: string, maxBytes: number): Promise<GivenFile>;
  /** All arguments as they were typed: some kinds look at another one. */
  given: Readonly<Record<string, string>>;
  /** Asks the platform again instead of using what was listed a moment ago: set when a confirmation is carried out. */
  fresh: boolean;
  /** The person may run the operation on a thing with these names here: hints and near misses name no other. */
  may(names: Names): boolean;
  configuredDatabase?: ConfiguredDatabase | undefined;
  now: Date;
  signal: AbortSignal;
}

/** A change that waits for somebody else's approval. */
export interface WaitingApproval {
  /** The confirmation. */
  id: string;
  /** The change in words. */
  title: Words;
  /** Slack user ids. */
  actor: string;
  approvedBy: readonly string[];
  /** In words: whose approval is needed. */
  needs: string;
  reason: string;
  askedAt: Date;
  until: Date;
}

/** A change of the reader's own that others were asked about: it can be run, or was not in time and can be asked for again. */
export interface OwnApproval {
  /** The confirmation. */
  id: string;
  /** The change in words. */
  title: Words;
  isRunnable: boolean;
  until: Date;
}

/** The audit, to be read. */
interface AuditView {
  list(query: AuditQuery): Promise<StoredAuditEntry[]>;
  /** The Slack user ids that stand in it. */
  actors(): Promise<string[]>;
  verify(head?: string): Promise<AuditVerdict>;
}

/** One part of the bot with its state; a moment is shown as its reader has the time. */
export interface PartState {
  name: string;
  ok: boolean;
  detail: string | Date;
  /** The last time that it was away, once that was over. */
  away?: { from: Date; until: Date } | undefined;
}

/** The state of the bot, for `status`. */
export interface HealthView {
  read(): Promise<PartState[]>;
}

/** Does something once for all that asks with the same context: preview and preflight share what they read. */
export function oncePerContext<A extends unknown[], R>(read: (context: Context, ...args: A) => R) {
  const known = new WeakMap<Context, R>();
  return (context: Context, ...args: A): R => {
    if (!known.has(context)) known.set(context, read(context, ...args));
    return known.get(context)!;
  };
}

/** Everything that `preview`, `preflight` and `run` may use. */
export interface Context extends Omit<ResolveContext, 'given' | 'fresh' | 'may'> {
  place: SeenPlace;
  /** Where others have to approve the change: whether they have. */
  approval?: 'pending' | 'given' | undefined;
  /** Long work reports here. `total` is undefined while it is unknown; without a unit, steps are counted. */
  progress(done: number, total?: number, unit?: 'bytes' | 'records'): void;
  audit: AuditView;
  approvals: { waiting(): Promise<WaitingApproval[]>; own(): Promise<OwnApproval[]> };
  names: NamesView;
  health: HealthView;
  /** Summarises a stream of log lines (v1 bytes) or records on a worker thread. */
  summariseLog(source: Readable, format: LogFormat): Promise<LogSummary>;
  /** Reads an OpenAPI document on a worker thread, within a time limit. Throws UsageError for what is none. */
  outlineDefinition(content: string): Promise<DefinitionOutline>;
  environmentFile?: EnvironmentFile | undefined;
}
