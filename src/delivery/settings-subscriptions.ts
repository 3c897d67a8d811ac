import { parseSchedule } from '../schedule/words.ts';
import { type SubscriptionSettings, type Subscriptions, UNSET } from '../store/subscriptions.ts';
import { nextSlotOf } from './scheduler.ts';

export interface ReportSettings {
  REPORT_CHANNEL?: string | undefined;
  DAILY_STATISTICS_CRON: string;
  ERROR_SUMMARY_CRON: string;
  ERROR_SUMMARY_PER_HOUR: number;
  REPORT_TIMEZONE: string;
  EDGEWISE_ADMINS: readonly string[];
}

type Wanted = { origin: string; settings: SubscriptionSettings };

/** Empty without a channel. */
export function settingsSubscriptions(settings: ReportSettings, team: string) {
  const { REPORT_CHANNEL: channel } = settings;
  if (channel === undefined) return [];
  const subscription = (report: string, written: string, perHour?: number): Wanted => {
    const { text: schedule, cron } = parseSchedule(written);
    return {
      origin: `settings:${report}`,
      settings: {
        report,
        channel,
        schedule,
        cron,
        timezone: settings.REPORT_TIMEZONE,
        locale: 'en-US',
        targets: [],
        include: [],
        exclude: [],
        thresholds: {},
        ...(perHour === undefined ? {} : { perHour }),
        owner: settings.EDGEWISE_ADMINS[0] ?? '',
        team,
      },
    };
  };
  return [
    subscription('daily-statistics', settings.DAILY_STATISTICS_CRON),
    subscription('error-summary', settings.ERROR_SUMMARY_CRON, settings.ERROR_SUMMARY_PER_HOUR),
  ];
}

/** Adds each once, updates it when the settings change, and ends it when they no longer ask for it. */
export async function keepSettingsSubscriptions(
  wanted: readonly Wanted[],
  subscriptions: Subscriptions,
): Promise<void> {
  for (const { origin, settings } of wanted) await subscriptions.keep(origin, settings, nextSlotOf(settings));
  for (const { id, report, isOfSettings } of await subscriptions.list())
    if (isOfSettings && !wanted.some(({ settings }) => settings.report === report)) await subscriptions.end(id, UNSET);
}
