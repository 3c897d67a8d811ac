import { UsageError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { slash, toType } from '../own-name.ts';
import type { ListedArgument, ListedOperation } from './context.ts';
import type { AnyOperation, ArgumentKind, ArgumentRole, Given } from './operation.ts';

export interface Command {
  operation: AnyOperation;
  given: Given;
  missing: string[];
}

interface Token {
  text: string;
  quoted: boolean;
  start: number;
  /** Thrown if the token is read as a word. The rest of a line may have an open quote. */
  unclosed?: UsageError;
}

const QUOTES: Record<string, string> = { '"': '"', "'": "'", '`': '`', '“': '”', '„': '“', '‘': '’', '«': '»' };
/** Phones turn `"` into any of these, so each of them closes a curly quote. */
const CURLY_CLOSERS: Record<string, string> = { '“': '”“', '„': '“”', '‘': '’‘', '«': '»' };

/** Removes the slash command, and what formats, quotes or lists a line or its first words. */
function withoutMarks(line: string): string {
  const own = slash();
  const isOwn = (text: string) => /^\S*/.exec(text)?.[0].toLowerCase() === own;
  let rest = line;
  // Formatting nests.
  for (let depth = 0; depth < 4; depth += 1) {
    rest = rest.replace(/^(```|[`*_~"])([\s\S]+?)\1(?:[.,!?]+$|(?=[\s.,!?]|$))/, '$2').trim();
    const [listed = '', marks = ''] = /^(?:[>•-]|\d{1,2}\.)\s+([`*_~]*)/.exec(rest) ?? [];
    if (listed !== '' && isOwn(rest.slice(listed.length))) rest = marks + rest.slice(listed.length);
    if (isOwn(rest)) rest = rest.slice(own.length).trim();
  }
  return rest;
}

/** Removes code formatting. */
const withoutTicks = (text: string): string => /^(```|`)([^`]+)\1$/.exec(text)?.[2]?.trim() ?? text;

/** A quote delimits at the start of a word, after `--name=` and after another quote, so any text can be written. */
function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < line.length) {
    if (/\s/.test(line[at]!)) {
      at += 1;
      continue;
    }
    const token: Token = { text: '', quoted: QUOTES[line[at]!] !== undefined, start: at };
    // Phones turn two hyphens into a long dash.
    const valueAt = at + (/^(?:--|[—–])[a-z][a-z0-9-]*=/i.exec(line.slice(at))?.[0].length ?? 0);
    let closed: { at: number; opener: string } | undefined;
    while (at < line.length && !/\s/.test(line[at]!)) {
      const opener = line[at]!;
      const closers = CURLY_CLOSERS[opener] ?? QUOTES[opener];
      const delimits = at === token.start || at === valueAt || (closed?.at === at && closed.opener !== opener);
      if (closers === undefined || !delimits) {
        token.text += opener;
        at += 1;
        continue;
      }
      let end = at + 1;
      while (end < line.length && !closers.includes(line[end]!)) end += 1;
      if (end === line.length)
        token.unclosed = new UsageError(`The quote ${opener} at “${line.slice(at, at + 20)}” is not closed.`);
      token.text += line.slice(at + 1, end);
      at = end + 1;
      closed = { at, opener };
    }
    tokens.push(token);
  }
  return tokens;
}

/** The only word with this prefix, else the nearest word. */
export function meantBy(typed: string, words: readonly string[]): string | undefined {
  if (typed === '') return undefined;
  const prefixed = words.filter((word) => word.toLowerCase().startsWith(typed.toLowerCase()));
  if (prefixed.length === 1) return prefixed[0];
  return nearest(typed, words, ({ length }) => (length < 4 ? 1 : Math.max(2, Math.floor(length / 3))));
}

function operationOf(
  line: string,
  tokens: Token[],
  operations: readonly AnyOperation[],
): { operation: AnyOperation; used: number } {
  const words = tokens.slice(0, 2).map((token) => token.text.toLowerCase());
  for (const used of [2, 1]) {
    const name = words.slice(0, used).join(' ');
    const operation = operations.find((one) => one.name === name);
    if (operation !== undefined) return { operation, used };
  }
  const names = operations.map((operation) => operation.name);
  const [noun = '', verb = ''] = words;
  const verbs = names.filter((name) => name.startsWith(`${noun} `));
  const typed = verbs.length > 0 ? `${noun} ${verb}`.trim() : noun;
  const meant =
    verbs.length > 0
      ? meantBy(
          verb,
          verbs.map((name) => name.slice(noun.length + 1)),
        )
      : (meantBy(words.join(' '), names) ?? meantBy(noun, [...new Set(names.map((name) => name.split(' ')[0]!))]));
  // *Revert* is not a mistyped *report*, but *unblock* is about *block*, and *download* is of *log download*.
  const isOther =
    verbs.length === 0 &&
    !meant?.split(' ').some((word) => noun.includes(word)) &&
    operations.some(({ synonyms }) => synonyms?.verbs?.split(', ').includes(noun));
  const suggestion = meant === undefined || isOther ? undefined : verbs.length > 0 ? `${noun} ${meant}` : meant;
  const behind = tokens[suggestion?.includes(' ') ? 2 : 1];
  // A guessed noun with other words after it is not a command.
  const isGuess = suggestion === undefined || (behind !== undefined && !suggestion.includes(' '));
  throw new UsageError(`There is no command “${typed}”.`, {
    instead: isGuess ? [] : [`${suggestion} ${behind === undefined ? '' : line.slice(behind.start)}`.trim()],
    hint:
      suggestion !== undefined
        ? `Did you mean ${toType(suggestion)}? ${toType('help')} shows what there is.`
        : verbs.length > 0
          ? `Commands with ${noun}: ${verbs.map((name) => `${toType(name)}`).join(', ')}.`
          : `${toType('help')} shows what there is.`,
  });
}

/** `nounAlone`: the line was only a noun. Throws UsageError with the nearest command. */
export function readCommand(
  typed: string,
  operations: readonly AnyOperation[],
): { operation: AnyOperation; given: Given; nounAlone?: string } {
  // Slack’s own limit is far lower.
  if (typed.length > 20_000) throw new UsageError('The line is too long: at most 20000 characters.');
  const line = withoutMarks(typed.trim());
  const tokens = tokensOf(line);
  const first = tokens[0]?.text.toLowerCase();
  const short = operations.find(({ alsoTyped }) => alsoTyped === 'as nothing or a noun');
  if (short !== undefined) {
    if (first === undefined) return { operation: short, given: {} };
    const [own, other] = operations.filter(({ name }) => name.startsWith(`${first} `));
    const isNoun = own !== undefined && !operations.some(({ name }) => name === first);
    // Its only command, which asks for nothing.
    const isAll = other === undefined && !Object.values(own?.args ?? {}).some(({ required }) => required);
    if (tokens.length === 1 && isNoun && isAll && own.effect === 'read') return { operation: own, given: {} };
    if (tokens.length === 1 && isNoun)
      return { operation: short, given: { [Object.keys(short.args)[0]!]: first }, nounAlone: first };
  }
  const { operation, used } = operationOf(line, tokens, operations);
  return { operation, given: argumentsOf(line, tokens.slice(used), operation) };
}

/** Throws UsageError with the argument’s key. */
export function checked(operation: AnyOperation, given: Given, now: Date): Command {
  for (const [key, kind] of Object.entries(operation.args)) {
    const typed = given[key];
    if (typed === undefined) continue;
    try {
      kind.check(typed, now);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { message, hint = helpOf(operation), instead } = error;
      throw new UsageError(message, { hint, argument: key, instead });
    }
  }
  const missing = Object.entries(operation.args)
    .filter(([key, kind]) => kind.required && given[key] === undefined)
    .map(([key]) => key);
  return { operation, given, missing };
}

/** The whole usage under an error would not be read. */
const helpOf = ({ name }: AnyOperation): string => `${toType(`help ${name}`)} shows how it is written, with examples.`;

function unknownFlag(operation: AnyOperation, name: string, line: string, start: number): UsageError {
  const said = `${operation.name} has no --${name}.`;
  const { why, own } = operation.without?.[name] ?? {};
  if (why !== undefined && own === undefined)
    return new UsageError(`${said.slice(0, -1)}: ${why}.`, { hint: helpOf(operation), argument: name });
  const meant = own === undefined ? meantBy(name, Object.keys(operation.args).map(flagNameOf)) : flagNameOf(own);
  if (meant === undefined) return new UsageError(said, { hint: helpOf(operation) });
  const instead = [line.slice(0, start) + line.slice(start).replace(/^(?:--|[—–])[a-z][a-z0-9-]*/i, `--${meant}`)];
  return new UsageError(`${said} Did you mean --${meant}?`, { hint: helpOf(operation), instead });
}

/** The next token, or the next few if they are one time in words, and how many they are. */
function valueAfter(tokens: readonly Token[], kind: ArgumentKind<unknown> | undefined) {
  const joined = (many: number): Pick<Token, 'text' | 'unclosed'> => ({
    text: tokens
      .slice(0, many)
      .map(({ text, quoted }) => (quoted ? '"' : text))
      .join(' '),
  });
  // People do not think of quotes: `2 hours`, `in 2 hours`, `30 min ago`, `tomorrow 2am`, `monday 02:00`, `2 am`.
  const isTime =
    /^(?:(?:in \d{1,5} ?|\d{1,5} )(?:m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?: ago)?|(?:today|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day) \d{1,2}(?::\d\d)?(?: ?[ap]m)?|\d{1,2}(?::\d\d)? [ap]m)$/i;
  const many = kind?.field.type === 'number' ? undefined : [3, 2].find((one) => isTime.test(joined(one).text));
  return many === undefined ? ([tokens[0], 1] as const) : ([joined(many), many] as const);
}

function argumentsOf(line: string, tokens: Token[], operation: AnyOperation): Given {
  const kinds = Object.entries(operation.args);
  const usage = helpOf(operation);
  const given: Record<string, string> = {};
  const set = (key: string, value: Pick<Token, 'text' | 'unclosed'> | undefined) => {
    if (value?.unclosed !== undefined) throw value.unclosed;
    const wrong = value === undefined ? 'needs a value' : given[key] === undefined ? undefined : 'is given twice';
    if (wrong !== undefined) throw new UsageError(`--${flagNameOf(key)} ${wrong}.`, { hint: usage, argument: key });
    given[key] = value!.text;
  };
  let flags = true;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    const mayBeFlag = flags && !token.quoted;
    if (mayBeFlag && token.text === '--') {
      flags = false;
      continue;
    }
    // Phones turn two hyphens into a long dash.
    const [, typed, inline] = (mayBeFlag && /^(?:--|[—–])([a-z][a-z0-9-]*)(?:=([\s\S]*))?$/i.exec(token.text)) || [];
    if (typed !== undefined) {
      const [key, kind] = kinds.find(([one]) => flagNameOf(one) === typed.toLowerCase()) ?? [];
      if (key === undefined) throw unknownFlag(operation, typed.toLowerCase(), line, token.start);
      if (inline !== undefined || kind?.shape === 'switch') set(key, { ...token, text: inline ?? 'true' });
      else {
        const [value, used] = valueAfter(tokens.slice(at + 1), kind);
        set(key, value);
        at += used;
      }
      continue;
    }
    const next = kinds.find(([key, kind]) => isPositional(kind) && given[key] === undefined);
    if (next === undefined) throw new UsageError(`“${token.text}” is one word too many.`, { hint: usage });
    if (next[1].shape === 'rest') {
      set(next[0], { text: withoutTicks(line.slice(token.start).trim()) });
      return given;
    }
    set(next[0], token);
  }
  return given;
}

/** The reverse of `readCommand`, for any texts. */
export function lineOf(operation: Pick<AnyOperation, 'name' | 'args'>, given: Given): string {
  const named: string[] = [];
  const placed: string[] = [];
  let isGap = false;
  for (const [key, kind] of Object.entries(operation.args)) {
    const text = given[key];
    const flag = `--${flagNameOf(key)}`;
    if (text === undefined) {
      // After a missing positional, the others are given by name.
      isGap ||= isPositional(kind);
    } else if (kind.shape === 'switch') named.push(text === 'true' ? flag : `${flag}=${quoted(text)}`);
    else if (!isPositional(kind) || isGap) named.push(`${flag} ${quoted(text)}`);
    else if (kind.shape !== 'rest') placed.push(quoted(text));
    else if (text === '' || text !== withoutTicks(text.trim())) named.push(`${flag} ${quoted(text)}`);
    // After `--` nothing is read as a flag.
    else placed.push(/^(--|[—–])/.test(text) ? `-- ${text}` : text);
  }
  return [operation.name, ...named, ...placed].join(' ');
}

/** `--from 2026-11-20 --hourly`: the values of these arguments, as they are typed. */
export function flagsOf(args: AnyOperation['args'], values: object): string {
  const texts = Object.entries(args).flatMap(([key, kind]) => {
    const text = kind.textOf(Reflect.get(values, key));
    return text === undefined ? [] : [[key, text]];
  });
  return lineOf({ name: '', args }, Object.fromEntries(texts)).trim();
}

/** In quotes that the text does not contain; in several kinds if it contains them all. */
export function quoted(text: string): string {
  if (text !== '' && !/[\s"'`“”„‘’«»]/.test(text) && !/^(--|[—–])/.test(text)) return text;
  const pieces: string[] = [];
  let rest = text;
  do {
    const [opener, closer, length] = ['"', "'", '`', '«', '“']
      .map((opens): [string, string, number] => {
        const closes = QUOTES[opens]!;
        const closers = CURLY_CLOSERS[opens] ?? closes;
        const end = [...closers].map((one) => rest.indexOf(one)).filter((index) => index !== -1);
        return [opens, closes, Math.min(rest.length, ...end)];
      })
      .reduce((best, one) => (one[2] > best[2] ? one : best));
    pieces.push(`${opener}${rest.slice(0, length)}${closer}`);
    rest = rest.slice(length);
  } while (rest !== '');
  return pieces.join('');
}

/** `perPage` → `per-page` */
export function flagNameOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const isPositional = ({ shape }: ListedArgument): boolean => shape === 'word' || shape === 'rest';

/** `hostname`, or `--zone` */
export const argumentName = (key: string, kind: ListedArgument): string =>
  isPositional(kind) ? flagNameOf(key) : `--${flagNameOf(key)}`;

/** `ssl force <hostname> <on|off> [--zone <zone>]` */
export function usageOf(operation: Pick<ListedOperation, 'name' | 'args'>): string {
  const own = Object.entries(operation.args).filter(([, { everywhere }]) => everywhere !== true);
  const parts = own.map(([key, kind]) => {
    const name = kind.usage ?? flagNameOf(key);
    if (isPositional(kind)) return kind.required ? `<${name}>` : `[${name}]`;
    const flag = kind.shape === 'switch' ? `--${flagNameOf(key)}` : `--${flagNameOf(key)} <${name}>`;
    return kind.required ? flag : `[${flag}]`;
  });
  return [operation.name, ...parts].join(' ');
}

/** Returns its key. */
export function argumentWith({ args }: Pick<AnyOperation, 'args'>, role: ArgumentRole): string | undefined {
  return Object.keys(args).find((key) => args[key]?.role === role);
}

export function givenAs<T>(
  operation: Pick<AnyOperation, 'args'>,
  role: ArgumentRole,
  given: Readonly<Record<string, T>>,
): T | undefined {
  const key = argumentWith(operation, role);
  return key === undefined ? undefined : given[key];
}
