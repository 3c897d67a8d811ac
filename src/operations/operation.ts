import type { Message } from '../blocks/message.ts';
import { bold, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import type { Command, Effect } from '../policy/names.ts';
import type { ArgumentKind, ValuesOf } from './argument.ts';
import type { Context, Reader } from './context.ts';

/** Everything that the bot can do is one of these: grammar, help, form, permission, preview and audit read its fields. */
export interface Operation<A extends Record<string, ArgumentKind<unknown>>, R> {
  /** `<noun> <verb>` or one word, as typed after `/edge`; also the action in the audit and the name in a policy. */
  name: string;
  /** One line, capital first, no full stop. */
  summary: string;
  /** Other words for its verb and its noun, with commas: it is found by them, and understood in plain words. */
  synonyms?: { verbs?: string; nouns?: string };
  /** `read` answers at once; `write` and `destructive` show a preview and ask, `destructive` for the typed name too. */
  effect: Effect;
  /** In the order in which they are typed. */
  args: A;
  /** Command lines to copy, without `/edge`. */
  examples?: readonly string[];
  /** The title of its form, where that is not the name with a capital. */
  title?: string;
  /** Members need no rule of the policy for it, in any channel. Without it, the policy decides. */
  permission?: Command['permission'];
  /** Asked too often and saying too little: no entry in the audit, and no answer kept for *Share*. */
  audited?: 'never';
  /** An empty line means it too, and a noun alone means it with that noun as its first argument. */
  alsoTyped?: 'as nothing or a noun';
  /** The words on its button where somebody is greeted: the first three that they may run are shown. */
  toTry?: string;
  /** The operation whose refusal offers this one as a button; it cannot be typed. */
  offeredBy?: string;
  /** Names what will change, or is asked about. */
  target(args: ValuesOf<A>): string;
  /** What a person types to confirm it, where that is not the target as it is shown. */
  typed?(args: ValuesOf<A>): string;
  /** The words for a change, the same everywhere: every `write` and `destructive` has them. */
  words?(change: StatedChange): ChangeWords;
  /** The state before and after: every `write` and `destructive` has one. */
  preview?(args: ValuesOf<A>, context: Context): Promise<Preview> | Preview;
  /** Shown under the preview when somebody asks, and not read again on confirmation. It says what cannot be read. */
  preflight?(args: ValuesOf<A>, context: Context): Promise<Preflight>;
  /** The effect; returns what the platform answered. Cannot ask or reply. */
  run(args: ValuesOf<A>, context: Context): Promise<R>;
  /** The result as people read it. */
  render(result: R, args: ValuesOf<A>, reader: Reader): Message;
  /** The part of the answer that *Share* shows, where that is not the whole; undefined: everybody has read it. */
  shareable?(result: R): Message | undefined;
  /** For what makes secrets: the one view that shows them, once, to the person who asked. Undefined: none was made. */
  reveal?(result: R, args: ValuesOf<A>): Message | undefined;
  /** Looks at what is seen of it some minutes after it was made (`since`): told once, in the thread of its message. */
  followUp?(args: ValuesOf<A>, context: Context, since: Date): Promise<Message>;
  /** Advice when nobody can tell if it took effect: shown with the outcome that is not known. */
  whenUnknown?(given: Readonly<Record<string, string>>): Message;
  /** The arguments of the same operation that put it back. */
  undo?(states: { before: State; after: State }, args: ValuesOf<A>): Record<string, string>;
}

/** A state as the platform's fields and values. */
export type State = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A change as it is kept: its target, its arguments as texts, and the states of its preview. */
export interface StatedChange {
  target: string;
  given: Readonly<Record<string, string>>;
  before?: State | undefined;
  after: State;
}

/** A change in words. */
export interface ChangeWords {
  /** On the button that does it: `Switch off`. */
  button: string;
  /** Before it is done, target and direction named: `Switch force HTTPS *off* for …`. */
  title: Words;
  /** After it, behind the one who did it: `switched force HTTPS *on → off* for …`. */
  done: Words;
}

/** The words where only the verb is another one before and after: `Delete`, `deleted`, `the application …`. */
export const wordsWith = (verb: string, past: string, rest: Words, button = verb): ChangeWords => ({
  button,
  title: mrkdwn`${verb} ${rest}`,
  done: mrkdwn`${past} ${rest}`,
});

/** `*on → off*`; without what it was, `*off*`. */
export const fromTo = (from: State[string], to: string): Words =>
  bold(from === undefined || from === null ? to : `${from} → ${to}`);

/** A change, before it is made: shown before asking, read again on confirmation. */
export interface Preview {
  /** Undefined: the platform does not show it, or refused; `unread` says why. */
  before?: State | undefined;
  after: State;
  unread?: string | undefined;
  warnings?: string[];
  /** It shows what only those may see who may read it: whoever is shown it has an entry in the audit. */
  isRead?: boolean;
  /** More to see before deciding (a list of what goes with it, a TXT record): parts of a message. Not compared. */
  details?: Message;
}

/** More to know before deciding. Takes longer than a preview, and is read only to be shown: never compared. */
export type Preflight = Pick<Preview, 'warnings' | 'details'>;

/** An operation whose types are not known: what the registry, the grammar and `changes/` hold. */
export type AnyOperation = Operation<Record<string, ArgumentKind<unknown>>, unknown>;

/** Identity: its use is that the types of `args` reach `run`, `preview` and `render`. */
export function defineOperation<A extends Record<string, ArgumentKind<unknown>>, R>(
  operation: Operation<A, R>,
): Operation<A, R> {
  return operation;
}
