import { distance } from 'fastest-levenshtein';
import type { ArgumentKind } from '../argument.ts';
import { flagNameOf } from '../grammar.ts';
import type { AnyOperation } from '../operation.ts';
import { TIME_WORDS } from './times.ts';

/** Words that say nothing of what is meant; an operation may mean something by one all the same. */
const FILLERS = new Set(
  `a an the of for on in to at by from with and or is are be been being was were am do does did has have had having i me my mine we
  us our you your it its they them their that this these those there here please pls plz pliz thanks thank thx hi hello hey can
  could will would shall should may might must need needs want wants like just now right currently so some any all every each what
  which who whom when where why how much many get gets give gives make makes put let lets also too very really kindly quick quickly
  go ahead ok okay up out over about into than then if but via using use through as no not run new latest last first only show list
  display see look view tell check find set add lot more most whole entire time moment thing things stuff since until till between
  off asap via u ur r ya gonna gotta wanna lemme gimme got yo um uh team folks everyone again still yet actually ever come good know anything something exist
  existing available
  morning afternoon evening night everybody guys excuse sorry old back doing wise help
  possible seems seem bit kind sort please`.split(/\s+/),
);

/** Words by which nothing is asked for: it is not to be done, or only spoken of. */
export const REFUSING = new Set(
  `not dont never no nobody none neither nor already without think thinks thought guess heard says said say told tells asked wonder
  maybe perhaps might if unless wants wanted planning going cannot cant wont shouldnt wouldnt didnt doesnt isnt avoid instead except`.split(
    /\s+/,
  ),
);

const NEGATIONS = new Set(['not', 'dont', 'never', 'no', 'without', 'neither', 'nor', 'avoid', 'except', 'none']);

/** True: it denies what follows. */
export const isNegation = (word = ''): boolean => NEGATIONS.has(word);

/** The bare form of a word, so that *purging*, *purged* and *purges* are one. */
export function stemOf(word: string): string {
  const bare = word
    .replace(/['’]s$/, '')
    .replace(/(?<=..)ies$/, 'y')
    .replace(/(?<=...)(?:ing|ed)$/, '')
    .replace(/(?<=..[^s])s$/, '');
  return bare.replace(/(?<=..)e$/, '').replace(/(.)\1$/, '$1');
}

/** Text → words in lower case, without signs. */
export const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

const FILLER_STEMS = new Set([...FILLERS].map(stemOf).filter((stem) => stem.length > 2));

/** True: nothing is asked for, and nothing taken back: *thanks*, *please*. */
export const saysNothing = (text: string): boolean =>
  wordsIn(text).every((word) => isFiller(word) && !isNegation(word));

/** So much of a text is searched for, and so well an operation has to answer. */
const MOST_SEARCHED = 300;
const LEAST_SCORE = 0.4;

/** An operation's own words: by stem, how much each says, and whether it is of what is done or of what it is done to. */
export interface Terms {
  verbs: ReadonlySet<string>;
  nouns: ReadonlySet<string>;
  others: ReadonlySet<string>;
  /** The words of its arguments. */
  cues: ReadonlySet<string>;
  /** Synonyms of several words, of each. */
  verbPhrases: readonly (readonly string[])[];
  nounPhrases: readonly (readonly string[])[];
}

/** The words of all operations. */
export interface Lexicon {
  termsOf: ReadonlyMap<string, Terms>;
  /** How many operations, and how many nouns of them, know a stem. */
  verbs: ReadonlyMap<string, ReadonlySet<string>>;
  spread: ReadonlyMap<string, number>;
  /** The nouns whose operations are filled from a part of a text. */
  parts: ReadonlyMap<string, ReadonlySet<string>>;
  /** All whole words, for what is mistyped. */
  words: readonly string[];
}

/** The fields of an operation that its words are read from. */
type Worded = Pick<AnyOperation, 'name' | 'summary' | 'synonyms' | 'args'>;

/** The words that an argument goes by: its name, its label, and others. */
export const cuesOf = (key: string, { label, also = [] }: Pick<ArgumentKind<unknown>, 'label' | 'also'>): string[] => [
  flagNameOf(key).replaceAll('-', ' '),
  label,
  ...also,
];

/** The words of the values that an argument can be chosen from, by value. */
export const choicesOf = ({ field }: ArgumentKind<unknown>): [value: string, words: string[]][] =>
  field.type === 'select' ? field.options.map(({ value, also = [] }) => [value, [value, ...also]]) : [];

const split = (text = ''): string[] => text.split(',').map((part) => part.trim());

function termsOf({ name, summary, synonyms, args }: Worded): Terms {
  const [noun = '', verb = ''] = name.split(' ');
  const single = (texts: string[]) => texts.flatMap((text) => (text.includes(' ') ? [] : wordsIn(text).map(stemOf)));
  const verbs = [verb, ...split(synonyms?.verbs)];
  const nouns = [noun, ...split(synonyms?.nouns)];
  return {
    verbs: new Set(single(verbs)),
    nouns: new Set(single(nouns)),
    others: new Set(
      wordsIn(summary)
        .filter((word) => !FILLERS.has(word))
        .map(stemOf),
    ),
    cues: new Set(Object.entries(args).flatMap(([key, kind]) => cuesOf(key, kind).flatMap(wordsIn).map(stemOf))),
    verbPhrases: verbs.filter((text) => text.includes(' ')).map(wordsIn),
    nounPhrases: nouns.filter((text) => text.includes(' ')).map(wordsIn),
  };
}

const lexicons = new WeakMap<readonly Worded[], Lexicon>();

/** The words of these operations; read once. */
export function lexiconOf(operations: readonly Worded[]): Lexicon {
  const known = lexicons.get(operations);
  if (known !== undefined) return known;
  const terms = new Map(operations.map((operation) => [operation.name, termsOf(operation)]));
  const verbs = new Map<string, Set<string>>();
  const spread = new Map<string, number>();
  for (const [name, { verbs: own, nouns, others }] of terms) {
    for (const stem of own) verbs.set(stem, (verbs.get(stem) ?? new Set()).add(name.split(' ')[0]!));
    for (const stem of new Set([...own, ...nouns, ...others])) spread.set(stem, (spread.get(stem) ?? 0) + 1);
  }
  const texts = operations.flatMap(({ name, summary, synonyms, args }) => [
    ...[name, summary, synonyms?.verbs ?? '', synonyms?.nouns ?? ''],
    ...Object.entries(args).flatMap(([key, kind]) => [
      ...cuesOf(key, kind),
      ...choicesOf(kind).flatMap(([, all]) => all),
    ]),
  ]);
  const parts = new Map<string, Set<string>>();
  for (const { name, args } of operations)
    for (const { fromMessage } of Object.values(args))
      if (fromMessage !== undefined)
        parts.set(fromMessage, (parts.get(fromMessage) ?? new Set()).add(name.split(' ')[0]!));
  const own = texts.flatMap(wordsIn).filter((word) => word.length > 3);
  const forms = own.flatMap((word) => [`${word}s`, `${word.replace(/e$/, '')}ed`, `${word.replace(/e$/, '')}ing`]);
  const words = new Set([...texts.flatMap(wordsIn), ...forms, ...FILLERS, ...REFUSING, ...TIME_WORDS]);
  const lexicon = { termsOf: terms, verbs, spread, parts, words: [...words].filter((word) => word.length > 2) };
  lexicons.set(operations, lexicon);
  return lexicon;
}

/** True: the word says nothing of what is meant; nor does one that lost its last letter. */
export const isFiller = (word: string): boolean => FILLERS.has(word) || FILLER_STEMS.has(word);

/** True: somebody writes one for the other, by a letter, or two that changed places; by two in a long word. */
export function isNear(typed: string, word: string): boolean {
  if (typed.length < 4 || Math.abs(typed.length - word.length) > 2) return false;
  const steps = distance(typed, word);
  // Of four letters another one makes another word: *wise*, *wipe*.
  if (typed.length === 4 && word.length === 4 && steps === 1) return false;
  const isSwapped = steps === 2 && [...typed].sort().join('') === [...word].sort().join('');
  return steps <= (typed.length < 8 ? 1 : 2) || isSwapped;
}

/** *wich*: each letter is one of the word's, in its order. */
function isLeftOut(typed: string, word: string): boolean {
  let at = 0;
  for (const letter of word) if (letter === typed[at]) at += 1;
  return at === typed.length;
}

/** The word that was probably meant: itself where it is known, else the nearest. */
export function meantWord(typed: string, { words, spread }: Lexicon): string | undefined {
  if (words.includes(typed) || spread.has(stemOf(typed))) return typed;
  const near = words.filter((word) => isNear(typed, word)).map((word) => ({ word, steps: distance(typed, word) }));
  // A letter is left out more often than it is another one.
  const strangeness = (word: string) => Number(word[0] !== typed[0]) * 2 + Number(!isLeftOut(typed, word));
  return near.sort((a, b) => a.steps - b.steps || strangeness(a.word) - strangeness(b.word))[0]?.word;
}

/** How well the operation answers to these stems: the rarer a word of its own, the more it says. */
export function scoreOf(name: string, stems: readonly string[], { termsOf, spread }: Lexicon): number {
  const terms = termsOf.get(name);
  if (terms === undefined) return 0;
  const weightOf = (stem: string) =>
    (Number(terms.nouns.has(stem)) * 2 + Number(terms.verbs.has(stem)) * 2 || Number(terms.others.has(stem)) * 0.5) /
    Math.sqrt(spread.get(stem) ?? 1);
  const own = [...terms.verbPhrases, ...terms.nounPhrases].filter((phrase) =>
    ` ${stems.join(' ')} `.includes(` ${phrase.map(stemOf).join(' ')} `),
  );
  return stems.reduce((sum, stem) => sum + weightOf(stem), own.length * 2);
}

/** The operations that a text speaks of, best first; those that have none of its words are left out. */
export function searchOperations<T extends Worded>(text: string, operations: readonly T[]): T[] {
  const lexicon = lexiconOf(operations);
  const words = wordsIn(text.slice(0, MOST_SEARCHED));
  const stems = [...new Set(words.map((word) => stemOf(meantWord(word, lexicon) ?? word)))];
  return operations
    .map((operation) => ({ operation, score: scoreOf(operation.name, stems, lexicon) }))
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((a, b) => b.score - a.score)
    .map(({ operation }) => operation);
}
