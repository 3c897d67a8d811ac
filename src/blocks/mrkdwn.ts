import { hideShapes } from '../secret-shapes.ts';
import { piecesOf } from './limits.ts';

/**
 * Slack's mrkdwn, built so that text from outside stays text. `mrkdwn` is a template tag: what stands in the template is
 * formatting, what is put into it is shown as it is, unless it is `Mrkdwn` itself (`code(…)`, `bold(…)`). `plain` is the same
 * without formatting, for notifications and screen readers: nothing but `&lt;`, `&gt;`, `&amp;`, `<@U…>` and `<#C…>` acts in it.
 */
export class Mrkdwn {
  readonly value: string;
  readonly plain: string;

  constructor(value: string, plain = value) {
    this.value = value;
    this.plain = plain;
  }

  toString(): string {
    return this.value;
  }
}

/** Plain text (shown as it is) or ready mrkdwn. */
export type Words = string | number | Mrkdwn;

/** Text that needs no second look: nothing in it is unseen. */
const ASCII = /^[\n\t -~]*$/;

/**
 * Characters that reorder or hide what a person reads, or are none: controls, directions, those without a width, halves of
 * surrogate pairs. Line feeds, tabs and the selectors behind emoji stay.
 */
const UNSEEN =
  /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
/** Of these what a file must not have either; joiners belong to some scripts, and a file holds data. */
const UNSEEN_IN_FILES = /(?![\t\n\r])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/gu;

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** Text of JSON with what is unseen written as JSON writes it: it means the same, and can be seen. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Shows what is unseen (controls, directions, no width) as U+XXXX, so that it can be seen and cannot act. */
export function visible(text: string): string {
  return ASCII.test(text) ? text : text.replace(UNSEEN, (character) => `[U+${codeOf(character)}]`);
}

/** Blanks other than the space, and dashes and slashes that look like those of ASCII. */
const TWIN_SIGN = /[^\S ]|[\u2800\u2010-\u2013\u2212\u2043\u02d7\u2044\u2215]/u;
/** Scripts that have letters which look like Latin ones, and the letters of phonetics. */
const TWIN_SCRIPT =
  /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Coptic}\p{sc=Cherokee}\p{sc=Lisu}\u0250-\u02af\u1d00-\u1d7f]/gu;
/** Words of these alone look Latin from the first letter to the last. */
const TWINS = /^[аеорсухіјѕһԁԛԝѵӏАВЕКМНОРСТХУІЈЅοναικρυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսհ]+$/u;

/** A word whose letters are of two scripts, or look like another one's: those are shown as U+XXXX. */
function unmixed(word: string): string {
  const isMixed = /[a-z]/i.test(word) || TWINS.test(word);
  return isMixed ? word.replace(TWIN_SCRIPT, (letter) => `[U+${codeOf(letter)}]`) : word;
}

/**
 * A name of somebody's as it can be told from all others: what nobody sees or takes for something else as U+XXXX, and in quotes where
 * it could be read as a name with an id, or has blanks at its ends.
 */
export function plainName(name: string): string {
  const isTwin = (sign: string) => TWIN_SIGN.test(sign) || (!ASCII.test(sign) && ASCII.test(sign.normalize('NFKC')));
  // Hidden first: a key over several lines is not known any more when its line breaks are marked.
  const signs = Array.from(hideShapes(name), (sign) => (isTwin(sign) ? `[U+${codeOf(sign)}]` : sign)).join('');
  const shown = ASCII.test(signs) ? signs : visible(signs.replace(/\p{L}+/gu, unmixed));
  return /[(),"“”]|^ | $| {2}/.test(shown) ? `“${shown}”` : shown;
}

/** The same for the text of a file, which keeps what writing needs. */
export function visibleInFile(text: string): string {
  return ASCII.test(text) ? text : text.replace(UNSEEN_IN_FILES, (character) => `[U+${codeOf(character)}]`);
}

const entities = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Visible text of one line as a code span. A backtick would end it: it is written ˋ. */
const inCode = (text: string): string => `\`${entities(text).replace(/`/g, 'ˋ')}\``;

/**
 * Signs by which some reader of mrkdwn formats, quotes, links, mentions or draws an emoji. Within a word of ASCII `_` is none; a time of
 * day has no emoji, and a name after the last colon may become one by what follows.
 */
const ACTS = /[*~`<>@|[\]\\]|(?<![a-z\d])_|_(?![a-z\d])|:\/\/|^www\.|::|:(?=[^:]*[^:\d])[^:]+(?::|$)|^[-=]{2,}$/iu;

/** A word as it is; with a sign that acts as code, which may have these beside it: `(*.example.com).` */
function wordOf(word: string): string {
  let [from, end] = [0, word.length];
  while (word[from] === '(') from += 1;
  while (end > from && ').,!?'.includes(word[end - 1]!)) end -= 1;
  const inner = word.slice(from, end);
  return `${word.slice(0, from)}${ACTS.test(inner) ? inCode(inner) : entities(inner)}${word.slice(end)}`;
}

/** Text from outside as mrkdwn that cannot mention, link, format, quote or reorder: words, and words in code. */
export function escaped(text: string): string {
  return visible(text).replace(/\S+/g, wordOf);
}

/** Undoes the three entities: for what is no mrkdwn, such as a file. */
export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Where mrkdwn can be cut, at `most` or before: not within an entity, angle brackets or a character. */
function placeToCut(text: string, most: number): number {
  const at = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most;
  const open = /&[a-z]{0,3}$|<[^<>]*$/.exec(text.slice(Math.max(0, at - 200), at));
  return open === null || at - open[0].length <= 0 ? at : at - open[0].length;
}

/** Cuts mrkdwn in two; a `code` that is open there ends, and begins again. */
function cutInTwo(text: string, most: number): [string, string] {
  // Two characters for the backticks.
  const at = placeToCut(text, most - 2);
  const [head, rest] = [text.slice(0, at), text.slice(at)];
  const isOpen = (head.match(/`/g)?.length ?? 0) % 2 === 1;
  if (!isOpen) return [head, rest];
  // Nothing between them would be two backticks, which are none.
  return [head.endsWith('`') ? head.slice(0, -1) : `${head}\``, rest.startsWith('`') ? rest.slice(1) : `\`${rest}`];
}

/** mrkdwn cut to what fits, with an ellipsis where something is missing. Nothing whole is torn. */
export function shortenMrkdwn(text: string, most: number): string {
  return text.length <= most ? text : `${cutInTwo(text, most - 1)[0]}…`;
}

/** mrkdwn cut to so many bytes of UTF-8, at a line end where there is one near, with an ellipsis. Nothing whole is torn. */
export function shortenToBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most - Buffer.byteLength('\n…');
  // Not within a character.
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  const head = bytes.toString('utf8', 0, end);
  const line = head.lastIndexOf('\n');
  return line > head.length / 2 ? `${head.slice(0, line)}\n…` : shortenMrkdwn(text, head.length + 1);
}

/** mrkdwn in pieces of at most so many characters: cut at line ends where there are any. */
export const mrkdwnPieces = (text: string, most: number): string[] => piecesOf(text, most, cutInTwo);

/** Outside text or ready mrkdwn → the string that goes into a mrkdwn text object. */
export function mrkdwnOf(words: Words): string {
  return words instanceof Mrkdwn ? words.value : escaped(String(words));
}

/** Outside text or ready mrkdwn → the plain text that goes beside blocks, with its entities. */
export function plain(words: Words): string {
  return words instanceof Mrkdwn ? words.plain : entities(visible(String(words)));
}

/** Plain text that goes beside blocks → mrkdwn, for the methods of Slack that read it as such whatever they are told. */
export function mrkdwnOfPlain(text: string): string {
  return join(
    text.split(/(<[@#][A-Z0-9]+>)/).map((part, at) => (at % 2 === 1 ? new Mrkdwn(part) : unescaped(part))),
    '',
  ).value;
}

/** Two code spans without anything between them would be two backticks that mean nothing: they become one. */
const glued = (head: string, rest: string): string =>
  head.endsWith('`') && rest.startsWith('`') ? `${head.slice(0, -1)}${rest.slice(1)}` : `${head}${rest}`;

/** The template tag. Of formatting it knows `*bold*`. */
export function mrkdwn(strings: TemplateStringsArray, ...values: Words[]): Mrkdwn {
  const parts = strings.flatMap((part, at): Words[] => [
    new Mrkdwn(part, part.replaceAll('*', '')),
    ...values.slice(at, at + 1),
  ]);
  return join(parts, '');
}

/** Several words after another, with a separator that is mrkdwn itself. */
export function join(words: readonly Words[], separator = ' '): Mrkdwn {
  const values = words.map(mrkdwnOf);
  return new Mrkdwn(
    separator === '' ? values.reduce(glued, '') : values.join(separator),
    words.map(plain).join(separator),
  );
}

/** A list, one line each. */
export const bullets = (lines: readonly Words[]): Mrkdwn =>
  join(
    lines.map((line) => mrkdwn`• ${line}`),
    '\n',
  );

/** Inline code: nothing in it is formatted or linked. Backticks become ˋ, line breaks spaces. */
export function code(text: string | number): Mrkdwn {
  const inner = visible(String(text).replace(/[\r\n]+/g, ' '));
  return inner === '' ? new Mrkdwn('') : new Mrkdwn(inCode(inner), entities(inner));
}

/** Bold text. Code is not made bold, and no line break is within: there are readers that would show the stars. */
export function bold(words: Words): Mrkdwn {
  const value = mrkdwnOf(words);
  return new Mrkdwn(/^\s|[`\n]|\s$|^$/.test(value) ? value : `*${value}*`, plain(words));
}

/** A Slack user, shown by Slack under the name that the reader knows. Only for ids that Slack gave us. */
export function user(id: string): Mrkdwn {
  return /^[UWB][A-Z0-9]+$/.test(id) ? new Mrkdwn(`<@${id}>`) : join([id]);
}

/** Only for text that we wrote ourselves: `code`, `<@U…>` and `<#C…>` in it act, everything else is shown as it is. */
export function written(text: string): Mrkdwn {
  return join(
    text.split(/(`[^`]+`|<[@#][A-Z0-9]+>)/).map((part): Words => {
      if (/^<[@#][A-Z0-9]+>$/.test(part)) return new Mrkdwn(part);
      return part.length > 2 && part.startsWith('`') ? code(part.slice(1, -1)) : part;
    }),
    '',
  );
}

/** A moment in the reader's own time zone, with UTC as the text for clients that cannot show it. */
export function moment(date: Date): Mrkdwn {
  const utc = `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return new Mrkdwn(`<!date^${Math.floor(date.getTime() / 1000)}^{date_short_pretty} {time}|${utc}>`, utc);
}
