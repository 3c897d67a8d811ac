import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** One payload of Slack, or one request of an agent, and all work that it causes. */
export interface Interaction {
  /** Eight hexadecimal characters. The log and the audit have it, and people see it as the reference. */
  readonly id: string;
  /** `command`, `action`, `shortcut`, `view`, `closed`, `options`, `event`, `message` or `agent`. */
  kind: string;
  /** When it came, by `performance.now()`. */
  readonly since: number;
  readonly known: Known;
  /** How many items of the platform’s answers could not be read. */
  leftOut?: number;
  /** Why something of the platform could not be read, if that may pass. */
  unread?: unknown;
  kept?: StoredPayload | undefined;
  /** Its sender has used up their allowance. */
  isTooMuch?: boolean;
  /** A dead process had begun it, and this one does it again. */
  readonly isAgain?: boolean;
  /** The view that was opened for it. */
  view?: string | undefined;
}

/** The stored payload, kept until its work is over. */
interface StoredPayload {
  /** False: Slack delivered it before. Rejects if the store does not say. */
  isFirst: Promise<boolean>;
  opened(view: string): void;
  done(): void;
}

/** What its log line says. No values, because they may be secret. */
export interface Known {
  /** Slack's ids. */
  actor?: string;
  channel?: string;
  command?: string;
  /** `answered`, `asked`, `done`, `forbidden`, … */
  outcome?: string;
}

const current = new AsyncLocalStorage<Interaction | undefined>();

/** Work started inside `work` belongs to the interaction. */
export const during = <T>(interaction: Interaction, work: () => T): T => current.run(interaction, work);

/** For work that serves many: it belongs to no interaction, whoever triggered it. */
export const apart = <T>(work: () => T): T => current.run(undefined, work);

/** Undefined: no payload of Slack caused this work. */
export const currentInteraction = (): Interaction | undefined => current.getStore();

/** An agent asks, in a person’s name. */
export const isByAgent = (): true | undefined => current.getStore()?.kind === 'agent' || undefined;

/** Later values replace earlier ones. */
export function noted(known: Known): void {
  Object.assign(current.getStore()?.known ?? {}, known);
}

/** Whoever reads the answer is told how many. */
export function leftOut(count: number): void {
  const interaction = current.getStore();
  if (interaction !== undefined) interaction.leftOut = (interaction.leftOut ?? 0) + count;
}

/** Only its message is passed on. */
export function unread(failure: unknown): void {
  const interaction = current.getStore();
  if (interaction !== undefined) interaction.unread = failure;
}

/** If this process dies, another one says in that view how it ended. */
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

/** The reference that people are shown and the log has. */
export const newReference = (): string => randomBytes(4).toString('hex');
