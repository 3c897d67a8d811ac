import { createHash } from 'node:crypto';
import { DIGIT, marked } from './message-forms.ts';
import { gistOf } from './message-gist.ts';
import { isCode, namesIn } from './message-names.ts';
import { withoutQuery } from './record.ts';

/** The version of the rules below: groups of another version are other groups. */
const TEMPLATE_VERSION = 5;

/** What stands for the part that varies. */
const VARIES = '<*>';

/** What comes behind so many characters says no more about the kind of a message, and no message is to take long. */
const LONGEST_MESSAGE = 2048;

/** So many words make a unit that may come again and again: `node 1 <ok> node 2 <ok>` is a list. */
const LONGEST_UNIT = 8;

/*
 * A template is a function of its message alone. What varies is known by its form (numbers, addresses, names of hosts and files),
 * by what is beside it (after `=`, after `user`, in quotes; message-forms.ts), as the name of a thing (message-names.ts), or as
 * another's text, such as the reason of a failure (message-gist.ts), never by what other messages look like: so the groups do not depend on what came before, on how much was read, or on which
 * replica read it.
 */

const CONSTANT =
  /^(?:true|false|True|False|TRUE|FALSE|null|NULL|None|none|nil|undefined|root|guest|admin|nobody|localhost|\$[a-z_]\w*)$/;
/** Hosts are written small; what starts with a domain turned round is a name too, unless it says what went wrong. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)+\.?|(?:com|org|net|io)\.[\w.-]+(?<!Exception|Error))$/;
const FILE = /^(?:\/|[a-z]:\\|\.\.?\/)|\/[^./]*[./]|\.[^./]*\//i;
const LONG_HEX = /^[0-9a-f]{8,}$/i;
const LOCALE = /^[a-z]{2}[-_](?:[A-Z]{2}|[A-Z][a-z]{3})$/;
/** Of a command line: `--add-dir-header`. */
const OPTION = /^--/;
/** A type of Go's: `*file.Provider`. */
const POINTER = /^\*[a-z]\w*(?:\.\w+)+$/;
/** What a number makes of a word: `1 connection`, `2 connections`. */
const PLURAL = /^[a-z]{3,}[a-rt-z]s$/;
/** Several of a kind: `[<*>], [<*>]`. */
const SEVERAL = /([[({]) <\*> ([\])}])(?: ,? ?\1 <\*> \2)+/g;

/**
 * What messages of the same kind have in common: ids, numbers with their units, hosts, addresses, files, dates, quoted parts,
 * values and names of accounts become one mark, and so do several of them in a row.
 * `Connection to 10.0.0.1:443 timed out after 60 s` → `Connection to <*> timed out after <*>`.
 */
export function messageTemplate(message: string): string {
  return masked(gistOf(beginningOf(message)), true);
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
    if (isCode(words, index) || !(varies(word, words[index + 1] === '=') || names[index] === true)) {
      kept.push(withNames && kept.at(-1) === VARIES && PLURAL.test(word) ? word.slice(0, -1) : word);
    } else {
      // `1, 2, 3` is one list, however long.
      while (kept.length > 1 && (kept.at(-1) === ',' || kept.at(-1) === ':') && kept.at(-2) === VARIES) kept.pop();
      if (kept.at(-1) !== VARIES) kept.push(VARIES);
    }
    dropRepetition(kept);
  }
  return kept
    .join(' ')
    .replace(SEVERAL, '$1 <*> $2')
    .replace(/ (?=[,:;)\]}=]|\.(?: |$))/g, '')
    .replace(/(?<=[([{=]) /g, '');
}

/** As many whole words as say what kind a message is of. */
function beginningOf(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message;
  return message.slice(0, LONGEST_MESSAGE).replace(/(?<=\s)\S+$/, '0');
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
  if (DIGIT.test(word) || OPTION.test(word) || POINTER.test(word)) return true;
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
const EMAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
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
  if (EMAIL.test(segment)) return '<email>';
  const extension = /\.[a-z][a-z0-9]{0,5}$/i.exec(segment)?.[0] ?? '';
  const stem = segment.slice(0, segment.length - extension.length);
  const masked = stem.replace(UUID, '<id>').replace(HEX, '<hex>').replace(RANDOM, '<id>').replace(NUMBER, '<n>');
  const long = masked.length > LONGEST_SEGMENT || masked.split(/[-_+]|%20/).length > MOST_WORDS;
  return (long ? '<name>' : masked) + extension;
}
