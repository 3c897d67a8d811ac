import type { SubscriptionSettings } from '../../src/store/subscriptions.ts';

/** A subscription as plain as one can be; a test says what is different about its own. */
export const PLAIN: SubscriptionSettings = {
  report: 'errors',
  channel: 'C1',
  schedule: 'every 15 minutes',
  cron: '*/15 * * * *',
  timezone: 'UTC',
  locale: 'en-US',
  targets: [],
  include: [],
  exclude: [],
  thresholds: {},
  owner: 'U1',
  team: 'T1',
};
