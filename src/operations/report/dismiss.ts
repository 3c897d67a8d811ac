import { commandButton } from '../../blocks/buttons.ts';
import { actions, message, note, section } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { flagged } from '../arguments/plain.ts';
import { subscription, subscriptionTarget } from '../arguments/reports.ts';
import { exactPullZone } from '../arguments/resources/zones.ts';
import { defineOperation, wordsWith } from '../operation.ts';

/** Names nothing to a policy: it may be left out, and a `where` on zones could not hold for all changes then. */
const zone = { ...flagged(exactPullZone()), names: { of: {}, read: () => ({}) } };

const NONE = 'There is no incident now that this subscription has told of.';

export const dismissIncident = defineOperation({
  name: 'report dismiss',
  summary: 'Say that the incident a report tells of is not a problem: it counts as usual there for a month',
  synonyms: { verbs: 'ignore, not a problem, false alarm', nouns: 'incident, alarm, alert, subscription' },
  effect: 'write',
  args: { subscription: subscription(), zone },
  examples: ['report dismiss 3', 'report dismiss 3 --zone shop'],

  target: subscriptionTarget,

  words: ({ target }) =>
    wordsWith('Call', 'called', mrkdwn`the incident of ${code(target)} not a problem`, 'Not a problem'),

  async preview({ subscription: one, zone }, { reports }) {
    const told = await reports.incident(one.id, zone && String(zone.Id));
    if (told === undefined) throw new UsageError(NONE);
    const lines = [...told].sort().map((one) => `• ${one}`);
    return {
      before: { incident: 'told' },
      after: { incident: 'not told' },
      ...(lines.length > 0 && { details: message(section(lines.join('\n'))) }),
    };
  },

  async run({ subscription: { id }, zone }, { reports, actor }) {
    if (!(await reports.dismiss(id, actor.id, zone && String(zone.Id)))) throw new UsageError(NONE);
  },

  render: (_, { subscription: { id } }) =>
    message(
      note(
        'It is told again when it gets half as bad again, and counts for a month. Its message says so within minutes.',
      ),
      actions(commandButton('Tell of it again', `report undismiss ${id}`)),
    ),
});
