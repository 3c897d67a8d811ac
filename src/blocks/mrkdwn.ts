/**
 * Slack's mrkdwn, built so that text from outside stays text. `mrkdwn` is a template tag: what stands in the template is
 * formatting, what is put into it is escaped, unless it is `Mrkdwn` itself (`code(…)`, `bold(…)`).
 */
export class Mrkdwn {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  toString(): string {
    return this.value;
  }
}

/** Plain text (escaped where it is shown) or ready mrkdwn. */
export type Words = string | number | Mrkdwn;

/** Takes the force of what it stands beside, and is not seen. */
const JOINER = '\u2060';

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

/** The same for the text of a file, which keeps what writing needs. */
export function visibleInFile(text: string): string {
  return ASCII.test(text) ? text : text.replace(UNSEEN_IN_FILES, (character) => `[U+${codeOf(character)}]`);
}

/** Where a line would become a quotation. */
const QUOTATION = /^(?=[ \t]*&gt;)/gm;

/** The characters of an emoji's name. */
const NAME = "[\\p{L}\\p{M}\\p{N}_+'-]";
/** The colon of an emoji's name, also when what follows the text may end it. */
const EMOJI = new RegExp(`:(?=${NAME}+:|(?=\\d*[^\\d\\s])${NAME}+$)`, 'gu');

/**
 * Text from outside as mrkdwn that cannot mention, link, format, quote or reorder. A joiner takes the force of * _ ~ wherever
 * they do not stand within a word.
 */
export function escaped(text: string): string {
  return visible(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/`/g, 'ˋ')
    .replace(/(?<![\p{L}\p{N}])[*_~]|[*_~](?![\p{L}\p{N}])/gu, `${JOINER}$&${JOINER}`)
    .replace(EMOJI, `:${JOINER}`)
    .replace(QUOTATION, JOINER);
}

/** Undoes the three entities: for what is no mrkdwn, such as a file. */
export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Where mrkdwn can be cut, at `most` or before: not within an entity, angle brackets, a character, or beside its joiner. */
function placeToCut(text: string, most: number): number {
  let at = most;
  if (/[\ud800-\udbff]/.test(text[at - 1] ?? '')) at -= 1;
  const [before = '', after = ''] = [text[at - 1], text[at]];
  if (before === JOINER && /[*_~]/.test(after)) at -= 1;
  else if (after === JOINER) at -= /[*_~]/.test(before) ? 2 : 1;
  const head = text.slice(Math.max(0, at - 200), at);
  const open = /&[a-z]{0,3}$|<[^<>]*$/.exec(head);
  return open === null || at - open[0].length <= 0 ? at : at - open[0].length;
}

/** Cuts mrkdwn in two; a `code` that is open there ends, and begins again. */
function cutInTwo(text: string, most: number): [string, string] {
  // Two characters for the backticks.
  const at = placeToCut(text, most - 2);
  const [head, rest] = [text.slice(0, at), text.slice(at).replace(/^(?=[ \t]*&gt;)/, JOINER)];
  const isOpen = !text.startsWith('```') && (head.match(/`/g)?.length ?? 0) % 2 === 1;
  if (!isOpen) return [head, rest];
  // Nothing between them would be two backticks, which are none.
  return [head.endsWith('`') ? head.slice(0, -1) : `${head}\``, `\`${rest}`];
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
export function mrkdwnPieces(text: string, most: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const line = rest.lastIndexOf('\n', most);
    if (line > most / 2) {
      pieces.push(rest.slice(0, line));
      rest = rest.slice(line + 1);
    } else {
      const [head, tail] = cutInTwo(rest, most);
      pieces.push(head);
      rest = tail;
    }
  }
  return [...pieces, rest];
}

/** Outside text or ready mrkdwn → the string that goes into a mrkdwn text object. */
export function mrkdwnOf(words: Words): string {
  return words instanceof Mrkdwn ? words.value : escaped(String(words));
}

/** The template tag. */
export function mrkdwn(strings: TemplateStringsArray, ...values: Words[]): Mrkdwn {
  return new Mrkdwn(
    strings.reduce((text, part, index) => text + part + (index < values.length ? mrkdwnOf(values[index]!) : ''), ''),
  );
}

/** Several words after another, with a separator that is mrkdwn itself. */
export function join(words: Words[], separator = ' '): Mrkdwn {
  return new Mrkdwn(words.map(mrkdwnOf).join(separator));
}

/** A list, one line each. */
export const bullets = (lines: readonly Words[]): Mrkdwn =>
  join(
    lines.map((line) => mrkdwn`• ${line}`),
    '\n',
  );

/** Inline code: nothing in it is formatted or linked. Backticks become ˋ, line breaks spaces. */
export function code(text: string | number): Mrkdwn {
  const inner = visible(String(text).replace(/[\r\n]+/g, ' '))
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/`/g, 'ˋ');
  return new Mrkdwn(inner === '' ? '' : `\`${inner}\``);
}

/** Bold text. */
export function bold(words: Words): Mrkdwn {
  return new Mrkdwn(`*${mrkdwnOf(words)}*`);
}

/** A Slack user, shown by Slack under the name that the reader knows. Only for ids that Slack gave us. */
export function user(id: string): Mrkdwn {
  return new Mrkdwn(/^[UWB][A-Z0-9]+$/.test(id) ? `<@${id}>` : escaped(id));
}

/** Only for text that we wrote ourselves: `code`, `<@U…>` and `<#C…>` in it act, everything else is escaped. */
export function written(text: string): Mrkdwn {
  return join(
    text.split(/(`[^`]+`|<[@#][A-Z0-9]+>)/).map((part): Words => {
      if (/^<[@#][A-Z0-9]+>$/.test(part)) return new Mrkdwn(part);
      return part.length > 2 && part.startsWith('`') ? code(part.slice(1, -1)) : part;
    }),
    '',
  );
}

/** Words of the policy. A pattern is shown as code: two stars in a sentence would make what is between them bold. */
export function ruleWords(text: string): Mrkdwn {
  return join(
    text.split(/([^\s,;()]*\*[^\s,;()]*)/).map((part, at) => (at % 2 === 1 ? code(part) : part)),
    '',
  );
}

/** A moment in the reader's own time zone, with UTC as the text for clients that cannot show it. */
export function moment(date: Date): Mrkdwn {
  const utc = `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return new Mrkdwn(`<!date^${Math.floor(date.getTime() / 1000)}^{date_short_pretty} {time}|${utc}>`);
}

/** mrkdwn → the plain text that `text` (notifications, screen readers) shows. */
export function plain(words: Words): string {
  return mrkdwnOf(words)
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1')
    .replaceAll(JOINER, '');
}
