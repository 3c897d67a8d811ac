import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { createMemoryPermits } from '../../support/memory-permits.ts';
import { failureOf, useFakeServer } from '../fixture.ts';

const server = useFakeServer();
const now = () => new Date('2026-11-21T12:00:00Z');
const first = () => server().requests[0];

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('origin errors (row 14)', () => {
  const labels = { ErrorCode: 'dns_lookup', StatusCode: '502', ServerZone: 'CA' };

  it('are decoded from the log, in milliseconds', async () => {
    const log = JSON.stringify({
      RequestUrl: '/a?b',
      PullZoneId: 3,
      Message: 'DNS failed',
      ErrorCode: 'dns_lookup',
      StatusCode: 502,
    });
    server().reply({ body: { logs: [{ logId: 'a', timestamp: 1_728_952_065_848, log, labels }], hasMoreData: true } });
    const day = await server().platform({ now }).originErrors.get(3, new Date('2026-11-20'));
    expect(first()).toMatchObject({ method: 'GET', url: '/3/11-20-2026' });
    expect(day.hasMoreData).toBe(true);
    expect(day.logs[0]?.at?.toISOString()).toBe('2024-10-15T00:27:45.848Z');
    expect(day.logs[0]?.error).toEqual({
      RequestUrl: '/a?b',
      PullZoneId: 3,
      Message: 'DNS failed',
      ErrorCode: 'dns_lookup',
      StatusCode: 502,
    });
  });

  it.each([
    ['text', 'socket closed', { Message: 'socket closed', ErrorCode: 'dns_lookup', StatusCode: 502 }],
    ['no object', '[1]', { Message: '[1]', ErrorCode: 'dns_lookup', StatusCode: 502 }],
    ['missing', undefined, { Message: undefined, ErrorCode: 'dns_lookup', StatusCode: 502 }],
    ['half told', '{"Message":"m"}', { Message: 'm', ErrorCode: 'dns_lookup', StatusCode: 502 }],
  ])('fall back to the labels when the log is %s', async (_, log, expected) => {
    server().reply({ body: { logs: [{ logId: 'a', timestamp: 1, log, labels }] } });
    const day = await server().platform({ now }).originErrors.get(3, new Date('2026-11-20'));
    expect(day.logs[0]?.error).toMatchObject(expected);
    expect(day.logs[0]?.labels?.ServerZone).toBe('CA');
  });

  it('are none in an empty list or where logs is null', async () => {
    server().reply({ body: { logs: [] } }, { body: { logs: null } });
    const { originErrors } = server().platform({ now });
    expect(await originErrors.get(3, new Date('2026-11-20'))).toEqual({ logs: [], hasMoreData: false, isCut: false });
    expect(await originErrors.get(3, new Date('2026-11-20'))).toEqual({ logs: [], hasMoreData: false, isCut: false });
  });

  it.each([
    ['nothing', undefined],
    ['a web page', '<html>'],
    ['another shape', { data: [] }],
    ['cut JSON', '{"logs":[{"logId":"a"},{"lo'],
    ['a list of numbers', { logs: [1] }],
  ])('are not understood in %s', async (_, body) => {
    server().reply({ body });
    expect(await failureOf(server().platform({ now }).originErrors.get(3, new Date('2026-11-20')))).toMatchObject({
      name: 'PlatformShapeError',
    });
  });

  it.each(['oldest', 'newest'])(
    'are read as they come, the %s first, and the newest of too many are kept',
    async (order) => {
      const record = (timestamp: number) =>
        JSON.stringify({ logId: 'x', timestamp, log: '{"Message":"} ] \\" {"}', labels });
      const times = Array.from({ length: 80_010 }, (_, index) => index + 1);
      if (order === 'newest') times.reverse();
      server().reply((_, response) => {
        response.writeHead(200);
        response.end(`{"logs":[${times.map(record).join(',')}],"hasMoreData":false}`);
      });
      const day = await server().platform({ now }).originErrors.get(3, new Date('2026-11-20'));
      expect(day.logs.map(({ at }) => at.getTime() / 1_000)).toEqual(times.filter((time) => time > 30_010));
      expect(day).toMatchObject({ isCut: true, hasMoreData: false });
    },
  );

  it('of one moment are kept as many as may be', async () => {
    const record = JSON.stringify({ logId: 'x', timestamp: 1, log: '{"Message":"m"}', labels });
    server().reply((_, response) => {
      response.writeHead(200);
      response.end(`{"logs":[${Array.from({ length: 50_010 }, () => record).join(',')}]}`);
    });
    const day = await server().platform({ now }).originErrors.get(3, new Date('2026-11-20'));
    expect(day.logs).toHaveLength(50_000);
    expect(day).toMatchObject({ isCut: true });
  });

  it('of a stretch are found wherever in the day they are, and only those', async () => {
    const record = (timestamp: unknown) => JSON.stringify({ logId: 'x', timestamp, log: '{"Message":"m"}', labels });
    server().reply((_, response) => {
      response.writeHead(200);
      const others = Array.from({ length: 60_000 }, () => record(Date.parse('2026-11-20T08:00:00Z')));
      const times = ['2026-11-20T14:00:00Z', '2026-11-20T14:14:59.999Z', '2026-11-20T14:15:00Z'].map(Date.parse);
      response.end(`{"logs":[${[...others, ...times.map(record), record('?'), record(null)].join(',')}]}`);
    });
    const [from, to] = [new Date('2026-11-20T14:00:00Z'), new Date('2026-11-20T14:15:00Z')];
    const day = await server().platform({ now }).originErrors.get(3, new Date('2026-11-20'), { from, to });
    expect(day.logs.map(({ at }) => at?.toISOString())).toEqual([
      '2026-11-20T14:00:00.000Z',
      '2026-11-20T14:14:59.999Z',
    ]);
    expect(day).toMatchObject({ isCut: false, hasMoreData: false });
  });

  it('say what a refusal said', async () => {
    server().reply({ status: 401, body: { Message: 'Invalid key' } });
    expect(await failureOf(server().platform({ now }).originErrors.get(3, new Date('2026-11-20')))).toMatchObject({
      status: 401,
      message: 'Invalid key',
      service: 'originLogs',
    });
  });
});

describe('access logs (row 15)', () => {
  const record = {
    timestamp: '2026-11-21T11:00:00.265Z',
    requestId: '648fd832dbc1b102134949e15a9fdb2d',
    cacheStatus: 'EXPIRED',
    statusCode: 404,
    bytesSent: 1095,
    path: '/video.mp4',
    authorizationHeader: 'Bearer leak',
  };

  it('are asked for by v2 without a query when nothing was typed', async () => {
    server().reply({ body: { data: [record], pagination: { offset: 0, limit: 100, returned: 1, hasMore: false } } });
    const page = await server().platform({ now }).accessLogs.query(3);
    expect(first()?.url).toBe('/v2/pullzones/3/logs');
    expect(page).toMatchObject({ hasMore: false, data: [{ cacheStatus: 'EXPIRED', statusCode: 404 }] });
    expect(page).not.toHaveProperty('nextOffset');
    expect(JSON.stringify(page)).not.toContain('leak');
  });

  it('are asked for with every filter', async () => {
    server().reply({ body: { data: [] } });
    await server()
      .platform({ now })
      .accessLogs.query(3, {
        from: new Date('2026-11-20T00:00:00Z'),
        to: new Date('2026-11-21T00:00:00.5Z'),
        status: ['404', '5xx'],
        cacheStatus: ['HIT', '-'],
        country: ['DE', 'FI'],
        edgeLocation: 'WA',
        remoteIp: '10.0.0.1',
        urlContains: 'a&b',
        userAgentContains: 'curl',
        refererContains: 'x',
        search: 'one two',
        requestId: '648fd832-dbc1-b102-1349-49e15a9fdb2d',
        includeOriginShield: true,
        limit: 10_000,
        offset: 20,
        order: 'asc',
      });
    expect(decodeURIComponent(first()?.url ?? '')).toBe(
      '/v2/pullzones/3/logs?from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00.500Z&status=404,5xx&cacheStatus=HIT,-&country=DE,FI' +
        '&edgeLocation=WA&remoteIp=10.0.0.1&urlContains=a&b&userAgentContains=curl&refererContains=x&search=one+two' +
        '&requestId=648fd832-dbc1-b102-1349-49e15a9fdb2d&includeOriginShield=true&limit=10000&offset=20&order=asc',
    );
  });

  it('are asked for from a moment later when the start lies right at the edge of the retention', async () => {
    server().reply({ body: { data: [] } });
    await server()
      .platform({ now })
      .accessLogs.query(3, { from: new Date('2026-11-18T11:59:58Z') });
    expect(decodeURIComponent(first()?.url ?? '')).toBe('/v2/pullzones/3/logs?from=2026-11-18T12:00:05Z');
  });

  it('go on after the limit, not after what came back', async () => {
    server().reply(
      { body: { data: [], pagination: { offset: 40, limit: 20, returned: 0, hasMore: true } } },
      { body: { data: [], pagination: { hasMore: true } } },
    );
    const { accessLogs } = server().platform({ now });
    expect((await accessLogs.query(3, { limit: 20, offset: 40 })).nextOffset).toBe(60);
    expect((await accessLogs.query(3, { limit: 50, offset: 100 })).nextOffset).toBe(150);
  });

  it.each([
    [{ from: new Date('2026-11-17T00:00:00Z') }, 'from', /kept for 3 days/],
    [{ search: Array.from({ length: 17 }, () => 'x').join(' ') }, 'search', /16 words/],
    [{ search: 'x'.repeat(129) }, 'search', /128/],
  ])('send nothing for %j', async (query, argument, message) => {
    const failure = await failureOf(server().platform({ now }).accessLogs.query(3, query));
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure).toMatchObject({ argument });
    expect(failure.message).toMatch(message);
    expect(server().requests).toEqual([]);
  });

  it('take no more than a page may have, and go on from there', async () => {
    server().reply({ body: { data: Array.from({ length: 10_001 }, () => ({ statusCode: 200 })) } });
    const page = await server().platform({ now }).accessLogs.query(3, { offset: 5 });
    expect(page.data).toHaveLength(10_000);
    expect(page).toMatchObject({ hasMore: true, nextOffset: 10_005 });
  });

  it('tell a person of a 429 at once, and the next request waits', async () => {
    server().reply({ status: 429, body: { error: { code: 'rate_limited', message: 'Too many' } } });
    const { accessLogs } = server().platform({ now });
    expect(await failureOf(accessLogs.query(3))).toMatchObject({ status: 429, key: 'rate_limited' });
    const waiting = new AbortController();
    const next = failureOf(accessLogs.query(3, {}, { signal: waiting.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(server().requests).toHaveLength(1);
    waiting.abort(new Error('enough'));
    expect((await next).message).toBe('enough');
  });

  it('wait for Retry-After of a 429 and ask again', async () => {
    server().reply({ status: 429, headers: { 'retry-after': '1' } }, { body: { data: [record] } });
    const page = await server().platform({ now }).accessLogs.query(3, {}, { priority: 'background' });
    expect(page.data).toHaveLength(1);
  });

  it('share one limit between v2 and v1', async () => {
    server().always({ body: { data: [] } });
    const permits = createMemoryPermits({ permits: 2, window: 60_000 });
    const { accessLogs } = server().platform({ now, permits });
    await accessLogs.query(3);
    (await accessLogs.download(3, new Date('2026-11-20'))).resume();
    const waiting = new AbortController();
    const third = failureOf(accessLogs.query(3, {}, { signal: waiting.signal }));
    await accessLogs.query(4);
    waiting.abort(new Error('enough'));
    expect((await third).message).toBe('enough');
    expect(server().requests).toHaveLength(3);
  });
});

describe('the v1 file of a day', () => {
  it('is asked for by its date with two digits of the year, packed, and comes decoded', async () => {
    server().reply({ body: 'HIT|200\nMISS|404\n', gzip: true });
    const file = await server().platform({ now }).accessLogs.download(3, new Date('2026-11-20'));
    expect(await textOf(file)).toBe('HIT|200\nMISS|404\n');
    expect(first()).toMatchObject({ method: 'GET', url: '/11-20-26/3.log' });
    expect(first()?.headers['accept-encoding']).toBe('gzip');
  });

  it('comes as it is when it was not packed', async () => {
    server().reply({ body: 'HIT|200\n' });
    expect(await textOf(await server().platform({ now }).accessLogs.download(3, new Date('2026-11-20')))).toBe(
      'HIT|200\n',
    );
  });

  it('says that the connection broke off, also in the middle of a packed file', async () => {
    server().always((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('HIT|200\n', () => response.socket?.destroy());
    });
    const { accessLogs } = server().platform({ now });
    const read = async () => textOf(await accessLogs.download(3, new Date('2026-11-20')));
    expect(await failureOf(read())).toMatchObject({ name: 'PlatformConnectionError' });
    server().always((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(Buffer.from('1f8b0800000000000003', 'hex'));
    });
    expect(await failureOf(read())).toMatchObject({ name: 'PlatformConnectionError' });
  });

  it('stops when its caller gives up', async () => {
    server().reply((_, response) => {
      response.writeHead(200);
      response.write('HIT|200\n');
    });
    const controller = new AbortController();
    const file = await server()
      .platform({ now })
      .accessLogs.download(3, new Date('2026-11-20'), { signal: controller.signal });
    const reading = failureOf(textOf(file));
    controller.abort(new Error('enough'));
    expect((await reading).message).toBe('enough');
  });

  it('is refused with what the service says', async () => {
    server().reply({ status: 404, body: { error: { code: 'logging_disabled', message: 'Logging is off' } } });
    expect(await failureOf(server().platform({ now }).accessLogs.download(3, new Date('2026-11-20')))).toMatchObject({
      status: 404,
      key: 'logging_disabled',
      message: 'Logging is off',
    });
  });

  it.each(['2026-11-17', '2026-11-22'])('sends nothing for %s', async (date) => {
    expect(await failureOf(server().platform({ now }).accessLogs.download(3, new Date(date)))).toBeInstanceOf(
      UsageError,
    );
    expect(server().requests).toEqual([]);
  });
});
