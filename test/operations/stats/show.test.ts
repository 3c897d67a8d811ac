import { describe, expect, it } from 'vitest';
import { isChart } from '../../../src/blocks/chart.ts';
import { HOURLY_TOO_OLD, STATISTICS_TOO_OLD } from '../../../src/platform/dates.ts';
import type { StatisticsAnswer } from '../../../src/platform/resources/statistics.ts';
import { useSimulated } from '../database/simulated.ts';
import { blockText, buttonsOf, NOW, prepare } from '../performing.ts';

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

  it('has all hours of the last day in an exact range', async () => {
    await show('stats show --from 2026-11-18T06:00 --to 2026-11-19 --hourly --exact-range');
    expect(statistics().at(-1)).toMatchObject({ dateFrom: '2026-11-18T06:00:00Z', dateTo: '2026-11-19T23:59:59Z' });
  });

  it.each(['1h', '11:00', '10am'])('is of the hours since %s, not of the whole day', async (from) => {
    const { message } = await show(`stats show ${zone().Id} --from ${from}`);
    expect(statistics().at(-1)).toMatchObject({ hourly: 'true', exactRange: 'true' });
    expect(message.text).toMatch(/^main-site \(308001\)\n2026-11-21 1\d:00[^\n]*, by the hour, in UTC/);
    expect(buttonsOf(message).More).toMatch(/--hourly --all$/);
  });

  it.each(['today', '2d'])('is of the days since %s', async (from) => {
    await show(`stats show ${zone().Id} --from ${from}`);
    expect(statistics().at(-1)).toMatchObject({ hourly: 'false' });
  });

  it('asks for the latest figures of a day', async () => {
    await show(`stats show ${zone().Id} --from yesterday --to today --load-latest`);
    expect(statistics().at(-1)).toMatchObject({ loadLatest: 'true' });
  });

  it('shows the totals, one chart and the days, and behind a button errors by class, regions and a second chart', async () => {
    const { message: short } = await show(`stats show ${zone().Name} --from 7d`);
    expect(short.blocks.filter(isChart).map((chart) => chart.title)).toEqual(['Requests']);
    const { message, result } = await show(buttonsOf(short).More ?? '');
    const answer = result as StatisticsAnswer;
    const sum = Object.values(answer.Error5xxChart ?? {}).reduce<number>((total, value = 0) => total + value, 0);
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

  it('leads on to the last hour, a comparison, the errors of the last day, and the other columns', async () => {
    const { message } = await show(`stats show ${zone().Id} --from 2026-11-18 --to 2026-11-19`);
    expect(buttonsOf(message)).toEqual({
      'Last hour': `stats show ${zone().Id} --from 1h --hourly --exact-range`,
      Compare: `stats show ${zone().Id} --from 2026-11-18 --to 2026-11-19 --compare`,
      Errors: `errors show ${zone().Id} 2026-11-19`,
      More: `stats show ${zone().Id} --from 2026-11-18 --to 2026-11-19 --all`,
    });
    expect(message.text).not.toContain('Origin response');
    expect((await show(buttonsOf(message).More!)).message.text).toContain('Origin response');
    expect((await show(buttonsOf(message)['Last hour']!)).message.text).toContain('by the hour, in UTC');
    const account = buttonsOf((await show('stats show')).message);
    expect(account).toMatchObject({ Compare: 'stats show --compare', More: 'stats show --all' });
    expect(Object.keys(account)).not.toContain('Errors');
    // There are no hours that old to compare with.
    const hours = buttonsOf((await show(`stats show ${zone().Id} --from 29d --hourly`)).message);
    expect(Object.keys(hours)).not.toContain('Compare');
  });

  it('says of a slow zone how its origin answered in the last six hours, and what came from the cache', async () => {
    const { message } = await show(`stats show ${zone().Id} --slow`);
    expect(message.text).toContain('by the hour, in UTC');
    expect(message.blocks.filter(isChart).map(({ title }) => title)).toEqual(['Origin response']);
    expect(buttonsOf(message)['Failing requests']).toMatch(/^log search \d+ --status 5xx --from \S+Z$/);
  });

  it('says of a slow zone its newest hour that is counted, beside what a request waited before', async () => {
    const chart = (...values: number[]) =>
      Object.fromEntries(values.map((value, index) => [`2026-11-21T0${index + 5}:00:00Z`, value]));
    const answer = {
      RequestsServedChart: chart(1000, 3000, 0, 1000, 0),
      PullRequestsPulledChart: chart(100, 900, 0, 500, 0),
      CacheHitRateChart: chart(90, 70, 0, 50, 0),
      OriginResponseTimeChart: chart(1200, 200, 0, 4000, 0),
    } as StatisticsAnswer;
    const { run } = await prepare('stats show --slow', { platform: { statistics: { get: async () => answer } } });
    expect((await run()).text.split('\n').slice(0, 2)).toEqual([
      'Slower than before. Origin response: 4,000 ms (300 ms in the 2 hours before)',
      'Hit rate: 50% (75% in the 2 hours before)',
    ]);
    answer.OriginResponseTimeChart = chart(1200, 200, 0, 400, 0);
    expect((await run()).text).toMatch(
      /^No slower than before\. Origin response: 400 ms \(300 ms in the 2 hours before\)/,
    );
  });

  it('says of a zone whether trouble is reported, and how today is beside the days before', async () => {
    const answer = {
      RequestsServedChart: { '2026-11-19T00:00:00Z': 100, '2026-11-20T00:00:00Z': 300, '2026-11-21T00:00:00Z': 200 },
      Error5xxChart: { '2026-11-20T00:00:00Z': 2, '2026-11-21T00:00:00Z': 40 },
    } as StatisticsAnswer;
    const { run } = await prepare('stats show 1001', { platform: { statistics: { get: async () => answer } } });
    expect((await run()).text).toMatch(
      /^No trouble reported\. Today so far \(UTC\): 20% of 200 requests failed with 5xx; 0\.5% in the 2 days before\.$/m,
    );
    const hourly = await prepare('stats show 1001 --hourly', { platform: { statistics: { get: async () => answer } } });
    expect((await hourly.run()).text).not.toContain('Today so far');
  });

  it('says when the trouble of a zone ended within the hour, of no other zone', async () => {
    const [to, from] = [NOW.getTime() - 20 * 60_000, NOW.getTime() - 45 * 60_000];
    const recovered = async () => [1001, 1002].map((zone) => ({ zone, name: `zone-${zone}`, from, to }));
    const platform = { statistics: { get: async () => ({}) } };
    const { run } = await prepare('stats show 1001', { platform, reports: { recovered } });
    const { text } = await run();
    expect(text).toMatch(/^✅ zone-1001 recovered at .*, after 25 min\.$/mu);
    expect(text).not.toMatch(/zone-1002|No trouble reported/);
  });

  it('compares whole days with those of a week before, and leaves out today', async () => {
    const { message } = await show(`stats show ${zone().Name} --compare`);
    expect(
      statistics()
        .slice(-2)
        .map(({ dateFrom, dateTo }) => `${dateFrom} ${dateTo}`)
        .sort(),
    ).toEqual(['2026-11-07T00:00:00Z 2026-11-13T23:59:59Z', '2026-11-14T00:00:00Z 2026-11-20T23:59:59Z']);
    expect(message.text).toMatch(/^main-site \(308001\): [\d,]+ requests, (▲|▼) \d+% against a week before\n/);
    expect(message.text).toContain(
      '2026-11-14 to 2026-11-20 (7 whole days), compared with 2026-11-07 to 2026-11-13, in UTC',
    );
    expect(message.text).toMatch(/\n5xx +(▲|▼) \d+% +\d+ +\d+\n/);
    const [chart] = message.blocks.filter(isChart);
    expect(chart?.chart.series.map(({ name, data }) => [name, data.length])).toEqual([
      ['Now', 7],
      ['Before', 7],
    ]);
  });

  it.each([
    ['--from 20d', '2026-10-11', '2026-10-30'],
    ['--from 2026-11-18T03:20 --to 2026-11-18T06:40 --hourly', '2026-11-11', '2026-11-11'],
  ])('compares %s with as many weeks before as it takes', async (range, from, to) => {
    await show(`stats show ${zone().Id} ${range} --compare`);
    const [earliest] = statistics()
      .slice(-2)
      .map(({ dateFrom, dateTo }) => [dateFrom, dateTo])
      .sort();
    expect(earliest?.map((one) => one?.slice(0, 10))).toEqual([from, to]);
  });

  it.each([
    ['--from yesterday --to yesterday', '(1 whole day)'],
    ['--from 2026-11-18T03:00 --to 2026-11-18T04:00 --hourly', '(1 whole hour)'],
    ['--from 2026-11-18T03:00 --to 2026-11-18T05:00 --hourly', '(2 whole hours)'],
  ])('counts what it compares, in words that fit one as well: %s', async (range, words) => {
    expect((await show(`stats show ${zone().Id} ${range} --compare`)).message.text).toContain(words);
  });

  it('has nothing to compare where no day is over', async () => {
    await expect(show('stats show --from today --compare')).rejects.toThrow('This range has no whole day');
    const none = { RequestsServedChart: {} } as StatisticsAnswer;
    const { run } = await prepare('stats show --compare', { platform: { statistics: { get: async () => none } } });
    expect((await run()).text).toContain('Requests: nothing to draw.');
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
    expect((await run()).text).toContain('The platform sent no figures for this range.');
  });
});
