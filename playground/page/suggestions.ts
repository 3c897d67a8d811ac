/** The composer's suggestions for the line in it: slash commands, their words, people and channels. */
import type { UiState } from '../slack/ui-types.ts';
import type { CommandHint, PageHints } from './hints.ts';

/** A completion of the line. */
export interface Suggestion {
  words: string;
  usage: string;
  summary: string;
  /** Taking it puts `insert` in place of the text between `from` and `to`. */
  insert: string;
  from: number;
  to: number;
}

/** All suggestions for a line. */
export interface Offer {
  title: string;
  list: Suggestion[];
  /** Enter takes the first one; otherwise Enter sends what is typed until an arrow chose. */
  eager: boolean;
  /** The one command that is being typed. */
  usage?: { line: string; summary: string };
}

interface Typed {
  text: string;
  caret: number;
  thread: boolean;
  state: UiState;
  hints: PageHints;
}

const most = 60;

/** The suggestions for a line with its caret; undefined where there is nothing to say. */
export function suggestionsFor(typed: Typed): Offer | undefined {
  const { text, thread } = typed;
  return text.startsWith('/') && !thread ? commandOffer(typed) : mentionOffer(typed);
}

function commandOffer({ text, state, hints }: Typed): Offer | undefined {
  if (text.includes('\n')) return undefined;
  const [first = '', ...rest] = text.split(' ');
  if (rest.length === 0) {
    const list = state.commands
      .filter(({ command }) => command.startsWith(first) && command !== text)
      .map((each) => suggestion(each.command, each.usageHint, each.description, { from: 0, to: text.length }));
    const exact = state.commands.find(({ command }) => command === first);
    if (exact)
      return {
        title: 'Commands',
        list: [suggestion(exact.command, exact.usageHint, exact.description, { from: 0, to: text.length })],
        eager: false,
      };
    return list.length > 0 ? { title: 'Commands', list, eager: true } : undefined;
  }
  const command = state.commands.find((each) => each.command === first);
  if (!command) return undefined;
  return wordsOffer(
    first,
    text.slice(first.length + 1),
    first.length + 1,
    hints.commands.length > 0 ? hints.commands : hintsOf(command.usageHint),
  );
}

/** Offers for what follows a command or a mention: nouns and verbs, then the arguments of the one that is typed. */
function wordsOffer(prefix: string, said: string, from: number, commands: CommandHint[]): Offer | undefined {
  const begun = said.toLowerCase().replace(/\s+/g, ' ').trimStart();
  const whole = commands
    .filter(({ words }) => begun === words || begun.startsWith(`${words} `))
    .sort((a, b) => b.words.length - a.words.length)[0];
  const range = { from, to: from + said.length };
  const list = commands
    .filter(({ words }) => words.startsWith(begun) && words !== begun.trim())
    .slice(0, most)
    .map((each) => suggestion(each.words, each.usage, each.summary, range));
  // A word in the middle, `force`, finds its noun too.
  const word = begun.trim();
  const inside =
    list.length === 0 && !whole && word.length > 1
      ? commands
          .filter(({ words, summary }) => words.includes(word) || summary.toLowerCase().includes(word))
          .slice(0, 8)
          .map((each) => suggestion(each.words, each.usage, each.summary, range))
      : [];
  const offer: Offer = { title: `${prefix} …`, list: [...list, ...inside], eager: false };
  if (whole) offer.usage = { line: `${prefix} ${whole.words} ${whole.usage}`.trim(), summary: whole.summary };
  return offer.list.length > 0 || offer.usage ? offer : undefined;
}

function suggestion(words: string, usage: string, summary: string, range: { from: number; to: number }): Suggestion {
  return { words, usage, summary, insert: `${words} `, ...range };
}

function mentionOffer({ text, caret, state, hints }: Typed): Offer | undefined {
  const before = text.slice(0, caret);
  const toBot = new RegExp(`^@${state.bot.name} `, 'i').exec(text);
  if (toBot) return wordsOffer(`@${state.bot.name}`, text.slice(toBot[0].length), toBot[0].length, hints.commands);
  const word = /(^|\s)([@#])([\w-]*)$/.exec(before);
  if (!word) return undefined;
  const query = (word[3] ?? '').toLowerCase();
  const range = { from: caret - query.length - 1, to: caret };
  const found =
    word[2] === '@'
      ? state.users
          .filter(({ name, realName }) => `${name} ${realName}`.toLowerCase().includes(query))
          .map((user) => suggestion(`@${user.name}`, user.realName, user.role === 'bot' ? 'App' : '', range))
      : state.channels
          .filter(({ kind, name }) => kind === 'channel' && name.includes(query))
          .map((channel) => suggestion(`#${channel.name}`, '', channel.topic, range));
  return found.length > 0
    ? { title: word[2] === '@' ? 'People' : 'Channels', list: found.slice(0, 8), eager: true }
    : undefined;
}

/** Words out of a usage hint such as `help | zone list | ssl force <hostname>`, where nothing better is known. */
export function hintsOf(usageHint: string): CommandHint[] {
  return usageHint
    .split(/\s*[|,;·]\s*(?![^<[]*[>\]])/)
    .map((each) => /^((?:[a-z][a-z-]*\s?)+)(.*)$/.exec(each.trim()))
    .flatMap((match) =>
      match ? [{ words: (match[1] ?? '').trim(), usage: (match[2] ?? '').trim(), summary: '' }] : [],
    );
}
