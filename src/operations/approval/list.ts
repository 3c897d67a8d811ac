import { BUTTONS, button } from '../../blocks/buttons.ts';
import { dayAndTime } from '../../blocks/format.ts';
import { actions, type Message, message } from '../../blocks/message.ts';
import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { table } from '../../blocks/table.ts';
import type { OwnApproval, Reader } from '../context.ts';
import { peopleCalled } from '../names.ts';
import { defineOperation } from '../operation.ts';

export const listApprovals = defineOperation({
  name: 'approval list',
  summary: 'Show which changes wait for an approval, and which of yours can be run',
  synonyms: { verbs: 'waiting, waits, pending, approve, approved', nouns: 'approvals, changes' },
  effect: 'read',
  args: {},

  target: () => 'approvals',

  async run(_, { approvals, names }) {
    const waiting = await approvals.waiting();
    return {
      own: await approvals.own(),
      waiting,
      people: await peopleCalled(
        waiting.flatMap(({ actor, approvedBy }) => [actor, ...approvedBy]),
        names,
      ),
    };
  },

  render: ({ own, waiting, people }, _, reader) =>
    message(
      ownMessage(own, reader),
      waiting.length === 0
        ? 'Nothing waits for an approval.'
        : table({
            caption: 'Waiting for an approval, oldest first',
            columns: ['Asked', 'Until', 'Who', 'Command', 'Target', 'Needs', 'Approved by', 'Why'],
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

/** The reader’s own: first those that can be run, then those that were not in time. */
function ownMessage(own: readonly OwnApproval[], reader: Reader): Message {
  const what = ({ operation, target, until }: OwnApproval, word: string) =>
    mrkdwn`${code(operation)} on ${code(target)}, ${word} ${dayAndTime(until, reader)}`;
  const [runnable, expired] = [own.filter((one) => one.isRunnable), own.filter((one) => !one.isRunnable)];
  return message(
    runnable.length > 0 && bold('Approved, waiting for you'),
    ...runnable.flatMap((one) => [what(one, 'until'), actions(button(BUTTONS.runBeside, one.id))]),
    expired.length > 0 && bold('Yours that expired'),
    ...expired.flatMap((one) => [what(one, 'expired'), actions(button(BUTTONS.askAgain, one.id))]),
  );
}
