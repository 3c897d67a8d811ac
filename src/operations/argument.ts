import type { Names } from '../policy/names.ts';
import type { ResolveContext } from './context.ts';

/** One of the things that can be chosen. */
export interface Option {
  /** Shown, at most 75 characters. */
  label: string;
  /** The text that would be typed. */
  value: string;
  description?: string;
  /** Other words for it, in plain words: `ban` for block. */
  also?: readonly string[];
  /** The names that a policy knows it by, so that only what the person may choose is shown. */
  names?: Names;
}

/** How a form asks for an argument. */
type Field =
  | { type: 'text'; placeholder?: string | undefined; multiline?: boolean | undefined; maxLength?: number }
  | { type: 'number'; minimum?: number; maximum?: number }
  | { type: 'select'; options: readonly Option[] }
  | { type: 'suggest'; placeholder?: string }
  | { type: 'date' }
  | { type: 'channel' }
  | { type: 'checkbox'; label: string }
  | { type: 'file'; extensions?: readonly string[]; maxBytes: number };

/** The things that an argument names, for `where` in a policy: a hostname names its zone too. */
interface NamesOfKind {
  /** Such as `hostname` and `zone`. */
  of: readonly string[];
  /** A value of the kind → by subject the things that are meant; what is left out names nothing. */
  read(value: unknown): Names;
}

/**
 * The meaning of an argument to those who know no operation by its name. `put back after` says how many milliseconds a change
 * lasts; with `confirm without typing`, the target's name need not be typed; `comes to` is a channel that gets what is asked for.
 */
export type ArgumentRole = 'put back after' | 'confirm without typing' | 'comes to';

/**
 * The parts of a text that an argument can be filled from, where somebody hands a message to a form, or asks in plain words; a file
 * fills a field for files. `thing` is whatever has a name, `lifetime` a length of time without minutes.
 */
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

/**
 * One kind of argument: owns its parsing, its form field, its suggestions and its look-up by name or id.
 * The same text goes round: typed → `check` → `resolve` → value → `textOf` → stored with the confirmation → `resolve` again.
 */
export interface ArgumentKind<T> {
  label: string;
  /** One line for help and under the form's field. */
  hint?: string | undefined;
  /** `word` is positional, `rest` takes the rest of the line as it stands, `flag` is `--name value`, `switch` is `--name` alone. */
  shape: 'word' | 'rest' | 'flag' | 'switch';
  required: boolean;
  field: Field;
  /** Values to show in the usage line instead of the name: `on|off`. */
  usage?: string;
  role?: ArgumentRole;
  /** Other words for it, in plain words: `ro` for a flag, `user agent` before a text. */
  also?: readonly string[] | undefined;
  fromMessage?: MessagePart;
  /** Refuses, with a UsageError, what can be seen to be wrong without asking anybody. Pure. */
  check(text: string, now: Date): void;
  /** Text that passed `check` (undefined: not given, only when not required) → value. Throws UsageError. */
  resolve(text: string | undefined, context: ResolveContext): Promise<T> | T;
  /** Value → the text that resolves to the very same thing: ids rather than names. Undefined: leave it out. */
  textOf(value: T): string | undefined;
  /** The text that `textOf` gives of the value of another one, where that needs no look-up. Undefined: of none. */
  normal?(text: string): string | undefined;
  /** The part of a text that the audit keeps (a statement without its literals); all of it without this. Never throws. */
  auditTextOf?(text: string): string;
  /** Its subjects in a policy, and for a value their names and ids. Without it: the argument's own text. */
  names?: NamesOfKind;
  suggest?(query: string, context: ResolveContext): Promise<Option[]>;
}

/** The values that the argument kinds resolve to. */
export type ValuesOf<A> = { [K in keyof A]: A[K] extends ArgumentKind<infer T> ? T : never };
