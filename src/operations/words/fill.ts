import { UsageError } from '../../errors.ts';
import type { ArgumentKind, MessagePart } from '../argument.ts';
import { flagNameOf } from '../grammar.ts';
import type { AnyOperation } from '../operation.ts';
import { choicesOf, cuesOf, isFiller, isNegation, stemOf, wordsIn } from './lexicon.ts';
import { type Phrase, sequenceIn, type Word } from './phrase.ts';

/** Another one of these is another request. */
const ONCE: ReadonlySet<MessagePart> = new Set(['host', 'thing']);

/** The arguments that were found, the words that they took, and whether one was chosen by its words. */
export interface Filling {
  given: Record<string, string>;
  used: Set<number>;
  said: boolean;
  parts: Set<MessagePart>;
}

/** Finds the arguments of an operation in the request. */
export function fill({ args, name, effect }: AnyOperation, phrase: Phrase, now: Date): Filling {
  const { words, sql, flags } = phrase;
  const filling: Filling = { given: {}, used: new Set(), said: false, parts: new Set() };
  const { given, used } = filling;
  const verb = stemOf(name.split(' ')[1] ?? '');
  const isRange = Object.values(args).some(({ fromMessage }) => fromMessage === 'until');
  for (const [key, kind] of Object.entries(args)) {
    const literal = flags.get(flagNameOf(key));
    const text = literal ?? (kind.fromMessage === 'SQL' ? sql : undefined);
    if (text !== undefined && takesText(kind, text, now)) given[key] = text;
    // Only the flag itself may leave a name untyped.
    else if (kind.role !== 'confirm without typing' && text === undefined) {
      const found =
        byName(key, kind, phrase, used, effect === 'read' ? undefined : name.split(' ')[0]) ??
        (kind.fromMessage !== undefined && ONCE.has(kind.fromMessage) && filling.parts.has(kind.fromMessage)
          ? undefined
          : byPart(kind, words, used, isRange, now)) ??
        byChoice(kind, words, used, verb) ??
        byCue(key, kind, words, used, now);
      if (found === undefined) continue;
      given[key] = found.text;
      for (const at of found.at) used.add(at);
      filling.said ||= found.isSaid === true;
      if (found.part !== undefined) filling.parts.add(found.part);
    }
  }
  // A number alone is for what needs one, an id among them.
  for (const [key, kind] of Object.entries(args)) {
    if (!kind.required || given[key] !== undefined || kind.field.type !== 'suggest') continue;
    const at = words.findIndex(({ parts }, index) => !used.has(index) && parts.number !== undefined);
    const number = words[at]?.parts.number;
    if (number === undefined || !takesText(kind, number, now)) continue;
    given[key] = number;
    used.add(at);
  }
  return filling;
}

interface Found {
  text: string;
  at: readonly number[];
  /** Words of the language chose it, rather than a name or a number. */
  isSaid?: boolean;
  /** The part of a text that it is. */
  part?: MessagePart;
}

const subjectsOf = (key: string, { names }: ArgumentKind<unknown>): readonly string[] => names?.of ?? [flagNameOf(key)];

/** A thing by its name; several where the argument takes several. */
function byName(
  key: string,
  kind: ArgumentKind<unknown>,
  { words, things }: Phrase,
  used: ReadonlySet<number>,
  ownNoun: string | undefined,
): Found | undefined {
  const [subject = ''] = subjectsOf(key, kind);
  const isSeveral = subject.endsWith('s');
  const called = words.flatMap(({ names }, at) =>
    !used.has(at) && names.includes(isSeveral ? subject.slice(0, -1) : subject) ? [at] : [],
  );
  const at = isSeveral ? called : called.slice(0, 1);
  if (at.length > 0) return { text: at.map((one) => words[one]!.text).join(','), at };
  // *The errors report*, *subscribe us to errors*: one word of its name does beside what it is, or where nothing else can be meant.
  const noun = words.findIndex(({ word }) => stemOf(word) === stemOf(subject));
  const isElsewhere = noun < 0 && ownNoun === subject;
  const besides = noun < 0 ? [] : [noun - 1, noun - 2, noun + 1, noun + 2];
  for (const beside of isElsewhere ? words.keys() : besides) {
    const { stem = '', isThing = true, word = '' } = words[beside] ?? {};
    const meant = (things[subject] ?? []).filter((name) => name.split('-').some((part) => part.startsWith(stem)));
    if (!isThing && !isFiller(word) && stem.length > 3 && meant.length === 1) return { text: meant[0]!, at: [beside] };
  }
  return undefined;
}

/** A part of the request by its form: an address, a day, a status. */
function byPart(
  kind: ArgumentKind<unknown>,
  words: readonly Word[],
  used: ReadonlySet<number>,
  isRange: boolean,
  now: Date,
): Found | undefined {
  const { fromMessage: part } = kind;
  if (part === undefined || part === 'command' || part === 'SQL') return undefined;
  if (part === 'schedule') return scheduleIn(kind, words, used, now);
  const fitting = words.flatMap(({ parts }, at) => {
    const text = parts[part];
    // One day is both ends of its range.
    const isFree = !used.has(at) || (part === 'until' && parts.day !== undefined);
    return text !== undefined && isFree && (isRange || part !== 'until') && takesText(kind, text, now)
      ? [{ text, at }]
      : [];
  });
  const together = fitting.map(({ text }) => text).join(',');
  if (fitting.length > 1 && part === 'status') return { text: together, at: fitting.map(({ at }) => at), part };
  const [first] = fitting;
  // `NAME=value` says what to do with it.
  return first && { text: first.text, at: [first.at], part, isSaid: part === 'value' };
}

/** Some words, at most eight, that the argument takes together: the most that it does. */
function scheduleIn(
  kind: ArgumentKind<unknown>,
  words: readonly Word[],
  used: ReadonlySet<number>,
  now: Date,
): Found | undefined {
  for (let length = Math.min(8, words.length); length > 0; length -= 1)
    for (let start = 0; start + length <= words.length; start += 1) {
      const at = Array.from({ length }, (_, index) => start + index);
      const text = at.map((one) => words[one]!.text).join(' ');
      if (at.every((one) => !used.has(one)) && takesText(kind, text, now)) return { text, at, isSaid: true };
    }
  return undefined;
}

/** A value that has its own words; the most words decide, and words that only name the command decide least. */
function byChoice(
  kind: ArgumentKind<unknown>,
  words: readonly Word[],
  used: ReadonlySet<number>,
  verb: string,
): Found | undefined {
  const fitting = choicesOf(kind).flatMap(([value, texts]) =>
    texts.flatMap((text) => {
      const at = sequenceIn(words, wordsIn(text), used);
      if (at === undefined || !at.every((one) => !words[one]!.isThing)) return [];
      const said = at.filter((one) => !isFiller(words[one]!.word)).length;
      const isSwitch = text === 'off' || (text === 'on' && isSwitchedOn(words, at[0]!));
      if (said === 0 && at.length === 1 && !(kind.required && isSwitch)) return [];
      const isVerb = at.length === 1 && words[at[0]!]!.stem === verb;
      return [{ value, at, weight: isVerb ? 0.5 : at.length }];
    }),
  );
  const [best, ...others] = fitting.sort((a, b) => b.weight - a.weight);
  if (best === undefined || others.some(({ value, weight }) => weight === best.weight && value !== best.value))
    return undefined;
  // All that was said of it is used.
  return {
    text: best.value,
    at: fitting.filter(({ value }) => value === best.value).flatMap(({ at }) => at),
    isSaid: true,
  };
}

/** *https on for shop* switches; *https on shop* does not. */
function isSwitchedOn(words: readonly Word[], at: number): boolean {
  const next = words[at + 1];
  return next === undefined || next.word === 'for' || next.parts.duration !== undefined;
}

/** A flag by its words; a number or a text beside its words. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: plain words are about to be written anew.
function byCue(
  key: string,
  kind: ArgumentKind<unknown>,
  words: readonly Word[],
  used: ReadonlySet<number>,
  now: Date,
): Found | undefined {
  const isSwitch = kind.shape === 'switch';
  const isNumber = kind.field.type === 'number';
  for (const cue of isSwitch || isNumber ? cuesOf(key, kind) : (kind.also ?? [])) {
    const at = sequenceIn(words, wordsIn(cue), isSwitch ? used : undefined);
    if (at === undefined || (isSwitch && at.every((one) => isFiller(words[one]!.word)))) continue;
    if (isSwitch && isNegation(words[at[0]! - 1]?.word)) continue;
    if (isSwitch) return { text: 'true', at, isSaid: true };
    for (const beside of [at.at(-1)! + 1, at[0]! - 1]) {
      const word = words[beside];
      if (word === undefined || used.has(beside) || isFiller(word.word)) continue;
      // *Grep shop for coupon*: a word that nothing else knows.
      if (!isNumber && isFiller(cue) && (word.isThing || word.isKnown === true)) continue;
      if ((isNumber || beside < at[0]!) && word.parts.number === undefined) continue;
      const text = isNumber ? word.parts.number! : word.text;
      if (takesText(kind, text, now)) return { text, at: [...at, beside] };
    }
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
