import { commandButton, formButton, menu } from '../../blocks/buttons.ts';
import { dayAndTime } from '../../blocks/format.ts';
import { shorten } from '../../blocks/limits.ts';
import { actions, heading, message, note, nothing, type Part, sectionWith } from '../../blocks/message.ts';
import { bold, join, moment, mrkdwn } from '../../blocks/mrkdwn.ts';
import { right, table } from '../../blocks/table.ts';
import { flag } from '../arguments/plain.ts';
import type { Reader } from '../context.ts';
import { defineOperation } from '../operation.ts';
import type { ListedSubscription } from '../reports-view.ts';
import { conditionsOf, stateWords } from './settings.ts';

/** Shown in an answer and on the Home tab. */
export function subscriptionRow(one: ListedSubscription, reader: Reader): Part {
  const state = stateWords(one, reader);
  const said = [
    mrkdwn`${one.schedule}, ${one.timezone}`,
    one.nextSlot === undefined ? '' : mrkdwn`next ${moment(one.nextSlot)}`,
    shorten(conditionsOf(one), 200),
    state === 'on' ? '' : state,
  ].filter((part) => part !== '');
  return sectionWith(
    mrkdwn`${bold(one.report)} in ${one.channelName} (${one.id})\n${join(said, ' · ')}`,
    menu(
      commandButton('Run now', `report run ${one.id}`),
      one.muted === undefined
        ? formButton('Mute …', `report mute ${one.id}`)
        : commandButton('Unmute', `report unmute ${one.id}`),
      commandButton('End …', `report unsubscribe ${one.id}`),
    ),
  );
}

export const listReports = defineOperation({
  name: 'report list',
  summary: 'Show the subscriptions to reports, with what is muted or broken',
  synonyms: { verbs: 'show, comes, muted, broken', nouns: 'reports, subscriptions, subscribed' },
  effect: 'read',
  args: { here: flag('Only those of this channel', { also: ['this channel'] }) },
  examples: ['report list'],

  target: ({ here }) => (here ? 'this channel' : 'all subscriptions'),

  async run({ here }, { reports, place }) {
    const subscriptions = await reports.subscriptions();
    return {
      reports: reports.all(),
      subscriptions: here ? subscriptions.filter(({ channel }) => channel === place.channelId) : subscriptions,
    };
  },

  render({ reports, subscriptions }, _, reader) {
    // The rest becomes a table, which has no buttons.
    const [rows, others] = [subscriptions.slice(0, 4), subscriptions.slice(4)];
    return (subscriptions.length === 0 ? nothing : message)(
      subscriptions.length === 0 ? 'Nobody has subscribed to anything here.' : heading('Subscriptions'),
      ...rows.map((one) => subscriptionRow(one, reader)),
      others.length > 0 &&
        table({
          caption: 'The others',
          pageSize: 20,
          columns: [right('No.'), 'Report', 'Channel', 'When', `Next, in ${reader.timezone}`, 'With', 'State'],
          rows: others.map((one) => [
            one.id,
            one.report,
            one.channelName,
            `${one.schedule}, ${one.timezone}`,
            one.nextSlot === undefined ? '–' : dayAndTime(one.nextSlot, reader),
            conditionsOf(one) || '–',
            stateWords(one, reader),
          ]),
        }),
      ...reports.map(({ name, summary }) => note(`${name}: ${summary}`)),
      actions(commandButton('Subscribe …', 'report subscribe', 'primary')),
    );
  },
});
