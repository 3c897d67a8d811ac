import { expect, test } from 'vitest';
import { inherited } from '../../../playground/launcher/bot-process.ts';

test('the bot of the playground gets the times of its reports from the shell, and nothing that is real', () => {
  const times = { DAILY_STATISTICS_CRON: '0 8 * * *', ERROR_SUMMARY_CRON: '* * * * *', REPORT_TIMEZONE: 'Asia/Tokyo' };
  const real = { REPORT_CHANNEL: 'C1', SLACK_BOT_TOKEN: 'xoxb-1', PLATFORM_ACCESS_KEY: 'k', EDGEWISE_ADMINS: 'U1' };
  expect(inherited({ ...times, ...real, PATH: '/bin' })).toEqual({ ...times, PATH: '/bin' });
});
