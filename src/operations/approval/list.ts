import { time } from '../../blocks/format.ts';
import { message } from '../../blocks/message.ts';
import { table } from '../../blocks/table.ts';
import { defineOperation } from '../operation.ts';

export const listApprovals = defineOperation({
  name: 'approval list',
  summary: 'Show which changes wait for an approval',
  effect: 'read',
  args: {},

  target: () => 'approvals',

  run: (_, { approvals }) => approvals.waiting(),

  render: (waiting, _, reader) =>
    waiting.length === 0
      ? message('Nothing waits for an approval.')
      : message(
          table({
            caption: 'Waiting for an approval, oldest first',
            columns: [
              { label: 'Asked' },
              { label: 'Until' },
              { label: 'Who' },
              { label: 'Command' },
              { label: 'Target' },
              { label: 'Needs' },
              { label: 'Approved by' },
              { label: 'Why' },
            ],
            rows: waiting.map((one) => [
              time(one.askedAt, reader),
              time(one.until, reader),
              one.actor,
              one.operation,
              one.target,
              // A table has no mentions.
              one.needs.replace(/<@([UW][A-Z0-9]+)>/g, '$1'),
              one.approvedBy.join(', '),
              one.reason,
            ]),
          }),
        ),
});
