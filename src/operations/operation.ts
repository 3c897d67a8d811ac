import { type Message, message } from '../blocks/message.ts';
import { bold, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import type { AuditField } from '../platform/audit-diff.ts';
import type { EdgeScript } from '../platform/resources/edge-scripts.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import type { UserAuditEntry } from '../platform/resources/user-audit.ts';
import type { Command, Effect, Names } from '../policy/names.ts';
import type { Context, ListedArgument, Reader, ResolveContext } from './context.ts';

/** Arguments as texts, by key. */
export type Given = Readonly<Record<string, string>>;

export interface Option {
  label: string;
  /** The text that a person would type. */
  value: string;
  description?: string;
  /** Other words for it in plain words: `ban` for block. */
  also?: readonly string[];
  names?: Names;
}

type Field =
  | { type: 'text'; placeholder?: string | undefined; multiline?: boolean | undefined; maxLength?: number }
  | { type: 'number'; minimum?: number; maximum?: number }
  | { type: 'select'; options: readonly Option[] }
  | { type: 'suggest'; placeholder?: string; options?: readonly Option[] }
  | { type: 'date' }
  | { type: 'channel' }
  | { type: 'checkbox'; label: string }
  | { type: 'file'; extensions?: readonly string[]; maxBytes: number };

/** The things that an argument names for `where` in a policy. A hostname also names its zone. */
export interface NamesOfKind {
  /** By subject: normalises a policy’s word. Throws UsageError if it cannot be a name. */
  of: Readonly<Record<string, (word: string) => string>>;
  /** By subject: the things that a value means. A missing subject names nothing. */
  read(value: unknown): Names;
}

/** What an argument does, for code that must not ask for its key: when a change is done, how long it lasts, skips typing, where the result goes. */
export type ArgumentRole =
  | 'do it at'
  | 'switch back after'
  | 'take back if worse'
  | 'confirm without typing'
  | 'comes to';

/** What fills an argument from a message or from plain words. `lifetime`: a duration that cannot be in minutes. */
export type MessagePart =
  | 'host'
  | 'path'
  | 'address'
  | 'IP address'
  | 'status'
  | 'request id'
  | 'country'
  | 'cache status'
  | 'agent'
  | 'file'
  | 'day'
  | 'since'
  | 'until'
  | 'duration'
  | 'due'
  | 'lifetime'
  | 'schedule'
  | 'person'
  | 'channel'
  | 'thing'
  | 'number'
  | 'identifier'
  | 'value'
  | 'command'
  | 'SQL';

/** The life of a text: typed → `check` → `resolve` → value → `textOf` → stored with the confirmation → `resolve` again. */
export interface ArgumentKind<T> extends ListedArgument {
  field: Field;
  role?: ArgumentRole;
  /** Other words for it in plain words: `ro` for a flag, `user agent` before a text. */
  also?: readonly string[] | undefined;
  fromMessage?: MessagePart;
  /** Refuses texts that no look-up could make valid. Pure. Throws UsageError. */
  check(text: string, now: Date): void;
  /** Gets a text that passed `check`, or undefined if none was given. Throws UsageError. */
  resolve(text: string | undefined, context: ResolveContext): Promise<T> | T;
  /** The text that resolves to the same thing again: an id rather than a name. Undefined: leave the argument out. */
  textOf(value: T): string | undefined;
  /** What `textOf` would return for a checked text, if that needs no look-up. */
  normal?(text: string): string;
  /** The part that the audit keeps, such as a statement without literals. Without it the audit keeps all. Never throws. */
  auditTextOf?(text: string): string;
  /** Without it the policy compares the argument’s text. */
  names?: NamesOfKind;
  /** The value’s name in previews, outcomes and the audit. */
  called?: (value: never) => string;
  suggest?(query: string, context: ResolveContext): Promise<Option[]>;
}

export type ValuesOf<A> = { [K in keyof A]: A[K] extends ArgumentKind<infer T> ? T : never };

/** Grammar, help, form, permission, preview and audit read its fields. */
interface Definition<A extends Record<string, ArgumentKind<unknown>>, R> {
  /** What follows `/edge`. Also its name in the audit and the policy. */
  name: string;
  summary: string;
  /** Comma lists. The help and plain words find the operation by them. */
  synonyms?: { verbs?: string; nouns?: string };
  /** `write` and `destructive` show a preview and ask. `destructive` also asks for the typed name. */
  effect: Effect;
  args: A;
  /** Command lines to copy, without `/edge`. */
  examples?: readonly string[];
  /** The title of its form, if not the name with a capital. */
  title?: string;
  /** Whether every member may run it anywhere. Without it the policy decides. */
  permission?: Command['permission'];
  /** Too frequent: it has no audit entry, and its answer cannot be shared. */
  audited?: 'never';
  /** An empty line means this operation. So does a noun alone, which is then its first argument. */
  alsoTyped?: 'as nothing or a noun';
  /** The label of its button for people who do not know what to type. They see the first three that they may run. */
  toTry?: string;
  /** Fewer cache hits after it are expected. */
  emptiesCache?: true;
  /** It keeps some visitors out, so the ten minutes after it are judged by the others. */
  keepsOut?: true;
  /** Why it lacks a flag that other changes have. `own`: its argument that does the same. */
  without?: Readonly<Record<string, { why: string; own?: string | undefined } | undefined>>;
  /** It reads with a new token, which the platform’s audit has. */
  makesToken?: true;
  /** The name of what it reads or changes, if not that of its first argument with a name. */
  target?(args: ValuesOf<A>): string;
  /** What has to be typed to confirm it, if not the target. */
  typed?(args: ValuesOf<A>): string;
  /** Required of every change. */
  words?(change: StatedChange): ChangeWords;
  /** Required of every change. */
  preview?(args: ValuesOf<A>, context: Context): Promise<Preview> | Preview;
  /** Read for the question, never compared. */
  preflight?(args: ValuesOf<A>, context: Context): Promise<Preflight>;
  /**
   * Changes with the same text take turns, in all replicas: each reads, edits and writes what the platform does not
   * compare.
   */
  turn?(args: ValuesOf<A>): string;
  /** Does it. Cannot ask or reply. */
  run(args: ValuesOf<A>, context: Context): Promise<R>;
  /** Without it nothing is said beside `words`. */
  render?(result: R, args: ValuesOf<A>, reader: Reader): Message;
  /** The part that *Share* shows. Undefined: everybody has read it already. */
  shareable?(result: R): Message | undefined;
  /** The only view that shows new secrets, once, to the person who asked. */
  reveal?(result: R, args: ValuesOf<A>): Message | undefined;
  /** The operation that completes it. Doing that on the same target removes the buttons of its message. */
  completedBy?: string;
  /** Advice if the outcome is unknown. */
  whenUnknown?(given: Given): Message;
  /** An entry of the platform’s audit as a change by this command. Undefined: it is not one. */
  elsewhere?(logged: Logged): StatedChange | undefined;
  /** Arguments of the same operation that restore the state before. */
  undo?(states: { before: State; after: State }, args: ValuesOf<A>): Given;
}

export type Operation<A extends Record<string, ArgumentKind<unknown>>, R> = Definition<A, R> &
  Required<Pick<Definition<A, R>, 'target' | 'render'>>;

export type State = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A change as it is stored. */
export interface StatedChange {
  target: string;
  given: Given;
  before?: State | undefined;
  after: State;
}

/** A change that the platform’s audit has. */
export interface Logged {
  entry: UserAuditEntry;
  /** The zones that it changes. */
  zones: readonly PullZone[];
  script?: EdgeScript | undefined;
  shieldZoneId?: number | undefined;
  /** The first field with such a name. */
  field(name: RegExp): AuditField | undefined;
}

export interface ChangeWords {
  /** `Switch off` */
  button: string;
  /** `Switch force HTTPS *off* for …` */
  title: Words;
  /** Follows the name of whoever did it: `switched force HTTPS *on → off* for …` */
  done: Words;
}

/** For operations whose words differ only in the verb: `Delete`, `deleted`, `the application …`. */
export const wordsWith = (verb: string, past: string, rest: Words, button = verb): ChangeWords => ({
  button,
  title: mrkdwn`${verb} ${rest}`,
  done: mrkdwn`${past} ${rest}`,
});

/** `*on → off*`, or `*off*` if the state before is unknown. */
export const fromTo = (from: State[string], to: string): Words =>
  bold(from === undefined || from === null ? to : `${from} → ${to}`);

/** Shown before asking, and read again at the confirmation. */
export interface Preview {
  /** Undefined: the platform does not show it. `unread` says why. */
  before?: State | undefined;
  after: State;
  unread?: string | undefined;
  warnings?: string[];
  /** It shows what not everybody may read, so the audit records who saw it. */
  isRead?: boolean;
  /** The incident of its zone. */
  trouble?: Message;
  /** Why it would do harm now. */
  worsens?: string | undefined;
  /** Not compared at the confirmation. */
  details?: Message;
}

export const warningsOf = (...all: (string | false | undefined)[]): string[] =>
  all.filter((one) => typeof one === 'string');

/** For what is slower to read than a preview. Never compared. */
export type Preflight = Pick<Preview, 'warnings' | 'details' | 'worsens'>;

/** For the registry, the grammar and `changes/`. */
export type AnyOperation = Operation<Record<string, ArgumentKind<unknown>>, unknown>;

/** Infers the types of `args` for `run`, `preview` and `render`. */
export function defineOperation<A extends Record<string, ArgumentKind<unknown>>, R>(
  definition: Definition<A, R>,
): Operation<A, R> {
  const [key, named] = Object.entries(definition.args).find(([, { called }]) => called !== undefined) ?? [];
  if (definition.target === undefined && named === undefined)
    throw new Error(`${definition.name} has neither a target nor an argument that is called something.`);
  const target = (values: ValuesOf<A>) => named?.called?.(values[key as keyof A] as never) ?? definition.name;
  return { target, render: () => message(), ...definition };
}
