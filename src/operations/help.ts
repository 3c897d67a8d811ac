import { commandButton } from '../blocks/buttons.ts';
import { actions, message, note, section } from '../blocks/message.ts';
import { bold, code, join, mrkdwn } from '../blocks/mrkdwn.ts';
import { UsageError } from '../errors.ts';
import { optional, rest } from './arguments/plain.ts';
import { type AnyOperation, defineOperation } from './operation.ts';
import { flagNameOf, usageOf } from './usage.ts';

interface Help {
  topic: string | undefined;
  /** The one that was asked for, or all (of a noun). */
  one?: AnyOperation;
  several: readonly AnyOperation[];
  /** How many more there are that this person may not run. */
  hidden: number;
}

export const help = defineOperation({
  name: 'help',
  summary: 'List the commands, or explain one',
  effect: 'read',
  args: { topic: optional(rest('Command', { hint: 'A command or its first word' })) },
  examples: ['help', 'help ssl force'],

  target: ({ topic }) => topic ?? 'all commands',

  run: async ({ topic }, { policy }): Promise<Help> => {
    const wanted = topic?.trim().toLowerCase().replace(/\s+/g, ' ');
    const all = policy.all().filter((operation) => operation.offeredBy === undefined);
    const permitted = policy.permitted().filter((operation) => operation.offeredBy === undefined);
    if (wanted === undefined || wanted === '') {
      return { topic: undefined, several: permitted, hidden: all.length - permitted.length };
    }
    const one = all.find((operation) => operation.name === wanted);
    if (one !== undefined) return { topic: wanted, one, several: [one], hidden: permitted.includes(one) ? 0 : 1 };
    const ofNoun = all.filter((operation) => operation.name.split(' ')[0] === wanted);
    if (ofNoun.length === 0)
      throw new UsageError(`There is no command “${wanted}”.`, { hint: '`/edge help` lists all commands.' });
    const several = ofNoun.filter((operation) => permitted.includes(operation));
    return { topic: wanted, several, hidden: ofNoun.length - several.length };
  },

  render: ({ one, several, hidden, topic }) => {
    if (one !== undefined) return message(...explanation(one, hidden === 0));
    const nouns = [...new Set(several.map((operation) => operation.name.split(' ')[0]!))];
    return message(
      topic === undefined &&
        section(
          'Edgewise operates your edge platform from Slack: it shows what will change, asks, does it once, and remembers who did it.',
        ),
      ...nouns.map((noun) =>
        section(
          join(
            several
              .filter((operation) => operation.name.split(' ')[0] === noun)
              .map((operation) => mrkdwn`${code(`/edge ${usageOf(operation)}`)}\n${operation.summary}`),
            '\n',
          ),
        ),
      ),
      hidden > 0 &&
        note(
          mrkdwn`${hidden} more ${hidden === 1 ? 'command is' : 'commands are'} not for you here. ${code('/edge can-i <command>')} says why.`,
        ),
      note(mrkdwn`A command without its arguments opens a form. ${code('/edge help <command>')} explains one.`),
    );
  },
});

function explanation(operation: AnyOperation, permitted: boolean) {
  const args = Object.entries(operation.args);
  return [
    section(mrkdwn`*${operation.summary}*\n${code(`/edge ${usageOf(operation)}`)}`),
    args.length > 0 &&
      section(
        join(
          args.map(([key, kind]) => {
            const name = kind.shape === 'flag' || kind.shape === 'switch' ? `--${flagNameOf(key)}` : flagNameOf(key);
            const values = kind.usage === undefined ? '' : ` (${kind.usage.replaceAll('|', ', ')})`;
            return mrkdwn`${code(name)} ${kind.label}${values}${kind.required ? '' : ', may be left out'}${kind.hint === undefined ? '' : `. ${kind.hint}`}`;
          }),
          '\n',
        ),
      ),
    operation.examples !== undefined &&
      section(
        mrkdwn`*Examples*\n${join(
          operation.examples.map((line) => code(`/edge ${line}`)),
          '\n',
        )}`,
      ),
    note(
      operation.effect === 'read'
        ? mrkdwn`${bold('Reads only')}: only you see the answer, with a button to share it.`
        : operation.effect === 'write'
          ? mrkdwn`${bold('Changes something')}: shows what will change and asks first.`
          : mrkdwn`${bold('Cannot be taken back')}: shows what will happen and asks for the name to be typed.`,
    ),
    permitted
      ? actions(commandButton('Fill in a form', operation.name))
      : note(mrkdwn`You may not run it here. ${code(`/edge can-i ${operation.name}`)} says why.`),
  ];
}
