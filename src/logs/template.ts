import { createHash } from 'node:crypto';
import { namesIn } from './message-names.ts';
import { withoutQuery } from './record.ts';

/** The version of the rules below: groups of another version are other groups. */
export const TEMPLATE_VERSION = 5;

/** What stands for the part that varies. */
const VARIES = '<*>';

/** What comes behind so many characters says no more about the kind of a message, and no message is to take long. */
const LONGEST_MESSAGE = 2048;

/** So many words make a unit that may come again and again: `node 1 <ok> node 2 <ok>` is a list. */
const LONGEST_UNIT = 8;

/*
 * A template is a function of its message alone. What varies is known by its form (numbers, addresses, names of hosts and files),
 * by its place (after `=`, after `user`, in quotes), as the name of a thing (see message-names.ts), or as the reason of a failure,
 * never by what other messages look like: so the groups do not depend on what came before, on how much was read, or on which
 * replica read it.
 */

const DATE = (() => {
  const weekday = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\\s+';
  const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';
  const time = '[,\\s]+\\d{1,2}:\\d\\d(?::\\d\\d)?(?:\\.\\d+)?';
  const zone = '\\s+(?:[A-Z]{3,4}|[+-]\\d{4})';
  return new RegExp(
    `\\b(?:${weekday})?(?:${month}\\s+\\d{1,2}|\\d{1,2}[\\s/-]${month})(?:[,\\s/-]+\\d{4})?(?:${time})?(?:${zone})?(?:\\s+\\d{4})?\\b`,
    'gi',
  );
})();

/** A number with its unit, and the same once more in brackets: `18846 bytes (18.4 KB)`, `<1 sec`. */
const AMOUNT = (() => {
  const unit =
    '(?:bytes?|[kmgt]i?b(?:ytes?)?|b|ns|us|µs|ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|%)';
  const number = '\\d[\\d.,]*\\s*';
  return new RegExp(`<?(?<![\\w.-])${number}${unit}(?![\\w-]|\\.\\w)(?:\\s+\\(${number}${unit}\\))?`, 'gi');
})();

/** Addresses of network cards and of IPv6, with a port or without, and what is left of one that is all zeros: `:::8080`. */
const COLONS =
  /(?<![\w:])::(?=:\d)|(?<![0-9a-f]|[0-9a-f]:)(?:(?:[0-9a-f]{1,2}:){5,}[0-9a-f]{1,2}|(?:[0-9a-f]{0,4}:){3,8}[0-9a-f]{1,5}|(?:[0-9a-f]{1,4}:){2,6}:)(?!\w|:\w)/gi;
const EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
/** A place in a program: `Order.php:42`. */
const SOURCE_LINE = /(?<![\w./\\-])[\w$-]+\.[a-zA-Z]{1,6}:\d+(?::\d+)?(?![\w.])/g;
/** Names in a list: `[checkout, images]`. */
const LIST = /\[[\w./-]+(?:, ?[\w./-]+)+\]/g;
/** Keys with their values: `{a=1, b=2}`. */
const MAP = /\{[\w./-]+[=:][^{}=,]*(?:, ?[\w./-]+[=:][^{}=,]*)*\}/g;
/** A reason in brackets: `(Connection refused)`. */
const REMARK = /(?<=\w )\([A-Z][a-z]+(?: [a-z-]+)+\)/g;
/** A statement's tables. */
const TABLE = /\b(FROM|INTO|UPDATE|JOIN|TABLE) (?![A-Z]+\b)["`\w.]+/g;
const REQUEST_LINE = /"(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT)\s[^"]*"/g;
const ASSIGNED = /(\w)=(?:\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s=,;&()[\]{}<>"]+(?![\w=])))?/g;
const QUOTED = /"(?:[^"\\]|\\.)*"|“[^”]*”|`[^`]*`|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu;
/** A path with a query. */
const QUERIED = /(?<![\w/.:])\/[^\s"'<>?]*\?[^\s"'<>)\]]*/g;
/** What may be random text in base 64, with what fills it up: `cqqK5K4Xw1LLKFF0OqYj9C==`. */
const BASE64 = /(?<![\w+/.-])(?=[\w+-]*[a-z])(?=[\w+-]*[A-Z])[\w+-]{16,}={0,2}(?![\w="'/.])/g;
const WEB_ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi;
/** Whoever is named after the word for it, unless it is the sentence that goes on. */
const NAMED_USER =
  /(?<![\w.-])(user|account|username|login)(\s*:\s*|\s+)(?!(?:name|id|is|was|not|has|with|from|agent|unknown|does|cannot|limit)\b)[\w.$@-]+/gi;
/** The accounts that every system has, where they can be nothing else. */
const SYSTEM_USER = (() => {
  const names =
    'root|admin|administrator|guest|nobody|daemon|bin|sys|mail|news|ftp|uucp|sshd|www-data|mysql|postgres|oracle|git|backup|operator|games|lp|nginx|apache|test|ubuntu';
  return new RegExp(`\\b(?<=\\b(?:for|by|as|of) )(?:${names})\\b|(?<=\\()(?:${names})(?=\\))`, 'g');
})();
/** A thing with its number attached: `CPU(3)`. */
const NUMBERED = /\b[A-Z]{2,8}\(\d+\)/g;
const CONSTANT =
  /^(?:true|false|True|False|TRUE|FALSE|null|NULL|None|none|nil|undefined|root|guest|admin|nobody|localhost|\$[a-z_]\w*)$/;
/** Hosts are written small; what starts with a domain turned round is a name too, unless it says what went wrong. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)+\.?|(?:com|org|net|io)\.[\w.-]+(?<!Exception|Error))$/;
const FILE = /^(?:\/|[a-z]:\\|\.\.?\/)|\/.*[./]|\..*\//i;
const LONG_HEX = /^[0-9a-f]{8,}$/i;
const LOCALE = /^[a-z]{2}[-_](?:[A-Z]{2}|[A-Z][a-z]{3})$/;
const DIGIT = /\d/;
/** A clause that says that something went wrong: what is behind its colon is why. */
const FAILURE =
  /\b(?:fail(?:ed|ure|s|ing)?|err(?:ors?)?|unable|can(?:not|'t)|could(?: not|n't)|exception|reason|because|invalid)\b/i;
/** A clause that says what was being done: `reading the index: …` is how errors are wrapped. */
const DOING = /^\s*[A-Za-z]+ing [A-Za-z]/;
/** The reason ends where the next key or another sentence begins. */
const REASON_END = /, (?:[A-Z]|[\w ]{2,30}[:=])/;

/** An apostrophe within a word is a part of it. */
const MARK = /(?<![\w:]):+|(?<!:):(?!:)|::+(?!:|~?[A-Za-z])|[=,()[\]{}<>|;"]|(?<!\w)'|'(?!\w)/g;

/**
 * What messages of the same kind have in common: ids, numbers with their units, hosts, addresses, files, dates, quoted parts,
 * values and names of accounts become one mark, and so do several of them in a row.
 * `Connection to 10.0.0.1:443 timed out after 60 s` → `Connection to <*> timed out after <*>`.
 */
export function messageTemplate(message: string): string {
  return masked(withoutReason(beginningOf(message)), true);
}

/**
 * The message as people read it: what varies by its form is one mark, but names and reasons stay, which tell what to do.
 * `Failed to reach shop: connection refused by 10.0.0.1` → `Failed to reach shop: connection refused by <*>`.
 */
export function messageWords(message: string): string {
  return masked(beginningOf(message), false);
}

function masked(text: string, withNames: boolean): string {
  const words = marked(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  const names = withNames ? namesIn(words) : [];
  const kept: string[] = [];
  for (const [index, word] of words.entries()) {
    if (!varies(word, words[index + 1] === '=') && names[index] !== true) {
      kept.push(word);
    } else {
      // `1, 2, 3` is one list, however long.
      while (kept.length > 1 && (kept.at(-1) === ',' || kept.at(-1) === ':') && kept.at(-2) === VARIES) kept.pop();
      if (kept.at(-1) !== VARIES) kept.push(VARIES);
    }
    dropRepetition(kept);
  }
  return kept
    .join(' ')
    .replace(/ (?=[,:;)\]}=]|\.(?: |$))/g, '')
    .replace(/(?<=[([{=]) /g, '');
}

/** The message with a 0 for each part that its place gives away, and space around what separates words. */
function marked(message: string): string {
  let text = message;
  if (DIGIT.test(text)) {
    if (text.includes(':')) text = text.replace(SOURCE_LINE, '0').replace(COLONS, '0');
    text = text.replace(DATE, ' 0 ').replace(AMOUNT, ' 0 ').replace(NUMBERED, '0');
  }
  if (text.includes('[')) text = text.replace(LIST, '[ 0 ]');
  if (text.includes('{')) text = text.replace(MAP, '{ 0 }');
  if (text.includes('@')) text = text.replace(EMAIL, '0');
  if (text.includes('://')) text = text.replace(WEB_ADDRESS, ' 0 ');
  if (text.includes('"')) text = text.replace(REQUEST_LINE, '$1 0');
  if (text.includes('?')) text = text.replace(QUERIED, '0');
  text = text.replace(BASE64, (word) => (isRandom(word) ? '0' : word));
  if (text.includes('=')) text = text.replace(ASSIGNED, '$1= 0');
  return text
    .replace(TABLE, '$1 0')
    .replace(QUOTED, ' 0 ')
    .replace(NAMED_USER, '$1$2 0')
    .replace(SYSTEM_USER, '0')
    .replace(/\( ?\)/g, '( 0 )')
    .replace(MARK, ' $& ');
}

/** As many whole words as say what kind a message is of. */
function beginningOf(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message;
  return message.slice(0, LONGEST_MESSAGE).replace(/(?<=\s)\S+$/, '');
}

/** The message with a 0 for the reason it gives: that is another's text, and may be any. */
function withoutReason(message: string): string {
  const text = message.replace(REMARK, '(0)');
  let start = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (character !== ':' || text[at + 1] !== ' ' || depth > 0) continue;
    const clause = text.slice(start, at);
    const words = clause.match(/[A-Za-z]{2,}/g)?.length ?? 0;
    if ((words > 1 && FAILURE.test(clause)) || (words > 2 && DOING.test(clause))) {
      const rest = text.slice(at + 2);
      const end = REASON_END.exec(rest)?.index ?? rest.length;
      return `${text.slice(0, at)}: 0${rest.slice(end)}`;
    }
    start = at + 2;
  }
  return text;
}

/** Names have a capital now and then, random text has one every other letter; with digits, only base 64 ends with `=`. */
function isRandom(word: string): boolean {
  const changes = word.match(/[a-z](?=[A-Z\d])|[A-Z\d](?=[a-z])/g)?.length ?? 0;
  const least = word.endsWith('=') ? (DIGIT.test(word) ? 0.2 : 0.25) : 0.4;
  return changes > least * word.length;
}

/** Drops the last words where those before them are the same, and vary. */
function dropRepetition(kept: string[]): void {
  const { length } = kept;
  for (let unit = 2; unit <= LONGEST_UNIT && 2 * unit <= length; unit += 1) {
    if (kept[length - 1] !== kept[length - 1 - unit]) continue;
    let same = 1;
    let hasVaried = kept[length - 1] === VARIES;
    while (same < unit && kept[length - 1 - same] === kept[length - 1 - same - unit]) {
      hasVaried ||= kept[length - 1 - same] === VARIES;
      same += 1;
    }
    if (same < unit || !hasVaried) continue;
    kept.length -= unit;
    return;
  }
}

/** A key is a name that the program has given, even where it looks like a host's: `java.home=…`. */
function varies(word: string, isKey: boolean): boolean {
  if (DIGIT.test(word)) return true;
  if (isKey) return false;
  if (word.length === 1) return word === '/';
  return (
    HOST.test(word) ||
    LOCALE.test(word) ||
    FILE.test(word) ||
    CONSTANT.test(word) ||
    (LONG_HEX.test(word) && word.length >= 16)
  );
}

/** The same for the same template, on every machine and at all times; other rules make other ids. */
export function templateId(...parts: readonly (string | number | undefined)[]): string {
  const key = JSON.stringify([TEMPLATE_VERSION, ...parts.map((part) => part ?? null)]);
  return createHash('sha256').update(key).digest('base64url').slice(0, 16);
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
/** Eight or more hexadecimal digits of which one is a digit, so that `deadbeef` and `facade` stay words. */
const HEX = /\b(?:0x[0-9a-f]+|(?=[0-9a-f]*\d)[0-9a-f]{8,})\b/gi;
/** Ten or more letters and digits, small and capital: `dQw4w9WgXcQ`. Nobody names anything so. */
const RANDOM = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{10,}(?![\w-])/g;
/** Of a language, with its country or script: `pt-BR`. */
const PATH_LOCALE = /^[a-z]{2}[-_](?:[a-z]{2}|[A-Z]{2}|[A-Z][a-z]{3})$/;
const NUMBER = /\d+(?:[.,]\d+)*/g;

/** Longer segments of a path, and those of more words, are names of things, not of kinds of things. */
const LONGEST_SEGMENT = 40;
const MOST_WORDS = 4;

/** What paths of the same kind have in common: `/users/42/avatar-7.png?v=1` → `/users/<n>/avatar-<n>.png`. */
export function pathTemplate(address: string): string {
  const path = withoutQuery(address)
    .replace(/\?…$/, '')
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  if (path === '') return '/';
  return path.split('/').map(segmentTemplate).join('/');
}

/** `/v1/` is a version of the path and `.m3u8` a kind of file: neither is one of many. */
function segmentTemplate(segment: string): string {
  if (/^v\d{1,2}$/i.test(segment)) return segment;
  if (PATH_LOCALE.test(segment)) return '<locale>';
  if (segment.includes('@') && segment.replace(EMAIL, '') === '') return '<email>';
  const extension = /\.[a-z][a-z0-9]{0,5}$/i.exec(segment)?.[0] ?? '';
  const stem = segment.slice(0, segment.length - extension.length);
  const masked = stem.replace(UUID, '<id>').replace(HEX, '<hex>').replace(RANDOM, '<id>').replace(NUMBER, '<n>');
  const long = masked.length > LONGEST_SEGMENT || masked.split(/[-_+]|%20/).length > MOST_WORDS;
  return (long ? '<name>' : masked) + extension;
}

/** Text with addresses in it, without their credentials and queries: both may hold secrets. */
export function withoutQueries(text: string): string {
  return text.replace(/[^\s"'<>]+/g, (word) => (word.includes('/') ? withoutQuery(word) : word));
}
