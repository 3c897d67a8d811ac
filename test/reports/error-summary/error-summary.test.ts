import { describe, expect, test } from 'vitest';
import { actions, message } from '../../../src/blocks/message.ts';
import type { AccessLogPage, AccessLogQuery } from '../../../src/platform/resources/access-logs.ts';
import type { OriginErrorDay } from '../../../src/platform/resources/origin-errors.ts';
import { errorSummary } from '../../../src/reports/error-summary/error-summary.ts';
import type { FailuresBefore, ReportContext } from '../../../src/reports/report.ts';
import type { ZoneFinding } from '../../../src/reports/statistics-watch/watch.ts';
import { lookButtons } from '../../../src/reports/statistics-watch/words.ts';
import { HOUR, MINUTE } from '../../../src/time.ts';
import { buttonsOf } from '../../operations/performing.ts';
import { contextOf, refused, say, zone } from '../asking.ts';
import { failing, minutes, NOON, originError, platformOf } from './failing.ts';

const window = { from: new Date('2026-11-21T11:45:00Z'), to: new Date('2026-11-21T12:00:00Z') };

const EVERY_FIVE = { cron: '*/5 * * * *' };

const TESTER = '203.0.113.0';

describe('the error summary', () => {
  test('says by kind what went wrong in its window, in both logs', async () => {
    const platform = platformOf(
      [
        originError('2026-11-21T11:50:00Z', 'No answer within 60 s'),
        originError('2026-11-21T11:55:00Z', 'No answer within 61 s'),
        originError('2026-11-21T11:44:59Z', 'told already'),
        originError('2026-11-21T12:00:00Z', 'told next time'),
      ],
      [
        {
          data: [{ timestamp: '2026-11-21T11:51:00Z', statusCode: 503, path: '/b/9', edgeLocation: 'FR' }],
          hasMore: false,
        },
      ],
    );
    const said = await say(errorSummary, contextOf(platform, [zone(1001, 'shop')], window));
    expect(said?.text).toContain(
      '1 failed request of visitors (5xx) and 2 errors between the edge and the origin in the 15 min up to',
    );
    expect(said?.text).toMatch(/2\s+No answer within …\s+504\s+shop 2\s+\/items\/…\s+100%\s+DE 2/);
    expect(said?.text).toMatch(/1\s+failed request\s+503\s+shop 1\s+\/b\/….*100%\s+FR 1/);
    expect(JSON.stringify(said)).not.toMatch(/hush|told/);
    expect(platform.accessLogs.query.mock.calls[0]).toEqual([
      1001,
      // What came late is read again.
      expect.objectContaining({
        from: new Date('2026-11-21T11:15:00Z'),
        to: window.to,
        status: ['5xx'],
        order: 'desc',
      }),
      expect.objectContaining({ priority: 'background' }),
    ]);
    const range = '--from 2026-11-21T11:45:00.000Z --to 2026-11-21T12:00:00.000Z';
    expect(buttonsOf(said!)).toEqual({
      'Failing requests': `log search 1001 --status 504 --url /items/ ${range}`,
      'Origin errors': 'errors show 1001 2026-11-21',
    });
  });

  test('tells what statistics say when no log has an error, and takes it for one incident', async () => {
    const since = Date.parse('2026-11-21T11:35:00Z');
    const finding = { measure: 'traffic', since, to: since + 1_500_000, now: 0, usual: 310, zone: 1001, name: 'shop' };
    const watch = async () => ({
      findings: [finding as ZoneFinding],
      notes: ['Statistics are 30 minutes late.'],
      unread: [],
    });
    const context = { ...contextOf(platformOf([], []), [zone(1001, 'shop')], window), watch };
    const said = (await say(errorSummary, context))!;
    expect(said.text).toBe(
      '🔴 Down · shop: no requests for 25 min (usually 310 in that time), since about 11:35 AM UTC\nCheck first: does its name resolve? Is its certificate valid?\nStatistics are 30 minutes late.',
    );
    const refused = { ...finding, measure: '4xx', now: 0.2, usual: 0.02, detail: '401 on /session' } as ZoneFinding;
    const denied = { ...context, watch: async () => ({ findings: [refused], notes: [], unread: [] }) };
    expect((await say(errorSummary, denied))!.text).toBe(
      '🟠 Look · shop: 20% of the requests are refused with 4xx (usually 2%), mostly 401 on /session, since about 11:35 AM UTC\nCheck first: did a key, a password or the login change?',
    );
    const old = { ...refused, since: since - 24 * HOUR };
    const lasting = { ...context, watch: async () => ({ findings: [old], notes: [], unread: [] }) };
    expect(await say(errorSummary, lasting)).toBeUndefined();
    expect((await say(errorSummary, { ...lasting, told: { 1001: 'now' } }))!.text).toMatch(/since about Nov 20/);
    const dismissed = { '1001:statistics 4xx': Number.MAX_VALUE };
    const quieted = (await errorSummary.collect(errorSummary.args, { ...denied, dismissed }))!;
    expect(errorSummary.doubts!(quieted)).toEqual([
      {
        zone: '1001',
        words: 'shop: 20% of the requests are refused with 4xx (usually 2%), mostly 401 on /session',
        isDismissed: true,
      },
    ]);
    const told = async (minute: number, more: object) => {
      const [from, to] = [new Date(since + minute * MINUTE), new Date(since + (minute + 5) * MINUTE)];
      const findings = [{ ...finding, ...more } as ZoneFinding];
      const watched = async () => ({ findings, notes: [], unread: [] });
      return (await say(errorSummary, { ...context, from, to, watch: watched }))!.text.split('\n')[0];
    };
    expect(await told(30, {})).toMatch(/, since about 11:35 AM UTC, as of 12:00 PM UTC$/);
    const back = (requests: number, usual = 186) => {
      const lately = {
        from: since + 10 * MINUTE,
        to: since + 25 * MINUTE,
        counts: { requests },
        usual: { requests: usual },
      };
      return { now: 20, window: lately };
    };
    expect(await told(20, back(120))).toBe(
      '🟡 Getting better · shop: fewer requests since about 11:35 AM UTC, 120 requests in the last 15 min (usually 186). Watching.',
    );
    for (const [requests, usual] of [
      [80, 186],
      [9, 12],
    ])
      expect(await told(20, back(requests!, usual))).toMatch(/^🔴 Down/u);
    const before = '--from 2026-11-21T09:35:00.000Z';
    expect(buttonsOf(said)).toEqual({ 'Last requests of shop': `log search 1001 ${before}` });
    const more = [
      ['hits', 3, 'blog'],
      ['traffic', 2, 'docs'],
    ].map(([measure, id, name]) => ({ ...finding, measure, zone: id, name }) as ZoneFinding);
    expect(Object.keys(buttonsOf(message(actions(...lookButtons([...more, finding as ZoneFinding])))))).toEqual([
      'Last requests of docs',
      'Last requests of shop',
    ]);
    expect(lookButtons(more.slice(0, 1)).map(({ value }) => value)).toEqual([`stats show 3 ${before} --hourly`]);
    const everywhere = { ...more[1]!, zone: 0, name: 'All zones' };
    expect(lookButtons([everywhere]).map(({ value }) => value)).toEqual([`stats show ${before} --hourly`]);
    const collected = await errorSummary.collect(errorSummary.args, context);
    const troubles = errorSummary.troubles!(collected, errorSummary.args);
    const words = 'shop: no requests for 25 min (usually 310 in that time)';
    expect(troubles).toMatchObject([{ kind: 'statistics traffic', zone: '1001', since, words, lately: undefined }]);
    const nearly = { ...finding, measure: 'hits', now: 0.85, usual: 0.9 } as ZoneFinding;
    const later = { ...context, watch: async () => ({ findings: [nearly], notes: [], unread: [] }) };
    expect(
      errorSummary.troubles!(await errorSummary.collect(errorSummary.args, later), errorSummary.args),
    ).toMatchObject([{ words: 'shop: fewer cache hits', lately: 0 }]);
    const ended = { ...finding, until: Date.parse('2026-11-21T11:40:00Z') };
    const after = {
      ...context,
      watch: async () => ({ findings: [ended as ZoneFinding], notes: [], unread: [] }),
    };
    expect(await say(errorSummary, after)).toBeUndefined();
  });

  test('tells visitors who give up and their slow origin as one, with what to check', async () => {
    const [since, to] = [Date.parse('2026-11-21T11:35:00Z'), Date.parse('2026-11-21T12:00:00Z')];
    const counts = { requests: 1000, pulls: 900, waited: 900 * 640, errors4xx: 115, errors5xx: 0, bandwidth: 1 };
    const usual = { '4xx': 0.03, '5xx': 0, hits: 0.1, response: 320 };
    const about = { since, to, zone: 1, name: 'kasse', window: { from: since, to, counts, usual, expected: 1000 } };
    const slow = { ...about, measure: 'response', now: 640, usual: 320 };
    const given = {
      ...about,
      measure: '4xx',
      now: 0.115,
      usual: 0.03,
      detail: '499 on /search',
      where: { regions: [] },
    };
    const said = (...findings: object[]) =>
      say(errorSummary, {
        ...contextOf(platformOf([], []), [zone(1, 'kasse')], window),
        told: { 1: 'now' },
        watch: async () => ({ findings: findings as ZoneFinding[], notes: [], unread: [] }),
      });
    const look =
      'Check first: are only some pages slow? Look at their queries. If all are, look at the origin’s CPU, workers and database';
    expect((await said(slow, given))!.text.split('\n')).toEqual([
      '🟠 Look · kasse: 11.5% of the requests are abandoned by visitors (usually 3%), mostly 499 on /search, since about 11:35 AM UTC',
      'In all regions. The origin answers in 640 ms (usually 320 ms)',
      look,
    ]);
    expect((await said(slow))!.text.split('\n').slice(1)).toEqual([
      '90% of requests wait for the origin; the cache serves the rest. Refused or abandoned: 11.5% (usually 3%)',
      look,
    ]);
    // Of a slow origin nothing is hidden while fewer give up, nor that it is fast again while more do.
    expect((await said(slow, { ...given, now: 0.035 }))!.text.split('\n')).toEqual([
      expect.stringContaining('origin is slow: it answers in 640 ms (usually 320 ms)'),
      ...[expect.anything(), look],
      expect.stringMatching(/^🟡 Getting better · kasse: more 4xx since/u),
    ]);
    expect((await said({ ...slow, until: to }, given))!.text).toMatch(/^🟢 kasse: origin is slow: .* until /mu);
  });

  test.each([
    ['400 on /cart', 'did the origin change, or what sends these requests?'],
    [
      '404 on /old',
      'were pages moved or removed? If not, is a crawler or a scanner asking for pages that never existed?',
    ],
    [
      '499 on /cart',
      'are only some pages slow? Look at their queries. If all are, look at the origin’s CPU, workers and database',
    ],
    ['', 'which pages are refused, for whom, and with which status?'],
  ])('asks of requests refused with “%s” what is not known of them: %s', async (detail, look) => {
    const counts = { requests: 100, pulls: 0, waited: 0, errors4xx: 60, errors5xx: 0, bandwidth: 1 };
    const at = { from: window.from.getTime(), to: window.to.getTime() };
    const finding = {
      ...{ measure: '4xx', now: 0.6, usual: 0.02, since: at.from, to: at.to, zone: 1, name: 'shop', detail },
      // No request went to the origin.
      window: { ...at, counts, usual: { '4xx': 0.02, response: 0 }, expected: 100 },
    } as unknown as ZoneFinding;
    const watch = async () => ({ findings: [finding], notes: [], unread: [] });
    const context = { ...contextOf(platformOf([], []), [zone(1, 'shop')], window), told: { 1: 'now' as const }, watch };
    const { text } = (await say(errorSummary, context))!;
    expect(text.split('\n').slice(1)).toEqual([`Check first: ${look}`]);
  });

  test('says nothing when nothing went wrong', async () => {
    expect(await say(errorSummary, contextOf(platformOf([], []), [zone(1001, 'shop')], window))).toBeUndefined();
  });

  test('tells an error of the origin and what visitors got because of it once', async () => {
    const failed = { timestamp: '2026-11-21T11:50:00Z', statusCode: 504, path: '/items/8', edgeLocation: 'DE' };
    const platform = platformOf(
      [originError('2026-11-21T11:50:00Z', 'No answer within 60 s')],
      [{ data: [failed, { ...failed, path: '/other' }], hasMore: false }],
    );
    const text = (await say(errorSummary, contextOf(platform, [zone(1001, 'shop')], window)))!.text;
    expect(text).toContain('2 failed requests');
    expect(text.match(/^\s*\d+ +failed request .*/gm)).toEqual([expect.stringContaining('/other')]);
    expect(text).toContain('they are counted in that origin error’s row');
  });

  test('asks for both days when midnight lies between', async () => {
    const platform = platformOf([], []);
    const midnight = { from: new Date('2026-11-20T23:55:00Z'), to: new Date('2026-11-21T00:10:00Z') };
    await say(errorSummary, contextOf(platform, [zone(1001, 'shop')], midnight));
    expect(platform.originErrors.get.mock.calls.map(([, day]) => day)).toEqual([
      new Date('2026-11-20'),
      new Date('2026-11-21'),
    ]);
  });

  test('reads the further pages of a zone, up to a bound that it names', async () => {
    const page = {
      data: [{ timestamp: '2026-11-21T11:51:00Z', statusCode: 500, path: '/a' }],
      hasMore: true,
      nextOffset: 1000,
    };
    const platform = platformOf(
      [],
      Array.from({ length: 9 }, () => page),
    );
    const said = await say(errorSummary, contextOf(platform, [zone(1001, 'shop')], window));
    expect(platform.accessLogs.query).toHaveBeenCalledTimes(5);
    expect(said?.text).toContain('shop: only the last 5 of the access log were read');
  });

  test('reads 150,000 failures of a minute where its threshold says so', async () => {
    const to = NOON + 30 * MINUTE;
    const platform = platformOf([], []);
    const timestamp = new Date(to - 1000).toISOString();
    const record = (_: unknown, index: number) => ({ requestId: String(index), timestamp, statusCode: 502, path: '/' });
    const all = Array.from({ length: 150_000 }, record);
    const query = async (_: number, { offset = 0, limit = 1 }: AccessLogQuery) => {
      const [data, nextOffset] = [all.slice(offset, offset + limit), offset + limit];
      return { data, hasMore: false, ...(nextOffset < all.length && { nextOffset }) };
    };
    const window = { from: new Date(to - 5 * MINUTE), to: new Date(to) };
    const context = contextOf({ ...platform, accessLogs: { query } }, [zone(1, 'shop')], window);
    const args = { ...errorSummary.args, mostPages: 200 };
    await expect(errorSummary.collect(args, context)).resolves.toBeDefined();
    const collected = await errorSummary.collect(args, { ...context, known: { 1: to - MINUTE } });
    expect(errorSummary.troubles!(collected, args)).toMatchObject([{ zone: '1', failures: 150_000 }]);
  });

  test('leaves out zones without a log, and names one that cannot be read beside the others', async () => {
    const platform = platformOf([originError('2026-11-21T11:50:00Z', 'x')], []);
    platform.accessLogs.query.mockImplementation(async (id) => {
      if (id === 1001) throw refused(404, 'Logging is off', 'logging_disabled');
      throw refused(403, 'Not yours');
    });
    const zones = [
      zone(1001, 'shop'),
      zone(1002, 'api'),
      zone(1003, 'off', { Suspended: true }),
      zone(1004, 'mute', { EnableLogging: false }),
    ];
    const said = await say(errorSummary, contextOf(platform, zones, window));
    expect(said?.text).toContain('api: the access log could not be read (Not yours)');
    expect(said?.text).not.toMatch(/shop: the|off: the|mute: the/);
    expect(platform.originErrors.get.mock.calls.map(([id]) => id).sort()).toEqual([1001, 1002, 1004]);
  });

  test('fails when no zone can be read, and when there is no list of zones', async () => {
    const platform = platformOf([], []);
    platform.originErrors.get.mockRejectedValue(refused(401, 'Who are you?'));
    await expect(say(errorSummary, contextOf(platform, [zone(1001, 'shop')], window))).rejects.toThrow('Who are you?');
    await expect(say(errorSummary, contextOf(platform, 'the platform has no such list', window))).rejects.toThrow(
      'The pull zones to look through could not be listed: the platform has no such list.',
    );
  });

  test('looks at the zones of open incidents, though a hundred others have more traffic this month', async () => {
    const busy = Array.from({ length: 100 }, (_, index) =>
      zone(index + 10, `busy-${index}`, { MonthlyBandwidthUsed: 9 }),
    );
    const none = Object.fromEntries(busy.map(({ Id }) => [Id, { failures: [] }]));
    const { ask } = failing({ ...none, 1: { failures: minutes(0, 50) }, 2: { failures: minutes(0, 50) } });
    const zones = async () => ({ items: [zone(1, 'shop'), zone(2, 'api'), ...busy] });
    const { troubles } = await ask({ zones, known: { 1: NOON }, told: { 1: 'now' } });
    expect(troubles?.map((one) => one.zone)).toEqual(['1']);
  });

  test.each([{ Suspended: true }, { Enabled: false }])(
    'takes a zone of an open incident that is switched off for no better: %s',
    async (off) => {
      const { ask } = failing({ 1: { failures: [] }, 2: { failures: [] }, 3: { failures: [] } });
      const zones = async () => ({ items: [1, 2, 3].map((id) => zone(id, `zone-${id}`, off)) });
      const { troubles } = await ask({ zones, known: { 1: NOON }, told: { 1: 'now', 2: 'again', 3: 'before' } });
      expect(troubles).toMatchObject([
        { zone: '1', kind: '', since: NOON },
        { zone: '2', kind: '' },
      ]);
      expect(troubles?.map(({ until }) => until)).toEqual([undefined, undefined]);
    },
  );

  test('doubts zones that cannot be read, or of which at least one request in twenty usually fails', async () => {
    const { ask, platform } = failing({
      1: { failures: [] },
      2: { usual: 0.9, failures: minutes(0, 90) },
      3: { usual: 0.9, failures: [] },
      4: { usual: 0.02, failures: minutes(0, 2) },
    });
    const { query } = platform.accessLogs;
    const read = query.getMockImplementation()!;
    query.mockImplementation(async (...asked) => {
      if (asked[0] === 1) throw refused(500, 'Try later');
      return read(...asked);
    });
    const doubts = errorSummary.doubts!((await ask()).collected);
    const words = ['zone-1: the access log could not be read (Try later)', 'zone-2: 90% of requests usually fail'];
    expect(doubts.map((one) => [one.words, one.since])).toEqual(words.map((one) => [one, undefined]));
  });

  test('knows of each zone whose log it read how many of about how many failed in the last five minutes', async () => {
    const { ask, platform } = failing({
      ...{ 1: { failures: [] }, 2: { failures: [] }, 4: { failures: [] } },
      3: { requests: 68, failures: minutes(12, 0).fill(1, 20, 22).fill(1, 27, 29) },
    });
    const { query } = platform.accessLogs;
    const read = query.getMockImplementation()!;
    query.mockImplementation(async (...asked) => {
      if (asked[0] === 1) throw refused(500, 'Try later');
      return read(...asked);
    });
    const zones = [zone(1, 'a'), zone(2, 'b'), zone(3, 'c'), zone(4, 'd', { EnableLogging: false })];
    const { collected } = await ask({ zones: async () => ({ items: zones }) });
    expect(errorSummary.seen!(collected)).toEqual({ 2: { failed: 0 }, 3: { failed: 2, of: 340 } });
  });

  describe('of a zone that fails more than usual', () => {
    test('says its share, since when, what is usual, why and where, and nothing of a zone that is as always', async () => {
      const { ask } = failing({
        1: { failures: minutes(18, 40) },
        2: { usual: 0.065, failures: minutes(0, 7) },
      });
      const { text, troubles, said } = await ask();
      expect(text.split('\n').slice(0, 3)).toEqual([
        '🔴 Down · zone-1: origin refuses connections (504), 40% of requests fail (usually 0%) · 12 min, since 12:18 PM UTC',
        'Nearly all of the failures are in DE, on /items/7',
        'Check first: is the server running and listening on that port? Does its firewall let the edge in?',
      ]);
      expect(text).not.toContain('zone-2');
      expect(text).toContain('Failed requests a minute (0 min to 9 min, since it began)');
      expect(troubles).toMatchObject([{ kind: expect.any(String), zone: '1', since: NOON + 18 * MINUTE }]);
      expect(buttonsOf(said!)['Failing requests']).toMatch(/^log search 1 --status 5xx --from 2026-11-21T12:15/);
    });

    test('draws only minutes that the log has whole, because the last one would look like the end', async () => {
      const { ask } = failing({ 1: { failures: minutes(18, 40).fill(9, 29) } });
      const { text } = await ask();
      expect(text).toContain(
        'Failed requests a minute (0 min to 9 min, since it began)\n  Failed  ██████████  40 to 40',
      );
      expect((await ask({ to: new Date(NOON + 22 * MINUTE) })).text).not.toContain('a minute (');
    });

    test.each([
      ['too many clients already', 'the database takes no more connections'],
      ['queue timeout waiting for a free server', 'too many requests wait for the origin'],
      ['DNSSEC: no keys have a DS', 'DNSSEC validation fails'],
      ['attempt to connect to Unix domain socket (php-fpm.sock) failed', 'PHP does not run'],
    ])('goes on with what “%s” means as in a sentence, and leaves names as they are', async (message, words) => {
      const { text } = await failing({ 1: { failures: minutes(18, 40), message } }).ask();
      expect(text.split('\n')[0]).toContain(`zone-1: ${words} (504), 40% of requests fail`);
    });

    test.each<[string, boolean, (index: number) => string, (index: number) => string, boolean?]>([
      [
        'one address that was not there before, while others are served',
        false,
        () => TESTER,
        (index) => `${index % 50}`,
      ],
      ['many addresses', true, (index) => `${index % 50}`, (index) => `${index % 50}`],
      ['the only client that there is', true, () => TESTER, () => TESTER],
      ['one address, and the log of before cannot be read', true, () => TESTER, (index) => `${index % 50}`, true],
    ])(
      'on top of the usual requests is told if it is of %s: %s',
      async (_, isTold, failed, served, isUnread = false) => {
        const { ask, platform } = failing({ 1: { failures: minutes(15, 90), fewer: { since: 15, requests: 300 } } });
        const { query } = platform.accessLogs;
        const given = query.getMockImplementation() as (zone: number, asked: AccessLogQuery) => Promise<AccessLogPage>;
        query.mockImplementation((async (id: number, asked: AccessLogQuery) => {
          const page = await given(id, asked);
          if (isUnread && asked.to!.getTime() < NOON) throw refused(500, 'no');
          const by = asked.status === undefined ? served : failed;
          return { ...page, data: page.data.map((one, index) => ({ statusCode: 200, ...one, remoteIp: by(index) })) };
        }) as unknown as typeof query);
        expect((await ask()).troubles!.length > 0).toBe(isTold);
      },
    );

    test('is told for what fails now, with what failed before it', async () => {
      const message = (minute: number) => (minute < 15 ? 'Connection refused' : 'No such host is known');
      const { text } = await failing({ 1: { failures: minutes(0, 30), message } }).ask({ known: { 1: NOON } });
      expect(text.split('\n').slice(0, 2)).toEqual([
        expect.stringMatching(/^🔴 Down · zone-1: origin’s hostname doesn’t resolve \(504\), 30% of requests fail/u),
        'Until 12:14 PM UTC: origin refuses connections (504)',
      ]);
    });

    test.each([
      [
        5,
        /^🔴 Down · zone-1: origin’s hostname doesn’t resolve \(504\), .*\nUntil 12:24 PM UTC: origin refuses connections/u,
      ],
      [1, /^🔴 Down · zone-1: origin refuses connections \(504\), .*\nNearly all/u],
    ])('is first told for what fails in the last five minutes, if enough does: %i a minute', async (many, words) => {
      const message = (minute: number) => (minute < 25 ? 'Connection refused' : 'No such host is known');
      const failures = minutes(10, 8).fill(many, 25).fill(0, 29);
      expect((await failing({ 1: { requests: 15, failures, message } }).ask()).text).toMatch(words);
    });

    test.each([
      [14, /^Until 12:1\d PM UTC: too many requests wait for the origin \(503\)$/mu],
      [28, /^(?!.*Until)/su],
    ])(
      'had failed by something else only if nothing fails by that after it: its last one in minute %i',
      async (last, words) => {
        const isBusy = (minute: number) => minute < 15 || minute === last;
        const message = (minute: number) =>
          isBusy(minute) ? 'queue timeout waiting for a free server' : 'Connection refused';
        const { ask, platform } = failing({ 1: { failures: minutes(0, 30), message } });
        const statusAt = (at: number) => (isBusy(Math.floor((at - NOON) / MINUTE)) ? 503 : 502);
        const origins = platform.originErrors.get.getMockImplementation()!;
        platform.originErrors.get.mockImplementation(async (...asked) => {
          const { logs, ...rest } = await origins(...asked);
          const told = logs.map((one) => ({
            ...one,
            error: { ...one.error, StatusCode: statusAt(one.at!.getTime()) },
          }));
          return { ...rest, logs: told };
        });
        const edge = platform.accessLogs.query.getMockImplementation()!;
        platform.accessLogs.query.mockImplementation(async (...asked) => {
          const { data, ...rest } = await edge(...asked);
          const statusOf = ({ statusCode, timestamp = '' }: (typeof data)[number]) =>
            statusCode === undefined ? undefined : statusAt(Date.parse(timestamp));
          return { ...rest, data: data.map((one) => ({ ...one, statusCode: statusOf(one) })) as typeof data };
        });
        const at = (minute: number) =>
          ask({
            known: { 1: NOON },
            from: new Date(NOON + (minute - 5) * MINUTE),
            to: new Date(NOON + minute * MINUTE),
          });
        await at(25);
        // The origin’s errors are not read again yet.
        expect((await at(30)).text).toMatch(words);
      },
    );

    test('has its share of the requests that came since it began, not of those before', async () => {
      const fewer = { since: 10, requests: 40 };
      const { text } = await failing({ 1: { requests: 100, fewer, failures: minutes(10, 20) } }).ask();
      expect(text).toContain('50% of requests fail');
    });

    test('is silent when more fails where that is usual, and in a blip', async () => {
      expect((await failing({ 1: { usual: 0.3, failures: minutes(5, 33) } }).ask()).troubles).toEqual([]);
      const blip = Array.from({ length: 30 }, (_, at) => (at === 20 ? 60 : 0));
      expect((await failing({ 1: { failures: blip } }).ask()).troubles).toEqual([]);
    });

    test('tells fifteen failures of a tiny zone, and not fewer, nor the same of a large one', async () => {
      expect((await failing({ 1: { requests: 2, failures: minutes(14, 1) } }).ask()).troubles).toHaveLength(1);
      expect((await failing({ 1: { requests: 2, failures: minutes(20, 1) } }).ask()).troubles).toEqual([]);
      expect((await failing({ 1: { requests: 500, failures: minutes(14, 1) } }).ask()).troubles).toEqual([]);
    });

    test('tells fifteen failures of a third of a small zone in two looks, and of fewer in four', async () => {
      expect((await failing({ 1: { requests: 5, failures: minutes(24, 3) } }).ask()).troubles).toHaveLength(1);
      const { ask } = failing({ 1: { requests: 12, failures: minutes(24, 3) } });
      expect((await ask()).troubles).toEqual([]);
      // It recovered a while ago.
      expect((await ask({ told: { 1: 'before' } })).troubles).toHaveLength(1);
    });

    test('is looked at again after a minute while most of its failures are new, and a third of its requests', async () => {
      const isNew = async (requests: number, failures: number[], more = {}, of = 9) => {
        const range = { from: new Date(NOON + 25 * MINUTE), to: new Date(NOON + 30 * MINUTE), ...more };
        const { collected } = await failing({ 1: { requests, failures } }).ask(range);
        return errorSummary.doubts?.(collected).map(({ isNew: soon, words }) => {
          expect(words).toBe(`zone-1: visitors got 504, 6 of about ${of} requests failed`);
          return soon;
        });
      };
      expect(await isNew(5, minutes(28, 3))).toEqual([true]);
      expect(await isNew(12, minutes(28, 3), {}, 22)).toEqual([false]);
      expect(await isNew(30, minutes(28, 3))).toEqual([]);
      // These are told.
      expect(await isNew(5, minutes(0, 3))).toEqual([]);
      expect(await isNew(5, minutes(24, 3))).toEqual([]);
      expect(await isNew(5, minutes(28, 3), { from: new Date(NOON) })).toEqual([false]);
    });

    test('is doubted since its first failure, also of before the last five minutes', async () => {
      const range = { from: new Date(NOON + 25 * MINUTE), to: new Date(NOON + 30 * MINUTE) };
      const { collected } = await failing({ 1: { requests: 5, failures: minutes(23, 1).fill(3, 27) } }).ask(range);
      expect(errorSummary.doubts!(collected)).toMatchObject([
        { words: 'zone-1: visitors got 504, 13 of about 33 requests failed', since: NOON + 23.5 * MINUTE },
      ]);
    });

    test('is doubted with as many requests as came since its first failure, though few come now', async () => {
      const range = { from: new Date(NOON + 25 * MINUTE), to: new Date(NOON + 30 * MINUTE) };
      const fewer = { since: 25, requests: 2 };
      const { collected } = await failing({ 1: { requests: 8, fewer, failures: minutes(20, 1) } }).ask(range);
      expect(errorSummary.doubts!(collected)).toMatchObject([
        { words: 'zone-1: visitors got 504, 10 of about 46 requests failed' },
      ]);
    });

    test('is doubted with all of its failures, though the last one stands apart', async () => {
      const range = { from: new Date(NOON + 25 * MINUTE), to: new Date(NOON + 30 * MINUTE) };
      const failures = minutes(25, 0).fill(8, 25, 28).fill(1, 29);
      const { collected } = await failing({ 1: { requests: 20, failures } }).ask(range);
      expect(errorSummary.doubts!(collected)).toMatchObject([
        { words: expect.stringMatching(/ 25 of about [0-9]+ requests failed$/) },
      ]);
    });

    test('is not doubted since a failure that stands apart', async () => {
      const range = { from: new Date(NOON + 25 * MINUTE), to: new Date(NOON + 30 * MINUTE) };
      const { collected } = await failing({ 1: { requests: 9, failures: minutes(27, 5).fill(1, 23, 24) } }).ask(range);
      expect(errorSummary.doubts!(collected)).toMatchObject([
        { words: 'zone-1: visitors got 504, 15 of about 26 requests failed', since: NOON + 27.1 * MINUTE },
      ]);
    });

    test('is told after two looks at a third of few requests, since its first failure and not a lone one before', async () => {
      const failures = minutes(30, 0).fill(1, 18, 19).fill(1, 20, 21).fill(3, 21).fill(2, 22, 23).fill(2, 26, 27);
      const { ask } = failing({ 1: { requests: 8, failures: failures.fill(2, 29) } });
      const early = { from: new Date(NOON + 20 * MINUTE), to: new Date(NOON + 25 * MINUTE) };
      const { collected } = await ask(early);
      expect(errorSummary.doubts!(collected)).toMatchObject([{ since: NOON + 20.5 * MINUTE }]);
      const { troubles, text } = await ask({ from: early.to });
      expect(troubles).toMatchObject([{ zone: '1', since: NOON + 20 * MINUTE }]);
      expect(text).toMatch(/^🔴 Down · zone-1: /u);
    });

    test('is doubted since its first failure, though one stands alone two minutes before', async () => {
      const range = { from: new Date(NOON + 25 * MINUTE), to: new Date(NOON + 30 * MINUTE) };
      const failures = minutes(28, 3).fill(1, 26, 27);
      const { collected } = await failing({ 1: { requests: 6, failures } }).ask(range);
      expect(errorSummary.doubts!(collected)).toMatchObject([
        { words: expect.stringMatching(/ 6 of about /), since: NOON + (28 + 1 / 6) * MINUTE },
      ]);
    });

    test('is not told once it is dismissed, and does not look fine', async () => {
      const { ask } = failing({ 1: { failures: minutes(18, 40) } });
      const [{ zone, kind } = expect.unreachable()] = (await ask()).troubles ?? [];
      const { troubles, collected } = await ask({ dismissed: { [`${zone}:${kind}`]: Number.MAX_VALUE } });
      expect(troubles).toEqual([]);
      const words = 'zone-1: origin refuses connections (504), 480 of about 1,200 requests failed';
      expect(errorSummary.doubts?.(collected)).toEqual([{ zone: '1', words, isDismissed: true, fails: true }]);
    });

    test('is silent on a blip of many failures that visitors of the last minutes do not see any more', async () => {
      const blip = minutes(18, 40).fill(0, 24);
      expect((await failing({ 1: { failures: blip } }).ask()).troubles).toEqual([]);
    });

    test('is told at the hour at which as much failed the day before', async () => {
      const { text } = await failing({ 1: { yesterday: 0.4, failures: minutes(18, 40) } }).ask();
      expect(text).toMatch(/zone-1: .*, 40% of requests fail \(usually 0%\)/);
    });

    test('is silent while a daily job fails as often in its hour as every day, though in ten minutes of it', async () => {
      const tenMinutes = (many: number) => minutes(15, many);
      expect((await failing({ 1: { failures: tenMinutes(6) } }).ask()).troubles).toHaveLength(1);
      expect((await failing({ 1: { daily: 0.015, failures: tenMinutes(6) } }).ask()).troubles).toEqual([]);
      expect((await failing({ 1: { daily: 0.015, failures: tenMinutes(20) } }).ask()).troubles).toHaveLength(1);
      // An outage in that hour.
      expect((await failing({ 1: { daily: 0.1, failures: tenMinutes(60) } }).ask()).troubles).toHaveLength(1);
    });

    test('adds up what is little in each minute', async () => {
      const { troubles } = await failing({ 1: { failures: minutes(6, 3) } }).ask();
      expect(troubles).toMatchObject([{ since: NOON + 6 * MINUTE }]);
    });

    test('begins with its failures, not with one that stands apart', async () => {
      const failures = minutes(18, 3).fill(1, 5, 6);
      const { text, troubles } = await failing({ 1: { requests: 8, failures } }).ask();
      expect(troubles).toMatchObject([{ since: NOON + 18 * MINUTE }]);
      expect(text).toMatch(/^🔴 Down · zone-1: /u);
    });

    test('that comes back a while after it recovered has failed again since then, by its share since then', async () => {
      const failures = minutes(0, 20).fill(0, 10, 24);
      const { ask } = failing({ 1: { requests: 40, failures } });
      const { text, troubles } = await ask({ told: { 1: 'before' } });
      expect(troubles).toMatchObject([{ since: NOON + 24 * MINUTE }]);
      expect(text).toMatch(/^🔴 Down · zone-1: .*, 50% of requests fail .*, again since 12:24 PM UTC/u);
      const after = await ask({ told: { 1: 'before' }, ended: { 1: NOON + 9.65 * MINUTE } });
      expect(after.troubles).toMatchObject([{ since: NOON + 24 * MINUTE }]);
      const later = await ask({ told: { 1: 'again' }, known: { 1: NOON + 24 * MINUTE } });
      expect(later.text).toContain('again since 12:24 PM UTC');
    });

    test('is not told again for the failures that its end has told', async () => {
      const { ask } = failing({ 1: { requests: 20, failures: minutes(0, 1) } });
      expect((await ask({ told: { 1: 'before' } })).troubles).toHaveLength(1);
      expect((await ask({ told: { 1: 'before' }, ended: { 1: NOON + 20 * MINUTE } })).troubles).toEqual([]);
    });

    test('has its table, which is not brought up to date, with the time up to which it counts, in everybody’s own time zone', async () => {
      const { ask } = failing({ 1: { failures: minutes(18, 40) } });
      const { collected } = await ask();
      const details = errorSummary.details!(collected, errorSummary.args, { locale: 'en-US', timezone: 'Asia/Tokyo' })!;
      expect(details.text).toMatch(/^Errors by kind\nErrors {2}Cause [^:]*\n/u);
      expect(details.text).not.toMatch(/seen|\d:\d\d (?!PM GMT)/u);
      expect(JSON.stringify(details.blocks)).toContain(
        `Counted up to <!date^${NOON / 1000 + 30 * 60}^{time}|9:30 PM GMT+9>.`,
      );
    });

    test('counts a record that is there twice once', async () => {
      const { ask, platform } = failing({ 1: { failures: minutes(18, 40) } });
      const query = platform.accessLogs.query.getMockImplementation()!;
      platform.accessLogs.query.mockImplementation(async (...asked) => {
        const page = await query(...asked);
        return { ...page, data: page.data.flatMap((one) => [one, one]) };
      });
      expect((await ask()).text).toMatch(/^🔴 Down · zone-1: .*, 40% of/u);
    });

    test('is over five minutes after its last failure when visitors are served again', async () => {
      const { ask } = failing({ 1: { failures: minutes(20, 40).fill(0, 26) } });
      const at = (minute: number) => ask({ known: { 1: NOON + 20 * MINUTE }, to: new Date(NOON + minute * MINUTE) });
      expect((await at(30)).troubles).toEqual([expect.not.objectContaining({ until: expect.anything() })]);
      expect((await at(31)).troubles).toMatchObject([{ zone: '1', until: expect.any(Number) }]);
    });

    test('is watched for half an hour when it has come back: it may come and go', async () => {
      const { ask } = failing({ 1: { failures: minutes(0, 20).fill(0, 6) } });
      const at = (minute: number) =>
        ask({ ...EVERY_FIVE, told: { 1: 'again' }, known: { 1: NOON }, to: new Date(NOON + minute * MINUTE) });
      expect((await at(35)).text).toContain('watching until 12:40 PM UTC');
      expect((await at(20)).text).toContain('watching until 12:40 PM UTC');
      expect((await at(36)).troubles).toMatchObject([{ zone: '1', until: expect.any(Number) }]);
    });

    test.each([1, 3, 5, 15])(
      'is watched until the look that tells its end, of those each %i minutes, also where the log is late',
      async (step) => {
        const { ask, platform } = failing({ 1: { failures: minutes(0, 40).fill(0, 12) } });
        const query = platform.accessLogs.query.getMockImplementation()! as (
          ...of: unknown[]
        ) => Promise<AccessLogPage>;
        platform.accessLogs.query.mockImplementation((async (id: number, asked: AccessLogQuery & { to: Date }) =>
          query(id, { ...asked, to: new Date(asked.to.getTime() - 1.2 * MINUTE) })) as typeof query as never);
        const told = new Set<string | undefined>();
        const cron = `1-59/${step} * * * *`;
        let minute = 16;
        for (let isOver = false; !isOver && minute < 50; minute += step) {
          const to = NOON + minute * MINUTE;
          const from = new Date(to - step * MINUTE);
          const { text, troubles } = await ask({ cron, known: { 1: NOON }, from, to: new Date(to) });
          isOver = troubles!.some(({ until }) => until !== undefined);
          if (!isOver) told.add(/watching until 12:(\d\d)/u.exec(text)?.[1]);
        }
        expect([...told]).toEqual([String(minute - step)]);
      },
    );

    test('is watched until no minute where nobody looks by the clock', async () => {
      const { ask } = failing({ 1: { failures: minutes(0, 20).fill(0, 6) } });
      const { text } = await ask({ known: { 1: NOON }, to: new Date(NOON + 10 * MINUTE) });
      expect(text).toMatch(
        /^🟡 Getting better .* No failures in the log from 12:05 PM UTC to 12:10 PM UTC; watching\.$/mu,
      );
    });

    test('has a last failure only where none came after it', async () => {
      const single = (at: number) =>
        Array.from({ length: 30 }, (_, minute) => (minute < 20 ? 60 : Number(minute === at)));
      const at = (zone: Parameters<typeof failing>[0][1], to = 24) =>
        failing({ 1: zone! }).ask({ from: new Date(NOON + 20 * MINUTE), to: new Date(NOON + to * MINUTE) });
      expect((await at({ failures: single(99) })).text).toMatch(
        /failed \(usually 0%\), last failure seen at 12:19 PM UTC/u,
      );
      const { text, troubles } = await at({ failures: single(23) });
      expect(text).toMatch(/failed \(usually 0%\), only 1 since 12:19 PM UTC/u);
      expect(troubles).toMatchObject([{ seen: NOON + 23.5 * MINUTE }]);
    });

    test('is over by statistics where no log says that visitors are served', async () => {
      const { ask } = failing({ 1: { failures: minutes(20, 40).fill(0, 26) } });
      const finding = { zone: 1, name: 'zone-1', measure: '5xx', since: NOON + 20 * MINUTE, to: NOON + 31 * MINUTE };
      const told = (more: object) =>
        ask({
          known: { 1: NOON + 20 * MINUTE },
          to: new Date(NOON + 31 * MINUTE),
          zones: async () => ({ items: [{ ...zone(1, 'zone-1'), EnableLogging: false }] }),
          watch: async () => ({
            findings: [{ ...finding, ...more } as ZoneFinding],
            silent: [],
            notes: [],
            unread: [],
          }),
        });
      expect((await told({})).troubles).not.toContainEqual(expect.objectContaining({ kind: '' }));
      expect((await told({ until: NOON + 25 * MINUTE })).troubles).toContainEqual(
        expect.objectContaining({ kind: '', until: NOON + 25 * MINUTE + (39.5 / 40) * MINUTE }),
      );
    });

    test('is over when visitors are served for twice the longest pause between failures', async () => {
      const failures = Array.from({ length: 12 }, (_, minute) => (minute < 3 || minute > 7 ? 60 : 0));
      const { ask } = failing({ 1: { failures } });
      const at = (minute: number) =>
        ask({
          ...EVERY_FIVE,
          known: { 1: NOON },
          from: new Date(NOON + (minute - 5) * MINUTE),
          to: new Date(NOON + minute * MINUTE),
        });
      expect((await at(16)).text).toMatch(
        /^🔴 Down · zone-1: .*% of requests failed \(usually 0%\), last failure seen at 12:11 PM UTC ·/u,
      );
      expect((await at(17)).text).toMatch(/^🟡 Getting better · zone-1: /u);
      const { text, troubles } = await at(20);
      expect(text.split('\n')[0]).toBe(
        '🟡 Getting better · zone-1: origin refuses connections (504), since 12:00 PM UTC. No failures in the log from 12:11 PM UTC to 12:20 PM UTC; watching until 12:25 PM UTC.',
      );
      expect(troubles).toEqual([expect.not.objectContaining({ until: expect.anything() })]);
      const last = NOON + 11 * MINUTE + (59.5 / 60) * MINUTE;
      expect((await at(25)).troubles).toMatchObject([{ zone: '1', since: NOON, until: last }]);
    });

    test('is said to get better once two minutes longer than any pause of it are served, which ends it no sooner', async () => {
      const { ask } = failing({ 1: { failures: Array.from({ length: 22 }, () => 60) } });
      const at = (minute: number, more: Partial<ReportContext> = {}) =>
        ask({
          ...{ known: { 1: NOON }, from: new Date(NOON + (minute - 5) * MINUTE), to: new Date(NOON + minute * MINUTE) },
          ...EVERY_FIVE,
          ...more,
        });
      expect((await at(23)).text).toMatch(/^🔴 Down · zone-1: .*, 60% of requests fail /u);
      const { text, troubles } = await at(25);
      expect(text).toBe(
        '🟡 Getting better · zone-1: origin refuses connections (504), since 12:00 PM UTC. No failures in the log from 12:21 PM UTC to 12:25 PM UTC; watching until 12:30 PM UTC.',
      );
      expect(troubles).toMatchObject([{ zone: '1', lately: 0 }]);
      expect(troubles![0]).not.toHaveProperty('until', expect.anything());
      // Nobody was told of it yet.
      expect((await at(25, { known: {} })).text).toMatch(/^🔴 Down · zone-1: /u);
    });

    test('is said to get better as soon as the last look has less than half of it, with what still fails', async () => {
      const { ask } = failing({
        1: { failures: Array.from({ length: 30 }, (_, minute) => (minute < 20 ? 60 : 15)) },
        2: { failures: Array.from({ length: 30 }, (_, minute) => (minute < 20 ? 60 : 40)) },
      });
      const { text, troubles } = await ask({ known: { 1: NOON, 2: NOON }, to: new Date(NOON + 25 * MINUTE) });
      expect(text).toMatch(
        /^🔴 Getting better · zone-1: origin refuses connections \(504\), 15% of requests failed in the last 5 min \(60% before\) · 25 min, since 12:00 PM UTC$/mu,
      );
      expect(text).toMatch(/^🔴 Down · zone-2: .*, 56% of requests fail \(/mu);
      expect(troubles).toMatchObject([
        { zone: '2', lately: undefined },
        { zone: '1', lately: 0.15, size: 0.51 },
      ]);
    });

    test.each([
      ['a third of its visitors is left, of whom as many fail', { requests: 100, was: 40, fewer: 33, fails: 13 }],
      ['few fail, which may be chance', { requests: 15, was: 6, fewer: 15, fails: 2 }],
    ])('does not get better while %s', async (_, { requests, was, fewer, fails }) => {
      const failures = Array.from({ length: 25 }, (_, minute) => (minute < 20 ? was : fails));
      const { ask } = failing({ 1: { requests, failures, fewer: { since: 20, requests: fewer } } });
      const { text, troubles } = await ask({ known: { 1: NOON }, to: new Date(NOON + 25 * MINUTE) });
      expect(text).toMatch(/^🔴 Down · zone-1: /u);
      expect(troubles).toMatchObject([{ lately: undefined }]);
    });

    test('is over in a small zone too, where an error comes now and then', async () => {
      const { ask } = failing({ 1: { requests: 12, usual: 0.002, failures: [0, 0, 0, 0, 0, 1, 0, 0, 1] } });
      const later = {
        known: { 1: NOON - 30 * MINUTE },
        from: new Date(NOON + 40 * MINUTE),
        to: new Date(NOON + 45 * MINUTE),
      };
      expect((await ask(later)).troubles).toMatchObject([{ zone: '1', until: NOON + 8.5 * MINUTE }]);
    });

    test('goes on while its log is late', async () => {
      const { ask, platform } = failing({ 1: { failures: Array.from({ length: 12 }, () => 40) } });
      const query = platform.accessLogs.query.getMockImplementation()! as (...of: unknown[]) => Promise<AccessLogPage>;
      platform.accessLogs.query.mockImplementation((async (id: number, asked: AccessLogQuery) =>
        asked.limit === 1 ? { data: [], hasMore: false } : query(id, asked)) as typeof platform.accessLogs.query);
      const at = (minute: number) => ask({ known: { 1: NOON }, to: new Date(NOON + minute * MINUTE) });
      expect((await at(16)).text).toMatch(/^🔴 Down · zone-1: /u);
      expect((await at(30)).text).toMatch(
        /^🟡 Getting better · zone-1: .* No failures in the log from 12:11 PM UTC to 12:30 PM/u,
      );
      expect((await at(30)).troubles).toEqual([expect.not.objectContaining({ until: expect.anything() })]);
      expect((await at(35)).troubles).toMatchObject([{ zone: '1', until: expect.any(Number) }]);
    });

    test('is watched no longer because of one late failure', async () => {
      const failures = Array.from({ length: 30 }, (_, minute) => (minute < 10 ? 8 : minute === 20 ? 1 : 0));
      const { ask } = failing({ 1: { requests: 12, failures } });
      const { troubles } = await ask({ known: { 1: NOON }, to: new Date(NOON + 22 * MINUTE) });
      expect(troubles).toMatchObject([{ zone: '1', until: NOON + (9 + 7.5 / 8) * MINUTE }]);
    });

    test('is watched for twice the longest pause of its failures', async () => {
      const bouts = Array.from({ length: 35 }, (_, minute) => (minute < 4 || (minute >= 18 && minute < 22) ? 400 : 1));
      const { ask } = failing({ 1: { requests: 1000, failures: bouts } });
      const at = async (minute: number) =>
        (await ask({ known: { 1: NOON }, to: new Date(NOON + minute * MINUTE) })).troubles![0]!.until;
      expect([await at(14), await at(22), await at(35)]).toEqual([expect.any(Number), undefined, undefined]);
    });

    test('goes on where nothing can be read, which is said', async () => {
      const { ask, platform } = failing({ 1: { failures: minutes(0, 0) }, 2: { failures: minutes(18, 40) } });
      const [logs, origin] = [platform.accessLogs.query, platform.originErrors.get].map(
        (one) => one.getMockImplementation()!,
      );
      platform.accessLogs.query.mockImplementation((async (id: number, asked: never) => {
        if (id === 1) throw refused(429, 'Too many');
        return (await logs!(id, asked)) as AccessLogPage;
      }) as typeof platform.accessLogs.query);
      platform.originErrors.get.mockImplementation(async (id, day) => {
        if (id === 1) throw refused(500, 'Broken');
        return (await origin!(id, day)) as OriginErrorDay;
      });
      const { text, troubles } = await ask({ known: { 1: NOON - HOUR } });
      expect(troubles).toContainEqual({ kind: '', zone: '1', since: NOON - HOUR });
      expect(text).toContain('zone-1: the access log could not be read (Too many)');
    });

    test('is known by what is remembered of it where the platform counts no requests of zones', async () => {
      const { ask, platform } = failing({ 1: { failures: minutes(18, 40) } });
      platform.statistics.get.mockRejectedValue(refused(400, 'No such parameter'));
      let before: FailuresBefore | undefined;
      const failures = {
        read: async () => before,
        async keep(given: FailuresBefore) {
          before = given;
        },
      };
      const { text } = await ask({ failures });
      expect(text).toMatch(/^🔴 Down · zone-1: .*, 480 requests failed · 12 min, since 12:18 PM UTC/u);
      const first = before;
      expect(first).toMatchObject({ zones: { 1: 480 } });
      // The same window counts once.
      await ask({ failures });
      expect(before).toEqual(first);
      before = { until: NOON, length: 2 * HOUR, zones: { 1: 120 * 40 } };
      expect((await ask({ failures })).troubles).toEqual([]);
    });

    test('fades from what is remembered of it, so that a week ago weighs little', async () => {
      const { ask, platform } = failing({ 1: { failures: minutes(18, 40) } });
      platform.statistics.get.mockRejectedValue(refused(400, 'No such parameter'));
      const known = { until: NOON, length: 7 * 24 * HOUR, zones: { 1: 1_000, 2: 7 } };
      let before: FailuresBefore = known;
      await ask({
        failures: {
          read: async () => before,
          async keep(given) {
            before = given;
          },
        },
      });
      expect(before.length).toBe(known.length);
      expect(before.zones[1]).toBeLessThan(1_480);
      expect(before.zones[1]).toBeGreaterThan(1_470);
    });

    test('is told while its origin fails for three minutes of every ten, which adds up', async () => {
      const failures = Array.from({ length: 30 }, (_, minute) => (minute % 10 < 3 ? 40 : 1));
      const to = new Date(NOON + 25 * MINUTE);
      expect((await failing({ 1: { usual: 0.015, failures } }).ask({ to })).troubles).toMatchObject([{ zone: '1' }]);
    });

    test('is silent at its usual, wherever it failed the day before', async () => {
      const { ask } = failing({ 1: { usual: 0.09, failures: minutes(12, 9), before: ['FR'] } });
      expect((await ask()).troubles).toEqual([]);
    });

    test('is told for what visitors got where the origin knows of hardly any of it', async () => {
      const { ask, platform } = failing({ 1: { failures: minutes(18, 40) } });
      const path = (index: number) => `/p${String.fromCharCode(97 + (index % 20))}`;
      const query = platform.accessLogs.query.getMockImplementation()! as (...of: unknown[]) => Promise<AccessLogPage>;
      platform.accessLogs.query.mockImplementation((async (id: number, asked: AccessLogQuery) => {
        const page = await query(id, asked);
        return { ...page, data: page.data.map((record, index) => ({ ...record, path: path(index) })) };
      }) as typeof platform.accessLogs.query);
      const one = originError(new Date(NOON + 20 * MINUTE).toISOString(), 'Connection refused');
      platform.originErrors.get.mockResolvedValue({ logs: [one], hasMoreData: false, isCut: false });
      const { text } = await ask();
      expect(text.split('\n')[0]).toBe(
        '🔴 Down · zone-1: visitors get 504, 40% of requests fail (usually 0%) · 12 min, since 12:18 PM UTC',
      );
      expect(text).toMatch(/^Check first: /m);
    });

    test.each<[string, string[], string[], string, number?]>([
      [
        'where it fails if too few requests went elsewhere to show more',
        ['/v1/items'],
        [...Array<string>(9).fill('/v1/items'), '/v1/cart'],
        'In DE, on /v1/items',
        4,
      ],
      [
        'everywhere',
        ['/v1/items/1', '/v1/items/2', '/v1/items/3', '/v1/cart'],
        ['/v1/items/1', '/v1/items/2', '/v1/items/3', '/v1/cart'],
        'Everywhere: all regions, all pages',
      ],
      ['everywhere', ['/v1/items'], ['/v1/items'], 'Everywhere: all regions, all pages'],
      [
        'everywhere',
        ['/v1/items', '/v1/items', '/v1/items', '/v1/cart'],
        ['/v1/items', '/v1/items', '/v1/items', '/v1/cart'],
        'Everywhere: all regions, all pages',
      ],
      [
        'below an address whose pages have names',
        ['/docs/sage/a', '/docs/kelp/b', '/docs/lotus', '/docs/iris', '/docs/onyx/c', '/docs/dune'],
        ['/docs/sage', '/cart', '/', '/login'],
        'Nearly all of the failures are on /docs/…, in all regions',
      ],
      [
        'where it fails, and not everywhere, by a few failures',
        ['/v1/items', '/v1/items', '/v1/items', '/v1/cart'],
        ['/v1/items', '/v1/items', '/v1/items', '/v1/cart'],
        'In DE, on /v1/items, /v1/cart',
        3,
      ],
      [
        'on a path',
        ['/v1/items', '/v1/items', '/v1/items', '/v1/cart'],
        ['/v1/items', '/v1/cart', '/', '/login'],
        'Nearly all of the failures are on /v1/items, in all regions',
      ],
      [
        'on two paths',
        ['/v1/items', '/v1/cart'],
        ['/v1/items', '/v1/cart', '/', '/login'],
        'Nearly all of the failures are on /v1/items, /v1/cart, in all regions',
      ],
      [
        'on all addresses of a section',
        Array.from({ length: 40 }, (_, index) => `/doc/${index}`),
        ['/doc/1', '/', '/login', '/search'],
        'Nearly all of the failures are on /doc, in all regions',
      ],
      [
        'everywhere where nearly all requests go',
        ['/v1/items', '/v1/cart'],
        [...Array.from({ length: 10 }, () => ['/v1/items', '/v1/cart']).flat(), '/favicon.ico'],
        'Everywhere: all regions, all pages',
      ],
      ['where it fails if the requests by place are unknown', ['/v1/items'], [], 'In DE, on /v1/items'],
      [
        'where it fails, and not everywhere, if the requests by place are unknown',
        ['/about', '/cart', '/login', '/search', '/terms'],
        [],
        'In DE, on several pages',
      ],
    ])('fails %s, by its part of the requests there', async (_, failed, requested, where, aMinute = 40) => {
      const { ask, platform } = failing({ 1: { failures: minutes(18, aMinute) } });
      platform.originErrors.get.mockResolvedValue({ logs: [], hasMoreData: false, isCut: false });
      const query = platform.accessLogs.query.getMockImplementation()! as (...of: unknown[]) => Promise<AccessLogPage>;
      platform.accessLogs.query.mockImplementation((async (id: number, asked: AccessLogQuery) => {
        const { data, ...page } = await query(id, asked);
        const paths = asked.status === undefined ? requested : failed;
        if (paths.length === 0) throw refused(403, 'Not yours');
        const placed = (record: object, index: number) => ({
          ...record,
          edgeLocation: 'DE',
          path: paths[index % paths.length]!,
        });
        return { ...page, data: data.map(placed) };
      }) as typeof platform.accessLogs.query);
      expect((await ask()).text.split('\n')[1]).toBe(where);
    });

    test('is not said to fail in all regions where its log names none', async () => {
      const { ask, platform } = failing({ 1: { failures: minutes(18, 40) } });
      platform.originErrors.get.mockResolvedValue({ logs: [], hasMoreData: false, isCut: false });
      const query = platform.accessLogs.query.getMockImplementation()! as (...of: unknown[]) => Promise<AccessLogPage>;
      platform.accessLogs.query.mockImplementation((async (id: number, asked: AccessLogQuery) => {
        const { data, ...page } = await query(id, asked);
        return {
          ...page,
          data: data.map((record, index) => ({ ...record, edgeLocation: undefined, path: `/${index}` })),
        };
      }) as typeof platform.accessLogs.query);
      expect((await ask()).text).not.toMatch(/everywhere|all regions/i);
    });

    test('is told with the others where most fail together, and what their origins know of it', async () => {
      const { ask, platform } = failing({
        1: { failures: minutes(18, 40), regions: ['DE'] },
        2: { failures: minutes(19, 40), regions: ['DE'] },
        3: { failures: minutes(18, 40), regions: ['DE'] },
        4: { failures: [] },
      });
      platform.originErrors.get.mockResolvedValue({ logs: [], hasMoreData: false, isCut: false });
      const { text } = await ask();
      expect(text.split('\n').slice(0, 2)).toEqual([
        '🔴 Down · All zones: 3 of 4 failing together since 12:18 PM UTC. Check the platform and its DNS before any origin',
        'The origins logged 0 of 1,400 failed requests.',
      ]);
      // The places of the first two are enough.
      const zones = text
        .split('\n')
        .flatMap((line) => /· (zone-\d):|^(Nearly) /.exec(line)?.slice(1).filter(Boolean) ?? []);
      expect(zones).toEqual(['zone-1', 'Nearly', 'zone-3', 'Nearly', 'zone-2']);
    });

    test('is told once with the others that fail in the same region, which is to be checked before any origin', async () => {
      const regions = ['DE', 'NY', 'SG', 'SYD', 'UK', 'LA', 'SP', 'JP', 'JH', 'FR'];
      const message = 'The SSL connection could not be established, see inner exception: unexpected EOF';
      const { ask } = failing({
        1: { failures: minutes(22, 4), message, regions },
        2: { failures: minutes(22, 8), message, regions },
        3: { requests: 1000, failures: minutes(22, 60), message, regions },
        4: { failures: minutes(20, 30), regions: ['DE'] },
      });
      const { text, troubles } = await ask();
      expect(text.split('\n').slice(0, 5)).toEqual([
        '🔴 Down · All zones: 4 of 4 failing together since 12:20 PM UTC. Check the platform and its DNS before any origin',
        'The origins logged 876 of 876 failed requests.',
        '🔴 Degraded · DE: 3 zones are failing there: zone-2 (8% of its requests), zone-3 (6%), zone-1 (4%) · 8 min, since 12:22 PM UTC',
        'Few failures in other regions. Symptom: origin breaks off TLS handshakes (504)',
        'Check first: the edge in DE and its route to the origins, not the origins themselves: other regions reach them',
      ]);
      expect(text.match(/(?<=· )zone-\d(?=: )/g)).toEqual(['zone-4']);
      expect(troubles!.map(({ zone: id }) => id).sort()).toEqual(['1', '2', '3', '4']);
    });

    test('is not told as failing in one region where it fails in three, as others do', async () => {
      const { ask, platform } = failing({ 1: { failures: minutes(18, 40) }, 2: { failures: minutes(18, 40) } });
      platform.originErrors.get.mockResolvedValue({ logs: [], hasMoreData: false, isCut: false });
      const query = platform.accessLogs.query.getMockImplementation()! as (...of: unknown[]) => Promise<AccessLogPage>;
      platform.accessLogs.query.mockImplementation((async (id: number, asked: AccessLogQuery) => {
        const { data, ...page } = await query(id, asked);
        const regions = ['DE', 'NY', 'SG', ...(asked.status === undefined ? ['SYD', 'UK', 'LA', 'SP', 'JP'] : [])];
        const placed = (record: object, index: number) => ({
          ...record,
          edgeLocation: regions[index % regions.length],
        });
        return { ...page, data: data.map(placed) };
      }) as typeof platform.accessLogs.query);
      const { text } = await ask();
      expect(text).toMatch(/^🔴 Down · zone-1: .*\nNearly all of the failures are in (?:(?:DE|NY|SG)(?:, |\n)){3}/u);
      expect(text).not.toContain('Few failures in other regions');
    });

    test('is told with all zones before those that fail in one region alone', async () => {
      const regions = ['DE', 'NY', 'SG', 'SYD', 'UK', 'LA', 'SP', 'JP', 'JH', 'FR'];
      const there = { requests: 1000, failures: minutes(18, 90), regions };
      const { ask } = failing({
        1: there,
        2: there,
        3: there,
        4: there,
        5: { failures: minutes(18, 20), regions: ['DE'] },
      });
      expect((await ask()).text.split('\n').slice(0, 6)).toEqual([
        '🔴 Degraded · All zones: 5 of 5 failing together since 12:18 PM UTC. Check the platform and its DNS before any origin',
        expect.stringContaining('The origins logged'),
        expect.stringMatching(/^🔴 Degraded · DE: 4 zones are failing there: /u),
        ...[expect.anything(), expect.stringMatching(/^Check first: the edge in DE/u)],
        expect.stringMatching(/^🔴 Degraded · zone-5: /u),
      ]);
    });

    test.each([
      [20, ['Down', 'Down', 'Down', 'Down', 'Down']],
      [14, ['Down', 'Down', 'Down', 'Degraded', 'Degraded']],
    ])('is down until fewer than a fifth fail, however close to the bound: %s%%', async (later, words) => {
      const { ask } = failing({ 1: { failures: [...Array(10).fill(32), ...Array(30).fill(later)] } });
      const said = [];
      for (const minute of [10, 20, 25, 35, 40]) {
        const to = NOON + minute * MINUTE;
        const { text } = await ask({ known: { 1: NOON }, from: new Date(to - 5 * MINUTE), to: new Date(to) });
        said.push(/^🔴 (\w+)/u.exec(text)?.[1] ?? text);
      }
      expect(said).toEqual(words);
    });

    test('is told with all zones, not with the two that fail in one region, where most fail together', async () => {
      const regions = ['DE', 'NY', 'SG', 'SYD', 'UK', 'LA', 'SP', 'JP', 'JH', 'FR'];
      const everywhere = { failures: minutes(18, 40), regions: ['DE'] };
      const { ask } = failing({
        1: { failures: minutes(18, 40), regions },
        2: { failures: minutes(18, 40), regions },
        ...{ 3: everywhere, 4: everywhere, 5: everywhere, 6: everywhere },
      });
      const { text } = await ask();
      expect(text).toMatch(/^🔴 Down · All zones: 6 of 6 failing together/u);
      expect(text).not.toContain('in other regions');
    });

    test('has its origin’s log, a whole day, read at every second look while it goes on', async () => {
      const { ask, platform } = failing({ 1: { failures: Array(90).fill(40) } });
      const asked = async (minute: number, known?: Record<number, number>) => {
        platform.originErrors.get.mockClear();
        await ask({ known, from: new Date(NOON + (minute - 5) * MINUTE), to: new Date(NOON + minute * MINUTE) });
        return platform.originErrors.get.mock.calls.length;
      };
      expect(await asked(25)).toBe(1);
      const known = { 1: NOON };
      expect([await asked(30, known), await asked(35, known), await asked(40, known)]).toEqual([0, 1, 0]);
    });

    test('goes on at each look while the origin fails and the cache still serves visitors', async () => {
      const { ask, platform } = failing({ 1: { failures: Array(90).fill(40) } });
      const { query } = platform.accessLogs;
      const every = query.getMockImplementation() as (...of: unknown[]) => ReturnType<typeof query>;
      query.mockImplementation((async (id: number, asked: { status?: unknown }) =>
        asked.status === undefined ? every(id, asked) : { data: [], hasMore: false }) as typeof query);
      const whole = platform.originErrors.get.getMockImplementation()!;
      for (const minute of [30, 35, 40, 45]) {
        const to = new Date(NOON + minute * MINUTE);
        platform.originErrors.get.mockImplementation(async (...of) => {
          const day = await whole(...of);
          return { ...day, logs: day.logs.filter(({ at }) => at! < to) };
        });
        const { troubles, text } = await ask({ known: { 1: NOON }, from: new Date(to.getTime() - 5 * MINUTE), to });
        expect(troubles).toEqual([expect.objectContaining({ zone: '1', lately: undefined })]);
        expect(text).toMatch(/^🔴/u);
      }
    });

    test('asks for the hours of a zone that always fails once an hour, of one in trouble each quarter', async () => {
      const { ask, platform } = failing({
        1: { failures: Array(110).fill(40) },
        2: { usual: 0.065, failures: Array(110).fill(7) },
      });
      const asked = async (minutes: number, known?: Record<string, number>) => {
        platform.statistics.get.mockClear();
        const to = NOON + minutes * MINUTE;
        await ask({ from: new Date(to - 5 * MINUTE), to: new Date(to), known });
        return (platform.statistics.get.mock.calls as unknown as [{ pullZone: number }][]).map(([one]) => one.pullZone);
      };
      expect((await asked(30)).sort()).toEqual([1, 2]);
      const known = { 1: NOON };
      expect(await asked(35, known)).toEqual([]);
      expect(await asked(45, known)).toEqual([1]);
      expect(await asked(50, known)).toEqual([]);
      expect((await asked(90, known)).sort()).toEqual([1, 2]);
    });

    test('is judged by the hours that are known while the platform refuses statistics', async () => {
      const { ask, platform } = failing({ 1: { failures: Array(60).fill(40) } });
      await ask();
      platform.statistics.get.mockRejectedValue(refused(500, 'Broken'));
      const at = (minutes: number) => ({ from: new Date(NOON), to: new Date(NOON + minutes * MINUTE) });
      expect((await ask(at(60))).text).toMatch(/^🔴 Down · zone-1: .*, 40% of/u);
      expect((await ask(at(7 * 60))).text).not.toContain('of the requests fail');
    });

    test('is told in half a day whether or not there is one', async () => {
      const { ask } = failing({ 1: { failures: minutes(20, 1) } });
      expect((await ask({ from: new Date(NOON - 12 * HOUR) })).troubles).toBeUndefined();
    });
  });
});
