import type { Message } from '../blocks/message.ts';
import { bold, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import type { Command, Effect } from '../policy/names.ts';
import type { ArgumentKind, Given, ValuesOf } from './argument.ts';
import type { Context, Reader } from './context.ts';

/** Grammar, help, form, permission, preview and audit read its fields. */
export interface Operation<A extends Record<string, ArgumentKind<unknown>>, R> {
  /** As typed after `/edge`; also its name in audit and policy. */
  name: string;
  summary: string;
  /** With commas: found by them, and understood in plain words. */
  synonyms?: { verbs?: string; nouns?: string };
  /** `write` and `destructive` show a preview and ask, `destructive` for the typed name too. */
  effect: Effect;
  args: A;
  /** Command lines to copy, without `/edge`. */
  examples?: readonly string[];
  /** Of its form; else the name with a capital. */
  title?: string;
  /** Members need no rule for it, anywhere. Without it, the policy decides. */
  permission?: Command['permission'];
  /** Too frequent to keep: no audit entry, no answer for *Share*. */
  audited?: 'never';
  /** Also what an empty line means, or a noun alone, which is then its first argument. */
  alsoTyped?: 'as nothing or a noun';
  /** On its button for those who do not know what to type: the first three that they may run are shown. */
  toTry?: string;
  /** Fewer cache hits after it are no news. */
  emptiesCache?: true;
  /** Its button is on that operation's refusal; it cannot be typed. */
  offeredBy?: string;
  /** Names what it is about. */
  target(args: ValuesOf<A>): string;
  /** What is typed to confirm it, where that is not the target. */
  typed?(args: ValuesOf<A>): string;
  /** Required of every change. */
  words?(change: StatedChange): ChangeWords;
  /** Required of every change. */
  preview?(args: ValuesOf<A>, context: Context): Promise<Preview> | Preview;
  /** Read when asked for under the preview, never compared. */
  preflight?(args: ValuesOf<A>, context: Context): Promise<Preflight>;
  /** The effect. Cannot ask or reply. */
  run(args: ValuesOf<A>, context: Context): Promise<R>;
  render(result: R, args: ValuesOf<A>, reader: Reader): Message;
  /** What *Share* shows, where not the whole; undefined: everybody has read it. */
  shareable?(result: R): Message | undefined;
  /** The one view that shows new secrets, once, to the person who asked. */
  reveal?(result: R, args: ValuesOf<A>): Message | undefined;
  /** Minutes after it was made: told in the thread of its message. */
  followUp?(args: ValuesOf<A>, context: Context, since: Date): Promise<Message>;
  /** The operation that completes it: the buttons of its message go when that is done on the same target. */
  completedBy?: string;
  /** Advice for an unknown outcome. */
  whenUnknown?(given: Given): Message;
  /** Arguments of the same operation that put it back. */
  undo?(states: { before: State; after: State }, args: ValuesOf<A>): Given;
}

export type State = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A change as it is kept. */
export interface StatedChange {
  target: string;
  given: Given;
  before?: State | undefined;
  after: State;
}

export interface ChangeWords {
  /** `Switch off` */
  button: string;
  /** `Switch force HTTPS *off* for …` */
  title: Words;
  /** Behind the one who did it: `switched force HTTPS *on → off* for …` */
  done: Words;
}

/** Where only the verb changes: `Delete`, `deleted`, `the application …`. */
export const wordsWith = (verb: string, past: string, rest: Words, button = verb): ChangeWords => ({
  button,
  title: mrkdwn`${verb} ${rest}`,
  done: mrkdwn`${past} ${rest}`,
});

/** `*on → off*`; without what it was, `*off*`. */
export const fromTo = (from: State[string], to: string): Words =>
  bold(from === undefined || from === null ? to : `${from} → ${to}`);

/** Shown before asking, read again on confirmation. */
export interface Preview {
  /** Undefined: not shown or refused, as `unread` says. */
  before?: State | undefined;
  after: State;
  unread?: string | undefined;
  warnings?: string[];
  /** It shows what only readers may see: whoever is shown it has an audit entry. */
  isRead?: boolean;
  /** Not compared. */
  details?: Message;
}

export const warningsOf = (...all: (string | false | undefined)[]): string[] =>
  all.filter((one) => typeof one === 'string');

/** Slower than a preview, and never compared. */
export type Preflight = Pick<Preview, 'warnings' | 'details'>;

/** For the registry, the grammar and `changes/`. */
export type AnyOperation = Operation<Record<string, ArgumentKind<unknown>>, unknown>;

/** Passes the types of `args` on to `run`, `preview` and `render`. */
export function defineOperation<A extends Record<string, ArgumentKind<unknown>>, R>(
  operation: Operation<A, R>,
): Operation<A, R> {
  return operation;
}
