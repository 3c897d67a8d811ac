import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { subscription } from '../arguments/reports.ts';
import { defineOperation, wordsWith } from '../operation.ts';
import { stateWords } from './settings.ts';

export const undismissIncident = defineOperation({
  name: 'report undismiss',
  summary: 'Alert again about what was dismissed',
  synonyms: {
    verbs: 'watch again, tell again, undo dismiss, take back',
    nouns: 'incident, alarm, alert, dismissal, subscription',
  },
  effect: 'write',
  args: { subscription: subscription() },
  examples: ['report undismiss 3'],

  words: ({ target }) =>
    wordsWith(
      'Alert again about',
      'turned alerts back on for',
      mrkdwn`everything dismissed in ${code(target)}`,
      'Alert again',
    ),

  preview: ({ subscription: one }, { reader }) => ({
    before: { state: stateWords(one, reader) },
    after: { state: stateWords({ ...one, dismissed: [] }, reader) },
  }),

  async run({ subscription: { id } }, { reports, actor }) {
    if (!(await reports.undismiss(id, actor.id)))
      throw new UsageError(`Subscription ${id} alerts about everything again.`);
  },
});
