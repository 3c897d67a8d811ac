import type { MessagePart } from '../argument.ts';
import { flagNameOf } from '../grammar.ts';
import type { AnyOperation } from '../operation.ts';
import { type Filling, fill } from './fill.ts';
import { isFiller, isNegation, type Lexicon, lexiconOf, REFUSING, scoreOf, stemOf } from './lexicon.ts';
import { type Phrase, phraseOf, sequenceIn, type Things, type Word } from './phrase.ts';

/** An operation with the arguments that were found for it. */
export interface Filled {
  operation: AnyOperation;
  given: Record<string, string>;
}

/** A request in plain words, understood; or else up to three operations that may have been meant, best first. */
export type Reading = { understood: Filled } | { understood?: undefined; choices: Filled[] };

/** Longer requests are read by nobody as one command. */
const MOST_TEXT = 2_000;
/** So many operations are offered at most. */
export const MOST_CHOICES = 3;

/** The reading of a request for one of the operations that can be typed; `things` are those that the person may see. Linear in the text. */
export function readPlainWords(line: string, operations: readonly AnyOperation[], things: Things, now: Date): Reading {
  if (line.length > MOST_TEXT) return { choices: [] };
  const lexicon = lexiconOf(operations);
  const phrase = phraseOf(line, lexicon, things, now);
  const typeable = operations.filter(({ offeredBy }) => offeredBy === undefined);
  const tried = typeable
    .map((operation) => attempt(operation, typeable, phrase, lexicon, now))
    .filter(({ score, terms }) => terms > 0 && (phrase.isHowTo || score > 0))
    .sort((a, b) => (phrase.isHowTo ? howToRank(b) - howToRank(a) : b.score - a.score));
  const asked = phrase.isHowTo ? undefined : chosen(tried);
  if (asked !== undefined) return { understood: { operation: asked.operation, given: asked.given } };
  return { choices: tried.slice(0, MOST_CHOICES).map(({ operation, given }) => ({ operation, given })) };
}

/** An operation as what may have been meant. */
interface Attempt extends Filled {
  score: number;
  /** The weight of its own words, without arguments. */
  terms: number;
  /** The part of the words that it explains. */
  share: number;
  saysVerb: boolean;
  isWhole: boolean;
  isCertain: boolean;
}

/** How something is done is asked by its verb. */
const howToRank = ({ terms, saysVerb }: Attempt): number => terms + (saysVerb ? VERB_WEIGHT : 0);
const VERB_WEIGHT = 3;

/** So much of what was said has to be explained, and so far is the second behind. */
const LEAST_SHARE = { read: 0.55, change: 0.7 };
const LEAST_LEAD = 0.2;

function chosen([best, ...others]: readonly Attempt[]): Attempt | undefined {
  if (best === undefined || !best.isWhole || !best.isCertain) return undefined;
  if (best.share < LEAST_SHARE[best.operation.effect === 'read' ? 'read' : 'change']) return undefined;
  const second = others.find(({ isWhole, isCertain }) => isWhole && isCertain);
  return second !== undefined && best.score - second.score < LEAST_LEAD ? undefined : best;
}

/** The operation explains nothing. */
const NOTHING = { given: {}, score: 0, terms: 0, share: 0, saysVerb: false, isWhole: false, isCertain: false };

/** Reads a request for one operation: how much of it that explains, and the arguments that it finds. */
function attempt(
  operation: AnyOperation,
  all: readonly AnyOperation[],
  phrase: Phrase,
  lexicon: Lexicon,
  now: Date,
): Attempt {
  const { words, sql, flags } = phrase;
  const { effect, args, name } = operation;
  const none = { ...NOTHING, operation };
  const takes = (part: MessagePart) => Object.values(args).some(({ fromMessage }) => fromMessage === part);
  if ((sql !== undefined && !takes('SQL')) || phrase.isPermission !== isAboutRights(operation)) return none;
  const filling = fill(operation, phrase, now);
  // A flag that is written is meant.
  if ([...flags.keys()].some((flag) => !Object.keys(filling.given).some((key) => flagNameOf(key) === flag)))
    return none;
  const { given, used } = filling;
  const own = lexicon.termsOf.get(name)!;
  const isOwn = ({ stem }: Word) => own.verbs.has(stem) || own.nouns.has(stem);
  fillCommand(operation, filling, words.some(isOwn), phrase, (which) => commandIn(all, phrase, lexicon, now, which));
  const inPhrase = phrasesIn([...own.verbPhrases, ...own.nounPhrases], words);
  const hits = words.filter(
    (word, at) => inPhrase.has(at) || (isOwn(word) && (!word.isThing || own.nouns.has(word.stem))),
  );
  const takesFile = Object.values(args).some(({ field }) => field.type === 'file');
  const left = words.filter(
    (word, at) => !used.has(at) && !hits.includes(word) && !(takesFile && word.parts.file !== undefined),
  );
  const isBare = isBareName(operation, phrase);
  const things = left.filter(({ isThing }) => isThing);
  const unsaid = left.filter(
    ({ isThing, word, stem }) => !isThing && !isFiller(word) && !own.others.has(stem) && !own.cues.has(stem),
  );
  // *Which variables are defined*: a state that another command of the noun makes.
  const isOfNoun = (stem: string) => phrase.isReading && lexicon.verbs.get(stem)?.has(name.split(' ')[0]!) === true;
  const foreign = unsaid.filter(({ stem }) => lexicon.verbs.has(stem) && !isOfNoun(stem));
  const missing = Object.entries(args).filter(
    ([key, { required, field }]) => required && field.type !== 'file' && given[key] === undefined,
  );
  const stems = [...new Set(words.filter((word) => !word.isThing || isOwn(word)).map(({ stem }) => stem))];
  // A part that only the operations of one noun take names it.
  const telling = [...filling.parts].filter((part) => part !== 'thing' && lexicon.parts.get(part)?.size === 1).length;
  const terms = scoreOf(name, stems, lexicon) + (inPhrase.size > 0 ? 2 : 0) + telling * 0.5;
  const isRead = effect === 'read';
  const explained = hits.length + [...used].filter((at) => !hits.includes(words[at]!)).length;
  const score =
    terms +
    Object.keys(given).length +
    priorOf(operation, all) +
    Number(isBare) * 0.5 -
    things.length * 2 -
    unsaid.length * 0.7 -
    foreign.length * 0.7 -
    missing.length * 1.5 -
    (phrase.isReading && !isRead ? 4 : 0);
  return {
    operation,
    given,
    score,
    terms: hits.length > 0 || sql !== undefined ? Math.max(terms, 0.1) : terms,
    share: explained / (explained + unsaid.length || 1),
    saysVerb: words.some(({ stem, isThing }) => !isThing && own.verbs.has(stem)),
    isWhole: missing.length === 0,
    isCertain:
      things.length === 0 &&
      foreign.length === 0 &&
      !isRefused(words, used, isRead) &&
      !hasSecondRequest(words, used, own, lexicon) &&
      (isRead
        ? telling > 0 || sql !== undefined || isBare || isNamed(operation, words, lexicon)
        : !phrase.isReading && !isCut(words, given) && isAsked(operation, phrase, filling, lexicon, telling > 0)),
  };
}

/** The command that is asked about, where the operation takes one: always where it needs one, else where its own words are said. */
function fillCommand(
  { args, permission }: AnyOperation,
  { given, used }: Filling,
  isSaid: boolean,
  { isReading }: Phrase,
  find: (which: WhichCommand) => MeantCommand | undefined,
): void {
  for (const [key, { fromMessage, required }] of Object.entries(args)) {
    if (fromMessage !== 'command' || given[key] !== undefined || !(required || isSaid)) continue;
    const meant = find(required ? 'any' : permission === 'every member' ? 'named' : 'change');
    // *Verify audit* names no command; *who verified it* does.
    if (meant === undefined || !(required || isReading || meant.isNamed)) continue;
    given[key] = meant.name;
    for (const at of meant.at) used.add(at);
  }
}

/** It says whether one may run a command: an operation that cannot be asked without naming one. */
const isAboutRights = ({ args }: AnyOperation): boolean =>
  Object.values(args).some(({ fromMessage, required }) => fromMessage === 'command' && required);

/** *Show me shop*: nothing but the name of such a thing is said. */
const isBareName = ({ name, effect }: AnyOperation, { words }: Phrase): boolean =>
  effect === 'read' &&
  words.filter(({ word, isThing }) => isThing || !isFiller(word)).length === 1 &&
  words.some(({ names }) => names.includes(name.split(' ')[0]!));

/** Of several that answer alike, the first of its noun that reads is meant. */
function priorOf({ name, effect }: AnyOperation, all: readonly AnyOperation[]): number {
  const [noun] = name.split(' ');
  return effect === 'read' && all.find((one) => one.effect === 'read' && one.name.split(' ')[0] === noun)?.name === name
    ? 0.3
    : 0;
}

/** A change is asked for by its verb (not by telling that it was done), or by what is chosen; and what it is done to is said. */
function isAsked(
  operation: AnyOperation,
  { words, sql }: Phrase,
  { said }: Filling,
  lexicon: Lexicon,
  isTelling: boolean,
): boolean {
  if (sql !== undefined) return true;
  const own = lexicon.termsOf.get(operation.name)!;
  if (words.some(({ isCorrected }) => isCorrected)) return false;
  const verb = words.find(({ stem, word }, at) => own.verbs.has(stem) && !isTold(words, word, at));
  const saysVerb = phrasesIn(own.verbPhrases, words).size > 0;
  return (verb !== undefined || said || saysVerb) && (isTelling || isNamed(operation, words, lexicon));
}

/** Its noun is said, a verb that no other noun has, or the name of such a thing. */
function isNamed({ name }: AnyOperation, words: readonly Word[], { termsOf, verbs }: Lexicon): boolean {
  const own = termsOf.get(name)!;
  const isOwnName = ({ names }: Word) => names.includes(name.split(' ')[0]!);
  return (
    words.some((word) => own.nouns.has(word.stem) || isOwnName(word)) ||
    words.some(({ stem }) => own.verbs.has(stem) && verbs.get(stem)!.size === 1) ||
    phrasesIn([...own.nounPhrases, ...own.verbPhrases], words).size > 0
  );
}

/** A page was named, and its host alone would be changed. */
const isCut = (words: readonly Word[], given: Readonly<Record<string, string>>): boolean =>
  words.some(
    ({ parts: { path, host, address = '' } }) =>
      path !== undefined && host !== undefined && !Object.values(given).includes(address),
  );

/** *maria purged shop* tells; *shop must be purged* asks. */
const isTold = (words: readonly Word[], word: string, at: number): boolean =>
  /[^e]ed$/.test(word) &&
  !words
    .slice(0, at)
    .some((before) => /^(be|get|want|need|needs|have|must|should|forced|to|longer)$/.test(before.word));

/** Something is not to be done, or only spoken of. A word that an argument has used is none. */
function isRefused(words: readonly Word[], used: ReadonlySet<number>, isRead: boolean): boolean {
  const text = words.map(({ word }) => word).join(' ');
  const isReason =
    (/\b(?:not|dont|longer|never) (?:need|needed|use|used|want)\b/.test(text) &&
      /\b(?:more|anymore|longer)\b/.test(text)) ||
    /\b(?:need|use|want) (?:it )?no (?:more|longer)\b/.test(text);
  return words.some(
    ({ word }, at) =>
      !used.has(at) && (isRead ? isNegation(word) : REFUSING.has(word)) && !(isReason && isNegation(word)),
  );
}

/** Behind an *and* stands the verb of something else. */
function hasSecondRequest(
  words: readonly Word[],
  used: ReadonlySet<number>,
  own: { verbs: ReadonlySet<string>; nouns: ReadonlySet<string> },
  { verbs }: Lexicon,
): boolean {
  return words.some(({ word }, at) => {
    if (!/^(and|then|also|plus|afterwards)$/.test(word)) return false;
    const follows = words[at + 1]?.word ?? '';
    const isOfIt = words.slice(at).some((one) => /^(?:its|their|they|it)$/.test(one.word));
    if (/^(?:who|what|which|how|when|where)$/.test(follows) && at + 2 < words.length && !isOfIt) return true;
    if (/^(?:show|list|tell|check|give|send)$/.test(follows) && !own.verbs.has(stemOf(follows))) return true;
    const next = words.findIndex((one, after) => after > at && !isFiller(one.word));
    const { stem = '' } = words[next] ?? {};
    return verbs.has(stem) && !used.has(next) && !own.verbs.has(stem) && !own.nouns.has(stem);
  });
}

/** Which words are part of one of these phrases. */
function phrasesIn(phrases: readonly (readonly string[])[], words: readonly Word[]): Set<number> {
  return new Set(phrases.flatMap((phrase) => sequenceIn(words, phrase) ?? []));
}

/** Any command, the change that is spoken of, or only one that is called by its whole name. */
type WhichCommand = 'any' | 'change' | 'named';

function namedIn(all: readonly AnyOperation[], words: readonly Word[]): MeantCommand | undefined {
  for (const { name } of all) {
    const at = name.includes(' ') ? sequenceIn(words, name.split(' ')) : undefined;
    if (at !== undefined) return { name, at, isNamed: true };
  }
  return undefined;
}

/** A command that a request speaks of, the words that say it, and whether its noun is one of them. */
interface MeantCommand {
  name: string;
  at: number[];
  isNamed: boolean;
}

/** The command that the request speaks of: the change whose verb and thing are said; or any, where one is asked about. */
function commandIn(
  all: readonly AnyOperation[],
  phrase: Phrase,
  lexicon: Lexicon,
  now: Date,
  which: WhichCommand,
): MeantCommand | undefined {
  const { words } = phrase;
  const isAny = which === 'any';
  if (which === 'named') return namedIn(all, words);
  const open = { ...phrase, isReading: false, isPermission: false };
  const about = all.filter(({ args, effect }) => {
    const names = Object.values(args).some(({ fromMessage }) => fromMessage === 'command');
    return !names && (isAny || effect !== 'read');
  });
  const [best] = about
    .map((operation) => attempt(operation, about, open, lexicon, now))
    .filter(({ operation: { name } }) => isAny || words.some(({ stem }) => lexicon.termsOf.get(name)!.verbs.has(stem)))
    .filter(({ operation, terms }) => terms >= 1 || isNamed(operation, words, lexicon))
    .sort((a, b) => b.terms + b.score - a.terms - a.score);
  if (best === undefined) return undefined;
  const { verbs, nouns } = lexicon.termsOf.get(best.operation.name)!;
  const at = words.flatMap(({ stem, isThing }, index) =>
    !isThing && (verbs.has(stem) || nouns.has(stem)) ? [index] : [],
  );
  return { name: best.operation.name, at, isNamed: at.some((one) => nouns.has(words[one]!.stem)) };
}
