import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { failureOf, useFakeServer } from '../fixture.ts';

const server = useFakeServer();
const now = () => new Date('2026-11-21T12:00:00Z');
const from = new Date('2026-11-01T00:00:00Z');
const to = new Date('2026-11-05T18:30:00Z');
const EXTRAS =
  'loadErrors=true&loadRequestsServed=true&loadBandwidthUsed=true&loadOriginTraffic=true&loadOriginResponseTimes=true&loadGeographicTrafficDistribution=true';

describe('the statistics of the account (row 7)', () => {
  it('are asked for without dates when none were typed', async () => {
    server().reply({ body: {} });
    await server().platform({ now }).statistics.get();
    expect(server().requests[0]?.url).toBe(`/statistics?hourly=false&${EXTRAS}`);
  });

  it('are asked for with everything that was typed', async () => {
    server().reply({ body: {} }, { body: {} });
    const { statistics } = server().platform({ now });
    await statistics.get({ dateFrom: from, dateTo: to, hourly: true, exactRange: true, pullZone: 12 });
    await statistics.get({ dateFrom: to, dateTo: to, loadLatest: true });
    expect(server().requests.map((one) => one.url)).toEqual([
      `/statistics?dateFrom=2026-11-01T00%3A00%3A00Z&dateTo=2026-11-05T18%3A30%3A00Z&hourly=true&exactRange=true&pullZone=12&${EXTRAS}`,
      `/statistics?dateFrom=2026-11-05T18%3A30%3A00Z&dateTo=2026-11-05T18%3A30%3A00Z&hourly=false&loadLatest=true&${EXTRAS}`,
    ]);
  });

  it('are asked for by the specification’s parameters alone when the setting says so', async () => {
    server().reply({ body: {} });
    const { statistics } = server().platform({ now, statisticsExtras: false });
    await statistics.get({ dateFrom: from, hourly: true });
    expect(server().requests[0]?.url).toBe('/statistics?dateFrom=2026-11-01T00%3A00%3A00Z&hourly=true');
    // The whole account's figures must not pass for one zone's.
    expect(await failureOf(statistics.get({ pullZone: 12 }))).toBeInstanceOf(UsageError);
  });

  it('are not asked for when the range cannot be right', async () => {
    const { statistics } = server().platform({ now });
    const old = new Date('2025-01-01T00:00:00Z');
    expect(await failureOf(statistics.get({ dateFrom: old }))).toBeInstanceOf(UsageError);
    expect(await failureOf(statistics.get({ exactRange: true }))).toBeInstanceOf(UsageError);
    expect(await failureOf(statistics.optimizer(1, { dateFrom: old }))).toBeInstanceOf(UsageError);
    expect(await failureOf(statistics.queue(-1))).toBeInstanceOf(UsageError);
    expect(server().requests).toEqual([]);
  });

  it('keep the wire names and come in order of time, and know a point without a figure', async () => {
    server().reply({
      body: {
        TotalBandwidthUsed: 12,
        CacheHitRate: 93.5,
        TotalRequestsServed: null,
        BandwidthUsedChart: { '2026-11-02T00:00:00Z': 2, '2026-11-01T00:00:00Z': 1, '2026-11-03T00:00:00Z': null },
        Error5xxChart: null,
        Unknown: 1,
      },
    });
    const answer = await server().platform({ now }).statistics.get();
    expect(answer).toMatchObject({ TotalBandwidthUsed: 12, CacheHitRate: 93.5 });
    expect(answer.TotalRequestsServed).toBeUndefined();
    expect(answer.Error5xxChart).toBeUndefined();
    expect(Object.entries(answer.BandwidthUsedChart ?? {})).toEqual([
      ['2026-11-01T00:00:00Z', 1],
      ['2026-11-02T00:00:00Z', 2],
      ['2026-11-03T00:00:00Z', undefined],
    ]);
    expect(answer).not.toHaveProperty('Unknown');
  });
});

describe('the statistics of a zone (rows 8 to 10)', () => {
  it.each([
    ['optimizer', '/pullzone/12/optimizer/statistics'],
    ['queue', '/pullzone/12/originshield/queuestatistics'],
    ['safehop', '/pullzone/12/safehop/statistics'],
  ] as const)('%s sends exactly dateFrom, dateTo and hourly', async (name, path) => {
    server().reply({ body: {} }, { body: {} });
    const { statistics } = server().platform({ now });
    await statistics[name](12, { dateFrom: from, dateTo: to, hourly: true });
    await statistics[name](12);
    expect(server().requests.map((one) => `${one.method} ${one.url}`)).toEqual([
      `GET ${path}?dateFrom=2026-11-01T00%3A00%3A00Z&dateTo=2026-11-05T18%3A30%3A00Z&hourly=true`,
      `GET ${path}?hourly=false`,
    ]);
  });

  it('has no limit of 40 days', async () => {
    server().reply({ body: { TotalRequestsSaved: 3, RequestsSavedChart: {} } });
    const answer = await server()
      .platform({ now })
      .statistics.safehop(12, { dateFrom: new Date('2026-03-01T00:00:00Z'), dateTo: to });
    expect(answer.TotalRequestsSaved).toBe(3);
  });
});
