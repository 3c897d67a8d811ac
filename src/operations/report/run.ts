import { message, note } from '../../blocks/message.ts';
import { mrkdwn, user } from '../../blocks/mrkdwn.ts';
import { choice, containing, flagged, WORD } from '../arguments/plain.ts';
import { reportName, subscriptionNumbered, subscriptionsFor, zonePatterns } from '../arguments/reports.ts';
import { type ArgumentKind, defineOperation } from '../operation.ts';
import type { ReportSelection } from '../reports-view.ts';

interface Wanted {
  report: string;
  selection?: ReportSelection;
  text: string;
}

/** A subscription provides zones, filters and thresholds. */
function reportOrSubscription(): ArgumentKind<Wanted> {
  const report = reportName();
  const isNumber = (typed: string) => /^#?\d{1,9}$/.test(typed.trim());
  return {
    ...WORD,
    label: 'Report',
    hint: 'Its name, or the number of a subscription',
    field: { type: 'suggest', placeholder: 'daily-statistics' },
    check(typed, now) {
      if (!isNumber(typed)) report.check(typed, now);
    },
    async resolve(typed = '', context) {
      if (!isNumber(typed)) {
        const { name } = await report.resolve(typed, context);
        return { report: name, text: name };
      }
      const found = await subscriptionNumbered(typed, context);
      await report.resolve(found.report, context);
      return { report: found.report, selection: found, text: String(found.id) };
    },
    textOf: ({ text }) => text,
    names: { of: { report: (word) => word }, read: ({ report: name }: Wanted) => ({ report: [[name]] }) },
    async suggest(query, context) {
      const subscriptions = (await subscriptionsFor(context)).map(({ id, report: name, channelName }) => ({
        label: `${id}: ${name} as in ${channelName}`,
        value: String(id),
      }));
      return [...((await report.suggest?.(query, context)) ?? []), ...containing(query, subscriptions)].slice(0, 100);
    },
  };
}

export const runReport = defineOperation({
  name: 'report run',
  summary: 'Show a report now, to you only or to this channel',
  synonyms: { verbs: 'now, execute, generate, show, post, send', nouns: 'reports' },
  effect: 'read',
  args: {
    report: reportOrSubscription(),
    to: flagged(
      choice('To', [
        { value: 'me', label: 'Me only' },
        { value: 'channel', label: 'This channel', also: ['here'] },
      ]),
    ),
    zones: zonePatterns(),
  },
  examples: ['report run daily-statistics', 'report run 3 --to channel'],

  target: ({ report: { text }, to }) => (to === 'channel' ? `${text}, to the channel` : text),

  async run({ report: { report, selection }, to, zones }, { reports, reader, signal, place, actor }) {
    const chosen: ReportSelection = selection ?? { targets: [], include: [], exclude: [], thresholds: {} };
    const news = await reports.make(
      report,
      { ...chosen, targets: zones.texts.length > 0 ? zones.texts : chosen.targets },
      reader,
      signal,
    );
    if (to !== 'channel') return { news: message(news.message, news.details) };
    const by = note(mrkdwn`Asked for by ${user(actor.id)}`);
    await reports.post({ actor, place }, { ...news, message: message(news.message, by) });
    return { news: undefined };
  },

  shareable: ({ news }) => news,

  render: ({ news }) => news ?? message('The report is in the channel, for everybody.'),
});
