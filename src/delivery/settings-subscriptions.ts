import type { AnyReport } from '../reports/report.ts';
import { parseSchedule } from '../schedule/words.ts';
import type { SubscriptionSettings, Subscriptions } from '../store/subscriptions.ts';
import { nextSlotOf } from './scheduler.ts';

export interface ReportSettings {
  REPORT_CHANNEL?: string | undefined;
  DAILY_STATISTICS_CRON: string;
  ERROR_SUMMARY_CRON: string;
  ERROR_SUMMARY_PER_HOUR: number;
  REPORT_TIMEZONE: string;
  EDGEWISE_ADMINS: readonly string[];
}

export interface SettingsSubscription {
  origin: string;
  settings: SubscriptionSettings;
}

/** Empty without a channel. Throws an Error that names a wrong setting. */
export function settingsSubscriptions(
  settings: ReportSettings,
  reports: readonly AnyReport[],
  team: string,
): SettingsSubscription[] {
  const channel = settings.REPORT_CHANNEL;
  if (channel === undefined) return [];
  const subscription = (name: string, setting: 'DAILY_STATISTICS_CRON' | 'ERROR_SUMMARY_CRON', perHour?: number) => {
    if (!reports.some((report) => report.name === name)) throw new Error(`There is no report ${name}.`);
    const schedule = scheduleOf(setting, settings[setting]);
    return {
      origin: `settings:${name}`,
      settings: {
        report: name,
        channel,
        schedule: schedule.text,
        cron: schedule.cron,
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
    subscription('daily-statistics', 'DAILY_STATISTICS_CRON'),
    subscription('error-summary', 'ERROR_SUMMARY_CRON', settings.ERROR_SUMMARY_PER_HOUR),
  ];
}

function scheduleOf(setting: string, text: string) {
  try {
    return parseSchedule(text);
  } catch (error) {
    throw new Error(`${setting} “${text}”: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Adds each once, and updates it when the settings change. */
export async function keepSettingsSubscriptions(
  wanted: readonly SettingsSubscription[],
  subscriptions: Subscriptions,
): Promise<void> {
  for (const { origin, settings } of wanted) await subscriptions.keep(origin, settings, nextSlotOf(settings));
}
