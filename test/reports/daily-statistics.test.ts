import { describe, expect, test, vi } from 'vitest';
import type { AccountStatisticsQuery, StatisticsAnswer } from '../../src/platform/types.ts';
import { dailyStatistics } from '../../src/reports/daily-statistics.ts';
import { contextOf, refused, say, zone } from './asking.ts';

/** Nine in the morning: the last whole day is the 20th. */
const stretch = { from: new Date('2026-11-20T09:00:00Z'), to: new Date('2026-11-21T09:00:00Z') };

/** Eight days from the 13th to the 20th. */
const chart = (...values: number[]) =>
  Object.fromEntries(values.map((value, index) => [`2026-11-${13 + index}T00:00:00Z`, value]));
const steady = (value: number, last = value) => chart(value, value, value, value, value, value, value, last);

function answer(last: { requests?: number; errors?: number; hitRate?: number } = {}, scale = 1): StatisticsAnswer {
  return {
    RequestsServedChart: steady(10_000 * scale, last.requests ?? 10_000 * scale),
    BandwidthUsedChart: steady(5_000_000 * scale),
    CacheHitRateChart: steady(90, last.hitRate ?? 90),
    OriginResponseTimeChart: steady(120),
    Error4xxChart: steady(100 * scale),
    Error5xxChart: steady(10 * scale, last.errors ?? 10 * scale),
  };
}

function asked(answers: Record<string, StatisticsAnswer | Error>) {
  const get = vi.fn(async (query?: AccountStatisticsQuery) => {
    const found = answers[query?.pullZone ?? 'all'];
    if (found === undefined || found instanceof Error) throw found ?? new Error('not expected');
    return found;
  });
  return { get, platform: { statistics: { get } } };
}

describe('the daily statistics', () => {
  test('are the last whole UTC day, in total and per zone, beside the day before and the week before', async () => {
    const { get, platform } = asked({ all: answer({ requests: 11_000 }), 1: answer({}, 0.7), 2: answer({}, 0.3) });
    const said = await say(dailyStatistics, contextOf(platform, [zone(2, 'blog'), zone(1, 'shop')], stretch));
    expect(get.mock.calls[0]![0]).toEqual({
      dateFrom: new Date('2026-11-13T00:00:00Z'),
      dateTo: new Date('2026-11-20T00:00:00Z'),
    });
    expect(said?.text).toContain('Statistics of Fri, Nov 20, 2026');
    expect(said?.text).toMatch(/Requests\s+11,000\s+10,000\s+\+10%\s+10,000\s+\+10%/);
    expect(said?.text).toMatch(/Cache hit rate\s+90%\s+90%\s+±0\s+90%\s+±0/);
    expect(said?.text).toMatch(/shop\s+7,000\s+±0\s+±0\s+3\.5 MB\s+90%\s+120 ms\s+70\s+7\nblog/);
    expect(said?.text).not.toContain('What changed');
    expect(said?.blocks.filter(({ type }) => type === 'data_visualization')).toHaveLength(2);
  });

  test('say on top what changed, and where', async () => {
    const { platform } = asked({
      all: answer({ errors: 410 }),
      1: answer({ errors: 405, hitRate: 70 }, 0.7),
      2: answer({}, 0.3),
    });
    const said = await say(dailyStatistics, contextOf(platform, [zone(1, 'shop'), zone(2, 'blog')], stretch));
    const [, title, ...lines] = said!.text.split('\n');
    expect(title).toBe('*What changed*');
    expect(lines.slice(0, 3)).toEqual([
      '• shop: 5xx are 5.8% of the requests, after 0.1% the day before and 0.1% a week before (405, 98.8% of all)',
      '• All zones: 5xx are 4.1% of the requests, after 0.1% the day before and 0.1% a week before (410)',
      '• shop: the cache hit rate fell to 70%, from 90% the day before and 90% a week before',
    ]);
    expect(said!.text).not.toContain('• blog');
  });

  test('name zones without requests and zones whose figures cannot be had, and show the others', async () => {
    const { platform } = asked({
      all: answer(),
      1: answer(),
      2: refused(500, 'Broken'),
      3: { RequestsServedChart: steady(0) },
    });
    const said = await say(
      dailyStatistics,
      contextOf(platform, [zone(1, 'shop'), zone(2, 'blog'), zone(3, 'old')], stretch),
    );
    expect(said?.text).toContain('No figures for blog: Broken.');
    expect(said?.text).toContain('No requests in these days: old.');
    expect(said?.text).toMatch(/shop\s+10,000/);
  });

  test('are the total alone where the platform lists no zones', async () => {
    const { platform, get } = asked({ all: answer() });
    const said = await say(dailyStatistics, contextOf(platform, 'the platform has no such list', stretch));
    expect(get).toHaveBeenCalledTimes(1);
    expect(said?.text).toContain('There are no figures per zone: the platform has no such list.');
  });

  test('say when the platform has no figures yet', async () => {
    const { platform } = asked({ all: {} });
    expect((await say(dailyStatistics, contextOf(platform, [], stretch)))?.text).toContain(
      'no figures for this day yet',
    );
  });

  test('of some zones add them up, without asking for the whole account', async () => {
    const { get, platform } = asked({ 1: answer({}, 0.7), 2: answer({ hitRate: 50 }, 0.3) });
    const context = { ...contextOf(platform, [zone(1, 'shop'), zone(2, 'blog')], stretch), whole: false };
    const said = await say(dailyStatistics, context);
    expect(get).toHaveBeenCalledTimes(2);
    expect(said?.text).toContain('These zones together');
    expect(said?.text).toMatch(/Requests\s+10,000\s+10,000\s+±0/);
    expect(said?.text).toMatch(/Cache hit rate\s+78%\s+90%/);
  });

  test('print what is out of the ordinary, and not how much', async () => {
    const print = async (errors: number) => {
      const { platform } = asked({ all: answer({ errors }), 1: answer({ errors }, 0.7) });
      const collected = await dailyStatistics.collect(
        dailyStatistics.args,
        contextOf(platform, [zone(1, 'shop')], stretch),
      );
      return dailyStatistics.print?.(collected, dailyStatistics.args);
    };
    expect(await print(410)).toBe('All zones 5xx\nshop 5xx');
    expect(await print(450)).toBe('All zones 5xx\nshop 5xx');
    expect(await print(10)).toBe('');
  });
});
