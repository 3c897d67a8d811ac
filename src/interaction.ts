import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** One thing that somebody does in Slack, from its payload to the last request that it causes. */
export interface Interaction {
  /** Eight hexadecimal characters: in each line of the log, in the audit, and the reference that people are shown. */
  readonly id: string;
  /** The kind of payload: `command`, `action`, `shortcut`, `view`, `closed`, `options`, `event` or `message`. */
  readonly kind: string;
  /** When it came, in milliseconds of `performance.now()`. */
  readonly since: number;
}

const current = new AsyncLocalStorage<Interaction | undefined>();

/** Does work as part of an interaction: everything that it begins knows of it, however long it takes. */
export const during = <T>(interaction: Interaction, work: () => T): T => current.run(interaction, work);

/** Does work that is for many, and so is part of no interaction, whoever was the first to need it. */
export const apart = <T>(work: () => T): T => current.run(undefined, work);

/** The interaction that this is part of. Undefined: nobody in Slack caused it. */
export const currentInteraction = (): Interaction | undefined => current.getStore();

/** A new interaction of a kind. */
export const beginInteraction = (kind: string): Interaction => ({ id: newReference(), kind, since: performance.now() });

/** A name that people and the log call a thing by: eight hexadecimal characters. */
export const newReference = (): string => randomBytes(4).toString('hex');
