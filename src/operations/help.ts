import { commandButton } from '../blocks/buttons.ts';
import { actions, message, note, section } from '../blocks/message.ts';
import { bold, code, join, type Mrkdwn, mrkdwn } from '../blocks/mrkdwn.ts';
import { UsageError } from '../errors.ts';
import { optional, rest } from './arguments/plain.ts';
import { defineOperation } from './operation.ts';
import type { ArgumentListing, OperationListing } from './policy-view.ts';

interface Help {
  topic: string | undefined;
  /** The one that was asked for, or all (of a noun). */
  one?: OperationListing;
  several: readonly OperationListing[];
  /** How many more there are that this person may not run. */
  hidden: number;
}

export const help = defineOperation({
  name: 'help',
  summary: 'List the commands, or explain one',
  effect: 'read',
  args: { topic: optional(rest('Command', { hint: 'A command or its first word' })) },
  examples: ['help', 'help ssl force'],
  permission: 'every member',
  audited: 'never',
  alsoTyped: 'as nothing or a noun',

  target: ({ topic }) => topic ?? 'all commands',

  run: async ({ topic }, { policy }): Promise<Help> => {
    const wanted = topic?.trim().toLowerCase().replace(/\s+/g, ' ');
    const all = policy.operations().filter(({ offeredBy }) => offeredBy === undefined);
    const one = all.find(({ name }) => name === wanted);
    if (one !== undefined) return { topic: wanted, one, several: [one], hidden: one.allowed ? 0 : 1 };
    const isAll = wanted === undefined || wanted === '';
    const meant = isAll ? all : all.filter(({ name }) => name.split(' ')[0] === wanted);
    if (meant.length === 0)
      throw new UsageError(`There is no command “${wanted}”.`, { hint: '`/edge help` lists all commands.' });
    const several = meant.filter(({ allowed }) => allowed);
    return { topic: isAll ? undefined : wanted, several, hidden: meant.length - several.length };
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
              .map((operation) => mrkdwn`${code(`/edge ${operation.usage}`)}\n${operation.summary}`),
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

function explanation(operation: OperationListing, permitted: boolean) {
  return [
    section(mrkdwn`${bold(operation.summary)}\n${code(`/edge ${operation.usage}`)}`),
    operation.args.length > 0 && section(join(operation.args.map(argumentLine), '\n')),
    operation.examples.length > 0 &&
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

function argumentLine({ name, label, values, presence, hint }: ArgumentListing): Mrkdwn {
  const words = values.length === 0 ? '' : ` (${values.join(', ')})`;
  const optional = presence === 'required' ? '' : ', may be left out';
  return mrkdwn`${code(name)} ${label}${words}${optional}${hint === undefined ? '' : `. ${hint}`}`;
}
