import type { Names } from '../policy/names.ts';
import type { ResolveContext } from './context.ts';

/** What is given for arguments, as texts, by their keys. */
export type Given = Readonly<Record<string, string>>;

export interface Option {
  label: string;
  /** The text that would be typed. */
  value: string;
  description?: string;
  /** Other words for it, in plain words: `ban` for block. */
  also?: readonly string[];
  names?: Names;
}

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
  /** By subject: a policy's word as names are compared. Throws UsageError for what is no name. */
  of: Readonly<Record<string, (word: string) => string>>;
  /** By subject, the things that a value means; what is left out names nothing. */
  read(value: unknown): Names;
}

/** What an argument means to code that knows no operation by name: how many ms a change lasts, no typed name, who gets it. */
export type ArgumentRole = 'switch back after' | 'confirm without typing' | 'comes to';

/** What an argument can be filled from: a message handed to a form, or plain words. `lifetime`: a duration without minutes. */
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

/** The text goes round: typed → `check` → `resolve` → value → `textOf` → stored with the confirmation → `resolve` again. */
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
  /** Refuses what is wrong without asking anybody. Pure. Throws UsageError. */
  check(text: string, now: Date): void;
  /** Text that passed `check`; undefined: not given. Throws UsageError. */
  resolve(text: string | undefined, context: ResolveContext): Promise<T> | T;
  /** The text that resolves to the very same thing: ids rather than names. Undefined: leave it out. */
  textOf(value: T): string | undefined;
  /** What `textOf` would give of a text that passed `check`, where that needs no look-up. */
  normal?(text: string): string;
  /** What the audit keeps of it, such as a statement without its literals; without this, all. Never throws. */
  auditTextOf?(text: string): string;
  /** Without it, the policy goes by the argument's own text. */
  names?: NamesOfKind;
  suggest?(query: string, context: ResolveContext): Promise<Option[]>;
}

export type ValuesOf<A> = { [K in keyof A]: A[K] extends ArgumentKind<infer T> ? T : never };
