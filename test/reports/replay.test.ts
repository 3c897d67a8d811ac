import { expect, test } from 'vitest';
import { falseAlarms, foundIn, replayWeek, sayingLines } from './replaying.ts';

test('in days of traffic the reports tell what goes wrong, each storm in one message, and next to nothing else', async () => {
  // `npm run replay` does whole weeks, quarter of an hour by quarter of an hour.
  const { incidents, sayings } = await replayWeek({ seed: 7, every: 60, days: 7 });
  const told = sayingLines(sayings).join('\n');
  for (const incident of incidents.filter(({ kind }) => /^origin/.test(kind)))
    expect(foundIn(incident, sayings), told).toMatchObject({ report: 'error-summary' });
  expect(falseAlarms(sayings).length, told).toBeLessThanOrEqual(1);
  expect(told).toMatch(/5xx \+.*from shop, origin time-outs 2:00 PM to 7:00 PM/);
  expect(sayings.filter(({ report, how }) => report === 'error-summary' && how === 'posted')).toHaveLength(2);
  expect(sayings.filter(({ report }) => report === 'daily-statistics')).toHaveLength(8);
}, 60_000);
