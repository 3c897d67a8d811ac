import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from './service/access-log.ts';
import type { Fault } from './service/faults.ts';
import { type Running, start } from './service.ts';

const HOUR = 3_600_000;
const WEEK = {
  half: 'tuning' as const,
  kind: 'incidents' as const,
  seed: 79,
  from: new Date('2026-03-02T00:00:00Z'),
  kinds: ['outage', 'silence'] as const,
};

let platform: Running;
beforeAll(async () => {
  platform = await start({ zones: 5, days: 2, isRateLimited: false }, WEEK);
  platform.clock.advance(26 * HOUR + 20 * 60_000);
});
afterAll(() => platform.close());

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as a reader would, without types.
type Answer = any;

async function get(path: string, key: string | undefined = 'judge-key') {
  const response = await fetch(platform.url + path, { headers: key === '' ? {} : { accesskey: key } });
  const text = await response.text();
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as Answer };
}

async function withFaults<T>(faults: Fault[], run: () => Promise<T>): Promise<T> {
  platform.faults.push(...faults);
  const result = await run();
  platform.faults.splice(0);
  return result;
}

/** A zone small enough to read whole hours of. */
const zone = () => platform.model.zones[1]!;
const logs = (query: string) => get(`/v2/pullzones/${zone().id}/logs?${query}`);
const lastHour = 'from=2026-03-03T01:00:00Z&to=2026-03-03T02:00:00Z';

async function allPages(query: string): Promise<Answer[]> {
  const records: Answer[] = [];
  for (let offset = 0; ; offset += 400) {
    const { body } = await logs(`${query}&limit=400&offset=${offset}`);
    records.push(...body.data);
    if (!body.pagination.hasMore) return records;
  }
}

const statistics = (more: string) => get(`/statistics?pullZone=${zone().id}&hourly=true&exactRange=true&${more}`);
const sameHour = 'dateFrom=2026-03-03T01:00:00Z&dateTo=2026-03-03T02:00:00Z&loadErrors=true';

describe('the platform as documented', () => {
  it('statistics and both logs count the same requests', async () => {
    const { body } = await statistics(sameHour);
    const records = await allPages(lastHour);
    const { body: file } = await get(`/03-03-26/${zone().id}.log`);
    const inHour = (file as string).split('\n').filter((line) => {
      const time = Number(line.split('|')[2]);
      return time >= Date.parse('2026-03-03T01:00:00Z') && time < Date.parse('2026-03-03T02:00:00Z');
    });
    expect(records.length).toBeGreaterThan(300);
    expect(body.TotalRequestsServed).toBe(records.length);
    expect(inHour.length).toBe(records.length);
    const of = (first: number) => records.filter(({ statusCode }) => Math.floor(statusCode / 100) === first).length;
    expect(body.Error4xxChart['2026-03-03T01:00:00Z']).toBe(of(4));
    expect(body.Error5xxChart['2026-03-03T01:00:00Z']).toBe(of(5));
  });

  it('pages come newest first and hold every request once', async () => {
    const records = await allPages(lastHour);
    expect(new Set(records.map(({ requestId }) => requestId)).size).toBe(records.length);
    const times = records.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('filters give the same requests as reading all of them', async () => {
    const all = await allPages(lastHour);
    const missing = await allPages(`${lastHour}&status=404,5xx`);
    expect(missing).toEqual(all.filter(({ statusCode }) => statusCode === 404 || statusCode >= 500));
    const [one] = all;
    const { body } = await logs(`${lastHour}&requestId=${one.requestId}`);
    expect(body.data).toEqual([one]);
  });

  it('the error log has entries of failing requests and no others', async () => {
    const label = platform.labels().find(({ kind }) => kind === 'outage')!;
    const failing = platform.model.zones.find(({ name }) => name === label.zones[0])!;
    platform.clock.advance(20 * HOUR);
    const day = new Date(label.start).toISOString();
    const { body } = await get(`/${failing.id}/${day.slice(5, 7)}-${day.slice(8, 10)}-${day.slice(0, 4)}`);
    const during = body.logs.filter(({ timestamp }: Answer) => timestamp >= label.start && timestamp < label.end);
    expect(during.length).toBeGreaterThan(20);
    for (const { log, labels } of during) expect(JSON.parse(log).StatusCode).toBe(Number(labels.StatusCode));
    platform.clock.advance(-20 * HOUR);
  });

  it('the account is the sum of its zones, and the current hour is counted as far as it has come', async () => {
    const from = 'dateFrom=2026-03-03T00:00:00Z&dateTo=2026-03-03T03:00:00Z';
    const account = await get(`/statistics?hourly=true&exactRange=true&${from}`);
    const zones = await Promise.all(
      platform.model.zones.map(({ id }) => get(`/statistics?pullZone=${id}&hourly=true&exactRange=true&${from}`)),
    );
    const sum = zones.reduce((total, { body }) => total + body.TotalRequestsServed, 0);
    expect(account.body.TotalRequestsServed).toBe(sum);
    const chart = account.body.RequestsServedChart;
    expect(Object.keys(chart)).toEqual(['2026-03-03T00:00:00Z', '2026-03-03T01:00:00Z', '2026-03-03T02:00:00Z']);
    expect(chart['2026-03-03T02:00:00Z']).toBeLessThan(0.7 * chart['2026-03-03T01:00:00Z']);
  });

  it('a year of days is there', async () => {
    const { body } = await get('/statistics');
    expect(Object.keys(body.RequestsServedChart)).toHaveLength(29);
    const old = await get('/statistics?dateFrom=2025-03-10T00:00:00Z&dateTo=2025-03-12T00:00:00Z');
    expect(old.body.TotalRequestsServed).toBeGreaterThan(0);
  });

  it.each([
    ['/statistics?hourly=true&dateFrom=2026-01-01T00:00:00Z', 400],
    ['/statistics?dateFrom=2025-01-01T00:00:00Z', 400],
    ['/statistics?dateFrom=2026-01-01T00:00:00Z&dateTo=2026-02-20T00:00:00Z', 400],
    ['/statistics?hourly=maybe', 400],
    ['/pullzone?page=1&perPage=3', 400],
    ['/pullzone?page=1&perPage=1000', 200],
    ['/2-3-2026', 404],
  ])('%s is answered with %i', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it('wrong parameters of the log are named, keys are checked', async () => {
    const wrong = await logs('limit=0&status=abc');
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    expect(wrong.body.error.details).toHaveLength(2);
    expect((await get(`/v2/pullzones/${zone().id}/logs`, '')).status).toBe(401);
    expect((await get(`/v2/pullzones/${zone().id}/logs`, 'other')).status).toBe(403);
    expect((await get('/statistics', 'other')).status).toBe(401);
  });
});

describe('faults', () => {
  const logsOf = (kind: Omit<Fault, 'service'>) => [{ ...kind, service: 'logs' } as Fault];
  const recent = 'from=2026-03-03T02:00:00Z&to=2026-03-03T02:20:00Z&order=asc';

  it('late, sampled and doubled logs', async () => {
    const whole = await allPages(recent);
    const late = await withFaults(logsOf({ kind: 'late', minutes: 10 } as Fault), () => allPages(recent));
    expect(late).toEqual(whole.filter(({ timestamp }) => timestamp < '2026-03-03T02:10:00.000Z'));
    const sampled = await withFaults(logsOf({ kind: 'sampled', oneIn: 10 } as Fault), () => allPages(recent));
    expect(sampled.length / whole.length).toBeGreaterThan(0.03);
    expect(sampled.length / whole.length).toBeLessThan(0.2);
    const doubled = await withFaults(logsOf({ kind: 'doubled' } as Fault), () => allPages(recent));
    expect(doubled.length).toBe(2 * whole.length);
    const mixed = await withFaults(logsOf({ kind: 'unordered' } as Fault), () => logs(`${recent}&limit=10000`));
    expect(mixed.body.data).not.toEqual(whole);
    expect(mixed.body.data).toHaveLength(whole.length);
  });

  it('statuses for one zone, and a day of statistics that is late', async () => {
    const refused = logsOf({ kind: 'status', status: 404, zone: zone().id } as Fault);
    expect((await withFaults(refused, () => logs(''))).body.error.code).toBe('logging_disabled');
    const day = '/statistics?dateFrom=2026-03-02T00:00:00Z&dateTo=2026-03-02T12:00:00Z';
    const whole = (await get(day)).body.TotalRequestsServed;
    const fault = { kind: 'day late', service: 'statistics', day: '2026-03-02', hours: 30, shown: 0.1 } as const;
    const shown = (await withFaults([fault], () => get(day))).body.TotalRequestsServed;
    expect(shown).toBeLessThan(0.3 * whole);
  });

  it('delays count from when a source shows the incident', async () => {
    const [label] = platform.labels();
    expect(platform.shownAt(label!)).toBe(label!.firstSeen);
    const faults: Fault[] = [
      { kind: 'late', service: 'statistics', minutes: 60 },
      { kind: 'late', service: 'logs', minutes: 20 },
    ];
    const shown = await withFaults(faults, async () => platform.shownAt(label!));
    expect(shown - label!.firstSeen).toBe(20 * 60_000);
  });

  it('more than 30 requests in 10 seconds of the virtual clock are too many', async () => {
    const limited = await start({ zones: 2, days: 1 }, { ...WEEK, kinds: [] });
    const path = `${limited.url}/v2/pullzones/${limited.model.zones[0]!.id}/logs?limit=1`;
    const ask = async () => (await fetch(path, { headers: { accesskey: 'judge-key' } })).status;
    for (let i = 0; i < 30; i++) expect(await ask()).toBe(200);
    expect(await ask()).toBe(429);
    limited.clock.advance(10_001);
    expect(await ask()).toBe(200);
    await limited.close();
  });

  it('records do not depend on the order in which they are asked for', () => {
    const minute = platform.model.from / 60_000 + 500;
    const before = idsOf(platform.model, zone(), minute);
    idsOf(platform.model, zone(), minute - 7);
    expect(idsOf(platform.model, zone(), minute)).toEqual(before);
  });
});
