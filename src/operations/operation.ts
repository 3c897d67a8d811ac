import type { Message } from '../blocks/message.ts';
import type { ArgumentKind, ValuesOf } from './argument.ts';
import type { Context, Reader } from './context.ts';

/** What an operation does to the platform: nothing, something that can be taken back or repeated, something that cannot. */
export type Effect = 'read' | 'write' | 'destructive';

/** A state as the platform's fields and values; `undefined` as a whole when it could not be read. */
export type State = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What a change would do: shown before asking, read again on confirmation. */
export interface Preview {
  /** Undefined: the platform does not show it (or refused); `unread` says why. */
  before?: State | undefined;
  after: State;
  unread?: string | undefined;
  warnings?: string[];
  /** More to see before deciding (a list of what goes with it, a TXT record): parts of a message. Not compared. */
  details?: Message;
}

/** What else is worth knowing before deciding. Takes longer than a preview, and is read only to be shown: never compared. */
export type Preflight = Pick<Preview, 'warnings' | 'details'>;

/** Everything that the bot can do is one of these. */
export interface Operation<A extends Record<string, ArgumentKind<unknown>>, R> {
  /** `<noun> <verb>` or one word, as typed after `/edge`; also the audit action and the policy name. */
  name: string;
  /** One line, capital first, no full stop. */
  summary: string;
  effect: Effect;
  /** In the order in which they are typed. */
  args: A;
  /** Command lines to copy, without `/edge`. */
  examples?: readonly string[];
  /** Names what will change (or is asked about). */
  target(args: ValuesOf<A>): string;
  preview?(args: ValuesOf<A>, context: Context): Promise<Preview> | Preview;
  /** Shown under the preview when somebody asks, and not read again on confirmation. What cannot be read, it says. */
  preflight?(args: ValuesOf<A>, context: Context): Promise<Preflight>;
  /** The effect; returns data. Cannot ask or reply. */
  run(args: ValuesOf<A>, context: Context): Promise<R>;
  render(result: R, args: ValuesOf<A>, reader: Reader): Message;
  /** Only for what makes secrets: the one view that shows them, once, to the person who asked. Undefined: none was made. */
  reveal?(result: R, args: ValuesOf<A>): Message | undefined;
  /** What to do when nobody can tell whether it took effect: shown with the outcome that is not known. */
  whenUnknown?(given: Readonly<Record<string, string>>): Message;
  /** The arguments of the same operation that put it back. */
  undo?(states: { before: State; after: State }, args: ValuesOf<A>): Record<string, string>;
  /** Name of the operation whose refusal offers this one as a button; it cannot be typed. */
  offeredBy?: string;
}

/** An operation whose types are not known: what the registry, the grammar and the runner hold. */
export type AnyOperation = Operation<Record<string, ArgumentKind<unknown>>, unknown>;

/** Identity: its use is that the types of `args` reach `run`, `preview` and `render`. */
export function defineOperation<A extends Record<string, ArgumentKind<unknown>>, R>(
  operation: Operation<A, R>,
): Operation<A, R> {
  return operation;
}
