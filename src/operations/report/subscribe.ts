import { commandButton } from '../../blocks/buttons.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { isMeant } from '../../pattern.ts';
import type { SubscriptionSettings } from '../../store/subscriptions.ts';
import { flagged, number } from '../arguments/plain.ts';
import { channel, filterTerms, reportName, subscriptionsFor, thresholds, zonePatterns } from '../arguments/reports.ts';
import { quietHours, schedule, timezone } from '../arguments/schedules.ts';
import type { Context } from '../context.ts';
import { flagNameOf } from '../grammar.ts';
import { defineOperation, type Given, type ValuesOf, warningsOf, wordsWith } from '../operation.ts';
import { conditionsOf, nextRuns } from './settings.ts';

const args = {
  report: reportName(),
  schedule: schedule(),
  channel: flagged(channel()),
  timezone: timezone(),
  zones: zonePatterns(),
  include: filterTerms('Only', 'Alert only about these, such as status:5xx or path:/api/*, separated by commas'),
  exclude: filterTerms('Without', 'What to leave out, such as path:/wp-*, zone:test-*, separated by commas'),
  thresholds: thresholds(),
  quiet: flagged(quietHours()),
  perHour: flagged(
    number('Messages an hour', { minimum: 1, maximum: 60, hint: 'Beyond that, the last message is updated' }),
  ),
};

function settingsOf(given: ValuesOf<typeof args>, { actor, place, reader }: Context): SubscriptionSettings {
  const { report, thresholds: numbers } = given;
  const most = (name: string) => 20 * (report.thresholds[name] ?? 0);
  const wrong = Object.entries(numbers).find(([name, value]) => value < 1 || value > most(name));
  if (wrong !== undefined) {
    const known = Object.keys(report.thresholds).map((name) => `${flagNameOf(name)} from 1 to ${most(name)}`);
    throw new UsageError(`The report ${report.name} has no threshold ${flagNameOf(wrong[0])}=${wrong[1]}.`, {
      hint: known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`,
      argument: 'thresholds',
    });
  }
  return {
    report: report.name,
    channel: given.channel?.id ?? place.channelId,
    schedule: given.schedule.text,
    cron: given.schedule.cron,
    timezone: given.timezone,
    locale: reader.locale,
    targets: given.zones.texts,
    include: given.include,
    exclude: given.exclude,
    thresholds: numbers,
    quiet: given.quiet,
    perHour: given.perHour,
    owner: actor.id,
    team: actor.teamId,
  };
}

export const subscribeReport = defineOperation({
  name: 'report subscribe',
  summary: 'Post a report to a channel on a schedule',
  synonyms: { verbs: 'receive, send, schedule, post, get, want', nouns: 'reports, subscription, here' },
  effect: 'write',
  args,
  examples: [
    'report subscribe daily-statistics "daily at 9:00"',
    'report subscribe error-summary "every 15 minutes" --zones shop-* --exclude path:/wp-* --per-hour 4',
  ],

  target: ({ report, channel: where }) => `${report.name} ${where === undefined ? 'here' : `in ${where.name}`}`,

  words: ({ after: { report, channel: where } }) =>
    wordsWith('Subscribe', 'subscribed', mrkdwn`${String(where)} to ${code(String(report))}`),

  async preview(given, context) {
    const settings = settingsOf(given, context);
    const { reports, catalogue, reader, place } = context;
    const elsewhere = settings.channel === place.channelId ? undefined : given.channel;
    const there = given.channel ?? (await reports.channel(settings.channel));
    const { items, missing } = await catalogue.zones();
    const unmet =
      missing !== undefined
        ? []
        : settings.targets.filter((target) => !items.some(({ Id, Name }) => isMeant([target], String(Id), Name)));
    const twin = (await subscriptionsFor(context)).find(
      (one) => one.report === settings.report && one.channel === settings.channel,
    );
    return {
      before: {},
      after: {
        report: settings.report,
        channel: there?.name ?? settings.channel,
        schedule: settings.schedule === settings.cron ? settings.cron : `${settings.schedule} (${settings.cron})`,
        'time zone': settings.timezone,
        ...(conditionsOf(settings) === '' ? {} : { with: conditionsOf(settings) }),
      },
      warnings: warningsOf(
        reader.hasNoTimezone === true &&
          settings.timezone === reader.timezone &&
          'Slack does not say what your time zone is, so it is UTC. `--timezone Europe/Berlin` sets another.',
        there?.member === false && `I am not a member of ${there.name}: invite me there with /invite.`,
        elsewhere?.external && `People from other organisations can read ${elsewhere.name}.`,
        there?.archived && `${there.name} is archived: nothing can be posted there.`,
        ...unmet.map((target) => `There is no zone “${target}” at the moment.`),
        twin &&
          `${settings.report} is already posted there, ${twin.schedule} in ${twin.timezone} (subscription ${twin.id}): it would be posted twice.`,
      ),
      details: nextRuns(settings, reader),
    };
  },

  run: (given, context) => context.reports.subscribe(settingsOf(given, context)),

  render: ({ id, schedule: when, timezone: zone }) =>
    message(
      note(mrkdwn`It is scheduled: ${when}, ${zone}. Subscription ${id}.`),
      actions(commandButton('Show it now', `report run ${id}`), commandButton('End it', `report unsubscribe ${id}`)),
    ),

  whenUnknown: () => message(actions(commandButton('Is it there?', 'report list'))),
});

/** The arguments of these settings, so that the policy can decide again. */
export function givenOf(settings: SubscriptionSettings): Given {
  const { targets, include, exclude, thresholds: numbers, perHour, ...rest } = settings;
  const given = {
    report: rest.report,
    schedule: rest.schedule,
    channel: rest.channel,
    timezone: rest.timezone,
    zones: targets.join(','),
    include: include.join(','),
    exclude: exclude.join(','),
    thresholds: args.thresholds.textOf(numbers),
    quiet: rest.quiet,
    perHour: perHour?.toString(),
  };
  return Object.fromEntries(Object.entries(given).flatMap(([key, typed]) => (typed ? [[key, typed]] : [])));
}
