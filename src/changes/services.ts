import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { beginInteraction, during } from '../interaction.ts';
import type { LogFormat, LogSummary } from '../logs/summary.ts';
import type { Observe } from '../observe.ts';
import type { Actor, Context, GivenFile, Place, SeenPlace } from '../operations/context.ts';
import type { DefinitionOutline } from '../operations/guardian/outline.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Described, Policy } from '../policy/policy.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Store } from '../store/store.ts';

/** Long work says here how far it is. */
export type Progress = Context['progress'];

/** The part of it that operations get as it is. */
type ForOperations =
  | 'platform'
  | 'catalogue'
  | 'reports'
  | 'names'
  | 'health'
  | 'environmentFile'
  | 'configuredDatabase';

export interface Services extends Pick<Context, ForOperations> {
  operations: readonly AnyOperation[];
  store: Store;
  policy: Policy;
  /** Somebody as Slack has them at this moment: before a change is asked for, approved or made. Throws UsageError. */
  actorNow: (actor: Actor) => Promise<Actor>;
  /** Somebody as Slack described them a few minutes ago; undefined: it does not say. Never throws. */
  described: Described<Actor>;
  /** A place, and whether people of other organisations are there: `fresh` asks Slack now. Never throws. */
  seePlace: (place: Place, options?: { fresh: boolean }) => Promise<SeenPlace>;
  /** Fetches a file that this person gave, or that stands in this conversation. Of any other one nothing is told. */
  file: (id: string, maxBytes: number, by: { user: string; channel: string }) => Promise<GivenFile>;
  log: Logger;
  /** Told what happens, for metrics. */
  observe?: Observe | undefined;
  now: () => Date;
  /** Summarises a log on a worker thread. */
  summariseLog: (
    source: Readable,
    format: LogFormat,
    options: { signal: AbortSignal; progress?: (bytes: number) => void },
  ) => Promise<LogSummary>;
  /** Reads an OpenAPI document on a worker thread. */
  outlineDefinition: (content: string, signal: AbortSignal) => Promise<DefinitionOutline>;
  /** Confirmations whose outcome this process has written to the audit, and of which nobody was notified yet. */
  unnotified: Set<string>;
}

/** Does what is left of a change as part of the interaction that began it. */
export const goingOn = <T>({ interaction }: Confirmation, work: () => Promise<T>): Promise<T> =>
  during(beginInteraction('recovery', interaction === undefined ? {} : { id: interaction }), work);
