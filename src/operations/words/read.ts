import { mistakes } from '../../nearest.ts';
import { BEFORE } from '../arguments/resources/releases.ts';
import type { AnyOperation, Given } from '../operation.ts';
import { type Filling, fill } from './fill.ts';
import { isNear, type Lexicon, lexiconOf, NEGATIONS, REFUSING, scoreOf, stemOf, type Terms } from './lexicon.ts';
import { type Phrase, phraseOf, sequenceIn, type Things, type Word } from './phrase.ts';

interface Filled {
  operation: AnyOperation;
  given: Given;
}

/** If not understood: what may be meant (best first), unexplained words, too many values. */
export interface Reading {
  understood?: Filled;
  choices: readonly Filled[];
  unknown?: readonly string[];
  tooMany?: Filling['tooMany'];
  isRefused?: boolean;
}

/**
 * A line is understood if one operation explains every word and nothing denies it.
 * What it lacks, a form asks for: *clear cache*. Linear in the text.
 */
export function readPlainWords(line: string, operations: readonly AnyOperation[], things: Things, now: Date): Reading {
  // This long, it is not one command.
  if (line.length > 2_000) return { choices: [] };
  const lexicon = lexiconOf(operations);
  const phrase = phraseOf(line, lexicon, things, now);
  const tried = operations
    .filter((operation) => mayMean(operation, phrase))
    .map((operation) => attempt(operation, operations, phrase, lexicon, now))
    .filter(({ score, isNamed }) => score > 0 || isNamed)
    .sort((a, b) =>
      phrase.isHowTo ? b.score - a.score : Number(a.isAside) - Number(b.isAside) || nearness(b) - nearness(a),
    );
  const [best, second] = tried;
  if (best === undefined) return { choices: [], isRefused: phrase.isRefusal };
  // If two fit equally, neither is meant, unless both read.
  const isTie =
    second?.isMeant === true &&
    second.fit === best.fit &&
    [best, second].some(({ operation }) => operation.effect !== 'read');
  const meant = { operation: best.operation, given: best.given };
  if (!phrase.isHowTo && best.isMeant && !isTie) return { understood: meant, choices: [meant] };
  // *Don't purge shop*
  if (phrase.isRefusal) return { choices: [], isRefused: true };
  const { unknown, tooMany } = best;
  const choices = phrase.isHowTo ? tried : tried.flatMap((one) => (one.isOffered ? withNearNames(one, phrase) : []));
  return {
    choices: choices.map(({ operation, given }) => ({ operation, given })),
    unknown: unknown.map(({ text }) => text),
    ...(tooMany === undefined ? {} : { tooMany }),
  };
}

const nearness = ({ fit, unknown }: Attempt): number => fit - 2 * unknown.length;

const nounOf = ({ name }: AnyOperation): string => name.split(' ')[0]!;

/** SQL means an operation that takes SQL; a question about rights, one that answers it. */
function mayMean({ args }: AnyOperation, { sql, isPermission }: Phrase): boolean {
  const kinds = Object.values(args);
  const takesSql = kinds.some(({ fromMessage }) => fromMessage === 'SQL');
  const isAboutRights = kinds.some(({ fromMessage, required }) => fromMessage === 'command' && required);
  return (sql === undefined || takesSql) && isPermission === isAboutRights;
}

interface Attempt extends Filled {
  /** `fit`: with its arguments. */
  score: number;
  fit: number;
  /** Unexplained. */
  unknown: Word[];
  tooMany: Filling['tooMany'];
  /** It is a change, but a question was asked. */
  isAside: boolean;
  /** The line names what the operation is about. */
  isNamed: boolean;
  /** It reads, or what it changes was said. */
  isOffered: boolean;
  /** Nothing is unexplained or denied, and what is missing can be asked for. */
  isMeant: boolean;
}

function attempt(
  operation: AnyOperation,
  all: readonly AnyOperation[],
  phrase: Phrase,
  lexicon: Lexicon,
  now: Date,
): Attempt {
  const { words, sql, isReading } = phrase;
  const { name, args, effect } = operation;
  const isRead = effect === 'read';
  const { verbs, nouns, others, phrases } = lexicon.termsOf.get(name)!;
  const { given, used, isChosen, isTelling, tooMany } = fill(operation, phrase, now);
  fillCommand(operation, all, phrase, { given, used }, lexicon);
  // *The one before*: a form shows it before it is asked for.
  const isLoose = Object.entries(given).some(
    ([key, text]) => args[key]!.field.type === 'suggest' && text === BEFORE.value,
  );
  const long = phrases.flatMap((one) => sequenceIn(words, one) ?? []);
  const takesFile = Object.values(args).some(({ field }) => field.type === 'file');
  // If a zone is named *api* like something else, the zone is meant.
  const isNoun = ({ stem, names }: Word) =>
    nouns.has(stem) && (names.size === 0 || name.split(' ').map(stemOf).includes(stem));
  // *Roll* is not *roll back*.
  const isBack = !isRead && words.some(({ word }) => word === 'back');
  const isVerb = ({ word, stem, isThing }: Word) =>
    !isThing && verbs.has(stem) && !(isBack && lexicon.phrases.has(`${word} back`));
  const isOwn = (word: Word, at: number) => isNoun(word) || isVerb(word) || long.includes(at);
  /** *Limit*, *restart*: not the filter of a read. */
  const asksFor = (stem: string) =>
    all.some((other) => other.effect !== 'read' && stemOf(other.name.split(' ').at(-1)!) === stem);
  const unknown = words.filter(
    (word, at) =>
      !used.has(at) &&
      !isOwn(word, at) &&
      !(takesFile && word.parts.file !== undefined) &&
      // *Until then*: without it, a change would be for ever, or now.
      (word.isThing || !word.isFiller || (!isRead && /^(?:until|till|when)$/.test(word.word))) &&
      (word.isThing || !others.has(word.stem) || (isRead && !isReading && asksFor(word.stem))),
  );
  const missing = Object.entries(args).filter(
    ([key, { required, field }]) => required && field.type !== 'file' && given[key] === undefined,
  );
  const isOfOneNoun = (said: (terms: Terms) => boolean) =>
    all.every((other) => nounOf(other) === nounOf(operation) || !said(lexicon.termsOf.get(other.name)!));
  const isPhraseOf = (one: readonly string[]) => (terms: Terms) =>
    terms.phrases.some((phrase) => phrase.join(' ') === one.join(' '));
  const isNamed =
    sql !== undefined ||
    isTelling ||
    isLoose ||
    // *Turn off*, of what?
    phrases.some((one) => sequenceIn(words, one) !== undefined && isOfOneNoun(isPhraseOf(one))) ||
    words.some(
      (word) =>
        isNoun(word) ||
        (word.names.has(nounOf(operation)) && word.parts.thing !== undefined) ||
        (isVerb(word) && isOfOneNoun((terms) => terms.verbs.has(word.stem))),
    );
  // *Maria purged shop*, *that address is blocked*, *restarts of shop* tell; *shop must be purged* asks.
  const said = words.flatMap((one, at) =>
    isVerb(one) ? !/[^e]ed$|[^s]s$/.test(one.word) || /^(?:be|must|longer)$/.test(words[at - 1]?.word ?? '') : [],
  );
  const saysVerb = said.includes(true);
  const isTold = said.length > 0 && !saysVerb;
  const isAsked = isRead || sql !== undefined || (!isReading && (saysVerb || long.length > 0 || (isChosen && !isTold)));
  const says = (all: ReadonlySet<string>) =>
    words.some((one, at) => !used.has(at) && !isOwn(one, at) && all.has(one.word));
  // *We need it no more*, *nobody needs it*: that is why.
  const isTalk = isReading || (says(NEGATIONS) && !words.some(({ word }) => /^(?:more|longer|nobody)$/.test(word)));
  const stems = words.flatMap((word, at) => (!word.isThing || isOwn(word, at) ? [word.stem] : []));
  const score = scoreOf(name, stems, lexicon);
  const isCalled = name.split(' ').some((one) => stems.includes(stemOf(one)));
  // *Show me shop*: the line only names such a thing.
  const isBare = isRead && words.filter(({ isFiller }) => !isFiller).every(({ names }) => names.has(nounOf(operation)));
  return {
    operation,
    given,
    score,
    fit: score + Object.keys(given).length - missing.length + Number(isBare) + Number(isLoose),
    isAside: isReading && !isRead,
    unknown,
    tooMany,
    isNamed,
    isOffered:
      isRead ||
      sql !== undefined ||
      (isNamed && !isTalk && (isChosen || unknown.length === 0 || long.length > 0 || words.some(isVerb))),
    isMeant:
      isNamed &&
      isAsked &&
      !says(isRead ? NEGATIONS : REFUSING) &&
      unknown.length === 0 &&
      tooMany === undefined &&
      !isLoose &&
      (missing.length === 0 || (!isReading && isCalled)),
  };
}

/** *May I purge?*: finds the command asked about. */
function fillCommand(
  { args }: AnyOperation,
  all: readonly AnyOperation[],
  { words }: Phrase,
  { given, used }: Pick<Filling, 'given' | 'used'>,
  lexicon: Lexicon,
): void {
  const commandIn = (kinds: AnyOperation['args']) =>
    Object.entries(kinds).find(([, { fromMessage }]) => fromMessage === 'command');
  const [key, kind] = commandIn(args) ?? [];
  if (key === undefined || kind === undefined) return;
  const said = words.filter(({ isThing }, at) => !isThing && !used.has(at));
  const stems = said.map(({ stem }) => stem);
  const [best] = all
    .filter(({ name, effect, args: others }) => {
      const { verbs, nouns, phrases } = lexicon.termsOf.get(name)!;
      // *Which changes did ben make*: of a token only with that word.
      const isVerb = ({ stem, isFiller }: Word) =>
        verbs.has(stem) && (!isFiller || stems.some((one) => nouns.has(one)));
      const isChange = effect !== 'read' && (said.some(isVerb) || phrases.some((one) => sequenceIn(words, one)));
      return commandIn(others) === undefined && (kind.required || isChange);
    })
    .map(({ name }) => ({ name, score: scoreOf(name, stems, lexicon) }))
    .sort((a, b) => b.score - a.score);
  if (best === undefined || best.score < 1) return;
  const { verbs, nouns, phrases } = lexicon.termsOf.get(best.name)!;
  // *Take it back and purge shop*: two wishes.
  const isWish = ({ stem, word }: Word, at: number) =>
    verbs.has(stem) &&
    !/ed$/.test(word) &&
    (/^(?:and|then|also|)$/.test(words[at - 1]?.word ?? '') ||
      // *Take it back, purge shop*, but *take back purge*.
      (words[at - 1]?.word === 'back' && /^(?:it|that|this|them|everything)$/.test(words[at - 2]?.word ?? '')));
  if (words.some(({ word }) => word === 'back') && words.some(isWish)) return;
  given[key] = best.name;
  for (const word of said) if (verbs.has(word.stem) || nouns.has(word.stem)) used.add(words.indexOf(word));
  for (const at of phrases.flatMap((one) => sequenceIn(words, one) ?? [])) used.add(at);
}

/** *Orders* may be orders-db. */
const isPartly = (typed: string, name: string) =>
  isNear(typed, name) || (typed.length === 3 && mistakes(typed, name) === 1) || name.startsWith(`${typed}-`);

/** The operation once for each name near an unexplained word, or for each of too many values. */
function withNearNames({ operation, given, unknown, tooMany }: Attempt, { things }: Phrase): Filled[] {
  if (tooMany !== undefined)
    return tooMany.values.map((value) => ({ operation, given: { ...given, [tooMany.key]: value } }));
  const near = Object.entries(operation.args).flatMap(([key, { names }]) =>
    (given[key] === undefined ? (things[Object.keys(names?.of ?? {})[0] ?? ''] ?? []) : [])
      .filter((name) => unknown.some(({ text }) => isPartly(text.toLowerCase(), name.toLowerCase())))
      .map((name) => ({ operation, given: { ...given, [key]: name } })),
  );
  return near.length > 0 ? near : [{ operation, given }];
}
