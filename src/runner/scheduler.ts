import { type ScheduledTask, schedule, validate } from 'node-cron';
import type { Logger } from 'pino';
import type { AnyReport } from '../reports/report.ts';
import type { ReportRunner, Subscription } from './run-report.ts';

/** The settings that the reports are made of. */
export interface ReportSettings {
  REPORT_CHANNEL?: string | undefined;
  DAILY_STATISTICS_CRON: string;
  ERROR_SUMMARY_CRON: string;
  ERROR_SUMMARY_PER_HOUR: number;
  REPORT_TIMEZONE: string;
}

/** Settings → what is posted where and when; nothing without a channel. Throws an Error that names a wrong setting. */
export function subscriptionsOf(settings: ReportSettings, reports: readonly AnyReport[]): Subscription[] {
  const channel = settings.REPORT_CHANNEL;
  if (channel === undefined) return [];
  const named = (name: string) => {
    const report = reports.find((one) => one.name === name);
    if (report === undefined) throw new Error(`There is no report ${name}.`);
    return report;
  };
  const cron = (name: 'DAILY_STATISTICS_CRON' | 'ERROR_SUMMARY_CRON') => {
    const expression = settings[name];
    if (!validate(expression)) throw new Error(`${name} “${expression}” is no cron expression, such as 0 9 * * *.`);
    return expression;
  };
  const timezone = settings.REPORT_TIMEZONE;
  return [
    { report: named('daily-statistics'), channel, schedule: cron('DAILY_STATISTICS_CRON'), timezone },
    {
      report: named('error-summary'),
      channel,
      schedule: cron('ERROR_SUMMARY_CRON'),
      timezone,
      perHour: settings.ERROR_SUMMARY_PER_HOUR,
    },
  ];
}

/** Runs the subscriptions at their times. */
export interface Scheduler {
  start(): void;
  /** Starts nothing new, tells what is under way to stop, and waits for it. */
  stop(): Promise<void>;
}

export interface SchedulerServices {
  subscriptions: readonly Subscription[];
  runner: ReportRunner;
  log: Logger;
}

/**
 * node-cron tells the slots; each is claimed in the store before anything is said. What was missed while the process was
 * down is told by the next slot, for reports about what has happened since the last one. A fixed local time in the hour
 * that the spring skips is left out: node-cron does so.
 */
export function createScheduler({ subscriptions, runner, log }: SchedulerServices): Scheduler {
  const tasks: ScheduledTask[] = [];
  const underway = new Set<Promise<unknown>>();
  const stopping = new AbortController();

  // node-cron writes to the console otherwise.
  const cronLog = {
    info: (words: string) => log.info(words),
    warn: (words: string) => log.warn(words),
    error: (words: string | Error, error?: Error) => log.error({ err: error ?? words }, 'the scheduler'),
    debug: (words: string | Error) => log.debug(String(words)),
  };

  function due(subscription: Subscription, slot: Date): void {
    const { report, channel } = subscription;
    const running = runner.run(subscription, slot, stopping.signal).then((outcome) => {
      log.info({ report: report.name, channel, slot, outcome }, 'a report was due');
    });
    underway.add(running);
    void running.finally(() => underway.delete(running));
  }

  return {
    start() {
      for (const subscription of subscriptions) {
        const { report, schedule: expression, timezone } = subscription;
        const task = schedule(expression, ({ date }) => due(subscription, slotOf(date)), {
          timezone,
          name: report.name,
          logger: cronLog,
        });
        tasks.push(task);
      }
    },
    async stop() {
      await Promise.all(tasks.splice(0).map((task) => task.destroy()));
      stopping.abort(new Error('Edgewise is stopping.'));
      await Promise.allSettled(underway);
    },
  };
}

/** The whole second of a slot: the same in every replica, however late the timer was. */
function slotOf(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}
