import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { beginInteraction, during } from '../interaction.ts';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { Observe } from '../observe.ts';
import type { Actor, Context, GivenFile, Place, SeenPlace } from '../operations/context.ts';
import type { DefinitionOutline } from '../operations/guardian/outline.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Described, Policy } from '../policy/policy.ts';
import type { HoursReader } from '../reports/zone-hours.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';

/** Long work reports its progress here. */
export type Progress = Context['progress'];

/** What operations get unchanged. */
type ForOperations =
  | 'platform'
  | 'catalogue'
  | 'reports'
  | 'names'
  | 'health'
  | 'timeLine'
  | 'environmentFile'
  | 'configuredDatabase';

export interface Services extends Pick<Context, ForOperations> {
  operations: readonly AnyOperation[];
  store: Store;
  policy: Policy;
  /** The person as Slack describes them now. Asked before a change is previewed, approved or run. Throws UsageError. */
  actorNow: (actor: Actor) => Promise<Actor>;
  /** The person as Slack described them some minutes ago. Undefined: Slack does not say. Never throws. */
  described: Described<Actor>;
  /** A place, and whether people of other organisations are there. `fresh` asks Slack now. Never throws. */
  seePlace: (place: Place, options?: { fresh: boolean }) => Promise<SeenPlace>;
  /** Fetches a file that this person gave, or that is in this conversation. Any other file does not exist. */
  file: (id: string, maxBytes: number, by: { user: string; channel: string }) => Promise<GivenFile>;
  /** The hourly statistics of a zone. */
  hours: HoursReader;
  log: Logger;
  observe?: Observe | undefined;
  now: () => Date;
  /** On a worker thread. */
  summariseLog: (
    source: Readable,
    format: LogFormat,
    options: { signal: AbortSignal; progress?: (bytes: number) => void },
  ) => Promise<LogSummary>;
  /** On a worker thread. */
  outlineDefinition: (content: string, signal: AbortSignal) => Promise<DefinitionOutline>;
  /** Confirmations whose outcome this process has audited, but not told to anybody yet. */
  unnotified: Set<string>;
}

/** Goes on with a change inside the interaction that began it. */
export const inItsInteraction = <T>({ interaction }: Confirmation, work: () => Promise<T>): Promise<T> =>
  during(beginInteraction('recovery', interaction === undefined ? {} : { id: interaction }), work);
