import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { reports } from '../../src/reports/index.ts';
import type { ReportRunner, Subscription } from '../../src/runner/run-report.ts';
import { createScheduler, subscriptionsOf } from '../../src/runner/scheduler.ts';

const settings = {
  REPORT_CHANNEL: 'C1',
  DAILY_STATISTICS_CRON: '0 9 * * *',
  ERROR_SUMMARY_CRON: '*/15 * * * *',
  ERROR_SUMMARY_PER_HOUR: 4,
  REPORT_TIMEZONE: 'Europe/Berlin',
};

describe('the settings', () => {
  test('make two subscriptions, and none without a channel', () => {
    expect(subscriptionsOf(settings, reports).map(({ report, ...rest }) => ({ name: report.name, ...rest }))).toEqual([
      { name: 'daily-statistics', channel: 'C1', schedule: '0 9 * * *', timezone: 'Europe/Berlin' },
      { name: 'error-summary', channel: 'C1', schedule: '*/15 * * * *', timezone: 'Europe/Berlin', perHour: 4 },
    ]);
    expect(subscriptionsOf({ ...settings, REPORT_CHANNEL: undefined }, reports)).toEqual([]);
  });

  test('with a wrong schedule are refused by the name of the setting', () => {
    expect(() => subscriptionsOf({ ...settings, ERROR_SUMMARY_CRON: 'every hour' }, reports)).toThrow(
      'ERROR_SUMMARY_CRON “every hour” is no cron expression',
    );
  });
});

describe('the scheduler', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date('2026-11-21T07:50:30Z') });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('runs each report at its times in its time zone, with the slot, until it is stopped', async () => {
    const due: string[] = [];
    let aborted = 0;
    const runner: ReportRunner = {
      async run({ report }: Subscription, slot, signal) {
        due.push(`${report.name} ${slot.toISOString()}`);
        signal?.addEventListener('abort', () => (aborted += 1));
        return 'quiet';
      },
    };
    const log = pino({ level: 'silent' });
    const scheduler = createScheduler({ subscriptions: subscriptionsOf(settings, reports), runner, log });
    scheduler.start();
    await vi.advanceTimersByTimeAsync(30 * 60_000);
    expect(due.sort()).toEqual([
      'daily-statistics 2026-11-21T08:00:00.000Z',
      'error-summary 2026-11-21T08:00:00.000Z',
      'error-summary 2026-11-21T08:15:00.000Z',
    ]);
    await scheduler.stop();
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    expect(due).toHaveLength(3);
    expect(aborted).toBe(3);
  });
});
