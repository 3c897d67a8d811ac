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

const NONE = 'This subscription has no open incident.';

export const dismissIncident = defineOperation({
  name: 'report dismiss',
  summary: 'Stop alerts about the incident of a report for a month: it is not a problem',
  synonyms: { verbs: 'ignore, not a problem, false alarm', nouns: 'incident, alarm, alert, subscription' },
  effect: 'write',
  args: { subscription: subscription(), only: zone },
  examples: ['report dismiss 3', 'report dismiss 3 --only shop'],

  target: subscriptionTarget,

  words: ({ target }) =>
    wordsWith('Stop', 'stopped', mrkdwn`alerts about this incident for a month: ${code(target)}`, 'Not a problem'),

  async preview({ subscription: one, only: zone }, { reports }) {
    const told = await reports.incident(one.id, zone && String(zone.Id));
    if (told === undefined) throw new UsageError(NONE);
    const lines = [...told].sort().map((one) => `• ${one}`);
    return {
      before: { incident: 'alerts' },
      after: { incident: 'no alerts' },
      ...(lines.length > 0 && { details: message(section(lines.join('\n'))) }),
    };
  },

  async run({ subscription: { id }, only: zone }, { reports, actor }) {
    if (!(await reports.dismiss(id, actor.id, zone && String(zone.Id)))) throw new UsageError(NONE);
  },

  render: (_, { subscription: { id } }) =>
    message(
      note('I’ll alert again if it gets half as bad again. The message shows this within minutes.'),
      actions(commandButton('Alert again', `report undismiss ${id}`)),
    ),
});
