import { passes } from '../../errors.ts';
import { slash } from '../../own-name.ts';
import { CACHE_STATUSES } from '../../platform/enums.ts';
import { networkOf } from '../arguments/attackers.ts';
import { parseHostname } from '../arguments/resources/hostnames.ts';
import { folded } from '../arguments/resources/look-up.ts';
import type { MessagePart } from '../operation.ts';
import { EMOJI, isFiller, type Lexicon, meantWord, stemOf } from './lexicon.ts';
import { type SpokenTime, spokenTimeIn } from './times.ts';

/** Names by kind, as a policy calls it: `zone`, `script`; hostnames as `cdn.example.com@shop`. */
export type Things = Readonly<Record<string, readonly string[]>>;

type Parts = Partial<Record<MessagePart, string>>;

export interface Word {
  text: string;
  /** Lower case, spelling mended. */
  word: string;
  stem: string;
  /** What it can be, judged by its form. */
  parts: Parts;
  /** By kind, as written. */
  names: ReadonlyMap<string, string>;
  /** A name, an address, a time or a number. */
  isThing: boolean;
  isFiller: boolean;
}

export interface Phrase {
  words: readonly Word[];
  sql: string | undefined;
  things: Things;
  /** The hostnames of the one zone that is named. */
  hosts: readonly string[];
  isReading: boolean;
  isHowTo: boolean;
  isPermission: boolean;
  /** It says what not to do. */
  isRefusal: boolean;
}

/** Reads only the first words of a long line. */
export function phraseOf(line: string, lexicon: Lexicon, things: Things, now: Date): Phrase {
  const names = namesOf(things);
  const { text, sql } = withoutSql(line.trim(), names);
  const tokens = text
    .replace(EMOJI, ' ')
    .replace(/\bgood (?:morning|afternoon|evening)\b/gi, ' ')
    .replace(/(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f)+/gu, ' ')
    // *What changed on shop before this?*, but not *before this morning*.
    .replace(/ before this(?=[?.!]?$| (?:on|of|for|to|in) )/i, (said, at: number, whole: string) =>
      /\bchange/i.test(whole.slice(0, at)) ? '' : said,
    )
    // A phone’s autocorrection.
    .replace(/\b(turn|switch) of\b/gi, '$1 off')
    .split(/\s+/)
    .map((token) => token.replace(/^[("'“‘`]+|(?<![,.;:!?)"'”’`])[,.;:!?)"'”’`]+$/g, ''))
    .filter((token) => token !== '' && token.toLowerCase() !== slash())
    .slice(0, 60)
    .reduce<string[]>((all, token) => joined(all, token, names), [])
    .flatMap((token) => pieces(token, names, lexicon));
  const said = withTimes(withNeighbours(tokens.map((token) => wordOf(token, names, lexicon))), now);
  const isSince = ({ parts }: Word) => parts.since !== undefined;
  const isAside = ({ isFiller, word, names: own }: Word) =>
    own.has('zone') || (isFiller && !/^(?:who|did)$/.test(word));
  const [zone, ...others] = new Set(said.flatMap((word) => word.names.get('zone') ?? []));
  // *Shop since monday*: its traffic.
  const isBare = zone !== undefined && said.some(isSince) && said.every((word) => isSince(word) || isAside(word));
  const words = isBare ? [...said, wordOf('traffic', names, lexicon)] : said;
  const hosts = (others.length > 0 ? [] : (things.hostname ?? []))
    .map((one) => one.split('@'))
    .flatMap(([host = '', of]) => (of === zone ? host : []));
  const asking = words
    .map(({ word }) => word)
    .join(' ')
    .replace(/^(?:(?:so|hi|hello|hey|excuse|me|sorry|ok|okay|please|pls|and|good|morning) )+/, '');
  const isHowTo =
    /^(?:how (?:do|can|could|would|should|to|i|we|one|does one)\b|where (?:do|can|would) (?:i|we|you|one)\b|(?:what|which|whats) (?:is )?(?:the )?command\b|is there (?:a|any) (?:way|command)|what (?:do|should|can) (?:i|we) do to\b|what (?:is|does) .*\b(?:do|mean|for)$|.* and how$)/.test(
      asking,
    );
  const is = (pattern: RegExp) => !isHowTo && pattern.test(asking);
  const isPermission = is(
    /^(?!what|which|show|list|how|where).*\b(?:(?:am|are) (?:i|we) allowed|(?:may|can) (?:i|we) (?!see|have|get|look|know|undo|revert|(?:roll|take|put|bring|go) (?:\S+ )?back\b)|(?:do|have) (?:i|we) (?:have )?(?:the )?(?:rights?|permissions?))\b/,
  );
  const isReading = is(
    /^(?:is|are|was|were|do|does|did|has|should)\b|\b(?:what|which|who|when|where|why|how|show|list|see|look|many|much)\b/,
  );
  // *Don't purge shop*; but *no longer block*, *the cache doesn't clear*.
  const isRefusal = is(
    /^(?!.* (?:any ?more|longer)\b).*\b(?:never|dont|wouldnt|shouldnt|mustnt|neednt|avoid|(?:do|must|should|shall|need|lets|us|will|rather) not|not (?:going )?to|no need|nobody (?:should|may|must))\b/,
  );
  return { words, sql, things, hosts, isHowTo, isPermission, isReading, isRefusal };
}

/** Folded name → its kinds. */
type Names = ReadonlyMap<string, ReadonlyMap<string, string>>;

const nameKey = (text: string): string => folded(text).toLowerCase();

function namesOf(things: Things): Names {
  const names = new Map<string, Map<string, string>>();
  for (const [kind, all] of Object.entries(things))
    for (const name of all) {
      const known = names.get(nameKey(name)) ?? new Map();
      // If two differ in case alone, the one that is typed.
      names.set(nameKey(name), known.set(kind, known.has(kind) ? '' : name));
    }
  return names;
}

/** A database that is named after the statement is not part of it. */
function withoutSql(text: string, names: Names): { text: string; sql: string | undefined } {
  const start =
    /(?:^|\s)(?:select|pragma|explain (?:select|query)|insert (?:into|or)|replace into|update \S+ set|delete from|alter table|(?:create|drop) (?:unique |table|index|view|trigger))\s/i.exec(
      text,
    )?.index;
  if (start === undefined) return { text, sql: undefined };
  const head = text.slice(0, start);
  const sql = text.slice(start).trim();
  const [tail, name = ''] = /\s(?:on|in|at|against|from)\s+(?:the\s+)?(?:database\s+|db\s+)?(\S+)$/i.exec(sql) ?? [];
  return tail !== undefined && names.get(nameKey(name))?.has('database') === true
    ? { text: `${head} ${name}`, sql: sql.slice(0, -tail.length) }
    : { text: head, sql };
}

/** *Main site* is main-site, if neither word is a name. */
function joined(all: string[], token: string, names: Names): string[] {
  const last = all.at(-1) ?? '';
  const isOne = names.has(nameKey(`${last}-${token}`)) && !names.has(nameKey(last)) && !names.has(nameKey(token));
  return isOne ? [...all.slice(0, -1), `${last}-${token}`] : [...all, token];
}

/** Splits `NAME=value` and *read-only*, but not a name. */
function pieces(token: string, names: Names, { phrases }: Lexicon): string[] {
  const [, asking] = /^(who|what)['’]?s$/i.exec(token) ?? [];
  if (asking !== undefined) return [asking, 'is'];
  const possessed = token.replace(/['’]s$/i, '');
  if (names.has(nameKey(possessed))) return [possessed];
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/.exec(token) ?? [];
  if (name !== undefined && value !== undefined) return [`${name}=`, value];
  const spread = token.toLowerCase().replaceAll('-', ' ');
  return spread.includes(' ') && phrases.has(spread) ? spread.split(' ') : [token];
}

function wordOf(token: string, names: Names, lexicon: Lexicon): Word {
  const lower = token.toLowerCase();
  const found = names.get(nameKey(token));
  const parts = partsOf(token);
  if (found !== undefined) {
    const own = new Map([...found].map(([kind, name]): [string, string] => [kind, name || token]));
    const [text = token] = own.values();
    // The reports *changes* and *balance* are words, too.
    const isWord = found.size === 1 && found.has('report') && /^\p{L}+$/u.test(token);
    const named = isWord ? parts : { ...parts, thing: text };
    return { ...thing(text, named), word: lower, stem: stemOf(lower), names: own };
  }
  const bare = lower.replace(/['’]/g, '');
  const isWord = Object.keys(parts).length === 0 && /^\p{L}+$/u.test(bare);
  const meant = isWord ? meantWord(bare, lexicon) : undefined;
  if (/^[A-Z][A-Z0-9]+(_[A-Z0-9]+)*$/.test(token) && meant !== bare)
    return thing(token, { ...parts, identifier: token });
  if (meant === undefined) return { ...thing(token, parts), word: bare, stem: stemOf(bare) };
  return { ...thing(token, parts), word: meant, stem: stemOf(meant), isThing: false, isFiller: isFiller(meant) };
}

const thing = (text: string, parts: Parts): Word => ({
  text,
  word: text.toLowerCase(),
  stem: '',
  parts,
  names: new Map(),
  isThing: true,
  isFiller: false,
});

/** What the form of a token says. */
function partsOf(token: string): Parts {
  const url = /^https?:\/\//i.test(token) && URL.canParse(token) ? new URL(token) : undefined;
  if (url !== undefined)
    return {
      address: token,
      ...(url.hostname.includes('.') && { host: url.hostname }),
      ...(url.pathname === '/' ? {} : { path: url.pathname }),
    };
  if (/^tag:./i.test(token)) return { address: token };
  if (/^<@[^>]+>$|^@[\p{L}\p{N}._-]+$/u.test(token)) return { person: token };
  if (/^<#[^>]+>$|^#[\p{L}_-][\p{L}\p{N}_-]*$/u.test(token)) return { channel: token };
  if (networkOf(token) !== undefined || /^AS\d{1,10}$/i.test(token)) return { 'IP address': token, thing: token };
  if (/^\/[^\s/]/.test(token)) return { path: token };
  if (/^[0-9a-f]{32}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(token)) return { 'request id': token };
  if (/^[1-5](?:\d\d|xx)s?$/i.test(token)) {
    const status = token.slice(0, 3).toLowerCase();
    return /^\d+$/.test(token) ? { status, number: token } : { status };
  }
  if (/^#?\d{1,16}$/.test(token)) return { number: token.replace('#', '') };
  if (/^(?:[a-z]{3,}(?<!ai)bot|curl|wget)$/i.test(token)) return { agent: token };
  if (/^[\w-]+\.(?:ya?ml|json)$/i.test(token)) return { file: token };
  if (/^[A-Za-z_]\w*=$/.test(token)) return { identifier: token.slice(0, -1) };
  const [host = '', ...path] = token.split('/');
  if (!/\.[a-z]{2,}$/i.test(host) || !passes(() => parseHostname(host))) return {};
  return path.length === 0 ? { host: token, thing: token } : { address: token, host, path: `/${path.join('/')}` };
}

/** *Tag*, *cache*, *did*, *what … did* or a variable tells what the next word is. */
function withNeighbours(words: readonly Word[]): Word[] {
  const hasVariable = words.some(
    ({ parts, stem }) => parts.identifier !== undefined || stem === 'var' || stem === 'variabl',
  );
  return words.map((word, at) => {
    const before = words[at - 1];
    const isPlace = word.isThing ? /^(?:country|from|in|block|ban|unblock)$/i : /^(?:country|from|in)$/;
    if (isPlace.test(before?.text ?? '') && /^[A-Z]{2}$/.test(word.text))
      return thing(word.text, { country: word.text, 'IP address': word.text });
    if (before === undefined || word.names.size > 0 || word.isFiller) return word;
    const around = `${before.word} ${words[at + 1]?.word}`;
    if (word.isThing && Object.keys(word.parts).length === 0 && /^(?:did |what (?:did|changed)$)/.test(around))
      return thing(word.text, { person: word.text });
    const isTag = /^tags?$/.test(before.word) || (/^(?:and|or)$/.test(before.word) && words[at - 3]?.stem === 'tag');
    if (isTag) return thing(word.text, { address: `tag:${word.text}` });
    const isStatus = before.stem === 'cach' && !/^rat(?:e|io)$/.test(words[at + 1]?.word ?? '');
    const status = isStatus && Object.keys(CACHE_STATUSES).find((one) => stemOf(one.toLowerCase()) === word.stem);
    if (status) return thing(word.text, { 'cache status': status });
    const isValue = hasVariable && (before.text.endsWith('=') || /^(?:default|value)$/.test(before.word));
    return isValue ? thing(word.text, { value: word.text }) : word;
  });
}

/** Joins the words of a time. */
function withTimes(words: readonly Word[], now: Date): Word[] {
  const told: Word[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    const isFree = word.names.size === 0 && Object.keys(word.parts).every((part) => part === 'number');
    const rest = words.slice(at, at + 5).map((one) => one.word);
    const time = isFree ? spokenTimeIn(rest.join(' '), now) : undefined;
    told.push(time === undefined ? word : thing(time.text, timeParts(time, words.slice(0, at), words.slice(at + 1))));
    at += (time?.text.split(' ').length ?? 1) - 1;
  }
  return told;
}

/** What the word before a time makes of it. */
function timeParts(
  { since, day, duration, ...later }: SpokenTime,
  before: readonly Word[],
  after: readonly Word[],
): Parts {
  const role = before.at(-1)?.word ?? '';
  // *Until 9am*, *every night at 2*
  const isOther =
    /^(?:since|from|after|to|until|till|before|by|and)$/.test(role) || before.some(({ word }) => word === 'every');
  const due = isOther ? undefined : later.due;
  const lifetime = duration === undefined || !/[hdw]$/.test(duration) ? {} : { lifetime: duration };
  // *In two hours* is still to come.
  if (role === 'in' && duration !== undefined) return { ...lifetime, due: `in ${duration}` };
  const from = day ?? since;
  if (from === undefined) return { ...(duration && { duration }), ...(due && { due }) };
  // *The log from Monday* is Monday's.
  const goesOn = after.some(({ word }) => /^(?:to|until|till|and|onwards?)$/.test(word));
  if (role === 'from' && day !== undefined)
    return { since: from, ...(!goesOn && { day }), ...(day === 'yesterday' && !goesOn && { until: day }) };
  if (/^(?:since|from|after)$/.test(role)) return { since: from };
  const isRange = before.some(({ word }) => word === 'from');
  if (/^(?:until|till)$/.test(role) || (isRange && /^(?:to|and)$/.test(role))) return { until: from };
  if (day !== undefined) return { since: day, until: day, day };
  return { since: from, ...(duration && { duration, ...lifetime }), ...(due && { due }) };
}

/** *Let seo bots through*, *turn it off*: the object may stand between verb and particle. */
const PARTICLES: ReadonlySet<string> = new Set(['through', 'in', 'out', 'on', 'off', 'up', 'down', 'back']);

/** Where the words stand in a row, with only fillers between. */
export function sequenceIn(
  words: readonly Word[],
  wanted: readonly string[],
  used?: ReadonlySet<number>,
): number[] | undefined {
  const stems = wanted.map(stemOf);
  const isSplit = stems.length === 2 && PARTICLES.has(wanted[1]!);
  for (let start = 0; start < words.length; start += 1) {
    const found: number[] = [];
    for (let at = start; at < words.length && found.length < stems.length; at += 1) {
      const { stem, word, isFiller: isNothing } = words[at]!;
      if (stem === stems[found.length] && !used?.has(at)) found.push(at);
      else if (
        found.length === 0 ||
        (PARTICLES.has(word) && word !== 'back') ||
        !(isNothing || (isSplit && at - start < 5))
      )
        break;
    }
    if (found.length === stems.length) return found;
  }
  return undefined;
}
