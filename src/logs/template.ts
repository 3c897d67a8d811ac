import { createHash } from 'node:crypto';
import { withoutQuery } from './record.ts';

/** The version of the rules below: groups of another version are other groups. */
export const TEMPLATE_VERSION = 2;

/** What stands for the part that varies. */
const VARIES = '<*>';

/*
 * A template is a function of its message alone. What varies is known by its form (numbers, addresses, names of hosts and
 * files) and by its place (after `=`, after `user`, in quotes), never by what other messages look like: so the groups do not
 * depend on what came before, on how much was read, or on which replica read it.
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

/** Addresses of network cards, and of IPv6. */
const COLONS =
  /(?<![0-9a-f]|[0-9a-f]:)(?:(?:[0-9a-f]{1,2}:){5}[0-9a-f]{1,2}|(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4})(?![\w:])/gi;
const REQUEST_LINE = /"(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT)\s[^"]*"/g;
const ASSIGNED = /(\w)=\s*(?:"[^"]*"|'[^']*'|[^\s=,;&()[\]{}<>"]+)/g;
const QUOTED = /"[^"]*"|“[^”]*”|`[^`]*`|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu;
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
const CONSTANT = /^(?:true|false|null|none|nil|undefined|root|guest|admin|nobody)$/i;
/** Hosts are written small; what starts with a domain turned round is a name too, unless it says what went wrong. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)+\.?|(?:com|org|net|io)\.[\w.-]+(?<!Exception|Error))$/;
const FILE = /^(?:\/|[a-z]:\\|\.\.?\/)|\/.*[./]|\..*\//i;
const LONG_HEX = /^[0-9a-f]{8,}$/i;
const DIGIT = /\d/;
/** An apostrophe within a word is a part of it. */
const MARK = /[=:,()[\]{}<>|;"]|(?<!\w)'|'(?!\w)/g;

/**
 * What messages of the same kind have in common: ids, numbers with their units, hosts, addresses, files, dates, quoted parts,
 * values and names of accounts become one mark, and so do several of them in a row.
 * `Connection to 10.0.0.1:443 timed out after 60 s` → `Connection to <*> timed out after <*>`.
 */
export function messageTemplate(message: string): string {
  const words = marked(message).split(/\s+/);
  const kept: string[] = [];
  for (const word of words) {
    if (word === '') continue;
    if (!varies(word)) {
      kept.push(word);
      continue;
    }
    // `1, 2, 3` is one list, however long.
    while (kept.length > 1 && (kept.at(-1) === ',' || kept.at(-1) === ':') && kept.at(-2) === VARIES) kept.pop();
    if (kept.at(-1) !== VARIES) kept.push(VARIES);
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
    if (text.includes(':')) text = text.replace(COLONS, '0');
    text = text.replace(DATE, ' 0 ').replace(AMOUNT, ' 0 ').replace(NUMBERED, '0');
  }
  if (text.includes('://')) text = text.replace(WEB_ADDRESS, ' 0 ');
  if (text.includes('"')) text = text.replace(REQUEST_LINE, '$1 0');
  if (text.includes('=')) text = text.replace(ASSIGNED, '$1= 0');
  return text
    .replace(QUOTED, ' 0 ')
    .replace(NAMED_USER, '$1$2 0')
    .replace(SYSTEM_USER, '0')
    .replace(/\( ?\)/g, '( 0 )')
    .replace(MARK, ' $& ');
}

function varies(word: string): boolean {
  if (DIGIT.test(word)) return true;
  if (word.length === 1) return word === '/';
  return HOST.test(word) || FILE.test(word) || CONSTANT.test(word) || (LONG_HEX.test(word) && word.length >= 16);
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
