import { message } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { subscription, subscriptionTarget } from '../arguments/reports.ts';
import { defineOperation } from '../operation.ts';
import { stateWords } from './settings.ts';

/** A muted report speaks again. */
export const unmuteReport = defineOperation({
  name: 'report unmute',
  summary: 'Let a muted subscription speak again',
  synonyms: { verbs: 'speak, speak again, resume, unsilence, unpause', nouns: 'reports, subscription, subscriptions' },
  effect: 'write',
  args: { subscription: subscription() },
  examples: ['report unmute 3'],

  target: subscriptionTarget,

  preview({ subscription: one }, { reader }) {
    if (one.muted === undefined) throw new UsageError(`Subscription ${one.id} is not muted.`);
    return {
      before: { state: stateWords(one, reader) },
      after: { state: stateWords({ ...one, muted: undefined }, reader) },
    };
  },

  async run({ subscription: { id } }, { reports }) {
    if (!(await reports.unmute(id))) throw new UsageError(`Subscription ${id} was not muted any more.`);
  },

  render: (_, { subscription: { report, channelName } }) =>
    message(mrkdwn`${bold(report)} in ${channelName} is not muted any more.`),
});
