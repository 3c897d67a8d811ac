import type { AnyOperation } from '../operation.ts';
import { type Filling, fill } from './fill.ts';
import { isNear, type Lexicon, lexiconOf, NEGATIONS, REFUSING, scoreOf, type Terms } from './lexicon.ts';
import { type Phrase, phraseOf, sequenceIn, type Things, type Word } from './phrase.ts';

/** An operation with the arguments that were found for it. */
export interface Filled {
  operation: AnyOperation;
  given: Record<string, string>;
}

/**
 * A request in plain words, understood; or else the operations that may have been meant, best first, and why none was:
 * the words that nothing explains, or the values of which the first takes one.
 */
export type Reading =
  | { understood: Filled }
  | { understood?: undefined; choices: Filled[]; unknown?: readonly string[]; tooMany?: Filling['tooMany'] };

/** Longer requests are read by nobody as one command. */
const MOST_TEXT = 2_000;

/**
 * The reading of a request for one of the operations that can be typed; `things` are those that the person may see. It is
 * understood where one operation explains every word, and nothing speaks against it. Linear in the text.
 */
export function readPlainWords(line: string, operations: readonly AnyOperation[], things: Things, now: Date): Reading {
  if (line.length > MOST_TEXT) return { choices: [] };
  const lexicon = lexiconOf(operations);
  const phrase = phraseOf(line, lexicon, things, now);
  const tried = operations
    .filter((operation) => operation.offeredBy === undefined && mayMean(operation, phrase))
    .map((operation) => attempt(operation, operations, phrase, lexicon, now))
    .filter(({ isSaid }) => isSaid)
    .sort((a, b) =>
      phrase.isHowTo
        ? b.weight - a.weight
        : Number(a.isAside) - Number(b.isAside) || a.unknown.length - b.unknown.length || b.fit - a.fit,
    );
  const [best, second] = tried;
  if (best === undefined) return { choices: [] };
  if (!phrase.isHowTo && best.isWhole && !isTie(best, second) && isMeant(best, phrase, lexicon))
    return { understood: { operation: best.operation, given: best.given } };
  const { unknown, tooMany } = best;
  const choices = phrase.isHowTo ? tried : [...withNearNames(best, phrase), ...tried.slice(1)];
  return {
    choices: choices.map(({ operation, given }) => ({ operation, given })),
    unknown: unknown.map(({ text }) => text),
    ...(tooMany === undefined ? {} : { tooMany }),
  };
}

/** An operation as what may have been meant. */
interface Attempt extends Filled {
  filling: Filling;
  /** How much its own words say, and with the arguments that were found. */
  weight: number;
  fit: number;
  /** The words that it does not explain. */
  unknown: Word[];
  tooMany: Filling['tooMany'];
  /** It changes something where a question was asked. */
  isAside: boolean;
  /** Some words of it are there. */
  isSaid: boolean;
  isWhole: boolean;
}

/** Of two that explain as much alike, the first that reads is meant where both are of one noun; else none. */
const isTie = (best: Attempt, second: Attempt | undefined): boolean =>
  second?.unknown.length === 0 &&
  second.fit === best.fit &&
  !(best.operation.effect === 'read' && nounOf(best.operation) === nounOf(second.operation));

const nounOf = ({ name }: AnyOperation): string => name.split(' ')[0]!;

/** A statement is for what takes one, a right for what is asked about rights, and a flag for what has it. */
function mayMean({ args }: AnyOperation, { sql, isPermission }: Phrase): boolean {
  const kinds = Object.values(args);
  const takesSql = kinds.some(({ fromMessage }) => fromMessage === 'SQL');
  const isAboutRights = kinds.some(({ fromMessage, required }) => fromMessage === 'command' && required);
  return (sql === undefined || takesSql) && isPermission === isAboutRights;
}

function attempt(
  operation: AnyOperation,
  all: readonly AnyOperation[],
  phrase: Phrase,
  lexicon: Lexicon,
  now: Date,
): Attempt {
  const { words, sql } = phrase;
  const { name, args, effect } = operation;
  const terms = lexicon.termsOf.get(name)!;
  const filling = fill(operation, phrase, now);
  const { given, used } = filling;
  fillCommand(operation, all, phrase, filling, lexicon);
  const own = ownWords(terms, phrase);
  const takesFile = Object.values(args).some(({ field }) => field.type === 'file');
  // *Which variables are defined*, *are bots blocked*: what another command of the noun does.
  const isOfNoun = ({ word, stem }: Word) =>
    /(?:ed|ing|s)$/.test(word) &&
    phrase.isReading &&
    effect === 'read' &&
    lexicon.ofNoun.get(nounOf(operation))!.has(stem);
  const isExplained = (word: Word, at: number) =>
    used.has(at) ||
    own.has(at) ||
    (takesFile && word.parts.file !== undefined) ||
    (!word.isThing && (word.isFiller || terms.others.has(word.stem) || isOfNoun(word)));
  const unknown = words.filter((word, at) => !isExplained(word, at));
  const missing = Object.entries(args).filter(
    ([key, { required, field }]) => required && field.type !== 'file' && given[key] === undefined,
  );
  const stems = words.flatMap(({ stem, isThing }, at) => (!isThing || own.has(at) ? [stem] : []));
  const weight = scoreOf(name, stems, lexicon);
  const isBare = isBareName(operation, phrase);
  return {
    operation,
    given,
    filling,
    weight,
    fit: weight + Object.keys(given).length - missing.length + Number(isBare),
    isAside: phrase.isReading && effect !== 'read',
    unknown,
    tooMany: filling.tooMany,
    isSaid: weight > 0 || own.size > 0 || isBare || filling.isTelling || sql !== undefined,
    isWhole: unknown.length === 0 && missing.length === 0 && filling.tooMany === undefined,
  };
}

/** Which words are its verb, its noun, or its synonyms of several words. */
function ownWords({ verbs, nouns, phrases }: Terms, { words }: Phrase): Set<number> {
  const single = words.flatMap(({ stem, isThing }, at) =>
    nouns.has(stem) || (verbs.has(stem) && !isThing) ? [at] : [],
  );
  return new Set([...single, ...phrases.flatMap((phrase) => sequenceIn(words, phrase) ?? [])]);
}

/** *Show me shop*: nothing but the name of such a thing is said. */
const isBareName = ({ name, effect }: AnyOperation, { words }: Phrase): boolean =>
  effect === 'read' &&
  words.filter(({ isFiller }) => !isFiller).length === 1 &&
  words.some(({ names }) => names.has(name.split(' ')[0]!));

/** Nothing speaks against it; a change is asked for by its verb or by what is chosen, and what it is done to is said. */
function isMeant({ operation, filling }: Attempt, phrase: Phrase, lexicon: Lexicon): boolean {
  const { words, sql, isReading } = phrase;
  const { name, effect } = operation;
  const isRead = effect === 'read';
  const against = isRead ? NEGATIONS : REFUSING;
  if (words.some(({ word }, at) => !filling.used.has(at) && against.has(word))) return false;
  // *Mute and unmute*.
  if (words.some(({ stem }) => stem.startsWith('un') && words.some((other) => other.stem === stem.slice(2))))
    return false;
  if (sql !== undefined) return true;
  const { verbs, nouns, phrases } = lexicon.termsOf.get(name)!;
  const hasPhrase = phrases.some((one) => sequenceIn(words, one) !== undefined);
  const saysNoun = words.some(
    ({ stem, names, isThing }) =>
      nouns.has(stem) ||
      names.has(name.split(' ')[0]!) ||
      (!isThing && verbs.has(stem) && lexicon.verbs.get(stem)!.size === 1),
  );
  const isNamed = saysNoun || hasPhrase || filling.isTelling;
  if (isRead) return isNamed;
  const saysVerb = words.some(({ stem, isThing }, at) => !isThing && verbs.has(stem) && !isTold(words, at));
  return !isReading && isNamed && (saysVerb || hasPhrase || filling.isChosen);
}

/** *maria purged shop* tells; *shop must be purged* asks. */
const isTold = (words: readonly Word[], at: number): boolean =>
  /[^e]ed$/.test(words[at]!.word) &&
  !words.slice(0, at).some(({ word }) => /^(be|get|want|need|needs|have|must|should|forced|to|longer)$/.test(word));

/**
 * The command that is asked about, where an operation takes one: any where it needs one; else the change whose verb is said, or a
 * command that is called by its whole name.
 */
function fillCommand(
  { args, permission }: AnyOperation,
  all: readonly AnyOperation[],
  { words }: Phrase,
  { given, used }: Filling,
  lexicon: Lexicon,
): void {
  const [key, kind] = Object.entries(args).find(([, { fromMessage }]) => fromMessage === 'command') ?? [];
  if (key === undefined || kind === undefined || given[key] !== undefined) return;
  const isFree = (_: Word, at: number) => !used.has(at);
  const stems = words.filter(({ isThing }) => !isThing).map(({ stem }) => stem);
  const about = all.flatMap((operation) => {
    const { name, effect } = operation;
    const { verbs, nouns } = lexicon.termsOf.get(name)!;
    const isNamed = name.includes(' ') && sequenceIn(words, name.split(' ')) !== undefined;
    const takesCommand = Object.values(operation.args).some(({ fromMessage }) => fromMessage === 'command');
    const saysVerb = stems.some((stem) => verbs.has(stem));
    const fits = kind.required ? saysVerb || stems.some((stem) => nouns.has(stem)) : effect !== 'read' && saysVerb;
    const isPossible = isNamed || (fits && !takesCommand && permission !== 'every member') || (kind.required && fits);
    return isPossible && !takesCommand ? [{ name, weight: scoreOf(name, stems, lexicon) + Number(isNamed) * 9 }] : [];
  });
  const [best] = about.sort((a, b) => b.weight - a.weight);
  if (best === undefined) return;
  const { verbs, nouns } = lexicon.termsOf.get(best.name)!;
  given[key] = best.name;
  for (const [at, word] of words.entries())
    if (isFree(word, at) && !word.isThing && (verbs.has(word.stem) || nouns.has(word.stem))) used.add(at);
}

/** The operation with each name that is near to a word that it does not explain, or has it as a part; else as it is. */
function withNearNames({ operation, given, unknown }: Attempt, { things }: Phrase): Filled[] {
  const near = Object.entries(operation.args).flatMap(([key, { names }]) => {
    const all = things[names?.of[0] ?? ''] ?? [];
    const isNearTo = (name: string, text: string) =>
      isNear(text, name) || (name.length > 2 && text.includes(name)) || (text.length > 2 && name.includes(text));
    const fits = (name: string) => unknown.some(({ text }) => isNearTo(name.toLowerCase(), text.toLowerCase()));
    return given[key] === undefined
      ? all.filter(fits).map((name) => ({ operation, given: { ...given, [key]: name } }))
      : [];
  });
  return near.length > 0 ? near : [{ operation, given }];
}
