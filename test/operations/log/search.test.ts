import { describe, expect, test, vi } from 'vitest';
import { searchLog } from '../../../src/operations/log/search.ts';
import type { AccessLogPage, AccessLogQuery } from '../../../src/platform/resources/access-logs.ts';
import { buttonsOf, NOW, rowsOf, zoneOf } from '../performing.ts';
import { ask } from './asking.ts';

const record = {
  timestamp: '2026-11-21T09:15:00.000Z',
  statusCode: 404,
  cacheStatus: 'MISS',
  url: 'https://cdn.example.com/a?token=hush',
  bytesSent: 1500,
  countryCode: 'DE',
  edgeLocation: 'FR',
  remoteIp: '203.0.113.0',
  userAgent: 'curl/8',
  referer: 'https://me:hush@example.com/?s=hush',
  requestId: '322b688bd63fb63f2babe9de30a5d262',
};

function asked(page: Partial<AccessLogPage>) {
  const query = vi.fn(async (_zone: number, _query?: AccessLogQuery) => ({ data: [], hasMore: false, ...page }));
  const setting = { platform: { accessLogs: { query } }, lists: { zones: [zoneOf(1001, 'shop')] } };
  return { query, search: (line: string) => ask(line, searchLog, setting) };
}

describe('log search', () => {
  test('shows requests without what may be secret', async () => {
    const { search } = asked({ data: [record] });
    const { text, blocks } = await search('log search shop');
    expect(text).toContain('shop (1001)');
    expect(text).toMatch(/^1 request: shop \(1001\), since 2026-11-20 12:00 UTC\.\nRequests of Sat, Nov 21, 2026\n/);
    expect(text).toMatch(
      /09:15:00\s+404\s+https:\/\/cdn\.example\.com\/a\?…\s+MISS\s+DE\s+203\.0\.113\.0\s+curl\/8\s+1\.5 kB\s+FR/,
    );
    expect(text + JSON.stringify(blocks)).not.toContain('hush');
  });

  test('offers to block the addresses that most of the requests came from, not who sent one of many', async () => {
    const others = ['9.9.9.0', '8.8.8.0', '7.7.7.0', '', '0.0.0.0'].map((remoteIp) => ({ ...record, remoteIp }));
    const many = await asked({ data: [...others, ...others.slice(0, 2), record, record, record] }).search(
      'log search shop',
    );
    const whom = (address: string) => ({
      'Block for 2 hours': `command:block add 1001 ${address} --for 2h`,
      Block: `command:block add 1001 ${address}`,
      'Limit …': expect.stringContaining('limit add 1001'),
      'Its requests': `command:log search 1001 --ip ${address.replace('/24', '')}`,
    });
    expect(rowsOf(many)).toEqual([
      { text: '`203.0.113.0/24`: 3 of these 10 requests', does: whom('203.0.113.0/24') },
      { text: '`9.9.9.0/24`: 2 of these 10 requests', does: whom('9.9.9.0/24') },
      { text: '`8.8.8.0/24`: 2 of these 10 requests', does: whom('8.8.8.0/24') },
    ]);
    const { 'Its requests': _, ...rest } = whom('203.0.113.0/24');
    expect(rowsOf(await asked({ data: [record] }).search('log search shop'))).toMatchObject([{ does: rest }]);
    expect(rowsOf(await asked({ data: others.slice(3) }).search('log search shop'))).toEqual([]);
  });

  test('takes a time alone for the latest such time', async () => {
    const { search, query } = asked({});
    await search('log search shop --from 10:20 --to today');
    expect(query.mock.calls[0]![1]).toMatchObject({ from: new Date('2026-11-21T10:20:00Z'), to: undefined });
  });

  test('sends every filter as the platform names it', async () => {
    const { search, query } = asked({});
    await search(
      'log search 1001 --from 2026-11-20T06:00 --to 2026-11-20 --status 404,5XX --cache hit,— --country de,uk --edge de ' +
        '--ip 203.0.113.7 --url "a b" --agent bot --referer example --search "x y" ' +
        '--request-id 322b688b-d63f-b63f-2bab-e9de30a5d262 --origin-shield --limit 100 --offset 200 --order asc',
    );
    expect(query).toHaveBeenCalledTimes(1);
    expect(query.mock.calls[0]!.slice(0, 2)).toEqual([
      1001,
      {
        from: new Date('2026-11-20T06:00:00Z'),
        to: new Date('2026-11-21T00:00:00Z'),
        status: ['404', '5xx'],
        cacheStatus: ['HIT', '-'],
        country: ['DE', 'GB'],
        edgeLocation: 'DE',
        remoteIp: '203.0.113.7',
        urlContains: 'a b',
        userAgentContains: 'bot',
        refererContains: 'example',
        search: 'x y',
        requestId: '322b688b-d63f-b63f-2bab-e9de30a5d262',
        includeOriginShield: true,
        limit: 100,
        offset: 200,
        order: 'asc',
      },
    ]);
  });

  test('goes on where the page ended, over the same stretch of time and with the same filters', async () => {
    const { search, query } = asked({ data: [record], hasMore: true, nextOffset: 25 });
    const more = buttonsOf(await search('log search shop --url "a b" --cache -')).More!;
    expect(more).toBe(
      `log search 1001 --from 2026-11-20T12:00:00.000Z --to ${NOW.toISOString()} --cache - --url "a b" --limit 25 --offset 25`,
    );
    await search(more);
    expect(query.mock.calls[1]![1]).toMatchObject({ urlContains: 'a b', cacheStatus: ['-'], offset: 25, limit: 25 });
  });

  test('says which one request stands on a page', async () => {
    const { search } = asked({ data: [record] });
    expect((await search('log search shop --limit 25 --offset 25')).text).toMatch(/^Request 26: shop/);
  });

  test.each([
    ['my zone', 'log search "my zone"'],
    ['', 'log search 1001'],
  ])('narrows by the name that people know, where a zone has one: “%s”', async (name, line) => {
    const query = async () => ({ data: [], hasMore: false });
    const setting = { platform: { accessLogs: { query } }, lists: { zones: [zoneOf(1001, name)] } };
    expect(buttonsOf(await ask('log search 1001', searchLog, setting))['Narrow …']).toBe(line);
  });

  test('gives what is searched for as a file, with every column and nothing that may be secret', async () => {
    const { search, query } = asked({
      data: [record, { ...record, userAgent: '=cmd()' }],
      hasMore: true,
      nextOffset: 9,
    });
    const { text, files } = await search('log search shop --status 404 --csv');
    expect(query.mock.calls[0]![1]).toMatchObject({ status: ['404'], limit: 10_000 });
    expect(text).toMatch(/^The newest 2 requests: shop \(1001\), status 404, /);
    expect(files?.map(({ name }) => name)).toEqual(['requests-of-shop-1001.csv']);
    const [head, first, second] = String(files?.[0]?.content).split('\r\n');
    expect(head).toContain('"Time (UTC)","Status","URL","Cache"');
    expect(first).toContain('"2026-11-21 09:15:00",404,"https://cdn.example.com/a?…","MISS"');
    expect(second).toContain(`"'=cmd()"`);
    expect(String(files?.[0]?.content)).not.toContain('hush');
  });

  test('shows the columns that matter, and the others when asked', async () => {
    const { search } = asked({ data: [record, record] });
    const found = await search('log search shop');
    expect(found.text).toContain('\n9:15 AM · 404 · /a?… · DE · curl\n');
    expect(found.text).not.toMatch(/322b688b|hush/);
    expect((await search(buttonsOf(found)['All columns']!)).text).toContain('322b688b');
  });

  test('sums up the day that was searched', async () => {
    const { search } = asked({ data: [record] });
    const found = await search('log search shop --from 2026-11-20 --to 2026-11-20 --status 404');
    expect(buttonsOf(found)['Summarise 2026-11-20']).toBe('log summary 1001 --date 2026-11-20 --status 404');
  });

  test('says that an empty page is not the end when it is not', async () => {
    const { search } = asked({ hasMore: true, nextOffset: 25 });
    const found = await search('log search shop --country de');
    expect(found.text).toContain('Later pages may have matches');
    expect(Object.keys(buttonsOf(found))).toEqual(['More', 'Narrow …', 'Summarise today']);
    expect((await asked({}).search('log search shop')).text).toContain('No requests found');
  });

  test.each([
    ['--status 600', '“600” is not an HTTP status.'],
    ['--cache warm', '“warm” is not a cache status.'],
    ['--country deu', '“deu” is not a country'],
    ['--ip 1.2', '“1.2” is not an IP address.'],
    ['--edge "d e"', 'An edge location is a code'],
    ['--request-id 12', 'A request id has 32 hexadecimal digits'],
    ['--limit 10001', 'between 1 and 10000'],
    ['--order up', 'one of desc, asc'],
    ['--from tomorrowish', '“tomorrowish” is not a date'],
  ])('refuses %s before anything is sent', async (flags, message) => {
    const { search, query } = asked({});
    await expect(search(`log search 1001 ${flags}`)).rejects.toThrow(message);
    expect(query).not.toHaveBeenCalled();
  });
});
