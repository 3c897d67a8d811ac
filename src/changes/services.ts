import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { Catalogue } from '../operations/catalogue.ts';
import type { Actor, ConfiguredDatabase, Context, GivenFile, HealthView } from '../operations/context.ts';
import type { DefinitionOutline } from '../operations/guardian/outline.ts';
import type { NamesView } from '../operations/names.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { ReportsView } from '../operations/reports-view.ts';
import type { EnvironmentFile } from '../operations/token/environment-file.ts';
import type { Platform } from '../platform/client.ts';
import type { GuardianEndpoint } from '../platform/resources/shield-zones.ts';
import type { Policy } from '../policy/policy.ts';
import type { Store } from '../store/store.ts';
import { MINUTE } from '../time.ts';

/** The longest time of one operation, in milliseconds: long logs take it. */
export const TIME_LIMIT = 10 * MINUTE;

/** Long work says here how far it is. */
export type Progress = Context['progress'];

/** Everything that changes are made with. */
export interface ChangeServices {
  operations: readonly AnyOperation[];
  platform: Platform;
  catalogue: Catalogue;
  reports: ReportsView;
  store: Store;
  policy: Policy;
  /** Somebody as Slack has them at this moment: before a change is asked for, approved or made. Throws UsageError. */
  actorNow: (actor: Actor) => Promise<Actor>;
  health: HealthView;
  names: NamesView;
  log: Logger;
  now: () => Date;
  /** Fetches a file from Slack; refuses more than `maxBytes`. */
  file: (id: string, maxBytes: number) => Promise<GivenFile>;
  /** Summarises a log on a worker thread. */
  summariseLog: (
    source: Readable,
    format: LogFormat,
    options: { signal: AbortSignal; progress?: (bytes: number) => void },
  ) => Promise<LogSummary>;
  /** Reads an OpenAPI document on a worker thread. */
  outlineDefinition: (
    content: string,
    active: readonly GuardianEndpoint[] | undefined,
    signal: AbortSignal,
  ) => Promise<DefinitionOutline>;
  environmentFile?: EnvironmentFile | undefined;
  configuredDatabase?: ConfiguredDatabase | undefined;
  ownDatabaseHost?: string | undefined;
  /** Confirmations whose outcome this process has written to the audit, and of which nobody was notified yet. */
  unnotified: Set<string>;
}
