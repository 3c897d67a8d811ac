import { UsageError } from '../../errors.ts';
import { DAY, MINUTE, parseDuration } from '../../time.ts';
import type { ArgumentKind, NamesOfKind, Option } from '../operation.ts';

/** Argument kinds that need no look-up. */

/** Those that contain what was typed. */
export const containing = (query: string, options: readonly Option[]): Option[] =>
  options
    .filter(({ label, description }) =>
      `${label} ${description ?? ''}`.toLowerCase().includes(query.trim().toLowerCase()),
    )
    .slice(0, 100);

/** The usual shape. */
export const WORD = { shape: 'word', required: true } as const;

/** A word that `parse` understands by itself. */
export const parsed = <T>(parse: (typed: string, now: Date) => T, textOf: (value: T) => string | undefined) => ({
  ...WORD,
  check: (typed: string, now: Date) => void parse(typed, now),
  resolve: (typed = '', { now }: { now: Date }) => parse(typed, now),
  textOf,
});

export function text(
  label: string,
  options: {
    hint?: string;
    placeholder?: string;
    maxLength?: number;
    multiline?: boolean;
    pattern?: RegExp;
    wrong?: string;
  } = {},
): ArgumentKind<string> {
  const { hint, placeholder, maxLength = 3000, multiline, pattern, wrong } = options;
  return {
    ...WORD,
    label,
    hint,
    field: { type: 'text', maxLength, placeholder, multiline },
    check(value) {
      if (value === '') throw new UsageError(`${label} is empty.`);
      if (value.length > maxLength) throw new UsageError(`${label} is too long: at most ${maxLength} characters.`);
      if (pattern !== undefined && !pattern.test(value))
        throw new UsageError(wrong ?? `${label} cannot be “${value}”.`);
    },
    resolve: (value) => value ?? '',
    textOf: (value) => value,
  };
}

/** The rest of the line as it is, with quotes and dashes. */
export function rest(label: string, options: { hint?: string; maxLength?: number } = {}): ArgumentKind<string> {
  return { ...text(label, { ...options, multiline: true }), shape: 'rest' };
}

/** `values` are what people type. Case does not count. */
export function choice<const V extends string>(
  label: string,
  values: readonly (V | (Omit<Option, 'label'> & { value: V; label?: string }))[],
  options: { hint?: string } = {},
): ArgumentKind<V> {
  const all: (Option & { value: V })[] = values.map((item) =>
    typeof item === 'string' ? { value: item, label: item } : { label: item.value, ...item },
  );
  const find = (typed: string) => all.find((item) => item.value.toLowerCase() === typed.trim().toLowerCase());
  return {
    ...WORD,
    label,
    ...options,
    field: { type: 'select', options: all },
    usage: all.map((item) => item.value).join('|'),
    check(typed) {
      if (find(typed) === undefined) {
        throw new UsageError(`${label} must be one of ${all.map((item) => item.value).join(', ')}, not “${typed}”.`);
      }
    },
    resolve: (typed) => find(typed ?? '')!.value,
    textOf: (value) => value,
  };
}

/** Both bounds included. */
export function number(
  label: string,
  bounds: { minimum: number; maximum: number; hint?: string; also?: readonly string[] },
): ArgumentKind<number> {
  const { minimum, maximum, hint, also } = bounds;
  return {
    ...WORD,
    label,
    hint,
    also,
    field: { type: 'number', minimum, maximum },
    check(typed) {
      const value = Number(typed);
      if (!/^[+-]?\d+$/.test(typed.trim())) throw new UsageError(`${label} must be a whole number, not “${typed}”.`);
      if (value < minimum || value > maximum) {
        throw new UsageError(`${label} must be between ${minimum} and ${maximum}, not ${typed.trim()}.`);
      }
    },
    resolve: (typed) => Number(typed),
    textOf: (value) => String(value),
    normal: (typed) => String(Number(typed)),
  };
}

/** `--name` alone. `--name false`, `no` and `off` also work. */
export function flag(label: string, options: { hint?: string; also?: readonly string[] } = {}): ArgumentKind<boolean> {
  return {
    label,
    ...options,
    shape: 'switch',
    required: false,
    field: { type: 'checkbox', label },
    check(typed) {
      if (!/^(true|false|yes|no|on|off)$/i.test(typed))
        throw new UsageError(`${label} must be on or off, not “${typed}”.`);
    },
    resolve: (typed) => typed !== undefined && /^(true|yes|on)$/i.test(typed),
    textOf: (value) => (value ? 'true' : undefined),
  };
}

const minutes = (length: number) => `${Math.round(length / MINUTE)}m`;

/** `30m`, `6h`, `1d`, `2w` → milliseconds. */
export function duration(label: string, options: { hint?: string } = {}): ArgumentKind<number> {
  return {
    ...WORD,
    label,
    ...options,
    usage: 'duration',
    field: { type: 'text', placeholder: '30m, 6h, 1d' },
    check(typed) {
      if (parseDuration(typed) === undefined)
        throw new UsageError(`“${typed}” is not a duration. Write one such as 30m, 2 hours or 1d.`);
    },
    resolve: (typed) => parseDuration(typed ?? '')!,
    textOf: minutes,
    normal: (typed) => minutes(parseDuration(typed)!),
  };
}

/** What plain words and messages know it by. */
type KnownBy = Pick<ArgumentKind<unknown>, 'fromMessage' | 'also'>;

export function optional<T>(kind: ArgumentKind<T>, knownBy: KnownBy = {}): ArgumentKind<T | undefined> {
  return {
    ...kind,
    ...knownBy,
    required: false,
    resolve: (typed, context) => (typed === undefined ? undefined : kind.resolve(typed, context)),
    textOf: (value) => (value === undefined ? undefined : kind.textOf(value)),
  };
}

export function flagged<T>(kind: ArgumentKind<T>, knownBy?: KnownBy): ArgumentKind<T | undefined> {
  return { ...optional(kind, knownBy), shape: 'flag' };
}

/** `--force` for destructive operations: the name of the target need not be typed. */
export function force(): ArgumentKind<boolean> {
  return {
    ...flag('Without typing the name', { hint: 'The button still has to be pressed' }),
    role: 'confirm without typing',
  };
}

/** `--for 30m` for changes that can be undone: the clock undoes them after that time. */
export function forAWhile(): ArgumentKind<number | undefined> {
  const kind = duration('For how long', { hint: 'Such as 30m or 2h; then it switches back' });
  return flagged({
    ...kind,
    role: 'switch back after',
    fromMessage: 'duration',
    check(typed, now) {
      kind.check(typed, now);
      const length = parseDuration(typed) ?? 0;
      if (length < MINUTE || length > 30 * DAY) throw new UsageError('It can switch back after 1m to 30d.');
    },
  });
}

/** The policy has a word for a value that is there, and one for a value that is not. */
export const oneOfTwo = (subject: string, ...words: [without: string, with_: string]): NamesOfKind => ({
  of: {
    [subject](word) {
      if (words.includes(word) || word.includes('*')) return word;
      throw new UsageError(`write ${words.join(' or ')}`);
    },
  },
  read: (value) => ({ [subject]: [[words[value === false ? 0 : 1]]] }),
});

/** `--watch` for changes of a zone that can be undone: undone if far more requests fail in the ten minutes after. */
export function watch(): ArgumentKind<boolean> {
  return {
    ...flag('Watch it', { hint: 'For ten minutes; undone if far more requests fail' }),
    role: 'take back if worse',
    everywhere: true,
    names: oneOfTwo('watch', 'no', 'yes'),
  };
}
