import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** One thing that somebody does in Slack, from its payload to the last request that it causes. */
export interface Interaction {
  /** Eight hexadecimal characters: in each line of the log, in the audit, and the reference that people are shown. */
  readonly id: string;
  /** The kind of payload: `command`, `action`, `shortcut`, `view`, `closed`, `options`, `event` or `message`. */
  kind: string;
  /** When it came, in milliseconds of `performance.now()`. */
  readonly since: number;
  /** Filled in on the way. */
  readonly known: Known;
  /** So many items of answers could not be read, and were left out. */
  leftOut?: number;
  /** Set once it is being written down. */
  kept?: Kept | undefined;
  /** A process that died, or was stopped, did not come to an end with it. */
  readonly isAgain?: boolean;
  /** The view that was opened for it. */
  view?: string | undefined;
}

/** The payload is in the store, until its work is over. */
interface Kept {
  /** False: it was delivered before. Rejects when the store does not say. */
  isFirst: Promise<boolean>;
  opened(view: string): void;
  done(): void;
}

/** The one line of an interaction says this. No values: they may be secret. */
export interface Known {
  /** Slack's ids. */
  actor?: string;
  channel?: string;
  /** The name of the operation that it came to. */
  command?: string;
  /** How it ended, in one of few words: `answered`, `asked`, `done`, `forbidden`, … */
  outcome?: string;
}

const current = new AsyncLocalStorage<Interaction | undefined>();

/** Does work as part of an interaction: everything that it begins knows of it, however long it takes. */
export const during = <T>(interaction: Interaction, work: () => T): T => current.run(interaction, work);

/** Does work that is for many, and so is part of no interaction, whoever was the first to need it. */
export const apart = <T>(work: () => T): T => current.run(undefined, work);

/** The interaction that this is part of. Undefined: nobody in Slack caused it. */
export const currentInteraction = (): Interaction | undefined => current.getStore();

/** Notes what became known of the interaction that this is part of; what is said last counts. */
export function noted(known: Known): void {
  Object.assign(current.getStore()?.known ?? {}, known);
}

/** Items of an answer could not be read, and are left out: whoever is shown the rest is told. */
export function leftOut(count: number): void {
  const interaction = current.getStore();
  if (interaction !== undefined) interaction.leftOut = (interaction.leftOut ?? 0) + count;
}

/** A view was opened for the interaction that this is part of: it is told there how it ends, by whichever process. */
export function opened(view: string): void {
  const interaction = current.getStore();
  if (interaction === undefined) return;
  interaction.view = view;
  interaction.kept?.opened(view);
}

/** A new interaction of a kind, or one that another process has begun: then its id is given. */
export const beginInteraction = (kind: string, given: Partial<Interaction> = {}): Interaction => ({
  ...{ id: newReference(), kind, since: performance.now(), known: {} },
  ...given,
});

/** A name that people and the log call a thing by: eight hexadecimal characters. */
export const newReference = (): string => randomBytes(4).toString('hex');
