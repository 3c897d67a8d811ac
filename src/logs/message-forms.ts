/*
 * What varies by its form (numbers, addresses, names of hosts and files), or by what is right beside it (after `=`, after `user`,
 * in quotes).
 */

export const DIGIT = /\d/;

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
  const number = '\\d[\\d.,]*';
  return new RegExp(`<?(?<![\\w.-])${number}(\\s*${unit}(?![\\w-]|\\.\\w)(?:\\s+\\(${number}\\s*${unit}\\))?)?`, 'gi');
})();

/** Addresses of network cards and of IPv6, with a port or without, and what is left of one that is all zeros: `:::8080`. */
const COLONS =
  /(?<!\S)::(?!\S)|(?<![\w:])::(?=:\d)|(?<![0-9a-f]|[0-9a-f]:)(?:(?:[0-9a-f]{1,2}:){5,}[0-9a-f]{1,2}|(?:[0-9a-f]{0,4}:){3,8}[0-9a-f]{1,5}|(?:[0-9a-f]{1,4}:){2,6}:|(?<!\w)::[0-9a-f]{1,4})(?!\w|:\w)/gi;
/** A host with its address, as mail servers write it: `unknown[192.0.2.7]:25`. */
const HOST_WITH_ADDRESS = /(?<![\w.-])[\w.-]+\[(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]+)\](?::\d+)?/gi;
/** A thing with its own name behind it: `File[/etc/motd]`, `sshd[77]`. */
const NAMED_THING = /(?<![\w.:-])[A-Za-z_][\w.:-]*\[[^[\]\s=]*\](?!\w)/g;
/** A host with its address: `localhost/127.0.0.1:2181`. */
const HOST_AND_ADDRESS = /(?<![\w./:-])[\w.-]*\/(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?/gi;
const WINDOWS_PATH = /(?<!\w)[A-Za-z]:(?:\\(?:[\w.() -]*\\)*|\/)(?:[\w.()-]*\/)*[\w.()-]*/g;
/** Also of a service: `api@internal`. */
const EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*/g;
/** A place in a program: `Order.php:42`. */
const SOURCE_LINE = /(?<![\w$./\\-])[\w$-]+\.[a-zA-Z]{1,6}:\d+(?::\d+)?(?![\w.])/g;
/** A statement's tables. */
const TABLE = /\b(FROM|INTO|UPDATE|JOIN|TABLE) (?![A-Z]+\b)["`\w.]+/g;
const REQUEST_LINE = /"(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT)\s[^"]*"/g;
const ASSIGNED = /(\w)=(?:\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|<[^<>]*>|[^\s=,;&()[\]{}<>"]+(?![\w=])))?/g;
const QUOTED = /(?<!\\)"(?:[^"\\]|\\.)*"|“[^“”]*”|`[^`]*`|(?<![\p{L}\p{N}])[bru]?'[^']*'(?![\p{L}\p{N}])/gu;
/** What a program says of a thing of its own: `<Event call_service[L]: domain=light>`. */
const OBJECT = /<(?:nil|null|none|unknown|empty|[A-Z]{2,})>|<[A-Za-z_](?=[^<>]*[\s=.:@/])[^<>]*>/g;
/** A path with a query. */
const QUERIED = /(?<![\w/.:])\/[^\s"'<>?]*(\?[^\s"'<>)\]]*)?/g;
/** What may be random text in base 64, with what fills it up: `cqqK5K4Xw1LLKFF0OqYj9C==`. */
const BASE64 = /(?<![\w+/.-])(?=[\w+-]*[a-z])(?=[\w+-]*[A-Z])[\w+-]{16,}={0,2}(?![\w="'/.])/g;
/** Of the web, or of what is read by another name: `stdio:/var/log/squid`. */
const WEB_ADDRESS = /\b[a-z][a-z0-9+.-]*(:\/[^\s"'<>)]+)?/gi;
/** Pairs without a space: `sessionid:0x1 type:create`. */
const PAIR = /(?<!\S)([A-Za-z]+):(?![\s/\\:])[^\s:,]+(?=\s+[A-Za-z]+:\S)/g;
/** Whoever is named after the word for it, unless it is the sentence that goes on. */
const NAMED_USER = (() => {
  const sentence = [
    'name|id|is|was|not|has|with|from|in|to|by|for|on|of|and|or|does|cannot|ok|incorrect|fail\\w*|success\\w*|denied|refused|rejected',
    'locked|disabled|expired|unknown|defined|attempts?|sessions?|agent|limit|manager|service|process|groups?|input|interface|account',
    'password|space|level|mode',
  ].join('|');
  return new RegExp(`(?<![\\w.-])(user|account|username|login)(\\s*:\\s*|\\s+)(?!(?:${sentence})\\b)[\\w.$@-]+`, 'gi');
})();
/** The accounts that every system has, where they can be nothing else. */
const SYSTEM_USER = (() => {
  const names =
    'root|admin|administrator|guest|nobody|daemon|bin|sys|mail|news|ftp|uucp|sshd|www-data|mysql|postgres|oracle|git|backup|operator|games|lp|nginx|apache|test|ubuntu';
  return new RegExp(`\\b(?<=\\b(?:for|by|as|of) )(?:${names})\\b|(?<=\\()(?:${names})(?=\\))`, 'g');
})();
/** A thing with its number attached: `CPU(3)`. */
const NUMBERED = /\b[A-Z]{2,8}\(\d+\)/g;
/** Where a sentence without spaces, in Chinese, Japanese or Korean, meets what may be a number; names are shorter. */
const SCRIPTS = /(?<=[\u3000-\u9fff\uac00-\ud7af]{5})(?=[!-~])|(?<=[!-~])(?=[\u3000-\u9fff\uac00-\ud7af]{5})/g;
/** The zone behind a time of day says no more than the time. */
const ZONE = /(:\d\d(?:[.,]\d+)?) (?:UTC|GMT|[A-Z]{1,3}T)\b/g;

/** An apostrophe within a word is a part of it, and so are two colons within a name. */
const MARK = /(?<![\w:]):+|(?<!:)(?::(?!:)|::+(?!:|~?[A-Za-z]))|[=,()[\]{}<>|;"]|(?<!\w)'|'(?!\w)/g;

/**
 * Replaces only what has the last part too. The patterns take their beginning alone as well: so none of it is tried again from its
 * midst, where the same would be missing.
 */
const whole = (replacement: string) => (found: string, last: string | undefined) =>
  last === undefined ? found : replacement;

/** The message with a 0 for each part that varies by its form, and space around what separates words. */
export function marked(message: string): string {
  let text = message.replace(SCRIPTS, ' ');
  if (text.includes(':')) text = text.replace(COLONS, '0');
  if (DIGIT.test(text)) {
    if (text.includes('[')) text = text.replace(HOST_WITH_ADDRESS, '0');
    if (text.includes(':')) text = text.replace(SOURCE_LINE, '0').replace(ZONE, '$1');
    text = text.replace(DATE, ' 0 ').replace(AMOUNT, whole(' 0 ')).replace(NUMBERED, '0');
  }
  if (text.includes('[')) text = text.replace(NAMED_THING, '0');
  if (text.includes(':')) text = text.replace(WINDOWS_PATH, '0');
  if (text.includes('/')) text = text.replace(HOST_AND_ADDRESS, '0');
  if (text.includes('@')) text = text.replace(EMAIL, '0');
  if (text.includes(':/')) text = text.replace(WEB_ADDRESS, whole(' 0 '));
  if (text.includes('"')) text = text.replace(REQUEST_LINE, '$1 0');
  if (text.includes('?')) text = text.replace(QUERIED, whole('0'));
  text = text.replace(BASE64, (word) => (isRandom(word) ? '0' : word));
  if (text.includes(':')) text = text.replace(PAIR, '$1: 0');
  if (text.includes('=')) text = text.replace(ASSIGNED, '$1= 0');
  if (text.includes('<')) text = text.replace(OBJECT, ' 0 ');
  return text
    .replace(TABLE, '$1 0')
    .replace(QUOTED, ' 0 ')
    .replace(NAMED_USER, '$1$2 0')
    .replace(SYSTEM_USER, '0')
    .replace(/\( ?\)/g, '( 0 )')
    .replace(/\[[ \W_]?\]/g, '[ 0 ]')
    .replace(MARK, ' $& ');
}

/** Names have a capital now and then, random text has one every other letter; with digits, only base 64 ends with `=`. */
function isRandom(word: string): boolean {
  const changes = word.match(/[a-z](?=[A-Z\d])|[A-Z\d](?=[a-z])/g)?.length ?? 0;
  const least = word.endsWith('=') ? (DIGIT.test(word) ? 0.2 : 0.25) : 0.4;
  return changes > least * word.length;
}
