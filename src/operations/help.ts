import { commandButton, formButton } from '../blocks/buttons.ts';
import { actions, message, note, type Part, section } from '../blocks/message.ts';
import { bold, code, join, type Mrkdwn, mrkdwn } from '../blocks/mrkdwn.ts';
import { table } from '../blocks/table.ts';
import { UsageError } from '../errors.ts';
import { slash, toType } from '../own-name.ts';
import { optional, rest } from './arguments/plain.ts';
import type { ListedArgument, ListedOperation } from './context.ts';
import { argumentName, usageOf } from './grammar.ts';
import { defineOperation } from './operation.ts';

/** Nouns by group. The help shows the first three commands of each group. */
const GROUPS: readonly { title: string; nouns: readonly string[] }[] = [
  { title: 'HTTPS and certificates', nouns: ['ssl', 'certificate'] },
  { title: 'Cache and zones', nouns: ['cache', 'zone'] },
  { title: 'Attacks', nouns: ['security', 'block', 'limit', 'attack'] },
  { title: 'Bots and request validation', nouns: ['bot', 'guardian'] },
  { title: 'Errors and logs', nouns: ['errors', 'log'] },
  { title: 'Statistics', nouns: ['stats', 'balance'] },
  { title: 'Scripts and applications', nouns: ['variable', 'script', 'app', 'volume'] },
  { title: 'Databases, tokens and keys', nouns: ['database', 'token', 'key', 'token-for-agents'] },
  {
    title: 'Reports, audit and rights',
    nouns: ['report', 'changes', 'audit', 'approval', 'can-i', 'now', 'status', 'help'],
  },
];

interface Help {
  shows: 'menu' | 'all' | 'found' | 'one';
  operations: readonly ListedOperation[];
  /** Commands that this person may not run. */
  hidden: number;
}

const ALL = 'all';

export const help = defineOperation({
  name: 'help',
  summary: 'List the commands, or explain one',
  synonyms: { verbs: 'what can you do, explain, describe', nouns: 'commands, manual, what can you, usage' },
  effect: 'read',
  args: {
    topic: optional(rest('Command', { hint: 'A command, its first word, or what it is about' }), {
      fromMessage: 'command',
    }),
  },
  examples: ['help ssl force', 'help https'],
  permission: 'every member',
  audited: 'never',
  alsoTyped: 'as nothing or a noun',

  target: ({ topic }) => topic ?? 'all commands',

  run: async ({ topic = '' }, { policy }): Promise<Help> => {
    const wanted = topic
      .trim()
      .toLowerCase()
      .replace(/\s+/g, ' ')
      .replace(/^(?:me|us|please|pls)$/, '');
    const all = policy.operations();
    const one = all.find(({ name }) => name === wanted);
    if (one !== undefined) return { shows: 'one', operations: [one], hidden: one.allowed ? 0 : 1 };
    const isAll = wanted === '' || wanted === ALL;
    const named = isAll ? all : all.filter(({ name }) => name.split(' ')[0] === wanted);
    const found = new Set(named.length > 0 ? [] : policy.search(wanted).slice(0, 5));
    const meant = named.length > 0 ? named : all.filter(({ name }) => found.has(name));
    if (meant.length === 0)
      throw new UsageError(`There is no command “${wanted}”.`, { hint: `${toType('help')} shows what there is.` });
    const operations = meant.filter(({ allowed }) => allowed);
    const ranked =
      found.size === 0 ? operations : [...found].flatMap((name) => operations.filter((own) => own.name === name));
    return {
      shows: wanted === '' ? 'menu' : isAll ? 'all' : 'found',
      operations: ranked,
      hidden: meant.length - ranked.length,
    };
  },

  render: ({ shows, operations, hidden }) => {
    const [one] = operations;
    if (shows === 'one' && one !== undefined) return message(...explanation(one, hidden === 0));
    const more =
      hidden > 0 &&
      note(
        mrkdwn`${hidden} more ${hidden === 1 ? 'command is' : 'commands are'} not available to you here. ${code(slash('can-i <command>'))} says why.`,
      );
    if (shows === 'found')
      return message(
        ...operations.flatMap((own) => [section(mrkdwn`${code(own.name)} ${own.summary}`), actions(openButton(own))]),
        more,
      );
    if (shows === 'all')
      return message(
        table({
          caption: 'All commands',
          columns: ['Command', 'What it does', 'Group'],
          rows: grouped(operations).flatMap(({ title, own }) => own.map(({ name, summary }) => [name, summary, title])),
        }),
        more,
      );
    return message(
      section(
        mrkdwn`*Edgewise* operates your edge platform. Type what you want, such as ${code(slash('errors of shop yesterday'))}, or press a button.`,
      ),
      ...menuParts(operations),
      more,
    );
  },
});

/** A noun without a group comes last. */
const groupOf = ({ name }: ListedOperation): string =>
  GROUPS.find(({ nouns }) => nouns.includes(name.split(' ')[0]!))?.title ?? 'More';

const grouped = (operations: readonly ListedOperation[]) =>
  [...GROUPS.map(({ title }) => title), 'More']
    .map((title) => ({ title, own: operations.filter((one) => groupOf(one) === title) }))
    .filter(({ own }) => own.length > 0);

/** Buttons for the goals, for the most common commands of each group, and for all commands. */
export function menuParts(operations: readonly ListedOperation[]): Part[] {
  const groups = grouped(operations);
  const wanted: [label: string, line: string][] = [
    ['What’s broken?', 'now'],
    ['Purge', 'cache purge'],
    ['Look at errors', 'errors show'],
    ['Who changed what', 'changes list'],
    ['HTTPS on or off', 'ssl force'],
  ];
  const goals = wanted.map(([label, line]) => {
    const own = operations.find(({ name }) => `${line} `.startsWith(`${name} `));
    return own !== undefined && (own.name === line ? openButton(own, label) : commandButton(label, line));
  });
  return [
    actions(...goals),
    ...groups.flatMap(({ title, own }, at) => [
      note(bold(title)),
      actions(
        ...own.slice(0, 3).map((one) => openButton(one)),
        at === groups.length - 1 && commandButton('All commands', `help ${ALL}`),
      ),
    ]),
  ];
}

/** An operation without arguments runs at once. */
const openButton = ({ name, args }: ListedOperation, label = name) =>
  (Object.keys(args).length === 0 ? commandButton : formButton)(label, name);

function explanation(operation: ListedOperation, permitted: boolean) {
  const { args, examples = [] } = operation;
  const lines = Object.entries(args).map(argumentLine);
  return [
    section(mrkdwn`${bold(operation.summary)}\n${code(slash(usageOf(operation)))}`),
    lines.length > 0 && section(join(lines, '\n')),
    examples.length > 0 &&
      section(
        mrkdwn`*Examples*\n${join(
          examples.slice(0, 2).map((line) => code(slash(line))),
          '\n',
        )}`,
      ),
    note(
      operation.effect === 'read'
        ? mrkdwn`${bold('Reads only')}: only you see the answer, with a button to share it.`
        : operation.effect === 'write'
          ? mrkdwn`${bold('Changes something')}: shows what will change and asks first.`
          : mrkdwn`${bold('Can’t be undone')}: shows what will happen and asks for the name to be typed.`,
    ),
    permitted
      ? actions(commandButton('Fill in a form', operation.name))
      : note(mrkdwn`You may not run it here. ${code(slash(`can-i ${operation.name}`))} says why.`),
  ];
}

function argumentLine([key, kind]: [string, ListedArgument]): Mrkdwn {
  const { label, usage, required, hint } = kind;
  const words = usage === undefined ? '' : ` (${usage.replaceAll('|', ', ')})`;
  return mrkdwn`${code(argumentName(key, kind))} ${label}${words}${required ? '' : ', optional'}${hint === undefined ? '' : `. ${hint}`}`;
}
