import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutQueries } from '../../../src/operations/errors/redaction.ts';
import { groupsOf } from '../../../src/operations/errors/show.ts';
import type { OriginError } from '../../../src/platform/resources/origin-errors.ts';
import { useSimulated } from '../database/simulated.ts';
import { prepare } from '../performing.ts';

const simulated = useSimulated({ specOnly: true });
const zone = () => simulated.simulator.account.zones[0]!.Id;
const paths = () =>
  simulated.simulator.requests.filter(({ service }) => service === 'origin-logs').map(({ path }) => path);

const errorOf = (message: string, region = 'DE', status = 502): OriginError => ({
  logId: 'x',
  timestamp: 1,
  labels: { ErrorCode: 'error', StatusCode: String(status), ServerZone: region },
  at: new Date('2026-11-21T10:00:00Z'),
  error: { ErrorCode: 'error', StatusCode: status, Message: message, RequestUrl: '/a?token=hidden' },
});

describe('errors show', () => {
  it('shows today in UTC when no date is typed, and says so', async () => {
    const { message } = await (await simulated.perform(`errors show ${zone()}`)).run();
    expect(message.text).toMatch(/Time \(UTC\)[\s\S]*\n2026-11-21 \d\d:\d\d:\d\d /);
    expect(paths().at(-1)).toBe(`/${zone()}/11-21-2026`);
    expect(message.text).toContain('2026-11-21 (today in UTC, since no date was given)');
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
      '2026-11-21',
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

  it('says first what is wrong where it is known, its share, and what to look at', async () => {
    const logs = [errorOf('connect ECONNREFUSED 192.0.2.7:443'), errorOf('Connection refused'), errorOf('Odd')];
    const { run } = await prepare('errors show 7 yesterday', {
      platform: { originErrors: { get: async () => ({ logs, hasMoreData: false, isCut: false }) } },
    });
    const { text } = await run();
    expect(text).toContain('The origin refuses connections: 66.7%. To look at: does its server run');
    expect(text.indexOf('refuses')).toBeLessThan(text.indexOf('By kind'));
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
    const { run } = await prepare('errors show 7 yesterday', {
      platform: {
        originErrors: { get: async () => ({ logs: [plain, errorOf('plain')], hasMoreData: true, isCut: false }) },
      },
    });
    const { text, blocks } = await run();
    expect(text).toContain('2 origin errors on 2026-11-20 (UTC).');
    expect(text).toContain('http_timeout');
    expect(text).toContain('timed out at https://origin.example/x?…');
    expect(text).toContain('There are more records of this day than these; the platform');
    expect(JSON.stringify(blocks) + text).not.toContain('hidden');
  });

  it('says so when it was Edgewise that stopped reading', async () => {
    const { run } = await prepare('errors show 7 yesterday', {
      platform: { originErrors: { get: async () => ({ logs: [errorOf('x')], hasMoreData: false, isCut: true }) } },
    });
    expect((await run()).text).toContain('There are more records of this day: Edgewise reads 1 at most');
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
