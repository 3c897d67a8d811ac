import { hideShapes } from '../secret-shapes.ts';
import { DAY } from '../time.ts';
import { dayAndTime, type Reading, time } from './format.ts';
import { piecesOf } from './limits.ts';

/** Text with markup. The tag `mrkdwn` escapes any other value. `plain`: the same text for notifications. */
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

/** A string is escaped, so that it is shown as it is. */
export type Words = string | number | Mrkdwn;

/** Text of these alone has no invisible characters. */
const ASCII = /^[\n\t -~]*$/;

/** Controls, direction marks, zero-width characters and half surrogates: they reorder or hide text, or show nothing. */
const UNSEEN =
  /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** Unseen characters are escaped as JSON does it, so the value stays the same. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Writes unseen characters as U+XXXX, so that they are seen and cannot act. */
export function visible(text: string): string {
  return ASCII.test(text) ? text : text.replace(UNSEEN, (character) => `[U+${codeOf(character)}]`);
}

/** Writes look-alike letters as U+XXXX, beside Latin letters or if the whole word looks Latin. */
function unmixed(word: string): string {
  // Scripts with letters that look like Latin ones. A word of look-alikes alone looks Latin.
  const script =
    /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Coptic}\p{sc=Cherokee}\p{sc=Lisu}\u01c0-\u01c3\u0250-\u02af\u1d00-\u1d7f\ua730-\ua7ff]/gu;
  const twins = /^[аеорсухіјѕһԁԛԝѵӏАВЕКМНОРСТХУІЈЅοναικρυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսհ]+$/u;
  const isMixed = /[a-z]/i.test(word) || twins.test(word);
  return isMixed ? word.replace(script, (letter) => `[U+${codeOf(letter)}]`) : word;
}

/** Look-alikes become U+XXXX. A name with parentheses, commas, quotes, or blanks doubled or at its ends is quoted. */
export function plainName(name: string): string {
  const isTwin = (sign: string) =>
    /[^\S ]|[\u2800\u2010-\u2013\u2212\u2043\u02d7\u2044\u2215\u30fc\u{1d159}]/u.test(sign) ||
    (!ASCII.test(sign) && ASCII.test(sign.normalize('NFKC')));
  // Hidden first: a key over several lines is not recognised once its line breaks are marked.
  const signs = Array.from(hideShapes(name), (sign) => (isTwin(sign) ? `[U+${codeOf(sign)}]` : sign)).join('');
  const shown = ASCII.test(signs) ? signs : visible(signs.replace(/\p{L}+/gu, unmixed));
  return /[(),"“”]|^ | $| {2}/.test(shown) ? `“${shown}”` : shown;
}

export function visibleInFile(text: string): string {
  // Joiners stay: they belong to some scripts, and a file holds data.
  return ASCII.test(text)
    ? text
    : text.replace(/(?![\t\n\r])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/gu, (character) => `[U+${codeOf(character)}]`);
}

const entities = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** A backtick would end the code, so it becomes ˋ. */
const inCode = (text: string): string => `\`${entities(text).replace(/`/g, 'ˋ')}\``;

/** A word with a sign that acts becomes code. Parentheses and punctuation around it stay outside: `(*.example.com).` */
function wordOf(word: string): string {
  let [from, end] = [0, word.length];
  while (word[from] === '(') from += 1;
  // A parenthesis that the word itself opens belongs to it: *count(*)*.
  const after = word.slice(from).includes('(') ? '.,!?' : ').,!?';
  while (end > from && after.includes(word[end - 1]!)) end -= 1;
  const inner = word.slice(from, end);
  // Some client takes these for format, quote, link, mention or emoji. `_` within an ASCII word is harmless.
  const acts = /[*~`<>@|[\]\\]|(?<![a-z\d])_|_(?![a-z\d])|:\/\/|^www\.|::|:(?=[^:]*[^:\d])[^:]+(?::|$)|^[-=]{2,}$/iu;
  return `${word.slice(0, from)}${acts.test(inner) ? inCode(inner) : entities(inner)}${word.slice(end)}`;
}

/** Nothing in the result can mention, link, format, quote or reorder. */
export function escaped(text: string): string {
  return visible(text).replace(/\S+/g, wordOf);
}

export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** The last place up to `most` that is not within an entity, angle brackets or a character. */
function placeToCut(text: string, most: number): number {
  const at = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most;
  const open = /&[a-z]{0,3}$|<[^<>]*$/.exec(text.slice(Math.max(0, at - 200), at));
  return open === null || at - open[0].length <= 0 ? at : at - open[0].length;
}

/** A `code` span across the cut is closed before it and opened again after it. */
function cutInTwo(text: string, most: number): [string, string] {
  // Two characters for the backticks.
  const at = placeToCut(text, most - 2);
  const [head, rest] = [text.slice(0, at), text.slice(at)];
  const isOpen = (head.match(/`/g)?.length ?? 0) % 2 === 1;
  if (!isOpen) return [head, rest];
  // An empty span would be two backticks, which is not code.
  return [head.endsWith('`') ? head.slice(0, -1) : `${head}\``, rest.startsWith('`') ? rest.slice(1) : `\`${rest}`];
}

export function shortenMrkdwn(text: string, most: number): string {
  return text.length <= most ? text : `${cutInTwo(text, most - 1)[0]}…`;
}

/** `most` counts bytes of UTF-8. Cuts at a line end if one is near. */
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

export const mrkdwnPieces = (text: string, most: number): string[] => piecesOf(text, most, cutInTwo);

/** For a mrkdwn text object. */
export function mrkdwnOf(words: Words): string {
  return words instanceof Mrkdwn ? words.value : escaped(String(words));
}

/** For the text beside blocks, with its entities. */
export function plain(words: Words): string {
  return words instanceof Mrkdwn ? words.plain : entities(visible(String(words)));
}

/** For the Slack methods that always read the text beside blocks as mrkdwn. */
export function mrkdwnOfPlain(text: string): string {
  return join(
    text.split(/(<[@#][A-Z0-9]+>)/).map((part, at) => (at % 2 === 1 ? new Mrkdwn(part) : unescaped(part))),
    '',
  ).value;
}

/** Two adjacent code spans become one: the two backticks between them would break both. */
const glued = (head: string, rest: string): string =>
  head.endsWith('`') && rest.startsWith('`') ? `${head.slice(0, -1)}${rest.slice(1)}` : `${head}${rest}`;

export function mrkdwn(strings: TemplateStringsArray, ...values: Words[]): Mrkdwn {
  const parts = strings.flatMap((part, at): Words[] => [
    new Mrkdwn(part, part.replaceAll('*', '')),
    ...values.slice(at, at + 1),
  ]);
  return join(parts, '');
}

export function join(words: readonly Words[], separator = ' '): Mrkdwn {
  const values = words.map(mrkdwnOf);
  return new Mrkdwn(
    separator === '' ? values.reduce(glued, '') : values.join(separator),
    words.map(plain).join(separator),
  );
}

export const bullets = (lines: readonly Words[]): Mrkdwn =>
  join(
    lines.map((line) => mrkdwn`• ${line}`),
    '\n',
  );

/** Backticks become ˋ, and line breaks become spaces. */
export function code(text: string | number): Mrkdwn {
  const inner = visible(String(text).replace(/[\r\n]+/g, ' '));
  return inner === '' ? new Mrkdwn('') : new Mrkdwn(inCode(inner), entities(inner));
}

/** Text with code or line breaks stays as it is: some clients would show the stars. */
export function bold(words: Words): Mrkdwn {
  const value = mrkdwnOf(words);
  return new Mrkdwn(/^\s|[`\n]|\s$|^$/.test(value) ? value : `*${value}*`, plain(words));
}

/** Starts with a small letter, unless the first word is an abbreviation. */
export function inSentence(words: Words): Mrkdwn {
  const [value, text] = [mrkdwnOf(words), plain(words)].map((one) =>
    one.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()),
  );
  return new Mrkdwn(value!, text);
}

/** Only for ids that Slack gave us. */
export function user(id: string): Mrkdwn {
  return /^[UWB][A-Z0-9]+$/.test(id) ? new Mrkdwn(`<@${id}>`) : join([id]);
}

/** Only for addresses of Slack’s own, and those of marks with their host as the label. */
export const link = (address: string, label: Words): Mrkdwn =>
  new Mrkdwn(`<${encodeURI(address)}|${mrkdwnOf(label)}>`, plain(label));

/** Only for our own text: `code`, `<@U…>` and `<#C…>` keep their meaning. */
export function written(text: string): Mrkdwn {
  return join(
    text.split(/(`[^`]+`|<[@#][A-Z0-9]+>)/).map((part): Words => {
      if (/^<[@#][A-Z0-9]+>$/.test(part)) return new Mrkdwn(part);
      return part.length > 2 && part.startsWith('`') ? code(part.slice(1, -1)) : part;
    }),
    '',
  );
}

/** In the reader's time zone, or in UTC on clients that cannot show that. */
export function moment(date: Date, form = '{date_short_pretty} {time}'): Mrkdwn {
  const iso = date.toISOString().slice(0, 16).replace('T', ' ');
  return dated(date, form, `${form === '{time}' ? iso.slice(11) : iso} UTC`);
}

/**
 * In the reader's time zone, or the channel's on clients that cannot. Leaves out the day within half a day of `near`.
 */
export const clockOf = (date: Date, reading: Reading, near?: Date): Mrkdwn =>
  near !== undefined && Math.abs(near.getTime() - date.getTime()) < DAY / 2
    ? dated(date, '{time}', time(date, reading))
    : dated(date, '{date_short_pretty} {time}', dayAndTime(date, reading));

const dated = (date: Date, form: string, said: string): Mrkdwn =>
  new Mrkdwn(`<!date^${Math.floor(date.getTime() / 1000)}^${form}|${said}>`, said);
