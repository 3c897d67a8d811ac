import { isIP } from 'node:net';
import { UsageError } from '../../errors.ts';
import { CACHE_STATUSES } from '../../platform/enums.ts';
import type { MessagePart } from '../argument.ts';
import { parseHostname } from '../arguments/resources/hostnames.ts';
import { folded } from '../arguments/resources/look-up.ts';
import { isFiller, type Lexicon, meantWord, stemOf } from './lexicon.ts';
import { type SpokenTime, spokenTimeAt } from './times.ts';

/** The names of things that somebody may see, by what a policy calls such a thing: `zone`, `script`. */
export type Things = Readonly<Record<string, readonly string[]>>;

type Parts = Partial<Record<MessagePart, string>>;

/** A word of the request, or several that are one thing. */
export interface Word {
  text: string;
  /** In lower case, mended where it is mistyped. */
  word: string;
  stem: string;
  /** The arguments that it can be, and as which text. */
  parts: Parts;
  /** The kinds of thing that are called so, and their names as they are written. */
  names: ReadonlyMap<string, string>;
  /** It is a name, an address, a time or a number: no word of the language. */
  isThing: boolean;
  /** It says nothing of what is meant. */
  isFiller: boolean;
}

/** A request: its words, and what kind of sentence it is. */
export interface Phrase {
  words: readonly Word[];
  sql: string | undefined;
  things: Things;
  /** It asks to be shown something. */
  isReading: boolean;
  /** It asks how something is done. */
  isHowTo: boolean;
  /** It asks whether one may. */
  isPermission: boolean;
}

const MOST_WORDS = 60;

const HOW_TO =
  /^(?:how (?:do|does|can|could|would|should|to|i|we|you|one)\b|where (?:do|can|could|would|should|to|i|we)\b|(?:what|which) (?:is the )?command\b|whats the command\b|is there (?:a|any) (?:way|command)|is it possible|what (?:do|should|can|must|would) (?:i|we) (?:have to )?do (?:to|if|when)\b|what (?:is|are|does|do) .*\b(?:do|mean|means|for)$)/;
const PERMISSION =
  /\b(?:(?:am|are|is) (?:i|we) (?:allowed|permitted|able)|(?:may|can) (?:i|we)\b(?! (?:see|have|get|please|look|know))|(?:have|do) (?:i|we) (?:have )?(?:the |a )?(?:right|rights|permission|permissions)|permission to|allowed to|rights to)\b/;
/** The words that may follow the first word of a statement; none: any. */
const STATEMENTS: Readonly<Record<string, readonly string[]>> = {
  select: [],
  pragma: [],
  insert: ['into', 'or'],
  replace: ['into'],
  delete: ['from'],
  alter: ['table'],
  create: ['table', 'unique', 'index', 'view', 'trigger'],
  drop: ['table', 'index', 'view', 'trigger'],
  explain: ['select', 'query'],
};

/** Reads a request. Linear in its text; of a long one the first words count. */
export function phraseOf(line: string, lexicon: Lexicon, things: Things, now: Date): Phrase {
  const names = namesOf(things);
  const { text, sql } = withoutSql(line.trim(), names);
  const tokens = text
    .split(/\s+/)
    .map((token) => token.replace(/^[("'“‘`]+|(?<![,.;:!?)"'”’`])[,.;:!?)"'”’`]+$/g, ''))
    .filter((token) => token !== '' && token.toLowerCase() !== '/edge')
    .slice(0, MOST_WORDS)
    .flatMap((token) => pieces(token, names, lexicon));
  const words = withTimes(withNeighbours(tokens.map((token) => wordOf(token, names, lexicon))), now);
  const plain = words.map(({ word }) => word).join(' ');
  const asking = plain.replace(/^(?:(?:so|hi|hello|hey|excuse|me|sorry|ok|okay|please|pls|and|good|morning) )+/, '');
  const endsInHow = plain.endsWith(' and how');
  // *Which changes can I run* asks to be shown them.
  const isPermission = PERMISSION.test(plain) && !endsInHow && !/^(?:what|which|show|list|how|where)\b/.test(asking);
  const isHowTo =
    !isPermission && (endsInHow || HOW_TO.test(asking)) && !/^how (?:does|do|is|are) .*\blook/.test(asking);
  const isReading = words.some(({ word }) => ASKING.has(word)) || STATE.test(asking);
  return { words, sql, things, isPermission, isHowTo, isReading: isReading && !isHowTo };
}

/** The names that there are, as they are compared, by the kinds of thing that are called so. */
type Names = ReadonlyMap<string, ReadonlyMap<string, string>>;

const nameKey = (text: string): string => folded(text).toLowerCase();

function namesOf(things: Things): Names {
  const names = new Map<string, Map<string, string>>();
  for (const [kind, all] of Object.entries(things))
    for (const name of all) {
      const key = nameKey(name);
      names.set(key, (names.get(key) ?? new Map()).set(kind, name));
    }
  return names;
}

/** A question about a state, or what somebody does. */
const STATE = /^(?:is|are|was|were|do|does|did|has|should|shall)\b/;
const ASKING = new Set(
  'what which who whom when where why how show list display see look view tell many much'.split(' '),
);

/** The statement at the end of a line, and the rest; a database that is named behind it belongs to the rest. */
function withoutSql(text: string, names: Names): { text: string; sql: string | undefined } {
  const all = [...text.matchAll(/\S+/g)];
  const words = all.map(([word]) => word.toLowerCase());
  const start = words.findIndex((word, at) => {
    const next = Object.hasOwn(STATEMENTS, word) ? STATEMENTS[word] : undefined;
    if (word === 'update') return words[at + 2] === 'set';
    return next !== undefined && at + 1 < words.length && (next.length === 0 || next.includes(words[at + 1]!));
  });
  if (start < 0) return { text, sql: undefined };
  const head = text.slice(0, all[start]!.index);
  let end = words.length;
  while (/^(please|pls|plz|thanks)$/.test(words[end - 1]!)) end -= 1;
  const upTo = (at: number) =>
    text.slice(all[start]!.index, (all[at - 1]?.index ?? 0) + (all[at - 1]?.[0].length ?? 0));
  const name = words[end - 1]!;
  if (names.get(nameKey(name))?.has('database') !== true) return { text: head, sql: upTo(end) };
  let before = end - 1;
  while (/^(database|db|the)$/.test(words[before - 1]!)) before -= 1;
  if (!/^(on|in|at|against|from)$/.test(words[before - 1]!)) return { text: head, sql: upTo(end) };
  return { text: `${head} ${name}`, sql: upTo(before - 1) };
}

/** A variable and its value, and what is written with a space as well (*read-only*); a name stays whole. */
function pieces(token: string, names: Names, { phrases }: Lexicon): string[] {
  const possessed = token.replace(/['’]s$/i, '');
  if (names.has(nameKey(possessed))) return [possessed];
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/.exec(token) ?? [];
  if (name !== undefined && value !== undefined) return [`${name}=`, value];
  const spread = token.toLowerCase().replaceAll('-', ' ');
  return spread.includes(' ') && phrases.has(spread) ? spread.split(' ') : [token];
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** A word by its form alone. */
function wordOf(token: string, names: Names, lexicon: Lexicon): Word {
  const lower = token.toLowerCase();
  const found = names.get(nameKey(token));
  const parts = partsOf(token);
  if (found !== undefined) {
    const thing = [...found.values()][0]!;
    const more = { names: found, isThing: true, isFiller: false };
    return { text: thing, word: lower, stem: stemOf(lower), parts: { ...parts, thing }, ...more };
  }
  const bare = lower.replace(/['’]/g, '');
  const isWord = Object.keys(parts).length === 0 && /^\p{L}+$/u.test(bare);
  const meant = isWord ? meantWord(bare, lexicon) : undefined;
  if (/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(token) && token.length > 2 && meant !== bare) parts.identifier = token;
  const word = parts.identifier === undefined ? (meant ?? bare) : bare;
  const isThing = meant === undefined || parts.identifier !== undefined;
  return {
    text: token,
    word,
    stem: stemOf(word),
    parts,
    names: NO_NAMES,
    isThing,
    isFiller: !isThing && isFiller(word),
  };
}

/** The arguments that a word can be by its form. */
function partsOf(token: string): Parts {
  const url = /^https?:\/\//i.test(token) && URL.canParse(token) ? new URL(token) : undefined;
  if (url !== undefined)
    return { address: token, host: url.hostname, ...(url.pathname === '/' ? {} : { path: url.pathname }) };
  if (/^tag:./i.test(token)) return { address: token };
  if (/^<@[^>]+>$|^@[\p{L}\p{N}._-]+$/u.test(token)) return { person: token };
  if (/^<#[^>]+>$|^#[\p{L}_-][\p{L}\p{N}_-]*$/u.test(token)) return { channel: token };
  if (isIP(token) !== 0) return { 'IP address': token, thing: token };
  if (/^\/[^\s/]/.test(token)) return { path: token };
  if (/^[0-9a-f]{32}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(token)) return { 'request id': token };
  if (/^[1-5]xxs?$/i.test(token)) return { status: token.slice(0, 3).toLowerCase() };
  if (/^(?!.*\baibot)[a-z]{3,}bot$|^(?:curl|wget|python-requests|okhttp)$/i.test(token)) return { agent: token };
  if (/^[\w-]+\.(?:ya?ml|json|csv|txt|env)$/i.test(token)) return { file: token };
  if (/^#?\d{1,16}$/.test(token))
    return { number: token.replace('#', ''), ...(/^[1-5]\d\d$/.test(token) ? { status: token } : {}) };
  if (/^[1-5]\d\ds$/.test(token)) return { status: token.slice(0, 3) };
  if (/^[A-Za-z_]\w*=$/.test(token)) return { identifier: token.slice(0, -1) };
  const [host = '', ...path] = token.split('/');
  if (!/^[^.]+(\.[^.]+)*\.[a-z]{2,}$/i.test(host) || !isHostname(host)) return {};
  return path.length === 0 ? { host: token, thing: token } : { address: token, host, path: `/${path.join('/')}` };
}

function isHostname(text: string): boolean {
  try {
    return parseHostname(text) !== '';
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** Words that say what the next one is: a tag, a country, a variable, its value. */
function withNeighbours(words: readonly Word[]): Word[] {
  const hasVariable = words.some(
    ({ parts, word }) => parts.identifier !== undefined || /^(var|variables?)$/.test(word),
  );
  const told: Word[] = [];
  for (const [at, word] of words.entries()) told.push({ ...word, ...meantBy(words, at, told, hasVariable) });
  return told;
}

const TAGS = /^(?:tag|tags|tagged)$/;

function meantBy(words: readonly Word[], at: number, told: readonly Word[], hasVariable: boolean): Partial<Word> {
  const word = words[at]!;
  if (word.names.size > 0 || word.isFiller) return {};
  const [before, beforeThat] = [words[at - 1], words[at - 2]];
  const follows = (pattern: RegExp) => before !== undefined && pattern.test(before.word);
  const isTagged =
    follows(TAGS) ||
    (follows(/^(?:named|called)$/) && TAGS.test(beforeThat?.word ?? '')) ||
    (follows(/^(?:and|or)$/) && told[at - 2]?.parts.address?.startsWith('tag:') === true);
  const thing = (parts: Parts): Partial<Word> => ({ parts, isThing: true });
  if (isTagged && !TAGS.test(word.word)) return thing({ address: `tag:${word.text}` });
  const country = follows(/^(from|in)$/) ? countryNamed(word.text) : undefined;
  if (country !== undefined) return thing({ country });
  const status =
    follows(/^cached?$/) && !/^rat(?:e|io)s?$/.test(words[at + 1]?.word ?? '') ? cacheStatus(word) : undefined;
  if (status !== undefined) return thing({ 'cache status': status });
  if (!hasVariable) return {};
  const isValue = before?.text.endsWith('=') === true || follows(/^(default|value)$/);
  if (isValue || (follows(/^to$/) && word.isThing)) return thing({ value: word.text });
  const isName =
    follows(/^(var|variable|called|named)$/) && !word.isThing && !/^(default|value|required)$/.test(word.word);
  return isName ? thing({ identifier: word.text }) : {};
}

/** *Misses* behind *cache* are requests that missed it. */
const cacheStatus = ({ word }: Word): string | undefined =>
  Object.keys(CACHE_STATUSES).find((status) => stemOf(status.toLowerCase()) === stemOf(word));

let countries: ReadonlyMap<string, string> | undefined;

/** The two letters of a country that is named in English. */
function countryNamed(name: string): string | undefined {
  countries ??= new Map([...readCountries(), ['usa', 'US'], ['america', 'US'], ['uk', 'GB'], ['england', 'GB']]);
  return countries.get(name.toLowerCase());
}

function* readCountries(): Generator<[name: string, code: string]> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  for (const first of letters)
    for (const second of letters) {
      const name = names.of(first + second);
      if (name !== undefined) yield [name.toLowerCase(), first + second];
    }
}

/** Words that are a time become one. */
function withTimes(words: readonly Word[], now: Date): Word[] {
  const texts = words.map(({ word }) => word);
  const told: Word[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at]!;
    const isFree = word.names.size === 0 && Object.keys(word.parts).every((part) => part === 'number');
    const time = isFree ? spokenTimeAt(texts, at, now) : undefined;
    if (time === undefined) {
      told.push(word);
      at += 1;
      continue;
    }
    const text = words
      .slice(at, at + time.length)
      .map((one) => one.text)
      .join(' ');
    told.push({
      text,
      word: text.toLowerCase(),
      stem: '',
      parts: timeParts(time, texts.slice(0, at)),
      names: NO_NAMES,
      isThing: true,
      isFiller: false,
    });
    at += time.length;
  }
  return told;
}

/** A time as arguments take it, by the word before it. */
function timeParts({ since, day, duration, lifetime, isFuture }: SpokenTime, before: readonly string[]): Parts {
  if (duration === 'changed') return { duration };
  if (isFuture) return lifetime === undefined || lifetime.endsWith('m') ? {} : { lifetime };
  const from = day ?? since;
  const role = before.at(-1) ?? '';
  if (from === undefined) return {};
  // The log from Monday is that of Monday, where one day is asked for.
  if (role === 'from' && day !== undefined) return { since: from, day };
  if (/^(since|from|after|starting|between)$/.test(role)) return { since: from };
  const isEnd = /^(to|until|till|and)$/.test(role) && before.some((word) => /^(since|from|between)$/.test(word));
  if (isEnd) return { until: from };
  return {
    ...(day === undefined ? { since: from } : { since: day, until: day, day }),
    ...(duration === undefined ? {} : { duration, ...(duration.endsWith('m') ? {} : { lifetime: duration }) }),
  };
}

/** *Let seo bots through*, *turn it off*: the second word of a verb may stand behind what it is done to. */
const PARTICLES: ReadonlySet<string> = new Set(['through', 'in', 'out', 'on', 'off', 'up', 'down']);
const LONGEST_SPLIT = 5;

/** Where these words stand behind one another, with nothing between them that means something. */
export function sequenceIn(
  words: readonly Word[],
  wanted: readonly string[],
  used?: ReadonlySet<number>,
): number[] | undefined {
  const stems = wanted.map(stemOf);
  const gap = wanted.length === 2 && PARTICLES.has(wanted[1]!) ? LONGEST_SPLIT : 0;
  for (let start = 0; start < words.length; start += 1) {
    const found: number[] = [];
    for (let at = start; at < words.length && found.length < stems.length; at += 1) {
      const { stem, word } = words[at]!;
      if (stem === stems[found.length] && !used?.has(at)) found.push(at);
      else if (found.length === 0 || !(words[at]!.isFiller || at - found[0]! <= gap) || PARTICLES.has(word)) break;
    }
    if (found.length < stems.length || found.length === 0) continue;
    // *Turn it off on shop*; but not *turn off https on shop*.
    const [first, second] = found as [number, number];
    if (gap === 0 || second === first + 1 || words[second + 1]?.isThing !== true) return found;
  }
  return undefined;
}
