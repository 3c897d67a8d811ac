import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { subscription } from '../arguments/reports.ts';
import { defineOperation, wordsWith } from '../operation.ts';
import { stateWords } from './settings.ts';

export const unmuteReport = defineOperation({
  name: 'report unmute',
  summary: 'Unmute a subscription',
  synonyms: { verbs: 'speak, resume, unsilence, unpause', nouns: 'subscription, daily statistics, error summary' },
  effect: 'write',
  args: { subscription: subscription() },
  examples: ['report unmute 3'],

  words: ({ target }) => wordsWith('Unmute', 'unmuted', mrkdwn`${code(target)}`),

  preview: ({ subscription: one }, { reader }) => ({
    before: { state: stateWords(one, reader) },
    after: { state: stateWords({ ...one, muted: undefined }, reader) },
  }),

  async run({ subscription: { id } }, { reports }) {
    if (!(await reports.unmute(id))) throw new UsageError(`Subscription ${id} is no longer muted.`);
  },
});
