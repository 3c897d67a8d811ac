import type { Readable } from 'node:stream';
import type { Reading } from '../blocks/format.ts';
import type { Part } from '../blocks/message.ts';
import type { Words } from '../blocks/mrkdwn.ts';
import type { ReadTimeLine } from '../changed.ts';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { Platform } from '../platform/client.ts';
import type { Effect, Names } from '../policy/names.ts';
import type { PolicyPlace } from '../policy/policy.ts';
import type { Secret } from '../secret.ts';
import type { AgentTokens } from '../store/agent-tokens.ts';
import type { AuditVerdict } from '../store/audit-chain.ts';
import type { AuditQuery, StoredAuditEntry } from '../store/audit-entry.ts';
import type { Catalogue } from './catalogue.ts';
import type { DefinitionOutline } from './guardian/outline.ts';
import type { ReportsView } from './reports-view.ts';
import type { EnvironmentFile } from './token/environment-file.ts';

/** `stranger`: of another workspace. `guest`: restricted in this one. */
export interface Actor {
  id: string;
  teamId: string;
  kind: 'member' | 'guest' | 'stranger';
  name?: string;
}

/** The conversation of a command. */
export interface Place {
  channelId: string;
  threadTs?: string | undefined;
}

export interface SeenPlace extends Place, PolicyPlace {}

export interface Reader extends Reading {
  now: Date;
  /** Slack gives no valid time zone, so `timezone` is UTC. */
  hasNoTimezone?: boolean;
}

export interface GivenFile {
  id: string;
  name: string;
  size: number;
  content: Buffer;
  sha256: string;
}

export interface ResolveContext {
  actor: Actor;
  policy: PolicyView;
  reports: ReportsView;
  reader: Reader;
  platform: Platform;
  catalogue: Catalogue;
  /** Refuses files over `maxBytes`. */
  file(id: string, maxBytes: number): Promise<GivenFile>;
  /** As typed, for kinds that depend on another argument. */
  given: Readonly<Record<string, string>>;
  /** Asks the platform instead of the cache. Set for changes. */
  fresh: boolean;
  /** Whether the person may run the operation on a thing with these names. Hints contain no others. */
  may(names: Names): boolean;
  configuredDatabase?: { url: string; token: Secret } | undefined;
  now: Date;
  signal: AbortSignal;
}

export interface WaitingApproval {
  id: string;
  title: Words;
  /** Slack user ids. */
  actor: string;
  approvedBy: readonly string[];
  /** Whose approval it needs, in words. */
  needs: string;
  reason: string;
  askedAt: Date;
  until: Date;
}

interface AuditView {
  list(query: AuditQuery): Promise<StoredAuditEntry[]>;
  /** Slack user ids. */
  actors(): Promise<string[]>;
  verify(head?: string): Promise<AuditVerdict>;
}

/** A date in `detail` is shown in the reader’s time zone. */
export interface PartState {
  name: string;
  ok: boolean;
  detail: string | Date;
  /** Its last outage, once that is over. */
  away?: { from: Date; until: Date } | undefined;
}

export interface HealthView {
  read(): Promise<PartState[]>;
}

/** Reads once for each context, so preview and preflight share it. */
export function oncePerContext<A extends unknown[], R>(read: (context: Context, ...args: A) => R) {
  const known = new WeakMap<Context, R>();
  return (context: Context, ...args: A): R => {
    if (!known.has(context)) known.set(context, read(context, ...args));
    return known.get(context)!;
  };
}

/** What `preview`, `preflight` and `run` may use. */
export interface Context extends Omit<ResolveContext, 'given' | 'fresh' | 'may'> {
  place: SeenPlace;
  /** Whether required approvals were given. */
  approval?: 'pending' | 'given' | undefined;
  agentTokens: AgentTokens;
  /** Without `total` the end is unknown. Without `unit` it counts steps. */
  progress(done: number, total?: number, unit?: 'bytes' | 'records'): void;
  audit: AuditView;
  /** What changed between two moments, whoever did it. */
  timeLine: ReadTimeLine;
  /** What a change did, and the title of its undo while it can be undone. */
  saidOf(entry: StoredAuditEntry): Promise<{ done?: Words | undefined; undo?: Words | undefined }>;
  approvals: {
    waiting(): Promise<WaitingApproval[]>;
    /** Of the reader: approved ones, and expired ones that can be asked for again. */
    own(): Promise<{ runnable: readonly Part[]; expired: readonly Part[] }>;
    /** Soonest first. */
    planned(): Promise<readonly Part[]>;
  };
  names: NamesView;
  health: HealthView;
  /** On a worker thread. */
  summariseLog(source: Readable, format: LogFormat): Promise<LogSummary>;
  /** On a worker thread, within a time limit. Throws UsageError. */
  outlineDefinition(content: string): Promise<DefinitionOutline>;
  environmentFile?: EnvironmentFile | undefined;
}

/** For display only, because names are not unique and may change. */
export interface NamesView {
  person(id: string): Promise<{ name: string; handle?: string | undefined; ids?: readonly string[] } | undefined>;
  channel(id: string): Promise<string>;
}

/** Asks once for each id. Unknown ids stay as they are. */
export async function peopleCalled(ids: readonly string[], names: NamesView): Promise<Map<string, string>> {
  const distinct = [...new Set(ids)];
  const found = await Promise.all(distinct.map(async (id) => [id, (await names.person(id))?.name ?? id] as const));
  const times = (name: string) => found.filter(([, other]) => other === name).length;
  // If two people have the same name, their ids follow.
  return new Map(found.map(([id, name]) => [id, times(name) > 1 ? `${name} (${id})` : name]));
}

/** What the help says of an operation. */
export interface ListedOperation {
  name: string;
  summary: string;
  effect: Effect;
  args: Readonly<Record<string, ListedArgument>>;
  examples?: readonly string[];
}

export interface ListedArgument {
  label: string;
  /** One line for the help and under the field. */
  hint?: string | undefined;
  /** `word` is positional, `rest` takes the rest of the line as it is, `flag` is `--name value`, `switch` is `--name` alone. */
  shape: 'word' | 'rest' | 'flag' | 'switch';
  required: boolean;
  /** Shown in the usage line instead of the name: `on|off`. */
  usage?: string;
  /** operations/index.ts gives it to many operations: usage lines leave it out, and the policy has a name for it even if it is left out. */
  everywhere?: true;
}

interface PolicyCheck {
  operation: string;
  allowed: boolean;
  rule: string;
  /** True if the decision depends on arguments that the line lacks. */
  tentative: boolean;
  /** Contains mentions. */
  approval?: string | undefined;
  /** Contains mentions. */
  hint?: string | undefined;
}

export interface PolicyView {
  may(operation: string, names: Names): boolean;
  /** The line may lack arguments. Throws UsageError. */
  check(line: string): Promise<PolicyCheck>;
  /** Names of operations, best first, whether the person may run them or not. */
  search(text: string): string[];
  operations(): readonly (ListedOperation & { allowed: boolean })[];
}
