import { describe, expect, it } from 'vitest';
import { isChart } from '../../../src/blocks/chart.ts';
import { HOURLY_TOO_OLD, STATISTICS_TOO_OLD } from '../../../src/platform/dates.ts';
import type { StatisticsAnswer } from '../../../src/platform/resources/statistics.ts';
import { useSimulated } from '../database/simulated.ts';
import { blockText, prepare } from '../performing.ts';

const simulated = useSimulated();
const zone = () => simulated.simulator.account.zones[0]!;
const statistics = () => simulated.queriesOf('/statistics');
const show = async (line: string) => (await simulated.perform(line)).run();

describe('stats show', () => {
  it('sends no date and no zone when none was typed', async () => {
    const { message } = await show('stats show');
    const query = statistics().at(-1)!;
    expect(Object.keys(query)).not.toEqual(expect.arrayContaining(['dateFrom']));
    expect(query).not.toHaveProperty('dateTo');
    expect(query).not.toHaveProperty('pullZone');
    expect(query).not.toHaveProperty('exactRange');
    expect(query).not.toHaveProperty('loadLatest');
    expect(message.text).toMatch(/^Whole account\n2026-10-21 to 2026-11-21 \(so far\), by the day, in UTC/);
  });

  it('sends what was typed, in UTC', async () => {
    await show(`stats show ${zone().Id} --from 2026-11-19T06:00 --to 2026-11-20T06:00 --hourly --exact-range`);
    expect(statistics().at(-1)).toMatchObject({
      dateFrom: '2026-11-19T06:00:00Z',
      dateTo: '2026-11-20T06:00:00Z',
      hourly: 'true',
      exactRange: 'true',
      pullZone: String(zone().Id),
    });
  });

  it('asks for the latest figures of a day', async () => {
    await show(`stats show ${zone().Id} --from yesterday --to today --load-latest`);
    expect(statistics().at(-1)).toMatchObject({ loadLatest: 'true' });
  });

  it('shows totals, errors by class, regions, two charts and the days', async () => {
    const { message, result } = await show(`stats show ${zone().Name} --from 7d`);
    const answer = result as StatisticsAnswer;
    const sum = Object.values(answer.Error5xxChart ?? {}).reduce((total, value) => total + value, 0);
    expect(message.text).toContain(`Requests: ${answer.TotalRequestsServed?.toLocaleString('en-US')}`);
    expect(message.text).toContain(`5xx: ${sum.toLocaleString('en-US')}`);
    expect(message.text).toContain('EU: Frankfurt, DE');
    expect(message.text).toMatch(/2026-11-20 +[\d,]+ /);
    const charts = message.blocks.filter(isChart);
    expect(charts.map((chart) => chart.title)).toEqual(['Requests', 'Redirects and errors']);
    expect(blockText(message)).toContain('*Cache hit rate*');
  });

  it('keeps 30 days of hours within a chart’s 20 points and says that they are too many for a table', async () => {
    const { message } = await show(`stats show ${zone().Id} --hourly`);
    for (const chart of message.blocks.filter(isChart)) {
      const { chart: drawn } = chart;
      expect(drawn.axis_config.categories.length).toBeLessThanOrEqual(20);
    }
    expect(message.text).toContain('are too many for a table');
  });

  it.each([
    ['stats show --from 2025-11-01', STATISTICS_TOO_OLD],
    ['stats show --from 2025-01-01 --hourly', HOURLY_TOO_OLD],
    ['stats show --from 45d --hourly', HOURLY_TOO_OLD],
    ['stats show --from 60d', 'These statistics cover at most 40 days at a time.'],
    [
      'stats show --from 3d --exact-range',
      'An exact range works with hourly statistics only: with daily ones the platform returns whole days.',
    ],
    ['stats show --load-latest', 'The latest statistics need both dates, at most one day apart.'],
    ['stats show --from 5d --to today --load-latest', 'The latest statistics cover at most 1 day at a time.'],
    ['stats show --from today --to yesterday', 'The range ends before it starts.'],
    ['stats show --from 2026-02-30', '“2026-02-30” is not in the calendar.'],
  ])('refuses %s without asking the platform', async (line, message) => {
    const before = simulated.simulator.requests.length;
    await expect(show(line)).rejects.toThrow(message);
    expect(simulated.simulator.requests).toHaveLength(before);
  });

  it('says so when nothing came', async () => {
    const { run } = await prepare('stats show', {
      platform: { statistics: { get: async () => ({}) as StatisticsAnswer } },
    });
    expect((await run()).text).toContain('The platform has no points for this range.');
  });
});
