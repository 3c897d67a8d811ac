import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { usePlatform } from '../platform.ts';

const platform = usePlatform();

interface Entry {
  timestamp: string;
  statusCode: number;
  cacheStatus: string;
  countryCode: string;
  url: string;
  userAgent: string;
  requestId: string;
  edgeLocation: string;
  remoteIp: string;
}

const HOUR = 'from=2026-06-15T10:00:00Z&to=2026-06-15T11:00:00Z';
/** Zones in turn, so that no test meets the limit of one. */
const at = (query: string, zone = 308002) => platform.logs(`/v2/pullzones/${zone}/logs?${query}`);
const entries = async (query: string, zone?: number): Promise<Entry[]> => (await at(query, zone)).body.data;

describe('access logs, version 2', () => {
  test('give the newest first, with their place in the whole', async () => {
    const { body } = await at('limit=3');
    expect(body.pagination).toEqual({ offset: 0, limit: 3, returned: 3, hasMore: true });
    expect(body.query).toEqual({
      pullZoneId: 308002,
      from: '2026-06-14T12:30:00Z',
      to: '2026-06-15T12:30:00Z',
      order: 'desc',
    });
    const times = body.data.map((entry: Entry) => entry.timestamp);
    expect(times).toEqual([...times].sort().reverse());
    expect(times[0] < '2026-06-15T12:30:00').toBe(true);
  });

  test('are the same on every request, and pages join without a seam', async () => {
    const all = await entries(`${HOUR}&limit=10000&order=asc`);
    expect(all.length).toBeGreaterThan(300);
    const pages: Entry[] = [];
    for (let offset = 0; ; offset += 400) {
      const { body } = await at(`${HOUR}&limit=400&offset=${offset}&order=asc`);
      pages.push(...body.data);
      if (!body.pagination.hasMore) {
        break;
      }
    }
    expect(pages).toEqual(all);
  });

  test('are filtered', async () => {
    const all = await entries(`${HOUR}&limit=10000`);
    const some = all.find((entry) => entry.statusCode === 200) as Entry;
    const check = async (query: string, wanted: (entry: Entry) => boolean) => {
      const found = await entries(`${HOUR}&limit=10000&${query}`, 308002);
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(all.filter(wanted));
    };
    await check('status=404,3xx', ({ statusCode }) => statusCode === 404 || Math.floor(statusCode / 100) === 3);
    await check('cacheStatus=HIT,MISS', ({ cacheStatus }) => ['HIT', 'MISS'].includes(cacheStatus));
    await check('country=de,us', ({ countryCode }) => ['DE', 'US'].includes(countryCode));
    await check(`edgeLocation=${some.edgeLocation}`, ({ edgeLocation }) => edgeLocation === some.edgeLocation);
    await check(`remoteIp=${some.remoteIp.replace(/0$/, '77')}`, ({ remoteIp }) => remoteIp === some.remoteIp);
    await check('urlContains=CART', ({ url }) => url.includes('cart'));
    await check('userAgentContains=firefox', ({ userAgent }) => userAgent.includes('Firefox'));
    await check(
      `requestId=${some.requestId.replace(/^(.{8})/, '$1-')}`,
      ({ requestId }) => requestId === some.requestId,
    );
  });

  test('give short pages when country and search are asked for, while more exist', async () => {
    const { body } = await at(`${HOUR}&limit=100&country=FI`);
    expect(body.pagination.hasMore).toBe(true);
    expect(body.pagination.returned).toBe(body.data.length);
    expect(body.data.length).toBeLessThan(100);
    const found = await entries(`${HOUR}&limit=10000&search=firefox%20checkout`);
    expect(found.every(({ url, userAgent }) => /firefox|checkout/i.test(url + userAgent))).toBe(true);
  });

  test('have the viewer’s Authorization where extended logging is on', async () => {
    const { body } = await at('limit=1', 308006);
    expect(platform.simulator.secrets()).toContain(body.data[0].authorizationHeader.replace('Bearer ', ''));
    expect((await at('limit=1', 308005)).body.data[0]).not.toHaveProperty('authorizationHeader');
  });
});

describe('requests for access logs, version 2,', () => {
  test.each([
    ['limit=0', 'limit must be between 1 and 10000.'],
    ['limit=10001', 'limit must be between 1 and 10000.'],
    ['offset=-1', 'offset must not be negative.'],
    ['order=up', 'order must be asc or desc.'],
    ['status=9xx', 'status: "9xx" is neither a code nor a class such as 5xx.'],
    ['from=yesterday', 'from must be an ISO-8601 date-time.'],
    ['from=2026-06-15T11:00:00Z&to=2026-06-15T10:00:00Z', 'from must be before to.'],
    ['from=2026-06-11T00:00:00Z', 'Time range cannot exceed 3 days (log retention window).'],
    ['from=2026-06-11T00:00:00Z&to=2026-06-12T00:00:00Z', 'from must be within the log retention window of 3 days.'],
    [
      `search=${Array.from({ length: 17 }, () => 'x').join('+')}`,
      'search accepts at most 16 tokens of at most 128 characters.',
    ],
    ['requestId=12', 'requestId must be a UUID.'],
  ])('are refused with details: %s', async (query, detail) => {
    expect(await at(query, 308003)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', details: [detail] } },
    });
  });

  test('are refused where logging is off, and where the zone is suspended, disabled or unknown', async () => {
    expect(await at('', 308007)).toMatchObject({ status: 404, body: { error: { code: 'logging_disabled' } } });
    for (const zone of [308009, 308011, 1]) {
      expect(await at('', zone)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    }
  });

  test('fail with an internal error, and with the code at the top, when told to', async () => {
    let off = platform.simulator.fault('status=500@logging');
    expect(await at('', 308013)).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    off();
    off = platform.simulator.fault('flat');
    expect((await at('limit=0', 308013)).body).toMatchObject({
      code: 'invalid_request',
      details: [expect.any(String)],
    });
    off();
  });
});

test('31 requests for one zone within ten seconds are one too many, both versions together', async () => {
  const statuses: number[] = [];
  for (let time = 0; time < 31; time++) {
    const path = time % 2 ? '/v2/pullzones/308008/logs?limit=1' : '/06-15-26/308008.log';
    statuses.push((await platform.logs(path)).status);
  }
  expect(statuses).toEqual([...Array(30).fill(200), 429]);
  const refused = await at('', 308008);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('access logs, version 1', () => {
  const file = (path: string) => platform.logs(path);

  test('are the same records as lines of twelve fields', async () => {
    const reply = await file('/06-15-26/308010.log');
    expect(reply.headers.get('content-type')).toContain('text/plain');
    expect(reply.headers.get('content-disposition')).toContain('06-15-26-308010.log');
    const lines = reply.text
      .trimEnd()
      .split('\n')
      .map((line) => line.split('|'));
    const all = await entries('from=2026-06-15T00:00:00Z&limit=10000&order=asc', 308010);
    expect(lines).toHaveLength(all.length);
    expect(new Set(lines.map((fields) => fields.length))).toEqual(new Set([12]));
    const first = all[0] as Entry;
    expect(lines[0]?.slice(0, 3)).toEqual([
      first.cacheStatus,
      String(first.statusCode),
      String(Date.parse(first.timestamp)),
    ]);
    expect(lines[0]?.slice(10)).toEqual([first.requestId, first.countryCode]);
  });

  test('are filtered, cut and sorted', async () => {
    const times = async (query: string) =>
      (await file(`/06-15-26/308010.log?${query}`)).text
        .trimEnd()
        .split('\n')
        .map((line) => line.split('|'));
    const all = await times('');
    expect(await times('sort=desc')).toEqual([...all].reverse());
    expect(await times('start=10&end=15')).toEqual(all.slice(10, 15));
    expect(new Set((await times('status=4')).map((fields) => fields[1]?.[0]))).toEqual(new Set(['4']));
  });

  test('are zipped when asked', async () => {
    const { headers, bytes } = await raw(`${platform.simulator.urls.logging}/06-15-26/308010.log?end=5`, {
      'accept-encoding': 'gzip',
      accesskey: platform.simulator.environment.PLATFORM_ACCESS_KEY ?? '',
    });
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(bytes).toString().trimEnd().split('\n')).toHaveLength(5);
  });

  test.each(['06-11-26', '13-01-26', '02-30-26', '2026-06-15'])('refuse the date %s', async (date) => {
    expect(await file(`/${date}/308004.log`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
  });

  test('start with what is left of the oldest day', async () => {
    const { text } = await file('/06-12-26/308010.log');
    const first = Number(text.split('|', 3)[2]);
    expect(first).toBeGreaterThanOrEqual(Date.parse('2026-06-12T12:30:00Z'));
  });
});

test.each([308002, 308006, 308012])('the log of zone %d and its statistics agree', async (zone) => {
  const { body } = await platform.get(
    `/statistics?pullZone=${zone}&loadErrors=true&dateFrom=2026-06-14&dateTo=2026-06-14`,
  );
  const lines = (await platform.logs(`/06-14-26/${zone}.log`)).text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('|'));
  const bytes = lines.reduce((sum, fields) => sum + Number(fields[3]), 0);
  const missing = lines.filter((fields) => fields[1]?.startsWith('4')).length;
  expect(body.TotalRequestsServed).toBe(lines.length);
  expect(body.TotalBandwidthUsed / bytes).toBeGreaterThan(0.85);
  expect(body.TotalBandwidthUsed / bytes).toBeLessThan(1.15);
  expect(body.Error4xxChart['2026-06-14T00:00:00Z'] / missing).toBeGreaterThan(0.75);
  expect(body.Error4xxChart['2026-06-14T00:00:00Z'] / missing).toBeLessThan(1.25);
});

function raw(url: string, headers: Record<string, string>): Promise<{ headers: NodeJS.Dict<unknown>; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }));
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}
