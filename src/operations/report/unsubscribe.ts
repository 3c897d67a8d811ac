import { message, note } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { subscription, subscriptionTarget } from '../arguments/reports.ts';
import { defineOperation } from '../operation.ts';

/** A report comes no more. */
export const unsubscribeReport = defineOperation({
  name: 'report unsubscribe',
  summary: 'End a subscription',
  synonyms: { verbs: 'end, stop, cancel, remove, delete, drop', nouns: 'reports, subscription, subscriptions' },
  effect: 'write',
  args: { subscription: subscription() },
  examples: ['report unsubscribe 3'],

  target: subscriptionTarget,

  preview: ({ subscription: { report, channelName, schedule, timezone } }) => ({
    before: { report, channel: channelName, schedule: `${schedule}, ${timezone}` },
    after: { report: null, channel: null, schedule: null },
  }),

  async run({ subscription: { id } }, { reports }) {
    if (!(await reports.unsubscribe(id))) throw new UsageError(`Subscription ${id} had ended already.`);
  },

  render: (_, { subscription: { report, channelName } }) =>
    message(
      mrkdwn`${bold(report)} does not come to ${channelName} any more.`,
      note('What is in the channel stays there.'),
    ),
});
