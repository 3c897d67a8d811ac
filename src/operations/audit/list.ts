import { commandButton, formButton } from '../../blocks/buttons.ts';
import { dayAndTime } from '../../blocks/format.ts';
import { actions, message, nothing } from '../../blocks/message.ts';
import { table } from '../../blocks/table.ts';
import { flagged, number } from '../arguments/plain.ts';
import { peopleCalled } from '../context.ts';
import { defineOperation } from '../operation.ts';
import { changeOf, filterArguments, filterLine, filterOf, filterWords } from './filter.ts';

const USUAL = 25;

export const auditList = defineOperation({
  name: 'audit list',
  summary: 'Show who did what, where, and how it ended',
  synonyms: {
    verbs: 'who, did, done, changed, changes, happened, who did',
    nouns: 'history, changes, audit log, trail, audit trail',
  },
  effect: 'read',
  args: {
    ...filterArguments,
    limit: flagged(number('Limit', { minimum: 1, maximum: 100, also: ['last', 'latest', 'entries', 'changes'] })),
    before: flagged(
      number('Before', { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, hint: 'Only entries with a smaller number' }),
    ),
  },
  examples: [
    'audit list',
    'audit list --changes --target shop',
    'audit list --actor @ada',
    'audit list --command "token regenerate"',
  ],

  target: (args) => filterWords(args),

  async run({ limit, before, ...args }, context) {
    const { audit, names } = context;
    const entries = await audit.list({ ...(await filterOf(args, context)), before, limit: limit ?? USUAL });
    const channels = [...new Set(entries.map(({ channel }) => channel))];
    return {
      entries,
      people: await peopleCalled(
        entries.flatMap(({ actor, detail }) => [actor, ...approversIn(detail)]),
        names,
      ),
      places: new Map(await Promise.all(channels.map(async (id) => [id, await names.channel(id)] as const))),
    };
  },

  render: ({ entries, people, places }, { limit, before: _, ...args }, reader) =>
    entries.length === 0
      ? nothing('Nothing is remembered that fits.')
      : message(
          table({
            caption: 'Audit, newest first',
            columns: [
              'No.',
              'When',
              'Who',
              'Command',
              'Target',
              'Outcome',
              'Change',
              'Detail',
              'Where',
              'Rule',
              'Reference',
            ],
            rows: entries.map((entry) => [
              entry.number,
              dayAndTime(entry.at, reader),
              people.get(entry.actor) ?? entry.actor,
              entry.operation,
              entry.target,
              entry.outcome,
              changeOf(entry),
              withNames(entry.detail, people),
              places.get(entry.channel) ?? entry.channel,
              entry.rule ?? '',
              entry.interaction ?? entry.reference ?? '',
            ]),
          }),
          entries.length === (limit ?? USUAL) &&
            actions(
              commandButton(
                'Older',
                `audit list ${filterLine(args)} --limit ${limit ?? USUAL} --before ${entries.at(-1)?.number ?? 1}`,
              ),
            ),
          actions(
            formButton('Filter …', `audit list ${filterLine(args)}`),
            commandButton('All as a file', `audit export ${filterLine(args)}`),
            commandButton('Verify', 'audit verify'),
          ),
        ),
});

function approversIn(detail: string): string[] {
  return /^approved by (.+)$/.exec(detail)?.[1]?.split(', ') ?? [];
}

function withNames(detail: string, people: ReadonlyMap<string, string>): string {
  const approvers = approversIn(detail);
  return approvers.length === 0 ? detail : `approved by ${approvers.map((id) => people.get(id) ?? id).join(', ')}`;
}
