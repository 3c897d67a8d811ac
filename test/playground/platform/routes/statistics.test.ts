import { describe, expect, test } from 'vitest';
import { usePlatform } from '../platform.ts';

const platform = usePlatform();
const HOURLY = 'Cannot request hourly statistics older than 30 days. Use daily granularity instead.';
const YEAR = 'Cannot request statistics older than 1 year.';

const keysOf = (chart: object): string[] => Object.keys(chart);
const sumOf = (chart: Record<string, number>): number => Object.values(chart).reduce((sum, value) => sum + value, 0);
const paths = [
  '/statistics',
  '/pullzone/308001/optimizer/statistics',
  '/pullzone/308001/originshield/queuestatistics',
  '/pullzone/308002/safehop/statistics',
];

/** The keys of the first chart that an answer has. */
const pointsOf = (body: Record<string, unknown>): string[] => {
  const chart = Object.entries(body).find(
    ([name, value]) => name.endsWith('Chart') && value && keysOf(value).length > 0,
  );
  return keysOf(chart?.[1] ?? {}).sort();
};

describe.each(paths)('the date rules at %s', (path) => {
  const points = async (query: string): Promise<string[]> => pointsOf((await platform.get(`${path}?${query}`)).body);

  test('1: hourly without dates is the last 30 days', async () => {
    const keys = await points('hourly=true');
    expect(keys[0]).toBe('2026-05-16T00:00:00Z');
    expect(keys.at(-1)).toBe('2026-06-15T12:00:00Z');
  });

  test('2: daily without dates starts on the same day one month back', async () => {
    const keys = await points('');
    expect([keys[0], keys.at(-1), keys.length]).toEqual(['2026-05-15T00:00:00Z', '2026-06-15T00:00:00Z', 32]);
  });

  test('3: dateFrom alone ends now', async () => {
    const keys = await points('dateFrom=2026-06-13T15:00:00Z');
    expect(keys).toEqual(['2026-06-13T00:00:00Z', '2026-06-14T00:00:00Z', '2026-06-15T00:00:00Z']);
  });

  test('4: whole days are returned', async () => {
    const keys = await points('hourly=true&dateFrom=2026-06-10T15:30:00Z&dateTo=2026-06-10T16:30:00Z');
    expect([keys[0], keys.at(-1), keys.length]).toEqual(['2026-06-10T00:00:00Z', '2026-06-10T23:00:00Z', 24]);
  });

  test.each([
    ['hourly=true&dateFrom=2026-05-01', 'dateFrom', HOURLY],
    ['hourly=true&dateFrom=2024-05-01', 'dateFrom', HOURLY],
    ['dateFrom=2025-06-14', 'dateFrom', YEAR],
    ['dateFrom=2026-06-10&dateTo=2026-06-01', 'dateTo', 'dateTo must not be before dateFrom.'],
    ['dateFrom=June', 'dateFrom', "The value 'June' is not valid for dateFrom."],
  ])('%s is refused', async (query, Field, Message) => {
    expect(await platform.get(`${path}?${query}`)).toMatchObject({
      status: 400,
      body: { ErrorKey: expect.any(String), Field, Message },
    });
  });
});

describe('GET /statistics', () => {
  test('keeps the hours with exactRange and hourly together, and only then', async () => {
    const range = 'dateFrom=2026-06-10T15:00:00Z&dateTo=2026-06-10T18:00:00Z&exactRange=true';
    const exact = (await platform.get(`/statistics?${range}&hourly=true`)).body;
    expect(pointsOf(exact)).toEqual(['2026-06-10T15:00:00Z', '2026-06-10T16:00:00Z', '2026-06-10T17:00:00Z']);
    const daily = (await platform.get(`/statistics?${range}`)).body;
    expect(pointsOf(daily)).toEqual(['2026-06-10T00:00:00Z']);
  });

  test('covers 40 days at most', async () => {
    const at = (dateTo: string) => platform.get(`/statistics?dateFrom=2026-02-01T00:00:00Z&dateTo=${dateTo}`);
    expect((await at('2026-03-13T00:00:00Z')).status).toBe(200);
    expect(await at('2026-03-13T00:00:01Z')).toMatchObject({ status: 400, body: { Field: 'dateTo' } });
  });

  test('gives one day of any age with loadLatest', async () => {
    const latest = (query: string) => platform.get(`/statistics?loadLatest=true&hourly=true&${query}`);
    expect((await latest('dateFrom=2024-02-01&dateTo=2024-02-02')).status).toBe(200);
    expect((await latest('dateFrom=2026-06-01&dateTo=2026-06-03')).status).toBe(400);
    expect((await latest('dateFrom=2026-06-01')).status).toBe(400);
  });

  test('adds its charts up, and gives some only when they are asked for', async () => {
    const query = 'dateFrom=2026-06-01&dateTo=2026-06-10';
    const { body } = await platform.get(`/statistics?${query}`);
    expect(sumOf(body.RequestsServedChart)).toBe(body.TotalRequestsServed);
    expect(sumOf(body.BandwidthUsedChart)).toBe(body.TotalBandwidthUsed);
    expect(body.CacheHitRate).toBeGreaterThan(30);
    expect(body.CacheHitRate).toBeLessThan(100);
    expect(body.Error5xxChart).toEqual({});
    const errors = (await platform.get(`/statistics?${query}&loadErrors=true`)).body;
    expect(sumOf(errors.Error4xxChart)).toBeGreaterThan(sumOf(errors.Error5xxChart));
    expect(sumOf(errors.Error5xxChart)).toBeGreaterThan(0);
  });

  test('is the same whenever it is asked, and that of a zone is part of the whole', async () => {
    const query = '/statistics?dateFrom=2026-06-01&dateTo=2026-06-07';
    const [one, other] = [await platform.get(query), await platform.get(query)];
    expect(one.text).toBe(other.text);
    const zone = (await platform.get(`${query}&pullZone=308002`)).body;
    expect(zone.TotalRequestsServed).toBeGreaterThan(0);
    expect(zone.TotalRequestsServed).toBeLessThan(one.body.TotalRequestsServed);
  });

  test('has a daily and a weekly rhythm', async () => {
    const { body } = await platform.get('/statistics?pullZone=308004&dateFrom=2026-06-01&dateTo=2026-06-14');
    const chart = body.RequestsServedChart;
    expect(chart['2026-06-07T00:00:00Z']).toBeLessThan(chart['2026-06-09T00:00:00Z'] * 0.75);
    const hours = (await platform.get('/statistics?pullZone=308002&hourly=true&dateFrom=2026-06-12&dateTo=2026-06-12'))
      .body;
    expect(hours.RequestsServedChart['2026-06-12T02:00:00Z']).toBeLessThan(
      hours.RequestsServedChart['2026-06-12T18:00:00Z'] * 0.6,
    );
  });
});

test('charts of a feature that is off are null', async () => {
  const { body } = await platform.get('/pullzone/308005/optimizer/statistics');
  expect(body).toMatchObject({ RequestsOptimizedChart: null, TotalRequestsOptimized: 0 });
  expect((await platform.get('/pullzone/308005/safehop/statistics')).body.RequestsRetriedChart).toBeNull();
});

test('statistics of an unknown zone are a 404 in the core shape', async () => {
  expect(await platform.get('/pullzone/1/safehop/statistics')).toMatchObject({
    status: 404,
    body: { ErrorKey: 'pullZone.not_found' },
  });
});
