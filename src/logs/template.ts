import { createHash } from 'node:crypto';
import { LONGEST_MESSAGE } from './causes.ts';
import { withoutQuery } from './record.ts';

const VARIES = '<*>';

/** Depends only on the message, so all replicas make the same groups. */

const EMPTY = /^(?:\[\]|\{\}|\(\))[.,;:!?]*$/;

/** `Connection to 10.0.0.1:443 timed out after 60 s` → `Connection to <*> timed out after <*>` */
export function messageTemplate(message: string): string {
  let text = beginningOf(message);
  if (/["'`]/.test(text)) {
    text = text.replace(
      /(?<!\\)"(?:[^"\\]|\\.)*"|`+[^`]*`+(?:\.`+[^`]*`+)*|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu,
      (quoted) => {
        // A request line keeps its method.
        const method = /^"([A-Z]+) \//.exec(quoted)?.[1];
        return method === undefined ? ' 0 ' : ` ${method} 0 `;
      },
    );
  }
  if (text.includes('=')) text = text.replace(/=[^\s,;()[\]{}<>|]*/g, '= 0 ');
  const kept: string[] = [];
  let before = readWord('');
  for (const word of text.split(/\s+/)) {
    const hasVaried = kept.at(-1) === VARIES;
    const one = readWord(word);
    if (one.isMark || (hasVaried && one.isUnit)) continue;
    if (one.varies || (before.isKind && one.isName && (!one.isKind || before === one))) {
      // A key such as `status:` or `depth...`. Addresses have more colons, or a slash.
      const key = /^[A-Za-z][A-Za-z_]+(?:::?|\.\.+)/.exec(word)?.[0];
      if (key !== undefined && /^[^/:][^:]*$/.test(word.slice(key.length))) kept.push(key, VARIES);
      else if (!hasVaried) kept.push(VARIES);
    } else kept.push(word);
    before = word === 'for' && kept.at(-2) === 'password' ? readWord('account') : one;
  }
  return kept.join(' ');
}

interface Word {
  isMark: boolean;
  isUnit: boolean;
  varies: boolean;
  /** The next word is a name. */
  isKind: boolean;
  /** May be such a name. */
  isName: boolean;
}

const remembered = new Map<string, Word>();

function readWord(word: string): Word {
  const known = remembered.get(word);
  if (known !== undefined) return known;
  if (/[\d/\\@]/.test(word)) return { isMark: false, isUnit: false, varies: true, isKind: false, isName: true };
  const read = {
    isMark: word === '' || (/^[^\p{L}\p{N}]+$/u.test(word) && !EMPTY.test(word)),
    isUnit: /^(?:bytes?|[kmg]i?b|b|ns|us|µs|m?s|m?secs?|seconds?|mins?|minutes?|h|hours?|days?)\W*$/i.test(word),
    varies: varies(word),
    // A name follows, unless the sentence goes on.
    isKind: /^(?:user|account|username|container|pod|bucket)$/i.test(word),
    isName:
      !/^(?:name|id|is|was|not|has|with|from|in|to|by|for|on|of|and|or|does|cannot|unknown|attempts?|sessions?|agent|limit|manager|service|process|groups?|account|password|\w\w+(?:ed|ing))\W*$/i.test(
        word,
      ),
  };
  if (word.length > 40) return read;
  // The same few words come often.
  if (remembered.size >= 10_000) remembered.clear();
  remembered.set(word, read);
  return read;
}

function varies(word: string): boolean {
  if (/^[A-Za-z]{2,}(?:'[a-z]+)?[.,;:!?]*$/.test(word))
    return (
      /^(?:[tT]rue|[fF]alse|null|NULL|None|none|nil|undefined|root|admin)\W*$/.test(word) ||
      /^(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\W*$/i.test(word)
    );
  return (
    EMPTY.test(word) ||
    // `(httpd)`, `[root],`, `node[Warlock]`; and `[]`.
    /^(?:\w*[[{]|[(<|])[^\s()[\]{}<>|]+[)\]}>|][.,;:!?]*$/.test(word) ||
    /^\W*[b-zB-HJ-Z]\W*$/.test(word) ||
    /^--\w/.test(word) ||
    // Hosts are lower case. Error classes and constants also have dots.
    (/[a-z\d]\.[\w-]/.test(word) && !/(?:Exception|Error|\.[A-Z][A-Z_]+)\W*$/.test(word))
  );
}

/** Cuts at a word. */
function beginningOf(message: string): string {
  if (message.length <= LONGEST_MESSAGE) return message;
  const beginning = message.slice(0, LONGEST_MESSAGE);
  return `${beginning.slice(0, beginning.lastIndexOf(' ') + 1)}0`;
}

/** The same on every machine. */
export function templateId(...parts: readonly (string | number | undefined)[]): string {
  // 8 is the version of the rules below. A new version makes new groups.
  const key = JSON.stringify([8, ...parts.map((part) => part ?? null)]);
  return createHash('sha256').update(key).digest('base64url').slice(0, 16);
}

/** `/users/42/avatar-7.png?v=1` → `/users/<n>/avatar-<n>.png` */
export function pathTemplate(address: string): string {
  const path = withoutQuery(address)
    .replace(/\?…$/, '')
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  if (path === '') return '/';
  return path.split('/').map(segmentTemplate).join('/');
}

/** `/v1/` and `.m3u8` do not vary. */
function segmentTemplate(segment: string): string {
  if (/^v\d{1,2}$/i.test(segment)) return segment;
  // `pt-BR`
  if (/^[a-z]{2}[-_](?:[a-z]{2}|[A-Z]{2}|[A-Z][a-z]{3})$/.test(segment)) return '<locale>';
  if (/^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(segment)) return '<email>';
  const extension = /\.[a-z][a-z0-9]{0,5}$/i.exec(segment)?.[0] ?? '';
  const stem = segment.slice(0, segment.length - extension.length);
  // `dQw4w9WgXcQ` is an id; `deadbeef` and `facade` stay words.
  const masked = stem
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>')
    .replace(/\b(?:0x[0-9a-f]+|(?=[0-9a-f]*\d)[0-9a-f]{8,})\b/gi, '<hex>')
    .replace(/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{10,}(?![\w-])/g, '<id>')
    .replace(/\d+(?:[.,]\d+)*/g, '<n>');
  const long = masked.length > 40 || masked.split(/[-_+]|%20/).length > 4;
  return (long ? '<name>' : masked) + extension;
}
