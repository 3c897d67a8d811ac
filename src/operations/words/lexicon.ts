import { distance } from 'fastest-levenshtein';
import { mistakes } from '../../nearest.ts';
import { flagNameOf } from '../grammar.ts';
import type { AnyOperation, ArgumentKind } from '../operation.ts';
import { TIME_WORDS } from './times.ts';

/** Words that mean nothing, unless an operation has them. */
const FILLERS = new Set(
  `a an the of for on in to at by from with and or is are be been being was were am do does did has have had having i
  me my mine we us our you your it its they them their that this these those there please pls plz rn pliz thanks thank
  thx hi hello hey can could will would shall should may might must need needs want wants like just now right
  currently so some any all every each what which who whom when where why how much many get gets give gives make makes
  put let lets also too very really kindly quick quickly go ahead ok okay fine up out over about into than then if but
  via using use through as no not run latest last first only show list display see look view tell check find set add
  lot more most whole entire time moment thing things stuff since until till between off asap u ur r ya gonna gotta
  wanna lemme gimme got yo um uh team folks everyone again still yet actually ever come good know anything something
  exist existing available morning afternoon evening night everybody guys excuse sorry back doing wise help possible
  seems seem bit kind sort anybody somebody whats keep keeps necessary teh went goes sure uses recent recently lately
  enough anyone someone getting mate cheers ty perfect nice great cool awesome`.split(/\s+/),
);

/** With these, what is said is not what is wanted, unless an operation has them: *all but shop*, *cancel the purge*. */
export const NEGATIONS = new Set(
  `not no never none nobody nothing neither nor without avoid except instead but besides excluding apart other minus
  bar save dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt shouldnt couldnt mustnt neednt
  cannot cant cancel cancelled stop abort call hold undo revert planned scheduled`.split(/\s+/),
);

/** With these, a change is denied or only spoken of. */
export const REFUSING = new Set([
  ...NEGATIONS,
  ...`already think thinks thought guess heard says said say told tells asked wonder maybe perhaps might if unless wants wanted
  planning going`.split(/\s+/),
]);

/** *purging*, *purged*, *purges* → one. */
export function stemOf(word: string): string {
  const bare = word
    .replace(/['’]s$/, '')
    .replace(/(?<=..)ies$/, 'y')
    .replace(/(?<=...)(?:ing|ed)$/, '')
    .replace(/(?<=..[^s])s$/, '');
  return bare.replace(/(?<=..)e$/, '').replace(/(?<=..)(.)\1$/, '$1');
}

export const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

const FILLER_STEMS = new Set([...FILLERS].map(stemOf).filter((stem) => stem.length > 2));

/** As Slack writes them; hexadecimal digits may be of an address. */
export const EMOJI = /(?<!\w):(?:[+-]1|(?![\da-f]+:)[a-z][\w'+-]+):/gi;

export const THANKS = /\b(?:th(?:an|x)|ty\b|cheers|perfect|nice|great|cool|awesome)|^\W*(?:ok(?:ay)?\W*)?$/i;

/** *thanks*, *please* */
export const saysNothing = (text: string): boolean =>
  wordsIn(text.replace(EMOJI, ' ')).every((word) => isFiller(word) && !NEGATIONS.has(word));

/** As stems; `phrases` are synonyms of several words. */
export interface Terms {
  verbs: ReadonlySet<string>;
  nouns: ReadonlySet<string>;
  /** The words of its summary and arguments. */
  others: ReadonlySet<string>;
  phrases: readonly (readonly string[])[];
}

export interface Lexicon {
  termsOf: ReadonlyMap<string, Terms>;
  phrases: ReadonlySet<string>;
  /** Known words, to find mistyped ones. */
  words: ReadonlySet<string>;
}

type Worded = Pick<AnyOperation, 'name' | 'summary' | 'synonyms' | 'args'>;

/** The texts that announce an argument. */
export const cuesOf = (key: string, { label, also = [] }: Pick<ArgumentKind<unknown>, 'label' | 'also'>): string[] => [
  flagNameOf(key).replaceAll('-', ' '),
  label,
  ...also,
];

export const choicesOf = ({ field }: ArgumentKind<unknown>): { value: string; texts: string[] }[] =>
  'options' in field ? (field.options ?? []).map(({ value, also = [] }) => ({ value, texts: [value, ...also] })) : [];

const stemsIn = (text: string): string[] => wordsIn(text).map(stemOf);

const lexicons = new WeakMap<readonly Worded[], Lexicon>();

/** Cached. */
export function lexiconOf(operations: readonly Worded[]): Lexicon {
  const known = lexicons.get(operations);
  if (known !== undefined) return known;
  const texts: string[] = [];
  const termsOf = new Map<string, Terms>();
  for (const { name, summary, synonyms, args } of operations) {
    const [noun = '', verb = ''] = name.split(' ');
    const verbs = [verb, ...(synonyms?.verbs?.split(', ') ?? [])];
    const nouns = [noun, ...(synonyms?.nouns?.split(', ') ?? [])];
    const cues = Object.entries(args).flatMap(([key, kind]) => cuesOf(key, kind));
    const choices = Object.values(args).flatMap((kind) => choicesOf(kind).flatMap((choice) => choice.texts));
    texts.push(name, summary, ...verbs, ...nouns, ...cues, ...choices);
    const isLong = (text: string) => text.includes(' ');
    const single = (all: string[]) => new Set(all.filter((text) => !isLong(text)).flatMap(stemsIn));
    termsOf.set(name, {
      verbs: single(verbs),
      nouns: single(nouns),
      others: new Set([summary, ...cues].flatMap(stemsIn)),
      phrases: [...verbs, ...nouns].filter(isLong).map(stemsIn),
    });
  }
  const own = texts.flatMap(wordsIn);
  const forms = own
    .filter((word) => word.length > 3)
    .flatMap((word) => ['s', 'ed', 'ing'].map((end) => `${end === 's' ? word : word.replace(/e$/, '')}${end}`));
  const words = new Set([...own, ...own.map(stemOf), ...forms, ...FILLERS, ...REFUSING, ...TIME_WORDS]);
  const lexicon = { termsOf, phrases: new Set(texts.map((text) => wordsIn(text).join(' '))), words };
  lexicons.set(operations, lexicon);
  return lexicon;
}

/** Also without its last letter. */
export const isFiller = (word: string): boolean => FILLERS.has(word) || FILLER_STEMS.has(word);

/** At most one mistake (two in a long word). */
export function isNear(typed: string, word: string): boolean {
  if (typed.length < 4 || Math.abs(typed.length - word.length) > 2) return false;
  // *wise*, *wipe*
  if (typed.length === 4 && word.length === 4 && distance(typed, word) === 1) return false;
  return mistakes(typed, word) <= (typed.length < 8 ? 1 : 2);
}

/** The word itself if it is known, otherwise the nearest one. */
export function meantWord(typed: string, { words }: Lexicon): string | undefined {
  if (words.has(typed) || words.has(stemOf(typed))) return typed;
  const steps = (word: string) => distance(typed, word) + Number(word[0] !== typed[0]);
  return [...words].filter((word) => word.length > 2 && isNear(typed, word)).sort((a, b) => steps(a) - steps(b))[0];
}

/** Name, noun and verbs count more than the summary. */
export function scoreOf(name: string, stems: readonly string[], { termsOf }: Lexicon): number {
  const { verbs, nouns, others, phrases } = termsOf.get(name)!;
  const called = name.split(' ').map(stemOf);
  const said = phrases.filter((phrase) => ` ${stems.join(' ')} `.includes(` ${phrase.join(' ')} `)).length;
  return [...new Set(stems)].reduce(
    (sum, stem) =>
      sum +
      (called.includes(stem)
        ? 2.5
        : nouns.has(stem) || verbs.has(stem)
          ? 2
          : others.has(stem) && !isFiller(stem)
            ? 0.5
            : 0),
    said * 2,
  );
}

/** Best first. */
export function searchOperations<T extends Worded>(text: string, operations: readonly T[]): T[] {
  const lexicon = lexiconOf(operations);
  const stems = wordsIn(text.slice(0, 300)).map((word) => stemOf(meantWord(word, lexicon) ?? word));
  return operations
    .map((operation) => ({ operation, score: scoreOf(operation.name, stems, lexicon) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ operation }) => operation);
}
