/** The composer's suggestions for the line in it: names of slash commands, people and channels. */
import type { UiState } from '../slack/ui-types.ts';

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
}

/** The suggestions for a line with its caret; undefined where there is nothing to say. */
export function suggestionsFor(typed: Typed): Offer | undefined {
  const { text, thread } = typed;
  return text.startsWith('/') && !thread ? commandOffer(typed) : mentionOffer(typed);
}

function commandOffer({ text, state }: Typed): Offer | undefined {
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
  // Slack completes the name of a command and nothing behind it; the usage hint stays.
  const command = state.commands.find((each) => each.command === first);
  if (!command) return undefined;
  const usage = { line: `${first} ${command.usageHint}`.trim(), summary: command.description };
  return { title: 'Commands', list: [], eager: false, usage };
}

function suggestion(words: string, usage: string, summary: string, range: { from: number; to: number }): Suggestion {
  return { words, usage, summary, insert: `${words} `, ...range };
}

function mentionOffer({ text, caret, state }: Typed): Offer | undefined {
  const before = text.slice(0, caret);
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
