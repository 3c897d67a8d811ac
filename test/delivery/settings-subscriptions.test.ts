import { expect, it } from 'vitest';
import { keepSettingsSubscriptions, settingsSubscriptions } from '../../src/delivery/settings-subscriptions.ts';
import { parseSchedule } from '../../src/schedule/words.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { PLAIN } from '../support/subscription.ts';

const settings = {
  REPORT_CHANNEL: 'C0OPS000001',
  DAILY_STATISTICS_CRON: 'weekdays at 9:00',
  ERROR_SUMMARY_CRON: '*/15 * * * *',
  ERROR_SUMMARY_PER_HOUR: 12,
  REPORT_TIMEZONE: 'Europe/Berlin',
  EDGEWISE_ADMINS: ['U0ADA000001'],
};

it('the settings make two subscriptions, and none without a channel', () => {
  const made = settingsSubscriptions(settings, 'T1');
  expect(made.map(({ origin, settings: one }) => [origin, one.cron, one.timezone, one.perHour, one.owner])).toEqual([
    ['settings:daily-statistics', '0 9 * * 1-5', 'Europe/Berlin', undefined, 'U0ADA000001'],
    ['settings:error-summary', '*/15 * * * *', 'Europe/Berlin', 12, 'U0ADA000001'],
  ]);
  expect(settingsSubscriptions({ ...settings, REPORT_CHANNEL: undefined }, 'T1')).toEqual([]);
});

it('they are for everything, in words of their own, and belong to the first who may do everything', () => {
  const [daily, errors] = settingsSubscriptions(settings, 'T1');
  const same = {
    channel: 'C0OPS000001',
    timezone: 'Europe/Berlin',
    locale: 'en-US',
    targets: [],
    include: [],
    exclude: [],
    thresholds: {},
    owner: 'U0ADA000001',
    team: 'T1',
  };
  expect(daily?.settings).toEqual({
    ...same,
    report: 'daily-statistics',
    schedule: parseSchedule('weekdays at 9:00').text,
    cron: '0 9 * * 1-5',
  });
  expect(daily?.settings).not.toHaveProperty('perHour');
  expect(errors?.settings).toEqual({
    ...same,
    report: 'error-summary',
    schedule: parseSchedule('*/15 * * * *').text,
    cron: '*/15 * * * *',
    perHour: 12,
  });
  const nobody = settingsSubscriptions({ ...settings, EDGEWISE_ADMINS: [] }, 'T1');
  expect(nobody.map((one) => one.settings.owner)).toEqual(['', '']);
});

it('a start adds them once, another start changes nothing, and other settings change them', async () => {
  const database = await openDatabase({ url: ':memory:', clock: () => new Date('2026-11-20T07:30:00Z') });
  const subscriptions = createSubscriptions(database);
  for (let start = 0; start < 3; start += 1)
    await keepSettingsSubscriptions(settingsSubscriptions(settings, 'T1'), subscriptions);
  expect((await subscriptions.list()).map(({ id, version }) => [id, version])).toEqual([
    [1, 1],
    [expect.any(Number), 1],
  ]);
  const changed = { ...settings, DAILY_STATISTICS_CRON: 'daily at 8:00' };
  await keepSettingsSubscriptions(settingsSubscriptions(changed, 'T1'), subscriptions);
  expect(await subscriptions.read(1)).toMatchObject({ version: 2, nextSlot: new Date('2026-11-21T07:00:00Z') });
  expect(await subscriptions.list()).toHaveLength(2);
  await database.close();
});

it('a start without the channel ends them, and one with it again begins them, but not what a person ended', async () => {
  const database = await openDatabase({ url: ':memory:', clock: () => new Date('2026-11-20T07:30:00Z') });
  const subscriptions = createSubscriptions(database);
  const start = (more = {}) =>
    keepSettingsSubscriptions(settingsSubscriptions({ ...settings, ...more }, 'T1'), subscriptions);
  const there = async () => (await subscriptions.list()).map(({ report, state }) => [report, state]);
  await subscriptions.add(PLAIN, () => undefined);
  await start();
  await start({ REPORT_CHANNEL: undefined });
  expect(await there()).toEqual([['errors', 'active']]);
  for (let again = 0; again < 2; again += 1) await start();
  expect(await there()).toEqual([
    ['errors', 'active'],
    ['daily-statistics', 'active'],
    ['error-summary', 'active'],
  ]);
  await subscriptions.end(2);
  await start({ REPORT_CHANNEL: undefined });
  await start();
  expect(await there()).toEqual([
    ['errors', 'active'],
    ['error-summary', 'active'],
  ]);
  await database.close();
});
