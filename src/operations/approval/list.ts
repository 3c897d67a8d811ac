import { dayAndTime } from '../../blocks/format.ts';
import { message } from '../../blocks/message.ts';
import { table } from '../../blocks/table.ts';
import { peopleCalled } from '../names.ts';
import { defineOperation } from '../operation.ts';

export const listApprovals = defineOperation({
  name: 'approval list',
  summary: 'Show which changes wait for an approval',
  effect: 'read',
  args: {},

  target: () => 'approvals',

  async run(_, { approvals, names }) {
    const waiting = await approvals.waiting();
    return {
      waiting,
      people: await peopleCalled(
        waiting.flatMap(({ actor, approvedBy }) => [actor, ...approvedBy]),
        names,
      ),
    };
  },

  render: ({ waiting, people }, _, reader) =>
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
              dayAndTime(one.askedAt, reader),
              dayAndTime(one.until, reader),
              people.get(one.actor) ?? one.actor,
              one.operation,
              one.target,
              one.needs,
              one.approvedBy.map((id) => people.get(id) ?? id).join(', '),
              one.reason,
            ]),
          }),
        ),
});
