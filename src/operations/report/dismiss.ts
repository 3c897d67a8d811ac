import { commandButton } from '../../blocks/buttons.ts';
import { actions, message, note, section } from '../../blocks/message.ts';
import { code, join, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { flagged } from '../arguments/plain.ts';
import { subscription } from '../arguments/reports.ts';
import { exactPullZone, type ZoneRef } from '../arguments/resources/zones.ts';
import type { ResolveContext } from '../context.ts';
import { troubleLines } from '../now.ts';
import { type ArgumentKind, defineOperation, wordsWith } from '../operation.ts';

/** Not under the subject `zone`: what a policy says about zones is meant for changes to them. */
const { names: _, ...zone } = flagged(exactPullZone());
/** Zones whose errors the person may see. */
const among = (context: ResolveContext): ResolveContext => ({
  ...context,
  may: (names) => context.policy.may('errors show', names),
});
const only: ArgumentKind<ZoneRef | undefined> = {
  ...zone,
  resolve: (typed, context) => zone.resolve(typed, among(context)),
  suggest: async (typed, context) => zone.suggest?.(typed, among(context)) ?? [],
};

const NONE = 'This subscription has no open incident.';

export const dismissIncident = defineOperation({
  name: 'report dismiss',
  summary: 'Stop alerts about the incident of a report for a month: it is not a problem',
  synonyms: { verbs: 'ignore, not a problem, false alarm', nouns: 'incident, alarm, alert, subscription' },
  effect: 'write',
  args: { subscription: subscription(), only },
  examples: ['report dismiss 3', 'report dismiss 3 --only shop'],

  words: ({ target }) =>
    wordsWith('Stop', 'stopped', mrkdwn`alerts about this incident for a month: ${code(target)}`, 'Not a problem'),

  async preview({ subscription: one, only }, { reports }) {
    const told = await reports.incident(one.id, only && String(only.Id));
    if (told === undefined) throw new UsageError(NONE);
    const details = linesOf(troubleLines(told));
    return { before: { incident: 'alerts' }, after: { incident: 'no alerts' }, ...(details && { details }) };
  },

  async run({ subscription: { id }, only }, { reports, actor }) {
    const zone = only && String(only.Id);
    const told = await reports.incident(id, zone);
    if (!(await reports.dismiss(id, actor.id, zone))) throw new UsageError(NONE);
    return linesOf((told ?? []).map(({ words }) => `• ${words}`).sort());
  },

  render: (causes, { subscription: { id } }) =>
    message(
      causes,
      note('I’ll alert again if it gets 50% worse. The incident message updates within minutes.'),
      actions(commandButton('Alert again', `report undismiss ${id}`)),
    ),
});

const linesOf = (lines: readonly Words[]) => (lines.length === 0 ? undefined : message(section(join(lines, '\n'))));
