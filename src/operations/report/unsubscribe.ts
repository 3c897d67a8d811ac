import { message, note } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { subscription } from '../arguments/reports.ts';
import { defineOperation, wordsWith } from '../operation.ts';

export const unsubscribeReport = defineOperation({
  name: 'report unsubscribe',
  summary: 'End a subscription',
  synonyms: {
    verbs: 'unsub, end, stop, cancel, remove, delete, drop',
    nouns: 'subscription, daily statistics, error summary, this channel',
  },
  effect: 'write',
  args: { subscription: subscription() },
  examples: ['report unsubscribe 3'],

  words: ({ target }) => wordsWith('End', 'ended', mrkdwn`the subscription ${code(target)}`),

  preview: ({ subscription: { report, channelName, schedule, timezone } }) => ({
    before: { report, channel: channelName, schedule: `${schedule}, ${timezone}` },
    after: { report: null, channel: null, schedule: null },
  }),

  async run({ subscription: { id } }, { reports }) {
    if (!(await reports.unsubscribe(id))) throw new UsageError(`Subscription ${id} had already ended.`);
  },

  render: () => message(note('It won’t be posted again. What is in the channel stays.')),
});
