import { BUTTONS, button } from '../../blocks/buttons.ts';
import { shorten } from '../../blocks/limits.ts';
import { message, nothing, type Part, sectionWith } from '../../blocks/message.ts';
import { bold, join, moment, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { peopleCalled, type WaitingApproval } from '../context.ts';
import { defineOperation } from '../operation.ts';

export const listApprovals = defineOperation({
  name: 'approval list',
  summary: 'Show the changes that wait for approval or for their planned time, and those of yours that you can run now',
  synonyms: {
    verbs: 'waiting, pending, approve, cancel, cancel purge, call off, abort, stop, still need',
    nouns: 'changes, planned, planned purge, scheduled, tonight, tomorrow',
  },
  effect: 'read',
  args: {},

  target: () => 'approvals',

  async run(_, { approvals, names }) {
    const waiting = await approvals.waiting();
    return {
      planned: await approvals.planned(),
      own: await approvals.own(),
      waiting,
      people: await peopleCalled(
        waiting.slice(0, 20).flatMap(({ actor, approvedBy }) => [actor, ...approvedBy]),
        names,
      ),
    };
  },

  render({ own, waiting, planned, people }) {
    const [next, oldest] = [planned.slice(0, 10), waiting.slice(0, 20)];
    const { runnable, expired } = own;
    return (runnable.length + expired.length + waiting.length + planned.length === 0 ? nothing : message)(
      runnable.length > 0 && bold('Approved, waiting for you'),
      ...runnable,
      expired.length > 0 && bold('Yours that expired'),
      ...expired,
      planned.length > 0 && bold(`Planned: ${planned.length}`),
      ...next,
      planned.length > next.length && `And ${planned.length - next.length} more later.`,
      waiting.length === 0
        ? `Nothing is waiting for approval.${planned.length === 0 ? ' Nothing is planned.' : ''}`
        : mrkdwn`${bold(`Waiting for approval: ${waiting.length}`)}, oldest first`,
      ...oldest.map((one) => waitingRow(one, people)),
      waiting.length > oldest.length &&
        `And ${waiting.length - oldest.length} more, shown here once these are decided.`,
    );
  },
});

function waitingRow(one: WaitingApproval, people: ReadonlyMap<string, string>): Part {
  const called = (id: string) => people.get(id) ?? id;
  const lines: Words[] = [
    bold(one.title),
    mrkdwn`${called(one.actor)} asked ${moment(one.askedAt)}, until ${moment(one.until)}. Needs ${one.needs}.`,
    ...(one.approvedBy.length === 0 ? [] : [`Approved by ${one.approvedBy.map(called).join(', ')}`]),
    ...(one.reason === '' ? [] : [`“${shorten(one.reason, 300)}”`]),
  ];
  return sectionWith(join(lines, '\n'), button(BUTTONS.lookCloser, one.id));
}
