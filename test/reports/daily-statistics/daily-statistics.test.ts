import { describe, expect, test, vi } from 'vitest';
import type { Changed } from '../../../src/changed.ts';
import type { OriginErrorDay } from '../../../src/platform/resources/origin-errors.ts';
import type { AccountStatisticsQuery, StatisticsAnswer } from '../../../src/platform/resources/statistics.ts';
import { dailyStatistics } from '../../../src/reports/daily-statistics/daily-statistics.ts';
import { wholeDaysBefore } from '../../../src/reports/daily-statistics/days.ts';
import type { ToldIncident } from '../../../src/reports/report.ts';
import { contextOf, refused, say, zone } from '../asking.ts';

/** Nine in the morning: the last whole day is the 20th. */
const window = { from: new Date('2026-11-20T09:00:00Z'), to: new Date('2026-11-21T09:00:00Z') };
const HOUR = 3_600_000;

const key = (instant: number) => `${new Date(instant).toISOString().slice(0, 19)}Z`;

/** The same every hour from the 23rd of October to the 20th of November, but for the last day. */
function steady(value: number, last: number | ((hour: number) => number) = value) {
  const first = Date.parse('2026-10-23T00:00:00Z');
  return Object.fromEntries(
    Array.from({ length: 29 * 24 }, (_, hour) => {
      const ofLast = typeof last === 'number' ? last : last(hour % 24);
      return [key(first + hour * HOUR), hour >= 28 * 24 ? ofLast : value];
    }),
  );
}

type Last = number | ((hour: number) => number);

/** 1,000 requests an hour, of which one fails. */
function answer(last: { requests?: Last; errors?: Last; hitRate?: Last } = {}, scale = 1): StatisticsAnswer {
  return {
    RequestsServedChart: steady(1000 * scale, last.requests ?? 1000 * scale),
    BandwidthUsedChart: steady(500_000 * scale),
    CacheHitRateChart: steady(90, last.hitRate ?? 90),
    OriginResponseTimeChart: steady(120),
    Error4xxChart: steady(10 * scale),
    Error5xxChart: steady(scale, last.errors ?? scale),
    GeoTrafficDistribution: { 'EU: Paris, FR': 3_000_000, 'NA: Dallas, TX': 1_000_000 },
  };
}

/** Failures from 14:00 on. */
const fromTwo = (errors: number) => (hour: number) => (hour < 14 ? 1 : errors);

const timeouts: OriginErrorDay = {
  hasMoreData: false,
  isCut: false,
  logs: Array.from({ length: 40 }, (_, index) => ({
    timestamp: 0,
    at: new Date(Date.parse('2026-11-20T14:05:00Z') + index * 600_000),
    error: { ErrorCode: 'http_timeout', StatusCode: 504, Message: 'x', RequestUrl: '/a' },
    labels: undefined,
  })),
};

function asked(answers: Record<string, StatisticsAnswer | Error>) {
  const get = vi.fn(async (query?: AccountStatisticsQuery) => {
    const found = answers[query?.pullZone ?? 'all'];
    if (found === undefined || found instanceof Error) throw found ?? new Error('not expected');
    return found;
  });
  const originErrors = { get: vi.fn(async () => timeouts) };
  return { get, platform: { statistics: { get }, originErrors } };
}

/** Over, from one moment of November to another. */
function told(zone: number, from: string, to: string, words: string): ToldIncident {
  const [begin, end] = [from, to].map((time) => Date.parse(`2026-11-${time}:00Z`));
  return { zone, from: begin!, to: end!, isOver: true, words: [words] };
}

describe('the daily statistics', () => {
  test('are the last whole UTC day, in total and per zone, beside the day before and what is usual', async () => {
    const { get, platform } = asked({ all: answer({ requests: 1100 }), 1: answer({}, 0.7), 2: answer({}, 0.3) });
    const said = await say(dailyStatistics, contextOf(platform, [zone(2, 'blog'), zone(1, 'shop')], window));
    expect(get.mock.calls.map(([query]) => query?.pullZone)).toEqual([undefined, 2, 1, undefined]);
    expect(get.mock.calls.every(([query]) => query?.hourly && query.exactRange)).toBe(true);
    expect(said?.text).toContain('🟢 Fri, Nov 20, 2026: nothing stands out');
    expect(said?.text).toContain('This day is counted in UTC.');
    expect(said?.text).toContain('Requests: 26,400 ▲ +10%');
    expect(said?.text).toContain('Cache hit rate: 90% ±0');
    expect(said?.text).toMatch(/shop\s+16,800\s+±0\s+17\s+90%\s+8\.4 MB\s+120 ms\s+168\nblog/);
    expect(said?.text).toMatch(/EU: Paris, FR\s+3 MB\s+75%/);
    expect(said?.blocks.filter(({ type }) => type === 'data_visualization')).toHaveLength(1);
  });

  test('say on top what changed, in which zone, and why', async () => {
    const { platform } = asked({
      all: answer({ errors: fromTwo(410) }),
      1: answer({ errors: fromTwo(405), hitRate: 70 }, 0.7),
      2: answer({}, 0.3),
    });
    const said = await say(dailyStatistics, contextOf(platform, [zone(1, 'shop'), zone(2, 'blog')], window));
    expect(said!.text.split('\n').slice(0, 3)).toEqual([
      '🟡 Fri, Nov 20, 2026: 1 of 2 zones needs a look',
      'shop: 5xx +57.8 points to 57.9% of the requests (usually 0.1%), origin does not answer in time (504), since 2:00 PM UTC',
      'shop: cache hit rate −20 points to 70% (usually 90%)',
    ]);
    expect(said!.text).not.toContain('• blog');
    expect(said!.text).toContain('Failed requests (5xx) a day: shop');
  });

  test('say nothing of a cold cache in the very hours in which its zone fails', async () => {
    const hitRate = (hour: number) => (hour < 14 ? 90 : 30);
    const { platform } = asked({
      all: answer({ errors: fromTwo(410) }),
      1: answer({ errors: fromTwo(405), hitRate }, 0.7),
      2: answer({ hitRate }, 0.3),
    });
    const said = await say(dailyStatistics, contextOf(platform, [zone(1, 'shop'), zone(2, 'blog')], window));
    expect(said!.text).toMatch(/shop: 5xx .*since 2:00 PM UTC\nblog: cache hit rate .*since 2:00 PM UTC\n/);
    expect(said!.text).not.toContain('shop: cache hit rate');
  });

  test('say the cause of failures by their message where their code is not known', async () => {
    const { platform } = asked({ all: answer({ errors: fromTwo(410) }), 1: answer({ errors: fromTwo(405) }, 0.7) });
    const error = { ...timeouts.logs[0]!.error, ErrorCode: 'network_io_error', Message: 'connect: connection refused' };
    platform.originErrors.get.mockResolvedValue({ ...timeouts, logs: timeouts.logs.map((one) => ({ ...one, error })) });
    const said = await say(dailyStatistics, contextOf(platform, [zone(1, 'shop')], window));
    expect(said!.text).toContain('(usually 0.1%), origin refuses connections (504), since 2:00 PM UTC');
  });

  test.each([
    ['America/Los_Angeles', '2026-11-21T17:00:00Z', [17, 23], '2026-11-21'],
    ['America/Los_Angeles', '2026-11-21T17:00:00Z', [9, 15], '2026-11-20'],
    ['Asia/Tokyo', '2026-11-21T00:00:00Z', [2, 8], '2026-11-19'],
    ['Asia/Tokyo', '2026-11-21T00:00:00Z', [12, 24], '2026-11-20'],
  ])(
    'lead to the day of the platform that has the failures: %s, %s, %j',
    async (timezone, end, [from, until], date) => {
      const to = new Date(end);
      const midnight = wholeDaysBefore(to, 1, timezone)[0]!.from.getTime();
      const failing = (instant: number) => instant >= midnight + from! * HOUR && instant < midnight + until! * HOUR;
      const get = async ({ dateFrom }: { dateFrom?: Date }) => {
        const [RequestsServedChart, Error5xxChart]: Record<string, number>[] = [{}, {}];
        for (let hour = dateFrom!.getTime() - (dateFrom!.getTime() % HOUR); hour < to.getTime(); hour += HOUR) {
          RequestsServedChart![key(hour)] = 1000;
          Error5xxChart![key(hour)] = failing(hour) ? 400 : 1;
        }
        return { RequestsServedChart, Error5xxChart };
      };
      const platform = { statistics: { get }, originErrors: { get: async () => timeouts } };
      const context = { ...contextOf(platform as never, [zone(1, 'shop')], { ...window, to }), timezone };
      expect(JSON.stringify((await say(dailyStatistics, context))!.blocks)).toContain(`errors show 1 ${date}`);
    },
  );

  test('are the days of the subscription’s zone, from hours', async () => {
    const hours = (value: number) =>
      Object.fromEntries(
        Array.from({ length: 29 * 24 }, (_, hour) => [key(Date.parse('2026-10-23T05:00:00Z') + hour * HOUR), value]),
      );
    const get = vi.fn(async (_query?: AccountStatisticsQuery) => ({ RequestsServedChart: hours(100) }));
    const context = { ...contextOf({ statistics: { get } }, [], window), timezone: 'America/New_York' };
    const said = await say(dailyStatistics, context);
    expect(get.mock.calls[0]![0]).toMatchObject({ hourly: true, exactRange: true });
    expect(get.mock.calls[0]![0]!.dateFrom! <= new Date('2026-10-23T04:00:00Z')).toBe(true);
    expect(said?.text).toContain('Requests: 2,400 ±0');
    expect(said?.text).toContain('Days are in America/New_York');
  });

  test('add up the zones that the subscription names, when those are not all', async () => {
    const { platform, get } = asked({ 1: answer({}, 0.7), 2: answer({ hitRate: 50 }, 0.3) });
    const context = { ...contextOf(platform, [zone(1, 'shop'), zone(2, 'blog')], window), whole: false };
    const said = await say(dailyStatistics, context);
    expect(get.mock.calls.every(([query]) => query?.pullZone !== undefined)).toBe(true);
    expect(said?.text).toContain('Requests: 24,000 ±0');
    expect(said?.text).toContain('Cache hit rate: 78% ▼ −12 points');
    expect(said?.text).toMatch(/EU: Paris, FR\s+6 MB/);
  });

  test.each([
    [true, 'All zones'],
    [false, 'These zones'],
  ])('say of which zones the total is: %s, %s', async (whole, name) => {
    const each = [1, 2, 3, 4].map((id) => [id, answer({ requests: 150 }, 0.25)]);
    const { platform } = asked({ all: answer({ requests: 600 }), ...Object.fromEntries(each), 5: refused(500, 'no') });
    const zones = [1, 2, 3, 4, 5].map((id) => zone(id, `zone-${id}`));
    const report = { ...dailyStatistics, args: { ...dailyStatistics.args, mostChanges: 1 } };
    const { text } = (await say(report, { ...contextOf(platform, zones, window), whole }))!;
    expect(text).toContain(`\n${name} together: requests −40% compared with usual, as on a holiday\n`);
    expect(text).toContain(`\n${name}: 4xx +`);
  });

  test('begin with the incidents of the day and when they ended, are not green then, and draw that zone', async () => {
    const { platform } = asked({ all: answer(), 1: answer({}, 0.7), 2: answer({}, 0.3) });
    const context = {
      ...contextOf(platform, [zone(1, 'shop'), zone(2, 'blog')], window),
      incidents: async () => [
        told(2, '19T20:00', '19T23:50', 'blog: DNS fails'),
        told(1, '20T21:00', '20T23:30', 'shop: origin refuses connections (502)'),
        { ...told(2, '20T23:40', '21T08:55', 'blog: visitors get 503'), isOver: false },
        told(3, '20T21:00', '20T23:30', 'elsewhere: DNS fails'),
      ],
    };
    const said = await say(dailyStatistics, context);
    expect(said!.text.split('\n').slice(0, 3)).toEqual([
      '🟡 Fri, Nov 20, 2026: 2 incidents',
      '🟡 shop: origin refuses connections (502), from 9:00 PM to 11:30 PM UTC, fine since',
      '🔴 blog: visitors get 503, since 11:40 PM UTC, still going on',
    ]);
    expect(said!.text).toContain('Failed requests (5xx) a day: shop');
    const goesOn = { ...told(2, '20T23:40', '21T08:55', 'blog: cache hit rate 4%'), isOver: false, isAbout: true };
    const troubles = [{ zone: '2', since: new Date(goesOn.from), isMinor: true, isAbout: true }];
    const minor = { ...context, incidents: async () => [goesOn], broken: async () => [{ troubles }] as never };
    expect((await say(dailyStatistics, minor))!.text).toMatch(
      /^🟠 blog: cache hit rate 4%, since about 11:40 PM UTC, still going on$/mu,
    );
  });

  test('tell what failed after that day and is over, the newest first, and are neither green nor silent then', async () => {
    const { platform } = asked({ all: answer(), 1: answer({}, 0.7), 2: answer({}, 0.3) });
    const night = Array.from({ length: 6 }, (_, hour) =>
      told(1, `21T0${hour}:00`, `21T0${hour}:30`, `shop: 50${hour}`),
    );
    const more = [
      told(3, '21T03:00', '21T03:30', 'elsewhere: DNS fails'),
      { ...told(2, '21T08:50', '21T08:55', 'blog: visitors get 503'), isOver: false },
    ];
    const context = (incidents: readonly ToldIncident[]) => ({
      ...contextOf(platform, [zone(1, 'shop'), zone(2, 'blog')], window),
      incidents: async () => incidents,
    });
    const said = await say(dailyStatistics, context([...night.slice(0, 2), ...more]));
    expect(said!.text.split('\n').slice(0, 3)).toEqual([
      '✅ Today: shop: 501, from 1:00 AM to 1:30 AM UTC, fine since',
      '🟡 Today: shop: 500, from 12:00 AM to 12:30 AM UTC',
      '🟡 Fri, Nov 20, 2026: nothing stands out, 2 incidents today',
    ]);
    const collected = await dailyStatistics.collect(dailyStatistics.args, context(night));
    expect(dailyStatistics.fingerprint!(collected, dailyStatistics.args)).toMatch(/^shop: 500\n.*\nshop: 505$/s);
    const { text } = dailyStatistics.render(collected, dailyStatistics.args, { locale: 'en-US', timezone: 'UTC' })!;
    expect(text.split('\n').slice(4, 7)).toEqual([
      '🟡 Today: shop: 501, from 1:00 AM to 1:30 AM UTC',
      'and 1 more',
      '🟡 Fri, Nov 20, 2026: nothing stands out, 6 incidents today',
    ]);
  });

  test('do not call a zone fine since an incident after which it broke again, even just before the report', async () => {
    const { platform } = asked({ all: answer(), 1: answer({}, 0.7), 2: answer({}, 0.3) });
    const lines = async (broken: { zone: string; since: Date }[]) => {
      const context = {
        ...contextOf(platform, [zone(1, 'shop'), zone(2, 'blog')], window),
        incidents: async () => [
          told(1, '20T21:00', '20T23:30', 'shop: 502'),
          told(1, '21T01:00', '21T01:30', 'shop: 503'),
        ],
        broken: async () => [{ troubles: broken }],
      };
      return (await say(dailyStatistics, context))!.text.split('\n').filter((line) => / shop: 50\d, from /.test(line));
    };
    expect(await lines([{ zone: '2', since: new Date('2026-11-21T08:58:00Z') }])).toEqual([
      '✅ Today: shop: 503, from 1:00 AM to 1:30 AM UTC, fine since',
      '🟡 shop: 502, from 9:00 PM to 11:30 PM UTC',
    ]);
    expect(await lines([{ zone: '1', since: new Date('2026-11-21T08:58:00Z') }])).toEqual([
      '🟡 Today: shop: 503, from 1:00 AM to 1:30 AM UTC',
      '🟡 shop: 502, from 9:00 PM to 11:30 PM UTC',
    ]);
  });

  test('do not call an incident fine that was last looked at hours ago, because its report comes by the hour or is muted', async () => {
    const { platform } = asked({ all: answer(), 1: answer() });
    const open = { ...told(1, '20T20:00', '21T05:00', 'shop: DNS fails'), isOver: false };
    const context = { ...contextOf(platform, [zone(1, 'shop')], window), incidents: async () => [open] };
    expect((await say(dailyStatistics, context))!.text.split('\n')[1]).toBe(
      '🔴 shop: DNS fails, since 8:00 PM UTC, last seen at Nov 21, 2026, 5:00 AM UTC',
    );
  });

  test('do not say that an incident still goes on which is quiet and watched', async () => {
    const { platform } = asked({ all: answer(), 1: answer() });
    const quiet = Date.parse('2026-11-21T08:52:00Z');
    const open = { ...told(1, '20T23:40', '21T08:55', 'shop: DNS fails'), isOver: false, quiet };
    const context = { ...contextOf(platform, [zone(1, 'shop')], window), incidents: async () => [open] };
    expect((await say(dailyStatistics, context))!.text.split('\n')[1]).toBe(
      '🟡 shop: DNS fails, since 11:40 PM UTC, quiet since Nov 21, 2026, 8:52 AM UTC, being watched',
    );
  });

  test('begin with what is broken now, each zone once, and are news because of it', async () => {
    const { platform } = asked({ all: answer(), 1: answer({}, 0.7), 2: answer({}, 0.3) });
    const since = (time: string) => new Date(`2026-11-${time}:00Z`);
    const address = 'https://example.slack.com/archives/C1/p1';
    const context = {
      ...contextOf(platform, [zone(1, 'shop'), zone(2, 'blog')], window),
      broken: async () => [
        { troubles: [{ zone: '2', since: since('21T08:40') }], address },
        {
          troubles: [
            { zone: '2', since: since('21T08:50') },
            { zone: '1', since: since('20T08:00') },
          ],
        },
        {
          troubles: [
            { zone: '1', since: since('20T07:00'), lately: 0 },
            { zone: '1', since: since('20T06:00'), isMinor: true },
            { zone: '3', since: since('21T08:00') },
          ],
        },
      ],
    };
    const collected = await dailyStatistics.collect(dailyStatistics.args, context);
    expect(dailyStatistics.fingerprint!(collected, dailyStatistics.args)).toBe('blog broken\nshop broken');
    const said = await say(dailyStatistics, context);
    expect(said!.text.split('\n').slice(0, 2)).toEqual([
      '🔴 Broken now: shop since Nov 20, 2026, 8:00 AM UTC, blog since 8:40 AM UTC.',
      '🟢 Fri, Nov 20, 2026: nothing stands out',
    ]);
    expect(JSON.stringify(said!.blocks[0])).toContain(`<${address}|blog>`);
    const late = { zone: '1', since: since('21T08:40'), last: since('21T08:51') };
    const away = { zone: '2', since: since('21T08:50'), isAbout: true };
    const beginsWith = async (...troubles: object[]) =>
      (await say(dailyStatistics, { ...context, broken: async () => [{ troubles }] as never }))!.text.split('\n')[0];
    expect(await beginsWith(late)).toBe('🟡 Not over yet: shop since 8:40 AM UTC (last failure seen at 8:51 AM UTC).');
    expect(await beginsWith(late, away)).toBe(
      '🔴 Broken now: shop since 8:40 AM UTC (last failure seen at 8:51 AM UTC), blog since about 8:50 AM UTC.',
    );
    const quiet = { ...late, lately: 0 };
    const better = { ...away, lately: 0 };
    expect(await beginsWith(better, quiet)).toBe(
      '🟡 Not over yet: shop since 8:40 AM UTC (quiet since 8:51 AM UTC, being watched), blog since about 8:50 AM UTC (getting better, being watched).',
    );
    expect(await beginsWith(quiet, away)).toBe(
      '🔴 Broken now: blog since about 8:50 AM UTC, shop since 8:40 AM UTC (quiet since 8:51 AM UTC, being watched).',
    );
    expect(await beginsWith({ ...away, asOf: since('21T08:55') }, { ...late, asOf: since('21T08:55') })).toBe(
      '🔴 Broken now: shop since 8:40 AM UTC (last failure seen at 8:51 AM UTC), blog since about 8:50 AM UTC (as of 8:55 AM UTC).',
    );
    const misses = { zone: '2', since: since('21T06:00'), isAbout: true, isMinor: true, measure: 'hits' };
    expect(await beginsWith({ ...quiet, isMinor: true }, misses)).toBe(
      '🟠 Broken now: blog since about 6:00 AM UTC, shop since 8:40 AM UTC (quiet since 8:51 AM UTC, being watched).',
    );
    expect(await beginsWith(misses)).toBe('🟠 Broken now: blog since about 6:00 AM UTC.');
    expect(await beginsWith(misses, { zone: '1', since: since('21T08:40') })).toBe(
      '🔴 Broken now: shop since 8:40 AM UTC, 🟠 blog since about 6:00 AM UTC.',
    );
  });

  test('list the marks of the day, of their zones and of all, and are no news because of them', async () => {
    const { platform } = asked({ all: answer(), 1: answer() });
    const at = new Date('2026-11-20T14:05:00Z');
    const mark = (text: string, zone: number | null): Changed => ({
      by: 'mark',
      at,
      zones: zone === null ? [] : [zone],
      words: text,
    });
    const asks: object[] = [];
    const context = {
      ...contextOf(platform, [zone(1, 'shop')], window),
      timeLine: async (stretch: object) => {
        asks.push(stretch);
        const changes = [mark('deploy 4f2a of checkout', 1), mark('elsewhere', 2), mark('config v9', null)];
        return { changes, isCut: false };
      },
    };
    const said = await say(dailyStatistics, context);
    expect(said!.text).toContain('2 marks: deploy 4f2a of checkout, 14:05 UTC; config v9, 14:05 UTC.');
    expect(said!.text).toContain('nothing stands out');
    expect(asks).toEqual([{ from: new Date('2026-11-20T00:00:00Z'), to: new Date('2026-11-21T00:00:00Z') }]);
  });

  test.each([
    [undefined, '3 changes on these zones that day, 1 made elsewhere.'],
    ['the key may not', '2 changes on these zones that day by Edgewise.'],
  ])('count the changes of the day, whoever made them: %s', async (unread, counted) => {
    const { platform } = asked({ all: answer(), 1: answer() });
    const ours = (zones: number[]) => ({ by: 'bot', at: window.from, zones }) as unknown as Changed;
    const theirs = { by: 'somebody else', at: window.from, zones: [1] } as unknown as Changed;
    const all = [ours([1]), ours([1]), ours([2]), ours([])];
    const context = {
      ...contextOf(platform, [zone(1, 'shop')], window),
      timeLine: async () => ({ changes: unread === undefined ? [...all, theirs] : all, isCut: false, unread }),
    };
    expect((await say(dailyStatistics, context))!.text).toContain(counted);
  });

  test('fingerprint what is out of the ordinary, and not how much', async () => {
    const fingerprint = async (errors: number) => {
      const { platform } = asked({
        all: answer({ errors }),
        1: answer({ errors }, 0.7),
        2: answer({ hitRate: 40 }, 0.2),
      });
      const context = contextOf(platform, [zone(1, 'shop'), zone(2, 'blog')], window);
      return dailyStatistics.fingerprint?.(
        await dailyStatistics.collect(dailyStatistics.args, context),
        dailyStatistics.args,
      );
    };
    expect(await fingerprint(41)).toBe('blog hit rate\nshop 5xx');
    expect(await fingerprint(45)).toBe('blog hit rate\nshop 5xx');
    expect(await fingerprint(1)).toBe('blog hit rate');
  });

  test('leave out zones without requests, name those whose figures cannot be had, and show the others', async () => {
    const { platform } = asked({
      all: answer(),
      1: answer(),
      2: refused(500, 'Broken'),
      3: { RequestsServedChart: steady(0) },
    });
    const said = await say(
      dailyStatistics,
      contextOf(platform, [zone(1, 'shop'), zone(2, 'blog'), zone(3, 'old')], window),
    );
    expect(said?.text).toContain('No figures for blog: Broken.');
    expect(said?.text).not.toContain('old');
  });

  test('say how many zones are switched off', async () => {
    const { platform } = asked({ all: answer(), 1: answer(), 2: { RequestsServedChart: steady(0) } });
    const zones = [zone(1, 'shop'), zone(2, 'blog', { Suspended: true })];
    const said = await say(dailyStatistics, contextOf(platform, zones, window));
    expect(said?.text).toContain('1 of 2 zones: 1 is switched off.');
  });

  test('are the total alone where the platform lists no zones', async () => {
    const { platform } = asked({ all: answer() });
    const said = await say(dailyStatistics, contextOf(platform, 'the platform has no such list', window));
    expect(said?.text).toContain('There are no figures per zone: the platform has no such list.');
    expect(said?.text).toContain('Requests: 24,000');
  });

  test('have what shields saw, with a button where it is far beyond the day before, and nothing where the key may not', async () => {
    const seen = (key: object, before: number, now: number) => ({ key, count: before + now, sparkline: [before, now] });
    const events = vi.fn(async (id: number, _search: object) => [
      seen({ action: 'Log' }, id === 1 ? 50 : 30, 20),
      seen({ action: 'Block' }, 10, id * 100),
    ]);
    const mapping = vi.fn(async () => [
      { shieldZoneId: 1, pullZoneId: 2 },
      { shieldZoneId: 90, pullZoneId: 1 },
      { shieldZoneId: 3, pullZoneId: 9 },
    ]);
    const { platform } = asked({ all: answer(), 1: answer({}, 0.7), 2: answer({}, 0.3) });
    const shields = { ...platform, shieldZones: { mapping }, security: { events } };
    const zones = [zone(1, 'shop'), zone(2, 'blog')];
    const told = async () => (await say(dailyStatistics, contextOf(shields as never, zones, window)))!.text;
    const text = await told();
    expect(text).toContain('🛡️ shop: the shield saw 9,020 requests (blocked 9,000, logged 20), 40 the day before');
    expect(text).toContain('Shields saw: blog 120.');
    expect(text).toMatch(/^🟡 .*: 1 zone attacked/u);
    expect(events.mock.calls[0]![1]).toMatchObject({ from: new Date('2026-11-19'), to: new Date('2026-11-21') });
    mapping.mockRejectedValue(refused(401, 'no'));
    expect(await told()).not.toMatch(/shield/iu);
  });

  test('have no hit rate below zero, where the origin is asked more often than visitors ask', async () => {
    const { platform } = asked({ all: { RequestsServedChart: steady(1000), PullRequestsPulledChart: steady(1300) } });
    const said = await say(dailyStatistics, contextOf(platform, [], window));
    expect(said?.text).toContain('Cache hit rate: 0% ±0');
  });

  test('name the attacked zones that the title counts, or say how many more there are', async () => {
    const zones = Array.from({ length: 10 }, (_, index) => zone(index + 1, `zone-${index + 1}`));
    const mapping = async () => zones.map(({ Id }) => ({ shieldZoneId: Id, pullZoneId: Id }));
    const events = async (id: number) => [
      { key: { action: 'Block' }, count: 0, sparkline: [id < 10 ? 0 : 900, 1000 - id] },
    ];
    const { platform } = asked({ all: answer(), ...Object.fromEntries(zones.map(({ Id }) => [Id, answer({}, 0.1)])) });
    const shields = { ...platform, shieldZones: { mapping }, security: { events } };
    const { text } = (await say(dailyStatistics, contextOf(shields as never, zones, window)))!;
    expect(text).toMatch(/^🟡 .*: 9 zones attacked/u);
    expect(text.match(/🛡️ zone-\d/gu)).toEqual(['🛡️ zone-1', '🛡️ zone-2', '🛡️ zone-3']);
    expect(text).toContain('Also attacked: zone-4 996, zone-5 995, zone-6 994, zone-7 993, zone-8 992, and 1 more.');
    expect(text).toContain('Shields saw: zone-10 990.');
  });

  test('have all of a day that ended half an hour ago, though others read its hours before that', async () => {
    let now = Date.parse('2026-11-20T23:35:00Z');
    const get = async ({ dateFrom }: AccountStatisticsQuery = {}) => {
      const RequestsServedChart: Record<string, number> = {};
      for (let hour = dateFrom!.getTime() - (dateFrom!.getTime() % HOUR); hour <= now; hour += HOUR)
        RequestsServedChart[key(hour)] = 6000 * Math.min(1, (now - hour) / HOUR);
      return { RequestsServedChart };
    };
    const to = new Date('2026-11-21T00:30:00Z');
    const context = contextOf({ statistics: { get } }, [zone(1, 'shop')], { ...window, to });
    const { hours, signal } = context;
    for (const id of [0, 1]) await hours(id, { from: now - 28 * 24 * HOUR, to: now, age: HOUR, signal });
    now = to.getTime();
    const said = await say(dailyStatistics, context);
    expect(said?.text).toContain('Requests: 144,000 ±0');
    expect(said?.text).toMatch(/shop\s+144,000/);
  });

  test('say that a day is not complete, and compare nothing', async () => {
    const whole = { ...answer(), RequestsServedChart: steady(4000, (hour) => (hour < 2 ? 4000 : 0)) };
    const get = vi.fn(async (_query?: AccountStatisticsQuery) => whole);
    const said = await say(dailyStatistics, contextOf({ statistics: { get } }, [zone(1, 'shop')], window));
    expect(said?.text).toContain(
      '⚪ Fri, Nov 20, 2026: not complete\nThe platform has counted this day only up to 2:00 AM UTC, so nothing is compared.',
    );
    expect(said?.text).toContain('Requests: 8,000\n');
    expect(said?.text).not.toMatch(/need|▼|−92%/);
  });

  test('say when the platform has no figures yet, after the incidents of the day', async () => {
    const { platform } = asked({ all: {}, 1: {} });
    const incidents = async () => [told(1, '20T10:00', '20T12:00', 'shop: origin refuses connections (502)')];
    const context = { ...contextOf(platform, [zone(1, 'shop')], window), incidents };
    expect((await say(dailyStatistics, context))?.text.split('\n').slice(0, 3)).toEqual([
      '⚪ Fri, Nov 20, 2026: no figures yet',
      '🟡 shop: origin refuses connections (502), from 10:00 AM to 12:00 PM UTC, fine since',
      'The platform has not counted this day yet.',
    ]);
  });
});
