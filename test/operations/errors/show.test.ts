import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupsOf, withoutQueries } from '../../../src/operations/errors/show.ts';
import type { OriginError } from '../../../src/platform/resources/origin-errors.ts';
import { useSimulated } from '../database/simulated.ts';
import { blockText, buttonsOf, prepare, rowsOf, zoneOf } from '../performing.ts';

const simulated = useSimulated({ specOnly: true });
const zone = () => simulated.simulator.account.zones[0]!.Id;
const paths = () =>
  simulated.simulator.requests.filter(({ service }) => service === 'origin-logs').map(({ path }) => path);

const errorOf = (message: string, region = 'DE', status = 502): OriginError => ({
  logId: 'x',
  labels: { ErrorCode: 'error', StatusCode: String(status), ServerZone: region },
  at: new Date('2026-11-21T10:00:00Z'),
  error: { ErrorCode: 'error', StatusCode: status, Message: message, RequestUrl: '/a?token=hidden' },
});

describe('errors show', () => {
  it('shows today in UTC when no date is typed, and says so', async () => {
    const { message } = await (await simulated.perform(`errors show ${zone()}`)).run();
    expect(message.text).toMatch(/\d\d:\d\d UTC to \d\d:\d\d UTC/);
    const all = buttonsOf(message).More!;
    expect(all).toBe(`errors show ${zone()} 2026-11-21 --all`);
    expect((await (await simulated.perform(all)).run()).message.text).toMatch(
      /Time \(UTC\)[\s\S]*\n2026-11-21 \d\d:\d\d:\d\d /,
    );
    expect(paths().at(-1)).toBe(`/${zone()}/11-21-2026`);
    expect(message.text).toContain('2026-11-21 (today in UTC)');
  });

  it.each([
    ['yesterday', '11-20-2026'],
    ['2026-11-19', '11-19-2026'],
    ['11-02-2026', '11-02-2026'],
    ['3d', '11-18-2026'],
  ])('sends %s as %s', async (typed, sent) => {
    await (await simulated.perform(`errors show ${zone()} ${typed}`)).run();
    expect(paths().at(-1)).toBe(`/${zone()}/${sent}`);
  });

  it('reads each day since a moment, and shows nothing older', async () => {
    const before = paths().length;
    const { message } = await (await simulated.perform(`errors show ${zone()} --since 2026-11-20T22:00`)).run();
    expect(paths().slice(before).sort()).toEqual([`/${zone()}/11-20-2026`, `/${zone()}/11-21-2026`]);
    expect(message.text).toMatch(/origin errors? of \d+ kinds? since 2026-11-20 22:00 UTC/);
    const times = [...message.text.matchAll(/2026-11-(20|21) (\d\d):/g)];
    expect(times.filter(([, day, hour]) => day === '20' && Number(hour) < 22)).toEqual([]);
  });

  it.each([
    ['4d', 'since 2026-11-18 00:00 UTC (four days at most)'],
    ['3d', 'since 2026-11-18 12:00 UTC.'],
  ])('says since when it shows them where four days at most are read: --since %s', async (since, says) => {
    const before = paths().length;
    const { message } = await (await simulated.perform(`errors show ${zone()} --since ${since}`)).run();
    expect(paths().slice(before)).toHaveLength(4);
    expect(message.text).toContain(says);
  });

  it('says where no error of the origin came since its incident began', async () => {
    let hasMoreData = false;
    const originErrors = { get: async () => ({ logs: [errorOf('timeout')], hasMoreData, isCut: false }) };
    const textSince = async (minutes: number) => {
      const since = new Date(Date.parse('2026-11-21T10:00:00Z') + minutes * 60_000);
      const trouble = { zone: '1001', words: 'shop: requests fell to 5% of usual', since, measure: 'traffic' as const };
      const reports = { incidents: async () => [{ channelName: '#ops', troubles: [trouble] }] };
      const lists = { zones: [zoneOf(1001, 'shop')] };
      return blockText(await (await prepare('errors show shop', { platform: { originErrors }, lists, reports })).run());
    };
    expect(await textSince(30)).toMatch(/^No origin error since .*10:30 UTC>: these came before\.$/m);
    expect(await textSince(-30)).not.toContain('these came before');
    hasMoreData = true;
    expect(await textSince(30)).not.toContain('these came before');
  });

  it('takes a day or a moment, not both', async () => {
    await expect((await simulated.perform(`errors show ${zone()} yesterday --since 2h`)).run()).rejects.toThrow(
      'Give a date or `--since`, not both.',
    );
  });

  it.each(['02-30-2026', '13-01-2026', '2026-11-22', 'tomorrow'])(
    'refuses %s without asking the platform',
    async (typed) => {
      const before = paths().length;
      await expect(simulated.perform(`errors show ${zone()} ${typed}`)).rejects.toThrow();
      expect(paths()).toHaveLength(before);
    },
  );

  it('groups by what is wrong, not by the text, with counts and regions', () => {
    const groups = groupsOf(
      [
        errorOf('No answer from 10.0.0.1 within 60 s'),
        errorOf('No answer from 10.0.0.2 within 61 s', 'UK'),
        errorOf('No answer from 10.0.0.2 within 61 s', 'UK'),
        errorOf('Odd'),
        errorOf('Odd', 'UK', 504),
      ],
      { Id: 7, Name: 'shop' },
    );
    expect(groups.map(({ status, words, requests, regions }) => [status, words, requests, regions])).toEqual([
      [
        502,
        'No answer from <*> within <*>',
        3,
        [
          ['UK', 2],
          ['DE', 1],
        ],
      ],
      ...[expect.arrayContaining(['Odd', 1]), expect.arrayContaining(['Odd', 1])],
    ]);
  });

  const shown = async (line: string, logs: OriginError[], more = {}) => {
    const originErrors = { get: async () => ({ logs, hasMoreData: false, isCut: false, ...more }) };
    return (await prepare(line, { platform: { originErrors } })).run();
  };

  it('has a row for each kind: how many, what is wrong, where, when, and what to look at', async () => {
    const found = await shown('errors show 7', [
      errorOf('connect ECONNREFUSED 192.0.2.7:443'),
      { ...errorOf('Connection refused'), at: new Date('2026-11-21T11:30:00Z') },
      errorOf('Odd'),
    ]);
    expect(found.text).toMatch(/^7: 3 origin errors of 2 kinds on 2026-11-21/);
    expect(rowsOf(found)).toEqual([
      {
        text: expect.stringMatching(
          /^\*2 × The origin refuses connections\*\n502 · \/a · <!date\^1795255200\^\{time\}\|10:00 UTC> to <!date\^1795260600\^\{time\}\|11:30 UTC>\nCheck: is the server running/,
        ),
        does: {
          Requests: 'log search 7 --status 502 --from 2026-11-21T10:00:00.000Z --to 2026-11-21T11:31:00.000Z',
        },
      },
      {
        text: '*1 × Odd*\n502 · /a · at <!date^1795255200^{time}|10:00 UTC>',
        does: {
          Requests: 'log search 7 --status 502 --url /a --from 2026-11-21T10:00:00.000Z --to 2026-11-21T10:01:00.000Z',
        },
      },
    ]);
    expect(buttonsOf(found)).toEqual({
      More: 'errors show 7 2026-11-21 --all',
      'Log summary': 'log summary 7 --date 2026-11-21',
      'The day before': 'errors show 7 2026-11-20',
    });
  });

  it('is one row for a kind with several paths', async () => {
    const paths = ['/a', '/b', '/c'].map((path) => ({
      ...errorOf('Odd'),
      error: { ...errorOf('Odd').error, RequestUrl: path },
    }));
    const rows = rowsOf(await shown('errors show 7', paths));
    expect(rows.map(({ text }) => text)).toEqual([
      '*3 × Odd*\n502 · /a and 2 more · at <!date^1795255200^{time}|10:00 UTC>',
    ]);
  });

  it('has a row for the three most frequent kinds, and a table with what matters first of the others', async () => {
    const many = Array.from({ length: 11 }, (_, at) => errorOf(`Odd ${'abcdefghijk'[at]!.repeat(5)}`));
    const found = await shown('errors show 7', many);
    expect(rowsOf(found)).toHaveLength(3);
    expect(found.text).toMatch(/The other kinds, times in UTC\nErrors {2}Cause +Status {2}Path {2}First seen\n/);
  });

  it('offers no requests of days whose log is gone', async () => {
    const found = await shown(
      'errors show 7 2026-11-02',
      [errorOf('Odd')].map((one) => ({ ...one, at: new Date('2026-11-02T10:00:00Z') })),
    );
    expect(rowsOf(found)).toEqual([]);
    expect(Object.keys(buttonsOf(found))).toEqual(['More', 'The day before']);
  });

  it('shows the labels where the log is no JSON, hides query strings, and says that there is more', async () => {
    const plain: OriginError = {
      ...errorOf(''),
      error: {
        ErrorCode: 'http_timeout',
        StatusCode: 504,
        Message: 'timed out at https://u:p@origin.example/x?key=hidden',
      },
    };
    const { text, blocks } = await shown('errors show 7 yesterday --all', [plain, errorOf('plain')], {
      hasMoreData: true,
    });
    expect(text).toContain('2 origin errors of 2 kinds on 2026-11-20 (UTC).');
    expect(text).toContain('http_timeout');
    expect(text).toContain('timed out at https://origin.example/x?…');
    expect(text).toContain('The platform has more records of this day');
    expect(JSON.stringify(blocks) + text).not.toContain('hidden');
  });

  it('says so when it was Edgewise that stopped reading', async () => {
    expect((await shown('errors show 7 yesterday', [errorOf('x')], { isCut: true })).text).toContain(
      'This day has more records. These are the newest 1, the most that Edgewise holds.',
    );
  });
});

describe('addresses in texts', () => {
  it.each([
    ['/apikey?token=abc', '/apikey?…'],
    ['GET https://a.example/x?y#z failed', 'GET https://a.example/x?… failed'],
    ['"https://user:secret@a.example:8443/x"', '"https://a.example:8443/x"'],
    ['postgres://u:p@ss@db/x', 'postgres://db/x'],
    ['why? and/or what?', 'why? and/or what?'],
    ['https://a.example/?', 'https://a.example/?'],
    ['/a#fragment', '/a?…'],
  ])('lose what may be secret: %s', (text, shown) => {
    expect(withoutQueries(text)).toBe(shown);
  });

  it('never keep what follows the question mark of a path', () => {
    const secret = fc.stringMatching(/^[A-Z0-9]{10}$/);
    const path = fc.stringMatching(/^(\/[a-z.-]{0,8}){1,4}$/);
    fc.assert(
      fc.property(
        secret,
        path,
        fc.constantFrom('', 'https://a.example', 'https://u:p@a.example'),
        (hidden, at, host) => {
          expect(withoutQueries(`failed: ${host}${at}?key=${hidden}&b=${hidden} (again)`)).toBe(
            `failed: ${host.replace('u:p@', '')}${at}?… (again)`,
          );
        },
      ),
    );
  });
});
