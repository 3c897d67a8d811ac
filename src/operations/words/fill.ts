import { UsageError } from '../../errors.ts';
import type { ArgumentKind, MessagePart } from '../argument.ts';
import { flagNameOf } from '../grammar.ts';
import type { AnyOperation } from '../operation.ts';
import { choicesOf, cuesOf, NEGATIONS, stemOf, wordsIn } from './lexicon.ts';
import { type Phrase, sequenceIn, type Word } from './phrase.ts';

/** The arguments that were found, and the words that they took. */
export interface Filling {
  given: Record<string, string>;
  used: Set<number>;
  /** Words of the language chose one, rather than a name or a number. */
  isChosen: boolean;
  /** A form that only some commands take says what is meant: an address, a status, a country. */
  isTelling: boolean;
  /** An argument that takes one value, and all that were said for it: two zones, *on and off*. */
  tooMany?: { label: string; values: readonly string[] };
}

/** Forms that say by themselves what is spoken of. */
const TELLING: ReadonlySet<MessagePart> = new Set([
  ...(['address', 'IP address', 'status', 'request id', 'cache status', 'agent', 'path', 'country'] as const),
  ...(['identifier', 'value'] as const),
]);

/** What some words say for an argument. */
interface Found {
  text: string;
  at: readonly number[];
  by: 'name' | 'form' | 'choice' | 'words';
}

/** Finds the arguments of an operation in the request: each by the first way that finds it, in the order in which they are typed. */
export function fill({ args, name, effect }: AnyOperation, phrase: Phrase, now: Date): Filling {
  const { words, sql } = phrase;
  const filling: Filling = { given: {}, used: new Set(), isChosen: false, isTelling: false };
  const { given, used } = filling;
  // *On cdn.example.com* is one thing, though two arguments take a host.
  const forms = new Set<MessagePart>();
  const others: { label: string; first: Found; all: readonly Found[] }[] = [];
  const take = (key: string, { label }: ArgumentKind<unknown>, all: readonly Found[]) => {
    const [first] = all;
    if (first === undefined) return;
    given[key] = first.text;
    for (const at of first.at) used.add(at);
    others.push({ label, first, all: all.filter(({ text }) => text !== first.text) });
  };
  const verb = stemOf(name.split(' ')[1] ?? '');
  const isRange = Object.values(args).some(({ fromMessage }) => fromMessage === 'until');
  for (const [key, kind] of Object.entries(args)) {
    const { fromMessage: part, role } = kind;
    // Only the flag itself leaves a name untyped.
    if (role === 'confirm without typing') continue;
    if (part === 'SQL') {
      if (sql !== undefined && takesText(kind, sql, now)) given[key] = sql;
      continue;
    }
    const ways: (() => Found[])[] = [
      () => [
        ...byName(key, kind, phrase, used),
        ...(part === undefined || forms.has(part) ? [] : byForm(kind, words, used, isRange, effect, now)),
      ],
      () => byChoice(kind, words, used, verb),
      () => byCue(key, kind, words, used, now),
    ];
    const all = ways.reduce<Found[]>((found, way) => (found.length > 0 ? found : way()), []);
    take(key, kind, all);
    filling.isChosen ||= all[0]?.by === 'choice' || (all.length > 0 && (part === 'value' || part === 'schedule'));
    if (all[0]?.by === 'form') forms.add(part!);
    filling.isTelling ||= all[0]?.by === 'form' && TELLING.has(part!);
  }
  // A number alone is for what needs one, an id among them.
  for (const [key, kind] of Object.entries(args)) {
    if (!kind.required || given[key] !== undefined || kind.field.type !== 'suggest') continue;
    const numbers = words.flatMap(({ parts: { number } }, at): Found[] =>
      number === undefined || used.has(at) || !takesText(kind, number, now)
        ? []
        : [{ text: number, at: [at], by: 'form' }],
    );
    take(key, kind, numbers);
  }
  // What another argument took is not one too many.
  for (const { label, first, all } of others) {
    const left = all.filter(({ at, by }) => by === 'choice' || !at.some((one) => used.has(one)));
    if (left.length > 0) filling.tooMany ??= { label, values: [...new Set([first, ...left].map(({ text }) => text))] };
  }
  return filling;
}

/** The kind of thing that an argument names: `zone`. */
const subjectOf = (key: string, { names }: Pick<ArgumentKind<unknown>, 'names'>): string =>
  names?.of[0] ?? flagNameOf(key);

/** Things by their names; several are one value where the argument takes several. */
function byName(
  key: string,
  kind: ArgumentKind<unknown>,
  { words, things }: Phrase,
  used: ReadonlySet<number>,
): Found[] {
  const subject = subjectOf(key, kind);
  const isSeveral = subject.endsWith('s');
  const found = words.flatMap(({ names }, at): Found[] => {
    const text = used.has(at)
      ? undefined
      : subject === 'report'
        ? reportCalled(words[at]!, things.report)
        : names.get(isSeveral ? subject.slice(0, -1) : subject);
    return text === undefined ? [] : [{ text, at: [at], by: 'name' }];
  });
  return isSeveral ? together(found) : found;
}

/** Reports are the bot's own, and go by one word of their names: *the errors report*. */
function reportCalled({ names, stem, isFiller }: Word, all: readonly string[] = []): string | undefined {
  const called = all.filter((name) => name.split('-').some((part) => part.startsWith(stem)));
  return names.get('report') ?? (called.length === 1 && stem.length > 3 && !isFiller ? called[0] : undefined);
}

const together = (found: readonly Found[]): Found[] =>
  found.length < 2
    ? [...found]
    : [{ ...found[0]!, text: found.map(({ text }) => text).join(','), at: found.flatMap(({ at }) => at) }];

/** Parts of the request by their form: an address, a day, a status. */
function byForm(
  kind: ArgumentKind<unknown>,
  words: readonly Word[],
  used: ReadonlySet<number>,
  isRange: boolean,
  effect: AnyOperation['effect'],
  now: Date,
): Found[] {
  const { fromMessage: part } = kind;
  if (part === undefined || part === 'command' || (part === 'until' && !isRange)) return [];
  if (part === 'schedule') return scheduleIn(kind, words, used, now);
  const found = words.flatMap(({ parts }, at): Found[] => {
    const text = parts[part];
    // A page was named: its whole host is not changed.
    if (part === 'host' && parts.path !== undefined && effect !== 'read') return [];
    // One day is both ends of its range.
    const isFree = !used.has(at) || (part === 'until' && parts.day !== undefined);
    return text !== undefined && isFree && takesText(kind, text, now) ? [{ text, at: [at], by: 'form' }] : [];
  });
  return part === 'status' || part === 'country' ? together(found) : found;
}

/** Some words, at most eight, that the argument takes together: the most that it does. */
function scheduleIn(
  kind: ArgumentKind<unknown>,
  words: readonly Word[],
  used: ReadonlySet<number>,
  now: Date,
): Found[] {
  for (let length = Math.min(8, words.length); length > 0; length -= 1)
    for (let start = 0; start + length <= words.length; start += 1) {
      const at = Array.from({ length }, (_, index) => start + index);
      const text = at.map((one) => words[one]!.text).join(' ');
      if (at.every((one) => !used.has(one)) && takesText(kind, text, now)) return [{ text, at, by: 'form' }];
    }
  return [];
}

/** The values that have words of their own in the request, the longest words first; each word says one. */
function byChoice(
  kind: ArgumentKind<unknown>,
  words: readonly Word[],
  used: ReadonlySet<number>,
  verb: string,
): Found[] {
  const ways = choicesOf(kind)
    .flatMap(([value, texts]) => texts.map((text) => ({ value, wanted: wordsIn(text) })))
    .sort(
      (a, b) => b.wanted.length - a.wanted.length || Number(isVerb(a.wanted, verb)) - Number(isVerb(b.wanted, verb)),
    );
  const taken = new Set(used);
  const found = new Map<string, Found>();
  for (const { value, wanted } of ways) {
    const at = sequenceIn(words, wanted, taken);
    if (at === undefined || at.some((one) => words[one]!.isThing)) continue;
    const isSwitch = kind.required && at.length === 1 && (value === 'off' || isSwitchedOn(words, at[0]!));
    if (at.every((one) => words[one]!.isFiller) && at.length === 1 && !isSwitch) continue;
    // *Force https off*: the command's own verb says least.
    if (isVerb(wanted, verb) && found.size > 0 && !found.has(value)) continue;
    for (const one of at) taken.add(one);
    const known = found.get(value);
    found.set(value, { text: value, at: [...(known?.at ?? []), ...at], by: 'choice' });
  }
  return [...found.values()];
}

const isVerb = (wanted: readonly string[], verb: string): boolean => wanted.length === 1 && stemOf(wanted[0]!) === verb;

/** *https on for shop* switches; *https on shop* does not. */
function isSwitchedOn(words: readonly Word[], at: number): boolean {
  const next = words[at + 1];
  return (
    words[at]!.word === 'on' &&
    (next === undefined || /^(?:for|and|or)$/.test(next.word) || next.parts.duration !== undefined)
  );
}

/** A flag by its words; a number or a text beside its words. */
function byCue(
  key: string,
  kind: ArgumentKind<unknown>,
  words: readonly Word[],
  used: ReadonlySet<number>,
  now: Date,
): Found[] {
  const isSwitch = kind.shape === 'switch';
  const isNumber = kind.field.type === 'number';
  for (const cue of isSwitch || isNumber ? cuesOf(key, kind) : (kind.also ?? [])) {
    const at = sequenceIn(words, wordsIn(cue), isSwitch ? used : undefined);
    if (at === undefined) continue;
    const found = isSwitch ? switchedAt(words, at) : besideAt(kind, words, at, used, now);
    if (found !== undefined) return [found];
  }
  return [];
}

const switchedAt = (words: readonly Word[], at: readonly number[]): Found | undefined =>
  at.every((one) => words[one]!.isFiller) || NEGATIONS.has(words[at[0]! - 1]?.word ?? '')
    ? undefined
    : { text: 'true', at, by: 'choice' };

/** The number on either side of some words, or what stands behind them: *grep shop for coupon* takes what nothing else knows. */
function besideAt(
  kind: ArgumentKind<unknown>,
  words: readonly Word[],
  at: readonly number[],
  used: ReadonlySet<number>,
  now: Date,
): Found | undefined {
  const isNumber = kind.field.type === 'number';
  const isWeak = at.every((one) => words[one]!.isFiller);
  for (const beside of isNumber ? [at.at(-1)! + 1, at[0]! - 1] : [at.at(-1)! + 1]) {
    const word = words[beside];
    if (word === undefined || used.has(beside) || word.isFiller) continue;
    const isUnknown = word.isThing && word.names.size === 0 && Object.keys(word.parts).length === 0;
    const text = isNumber ? word.parts.number : isWeak && !isUnknown ? undefined : word.text;
    if (text !== undefined && takesText(kind, text, now)) return { text, at: [...at, beside], by: 'words' };
  }
  return undefined;
}

/** True: the argument takes the text, as far as can be seen. */
function takesText(kind: ArgumentKind<unknown>, text: string, now: Date): boolean {
  try {
    kind.check(text, now);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}
