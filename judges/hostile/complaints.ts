import { validateMessage, validateOptions, validateView } from '../../playground/slack/block-kit/validate.ts';
import { BEGIN, END } from '../../test/support/hostile-texts.ts';

/** What may not come out: characters that reorder, hide or control, and halves of characters. */
const UNSEEN =
  /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}\p{Default_Ignorable_Code_Point}\u00ad\ufff9-\ufffb]/u;

/** Joiners and line ends may be in files. */
const UNSEEN_IN_FILES = /(?![\t\n\r])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/u;

/** What mrkdwn of ours may have in angle brackets: people and channels that Slack named, and moments. */
const OURS =
  /^<(?:@U[A-Z0-9]*|#C[A-Z0-9]*|!date\^-?\d+\^(?:\{date_short_pretty\} )?\{time\}\|(?:[\d: +-]+|[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2}\s[AP]M) UTC)>$/;
const THEIRS = /EVIL/;

/** Outside text in what came out; a mark that was cut off ends it at the end. */
const REGION = new RegExp(`${BEGIN}([^${END}…]*)(?:${END}|…|$)`, 'g');

/** A mark may stand inside code while its other one stands outside. */
const UNMARKED = new RegExp(`[^${BEGIN}${END}]`, 'g');

/** Outside of code no sign formats: `_` may stand between ASCII letters, the others nowhere. */
const FORMATS = /[*~]|(?<![a-z\d])_|_(?![a-z\d])/iu;
const EMOJI = /:(?!\d+:)[\p{L}\p{M}\p{N}_+'-]+:/u;
const QUOTES = /^(?:>|&gt;)/m;

/** A complaint, with where it is and what stands there. */
type Complain = (what: string, shown: string) => void;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** What mrkdwn does to outside text that it should not. */
function readMrkdwn(text: string, complain: Complain): void {
  for (const [token] of text.matchAll(/<[^<>]*>?|>/g)) {
    if (!OURS.test(token) || THEIRS.test(token)) complain('a live bracket', token);
  }
  if (/&(?!(?:amp|lt|gt);)/.test(text)) complain('a cut entity', text.slice(0, 80));
  const ticks = text.match(/`+/g) ?? [];
  if (ticks.some((run) => run.length > 1)) complain('a fence in a line', text.slice(0, 80));
  for (const line of text.split('\n')) {
    if ((line.match(/`/g) ?? []).length % 2 === 1) complain('a code that does not end', line.slice(0, 80));
    const outsideCode = line.replace(/`[^`]*`/g, (code) => code.replace(UNMARKED, ''));
    for (const [, region = ''] of outsideCode.matchAll(REGION)) {
      if (FORMATS.test(region)) complain('a sign that formats', region);
      if (EMOJI.test(region)) complain('an emoji', region);
    }
  }
  if (QUOTES.test(text)) complain('a quotation', text.slice(0, 80));
}

function readObject(
  value: Record<string, unknown>,
  at: string,
  complain: (at: string, what: string, shown: string) => void,
) {
  const { type, text } = value;
  if (typeof text !== 'string') return;
  if (type === 'mrkdwn') {
    if (value.verbatim !== true) complain(at, 'links made by Slack', text.slice(0, 60));
    readMrkdwn(text, (what, shown) => complain(at, what, shown));
  }
  if (type === 'plain_text' && value.emoji !== false && /:[^\s:]+:/.test(text))
    complain(at, 'an emoji', text.slice(0, 60));
}

/** Keys whose texts are for the bot itself and are never shown. */
const OWN = new Set([
  'value',
  'private_metadata',
  'action_id',
  'block_id',
  'callback_id',
  'initial_value',
  'initial_date',
]);

function walk(value: unknown, at: string, complain: (at: string, what: string, shown: string) => void): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item, `${at}/${index}`, complain);
    return;
  }
  if (!isObject(value) || Buffer.isBuffer(value)) return;
  readObject(value, at, complain);
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'string') walk(item, `${at}/${key}`, complain);
    else if (!OWN.has(key) && UNSEEN.test(item)) complain(`${at}/${key}`, 'an unseen character', unseenIn(item));
  }
}

const unseenIn = (text: string) =>
  `U+${UNSEEN.exec(text)?.[0].codePointAt(0)?.toString(16)} in ${JSON.stringify(text.slice(0, 80))}`;

/** The fields of a CSV text (RFC 4180). */
function fieldsOf(csv: string): string[] {
  return [...csv.matchAll(/(?:^|[,\n])(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}

const FORMULA = /^[\s\p{C}\p{Z}]*[=+\-@|%＝＋－＠]/u;
/** Numbers may be negative. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** What is wrong with a file as it would be uploaded. */
export function readFile(file: Record<string, unknown>, complain: Complain): void {
  const { name, title, content } = file;
  if (typeof name !== 'string' || !/^[\w.-]{1,120}$/.test(name) || name.startsWith('.'))
    complain('a file name', String(name));
  for (const text of [title, content]) {
    if (typeof text === 'string' && UNSEEN_IN_FILES.test(text))
      complain('an unseen character in a file', unseenIn(text));
  }
  if (typeof name !== 'string' || !name.endsWith('.csv')) return;
  const formula = fieldsOf(String(content)).find((field) => FORMULA.test(field) && !NUMBER.test(field));
  if (formula !== undefined) complain('a formula', JSON.stringify(formula.slice(0, 60)));
}

/** The twin in text is read out and shown in notifications: nothing in it mentions, links or reorders, nor formats where it is mrkdwn. */
function readTwin(text: string, isPlain: boolean, complain: Complain): void {
  for (const [token] of text.matchAll(/<[^<>]*>?|>/g)) {
    if (!OURS.test(token) || THEIRS.test(token)) complain('a live bracket in the text', token);
  }
  if (UNSEEN.test(text)) complain('an unseen character in the text', unseenIn(text));
  if (!isPlain) readMrkdwn(text, complain);
}

/** Everything that is wrong with a message as it would be sent. */
export function messageComplaints(
  message: { text: string; blocks: readonly unknown[]; files?: readonly unknown[] },
  isPlain = true,
): string[] {
  const found = new Set<string>();
  const complain = (at: string, what: string, shown: string) =>
    void found.add(`${what} at ${at.replace(/\/\d+/g, '/#')}: ${shown}`);
  for (const { pointer, message: words } of validateMessage(message)) complain(pointer, words, '');
  walk(message.blocks, '/blocks', complain);
  readTwin(message.text, isPlain, (what, shown) => complain('/text', what, shown));
  for (const file of message.files ?? [])
    if (isObject(file)) readFile(file, (what, shown) => complain('/files', what, shown));
  return [...found];
}

/** Everything that is wrong with a view as it would be sent. */
export function viewComplaints(view: { type: string; blocks: readonly unknown[] }): string[] {
  const found = new Set<string>();
  const complain = (at: string, what: string, shown: string) =>
    void found.add(`${what} at ${at.replace(/\/\d+/g, '/#')}: ${shown}`);
  for (const { pointer, message } of validateView(view, view.type === 'home' ? 'home' : 'modal'))
    complain(pointer, message, '');
  walk(view, '/view', complain);
  return [...found];
}

/** Everything that is wrong with suggestions as they would be sent. */
export function optionComplaints(options: readonly unknown[]): string[] {
  const found = new Set<string>();
  const complain = (at: string, what: string, shown: string) =>
    void found.add(`${what} at ${at.replace(/\/\d+/g, '/#')}: ${shown}`);
  for (const { pointer, message } of validateOptions({ options })) complain(pointer, message, '');
  walk(options, '/options', complain);
  return [...found];
}
