import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listedZone, startOnCanned } from '../support/on-canned.ts';

const NOW = new Date('2026-11-25T12:00:00Z');
const STATISTICS = 'GET /api/statistics';

/** Days from a day of November on, each with its figure. */
const days = (first: number, ...values: unknown[]) =>
  Object.fromEntries(values.map((value, at) => [`2026-11-${first + at}T00:00:00Z`, value]));

describe('no figure is no zero', () => {
  let canned: Awaited<ReturnType<typeof startOnCanned>>;
  beforeAll(async () => {
    canned = await startOnCanned(NOW);
    canned.platform.answer('GET /api/pullzone', {
      body: { Items: [listedZone(1337, 'shop', 'shop.example.com')], HasMoreItems: false },
    });
  });
  afterAll(() => canned.close());

  async function shown(line: string, body: unknown) {
    canned.platform.answer(STATISTICS, { body });
    const { text, blocks } = await canned.ask(line);
    const chart = blocks.find(({ type }) => type === 'data_visualization') as
      | { chart: { type: string; series: { data: { value: number }[] }[]; axis_config: { categories: string[] } } }
      | undefined;
    return { text, chart: chart?.chart };
  }

  it.each<[string, object]>([
    ['null', { TotalRequestsServed: null }],
    ['absent', {}],
    ['in quotes', { TotalRequestsServed: '560000' }],
    ['an object', { TotalRequestsServed: { value: 560_000 } }],
  ])('adds the days up where their total is %s', async (_, total) => {
    const { text } = await shown('stats show shop', {
      ...total,
      RequestsServedChart: days(22, 140_000, 140_000, 140_000, 140_000),
    });
    expect(text).toMatch(/Requests\s+560,000/);
    expect(text).not.toMatch(/There were no requests/);
  });

  it.each<[string, Record<string, unknown>]>([
    ['null', days(22, 140_000, null, 140_000, 140_000)],
    ['missing', { ...days(22, 140_000), ...days(24, 140_000, 140_000) }],
    ['no number', days(22, 140_000, {}, 140_000, 140_000)],
    ['a word', days(22, 140_000, 'n/a', 140_000, 140_000)],
    ['missing among days in several forms', { '2026-11-22': 140_000, '2026-11-24T00:00:00': 140_000, '2026-11-25': 9 }],
  ])('says how many days have no figure, however it says so: %s', async (_, RequestsServedChart) => {
    const { text } = await shown('stats show shop', { RequestsServedChart });
    expect(text).toMatch(/No figure for 1 of 3 days/);
    expect(text).toMatch(/2026-11-23 \| –/);
    expect(text).not.toMatch(/There were no requests/);
  });

  it('leaves days without a figure out of a chart, and says so', async () => {
    const points = { ...days(16, '5', 6, null, 8), ...days(21, 10, 11, 12, null, 14) };
    const { text, chart } = await shown('stats show shop --from 2026-11-15', { RequestsServedChart: points });
    expect(text).toMatch(/No figure for 4 of 10 days/);
    expect(chart?.type).toBe('bar');
    expect(chart?.axis_config.categories).toEqual([
      '2026-11-16',
      '2026-11-17',
      '2026-11-19',
      '2026-11-21',
      '2026-11-22',
      '2026-11-23',
    ]);
    expect(chart?.series.map(({ data }) => data.map(({ value }) => value))).toEqual([[5, 6, 8, 10, 11, 12]]);
  });

  it('has one row for a day, however the charts write it', async () => {
    const { text } = await shown('stats show shop', {
      RequestsServedChart: { '2026-11-24': 7, '2026-11-25T00:00:00+00:00': 8 },
      Error5xxChart: { '2026-11-24T00:00:00Z': 1, '2026-11-25T00:00:00': 2 },
    });
    expect(text.match(/2026-11-24 \|/g)).toHaveLength(1);
    expect(text).not.toMatch(/No figure/);
  });

  it.each<[string, unknown]>([
    ['nothing', {}],
    ['nulls', { TotalRequestsServed: null, RequestsServedChart: null }],
    ['a null for each day', { RequestsServedChart: days(22, null, null, null) }],
    ['empty charts', { RequestsServedChart: {}, BandwidthUsedChart: {}, Error5xxChart: {} }],
  ])('says that there are no figures where the platform answers with %s', async (_, body) => {
    const { text } = await shown('stats show shop', body);
    expect(text).toMatch(/The platform sent no figures for this range\./);
    expect(text).not.toMatch(/There were no requests|\b0\b/);
  });

  it('says that there were no requests where the platform says so', async () => {
    const { text } = await shown('stats show shop', {
      TotalRequestsServed: 0,
      RequestsServedChart: days(22, 0, 0, 0, 0),
    });
    expect(text).toMatch(/There were no requests\./);
    const denied = await shown('stats show shop', { TotalRequestsServed: 0, RequestsServedChart: days(24, 7, 7) });
    expect(denied.text).not.toMatch(/There were no requests/);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'a day of the week before is missing',
      days(18, 9, 9, 9, 9, 9, 9, 9),
      { ...days(11, 9, 9, 9), ...days(15, 9, 9, 9) },
    ],
    ['a day of this week is null', days(18, 9, 9, null, 9, 9, 9, 9), days(11, 9, 9, 9, 9, 9, 9, 9)],
    ['the first day is missing', days(19, 9, 9, 9, 9, 9, 9), days(11, 9, 9, 9, 9, 9, 9, 9)],
    ['a day is a word', days(18, 9, '9', 9, 9, 9, 'x', 9), days(11, 9, 9, '9', 9, 9, 9, 9)],
  ])('compares each day with the one a week before, and says which lack: %s', async (_, now, before) => {
    const { text, chart } = await shown('stats show --compare shop', { RequestsServedChart: { ...before, ...now } });
    expect(text).toMatch(/as many as a week before/);
    expect(text).toMatch(/\(6 of 7 whole days\)/);
    expect(text).toMatch(/No figure for 1 of 7 days, now or before/);
    expect(chart?.axis_config.categories).toHaveLength(6);
  });

  it('compares nothing with nothing', async () => {
    const { text } = await shown('stats show --compare shop', { RequestsServedChart: days(18, 9, 9, 9, 9, 9, 9, 9) });
    expect(text).toMatch(/No figure for 7 of 7 days/);
    expect(text).not.toMatch(/▲|▼|as many as/);
  });

  describe('in the daily report', () => {
    const hourly = (from: number, to: number, value: unknown) =>
      Object.fromEntries(
        Array.from({ length: (to - from) / 3_600_000 }, (_, at) => [
          new Date(from + at * 3_600_000).toISOString().slice(0, 19),
          value,
        ]),
      );
    const YESTERDAY = Date.parse('2026-11-24T00:00:00Z');
    const whole = { RequestsServedChart: hourly(YESTERDAY - 27 * 86_400_000, NOW.getTime(), 5000) };

    it.each<[string, unknown, RegExp]>([
      ['null', { RequestsServedChart: null, BandwidthUsedChart: null }, /sent no figures for shop\./],
      ['nothing', {}, /sent no figures for shop\./],
      [
        'a null for each hour',
        { RequestsServedChart: hourly(YESTERDAY - 27 * 86_400_000, NOW.getTime(), null) },
        /sent no figures for shop\./,
      ],
      [
        'one hour of the day',
        { RequestsServedChart: hourly(YESTERDAY, YESTERDAY + 3_600_000, 3607) },
        /sent no figures for 23 of 24 hours of shop\./,
      ],
      [
        'a null among the failures',
        { ...whole, Error5xxChart: { '2026-11-24T05:00:00Z': null } },
        /sent no figures for 1 of 24 hours of shop\./,
      ],
    ])('a zone is named, and nothing is green, where the platform sends for it %s', async (_, body, expected) => {
      const canned = await startOnCanned(NOW);
      canned.platform.answer('GET /api/pullzone', {
        body: { Items: [listedZone(1337, 'shop'), listedZone(2, 'blog')], HasMoreItems: false },
      });
      canned.platform.answer(STATISTICS, (response, url) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(url.includes('pullZone=1337') ? body : whole));
      });
      const { text } = await canned.ask('report run daily-statistics');
      await canned.close();
      expect(text).toMatch(expected);
      expect(text).toMatch(/figures of 1 zone are missing/);
      expect(text).not.toMatch(/nothing stands out/);
    });
  });
});
