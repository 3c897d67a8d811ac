import type { Outgoing } from '../../playground/slack/slack.ts';
import { readCommand } from '../../src/operations/grammar.ts';
import { operations } from '../../src/operations/index.ts';

/** So many blocks Slack takes in a message, and in a view. */
const MOST_BLOCKS = { message: 50, view: 100 };

/** A line of the grammar. It stands in help, and in code, alone. */
const GRAMMAR = /\/edge\b|(?<![\w-])--[a-z]/;
/** In a table a flag alone is what people keep in a database, as in `SELECT '--csv'`; with a value or a command it is grammar. */
const GRAMMAR_IN_TABLE = /\/edge\b|\S\s+--[a-z]|(?<![\w-])--[a-z][\w-]*\s+\S/;
/** What was typed wrong is named as it was typed, and the button that types it right too. */
const AS_TYPED = / has no --|^--\S+ (needs a value|is given twice)|comes after the SQL|^Use /;
/** So many characters of a title are compared. */
const TITLE = 100;
/** A time of day, and the name of a zone. */
const TIME = /\b([01]?\d|2[0-3]):[0-5]\d\b/;
const ZONE = /\b(UTC|GMT|[CEMP][DES]T|CEST|[A-Z][a-z]+\/[A-Z]\w+)\b|\dZ\b/;
/** A moment as a database has it: what people keep there is theirs. */
const DATA = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g;
const DATE_TOKEN = /<!date\^[^>|]*\|([^>]*)>/g;
const NATIVE = new Set(['data_table', 'data_visualization']);
const TABLES = new Set([...NATIVE, 'rich_text_preformatted']);
/** A usage with what has to be filled in: nobody types that at three in the morning. */
const USAGE = /`\/edge [^`]*[<[][a-z-]+[^`]*`/;
/** So many lines of prose are read before the fold; what is longer is a native table, or behind *More*. */
const BEFORE_THE_FOLD = 12;

/** Beside a field they show how it is filled in. */
const EXAMPLES = new Set(['hint', 'placeholder']);
const NOTHING = { prose: [], tables: [] };

type Fields = Readonly<Record<string, unknown>>;

/** Words that a person reads: in prose, each as its mrkdwn or plain text, and in tables, charts and code. Values and ids are none. */
function wordsIn(given: unknown, isTable = false): { prose: string[]; tables: string[] } {
  if (typeof given !== 'object' || given === null) return NOTHING;
  const { text, caption, title, type } = given as Fields;
  const own = [text, caption, title].filter((one) => typeof one === 'string');
  const inTable = isTable || TABLES.has(String(type)) || (given as { style?: Fields }).style?.code === true;
  const parts = Object.entries(given).map(([key, one]) => (EXAMPLES.has(key) ? NOTHING : wordsIn(one, inTable)));
  return {
    prose: [...(inTable ? [] : own), ...parts.flatMap(({ prose }) => prose)],
    tables: [...(inTable ? own : []), ...parts.flatMap(({ tables }) => tables)],
  };
}

const shown = (mrkdwn: string): string => mrkdwn.replaceAll(DATE_TOKEN, '$1');
const withoutCode = (mrkdwn: string): string => mrkdwn.replaceAll(/`[^`]*`/g, '`…`');
/** Words alone: the twin has no signs that format. */
const bare = (text: string): string =>
  shown(text)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/<[@#]([A-Z0-9]+)(\|[^>]*)?>/g, '$1')
    .replaceAll(/<https?:[^|>]*\|([^>]*)>/g, '$1')
    .replaceAll(/[*_`~<>@#\s]/g, '');

/** What a person could not read in five seconds of a message: nothing, where it keeps the rules. */
export function unreadable({ text, blocks }: { text: string; blocks: readonly object[] }): string[] {
  const first = wordsIn(blocks[0]);
  const [title = ''] = (first.prose[0] ?? first.tables[0] ?? '').split('\n');
  const [top = ''] = text.split('\n');
  return [
    ...unreadableBlocks(blocks, MOST_BLOCKS.message),
    // What has to be decided is shown whole, and what was not done, both as it was and as it is.
    ...(linesOf(blocks) > BEFORE_THE_FOLD && !/\?$|^Not (done|undone)/.test(top) ? [`${linesOf(blocks)} lines`] : []),
    ...(bare(top).startsWith(bare(title).slice(0, TITLE))
      ? []
      : [`its text begins with ${top}, its blocks with ${title}`]),
  ].map((one) => `${one} [${text.slice(0, TITLE)}]`);
}

/** Lines of prose, two fields beside each other; what a table, a chart or buttons take is not read line by line. */
function linesOf(blocks: readonly object[]): number {
  const lines = (text: unknown): number => (typeof text === 'string' ? text.split('\n').length : 0);
  return (blocks as Fields[]).reduce((sum, { type, text, fields, elements }) => {
    const pairs = ((fields ?? []) as Fields[]).map((field) => lines(field.text));
    const rows = pairs.filter((_, at) => at % 2 === 0).map((many, at) => Math.max(many, pairs[2 * at + 1] ?? 0));
    const notes = type === 'context' ? ((elements ?? []) as Fields[]).map((one) => lines(one.text)) : [];
    const own = lines((text as Fields | undefined)?.text);
    return sum + own + [...rows, ...notes].reduce((all, many) => all + many, 0);
  }, 0);
}

function unreadableBlocks(blocks: readonly object[], most: number): string[] {
  const { prose, tables } = wordsIn(blocks);
  const words = prose.map((one) => shown(withoutCode(one)));
  // A column of times names its zone once, in the table itself where that stands alone.
  const isZoned = words.some((one) => ZONE.test(one));
  const timesOf = (all: readonly string[]) =>
    isZoned || all.some((one) => ZONE.test(one)) ? undefined : all.find((one) => TIME.test(one.replaceAll(DATA, '')));
  const native = blocks.filter((block) => NATIVE.has(String((block as Fields).type))).map((one) => wordsIn(one).tables);
  const notes = blocks.filter((block) => (block as Fields).type === 'context').flatMap((one) => wordsIn(one).prose);
  const times = [...native, tables].map(timesOf).find((one) => one !== undefined);
  return [
    ...native
      .flat()
      .filter((one) => GRAMMAR_IN_TABLE.test(one))
      .map((one) => `grammar in a table: ${one}`),
    ...notes.filter((one) => USAGE.test(one)).map((one) => `a usage in a note: ${one}`),
    ...(blocks.length > most ? [`${blocks.length} blocks`] : []),
    ...words.filter((one) => GRAMMAR.test(one) && !AS_TYPED.test(one)).map((one) => `grammar: ${one}`),
    ...words.filter((one) => TIME.test(one) && !ZONE.test(one)).map((one) => `a time without a zone: ${one}`),
    ...(times === undefined ? [] : [`a table of times without a zone: ${times}`]),
  ];
}

/** Buttons that would type a line which is no command. */
function wrongButtonsIn(given: unknown): string[] {
  if (typeof given !== 'object' || given === null) return [];
  const { action_id, value = '' } = given as Fields;
  const inside = Object.values(given).flatMap(wrongButtonsIn);
  // An option of a menu has both in its value.
  const [, line] =
    /^(?:command|form):([\s\S]*)$/.exec(action_id === undefined ? String(value) : String(action_id)) ?? [];
  if (line === undefined) return inside;
  try {
    readCommand(action_id === undefined ? line : String(value), operations);
    return inside;
  } catch (error) {
    return [...inside, `a button for “${line}”: ${(error as Error).message}`];
  }
}

const parsed = (given: unknown): unknown => (typeof given === 'string' ? JSON.parse(given) : given);

/** The same of what the bot sent to Slack, and of its views. */
export function unreadableIn({ body, error }: Outgoing): string[] {
  if (error !== undefined || typeof body !== 'object' || body === null) return [];
  const { text, blocks, view } = body as Fields;
  if (view !== undefined) {
    const shownBlocks = (parsed(view) as { blocks?: object[] }).blocks ?? [];
    return [...unreadableBlocks(shownBlocks, MOST_BLOCKS.view), ...wrongButtonsIn(shownBlocks)];
  }
  const shownBlocks = parsed(blocks) as object[] | undefined;
  if (!Array.isArray(shownBlocks) || shownBlocks.length === 0) return [];
  return [...unreadable({ text: String(text ?? ''), blocks: shownBlocks }), ...wrongButtonsIn(shownBlocks)];
}
