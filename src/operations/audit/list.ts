import { time } from '../../blocks/format.ts';
import { actions, commandButton, message, note } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { table } from '../../blocks/table.ts';
import { flagged, number } from '../arguments/plain.ts';
import { defineOperation } from '../operation.ts';
import { changeOf, filterArguments, filterLine, filterOf } from './filter.ts';

const MOST = 100;
const USUAL = 25;

export const auditList = defineOperation({
  name: 'audit list',
  summary: 'Show who did what, where, and how it ended',
  effect: 'read',
  args: {
    ...filterArguments,
    limit: flagged(number('Limit', { minimum: 1, maximum: MOST })),
    before: flagged(
      number('Before', { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, hint: 'Only entries with a smaller number' }),
    ),
  },
  examples: ['audit list', 'audit list --target shop', 'audit list --command "token regenerate"'],

  target: (args) => filterLine(args) || 'everything',

  run: ({ limit, before, ...args }, { audit }) => audit.list({ ...filterOf(args), before, limit: limit ?? USUAL }),

  render: (entries, { limit, before: _, ...args }, reader) =>
    entries.length === 0
      ? message('Nothing is remembered that fits.')
      : message(
          table({
            caption: 'Audit, newest first',
            columns: [
              { label: 'No.' },
              { label: 'When' },
              { label: 'Who' },
              { label: 'Command' },
              { label: 'Target' },
              { label: 'Outcome' },
              { label: 'Change' },
              { label: 'Detail' },
              { label: 'Rule' },
              { label: 'Reference' },
            ],
            rows: entries.map((entry) => [
              entry.number,
              time(entry.at, reader),
              entry.actor,
              entry.operation,
              entry.target,
              entry.outcome,
              changeOf(entry),
              entry.detail,
              entry.rule ?? '',
              entry.reference ?? '',
            ]),
          }),
          entries.length === (limit ?? USUAL) &&
            actions(
              commandButton(
                'Older',
                `audit list ${filterLine(args)} --limit ${limit ?? USUAL} --before ${entries.at(-1)?.number ?? 1}`,
              ),
            ),
          note(
            mrkdwn`Filter with ${code('--actor')}, ${code('--command')} and ${code('--target')}. ${code('/edge audit export')} gives all of them, ${code('/edge audit verify')} proves that none was changed.`,
          ),
        ),
});
