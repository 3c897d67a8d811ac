import { commandButton } from '../../blocks/buttons.ts';
import { duration as durationWords } from '../../blocks/format.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { bold, code, moment, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { toType } from '../../own-name.ts';
import { DAY, parseDuration } from '../../time.ts';
import { duration } from '../arguments/plain.ts';
import { subscription } from '../arguments/reports.ts';
import { type ArgumentKind, defineOperation, wordsWith } from '../operation.ts';
import { stateWords } from './settings.ts';

/** `changed`: until the report changes. */
function howLong(): ArgumentKind<number | 'changed'> {
  const kind = duration('How long', { hint: 'Such as 1h or 1d; or changed: until its result changes' });
  const isChanged = (typed: string) => /^(changed?|(until )?it changes)$/i.test(typed.trim());
  return {
    ...kind,
    usage: '1h|1d|changed',
    fromMessage: 'duration',
    check(typed, now) {
      if (isChanged(typed)) return;
      kind.check(typed, now);
      const milliseconds = parseDuration(typed) ?? 0;
      if (milliseconds === 0 || milliseconds > 30 * DAY)
        throw new UsageError('A report is muted for a month at most.', {
          hint: `${toType('report unsubscribe')} ends the subscription.`,
        });
    },
    resolve: (typed = '', context) => (isChanged(typed) ? 'changed' : kind.resolve(typed, context)),
    textOf: (value) => (value === 'changed' ? 'changed' : kind.textOf(value)),
    normal: (typed) => (isChanged(typed) ? 'changed' : kind.normal!(typed)),
  };
}

export const muteReport = defineOperation({
  name: 'report mute',
  summary: 'Keep a subscription silent for a while, or until its result changes',
  synonyms: {
    verbs: 'silence, snooze, quiet, shut up, pause, hush',
    nouns: 'subscription, daily statistics, error summary, alerts, alarms, notifications',
  },
  effect: 'write',
  args: { subscription: subscription(), duration: howLong() },
  examples: ['report mute 3 1h', 'report mute 3 changed'],

  words: ({ target, given: { duration: how = '' } }) => {
    // Days are stored as minutes.
    const milliseconds = parseDuration(how);
    const time = milliseconds === undefined ? how : durationWords(milliseconds);
    const until = how === 'changed' ? 'until its result changes' : bold(`for ${time}`);
    return wordsWith('Mute', 'muted', mrkdwn`${code(target)} ${until}`);
  },

  async preview({ subscription: one, duration: how }, { reader, reports }) {
    const open = (await reports.incident(one.id))?.map(({ words }) => words);
    const muted = how === 'changed' ? 'muted until its result changes' : `muted for ${durationWords(how, reader)}`;
    const isSo = how === 'changed' && one.muted !== undefined && one.muted.until === undefined;
    return {
      before: { state: stateWords(one, reader) },
      after: { state: isSo ? stateWords(one, reader) : muted },
      warnings: [
        'Until then it posts nothing, whatever goes wrong.',
        ...(open === undefined
          ? []
          : [`It would not tell the end of what it follows now: ${open.slice(0, 3).join('; ')}.`]),
      ],
    };
  },

  async run({ subscription: { id }, duration: how }, { reports, actor, now }) {
    const until: Date | 'changed' = how === 'changed' ? 'changed' : new Date(now.getTime() + how);
    if (!(await reports.mute(id, until, actor.id))) throw new UsageError(`Subscription ${id} has ended.`);
    return { until };
  },

  render: ({ until }, { subscription: { id } }) =>
    message(
      note(until === 'changed' ? 'The mute ends on its own.' : mrkdwn`The mute ends on its own: ${moment(until)}.`),
      actions(commandButton('Unmute', `report unmute ${id}`)),
    ),
});
