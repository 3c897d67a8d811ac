import { expect, test } from 'vitest';
import { falseAlarms, foundIn, replayWeek, sayingLines } from '../test/reports/replaying.ts';

test('in days of traffic the reports tell what goes wrong, each incident once, and next to nothing else', async () => {
  // `npm run check -- replay` does whole weeks, quarter of an hour by quarter of an hour.
  const { incidents, sayings } = await replayWeek({ seed: 33, every: 60, days: 3 });
  const told = sayingLines(sayings).join('\n');
  for (const incident of incidents)
    expect(foundIn(incident, sayings), told).toMatchObject({
      report: incident.kind === 'broken-deploy' ? 'daily-statistics' : 'error-summary',
    });
  expect(falseAlarms(sayings), told).toEqual([]);
  expect(told).toMatch(/shop: 5xx \+.*, from 5:00\sAM to 9:00\sAM/);
  expect(told).toMatch(/main-site: 4xx \+/);
  const of = (report: string) => sayings.filter((saying) => saying.report === report);
  expect(of('error-summary').filter(({ how }) => how === 'posted')).toHaveLength(2);
  // Each message has its end.
  expect(of('error-summary').filter(({ how }) => how === 'over')).toHaveLength(2);
  expect(of('daily-statistics')).toHaveLength(4);
}, 120_000);
