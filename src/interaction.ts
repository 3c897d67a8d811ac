import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** From its payload to the last request that it causes. */
export interface Interaction {
  /** Eight hexadecimal characters: in the log, in the audit, and shown as the reference. */
  readonly id: string;
  /** `command`, `action`, `shortcut`, `view`, `closed`, `options`, `event` or `message`. */
  kind: string;
  /** Of `performance.now()`. */
  readonly since: number;
  readonly known: Known;
  /** Items of answers that could not be read. */
  leftOut?: number;
  kept?: Kept | undefined;
  /** Another process did not end it. */
  readonly isAgain?: boolean;
  /** Opened for it. */
  view?: string | undefined;
}

/** The payload is in the store until its work is over. */
interface Kept {
  /** False: delivered before. Rejects when the store does not say. */
  isFirst: Promise<boolean>;
  opened(view: string): void;
  done(): void;
}

/** For its one line of the log. No values: they may be secret. */
export interface Known {
  /** Slack's ids. */
  actor?: string;
  channel?: string;
  command?: string;
  /** `answered`, `asked`, `done`, `forbidden`, … */
  outcome?: string;
}

const current = new AsyncLocalStorage<Interaction | undefined>();

/** Everything that the work begins belongs to the interaction. */
export const during = <T>(interaction: Interaction, work: () => T): T => current.run(interaction, work);

/** Work for many: part of no interaction, whoever needed it first. */
export const apart = <T>(work: () => T): T => current.run(undefined, work);

/** Undefined: nobody in Slack caused it. */
export const currentInteraction = (): Interaction | undefined => current.getStore();

/** The last value counts. */
export function noted(known: Known): void {
  Object.assign(current.getStore()?.known ?? {}, known);
}

/** Whoever is shown the rest is told. */
export function leftOut(count: number): void {
  const interaction = current.getStore();
  if (interaction !== undefined) interaction.leftOut = (interaction.leftOut ?? 0) + count;
}

/** Whichever process ends it says so in that view. */
export function opened(view: string): void {
  const interaction = current.getStore();
  if (interaction === undefined) return;
  interaction.view = view;
  interaction.kept?.opened(view);
}

export const beginInteraction = (kind: string, given: Partial<Interaction> = {}): Interaction => ({
  ...{ id: newReference(), kind, since: performance.now(), known: {} },
  ...given,
});

/** For people and the log. */
export const newReference = (): string => randomUUID().slice(0, 8);
