import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { summariseLog } from '../../../src/operations/log/summary.ts';
import { PlatformError } from '../../../src/platform/errors.ts';
import type { AccessLogPage, AccessLogQuery } from '../../../src/platform/resources/access-logs.ts';
import { line } from '../../logs/lines.ts';
import { buttonsOf } from '../performing.ts';
import { ask } from './asking.ts';

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);
const FILE = [
  line({ time: at('00:10:00'), bytes: 1_000_000 }),
  line({ time: at('00:20:00'), cache: 'MISS', url: 'https://cdn.example.com/b?token=hush', status: 404, bytes: 500 }),
  line({ time: at('13:00:00'), cache: '-', url: 'https://cdn.example.com/b', status: 503, bytes: 500 }),
  'nonsense',
].join('\n');

function missing(key?: string) {
  return new PlatformError('Not found.', { status: 404, service: 'logging', method: 'GET', path: '/x.log', key });
}

function platformOf(pages: Partial<AccessLogPage>[], file: () => Readable = () => Readable.from([Buffer.from(FILE)])) {
  const left = [...pages];
  const query = vi.fn(async (_zone: number, _query?: AccessLogQuery) => {
    const page = left.length > 1 ? left.shift() : left[0];
    return { data: [], hasMore: false, ...page };
  });
  const download = vi.fn(async (_zone: number, _day: Date) => file());
  const statistics = { get: async () => ({ TotalRequestsServed: 15_150 }) as never };
  return { query, download, setting: { platform: { accessLogs: { query, download }, statistics } } };
}

const record = (timestamp: string) => ({ timestamp, statusCode: 200, cacheStatus: 'HIT', bytesSent: 10, path: '/p' });

describe('log summary', () => {
  test('sums up the file of a whole day', async () => {
    const { setting, download, query } = platformOf([]);
    const { text, blocks } = await ask('log summary 1001 --date yesterday', summariseLog, setting);
    expect(download.mock.calls[0]!.slice(0, 2)).toEqual([1001, new Date('2026-11-20')]);
    expect(query).not.toHaveBeenCalled();
    expect(text).toContain('2026-11-20 (UTC): 3 requests.');
    expect(text).toContain('Traffic: 1 MB');
    expect(text).toContain('Cache hit rate: 50%');
    expect(text).toContain('4xx: 1 (33.3%)');
    expect(text).toContain('Not counted: 1 line that could not be read.');
    expect(text).toContain('Failed requests (5xx) by the hour (UTC) (00:00 to 22:00, 2 hours each)');
    expect(text + JSON.stringify(blocks)).not.toContain('hush');
  });

  test('shows who asked most, on its own', async () => {
    const { setting } = platformOf([]);
    const { text, blocks } = await ask('log summary 1001 --date yesterday --top path', summariseLog, setting);
    expect(text).toMatch(/Most requested paths\n.*\n.*\n\/b\s+2/);
    expect(text).not.toMatch(/Traffic: /);
    expect(buttonsOf({ text: '', blocks }).Summary).toBe('log summary 1001 --date 2026-11-20');
  });

  test.each([
    [
      '203.0.113.0',
      /The busiest network sent 100% of the requests\.\n203\.0\.113\.0\/24: 2 of these 2 requests[\s\S]*Busiest networks[\s\S]*203\.0\.113\.0\/24\s+2/,
    ],
    ['203.0.113.7', /The busiest address sent 100% of the requests\.[\s\S]*Busiest addresses[\s\S]*203\.0\.113\.7\s+2/],
    ['0.0.0.0', /The log of this zone keeps none of them\./],
  ])('shows the busiest addresses as the log keeps them: %s', async (address, shown) => {
    const lines = ['00:10:00', '00:20:00'].map((time) => line({ time: at(time), ip: address }));
    const { setting } = platformOf([], () => Readable.from([Buffer.from(lines.join('\n'))]));
    expect((await ask('log summary 1001 --date yesterday --top address', summariseLog, setting)).text).toMatch(shown);
  });

  test('says that nobody stands out where the busiest network sent little of all', async () => {
    const lines = Array.from({ length: 20 }, (_, one) => line({ time: at('00:10:00'), ip: `203.0.${one}.0` }));
    const { setting } = platformOf([], () => Readable.from([Buffer.from(lines.join('\n'))]));
    expect((await ask('log summary 1001 --date yesterday --top address', summariseLog, setting)).text).toMatch(
      /^Nobody stands out: the busiest network sent 5% of the requests\.$/m,
    );
  });

  test('offers to block nobody for one request', async () => {
    const { setting } = platformOf([], () => Readable.from([Buffer.from(line({ time: at('00:10:00') }))]));
    const { blocks } = await ask('log summary 1001 --date yesterday --top address', summariseLog, setting);
    expect(JSON.stringify(blocks)).not.toContain('block add');
  });

  test('has its tables behind a button', async () => {
    const { setting } = platformOf([]);
    const { blocks } = await ask('log summary 1001 --date yesterday', summariseLog, setting);
    expect(blocks.filter(({ type }) => type === 'data_table')).toEqual([]);
    const { More: more = '' } = buttonsOf({ text: '', blocks });
    expect(more).toBe('log summary 1001 --date 2026-11-20 --all');
    const { text } = await ask(more, summariseLog, setting);
    expect(text).toMatch(/Missing paths \(404\)\n.*\n.*\n\/b\s+1\s+500 B/);
    expect(text).toMatch(/MISS\s+1\s+33\.3%\s+not in cache; fetched from origin/);
  });

  test('of today leaves out the hours that have not come, and names the one that goes on', async () => {
    const { setting } = platformOf([], () => Readable.from([Buffer.from(line({ time: at('11:00:00') + 86_400_000 }))]));
    const { text } = await ask('log summary 1001 --date 2026-11-21', summariseLog, setting);
    expect(text).toContain('2026-11-21 (today in UTC, so far): 1 request.');
    expect(text).toContain('Requests by the hour (UTC) (00:00 to 12:00, 12:00 so far)');
  });

  test('reads the records page by page where there is no such file, and says so', async () => {
    const pages = [
      { data: [record('2026-11-20T01:00:00Z')], hasMore: true, nextOffset: 2000 },
      { data: [record('2026-11-20T02:00:00Z')] },
    ];
    const { setting, query } = platformOf(pages, () => {
      throw missing();
    });
    const { text } = await ask('log summary 1001 --date yesterday', summariseLog, setting);
    expect(query.mock.calls.map(([, asked]) => asked?.offset)).toEqual([0, 2000]);
    expect(query.mock.calls[0]![1]).toMatchObject({
      from: new Date('2026-11-20T00:00:00Z'),
      to: new Date('2026-11-21T00:00:00Z'),
      order: 'asc',
    });
    expect(text).toContain('2 requests.');
    expect(text).toContain('The platform has no file for the whole day');
  });

  test('reads the records that its filters let through', async () => {
    const { setting, query, download } = platformOf([{ data: [record('2026-11-21T01:00:00Z')] }]);
    const { text } = await ask('log summary 1001 --country de --status 2xx', summariseLog, setting);
    expect(download).not.toHaveBeenCalled();
    expect(query.mock.calls[0]![1]).toMatchObject({
      country: ['DE'],
      status: ['2xx'],
      from: new Date('2026-11-21T00:00:00Z'),
      to: new Date('2026-11-21T12:00:00Z'),
    });
    expect(text).toContain(
      '2026-11-21 (today in UTC, so far): 1 request with status 2xx, country DE, &lt;0.1% of 15,150.',
    );
  });

  test.each([
    ['that are late', { TotalRequestsServed: 0 }],
    ['that are null', { TotalRequestsServed: undefined }],
  ])('says no share of statistics %s', async (_, day) => {
    const { setting } = platformOf([{ data: [record('2026-11-21T01:00:00Z')] }]);
    const platform = { ...setting.platform, statistics: { get: async () => day as never } };
    const { text } = await ask('log summary 1001 --country de', summariseLog, { ...setting, platform });
    expect(text).toContain('1 request with country DE.');
  });

  test('stops at a bound and says which part of the day it has read', async () => {
    let offset = 0;
    const query = vi.fn(async () => {
      offset += 2000;
      return { data: [record('2026-11-20T03:00:00Z')], hasMore: true, nextOffset: offset };
    });
    const { text } = await ask('log summary 1001 --date yesterday --country DE', summariseLog, {
      platform: { accessLogs: { query }, statistics: { get: async () => ({}) as never } },
    });
    expect(query).toHaveBeenCalledTimes(100);
    expect(text).toContain('Only part of the day was read, up to 2026-11-20 03:00 UTC.');
  });

  test.each([
    ['finds nothing in it', [], /: no requests with country NZ in what was read\.\nOnly part of the day was read\./],
    [
      'finds some',
      [record('2026-11-20T03:00:00Z')],
      /: 1 request with country NZ\.[\s\S]*Only part of the day was read, up to 2026-11-20 03:00 UTC\./,
    ],
  ])('takes no part of a day for the whole if its last pages are empty, and it %s', async (_, data, says) => {
    let offset = 0;
    const query = async () => {
      offset += 2000;
      return { data: offset === 2000 ? data : [], hasMore: true, nextOffset: offset };
    };
    const statistics = { get: async () => ({ TotalRequestsServed: 5_000_000 }) as never };
    const { text } = await ask('log summary 1001 --date yesterday --country NZ', summariseLog, {
      platform: { accessLogs: { query }, statistics },
    });
    expect(text).toMatch(says);
    expect(text).not.toContain('5,000,000');
  });

  test('of a day without requests says so', async () => {
    const { setting } = platformOf([], () => Readable.from([]));
    expect((await ask('log summary 1001', summariseLog, setting)).text).toContain(': no requests.');
  });

  test('passes on that logging is switched off, and refuses days that are gone without asking', async () => {
    const { setting, query } = platformOf([], () => {
      throw missing('logging_disabled');
    });
    await expect(ask('log summary 1001', summariseLog, setting)).rejects.toMatchObject({ key: 'logging_disabled' });
    await expect(ask('log summary 1001 --date 2026-11-01', summariseLog, setting)).rejects.toThrow('kept for 3 days');
    expect(query).not.toHaveBeenCalled();
  });
});
