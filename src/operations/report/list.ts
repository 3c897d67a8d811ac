import { commandButton } from '../../blocks/buttons.ts';
import { dayAndTime } from '../../blocks/format.ts';
import { actions, heading, type Message, message, note } from '../../blocks/message.ts';
import { right, table } from '../../blocks/table.ts';
import { flag } from '../arguments/plain.ts';
import type { Reader } from '../context.ts';
import { defineOperation } from '../operation.ts';
import type { ListedSubscription } from '../reports-view.ts';
import { conditionsOf, stateWords } from './settings.ts';

/** The subscriptions as a table; the same in an answer and on the Home tab. Undefined: there are none. */
export function subscriptionsMessage(
  subscriptions: readonly ListedSubscription[],
  reader: Reader,
): Message | undefined {
  if (subscriptions.length === 0) return undefined;
  const shown = table({
    caption: 'Who gets what, and when',
    pageSize: 20,
    columns: [right('No.'), 'Report', 'Channel', 'When', 'Next, for you', 'With', 'State'],
    rows: subscriptions.map((one) => [
      one.id,
      one.report,
      one.channelName,
      `${one.schedule}, ${one.timezone}`,
      one.nextSlot === undefined ? '–' : dayAndTime(one.nextSlot, reader),
      conditionsOf(one) || '–',
      stateWords(one, reader),
    ]),
  });
  return message(heading('Subscriptions'), shown);
}

/** The subscriptions, with those that are muted or broken. */
export const listReports = defineOperation({
  name: 'report list',
  summary: 'Show the subscriptions to reports, with what is muted or broken',
  synonyms: { verbs: 'come, comes, coming, muted, broken', nouns: 'reports, subscription, subscriptions, subscribed' },
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
    const names = reports.map(({ name, summary }) => `${name}: ${summary}`);
    return message(
      subscriptionsMessage(subscriptions, reader) ?? 'Nobody has subscribed to anything here.',
      ...names.map((line) => note(line)),
      actions(commandButton('Subscribe …', 'report subscribe', 'primary')),
    );
  },
});
