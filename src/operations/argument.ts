import type { Names } from '../policy/names.ts';
import type { ResolveContext } from './context.ts';

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
export interface ArgumentKind<T> {
  label: string;
  /** One line for the help and under the field. */
  hint?: string | undefined;
  /** `word` is positional, `rest` takes the rest of the line as it is, `flag` is `--name value`, `switch` is `--name` alone. */
  shape: 'word' | 'rest' | 'flag' | 'switch';
  required: boolean;
  field: Field;
  /** Shown in the usage line instead of the name: `on|off`. */
  usage?: string;
  role?: ArgumentRole;
  /** operations/index.ts gives it to many operations: usage lines leave it out, and the policy has a name for it even if it is left out. */
  everywhere?: true;
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
  /** How previews, outcomes and the audit call it. */
  called?: (value: never) => string;
  suggest?(query: string, context: ResolveContext): Promise<Option[]>;
}

export type ValuesOf<A> = { [K in keyof A]: A[K] extends ArgumentKind<infer T> ? T : never };
